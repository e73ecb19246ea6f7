//! Whether both runs entered a function, and what one entered from where, as far as samples tell.
//!
//! A function that returned early was cheap, and has few samples however often it was called. A few samples are enough if
//! its caller was sampled well and has the same code in both builds, because then the caller calls it as before. They are
//! also enough if its own code costs no more than a few times as much: being called more often would show there.

use pdiff_profile::{PerSide, Side};

use super::newly_active::FACTOR;
use super::weight::{has_same_code, is_relaid};
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::InBuild;
use crate::classify::context::Context;
use crate::classify::fact::{CallInCode, Fact};
use crate::classify::lost_callers::has_call;
use crate::compare::SampledCall;
use crate::noise::MIN_SAMPLES;

/// A function that is called more often costs more itself; one that grew less did not become another one for that.
const MORE_CALLS: f64 = 3.0;

/// So many samples of its own code tell whether it did.
const FEW_SAMPLES: u64 = 10;

/// So many callers in a row may have few samples: all that one of them does may be behind the early return.
const FARTHEST_CALLER: usize = 8;

/// A callee of which so much left its other callers came from them.
const LEFT_PART: f64 = 0.5;

pub(super) fn by_both(context: &Context<'_>, case: &Case<'_>) -> bool {
    let is_well_sampled = |case: &Case<'_>, side: Side| case.row.total.samples(side) >= MIN_SAMPLES;
    if Side::BOTH.iter().all(|side| is_well_sampled(case, *side)) {
        return true;
    }
    let is_seen = Side::BOTH.iter().all(|side| case.is_sampled(*side)) && is_well_sampled(case, Side::After);
    is_seen && (costs_as_before(context, case) || is_called_as_before(context, case, is_well_sampled))
}

/// Whether the function's own code costs so many times as much that it may be called more often.
pub(super) fn more_often(context: &Context<'_>, case: &Case<'_>) -> bool {
    let (before, after) = (case.row.before.self_pct, case.row.after.self_pct);
    case.row.before.samples >= FEW_SAMPLES && after >= FACTOR * context.common_shift.factor() * before
}

/// Whether the function's own code costs at most a few times as much.
fn costs_as_before(context: &Context<'_>, case: &Case<'_>) -> bool {
    let (before, after) = (case.row.before.booked_self_pct, case.row.after.booked_self_pct);
    before > 0.0 && after <= MORE_CALLS * context.common_shift.factor() * before
}

/// Whether the function has the same code, or one that differs only as if a record had grown, and does not run more often. Samples of
/// its own code tell that, or, if it has few of these, what it does beside a call, of which it has so much on each side.
fn runs_as_before(context: &Context<'_>, case: &Case<'_>, call_pct: PerSide<f64>) -> bool {
    let own = (case.row.before.samples, PerSide::from_fn(|side| case.row.side(side).self_pct));
    let total = case.row.total.before_samples;
    let total_pct = PerSide::from_fn(|side| case.row.side(side).total_pct);
    let beside_pct = PerSide::from_fn(|side| total_pct[side] - call_pct[side]);
    let beside = ((total as f64 * beside_pct.before / total_pct.before) as u64, beside_pct);
    let (samples, pct) = if own.0 >= FEW_SAMPLES { own } else { beside };
    // Offsets in a record do not choose a path.
    (has_same_code(context, case) || is_relaid(context, case))
        && samples >= FEW_SAMPLES
        && pct.after <= MORE_CALLS * context.common_shift.factor() * pct.before
}

/// Whether its main caller was sampled well in both runs and has the same code, or has few samples and the same code, and the same is so
/// of that one's caller.
fn is_called_as_before(
    context: &Context<'_>,
    case: &Case<'_>,
    is_well_sampled: impl Fn(&Case<'_>, Side) -> bool,
) -> bool {
    let mut below = case;
    for _ in 0..FARTHEST_CALLER {
        let main = context.calls_to(below.row, Side::After).into_iter().next();
        let caller = main.and_then(|call| context.caller(call));
        let Some(caller) = caller.filter(|caller| has_same_code(context, caller)) else { return false };
        if Side::BOTH.iter().all(|side| is_well_sampled(caller, *side)) {
            return true;
        }
        below = caller;
    }
    false
}

/// What a function has more under callers that did not enter it before, without what it had under callers that no longer do, in
/// percent: what it does there, it may not have been asked for before. A caller that entered it, however little, with code that is the
/// same and runs no more, asks it for the same.
pub(super) fn anew_pp(context: &Context<'_>, case: &Case<'_>) -> f64 {
    // A caller with another name is the same one.
    let mut callers: Vec<(Option<usize>, PerSide<f64>, Option<&Case<'_>>)> = Vec::new();
    for call in context.calls_to(case.row, Side::After) {
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let caller = context.caller(call);
        let known = caller.and_then(|caller| context.row_on(caller, Side::Before));
        match callers.iter_mut().find(|(row, ..)| row.is_some() && *row == known) {
            Some((_, sum, _)) => *sum = PerSide::from_fn(|side| sum[side] + pct[side]),
            None => callers.push((known, pct, caller)),
        }
    }
    let change = |(_, pct, caller): (Option<usize>, PerSide<f64>, Option<&Case<'_>>)| {
        let before = context.common_shift.factor() * pct.before;
        let is_one_sided = pct.after >= FACTOR * before || before >= FACTOR * pct.after;
        let asks_as_before = || caller.is_some_and(|caller| runs_as_before(context, caller, pct));
        if is_one_sided && !(before > 0.0 && asks_as_before()) { pct.after - before } else { 0.0 }
    };
    callers.into_iter().map(change).sum()
}

/// Whether half of a newly entered callee's weight left the callee's other callers: the call moved from one function to another,
/// and the path was taken before.
pub(super) fn came_from_elsewhere(
    context: &Context<'_>,
    case: &Case<'_>,
    call: &SampledCall,
    pct: f64,
) -> bool {
    let left = context.callee(call).map_or(0.0, |callee| context.left_callers_pp(case, callee, Side::Before));
    left >= LEFT_PART * pct
}

/// A callee that was entered, with its share, and whether the code before has the call.
pub(super) fn entered_evidence(
    context: &Context<'_>,
    case: &Case<'_>,
    call: &SampledCall,
    after_pct: f64,
) -> Fact {
    let callee = context.callee(call);
    let before_code = match (context.builds.census(Side::Before), callee) {
        (Some(_), Some(callee)) if callee.held_by(Side::Before) == InBuild::No => CallInCode::NoFunction,
        (Some(census), Some(callee)) => match has_call(census, case, callee, Side::Before) {
            Some(true) => CallInCode::Present,
            Some(false) => CallInCode::Absent,
            None => CallInCode::NotVisible,
        },
        _ => CallInCode::NotVisible,
    };
    Fact::Entered { callee: call.callee.clone(), after_pct, before_code }
}
