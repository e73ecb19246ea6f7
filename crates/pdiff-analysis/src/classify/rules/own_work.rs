//! `R-fast-path` and `R-succession` for a function that leaves to another what its own code did: a loop of its own for the usual case is
//! gone, and its code now calls the general function, which it did not. If both together cost more, a fast path is lost; else the work only
//! moved.
//!
//! Neither function tells this alone: one is lighter by what it did itself, and the other heavier by what it is asked for.

use pdiff_profile::{PerSide, Side};

use super::asked_as_before::asked_as_before;
use super::code_counts::{
    calls_in_code, code_bytes, conditions_beyond, copies_in_code, has_loop, is_called_more,
};
use super::entered::{by_both, came_from_elsewhere, entered_evidence};
use super::fast_path::{count_evidence, counted, has_grown};
use super::newly_active::FACTOR;
use super::path_proof::grew_elsewhere;
use super::per_operation;
use super::weight::has_same_code;
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

/// What a function did itself is gone if it keeps at most this part of it.
const LEFT_PART: f64 = 0.5;

/// The called function must have this part of what is gone: else it does something else.
const TAKEN_PART: f64 = 0.5;

/// What else changed below the function is at most this part of what it costs more.
const OTHER_PART: f64 = 0.5;

/// How much of what a function costs more, on a log scale, its callers may explain by being called more.
const OF_CALLERS: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    let bytes = code_bytes(context, case);
    let differs = context.builds.same_code(&case.ids) == Some(false) && !context.is_relaid(case);
    let is_own = case.of_program && !is_library(case) && bytes.before > 0 && bytes.after > 0;
    if !context.is_patched || !differs || !is_own || !by_both(context, case) {
        return None;
    }
    let (before, after) = Judged::Booked.shares(row);
    let own_pp = shift.own_change_pp(before, after);
    let is_less = Judged::Booked.is_significant(row) && after <= LEFT_PART * shift.factor() * before;
    if !is_less || own_pp > -FLOOR_PP {
        return None;
    }
    let (call, pct) = taker(context, case, -own_pp)?;
    let net_pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let called_pp = shift.own_change_pp(pct.before, pct.after);
    let other_pp = (net_pp - own_pp - called_pp).abs();
    let is_more = net_pp >= FLOOR_PP && net_pp > Judged::Total.half_width_pp(row);
    let reason = Reason::OwnWorkCalled { callee: call.callee.clone(), own_pp, called_pct: pct.after, net_pp };
    let fact = entered_evidence(context, case, call, pct.after);
    let finding = match is_more {
        true if other_pp <= OTHER_PART * net_pp => {
            let finding = Finding::new("R-fast-path", Cause::MissingFastPath, Judged::Total, reason);
            proved(finding.with([fact]), context, case, call)
        }
        false if other_pp <= OTHER_PART * -own_pp && !per_operation::is_told(Judged::Total, row) => {
            let finding = Finding::new("R-succession", Cause::Moved, Judged::Booked, reason);
            finding.with([fact]).limited(Confidence::Likely, Limit::PathNotCounted)
        }
        _ => return None,
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
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
            && context.has_like_code(callee);
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

/// The finding with its proof, or as likely.
fn proved(finding: Finding, context: &Context<'_>, case: &Case<'_>, call: &SampledCall) -> Finding {
    let is_sure = per_operation::has_grown(case.row);
    if is_sure && counted(context, case.row, call) == Some(true) {
        return finding.with(count_evidence(context, case.row, call)).with(context.counted_by());
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
    let is_same = has_same_code(context, callee) || context.has_like_code(callee);
    if !is_less || !is_same || grew_elsewhere(context, case, call, callee) || !is_called_more(context, callee)
    {
        return None;
    }
    let row = case.row;
    let times = row.after.total_pct / (context.common_shift.factor() * row.before.total_pct);
    let callers = asked_as_before(context, case, times.powf(OF_CALLERS))?;
    let (caller, callee) = (case.row.name.to_string(), callee.row.name.to_string());
    Some(Fact::OwnWorkGone { caller, callee, bytes, callers })
}
