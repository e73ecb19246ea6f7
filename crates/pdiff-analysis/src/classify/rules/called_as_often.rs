//! Functions that are called as often as before, by what their own code costs: what they cost more is what they call.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::compare::SampledCall;
use crate::noise::FLOOR_PP;

/// So many samples of its own code tell that it costs no more.
const FEW_SAMPLES: u64 = 10;

/// Own code that costs less than so many times as much is not called more.
const MORE: f64 = 1.3;

/// A caller that calls a function more has so many times the growth of the function's other callers.
const MORE_THAN_REST: f64 = 1.3;

/// Whether a function's own code was sampled before and costs no more. The copies of one that runs only inlined are its code.
pub(super) fn runs_as_often(context: &Context<'_>, case: &Case<'_>) -> bool {
    let row = case.row;
    let factor = context.common_shift.factor();
    row.before.samples >= FEW_SAMPLES && row.after.self_pct < MORE * factor * row.before.self_pct
}

/// Whether a callee that was entered from a function before too does more inside: its own code costs no more, and it costs more
/// under its other callers by about the same factor.
pub(super) fn does_more_inside(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> bool {
    let Some(callee) = context.callee(call).filter(|callee| runs_as_often(context, callee)) else {
        return false;
    };
    let row = callee.row;
    let here = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    let (before, after) = (row.before.total_pct - here.before, row.after.total_pct - here.after);
    // The before run may have had two standard errors more here.
    let samples = here.before / row.before.total_pct * row.total.samples(Side::Before) as f64;
    let at_most = here.before * (1.0 + 2.0 / samples.max(1.0).sqrt());
    // What it hardly has elsewhere says nothing.
    let is_everywhere = before < FLOOR_PP || here.after * before <= MORE_THAN_REST * at_most * after;
    here.before > 0.0 && is_everywhere
}
