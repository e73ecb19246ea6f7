//! Whether what a function costs more says that it is called more: its own code, and most of what it calls.

use pdiff_profile::{PerSide, Side};

use super::called_as_often::own_times;
use super::code_counts::code_bytes;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::compare::SampledCall;
use crate::noise::{FLOOR_PP, MIN_SAMPLES};

/// Own code that costs this many times as much is called more, whatever it calls: no place in memory makes code that slow.
pub(super) const MANY_TIMES: f64 = 3.0;

/// The length of a few instructions.
const FEW_BYTES: u64 = 32;

/// A caller whose code has more calls of a function explains that it costs so many times as much.
pub(super) const MORE_WITH_CALLS: f64 = 1.3;

/// The part of a cost, or of a growth, that explains it.
const EXPLAINING_PART: f64 = 0.5;

/// Whether a function that has code of its own in both builds has at most a few instructions more in one.
pub(super) fn has_about_as_much_code(context: &Context<'_>, case: &Case<'_>) -> bool {
    let bytes = code_bytes(context, case);
    let (less, more) = (bytes.before.min(bytes.after), bytes.before.max(bytes.after));
    less > 0 && more <= less + FEW_BYTES
}

/// Whether a function's own code costs so many times as much that it must be called more, and how many times that is at least.
pub(super) fn many_times(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let samples = case.row.booked.samples(Side::Before) as f64;
    // The before run may have had two standard errors more.
    let at_least = own_times(context, case)? / (1.0 + 2.0 / samples.sqrt());
    (case.row.booked.significant && at_least >= MANY_TIMES).then_some(at_least)
}

/// Whether a function's own code costs more, and most of what it calls too: calls of the same code cost that. Growth of one callee
/// says nothing about how often the function is called.
pub(super) fn costs_more_as_a_whole(context: &Context<'_>, case: &Case<'_>) -> bool {
    let (row, factor) = (case.row, context.common_shift.factor());
    let is_more = |before: f64, after: f64| after >= MORE_WITH_CALLS * factor * before;
    let is_sampled = row.booked.samples(Side::After) >= MIN_SAMPLES;
    let (before, after) = (row.before.booked_self_pct, row.after.booked_self_pct);
    if !is_sampled || !is_more(before, after) {
        return false;
    }
    if many_times(context, case).is_some() {
        return true;
    }
    let (mut all, mut grown) = (0.0, 0.0);
    let mut most = PerSide::default();
    for call in context.calls_from(row, Side::Before) {
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        all += pct.before;
        grown += if is_more(pct.before, pct.after) { pct.before } else { 0.0 };
        most = if pct.after - pct.before > most.after - most.before { pct } else { most };
    }
    // What is beside the callee that grew most costs more, too, or is too little to tell.
    let beside = PerSide::from_fn(|side| row.side(side).total_pct - most[side]);
    let is_more_beside = factor * beside.before < FLOOR_PP || is_more(beside.before, beside.after);
    factor * all < FLOOR_PP || (grown >= EXPLAINING_PART * all && is_more_beside)
}

/// Whether most of what a function costs is one function that it calls, whose code is the same, and which costs more as a whole.
pub(super) fn leads_to_what_costs_more(context: &Context<'_>, case: &Case<'_>) -> bool {
    let total = case.row.after.total_pct;
    let is_most =
        |call: &&SampledCall| share_pct(case.row, Side::After, call.after) >= EXPLAINING_PART * total;
    let calls = context.calls_from(case.row, Side::After).into_iter();
    calls.filter(is_most).filter_map(|call| context.callee(call)).any(|callee| {
        callee.of_program
            && context.builds.same_code(&callee.ids) == Some(true)
            && costs_more_as_a_whole(context, callee)
    })
}

/// Whether a function that most of its calls come to from elsewhere costs more itself, by its own code's part of what it costs more under
/// one caller, where it has these shares.
pub(super) fn costs_more_by_calls(context: &Context<'_>, case: &Case<'_>, under: PerSide<f64>) -> bool {
    let (row, shift) = (case.row, context.common_shift);
    let own_pp = shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct);
    let part = row.after.booked_self_pct / row.after.total_pct;
    let expected_pp = part * shift.own_change_pp(under.before, under.after);
    let is_sure = row.booked.significant && !shift.explains(row, Judged::Booked);
    let is_mainly_elsewhere = under.before < EXPLAINING_PART * row.before.total_pct;
    is_mainly_elsewhere && is_sure && own_pp >= FLOOR_PP.max(EXPLAINING_PART * expected_pp)
}
