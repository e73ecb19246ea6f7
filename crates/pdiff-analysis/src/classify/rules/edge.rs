//! `R-edge`: a function that a caller now also calls, where the before run's did not, or calls more: the caller's code
//! differs, and most of the function's growth is under that caller.
//!
//! The caller itself may have nine tenths of the program under it, so its own measures do not show the call. The verdict is
//! then on the function that is entered, and names the caller. A function that the before run did not enter at all is left
//! to [`super::newly_active`], because a setting or the data may have chosen the path, unless the builds are a patch apart.
//! A function that was entered before too must be the same code in builds a patch apart (or nearly, with more calls in the caller's
//! code), and must have grown under this caller more than under others. A library's function has this verdict if the caller's code calls
//! it in the after build alone. In such builds the caller's code may be unknown, because one build only contains it inlined.

use std::cell::LazyCell;

use pdiff_profile::{PerSide, Side};

use super::called_again::{called_again, proof_of_call_again};
use super::called_as_often::{is_thin_on, own_times, runs_as_often};
use super::code_counts::{
    calls_at_more_places, calls_in_code, calls_that_run, code_bytes, copies_in_code, has_no_body,
    has_no_loop, is_in_other_form, is_inlined_only, more_least_calls, waits_at_one_instruction,
};
use super::costs_by_calls::{
    MANY_TIMES, MORE_WITH_CALLS, costs_more_as_a_whole, costs_more_by_calls, has_about_as_much_code,
    leads_to_what_costs_more, many_times,
};
use super::entered::entered_evidence;
use super::fast_path::{count_evidence, counted, library_left_pp, only_entered};
use super::growing_call::{growing_call, growing_call_by_code, shares_under};
use super::holder::code_with_call;
use super::left_copies::{grew_by_what_left, has_flipped, was_split_at_check};
use super::newly_active::{FACTOR, lost_pp};
use super::path_proof::{no_way_around, proof_of_path};
use super::same_source::has_same_source;
use super::{entered, in_between, own_work, per_operation};
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::lost_callers::{has_call, has_caller};
use crate::classify::reason::{OtherCode, Reason};
use crate::classify::rules::FlippedCallers;
use crate::compare::{Row, SampledCall};
use crate::findings::is_kernel_object;
use crate::noise::{FLOOR_PP, MIN_SAMPLES};

/// The part of the function's growth that must be under the caller.
const EXPLAINING_PART: f64 = 0.5;

/// The part that one of several callers with other code must have at least.
const MAIN_PART: f64 = 0.25;

/// A function that the caller called before too must have grown under it by this factor: nearly as much as calls that are made
/// twice. A smaller one, [`MORE_WITH_CALLS`], is enough if the caller's code has more calls of it.
pub(super) const MORE: f64 = 1.75;
/// Still less is enough if its own code grew by that, because the second of two calls in a row is the faster one. So it is if every way
/// through the caller's code makes more calls: only the runs that returned early made fewer before.
const MORE_IF_AGAIN: f64 = 1.15;

/// Of what is called again in one caller, this part of the growth may be under others.
const ELSEWHERE_PART: f64 = 0.1;

/// It must have grown there by this factor more than under its other callers, and than the rest of the caller did.
const MORE_THAN_REST: f64 = 1.3;

/// A caller that only does more keeps this part of what its own code cost.
const KEPT_ITSELF: f64 = 0.8;

/// What a caller's call of a function became.
enum Edge {
    /// The before run did not enter it from there.
    New,
    /// The shares under the caller, and the calls in its code, copies included.
    More {
        pct: PerSide<f64>,
        calls: PerSide<u32>,
        has_copies: bool,
        /// The calls that every way through the caller's code makes at least, if there are more of these.
        least_calls: Option<PerSide<u32>>,
    },
}

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let of_library = is_called_of_library(context, case);
    // What it calls may cost less at a second call, so that its total is within noise.
    let has_grown =
        || per_operation::has_grown(row) || (row.booked.significant && row.delta_booked_pp() > 0.0);
    let may_be_entered_more = of_library || (may_be_read(context, case) && has_grown());
    if !may_be_entered_more || grew_by_what_left(context, flipped, case) {
        return None;
    }
    let (call, entered_from) = growing_call(context, row)?;
    // A copy of a function whose own code is not known to differ is the code of what contains it.
    let by_code = growing_call_by_code(context, case, entered_from);
    let by_code = by_code.filter(|_| code_of(context, entered_from).is_none());
    let (call, entered_from) = by_code.unwrap_or((call, entered_from));
    // What is only copied into one function is that function's code.
    let caller = code_with_call(context, entered_from, case);
    // Of builds that are a patch apart the caller's code tells why, even of what the before run did not enter at all. Counts show
    // calls that were too rare to be sampled.
    let was_counted = was_entered_by_counts(context, caller, call);
    let is_old = case.is_sampled(Side::Before)
        || ((context.is_patched || was_counted) && gates::is_held(case, Side::Before));
    if !is_old
        || !has_other_code(context, caller, was_counted)
        || own_work::leaves_it_to(context, caller, &row.name)
    {
        return None;
    }
    let grown_pp = context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let pct = shares_under(context, case, caller);
    let (edge, here_pp) = match of_library {
        true => is_new_call_of_library(context, caller, case, pct).then_some((Edge::New, pct.after))?,
        false => new_edge(context, (entered_from, caller), call, flipped)
            .filter(|_| std::ptr::eq(caller.row, entered_from.row) || !calls_itself(context, caller, case))
            .map(|pct| (Edge::New, pct))
            .or_else(|| more_calls(context, case, (caller, pct), flipped))?,
    };
    let explains = here_pp >= FLOOR_PP.max(EXPLAINING_PART * grown_pp)
        || (here_pp >= FLOOR_PP.max(MAIN_PART * grown_pp)
            && grown_under_changed_pp(context, case) >= EXPLAINING_PART * grown_pp);
    // What must be called more often is so wherever its caller saves time, and so is what the caller cannot leave out any more.
    let is_proved = || no_way_around(context, caller, call).is_some();
    let must_be = || context.is_patched && (many_times(context, case).is_some() || is_proved());
    // What its code calls at more places it may do while it saves time elsewhere.
    let has_more_calls =
        matches!(&edge, Edge::More { calls, .. } if calls.after > calls.before && calls.before > 0);
    let may_be = || has_more_calls || must_be() || may_cost_more(context, caller, here_pp);
    if !explains || grown_pp < EXPLAINING_PART * here_pp || !may_be() {
        return None;
    }
    // Own code that costs many times as much is called more, whatever came along with it.
    let came_along_pp = came_along_pp(context, case);
    let is_by_own = many_times(context, case).is_some();
    let net_pp = if is_by_own { grown_pp - came_along_pp } else { grown_pp };
    if in_between::rule(context, case, flipped).is_some()
        || (is_by_own && net_pp < FLOOR_PP)
        || (!is_by_own && came_along_pp >= EXPLAINING_PART * grown_pp)
        || ran_without_pp(context, case) >= EXPLAINING_PART * grown_pp
    {
        return None;
    }
    // Chains that lost a function do not change what its own code costs.
    let own_pp = own_grown_pp(context, row);
    if own_pp < EXPLAINING_PART * net_pp && lost_before(context, caller, case) >= EXPLAINING_PART * net_pp {
        return None;
    }
    let (name, code) = (caller.row.name.to_string(), code_of(context, caller)?);
    let is_new = matches!(edge, Edge::New);
    let has_no_more_calls = matches!(&edge, Edge::More { calls, .. } if calls.after <= calls.before);
    let counted = counted(context, caller, call).filter(|_| is_new);
    if counted == Some(false) {
        return None;
    }
    let (cause, entered_pct) = match &edge {
        Edge::New if of_library || is_added_call(context, caller, case) => (Cause::MoreCalls, here_pp),
        Edge::New => (Cause::MissingFastPath, here_pp),
        Edge::More { pct, calls, .. } if is_by_calls(context, *pct, *calls) => (Cause::MoreCalls, pct.after),
        Edge::More { pct, .. } => (Cause::MissingFastPath, pct.after),
    };
    let may_be_proved = counted.is_none() && cause == Cause::MissingFastPath;
    let may_be_called_again = counted.is_none() && cause == Cause::MoreCalls && !of_library;
    let proof = if may_be_proved {
        proof_of_path(context, caller, call)
    } else {
        may_be_called_again.then(|| proof_of_call_again(context, caller, call)).flatten()
    };
    let least_calls = match &edge {
        Edge::More { least_calls: Some(least), .. } => {
            let (caller, callee) = (name.clone(), row.name.to_string());
            Some(Fact::MoreLeastCalls { caller, callee, least: *least })
        }
        _ => None,
    };
    let reason = match edge {
        Edge::New => Reason::NewEdge { caller: name, after_pct: here_pp, code },
        Edge::More { pct, calls, has_copies, .. } => {
            Reason::MoreOnEdge { caller: name, pct, calls, has_copies, code, is_proved: proof.is_some() }
        }
    };
    let fact = entered_evidence(context, caller, call, entered_pct);
    let mut finding = Finding::new("R-edge", cause, Judged::Total, reason).with([fact]).with(least_calls);
    finding.callers = vec![caller.row.name.to_string()];
    let finding = match (counted, proof) {
        (Some(_), _) => finding.with(count_evidence(context, caller, call)).with(context.counted_by()),
        (None, Some(proof)) => finding.with([proof]),
        (None, None) if has_no_more_calls && waits_at_one_instruction(context, case) => {
            finding.limited(Confidence::Unclear, Limit::AtOneInstruction)
        }
        (None, None) => finding.limited(Confidence::Likely, Limit::PathNotCounted),
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether a caller's code has so many more calls of a function that these may be why it costs more there.
fn is_by_calls(context: &Context<'_>, pct: PerSide<f64>, calls: PerSide<u32>) -> bool {
    let has_more = calls.after > calls.before;
    let by_calls = f64::from(calls.after) / f64::from(calls.before);
    has_more
        && (calls.before == 0
            || pct.after < MANY_TIMES * by_calls * context.common_shift.factor() * pct.before)
}

/// Whether a function calls another also outside of copies in it: then the share in one copy is not all that it has of that.
fn calls_itself(context: &Context<'_>, holder: &Case<'_>, case: &Case<'_>) -> bool {
    let mut callers =
        context.calls_to(case.row, Side::After).into_iter().filter_map(|call| context.caller(call));
    callers.any(|caller| std::ptr::eq(caller.row, holder.row))
}

/// Whether a function is one of a library, the same on both sides, that grew in builds a patch apart: what calls it now is why.
fn is_called_of_library(context: &Context<'_>, case: &Case<'_>) -> bool {
    context.is_patched
        && case.is_of_library()
        && !is_kernel_object(&case.row.object)
        && per_operation::has_grown(case.row)
        && context.gates(case).is_empty()
}

/// Whether the code of a caller calls a function of a library, where it has these shares, in the after build alone.
fn is_new_call_of_library(
    context: &Context<'_>,
    caller: &Case<'_>,
    case: &Case<'_>,
    pct: PerSide<f64>,
) -> bool {
    let is_read = Side::BOTH.into_iter().all(|side| context.builds.census(side).is_some());
    let calls = PerSide::from_fn(|side| calls_in_code(context, caller, case, side));
    let is_new = is_read && calls.before == 0 && calls.after > 0;
    // Both builds have code of it, and no other function of a library left it in exchange.
    let has_other_code = context.builds.same_code(&caller.ids) == Some(false);
    let is_exchange = library_left_pp(context, caller.row) > EXPLAINING_PART * pct.after;
    is_new
        && has_other_code
        && !is_exchange
        && pct.after >= FACTOR * context.common_shift.factor().max(1.0) * pct.before
}

/// Whether the code of a caller grew, costs about as much itself or more, and calls or contains a function that it did not: it does more,
/// and no shorter way is gone.
fn is_added_call(context: &Context<'_>, caller: &Case<'_>, case: &Case<'_>) -> bool {
    let of =
        |side: Side| calls_in_code(context, caller, case, side) + copies_in_code(context, caller, case, side);
    let bytes = code_bytes(context, caller);
    let has_grown = bytes.before > 0 && bytes.after > bytes.before;
    // What it did itself may be done by what it calls now.
    let (before, after) = Judged::Booked.shares(caller.row);
    let does_as_much = after >= KEPT_ITSELF * context.common_shift.factor() * before;
    context.is_patched && has_grown && does_as_much && of(Side::Before) == 0 && of(Side::After) > 0
}

/// The growth of a function under all callers whose code differs.
fn grown_under_changed_pp(context: &Context<'_>, case: &Case<'_>) -> f64 {
    let grown_under = |call: &SampledCall, caller: &Case<'_>| {
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let grown_pp = context.common_shift.own_change_pp(pct.before, pct.after);
        has_other_code(context, caller, false).then_some(grown_pp.max(0.0))
    };
    let by_code = context.calls_by_code(case.row, Side::After).into_iter();
    let by_code: Vec<(&SampledCall, &Case<'_>)> =
        by_code.filter_map(|call| Some((call, context.caller(call)?))).collect();
    let others = context.calls_to(case.row, Side::After).into_iter().filter_map(|call| {
        let caller = code_with_call(context, context.caller(call)?, case);
        // What is under a copy is under the code that contains it.
        let is_told = by_code.iter().any(|(_, code)| {
            std::ptr::eq(code.row, caller.row) || copies_in_code(context, code, caller, Side::After) > 0
        });
        grown_under(call, caller).filter(|_| !is_told)
    });
    let grown = others.chain(by_code.iter().filter_map(|(call, code)| grown_under(call, code)));
    // Of recursion, a stack counts under each caller.
    let all_pp = context.common_shift.own_change_pp(case.row.before.total_pct, case.row.after.total_pct);
    grown.sum::<f64>().min(all_pp)
}

/// Whether a function is one of the program's own that grew and is the same on both sides, as far as names tell.
pub(super) fn may_be_entered_more(context: &Context<'_>, case: &Case<'_>) -> bool {
    may_be_read(context, case) && per_operation::has_grown(case.row)
}

/// The same, whether it grew or not.
fn may_be_read(context: &Context<'_>, case: &Case<'_>) -> bool {
    // What a library does in a call is the same of builds a patch apart, if its code is.
    let is_readable =
        !is_library(case) || (context.is_patched && context.builds.same_code(&case.ids) == Some(true));
    case.of_program
        && !case.is_stub()
        && case.other_name.is_none()
        && is_readable
        && context.gates(case).is_empty()
}

/// What a function leads to and the before run had without it: chains may have lost it there. No chain loses what is inlined.
fn ran_without_pp(context: &Context<'_>, case: &Case<'_>) -> f64 {
    match has_no_body(context, case, Side::Before) {
        true => 0.0,
        false => in_between::kept_pp(context, case, Side::After),
    }
}

/// What a function's own code costs more, copies of it included.
fn own_grown_pp(context: &Context<'_>, row: &Row) -> f64 {
    context.common_shift.own_change_pp(row.before.self_pct, row.after.self_pct)
}

/// What a function has more of callees that its callers called before, and no more: that came from there, however often the function
/// is called.
fn came_along_pp(context: &Context<'_>, case: &Case<'_>) -> f64 {
    let shift = context.common_shift;
    let came = |call: &SampledCall| {
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let callee = context.callee(call)?;
        let left_pp = context.left_callers_pp(case, callee, Side::Before);
        Some(shift.own_change_pp(pct.before, pct.after).min(left_pp).max(0.0))
    };
    context.calls_from(case.row, Side::After).into_iter().filter_map(came).sum()
}

/// The most that the before run may have had of what the function calls, under it in the caller, in chains that lost it. The calls
/// of a function that is only inlined are not told in the code: those of the stacks are looked at.
fn lost_before(context: &Context<'_>, caller: &Case<'_>, case: &Case<'_>) -> f64 {
    let side = Side::Before;
    if context.builds.census(side).is_none_or(|census| case.code_bytes(census, side) == 0) {
        let callees = context.calls_from(case.row, Side::After).into_iter();
        let callees = callees.filter_map(|call| context.callee(call)).filter(|callee| callee.of_program);
        return callees.map(|callee| context.lost_between(caller, case, callee, side)).fold(0.0, f64::max);
    }
    lost_pp(context, case, side, |callee| match context.jumps_to(case, callee, side) {
        true => context.jumped_past_pp(case, callee, side),
        false => context.lost_between(caller, case, callee, side),
    })
}

/// The share under a caller of a function that the before run did not enter from there, where nothing left the caller in
/// exchange: nothing was as heavy, or the caller costs that much more all the same. The stacks may show it entered from a copy in
/// the caller.
fn new_edge(
    context: &Context<'_>,
    (entered_from, caller): (&Case<'_>, &Case<'_>),
    call: &SampledCall,
    flipped: &FlippedCallers,
) -> Option<f64> {
    let entered = only_entered(context, entered_from, flipped, Side::After);
    let entered = entered.into_iter().find(|(entered, _)| std::ptr::eq(*entered, call));
    let by_code = || {
        let callee = context.callee(call)?;
        let of_code = context.call_by_code(caller.row, callee.row);
        let call = of_code.filter(|of_code| std::ptr::eq(*of_code, call))?;
        let pct = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
        let is_new = pct.after >= FACTOR * context.common_shift.factor().max(1.0) * pct.before;
        // Where the before run's chains lost its caller, it may have been called from there all the same.
        let may_be_lost = FACTOR * context.orphaned_pct(callee, Side::Before) >= pct.after;
        (is_new && !may_be_lost).then_some(pct.after)
    };
    let pct = entered.map(|(_, pct)| pct).or_else(by_code)?;
    let is_none = |callee: &Case<'_>| {
        runs_as_often(context, callee)
            || has_other_lines(context, caller, callee, pct)
            || is_copied_elsewhere(context, caller, callee)
    };
    if context.callee(call).is_some_and(is_none) {
        return None;
    }
    let left = only_entered(context, entered_from, flipped, Side::Before);
    let left: f64 = left.iter().map(|(_, pct)| pct).sum();
    (left <= EXPLAINING_PART * pct || costs_more(context, caller, pct)).then_some(pct)
}

/// Whether a function runs only inlined, has most of its weight in its own code, and its caller has code of its own in one build only:
/// where that is inlined, so is the function, and the lines around may have its samples there.
fn is_copied_elsewhere(context: &Context<'_>, caller: &Case<'_>, case: &Case<'_>) -> bool {
    let has_no_code = Side::BOTH.into_iter().all(|side| has_no_body(context, case, side));
    let of = &case.row.after;
    has_no_code && is_in_other_form(context, caller).is_some() && of.x_pct() >= EXPLAINING_PART * of.total_pct
}

/// Whether a function that runs only inlined has as many copies in a caller as before, and costs more there itself, because samples of
/// the lines around a copy of a few instructions can count for it, or no more than the code around it.
fn has_other_lines(context: &Context<'_>, caller: &Case<'_>, case: &Case<'_>, pct: f64) -> bool {
    let copies = PerSide::from_fn(|side| copies_in_code(context, caller, case, side));
    is_inlined_only(context, case)
        && copies.after <= copies.before
        && (own_grown_pp(context, case.row) >= EXPLAINING_PART * pct || grew_as_caller(caller, case))
}

/// Whether a function's own code costs as many times as much as that of its caller, with or without what that inlines.
fn grew_as_caller(caller: &Case<'_>, case: &Case<'_>) -> bool {
    let (before, after) = Judged::OwnSelf.shares(case.row);
    let is_as_much = |of: Judged| {
        let (around_before, around_after) = of.shares(caller.row);
        after * around_before <= MORE_THAN_REST * before * around_after
    };
    case.row.before.samples >= MIN_SAMPLES && [Judged::OwnSelf, Judged::Booked].into_iter().any(is_as_much)
}

/// The growth under a caller of a function that the before run entered from there too, and whose code is the same: the caller
/// calls it more. Counts of calls decide that if they are known.
fn more_calls(
    context: &Context<'_>,
    case: &Case<'_>,
    (caller, pct): (&Case<'_>, PerSide<f64>),
    flipped: &FlippedCallers,
) -> Option<(Edge, f64)> {
    let (row, factor) = (case.row, context.common_shift.factor());
    let is_counted = context.input.counts.is_some_and(|counts| counts.get(&row.name).is_some());
    // Copies of a first check are none of the rest, which is what is called on both sides.
    let was_split = context.is_patched && was_split_at_check(context, case);
    let has_left = !was_split
        && context.row_number(row).is_some_and(|callee| has_flipped(context, flipped, caller.row, callee));
    let copies_of = |side: Side| if was_split { 0 } else { copies_in_code(context, caller, case, side) };
    let copies = PerSide::from_fn(copies_of);
    let through_pointers = places_of_pointers(context, case, caller);
    let in_code = calls_that_run(context, caller, case);
    let calls = PerSide::from_fn(|side| in_code[side] + copies[side] + through_pointers[side]);
    let has_more_calls = calls.after > calls.before;
    // A few instructions more without a loop do not make code cost many times as much, where its callers call it at more places.
    let is_little_more = || {
        has_more_calls
            && has_about_as_much_code(context, case)
            && many_times(context, case).is_some()
            && has_no_loop(context, case)
    };
    // A function that does next to nothing itself shows calls only by what it calls.
    let is_thin = || Side::BOTH.into_iter().all(|side| is_thin_on(case, side));
    // So many more copies cost no more times as much: beyond that, a call costs more.
    let at_most = MORE_WITH_CALLS * f64::from(copies.after) / f64::from(copies.before.max(1));
    let is_copied_more = || {
        is_inlined_only(context, case)
            && copies.before > 0
            && copies.after > copies.before
            && pct.after <= at_most * factor * pct.before
            && is_thin()
    };
    // The calls that were there cost as before.
    let is_called_in_a_row =
        LazyCell::new(|| has_more_calls && called_again(context, caller, case).is_some());
    let is_same = context.is_patched
        && (has_same_source(context, case, flipped)
            || was_split
            || is_little_more()
            || is_copied_more()
            || *is_called_in_a_row);
    let is_called_more = || {
        let has_same_code = context.builds.same_code(&case.ids) == Some(true) && is_thin();
        (has_same_code && ((has_more_calls && calls.before > 0) || leads_to_what_costs_more(context, case)))
            || is_copied_more()
    };
    // The second of two calls in a row finds in the cache what the first one read: then its own code tells alone.
    let of_caller = own_times(context, caller);
    let is_beyond_own = || {
        let times = own_times(context, case).zip(of_caller);
        has_more_calls && times.is_some_and(|(times, of_caller)| times >= MORE_THAN_REST * of_caller)
    };
    let is_told = row.booked.significant || per_operation::is_own(Judged::Total, row);
    let is_called_again =
        calls.before > 0 && is_told && is_beyond_own() && calls_at_more_places(context, caller, case);
    let least_calls = LazyCell::new(|| more_least_calls(context, caller, case));
    let costs_more_itself = || own_times(context, case).is_some_and(|times| times > 1.0);
    let must_be_called_more =
        || is_told && costs_more_itself() && context.is_patched && least_calls.is_some();
    let costs_more = || {
        costs_more_as_a_whole(context, case)
            || costs_more_by_calls(context, case, pct)
            || is_called_more()
            || is_called_again
            || *is_called_in_a_row
            || must_be_called_more()
    };
    if !is_same || is_counted || has_left || !costs_more() {
        return None;
    }
    // Chains that lost the caller show calls that the code does not have.
    let is_lost = |side: Side| {
        context.builds.census(side).is_some_and(|census| {
            has_caller(census, case, side) && has_call(census, caller, case, side) == Some(false)
        })
    };
    if is_lost(Side::After) {
        return None;
    }
    let (before, after) = (factor * pct.before, pct.after);
    // Of recursion, a stack counts under each caller.
    let left = |all: f64, here: f64| (all - here).max(0.0);
    let others = PerSide::new(left(factor * row.before.total_pct, before), left(row.after.total_pct, after));
    let rest_of_caller = PerSide::new(
        left(factor * caller.row.before.total_pct, before),
        left(caller.row.after.total_pct, after),
    );
    let is_beyond = |rest: PerSide<f64>| after * rest.before >= MORE_THAN_REST * before * rest.after;
    // Own code tells how often functions are called, whatever they call.
    let by_own = many_times(context, case)
        .zip(of_caller)
        .map(|(times, of_caller)| times >= MORE_THAN_REST * of_caller);
    let least = match has_more_calls || by_own == Some(true) {
        _ if is_called_again || must_be_called_more() => MORE_IF_AGAIN,
        true => MORE_WITH_CALLS,
        false => MORE,
    };
    // The rest of a caller may be other functions that it calls at more places.
    let is_beyond_caller = by_own.unwrap_or_else(|| is_beyond(rest_of_caller) || is_beyond_own());
    // A caller that no longer returns early does more itself, too.
    let is_beyond_caller = is_beyond_caller
        || (must_be_called_more()
            && own_times(context, case).zip(of_caller).is_some_and(|(own, of)| own > of));
    // Next to nothing under others is noise.
    let is_all_here = others.after - others.before <= ELSEWHERE_PART * (after - before);
    let is_beyond_others = is_beyond(others)
        || others.values().all(|pct| *pct < FLOOR_PP)
        || ((is_called_again || must_be_called_more()) && is_all_here);
    let is_more = before > 0.0 && after >= least * before && is_beyond_others && is_beyond_caller;
    // What both runs have under callers that do not call it was called through pointers, or is lost on both sides.
    let orphaned = PerSide::from_fn(|side| context.orphaned_pct(case, side));
    let may_be_lost = factor * orphaned.before - orphaned.after >= EXPLAINING_PART * (after - before);
    // What else calls the caller now may ask it for other things.
    let is_asked = entered::anew_pp(context, caller) >= EXPLAINING_PART * (after - before);
    let has_copies = copies.values().any(|copies| *copies > 0);
    let edge = || Edge::More { pct, calls, has_copies, least_calls: *least_calls };
    (is_more && !may_be_lost && !is_asked).then(|| (edge(), after - before))
}

/// From how many places in the code of a caller a function was called through a pointer, by the stacks. No place is counted where one
/// run alone has such calls: then how it is called changed.
fn places_of_pointers(context: &Context<'_>, case: &Case<'_>, caller: &Case<'_>) -> PerSide<u32> {
    let is_of =
        |call: &&SampledCall| context.caller(call).is_some_and(|shown| std::ptr::eq(shown.row, caller.row));
    let call = context.calls_to(case.row, Side::After).into_iter().find(is_of);
    let places = call.map_or_else(PerSide::default, |call| call.pointer_places);
    if places.values().all(|places| *places > 0) { places } else { PerSide::default() }
}

/// Whether counts show that the before run entered a function from a caller, which they show on both sides.
fn was_entered_by_counts(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> bool {
    let counts = context.input.counts;
    let per_call = counts.and_then(|counts| counts.entries_per_call(&caller.row.name, &call.callee));
    per_call.is_some_and(|per_call| per_call.before > 0.0)
}

/// What is known of a caller's code, unless it is the same, but for the layout of records. Of builds a patch apart, a caller that one
/// build only contains inlined may have changed.
fn code_of(context: &Context<'_>, caller: &Case<'_>) -> Option<OtherCode> {
    match context.builds.same_code(&caller.ids) {
        Some(same) => (!same && !context.is_relaid(caller)).then_some(OtherCode::Differs),
        None if context.is_patched => is_in_other_form(context, caller).map(OtherCode::InlinedOnly),
        None => None,
    }
}

/// A caller of the program that both runs entered, and whose code changed or may have.
fn has_other_code(context: &Context<'_>, caller: &Case<'_>, was_counted: bool) -> bool {
    let is_other = code_of(context, caller).is_some();
    caller.of_program
        && !caller.row.unresolved
        && !is_library(caller)
        && is_other
        && (was_counted || entered::by_both(context, caller))
}

/// Whether the caller's total grew by a good part of what it now also calls, as far as is known.
fn may_cost_more(context: &Context<'_>, caller: &Case<'_>, pct: f64) -> bool {
    let (grown_pp, unsure_pp) = grown(context, caller);
    grown_pp + unsure_pp >= EXPLAINING_PART * pct
}

/// Whether it grew by that much for sure.
fn costs_more(context: &Context<'_>, caller: &Case<'_>, pct: f64) -> bool {
    let (grown_pp, unsure_pp) = grown(context, caller);
    grown_pp - unsure_pp >= EXPLAINING_PART * pct
}

/// The growth of a function's total, and half the width of its interval.
fn grown(context: &Context<'_>, case: &Case<'_>) -> (f64, f64) {
    let row = case.row;
    let grown_pp = context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let of_factor = context.common_shift.error() * context.common_shift.factor() * row.before.total_pct;
    (grown_pp, Judged::Total.half_width_pp(row).hypot(of_factor))
}
