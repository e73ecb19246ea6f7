//! Whether a function that was inlined is called as often as its copies ran: at no more places, by callers whose own code costs as before
//! and asks what it asked.

use pdiff_profile::{PerSide, Side};

use super::called_as_often::{own_lines_at_most, own_times_at_most};
use super::checks::keeps_its_checks;
use super::code_counts::{calls_in_code, copies_in_code};
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::compare::SampledCall;

/// The part of a function's weight that must be under such callers.
const MOST_OF_CALLERS: f64 = 0.8;

/// A caller whose own code costs at most so many times as much, by a standard error, runs as before.
const MOST_TIMES: f64 = 1.3;

/// The callers that have most of a function's weight after, if the before build has as many copies of it in each as the after build has
/// calls and copies, or more, and their own code costs no more than before and lost no check. Of builds that are further apart, equal
/// numbers may be of other calls.
pub(super) fn called_as_copied(context: &Context<'_>, case: &Case<'_>) -> Option<Vec<String>> {
    let row = case.row;
    let is_such = |caller: &Case<'_>| {
        let copies = PerSide::from_fn(|side| copies_in_code(context, caller, case, side));
        let calls = calls_in_code(context, caller, case, Side::After);
        calls > 0
            && calls + copies.after <= copies.before
            && keeps_its_checks(context, caller, &[case])
            && own_times_at_most(context, caller).is_some_and(|times| times <= MOST_TIMES)
            && own_lines_at_most(context, caller).is_none_or(|times| times <= MOST_TIMES)
    };
    let such = |call: &SampledCall| {
        let caller = context.caller(call).filter(|caller| is_such(caller))?;
        Some((caller.row.name.to_string(), share_pct(row, Side::After, call.after)))
    };
    let calls = context.calls_to(row, Side::After);
    let (callers, pct): (Vec<String>, Vec<f64>) = calls.into_iter().filter_map(such).unzip();
    let is_most = pct.iter().sum::<f64>() >= MOST_OF_CALLERS * row.after.total_pct;
    (context.is_patched && is_most).then_some(callers)
}
