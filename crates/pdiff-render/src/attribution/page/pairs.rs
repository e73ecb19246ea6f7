//! The effect of two factors together beyond their sum.

use pdiff_study::ablation::Interaction;

use super::PLACES;
use crate::attribution::view::{AttributionView, bounds, together_words};
use crate::document::number::fixed;
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Pairs of factors; nothing where no pair was measured.
pub(super) fn interactions(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let found = &view.attribution.interactions;
    if found.is_empty() {
        return Vec::new();
    }
    let mut columns = RankedColumns::default();
    let pair = |(a, b): (usize, usize)| format!("{} x {}", view.name(a), view.name(b));
    columns.names(["", "factors"], found.iter().map(|one| pair(one.factors)));
    columns.changes(0, ["", "points"], found.iter().map(|one| Some(one.effect.points)), PLACES);
    columns.numbers(2, ["points", "95 %"], found.iter().map(|one| bounds(&one.effect.points, PLACES)));
    columns.numbers(
        1,
        ["", "ratio"],
        found.iter().map(|one| format!("x{}", fixed(one.effect.log.value.exp(), 2))),
    );
    let ratios = |one: &Interaction| {
        let bounds = one.effect.log.interval;
        bounds.map_or_else(String::new, |(low, high)| {
            format!("x{}..x{}", fixed(low.exp(), 2), fixed(high.exp(), 2))
        })
    };
    columns.numbers(2, ["ratio", "95 %"], found.iter().map(ratios));
    columns.numbers(3, ["", "settings"], found.iter().map(|one| one.contexts.to_string()));
    columns.words(
        1,
        ["", "remark"],
        found.iter().map(|one| together_words(&one.effect, one.scale).to_owned()),
    );
    let text = "what two factors do together beyond their sum, averaged over the settings of the others that were measured";
    vec![Line::toned("pairs", text, Tone::Strong), columns.grid(width, 0)]
}
