//! How often a function calls or contains another in the code of a build.

use pdiff_profile::Side;

use crate::classify::case::Case;
use crate::classify::context::Context;

/// The calls of a function in the code of a caller.
pub(super) fn calls_in_code(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>, side: Side) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let pairs = caller.ids[side].iter().flat_map(|from| callee.ids[side].iter().map(move |to| (*from, *to)));
    pairs.filter_map(|(from, to)| census.call(from, to)).map(|edge| edge.calls + edge.tail_jumps).sum()
}

/// The copies of a function in the code of another.
pub(super) fn copies_in_code(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>, side: Side) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let pairs = callee.ids[side].iter().flat_map(|of| caller.ids[side].iter().map(move |by| (*of, *by)));
    pairs.flat_map(|(of, by)| census.sites_in(of, by)).map(|site| site.count).sum()
}
