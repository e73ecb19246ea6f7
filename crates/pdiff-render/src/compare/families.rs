//! Families: rows between which weight moved because inlining changed, with their net change.

use std::collections::BTreeSet;

use pdiff_analysis::{Comparison, Family};

use crate::compare::row_order::Chosen;
use crate::document::number::{fixed, signed};
use crate::document::visible_text::{cut_middle, visible};
use crate::document::{Block, Line};

/// Families of the rows shown that get a line.
const MOST_FAMILIES: usize = 3;

/// Families that a report lists.
const MOST_ON_A_PAGE: usize = 50;

/// Longest name.
const NAME: usize = 40;

/// The mark of a row in a family: `f0`.
pub(crate) fn mark(id: usize) -> String {
    format!("f{id}")
}

/// One line for each family of the rows shown.
pub(crate) fn blocks(comparison: &Comparison, chosen: &Chosen<'_>) -> Vec<Block> {
    let shown: BTreeSet<usize> = chosen.shown.iter().filter_map(|row| row.family()).collect();
    lines(comparison.families.iter().filter(|family| shown.contains(&family.id)), MOST_FAMILIES)
}

/// One line for each family.
pub(crate) fn all(comparison: &Comparison) -> Vec<Block> {
    lines(comparison.families.iter(), MOST_ON_A_PAGE)
}

/// The first `most` families; the others are counted.
fn lines<'a>(mut families: impl Iterator<Item = &'a Family>, most: usize) -> Vec<Block> {
    let line = |family| Line::block("family", text(family));
    let mut blocks: Vec<Block> = families.by_ref().take(most).map(line).collect();
    let more = families.count();
    if more > 0 {
        blocks.push(Line::block("family", format!("... and {more} more; JSON has all")));
    }
    blocks
}

fn text(family: &Family) -> String {
    let name = |name: &str| cut_middle(&visible(name), NAME).into_owned();
    let flip = match family.flips.as_slice() {
        [] => "inlining changed".to_owned(),
        [first, others @ ..] => {
            let more = match others.len() {
                0 => String::new(),
                1 => " and 1 more change".to_owned(),
                more => format!(" and {more} more changes"),
            };
            format!(
                "inlining of {} in {} {}{more}",
                name(&first.function),
                name(&first.caller),
                first.change.as_str()
            )
        }
    };
    format!(
        "{} {flip}: {} points moved between rows; its {} rows together {} by symbol (own code {}, calls and callers {})",
        mark(family.id),
        fixed(family.moved_pp.abs(), 2),
        family.members.len(),
        signed(family.booked_delta_pp, 2),
        signed(family.body_pp, 2),
        signed(family.call_overhead_pp, 2)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sample;

    #[test]
    fn a_report_counts_the_families_that_it_does_not_list() {
        let mut comparison = sample::comparison(Vec::new());
        let family = |id| Family {
            id,
            members: vec!["f".to_owned()],
            flips: Vec::new(),
            booked_delta_pp: 0.0,
            moved_pp: 0.0,
            body_pp: 0.0,
            call_overhead_pp: 0.0,
        };
        comparison.families = (0..MOST_ON_A_PAGE + 2).map(family).collect();
        let blocks = all(&comparison);
        assert_eq!(blocks.len(), MOST_ON_A_PAGE + 1);
        assert_eq!(blocks.last(), Some(&Line::block("family", "... and 2 more; JSON has all")));
    }
}
