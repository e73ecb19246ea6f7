//! The caller under which a function grew most, as stacks show it, or by the code that makes the calls.

use pdiff_profile::{PerSide, Side};

use super::code_counts::copies_in_code;
use super::holder::code_with_call;
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::compare::{Row, SampledCall};

/// The shares of a function that the code of a caller calls, also from what is copied into that.
pub(super) fn shares_under(context: &Context<'_>, case: &Case<'_>, caller: &Case<'_>) -> PerSide<f64> {
    let is_under = |call: &SampledCall| {
        let shown = context.caller(call);
        shown.is_some_and(|shown| std::ptr::eq(code_with_call(context, shown, case).row, caller.row))
    };
    let by_code = context.call_by_code(caller.row, case.row);
    PerSide::from_fn(|side| {
        let pct = |call: &SampledCall| share_pct(case.row, side, call.weight(side));
        let calls = || context.calls_to(case.row, side).into_iter().filter(|call| is_under(call));
        by_code.map_or_else(|| calls().map(pct).sum(), pct)
    })
}

/// The call under which a row grew most.
pub(super) fn growing_call<'c, 'a>(
    context: &'c Context<'a>,
    row: &Row,
) -> Option<(&'a SampledCall, &'c Case<'a>)> {
    most_grown(context, row, context.calls_to(row, Side::After))
}

/// The call by the code of a function under which a row grew most, if the stacks show it called from a copy there, and other functions
/// contain that, too.
pub(super) fn growing_call_by_code<'c, 'a>(
    context: &'c Context<'a>,
    case: &Case<'_>,
    entered_from: &'c Case<'a>,
) -> Option<(&'a SampledCall, &'c Case<'a>)> {
    let calls = context.calls_by_code(case.row, Side::After);
    let (call, caller) = most_grown(context, case.row, calls)?;
    let is_copy = Side::BOTH.into_iter().all(|side| copies_in_code(context, caller, entered_from, side) > 0);
    let has_holder = || !std::ptr::eq(code_with_call(context, entered_from, case), entered_from);
    (is_copy && !has_holder()).then_some((call, caller))
}

/// The one of some calls of a row under which it grew most.
pub(super) fn most_grown<'c, 'a>(
    context: &'c Context<'a>,
    row: &Row,
    calls: Vec<&'a SampledCall>,
) -> Option<(&'a SampledCall, &'c Case<'a>)> {
    let grown = calls.into_iter().filter_map(|call| {
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        Some((context.common_shift.own_change_pp(pct.before, pct.after), call, context.caller(call)?))
    });
    let most = grown.reduce(|most, next| if next.0 > most.0 { next } else { most });
    most.map(|(_, call, caller)| (call, caller))
}
