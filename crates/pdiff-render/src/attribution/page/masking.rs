//! A factor under a ceiling, and with the ceiling lifted.

use pdiff_profile::PerSide;
use pdiff_study::ablation::Masking;

use super::PLACES;
use crate::attribution::view::{AttributionView, bounds};
use crate::document::number::fixed;
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Factors under their ceilings; nothing where none is named.
pub(super) fn masking(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let found = &view.attribution.masking;
    if found.is_empty() {
        return Vec::new();
    }
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], found.iter().map(|one| view.name(one.factor).to_owned()));
    columns.names(["", "ceiling"], found.iter().map(|one| view.name(one.ceiling).to_owned()));
    columns.changes(0, ["as it was", "points"], found.iter().map(|one| Some(one.under.points)), PLACES);
    columns.numbers(4, ["as it was", "95 %"], found.iter().map(|one| bounds(&one.under.points, PLACES)));
    columns.changes(1, ["changed", "points"], found.iter().map(|one| Some(one.lifted.points)), PLACES);
    columns.numbers(4, ["changed", "95 %"], found.iter().map(|one| bounds(&one.lifted.points, PLACES)));
    columns.changes(0, ["", "difference"], found.iter().map(|one| Some(one.difference.points)), PLACES);
    columns.numbers(
        2,
        ["difference", "95 %"],
        found.iter().map(|one| bounds(&one.difference.points, PLACES)),
    );
    columns.words(2, ["", "remark"], found.iter().map(|one| masking_words(one).to_owned()));
    let text = "effect of a factor with the ceiling as it was, and with the ceiling changed; all else equal";
    let mut blocks = vec![Line::toned("ceiling", text, Tone::Strong), columns.grid(width, 0)];
    if let Some(meeting) = view.meeting {
        let PerSide { before, after } = meeting.spin_pct.map(|pct| fixed(pct, 2));
        let text = format!(
            "busy waiting takes {before} % of the samples of {} and {after} % of {}",
            meeting.labels.before, meeting.labels.after
        );
        blocks.push(Line::block("spin", text));
    }
    blocks
}

fn masking_words(one: &Masking) -> &'static str {
    let difference = &one.difference.log;
    match (difference.interval.is_some(), difference.is_beyond_noise()) {
        (false, _) => "single runs: no claim",
        (true, false) => "within noise: no claim",
        (true, true) if difference.value > 0.0 && !one.under.log.is_beyond_noise() => "masked by the ceiling",
        (true, true) if difference.value > 0.0 => "more where the ceiling is lifted",
        (true, true) => "less where the ceiling is lifted",
    }
}
