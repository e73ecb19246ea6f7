//! Factors changed one after the other, and each alone: the gap after each step.

use pdiff_study::ablation::{GapAt, Step};

use super::PLACES;
use super::heading::metric;
use crate::attribution::view::{AttributionView, bounds, noise_words, value};
use crate::document::number::NONE;
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// One after the other, in the order of the path.
pub(super) fn cumulative(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let text =
        format!("one after the other, each at its place in this order; + is in favour of {}", of.target);
    vec![Line::toned("in order", text, Tone::Strong), step_grid(view, &of.cumulative, width)]
}

/// Each from the same baseline.
pub(super) fn independent(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let text = "each factor alone, from the same baseline";
    vec![Line::toned("alone", text, Tone::Strong), step_grid(view, &view.attribution.independent, width)]
}

fn step_grid(view: &AttributionView<'_>, steps: &[Step], width: Option<usize>) -> Block {
    let of = view.attribution;
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], steps.iter().map(|step| view.name_and_build(step.factor)));
    let gaps = || steps.iter().map(|step| step.gap.as_ref());
    let number =
        |gap: Option<&GapAt>, text: &dyn Fn(&GapAt) -> String| gap.map_or_else(|| NONE.to_owned(), text);
    columns.numbers(
        2,
        [&of.base, of.metric.as_str()],
        gaps().map(|gap| number(gap, &|gap| metric(of, gap.before))),
    );
    columns.numbers(
        2,
        [&of.target, of.metric.as_str()],
        gaps().map(|gap| number(gap, &|gap| metric(of, gap.after))),
    );
    columns.numbers(0, ["gap", "%"], gaps().map(|gap| number(gap, &|gap| value(&gap.pct, PLACES))));
    let points = |step: &Step| step.effect.map(|effect| effect.points);
    columns.changes(0, ["change", "points"], steps.iter().map(points), PLACES);
    columns.numbers(
        1,
        ["", "95 %"],
        steps.iter().map(|step| points(step).map_or_else(String::new, |p| bounds(&p, PLACES))),
    );
    columns.words(
        3,
        ["", "remark"],
        steps.iter().map(|step| step.effect.as_ref().map_or("not measured", noise_words).to_owned()),
    );
    columns.grid(width, 0)
}
