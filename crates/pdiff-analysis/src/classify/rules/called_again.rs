//! Whether a function is called again right after a call of it: by the code of both builds, and the samples under each call.

use pdiff_profile::{PerSide, Side};

use super::called_as_often::own_times_at_most;
use super::checks::asks_and_calls_the_same;
use super::code_counts::{FEW_SAMPLES, every_call_times, is_called_more, more_calls_in_a_row};
use super::path_proof::{OTHER_TIMES, grew_elsewhere};
use super::weight::has_same_code;
use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::compare::SampledCall;

/// The calls that were there before must have this part of what they had: else the work of one may only be done by two.
const KEPT_PART: f64 = 0.8;

/// Of code that differs, they cost at most so many times as much: else a call costs more.
const KEPT_COST: f64 = 1.3;

/// Calls of the same code that have at most so many times as many samples are made as often.
const AS_BEFORE: f64 = 1.1;

/// The new calls must have this part of what is more.
const EXPLAINING_PART: f64 = 0.5;

/// How much of what a callee costs more, on a log scale, its caller may explain by running more.
const OF_CALLER: f64 = 0.5;

/// The proof, if there is one: what [`called_again`] says, where the callee does not cost more under other callers, and a call costs as before
/// or the callee's code shows that it is called more.
pub(super) fn proof_of_call_again(
    context: &Context<'_>,
    caller: &Case<'_>,
    call: &SampledCall,
) -> Option<Fact> {
    let callee = context.callee(call)?;
    if grew_elsewhere(context, caller, call, callee) {
        return None;
    }
    let CalledAgain { samples, times, costs_as_before } = called_again(context, caller, callee)?;
    // The new call may be made instead of the old one, and both cost more: then what every call runs has not grown.
    let may_be_called_more =
        || every_call_times(context, callee, f64::sqrt).is_none_or(|every| every >= times.sqrt());
    let is_more = is_called_more(context, callee) || (costs_as_before && may_be_called_more());
    if !is_more {
        return None;
    }
    let (caller, callee) = (caller.row.name.to_string(), callee.row.name.to_string());
    Some(Fact::CalledAgain { caller, callee, samples })
}

/// What a function has under the calls of a caller that calls it again.
pub(super) struct CalledAgain {
    /// The samples under each call that is made, most first.
    samples: PerSide<Vec<u64>>,
    /// How many times as many there are.
    times: f64,
    /// Whether the calls that were there cost as before: then other data are not why there is more.
    costs_as_before: bool,
}

/// The samples under each call of a function that a caller makes, if it calls the function again right after a call, which it
/// did not: the caller does not run more, and calls that were there are made as before, and new ones, too. If the function's code differs,
/// a call costs no more.
pub(super) fn called_again(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
) -> Option<CalledAgain> {
    let is_same = || {
        has_same_code(context, callee)
            || context.has_like_code(callee)
            || asks_and_calls_the_same(context, callee)
    };
    let (more, samples) = more_calls_in_a_row(context, caller, callee).filter(|_| context.is_patched)?;
    // Those with most samples are the calls that were there.
    let PerSide { before, after } = samples.map(|samples| {
        let mut made: Vec<u64> = samples.into_iter().filter(|samples| *samples >= FEW_SAMPLES).collect();
        made.sort_unstable_by(|a, b| b.cmp(a));
        made
    });
    let sum = |samples: &[u64]| samples.iter().sum::<u64>() as f64;
    let all_of = |side: Side| callee.row.total.samples(side) as f64 / callee.row.side(side).total_pct;
    let expected = sum(&before) * context.common_shift.factor() * all_of(Side::After) / all_of(Side::Before);
    let (kept, new) = after.split_at_checked(before.len())?;
    let times = sum(&after) / expected;
    let costs_as_before = sum(kept) <= KEPT_COST * expected;
    let is_told = !before.is_empty()
        && new.len() >= more
        && (costs_as_before || is_same())
        && sum(kept) >= KEPT_PART * expected
        && sum(new) >= EXPLAINING_PART * (sum(&after) - expected);
    // A caller that ran more would have more under the calls that were there.
    let kept = sum(kept);
    let is_kept = || kept <= AS_BEFORE * expected && is_same();
    let runs_as_before = || {
        own_times_at_most(context, caller)
            .is_some_and(|own| own <= times.powf(OF_CALLER) || (own <= OTHER_TIMES && is_kept()))
    };
    let samples = PerSide::new(before, after);
    (is_told && times > 1.0 && runs_as_before()).then_some(CalledAgain { samples, times, costs_as_before })
}
