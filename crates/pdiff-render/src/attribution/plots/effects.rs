//! Dots with whiskers: the effect of each factor alone, at its place in the order, and on average over all orders.

use pdiff_study::ablation::{Estimate, Step};
use plotters::prelude::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

use super::MOST_TICKS;
use crate::attribution::view::AttributionView;
use crate::document::number::signed;
use crate::error::Error;
use crate::plots::axis::{tick_text, ticks_at_most};
use crate::plots::canvas::{Canvas, below_title, draw};
use crate::plots::panel::{WIDTH, draw_notes, note_lines, notes_height};
use crate::plots::{BETTER, GRID, INK, NEUTRAL, WORSE, label};

/// Room for what a dot says, and for its number at the right.
const LEFT: i32 = 112;
const RIGHT: i32 = 64;

/// The name of a factor above its dots.
const NAME: i32 = 22;

/// From one of a factor's dots to the next.
const LINE: i32 = 20;

/// Half a dot.
const DOT: i32 = 4;

/// A factor's dots.
struct Row {
    name: String,
    dots: Vec<(&'static str, Estimate)>,
}

/// Alone, at its place, averaged: each factor's change of the gap with its interval. `None` where none is known.
///
/// # Errors
/// Returns an error if drawing fails.
pub fn effects_svg(view: &AttributionView<'_>) -> Result<Option<String>, Error> {
    let rows = rows(view);
    let ends = rows.iter().flat_map(|row| &row.dots).flat_map(|(_, estimate)| {
        let (low, high) = estimate.interval.unwrap_or((estimate.value, estimate.value));
        [low, high, estimate.value]
    });
    let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), end| (low.min(end), high.max(end)));
    if rows.is_empty() || low == high {
        return Ok(None);
    }
    let title = format!(
        "What each factor changes of the gap of {} to {}, in points, with 95 % intervals",
        label(&view.attribution.target),
        label(&view.attribution.base)
    );
    let legend =
        "Blue: in favour of the target; vermilion: against it; grey: within noise, or of single runs.";
    let legend = note_lines(&[legend.to_owned()]);
    let start = below_title(&title, WIDTH);
    let bottom = start + rows.iter().map(height).sum::<i32>();
    draw((WIDTH, bottom + 34 + notes_height(&legend)), &title, |canvas| {
        let x = |value: f64| {
            LEFT + (f64::from(WIDTH - LEFT - RIGHT) * (value - low) / (high - low)).round() as i32
        };
        for tick in ticks_at_most(low, high, MOST_TICKS) {
            canvas.line((x(tick), start - 4), (x(tick), bottom), GRID)?;
            let text = tick_text(tick).trim_end_matches(" %").to_owned();
            canvas.text((x(tick), bottom + 6), &text, HPos::Center, VPos::Top, INK)?;
        }
        canvas.line((x(0.0), start - 4), (x(0.0), bottom), INK)?;
        let mut top = start;
        for row in &rows {
            canvas.text((12, top + 4), &row.name, HPos::Left, VPos::Top, INK)?;
            for (at, (how, estimate)) in (0i32..).zip(&row.dots) {
                push_dot(canvas, how, estimate, &x, top + NAME + LINE * at + LINE / 2)?;
            }
            top += height(row);
            canvas.line((12, top), (WIDTH - 12, top), GRID)?;
        }
        draw_notes(canvas, bottom + 30, &legend)
    })
    .map(Some)
}

fn height(row: &Row) -> i32 {
    NAME + LINE * row.dots.len() as i32 + 6
}

fn rows(view: &AttributionView<'_>) -> Vec<Row> {
    let of = view.attribution;
    let step = |steps: &[Step], factor: usize| {
        steps.iter().find(|step| step.factor == factor).and_then(|step| Some(step.effect?.points))
    };
    let averaged = |factor: usize| {
        let values = of.shapley.iter().flat_map(|shapley| &shapley.values);
        values.filter(|(own, _)| *own == factor).map(|(_, effect)| effect.points).next()
    };
    let rows = (0..of.factors.len()).map(|factor| {
        let dots = [
            ("alone", step(&of.independent, factor)),
            ("at its place", step(&of.cumulative, factor)),
            ("average", averaged(factor)),
        ];
        let dots = dots.into_iter().filter_map(|(how, estimate)| Some((how, estimate?))).collect();
        Row { name: label(view.name(factor)), dots }
    });
    rows.filter(|row| !row.dots.is_empty()).collect()
}

fn color(estimate: &Estimate) -> RGBColor {
    match estimate.interval {
        Some((low, _)) if low > 0.0 => BETTER,
        Some((_, high)) if high < 0.0 => WORSE,
        _ => NEUTRAL,
    }
}

fn push_dot(
    canvas: &Canvas<'_>,
    how: &str,
    estimate: &Estimate,
    x: &impl Fn(f64) -> i32,
    y: i32,
) -> Result<(), Error> {
    let middle = x(estimate.value);
    let mut end = middle + DOT;
    if let Some((low, high)) = estimate.interval {
        canvas.line((x(low), y), (x(high), y), INK)?;
        canvas.line((x(low), y - DOT), (x(low), y + DOT), INK)?;
        canvas.line((x(high), y - DOT), (x(high), y + DOT), INK)?;
        end = end.max(x(high));
    }
    canvas.fill((middle - DOT, y - DOT), (middle + DOT, y + DOT), color(estimate))?;
    canvas.text((LEFT - 10, y), how, HPos::Right, VPos::Center, NEUTRAL)?;
    canvas.text((end + 6, y), &signed(estimate.value, 1), HPos::Left, VPos::Center, INK)
}
