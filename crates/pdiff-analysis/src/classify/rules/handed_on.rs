//! Code that left a function for others, or came to it from others, beside a change of its inlining: that does not explain its change.

use pdiff_profile::Side;
use pdiff_profile::census::FunctionId;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::InBuild;
use crate::classify::context::Context;
use crate::compare::{Row, SampledCall};

/// The part of a change of self by symbol that is the body's own, for its code to have gone elsewhere.
const BODY_PART: f64 = 0.5;

/// A function with this part of its total under others does nothing but call them.
const NEARLY_ALL: f64 = 0.9;

/// Copies that ran show what they call: a total changes by at most so many times what self by symbol does.
const TOTAL_FACTOR: f64 = 4.0;

/// Whether the function's body, inlined or not, lost or gained most of what its self by symbol did, while its total moved the other
/// way by as much: functions that it calls took its code over, or it took over theirs. Inlining does neither.
pub(super) fn moved_against_total(context: &Context<'_>, row: &Row) -> bool {
    let own = |before: f64, after: f64| context.common_shift.own_change_pp(before, after);
    let total_pp = own(row.before.total_pct, row.after.total_pct);
    let booked_pp = own(row.before.booked_self_pct, row.after.booked_self_pct);
    row.total.significant
        && is_of_body(context, row)
        && total_pp * booked_pp < 0.0
        && total_pp.abs() >= booked_pp.abs()
}

/// Whether copies that the run of `inlined_on` hardly shows are no reason: what the function calls on that side, and the other build
/// lacks, has the code there, or one of a longer name has nearly all of its weight; or the run did not enter the copies, for they
/// would show what they call.
pub(super) fn explains_more_than_copies(context: &Context<'_>, case: &Case<'_>, inlined_on: Side) -> bool {
    let row = case.row;
    let own = |before: f64, after: f64| context.common_shift.own_change_pp(before, after);
    let booked_pp = own(row.before.booked_self_pct, row.after.booked_self_pct);
    let total_pp = own(row.before.total_pct, row.after.total_pct);
    let is_entered_anew = row.total.significant
        && total_pp * booked_pp > 0.0
        && total_pp.abs() - from_callers_pp(context, case, inlined_on) > TOTAL_FACTOR * booked_pp.abs();
    let is_only_there = |callee: &&Case<'_>| callee.held_by(inlined_on.other()) == InBuild::No;
    let calls = context.calls_from(row, inlined_on).into_iter();
    let handed: Vec<_> =
        calls.filter(|call| context.callee(call).as_ref().is_some_and(is_only_there)).collect();
    let pct = |call: &SampledCall| share_pct(row, inlined_on, call.weight(inlined_on));
    let handed_pct: f64 = handed.iter().map(|call| pct(call)).sum();
    // Most of what the function was on the other side is there.
    let (before, after) = (context.common_shift.factor() * row.before.total_pct, row.after.total_pct);
    let there_pct = if inlined_on == Side::After { before } else { after };
    let here_pct =
        if inlined_on == Side::After { handed_pct } else { context.common_shift.factor() * handed_pct };
    let is_kept = here_pct >= BODY_PART * there_pct && here_pct >= BODY_PART * body_pp(context, row).abs();
    // What it does nothing but call has its name, and more.
    let namesakes = handed.iter().filter(|call| call.callee.contains(&*row.name));
    let named_pct: f64 = namesakes.map(|call| pct(call)).sum();
    let only_calls = named_pct > 0.0 && named_pct >= NEARLY_ALL * row.side(inlined_on).total_pct;
    is_entered_anew || (is_of_body(context, row) && (is_kept || only_calls))
}

/// What the function calls on the side without copies, and nothing but code with its copies called on the other, so that it comes from
/// there: debug lines of copies of a few instructions often belong to the code around them, and so do calls in them.
fn from_callers_pp(context: &Context<'_>, case: &Case<'_>, inlined_on: Side) -> f64 {
    let (called_on, shift) = (inlined_on.other(), context.common_shift);
    let Some(census) = context.builds.census(inlined_on) else { return 0.0 };
    let has_copies =
        |id: FunctionId| case.ids[inlined_on].iter().any(|of| !census.sites_in(*of, id).is_empty());
    let came = |call: &SampledCall| {
        let callee = context.callee(call).filter(|callee| callee.of_program)?;
        let ids = &callee.ids[inlined_on];
        let mut callers = ids.iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller).peekable();
        callers.peek()?;
        if !callers.all(|id| has_copies(id) || ids.contains(&id)) {
            return None;
        }
        let pct = shift.without(share_pct(case.row, called_on, call.weight(called_on)), called_on);
        let grown_pp = shift.own_change_pp(callee.row.before.total_pct, callee.row.after.total_pct).abs();
        Some((pct - grown_pp).max(0.0))
    };
    context.calls_from(case.row, called_on).into_iter().filter_map(came).sum()
}

/// Whether most of a change of self by symbol is the body's, which inlining leaves as it is.
fn is_of_body(context: &Context<'_>, row: &Row) -> bool {
    let booked_pp = context.common_shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct);
    let body_pp = body_pp(context, row);
    body_pp * booked_pp > 0.0 && body_pp.abs() >= BODY_PART * booked_pp.abs()
}

/// The change of the function's code wherever it is, in its own body or in copies.
fn body_pp(context: &Context<'_>, row: &Row) -> f64 {
    context.common_shift.own_change_pp(row.before.x_pct(), row.after.x_pct())
}
