//! How often a function calls or contains another in the code of a build, and whether it has code of its own there.

use pdiff_profile::census::FunctionId;
use pdiff_profile::{PerSide, Side};

use crate::classify::case::Case;
use crate::classify::context::Context;

/// The calls of a function in the code of a caller.
pub(in crate::classify) fn calls_in_code(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let pairs = caller.ids[side].iter().flat_map(|from| callee.ids[side].iter().map(move |to| (*from, *to)));
    pairs.filter_map(|(from, to)| census.call(from, to)).map(|edge| edge.calls + edge.tail_jumps).sum()
}

/// The copies of a function in the code of another.
pub(in crate::classify) fn copies_in_code(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> u32 {
    let Some(census) = context.builds.census(side) else { return 0 };
    let pairs = callee.ids[side].iter().flat_map(|of| caller.ids[side].iter().map(move |by| (*of, *by)));
    pairs.flat_map(|(of, by)| census.sites_in(of, by)).map(|site| site.count).sum()
}

/// Whether a function of the program has samples and no code of its own in both builds: it runs only inlined.
pub(in crate::classify) fn is_inlined_only(context: &Context<'_>, case: &Case<'_>) -> bool {
    let bytes = |side: Side| context.builds.census(side).map_or(0, |census| case.code_bytes(census, side));
    case.of_program && Side::BOTH.into_iter().all(|side| bytes(side) == 0 && case.is_sampled(side))
}

/// The side whose build only contains a function inlined, if the other build has code of its own for it: the two cannot be
/// compared.
pub(super) fn is_in_other_form(context: &Context<'_>, case: &Case<'_>) -> Option<Side> {
    let bytes = PerSide::from_fn(|side| {
        context.builds.census(side).map_or(0, |census| case.code_bytes(census, side))
    });
    let is_copied = |side: Side| {
        let census = context.builds.census(side);
        let function = |id: &FunctionId| census.and_then(|census| census.function(*id));
        case.ids[side].iter().filter_map(function).any(|function| function.inlined_instances() > 0)
    };
    Side::BOTH.into_iter().find(|side| bytes[*side] == 0 && bytes[side.other()] > 0 && is_copied(*side))
}
