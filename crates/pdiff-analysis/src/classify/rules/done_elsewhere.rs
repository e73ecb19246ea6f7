//! Whether another function does now what a variant did that is gone.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::compare::SampledCall;

/// A caller has at least this part of a function.
const CALLER_PART: f64 = 0.1;

/// The other function costs more by this part of what the variant cost.
const MORE_PART: f64 = 0.5;

/// Whether another function took over half of what a variant cost, under a function that does the variant's work now, or its callers.
pub(super) fn is_done_elsewhere(context: &Context<'_>, case: &Case<'_>, gone_pct: f64) -> bool {
    // A caller that has next to nothing of it is none: its stacks lost the one in between.
    let is_main = |call: &&SampledCall| {
        share_pct(case.row, Side::After, call.after) >= CALLER_PART * case.row.after.total_pct
    };
    let calls = context.calls_to(case.row, Side::After).into_iter().filter(is_main);
    let callers = calls.filter_map(|call| context.caller(call));
    callers.chain([case]).any(|caller| went_elsewhere(context, caller, case, gone_pct))
}

/// Whether a function other than these took over half of what the variants cost: it costs so much more under the function that took them.
pub(super) fn went_elsewhere(
    context: &Context<'_>,
    taker: &Case<'_>,
    general: &Case<'_>,
    gone_pct: f64,
) -> bool {
    context.calls_from(taker.row, Side::After).into_iter().any(|call| {
        let is_other = context.callee(call).is_some_and(|callee| !std::ptr::eq(callee.row, general.row));
        let pct = PerSide::from_fn(|side| share_pct(taker.row, side, call.weight(side)));
        is_other && context.common_shift.own_change_pp(pct.before, pct.after) >= MORE_PART * gone_pct
    })
}
