//! `R-fast-path` and `R-succession` for a function that leaves to another what its own code did: a loop of its own for the usual case is
//! gone, and its code now calls the general function, which it did not. If both together cost more, a fast path is lost; else the work only
//! moved. `R-quick-way` and `R-succession` for the reverse: it does itself what it called another function for, perhaps one of a library.
//!
//! Neither function tells this alone: one is lighter by what it did itself, and the other heavier by what it is asked for.

use pdiff_profile::{PerSide, Side};

use super::asked_as_before::asked_as_before;
use super::checks::conditions_beyond;
use super::code_counts::{calls_in_code, code_bytes, copies_in_code, has_loop, is_called_more};
use super::done_elsewhere::is_done_elsewhere;
use super::entered::{by_both, came_from_elsewhere, entered_evidence};
use super::fast_path::{count_evidence, counted, has_grown};
use super::newly_active::FACTOR;
use super::path_proof::{grew_elsewhere, is_same_callee};
use super::per_operation;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::compare::SampledCall;
use crate::noise::FLOOR_PP;

/// What a function did itself is gone, in part, if it keeps at most this part of it.
const LEFT_PART: f64 = 0.8;

/// A function that does itself what it called another for costs itself so many times as much.
const MORE_ITSELF: f64 = 2.0;

/// The called function must have this part of what is gone: else it does something else.
const TAKEN_PART: f64 = 0.5;

/// What else changed below the function is at most this part of what it costs more.
const OTHER_PART: f64 = 0.5;

/// How much of what a function costs more, on a log scale, its callers may explain by being called more.
const OF_CALLERS: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    if !may_have_left_work(context, case) {
        return None;
    }
    let (before, after) = Judged::Booked.shares(row);
    let own_pp = shift.own_change_pp(before, after);
    let is_less = Judged::Booked.is_significant(row) && after <= LEFT_PART * shift.factor() * before;
    if !is_less || own_pp > -FLOOR_PP {
        return None;
    }
    let (call, pct) = taker(context, case, -own_pp)?;
    let net = net(context, case, own_pp, pct)?;
    let callee = call.callee.clone();
    let reason = Reason::OwnWorkCalled { callee, own_pp, called_pct: pct.after, net_pp: net.pp };
    let fact = entered_evidence(context, case, call, pct.after);
    let finding = if net.is_more {
        let finding = Finding::new("R-fast-path", Cause::MissingFastPath, Judged::Total, reason);
        proved(finding.with([fact]), context, case, call)
    } else {
        let finding = Finding::new("R-succession", Cause::Moved, Judged::Booked, reason);
        finding.with([fact]).limited(Confidence::Likely, Limit::PathNotCounted)
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// The same of a function that does itself what it called another one for, and calls that no more.
pub(super) fn instead(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    if !may_have_left_work(context, case) {
        return None;
    }
    let (before, after) = Judged::Booked.shares(row);
    let own_pp = shift.own_change_pp(before, after);
    let is_more = Judged::Booked.is_significant(row) && after >= MORE_ITSELF * shift.factor() * before;
    if !is_more || own_pp < FLOOR_PP {
        return None;
    }
    let (call, pct) = giver(context, case, own_pp)?;
    if is_done_elsewhere(context, case, pct.before) {
        return None;
    }
    let net = net(context, case, own_pp, pct)?;
    // Code that grew may be the other function's, which costs more there for another reason. Of the program's own functions, others may go
    // on to call it (`quick_way`).
    let bytes = code_bytes(context, case);
    let is_of_library = context.callee(call).is_some_and(Case::is_of_library);
    if net.is_more && (bytes.after > bytes.before || !is_of_library) {
        return None;
    }
    let callee = call.callee.clone();
    let reason = Reason::DoesItself { callee, own_pp, called_pct: pct.before, net_pp: net.pp };
    let (rule_id, cause, judged) = match net.is_more {
        true => ("R-quick-way", Cause::MissingFastPath, Judged::Total),
        false => ("R-succession", Cause::Moved, Judged::Booked),
    };
    let finding = Finding::new(rule_id, cause, judged, reason);
    let finding = finding.limited(Confidence::Likely, Limit::PathNotCounted);
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether a function has code of its own that differs, in builds a patch apart, and both runs entered it.
fn may_have_left_work(context: &Context<'_>, case: &Case<'_>) -> bool {
    if !context.is_patched {
        return false;
    }
    let bytes = code_bytes(context, case);
    let differs = context.builds.same_code(&case.ids) == Some(false) && !context.is_relaid(case);
    let is_own = case.of_program && !is_library(case) && bytes.before > 0 && bytes.after > 0;
    differs && is_own && by_both(context, case)
}

/// What a function costs more as a whole, in points.
struct Net {
    pp: f64,
    /// Beyond its 95 % interval; else it is within noise.
    is_more: bool,
}

/// What a function costs more whose own code changed by `own_pp`, and a callee of which has these shares there; `None` if something else
/// below it changed, too, or if it costs less.
fn net(context: &Context<'_>, case: &Case<'_>, own_pp: f64, callee_pct: PerSide<f64>) -> Option<Net> {
    let (row, shift) = (case.row, context.common_shift);
    let pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let called_pp = shift.own_change_pp(callee_pct.before, callee_pct.after);
    let other_pp = (pp - own_pp - called_pp).abs();
    let is_more = pp >= FLOOR_PP && pp > Judged::Total.half_width_pp(row);
    let is_known = match is_more {
        true => other_pp <= OTHER_PART * pp,
        false => other_pp <= OTHER_PART * own_pp.abs() && !per_operation::is_told(Judged::Total, row),
    };
    is_known.then_some(Net { pp, is_more })
}

/// Whether a function leaves to another one what its own code did.
pub(super) fn leaves_it_to(context: &Context<'_>, case: &Case<'_>, callee: &str) -> bool {
    let finding = rule(context, case);
    finding
        .is_some_and(|of| matches!(of.reason, Reason::OwnWorkCalled { callee: named, .. } if named == callee))
}

/// The call of a function that both builds have, that the code of `case` has after and had not before, and that has a good part of what
/// `case` did itself: with its shares there.
fn taker<'a>(
    context: &Context<'a>,
    case: &Case<'_>,
    gone_pp: f64,
) -> Option<(&'a SampledCall, PerSide<f64>)> {
    let is_new_in_code = |callee: &Case<'_>| {
        let calls = PerSide::from_fn(|side| calls_in_code(context, case, callee, side));
        let is_copied = Side::BOTH.into_iter().any(|side| copies_in_code(context, case, callee, side) > 0);
        calls.before == 0 && calls.after > 0 && !is_copied
    };
    context.calls_from(case.row, Side::After).into_iter().find_map(|call| {
        let callee = context.callee(call)?;
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let is_general = callee.held_by(Side::Before) == InBuild::Yes
            && callee.other_name.is_none()
            && callee.row.object == case.row.object
            && !callee.is_stub()
            && is_same_callee(context, callee)
            && counted(context, case, call) != Some(false);
        let is_entered = pct.after >= FLOOR_PP && pct.after >= FACTOR * pct.before;
        let takes = is_entered
            && pct.after >= TAKEN_PART * gone_pp
            && is_general
            && is_new_in_code(callee)
            && has_grown(context, call, pct.after)
            && !came_from_elsewhere(context, case, call, pct.after);
        takes.then_some((call, pct))
    })
}

/// The call of a function that the code of `case` had before and has no more, and that had a good part of what `case` now does itself: with
/// its shares there.
fn giver<'a>(
    context: &Context<'a>,
    case: &Case<'_>,
    more_pp: f64,
) -> Option<(&'a SampledCall, PerSide<f64>)> {
    context.calls_from(case.row, Side::Before).into_iter().find_map(|call| {
        let callee = context.callee(call)?;
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let calls = PerSide::from_fn(|side| calls_in_code(context, case, callee, side));
        let is_copied = Side::BOTH.into_iter().any(|side| copies_in_code(context, case, callee, side) > 0);
        let is_old = callee.is_of_library() || callee.held_by(Side::After) == InBuild::Yes;
        let has_left = pct.before >= FLOOR_PP && pct.before >= FACTOR * pct.after;
        let gave = has_left
            && context.common_shift.factor() * pct.before >= TAKEN_PART * more_pp
            && calls.before > 0
            && calls.after == 0
            && !is_copied
            && is_old
            && callee.other_name.is_none()
            && !callee.is_stub();
        gave.then_some((call, pct))
    })
}

/// The finding with its proof, or as likely.
fn proved(finding: Finding, context: &Context<'_>, case: &Case<'_>, call: &SampledCall) -> Finding {
    let is_sure = per_operation::has_grown(case.row);
    if is_sure && counted(context, case, call) == Some(true) {
        return finding.with(count_evidence(context, case, call)).with(context.counted_by());
    }
    match proof(context, case, call).filter(|_| is_sure) {
        Some(fact) => finding.with([fact]),
        None => finding.limited(Confidence::Likely, Limit::PathNotCounted),
    }
}

/// Proof by the code of both builds and by the samples of its callers: a function has less code, which asks nothing new, and is called as
/// before; what it calls now is the same code as before, and is called more.
fn proof(context: &Context<'_>, case: &Case<'_>, call: &SampledCall) -> Option<Fact> {
    let callee = context.callee(call)?;
    let bytes = code_bytes(context, case);
    let of_loop = PerSide::from_fn(|side| has_loop(context, case, side));
    let has_no_new_loop = of_loop.before.zip(of_loop.after).is_some_and(|(before, after)| before || !after);
    let asks_nothing_new = conditions_beyond(context, case, Side::After)?.is_empty();
    let is_less = bytes.after < bytes.before && has_no_new_loop && asks_nothing_new;
    if !is_less || grew_elsewhere(context, case, call, callee) || !is_called_more(context, callee) {
        return None;
    }
    let row = case.row;
    let times = row.after.total_pct / (context.common_shift.factor() * row.before.total_pct);
    let callers = asked_as_before(context, case, times.powf(OF_CALLERS))?;
    let (caller, callee) = (case.row.name.to_string(), callee.row.name.to_string());
    Some(Fact::OwnWorkGone { caller, callee, bytes, callers })
}
