//! Each factor alone beside the same factor at its place in the order, and the sum of all.

use pdiff_study::Setting;
use pdiff_study::ablation::{Effect, Estimate, Range, Scale, Step};

use super::{LOG_PLACES, PLACES, join};
use crate::attribution::view::{AttributionView, bounds, sign_words, value};
use crate::document::number::{NONE, fixed, signed};
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Both changes of each factor, their ratio, and the extremes over all settings.
pub(super) fn side_by_side(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let pairs = || of.independent.iter().zip(&of.cumulative);
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], pairs().map(|(step, _)| view.name(step.factor).to_owned()));
    let points = |step: &Step| step.effect.map(|effect| effect.points);
    columns.changes(0, ["", "alone"], pairs().map(|(alone, _)| points(alone)), PLACES);
    columns.changes(0, ["at its place", "in this order"], pairs().map(|(_, placed)| points(placed)), PLACES);
    columns.numbers(0, ["place", "/ alone"], pairs().map(|(alone, placed)| ratio(alone, placed)));
    let ranges = || pairs().map(|(step, _)| of.ranges.iter().find(|range| range.factor == step.factor));
    let least = |range: Option<&Range>| {
        range.map_or_else(|| NONE.to_owned(), |range| value(&range.low.1.points, PLACES))
    };
    let most = |range: Option<&Range>| {
        range.map_or_else(|| NONE.to_owned(), |range| value(&range.high.1.points, PLACES))
    };
    columns.numbers(1, ["least", "measured"], ranges().map(least));
    columns.numbers(1, ["most", "measured"], ranges().map(most));
    columns.numbers(
        2,
        ["settings", "measured"],
        ranges().map(|range| range.map_or_else(|| "0".to_owned(), |range| range.contexts.to_string())),
    );
    columns.words(
        1,
        ["", "remark"],
        pairs().zip(ranges()).map(|((alone, placed), range)| {
            let sign = range.map_or("", |range| sign_words(range.sign));
            match (alone.effect, placed.effect) {
                (None, Some(_)) => {
                    join(&[&format!("conditional: only with {}", view.setting(placed.from)), sign])
                }
                (Some(_), Some(_)) if alone.from == placed.from => join(&["same cell", sign]),
                _ => sign.to_owned(),
            }
        }),
    );
    let mut blocks = vec![
        Line::toned("both", "alone, and at its place in this order, in points", Tone::Strong),
        columns.grid(width, 0),
    ];
    blocks.extend(conditional_effects(view));
    blocks.extend(together(view));
    blocks
}

fn ratio(alone: &Step, placed: &Step) -> String {
    match (alone.effect, placed.effect) {
        (Some(_), Some(_)) if alone.from == placed.from => "1.0x".to_owned(),
        (Some(alone), Some(placed)) if !alone.points.is_within_noise() && alone.points.value != 0.0 => {
            format!("{}x", fixed(placed.points.value / alone.points.value, 1))
        }
        _ => NONE.to_owned(),
    }
}

/// Where a factor's sign is not the same everywhere: its extremes, and where they were measured.
fn conditional_effects(view: &AttributionView<'_>) -> Vec<Block> {
    let ranges = view.attribution.ranges.iter().filter(|range| !sign_words(range.sign).is_empty());
    let line = |range: &Range| {
        let one = |(setting, effect): &(Setting, Effect)| {
            let interval = bounds(&effect.points, PLACES);
            let interval = if interval.is_empty() { interval } else { format!(" ({interval})") };
            format!(
                "{} points{interval} with {} changed",
                value(&effect.points, PLACES),
                view.setting(*setting)
            )
        };
        let text = format!(
            "{}: {}: from {} to {}",
            view.name(range.factor),
            sign_words(range.sign),
            one(&range.low),
            one(&range.high)
        );
        Line::block("sign", text)
    };
    ranges.map(line).collect()
}

fn together(view: &AttributionView<'_>) -> Vec<Block> {
    let of = view.attribution;
    let (Some(together), Some(baseline), Some(end)) = (&of.together, &of.baseline, &of.end) else {
        return vec![Line::block("sum", "not known: the whole path and every factor by itself are needed")];
    };
    let own = if together.at_place.is_empty() {
        "the factors alone".to_owned()
    } else {
        let names: Vec<&str> = together.at_place.iter().map(|factor| view.name(*factor)).collect();
        format!("the factors alone ({} at its place)", names.join(", "))
    };
    let interval = |estimate: &Estimate| match estimate.interval {
        Some(_) => format!(" (95 % {})", bounds(estimate, PLACES)),
        None => String::new(),
    };
    let scale = match together.scale {
        Scale::Dependent => "scale-dependent: its sign differs in logarithms",
        Scale::Agrees if together.interaction.log.is_within_noise() => "within noise",
        Scale::Agrees => "the same sign in logarithms",
    };
    vec![Line::block(
        "sum",
        format!(
            "{own} {}, interaction {}{} ({scale}: ln {}), not explained at the end {}: together {}, the gap of {} %",
            value(&together.sum.points, PLACES),
            value(&together.interaction.points, PLACES),
            interval(&together.interaction.points),
            signed(together.interaction.log.value, LOG_PLACES),
            signed(-end.pct.value, PLACES),
            signed(-baseline.pct.value, PLACES),
            value(&baseline.pct, PLACES),
        ),
    )]
}
