//! `R-edge` where the stacks do not show who makes the calls: a function without a frame of its own hides its caller there, and where
//! several call it, no caller is put back.

use pdiff_profile::{PerSide, Side};

use super::called_as_often::own_times;
use super::changed_above::{Caller, callers_of, has_changed};
use super::code_counts::calls_in_code;
use super::costs_by_calls::{MORE_WITH_CALLS, costs_more_as_a_whole};
use super::edge::may_be_entered_more;
use super::growing_call::growing_call;
use super::weight::has_same_code;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::noise::{FLOOR_PP, MIN_SAMPLES};

/// The part of the function's growth that must be under callers that do not call it in the code.
const EXPLAINING_PART: f64 = 0.5;

/// Of builds a patch apart, a function with the same code that costs more as a whole, where the code of one of its callers alone has
/// more calls of it, and none of the others costs more itself.
pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    let is_counted = context.input.counts.is_some_and(|counts| counts.get(&row.name).is_some());
    let is_same = context.is_patched && has_same_code(context, case);
    if !may_be_entered_more(context, case) || !is_same || is_counted || !costs_more_as_a_whole(context, case)
    {
        return None;
    }
    let unseen = PerSide::from_fn(|side| context.orphaned_pct(case, side));
    let grown_pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let unseen_pp = shift.own_change_pp(unseen.before, unseen.after);
    if unseen_pp < FLOOR_PP.max(EXPLAINING_PART * grown_pp) {
        return None;
    }
    let has_more = |caller: &Caller<'_, '_>| {
        caller.more_calls > 0 && has_changed(context, flipped, caller.case, Side::After)
    };
    let callers = callers_of(context, &[case], Side::After);
    let (more, others): (Vec<Caller<'_, '_>>, Vec<Caller<'_, '_>>) = callers.into_iter().partition(has_more);
    let [Caller { case: caller, .. }] = more.as_slice() else { return None };
    if caller.held_by(Side::Before) != InBuild::Yes {
        return None;
    }
    // Where too few samples before tell, one that runs now may be why.
    let costs_more = |other: &Caller<'_, '_>| match own_times(context, other.case) {
        Some(times) => times >= MORE_WITH_CALLS,
        None => other.case.row.booked.samples(Side::After) >= MIN_SAMPLES,
    };
    // It runs where the stacks have what it is said to call.
    let (_, shown) = growing_call(context, row)?;
    let calls = context.calls_from(shown.row, Side::After).into_iter();
    let runs_there =
        calls.filter_map(|call| context.callee(call)).any(|callee| std::ptr::eq(callee.row, caller.row));
    if others.iter().any(costs_more) || !runs_there {
        return None;
    }
    let calls = PerSide::from_fn(|side| calls_in_code(context, caller, case, side));
    let name = caller.row.name.to_string();
    let reason = Reason::UnseenCalls { caller: name.clone(), calls, grown_pp };
    let mut finding = Finding::new("R-edge", Cause::MoreCalls, Judged::Total, reason);
    finding.callers = vec![name];
    let finding = finding.limited(Confidence::Likely, Limit::PathNotCounted);
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}
