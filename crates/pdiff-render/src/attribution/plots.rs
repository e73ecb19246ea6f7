//! Pictures of an attribution: a waterfall from the gap at the baseline to the gap at the end, a matrix of interactions,
//! and (`effects`) each factor's effect with its interval. SVG on a light ground, in blue and vermilion, which colour-blind
//! readers tell apart (Okabe and Ito 2008); every bar and cell has its number, so colour is never alone. The same text is
//! alone or inside HTML.

mod effects;

use pdiff_study::ablation::{Attribution, Estimate, Interaction, Scale};
use plotters::style::text_anchor::{HPos, VPos};

use crate::attribution::view::AttributionView;
use crate::document::number::signed;
use crate::document::visible_text::cut_middle;
use crate::error::Error;
use crate::plots::axis::{tick_text, ticks_at_most};
use crate::plots::canvas::{Canvas, below_title, draw};
use crate::plots::panel::WIDTH as NARROW_WIDTH;
use crate::plots::{BETTER, GRID, INK, NEUTRAL, WORSE, label};
pub use effects::effects_svg;

/// Letters above a column of the matrix.
const MOST_IN_A_CELL: usize = 11;

/// The bar of a waterfall, with its name above.
const ROW: i32 = 46;

/// From the name of a bar to the bar.
const NAME: i32 = 20;
/// The matrix is wider than the other pictures: each pair of factors has a number.
const TOP: i32 = 64;
const LEFT: i32 = 230;
const WIDTH: i32 = 820;

/// The edges of a waterfall, with room for numbers at the right.
const BARS_LEFT: i32 = 16;
const BARS_RIGHT: i32 = 84;

/// Values along the axis of a narrow picture, and one more at most.
const MOST_TICKS: usize = 4;

/// One bar of a waterfall.
struct Bar {
    name: String,
    from: f64,
    to: f64,
    interval: Option<(f64, f64)>,
    is_gap: bool,
}

/// The gap from baseline to end, factor by factor: by the averages over orders where they are known, else at their place
/// in the order. `None` where neither is known.
///
/// # Errors
/// Returns an error if drawing fails.
pub fn gap_waterfall_svg(view: &AttributionView<'_>) -> Result<Option<String>, Error> {
    let of = view.attribution;
    let Some((bars, how)) = bars(view) else { return Ok(None) };
    let title =
        format!("Gap of {} to {} in percent of throughput, {how}", label(&of.target), label(&of.base));
    let start = below_title(&title, NARROW_WIDTH);
    let bottom = start + ROW * bars.len() as i32;
    draw((NARROW_WIDTH, bottom + 36), &title, |canvas| {
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.to, bar.to));
            [bar.from, bar.to, low, high]
        });
        let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), end| (low.min(end), high.max(end)));
        let span = (high - low).max(1e-9);
        let room = f64::from(NARROW_WIDTH - BARS_LEFT - BARS_RIGHT);
        let x = |value: f64| BARS_LEFT + (room * (value - low) / span).round() as i32;
        for tick in ticks_at_most(low, high, MOST_TICKS) {
            canvas.line((x(tick), start - 4), (x(tick), bottom), GRID)?;
            canvas.text((x(tick), bottom + 6), &tick_text(tick), HPos::Center, VPos::Top, INK)?;
        }
        canvas.line((x(0.0), start - 4), (x(0.0), bottom), INK)?;
        for (at, bar) in bars.iter().enumerate() {
            let top = start + ROW * at as i32;
            let (left, right) =
                (x(bar.from.min(bar.to)), x(bar.from.max(bar.to)).max(x(bar.from.min(bar.to)) + 1));
            let color = match (bar.is_gap, bar.to >= bar.from) {
                (true, _) => NEUTRAL,
                (false, true) => BETTER,
                (false, false) => WORSE,
            };
            canvas.fill((left, top + NAME), (right, top + NAME + 20), color)?;
            let mut end = right;
            if let Some((low, high)) = bar.interval {
                let middle = top + NAME + 10;
                canvas.line((x(low), middle), (x(high), middle), INK)?;
                canvas.line((x(low), middle - 4), (x(low), middle + 4), INK)?;
                canvas.line((x(high), middle - 4), (x(high), middle + 4), INK)?;
                end = end.max(x(high));
            }
            canvas.text((BARS_LEFT, top + 2), &bar.name, HPos::Left, VPos::Top, INK)?;
            let change = if bar.is_gap { bar.to } else { bar.to - bar.from };
            let unit = if bar.is_gap { " %" } else { "" };
            let text = format!("{}{unit}", signed(change, 1));
            canvas.text((end + 6, top + NAME + 10), &text, HPos::Left, VPos::Center, INK)?;
            if at + 1 < bars.len() {
                canvas.line((x(bar.to), top + NAME + 20), (x(bar.to), top + ROW), NEUTRAL)?;
            }
        }
        Ok(())
    })
    .map(Some)
}

fn bars(view: &AttributionView<'_>) -> Option<(Vec<Bar>, &'static str)> {
    let of = view.attribution;
    let baseline = of.baseline?;
    let gap = |name: &str, pct: Estimate| Bar {
        name: name.to_owned(),
        from: 0.0,
        to: pct.value,
        interval: pct.interval,
        is_gap: true,
    };
    let whole = |of: &Attribution| {
        of.shapley.as_ref().is_some_and(|shapley| shapley.values.len() == of.factors.len())
    };
    let (parts, how): (Vec<(usize, Estimate)>, &str) = if whole(of) {
        let values = of.shapley.iter().flat_map(|shapley| &shapley.values);
        (
            values.map(|(factor, effect)| (*factor, effect.points)).collect(),
            "each factor averaged over all orders",
        )
    } else {
        let part = |step: &pdiff_study::ablation::Step| Some((step.factor, step.effect?.points));
        (of.cumulative.iter().map(part).collect::<Option<_>>()?, "factors one after the other in this order")
    };
    let mut bars = vec![gap("nothing changed", baseline.pct)];
    let mut level = baseline.pct.value;
    for (factor, points) in parts {
        let from = level;
        level += points.value;
        bars.push(Bar {
            name: label(view.name(factor)),
            from,
            to: level,
            interval: points.interval.map(|(low, high)| (from + low, from + high)),
            is_gap: false,
        });
    }
    bars.push(gap("all changed", of.end?.pct));
    Some((bars, how))
}

/// The effects of pairs of factors beyond their sum, in points, as a matrix. `None` if no pair is known.
///
/// # Errors
/// Returns an error if drawing fails.
pub fn interaction_matrix_svg(view: &AttributionView<'_>) -> Result<Option<String>, Error> {
    let of = view.attribution;
    if of.interactions.is_empty() {
        return Ok(None);
    }
    const CELL: i32 = 84;
    let count = of.factors.len() as i32;
    let size = ((LEFT + CELL * count + 30).max(WIDTH), TOP + 34 + CELL * count / 2 + 70);
    let half = CELL / 2;
    let largest = of.interactions.iter().map(|one| one.effect.points.value.abs()).fold(1e-9, f64::max);
    draw(size, "What two factors do together beyond their sum, in points", |canvas| {
        let found = |a: usize, b: usize| {
            let pair = (a.min(b), a.max(b));
            of.interactions.iter().find(|one| one.factors == pair)
        };
        for row in 0..of.factors.len() {
            let top = TOP + 30 + half * row as i32;
            let name = label(view.name(row));
            canvas.text((LEFT - 10, top + half / 2), &name, HPos::Right, VPos::Center, INK)?;
            let left = LEFT + CELL * row as i32;
            let short = cut_middle(&name, MOST_IN_A_CELL);
            canvas.text((left + CELL / 2, TOP + 22), &short, HPos::Center, VPos::Bottom, INK)?;
            for column in 0..of.factors.len() {
                let corner = (LEFT + CELL * column as i32, top);
                let opposite = (corner.0 + CELL - 2, corner.1 + half - 2);
                let middle = (corner.0 + CELL / 2, corner.1 + half / 2);
                match found(row, column).filter(|_| row != column) {
                    None => {
                        canvas.frame(corner, opposite, NEUTRAL)?;
                        if row != column {
                            canvas.text(middle, "not measured", HPos::Center, VPos::Center, NEUTRAL)?;
                        }
                    }
                    Some(one) => cell(canvas, one, corner, opposite, middle, largest)?,
                }
            }
        }
        let bottom = TOP + 44 + half * count;
        let legend = "blue: more than the sum; vermilion: less; o within noise or of single runs; * sign differs in logarithms";
        canvas.text((20, bottom), legend, HPos::Left, VPos::Top, INK)
    })
    .map(Some)
}

fn cell(
    canvas: &Canvas<'_>,
    one: &Interaction,
    corner: (i32, i32),
    opposite: (i32, i32),
    middle: (i32, i32),
    largest: f64,
) -> Result<(), Error> {
    let value = one.effect.points.value;
    let color = if value >= 0.0 { BETTER } else { WORSE };
    // Light enough for dark figures on it.
    canvas.tint(corner, opposite, color, 0.08 + 0.42 * (value.abs() / largest))?;
    let mark = if one.scale == Scale::Dependent { "*" } else { "" };
    canvas.text(middle, &format!("{}{mark}", signed(value, 1)), HPos::Center, VPos::Center, INK)?;
    if !one.effect.log.is_beyond_noise() {
        canvas.circle((opposite.0 - 8, corner.1 + 9))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
