//! Whether a function of builds a patch apart has the same source, though its code may differ.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::rules::FlippedCallers;

/// Whether a function's code is the same, or differs because the inlining of functions that it calls changed.
pub(super) fn has_same_source(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> bool {
    context.builds.same_code(&case.ids) == Some(true)
        || context.is_relaid(case)
        || differs_by_inlining(context, case, flipped)
}

/// Code that a callee left may be longer all the same, by so many bytes of a call and what is saved around it, and by this factor, for
/// a compiler then decides otherwise elsewhere; so may code that a callee entered be shorter.
const BYTES_OF_CALL: f64 = 32.0;
const OTHERWISE: f64 = 1.1;

/// Whether the inlining of callees changed, and the code is not longer where they left it, and not shorter where they entered.
fn differs_by_inlining(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> bool {
    let callees = context.row_number(case.row).and_then(|row| flipped.callees.get(&row));
    let Some(callees) = callees else { return false };
    let bytes = PerSide::from_fn(|side| {
        context.builds.census(side).map_or(0.0, |census| case.code_bytes(census, side) as f64)
    });
    let was_inlined = |on: Side| callees.iter().any(|callee| callee.inlined_on == on);
    let by_calls = BYTES_OF_CALL * callees.len() as f64;
    let may_be = |on: Side| bytes[on.other()] <= OTHERWISE * bytes[on] + by_calls;
    Side::BOTH.into_iter().all(|on| !was_inlined(on) || may_be(on))
}
