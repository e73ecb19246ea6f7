//! `R-edge`: a function that a caller now also calls, where the before run's did not: the caller's code differs, and most of
//! the function's growth is under that caller.
//!
//! The caller itself may have nine tenths of the program under it, so its own measures do not show the call. The verdict is
//! then on the function that is entered, and names the caller. A function that the before run did not enter at all is left
//! to [`super::newly_active`], because a setting or the data may have chosen the path, unless the builds are a patch apart.

use pdiff_profile::Side;

use super::entered;
use super::fast_path::{count_evidence, counted, entered_evidence, only_entered};
use super::new_code::is_library;
use super::newly_active::lost_pp;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::noise::FLOOR_PP;

/// The part of the function's growth that must be under the caller.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    // Of builds that are a patch apart the caller's code tells why, even of what the before run did not enter at all.
    let is_old = (case.is_sampled(Side::Before)
        || (context.is_patched && gates::is_held(case, Side::Before)))
        && case.other_name.is_none();
    let is_grown = row.total.significant && row.delta_total_pp() > 0.0;
    if !case.of_program
        || case.is_stub()
        || !is_old
        || !is_grown
        || is_library(case)
        || !context.gates(case).is_empty()
    {
        return None;
    }
    let grown_pp = context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let call = context.calls_to(row, Side::After).into_iter().next()?;
    let caller = context.caller(call).filter(|caller| has_other_code(context, caller))?;
    let entered = only_entered(context, caller, flipped, Side::After);
    let (call, pct) = entered.iter().find(|(call, _)| call.callee == row.name)?;
    let left: f64 = only_entered(context, caller, flipped, Side::Before).iter().map(|(_, pct)| pct).sum();
    let explains = *pct >= FLOOR_PP.max(EXPLAINING_PART * grown_pp) && left <= EXPLAINING_PART * pct;
    if !explains || grown_pp < EXPLAINING_PART * pct || !may_cost_more(context, caller, *pct) {
        return None;
    }
    // What it calls may have was under it before, too, in chains that lost it.
    let of_callee = |callee: &Case<'_>| match context.jumps_to(case, callee, Side::Before) {
        true => context.left_callers_pp(case, callee, Side::Before),
        false => context.lost_from(case, callee, Side::Before),
    };
    if lost_pp(context, case, Side::Before, of_callee) >= EXPLAINING_PART * grown_pp {
        return None;
    }
    let reason = Reason::NewEdge { caller: caller.row.name.clone(), after_pct: *pct };
    let fact = entered_evidence(context, caller, call, *pct);
    let mut finding = Finding::new("R-edge", Cause::MissingFastPath, Judged::Total, reason).with([fact]);
    finding.callers = vec![caller.row.name.clone()];
    let finding = match counted(context, caller.row, call) {
        Some(true) => finding.with(count_evidence(context, caller.row, call)).with(context.counted_by()),
        Some(false) => return None,
        None => finding.limited(Confidence::Likely, Limit::PathNotCounted),
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// A caller of the program that both runs entered, and whose code changed.
fn has_other_code(context: &Context<'_>, caller: &Case<'_>) -> bool {
    let is_other = context.builds.same_code(&caller.ids) == Some(false);
    caller.of_program
        && !caller.row.unresolved
        && !is_library(caller)
        && is_other
        && entered::by_both(context, caller)
}

/// Whether the caller's total grew by a good part of what it now also calls, as far as is known.
fn may_cost_more(context: &Context<'_>, caller: &Case<'_>, pct: f64) -> bool {
    let row = caller.row;
    let grown_pp = context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let unsure_pp = Judged::Total
        .half_width_pp(row)
        .hypot(context.common_shift_error() * context.common_shift.factor() * row.before.total_pct);
    grown_pp + unsure_pp >= EXPLAINING_PART * pct
}
