//! Families: rows between which weight moved because inlining changed, with what is left when they are taken together.

use std::collections::BTreeSet;

use pdiff_analysis::{Comparison, Family};

use crate::number::{fixed, signed};
use crate::page::{Block, Line};
use crate::row_order::Chosen;
use crate::visible_text::{cut_middle, visible};

/// Families that get a line; the others are counted.
const MOST_FAMILIES: usize = 3;

/// Families that a page without end lists.
const MOST_ON_A_PAGE: usize = 50;

/// Longest name.
const NAME: usize = 40;

/// The mark of a row in a family: `f0`.
pub(crate) fn mark(id: usize) -> String {
    format!("f{id}")
}

/// One line for each family of the rows shown.
pub(crate) fn blocks(comparison: &Comparison, chosen: &Chosen<'_>) -> Vec<Block> {
    let shown: BTreeSet<usize> = chosen.shown.iter().filter_map(|row| row.inline.family).collect();
    let families: Vec<&Family> =
        comparison.families.iter().filter(|family| shown.contains(&family.id)).collect();
    let mut blocks: Vec<Block> =
        families.iter().take(MOST_FAMILIES).map(|family| Line::block("family", text(family))).collect();
    if families.len() > MOST_FAMILIES {
        let more = families.len() - MOST_FAMILIES;
        blocks.push(Line::block("family", format!("... and {more} more; JSON holds all")));
    }
    blocks
}

/// One line for each family, the largest of a long list.
pub(crate) fn all(comparison: &Comparison) -> Vec<Block> {
    let families = comparison.families.iter().take(MOST_ON_A_PAGE);
    families.map(|family| Line::block("family", text(family))).collect()
}

fn text(family: &Family) -> String {
    let name = |name: &str| cut_middle(&visible(name), NAME).into_owned();
    let flip = match family.flips.as_slice() {
        [] => "inlining changed".to_owned(),
        [first, others @ ..] => {
            let more =
                if others.is_empty() { String::new() } else { format!(" and {} more changes", others.len()) };
            format!(
                "inlining of {} in {} {}{more}",
                name(&first.function),
                name(&first.caller),
                first.change.as_str()
            )
        }
    };
    format!(
        "{} {flip}: {} points moved between rows; its {} rows together {} booked (own code {}, calls and callers {})",
        mark(family.id),
        fixed(family.moved_pp.abs(), 2),
        family.members.len(),
        signed(family.booked_delta_pp, 2),
        signed(family.body_pp, 2),
        signed(family.call_overhead_pp, 2)
    )
}
