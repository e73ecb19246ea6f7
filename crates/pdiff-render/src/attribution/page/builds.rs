//! The effect of each factor on each build.

use pdiff_profile::PerSide;
use pdiff_study::ablation::{BuildEffect, Estimate};

use super::PLACES;
use crate::attribution::view::{AttributionView, bounds};
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Changes of each build's throughput.
pub(super) fn builds(view: &AttributionView<'_>, width: Option<usize>) -> Vec<Block> {
    let of = view.attribution;
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], of.builds.iter().map(|one| view.name(one.factor).to_owned()));
    type Kind = (u8, &'static str, fn(&BuildEffect) -> PerSide<Option<Estimate>>);
    let kinds: [Kind; 3] = [
        (0, "alone", |one| one.alone),
        (1, "at its place", |one| one.at_place),
        (2, "over all", |one| one.overall),
    ];
    for (rank, title, estimates) in kinds {
        for (side, name) in PerSide::new(&of.base, &of.target) {
            if of.builds.iter().any(|one| estimates(one)[side].is_some()) {
                let found = || of.builds.iter().map(|one| estimates(one)[side]);
                columns.changes(rank, [title, name], found(), PLACES);
                columns.numbers(
                    rank + 3,
                    [title, "95 %"],
                    found().map(|one| one.map_or_else(String::new, |estimate| bounds(&estimate, PLACES))),
                );
            }
        }
    }
    let text = "what each factor does to each build's throughput, in percent; over all: geometric mean over the settings of the others";
    vec![Line::toned("builds", text, Tone::Strong), columns.grid(width, 0)]
}
