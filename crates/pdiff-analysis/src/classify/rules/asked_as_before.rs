//! Whether a function is called as before, by its callers: these have the same code, or call it as before, and cost as much.

use pdiff_profile::Side;

use super::called_as_often::{own_lines_at_most, own_times_at_most};
use super::ways_around::{contains, leads_as_before};
use super::weight::{has_same_code, is_relaid};
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;

/// The part of a function's weight that must be under such callers.
const MOST_OF_CALLERS: f64 = 0.8;

/// The callers that are looked at are at most so many calls up; those between contain the function.
const FARTHEST_CALLER: usize = 3;

/// The callers that have most of a function after, if their code is the same as before, or calls it under the same conditions, and their own
/// code costs at most `most` times as much, with one standard error added. A caller that contains the function differs for that: its own
/// callers count.
pub(super) fn asked_as_before(context: &Context<'_>, case: &Case<'_>, most: f64) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let part = part_as_before(context, (case, case), most, FARTHEST_CALLER, &mut names);
    names.sort_unstable();
    names.dedup();
    (part >= MOST_OF_CALLERS).then_some(names)
}

/// The part of a caller's weight after that is under such callers; the caller is the function itself, or contains it.
fn part_as_before(
    context: &Context<'_>,
    (caller, function): (&Case<'_>, &Case<'_>),
    most: f64,
    depth: usize,
    names: &mut Vec<String>,
) -> f64 {
    let calls = context.calls_to(caller.row, Side::After).into_iter();
    let pct = calls.map(|call| {
        let Some(above) = context.caller(call) else { return 0.0 };
        let pct = share_pct(caller.row, Side::After, call.after);
        let is_same = has_same_code(context, above)
            || is_relaid(context, above)
            || leads_as_before(context, above, caller, function);
        // What runs only inlined has no code of its own, and lines of its own.
        let own = || own_times_at_most(context, above).or_else(|| own_lines_at_most(context, above));
        if is_same && own().is_some_and(|own| own <= most) {
            names.push(above.row.name.to_string());
            pct
        } else if depth > 1 && contains(context, above, function) {
            pct * part_as_before(context, (above, function), most, depth - 1, names)
        } else {
            0.0
        }
    });
    pct.sum::<f64>() / caller.row.after.total_pct
}
