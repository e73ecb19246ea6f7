//! Whether both runs entered a function, as far as samples tell.
//!
//! A function that returned early was cheap, and has few samples however often it was called. A few samples are enough if
//! its caller was sampled well and has the same code in both builds, because then the caller calls it as before.

use pdiff_profile::Side;

use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::noise::MIN_SAMPLES;

pub(super) fn by_both(context: &Context<'_>, case: &Case<'_>) -> bool {
    let is_well_sampled = |case: &Case<'_>, side: Side| case.row.total.samples(side) >= MIN_SAMPLES;
    if Side::BOTH.iter().all(|side| is_well_sampled(case, *side)) {
        return true;
    }
    let is_seen = Side::BOTH.iter().all(|side| case.is_sampled(*side)) && is_well_sampled(case, Side::After);
    is_seen
        && context.calls_to(case.row, Side::After).first().is_some_and(|call| {
            context.caller(call).is_some_and(|caller| {
                let is_same = context.builds.same_code(&caller.ids) == Some(true);
                is_same && Side::BOTH.iter().all(|side| is_well_sampled(caller, *side))
            })
        })
}
