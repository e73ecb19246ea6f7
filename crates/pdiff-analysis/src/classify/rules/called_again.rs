//! Proof that a function is called again right after a call of it: by the code of both builds, and the samples under each call.

use pdiff_profile::PerSide;

use super::called_as_often::own_times_at_most;
use super::code_counts::{FEW_SAMPLES, is_called_more, more_calls_in_a_row};
use super::path_proof::grew_elsewhere;
use super::weight::has_same_code;
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::compare::SampledCall;

/// The calls that were there before must have this part of what they had: else the work of one may only be done by two.
const KEPT_PART: f64 = 0.8;

/// The new calls must have this part of what is more.
const EXPLAINING_PART: f64 = 0.5;

/// How much of what a callee costs more, on a log scale, its caller may explain by running more.
const OF_CALLER: f64 = 0.5;

/// The proof, if there is one: the callee's code is the same and it is called more, the caller does not run more, and the samples under the
/// calls in its code say that those that were there are made as before, and new ones, too.
pub(super) fn proof_of_call_again(
    context: &Context<'_>,
    caller: &Case<'_>,
    call: &SampledCall,
) -> Option<Fact> {
    let callee = context.callee(call).filter(|_| context.is_patched)?;
    let is_same = has_same_code(context, callee) || context.has_like_code(callee);
    if !is_same || grew_elsewhere(context, caller, call, callee) || !is_called_more(context, callee) {
        return None;
    }
    let pct = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    let times = pct.after / (context.common_shift.factor() * pct.before);
    let own = own_times_at_most(context, caller)?;
    let (more, samples) = more_calls_in_a_row(context, caller, callee)?;
    let PerSide { before, after } = samples.map(|samples| {
        let mut samples = samples;
        samples.sort_unstable_by(|a, b| b.cmp(a));
        samples
    });
    // Those with most samples are the calls that were there.
    let were_made = before.iter().filter(|samples| **samples >= FEW_SAMPLES).count();
    let all = after.iter().sum::<u64>() as f64;
    let expected = all / times;
    let kept = after.iter().take(were_made).sum::<u64>() as f64;
    let new: Vec<u64> =
        after.iter().skip(were_made).copied().filter(|samples| *samples >= FEW_SAMPLES).collect();
    let is_told = were_made > 0
        && new.len() >= more
        && kept >= KEPT_PART * expected
        && new.iter().sum::<u64>() as f64 >= EXPLAINING_PART * (all - expected);
    let is_sure = times > 1.0 && own <= times.powf(OF_CALLER) && is_told;
    let made = |samples: Vec<u64>| samples.into_iter().filter(|samples| *samples >= FEW_SAMPLES).collect();
    let (caller, callee) = (caller.row.name.to_string(), callee.row.name.to_string());
    is_sure.then(|| Fact::CalledAgain { caller, callee, samples: PerSide::new(made(before), made(after)) })
}
