//! Functions that are called as often as before, by what their own code costs: what they cost more is what they call.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{InBuild, Judged};
use crate::classify::context::Context;
use crate::compare::SampledCall;
use crate::noise::{FLOOR_PP, MIN_SAMPLES};

use super::code_counts::copies_in_code;
use super::newly_active::FACTOR;

/// So many samples of its own code tell that it costs no more.
const FEW_SAMPLES: u64 = 10;

/// Own code that costs less than so many times as much is not called more.
const MORE: f64 = 1.3;

/// The part of what a function costs after under a caller that must be explained by how much more it costs under others.
const EXPLAINING_PART: f64 = 0.5;

/// A function with at most this part of its cost in its own code costs what its callees cost.
const THIN: f64 = 0.05;

/// So few samples before still tell that there are many times as many.
const FEWEST_SAMPLES: u64 = 5;

/// How many calls below a callee are looked at for code that changed.
const DEEPEST: usize = 4;

/// Whether a function's own code was sampled before and costs no more. The copies of one that runs only inlined are its code.
pub(super) fn runs_as_often(context: &Context<'_>, case: &Case<'_>) -> bool {
    let row = case.row;
    let factor = context.common_shift.factor();
    row.before.samples >= FEW_SAMPLES && row.after.self_pct < MORE * factor * row.before.self_pct
}

/// Whether a callee that was entered from a function before too does more inside: its own code costs no more, or is next to nothing
/// of it, and it costs more under its other callers, too, by enough to explain half of what it costs here.
pub(super) fn does_more_inside(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> bool {
    let tells = |callee: &&Case<'_>| runs_as_often(context, callee) || is_thin(callee);
    let Some(callee) = context.callee(call).filter(tells) else { return false };
    let row = callee.row;
    let here = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    let (before, after) = (row.before.total_pct - here.before, row.after.total_pct - here.after);
    let samples = here.before / row.before.total_pct * row.total.samples(Side::Before) as f64;
    let at_most = here.before * most_samples(samples) / samples.max(1.0);
    // What it hardly has elsewhere says nothing, unless its own code does.
    let is_known = before >= FLOOR_PP || runs_as_often(context, callee);
    let is_everywhere = before < FLOOR_PP || EXPLAINING_PART * here.after * before <= at_most * after;
    here.before > 0.0 && is_known && is_everywhere
}

/// Whether what a callee costs more under a caller may be the cost of code that changed, its own or what it calls mainly, or of new
/// code that it calls: the before run entered it from there too, and it grew as much under its other callers, if it has others.
pub(super) fn costs_more_itself(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> bool {
    costs_more_at_depth(context, caller, call, DEEPEST)
}

fn costs_more_at_depth(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall, depth: usize) -> bool {
    let Some(callee) = context.callee(call) else { return false };
    if depth < DEEPEST && callee.held_by(Side::Before) == InBuild::No {
        return true;
    }
    let (row, shift) = (callee.row, context.common_shift);
    let here = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    let samples = here.before / row.before.total_pct * row.total.samples(Side::Before) as f64;
    let (before, after) = (row.before.total_pct - here.before, row.after.total_pct - here.after);
    let is_elsewhere = before >= FLOOR_PP && after * here.before < EXPLAINING_PART * before * here.after;
    let copies = PerSide::from_fn(|side| copies_in_code(context, caller, callee, side));
    let is_copied = copies.before > 0 && copies.before == copies.after;
    // A copy of few instructions has few samples, however often it runs: none, where its other copies tell that it costs many times as much.
    let is_hardly_sampled = samples < FEW_SAMPLES as f64 && !is_copied;
    let is_told_elsewhere = || is_copied && before >= FLOOR_PP && after >= FACTOR * shift.factor() * before;
    let is_known = if here.before > 0.0 { !is_elsewhere } else { is_told_elsewhere() };
    if is_hardly_sampled || !is_known {
        return false;
    }
    // Whoever calls code that differs, in more than what it inlines: it may do more in a call.
    if depth == DEEPEST && is_other_code(context, callee) {
        return true;
    }
    let grown_pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let own = [Judged::OwnSelf, Judged::Booked].map(|of| of.shares(row));
    if own.iter().any(|(before, after)| shift.own_change_pp(*before, *after) >= EXPLAINING_PART * grown_pp) {
        // Of code that is copied there in both builds, nothing tells whether it is entered more or does more.
        return is_other_code(context, callee) || is_copied;
    }
    let calls = context.calls_from(row, Side::After).into_iter();
    let grown = calls.map(|call| {
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        (shift.own_change_pp(pct.before, pct.after), call)
    });
    let most = grown.reduce(|most, next| if next.0 > most.0 { next } else { most });
    most.is_some_and(|(pp, call)| {
        depth > 1 && pp >= EXPLAINING_PART * grown_pp && costs_more_at_depth(context, callee, call, depth - 1)
    })
}

fn is_other_code(context: &Context<'_>, case: &Case<'_>) -> bool {
    context.builds.same_code(&case.ids) == Some(false) && !context.has_like_code(case)
}

/// Whether next to nothing of a function's cost is its own code's.
fn is_thin(case: &Case<'_>) -> bool {
    Side::BOTH.into_iter().all(|side| is_thin_on(case, side))
}

/// The same on one side.
pub(super) fn is_thin_on(case: &Case<'_>, side: Side) -> bool {
    let of = case.row.side(side);
    of.self_pct <= THIN * of.total_pct
}

/// How many samples another run of the same may have had, where one had so many: the upper end of the 95 % interval of a count.
pub(super) fn most_samples(samples: f64) -> f64 {
    samples + 2.0 * samples.sqrt() + 2.0
}

/// How many times as much a function's own code costs, without the common factor; `None` if too few samples tell.
pub(super) fn own_times(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let booked = &case.row.booked;
    let is_sampled =
        booked.samples(Side::After) >= MIN_SAMPLES && booked.samples(Side::Before) >= FEWEST_SAMPLES;
    let before = context.common_shift.factor() * case.row.before.booked_self_pct;
    is_sampled.then(|| case.row.after.booked_self_pct / before)
}

/// So many samples of own code before tell how many there would be after.
const LEAST_SAMPLES: u64 = 3;

/// How many times as much a function's own code costs at most, by a standard error, without the common factor; `None` if it had next to
/// no samples before. A function of few instructions has few samples, however often it runs.
pub(super) fn own_times_at_most(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let (row, booked) = (case.row, &case.row.booked);
    let samples = PerSide::from_fn(|side| booked.samples(side));
    times_at_most(context, samples, PerSide::from_fn(|side| row.side(side).booked_self_pct))
}

/// The same of a function's own lines alone, without what is inlined there.
pub(super) fn own_lines_at_most(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let of = PerSide::from_fn(|side| case.row.side(side));
    times_at_most(context, of.map(|of| of.samples), of.map(|of| of.self_pct))
}

fn times_at_most(context: &Context<'_>, samples: PerSide<u64>, pct: PerSide<f64>) -> Option<f64> {
    let one_pct = pct.before / samples.before as f64;
    let after = samples.after as f64;
    let at_most_pct = match samples.after {
        0 => one_pct,
        _ => pct.after * (after + after.sqrt() + 1.0) / after,
    };
    (samples.before >= LEAST_SAMPLES)
        .then_some(at_most_pct / context.common_shift.without(pct.before, Side::Before))
}
