//! Proofs that a function goes on to what it calls where it returned early: by the code of both builds, and by the samples in it.

use std::cell::LazyCell;

use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{InBuild, Judged};
use crate::classify::code_paths::FewerWays;
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::compare::{Row, SampledCall};
use crate::noise::{FLOOR_PP, MIN_SAMPLES};

use super::asked_as_before::asked_as_before;
use super::called_as_often::own_times_at_most;
use super::checks;
use super::code_counts::{self, FEW_SAMPLES, calls_in_code, copies_in_code};
use super::growing_call::most_grown;
use super::holder::{code_with_call, sampled_holder};
use super::newly_active::FACTOR;
use super::ways_around::{self, LeftPassed, has_lost_way_around};
use super::weight::has_same_code;

/// What is copied is proved by one callee if that has this part of its cost.
const EXPLAINING_PART: f64 = 0.5;

/// Proof by the code of both builds that a caller goes on to a callee where it returned early, if there is such.
pub(super) fn no_way_around(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<Fact> {
    let callee = context.callee(call).filter(|callee| has_lost_way_around(context, caller, callee))?;
    Some(Fact::NoWayAround { caller: caller.row.name.to_string(), callee: callee.row.name.to_string() })
}

/// What grew by this factor under other callers costs more in itself.
const MORE_ELSEWHERE: f64 = 1.3;

/// A caller whose own code grew more than this part of the times as much explains a good part by its own calls.
pub(super) const OTHER_TIMES: f64 = 1.5;

/// Whether own code that costs so many times as much is no reason for a callee that costs `times` as much.
fn explains_little(own: f64, times: f64) -> bool {
    OTHER_TIMES * own <= times || own <= times.powf(EXPLAINING_PART)
}

/// What a caller went on to by so much less before, where so many samples could be expected, it hardly went on to.
const ABSENT_FACTOR: f64 = 20.0;
const ABSENT_SAMPLES: f64 = 50.0;

/// So much of what was on ways that are gone must be gone: else the same is done elsewhere.
const LEFT_PART: f64 = 0.5;

/// So many copies, each in the other, are followed down to a call in the caller's code.
const COPIED_DEPTH: usize = 3;

/// Proof by the code of both builds, or by the samples in it, that a caller goes on to a callee where it returned early, if there is
/// such. What is copied into the caller it goes on to if it goes on to most of what is called there.
pub(super) fn proof_of_path(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<Fact> {
    proof_at_depth(context, caller, call, COPIED_DEPTH).or_else(|| proof_in_holder(context, caller, call))
}

/// The same for the code of a function that contains the caller, and in which the callee grew by at least half as much as under that.
fn proof_in_holder(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<Fact> {
    let callee = context.callee(call)?;
    let grown = |call: &SampledCall| {
        let pct = PerSide::from_fn(|side| share_pct(callee.row, side, call.weight(side)));
        context.common_shift.own_change_pp(pct.before, pct.after)
    };
    let (most, holder) = most_grown(context, callee.row, context.calls_by_code(callee.row, Side::After))?;
    let is_it = !std::ptr::eq(holder.row, caller.row)
        && ways_around::contains(context, holder, caller)
        && grown(most) >= EXPLAINING_PART * grown(call);
    is_it.then(|| proof_at_depth(context, holder, most, 1)).flatten()
}

/// Whether a callee's code is the same, or like it. Of one that the before run did not sample only the same code is known.
pub(super) fn is_same_callee(context: &Context<'_>, callee: &Case<'_>) -> bool {
    match callee.is_sampled(Side::Before) {
        true => {
            has_same_code(context, callee)
                || context.has_like_code(callee)
                || (context.is_patched && checks::asks_and_calls_the_same(context, callee))
        }
        false => context.builds.same_code_of_one_run(&callee.ids) == Some(true),
    }
}

/// Whether the before run hardly went on to a callee from a caller, where so many samples after say that it would show.
pub(super) fn was_absent(context: &Context<'_>, row: &Row, pct: PerSide<f64>) -> bool {
    let samples = row.total.samples(Side::After) as f64 * pct.after / row.after.total_pct;
    pct.after >= ABSENT_FACTOR * context.common_shift.factor() * pct.before && samples >= ABSENT_SAMPLES
}

/// Whether a callee's code is the same, or like it, but that it calls what it contained: no way through it is longer for a check that is
/// gone.
fn keeps_its_code(context: &Context<'_>, callee: &Case<'_>) -> bool {
    let called = context.calls_from(callee.row, Side::After).into_iter();
    let called = called.filter_map(|call| context.callee(call));
    let moved_out: Vec<&Case<'_>> = called
        .filter(|of| {
            copies_in_code(context, callee, of, Side::Before) > 0
                && calls_in_code(context, callee, of, Side::After) > 0
        })
        .collect();
    is_same_callee(context, callee)
        || (context.is_patched && checks::keeps_its_checks(context, callee, &moved_out))
}

/// Whether a callee also costs more under its other callers, where it has enough samples to tell.
pub(super) fn grew_elsewhere(
    context: &Context<'_>,
    caller: &Case<'_>,
    call: &SampledCall,
    callee: &Case<'_>,
) -> bool {
    elsewhere_times(context, caller, call, callee).is_some_and(|times| times >= MORE_ELSEWHERE)
}

/// How many times as much a callee costs under its other callers, where it has enough samples to tell. A check that several of them
/// contained, as a copy of one small function, is gone in all of these: what they do more is for that.
fn elsewhere_times(
    context: &Context<'_>,
    caller: &Case<'_>,
    call: &SampledCall,
    callee: &Case<'_>,
) -> Option<f64> {
    let row = callee.row;
    let here = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    // Where the caller leaves to it by a jump, the stacks also show it right under the caller's own callers.
    let by_jump = PerSide::from_fn(|side| context.jumped_to_pct(caller, callee, side));
    let elsewhere = PerSide::from_fn(|side| row.side(side).total_pct - here[side] - by_jump[side]);
    let times = |pct: PerSide<f64>| {
        let samples = pct.before / row.before.total_pct * row.total.samples(Side::Before) as f64;
        let is_told = pct.before >= FLOOR_PP && samples >= MIN_SAMPLES as f64;
        is_told.then(|| pct.after / (context.common_shift.factor() * pct.before))
    };
    let of_all = times(elsewhere);
    // Else a check that was never true may be gone, and the callee do more each time.
    let was_taken = || ways_around::took_way_around(context, caller, callee);
    if of_all.is_none_or(|times| times < MORE_ELSEWHERE) || !was_taken() {
        return of_all;
    }
    let lost = lost_alike(context, caller, callee);
    times(PerSide::from_fn(|side| elsewhere[side] - lost[side]))
}

/// The shares of a callee under its other callers that lost a way around it, too.
fn lost_alike(context: &Context<'_>, caller: &Case<'_>, callee: &Case<'_>) -> PerSide<f64> {
    let others = context.calls_to(callee.row, Side::After).into_iter().filter(|call| {
        let other = context.caller(call).filter(|other| !std::ptr::eq(other.row, caller.row));
        other.is_some_and(|other| {
            has_lost_way_around(context, other, callee)
                || ways_around::has_fewer_ways_around(context, other, callee)
        })
    });
    let others: Vec<&SampledCall> = others.collect();
    PerSide::from_fn(|side| others.iter().map(|call| share_pct(callee.row, side, call.weight(side))).sum())
}

/// What is gone under a caller may have done the work of what it calls more now, if it cost this part of it: for up to ten times the data.
const WORK_PART: f64 = 0.1;

/// Whether functions that the after build does not have cost something under a caller before, in comparison with what it calls more now: the
/// way that is gone was no shorter one then, or not by so much.
fn did_work_instead(context: &Context<'_>, caller: &Case<'_>, after_pct: f64) -> bool {
    let calls = context.calls_from(caller.row, Side::Before).into_iter();
    let gone = calls.filter(|call| {
        let callee = context.callee(call);
        callee.is_some_and(|callee| callee.held_by(Side::After) == InBuild::No && callee.other_name.is_none())
    });
    let gone_pct: f64 = gone.map(|call| share_pct(caller.row, Side::Before, call.before)).sum();
    context.common_shift.without(gone_pct, Side::Before) >= WORK_PART * after_pct
}

/// How many of a function's samples before are gone, by a measure and without the common factor.
fn less_samples(context: &Context<'_>, case: &Case<'_>, measure: Judged) -> f64 {
    let (row, (before, after)) = (case.row, measure.shares(case.row));
    let less_pp = -context.common_shift.own_change_pp(before, after);
    let before_pp = context.common_shift.factor() * before;
    let samples = match measure {
        Judged::Booked => row.booked.samples(Side::Before),
        _ => row.before.samples,
    };
    if before_pp > 0.0 { less_pp / before_pp * samples as f64 } else { 0.0 }
}

/// How many times as often a caller calls a callee in each of its runs, at least, where that costs `times` as much; `None` if that is not
/// known. Each place in its code must call it more.
fn calls_at_least(
    context: &Context<'_>,
    caller: &Case<'_>,
    callee: &Case<'_>,
    (pct, times): (PerSide<f64>, f64),
) -> Option<f64> {
    let runs = code_counts::runs_at_most(context, caller)?.max(1.0);
    // Of a callee that others hardly call, what every call runs tells what is no call.
    let is_mainly_here = pct.before >= EXPLAINING_PART * callee.row.before.total_pct;
    let of_callee = || code_counts::every_call_times(context, callee, |_| 0.0);
    let by_calls = of_callee().filter(|_| is_mainly_here).map_or(times, |of_callee| times.min(of_callee));
    let is_more_everywhere = code_counts::grew_under_each_call(context, caller, callee, times.sqrt());
    is_more_everywhere.then_some(by_calls / runs)
}

fn proof_at_depth(
    context: &Context<'_>,
    caller: &Case<'_>,
    call: &SampledCall,
    depth: usize,
) -> Option<Fact> {
    let callee = context.callee(call)?;
    let is_copied = |side: Side| {
        copies_in_code(context, caller, callee, side) > 0 && calls_in_code(context, caller, callee, side) == 0
    };
    if Side::BOTH.into_iter().all(is_copied) {
        let within = context.calls_from(callee.row, Side::After).into_iter();
        let main = within.max_by_key(|call| call.after).filter(|_| depth > 1)?;
        let total = callee.row.after.total_pct;
        let is_most = |row: &Row, call: &SampledCall| {
            share_pct(row, Side::After, call.after) >= EXPLAINING_PART * total
        };
        // Most of it is in what it calls, and most of it is copied here, or the stacks tell what it calls here.
        let by_code = || context.call_by_code(caller.row, context.callee(main)?.row);
        let main_here = by_code().or_else(|| is_most(caller.row, call).then_some(main));
        let main_here = main_here.filter(|_| is_most(callee.row, main))?;
        return proof_at_depth(context, caller, main_here, depth - 1);
    }
    let names = || (caller.row.name.to_string(), callee.row.name.to_string());
    let asking = LazyCell::new(|| asked_as_before(context, caller, OTHER_TIMES));
    let pct = PerSide::from_fn(|side| share_pct(caller.row, side, call.weight(side)));
    let was_absent = was_absent(context, callee.row, pct);
    // What costs more elsewhere, too, may do more each time, and so may other code: but not so many times as much.
    let is_same = is_same_callee(context, callee) && !grew_elsewhere(context, caller, call, callee);
    let costs_little_more = || match elsewhere_times(context, caller, call, callee) {
        Some(times) => times < FACTOR,
        // Other code that nothing else calls may cost any number of times as much.
        None => is_same_callee(context, callee),
    };
    let is_told = is_same || (was_absent && costs_little_more() && keeps_its_code(context, callee));
    if !is_told {
        return None;
    }
    let times = pct.after / (context.common_shift.factor() * pct.before);
    // It is called more, and its caller is not.
    let holder =
        || sampled_holder(context, caller).unwrap_or_else(|| code_with_call(context, caller, callee));
    // What goes on does more itself, too: then the code that every call runs tells how often it is called.
    let runs_as_before = || {
        let shorter = code_counts::times_shorter(code_counts::code_bytes(context, holder()));
        let own = own_times_at_most(context, holder()).map(|times| times * shorter);
        let explains_little = |of_caller: f64| explains_little(of_caller, times);
        own.is_some_and(explains_little)
            || code_counts::runs_at_most(context, caller).is_some_and(explains_little)
    };
    let was_never_called = || {
        was_absent
            && code_counts::once_under(context, callee, pct.after) >= FEW_SAMPLES as f64
            && !code_counts::is_hardly_called_more(context, callee)
    };
    let is_called_more =
        callee.is_of_library() || code_counts::is_called_more(context, callee) || was_never_called();
    // Callers of the same code that run as before ask no more.
    let is_asked_above = || ways_around::is_asked_above(context, caller) && asking.is_none();
    if !is_called_more || !runs_as_before() || is_asked_above() {
        return None;
    }
    if did_work_instead(context, caller, pct.after) {
        return None;
    }
    // What never went on before, and always does now, took the ways that are gone.
    let took_lost_way = || {
        let is_asked_as_before = || caller.row.before.samples >= MIN_SAMPLES && asking.is_some();
        let never_went_on = || {
            ways_around::took_way_around(context, caller, callee)
                || (ways_around::may_have_taken_way(context, caller, callee) && is_asked_as_before())
        };
        (was_absent && never_went_on()) || ways_around::is_lost_way_why(context, caller, callee, times)
    };
    let by_code = no_way_around(context, caller, call).filter(|_| took_lost_way());
    let by_samples = || {
        let samples = ways_around::way_not_taken(context, caller, callee)?;
        let (caller, callee) = names();
        Some(Fact::WayNotTaken { caller, callee, samples })
    };
    let by_conditions = || {
        let ways = ways_around::fewer_ways_around(context, caller, callee, |taken, of| {
            ways_around::explains(taken, of, times)
        })?;
        let (caller, callee) = names();
        Some(Fact::FewerWaysAround { caller, callee, ways })
    };
    // A call in a copy is in the code that contains it. What cost something in every turn may cost more each time.
    let by_turns = || {
        let holder = holder();
        if !context.is_patched || times < FACTOR {
            return None;
        }
        let turns = ways_around::lost_turns_around(context, holder, callee)?;
        let less = [(caller, Judged::OwnSelf), (holder, Judged::Booked)];
        let less = less.map(|(case, measure)| less_samples(context, case, measure));
        let taken = turns.before.taken;
        let is_told = if taken >= FEW_SAMPLES {
            less.into_iter().any(|less| less >= LEFT_PART * taken as f64)
        } else {
            // Turns that no sample shows: more calls in as many turns tell.
            let own_times = ways_around::turns_at_most(&turns);
            let factor = context.common_shift.factor();
            !callee.is_of_library() && own_times.is_some_and(|own| OTHER_TIMES * own <= factor * times)
        };
        if !is_told {
            return None;
        }
        let (_, callee) = names();
        Some(Fact::NoTurnAround { caller: holder.row.name.to_string(), callee, turns: turns.before })
    };
    // The before run never went on, though it was asked as often: it took ways that have hardly a sample.
    let by_absence = || {
        if !was_absent || caller.row.before.samples < MIN_SAMPLES {
            return None;
        }
        let ways = ways_around::fewer_ways_of_absent(context, caller, callee)?;
        let (name, callee_name) = names();
        if let Some(callers) = asking.clone() {
            return Some(Fact::NeverWentOn {
                caller: name,
                callee: callee_name,
                pct,
                asks: ways.asks,
                callers,
            });
        }
        // Nothing shows how often it is called but its own code, and samples on ways that several of these conditions lead to.
        let runs_no_more =
            ways.asks.len() > 1 && own_times_at_most(context, caller).is_some_and(|own| own <= OTHER_TIMES);
        let taken = ways_around::taken_around(context, caller, callee).filter(|_| runs_no_more)?;
        Some(Fact::FewerWaysAround {
            caller: name,
            callee: callee_name,
            ways: FewerWays { taken, is_of_all_ways: true, ..ways },
        })
    };
    let by_those_left = || {
        // Where the before run has no sample of it, there may have been as many as are missed in one of twenty runs.
        let times = if times.is_finite() {
            times
        } else {
            let unseen_pct = ways_around::unseen_pct(context, caller, callee)
                .filter(|_| code_counts::is_seen_in_every_call(context, callee, pct.after))?;
            pct.after / (context.common_shift.factor() * unseen_pct)
        };
        let more = calls_at_least(context, caller, callee, (pct, times))?;
        let of = ways_around::left_passed(context, caller, callee, more)?;
        let (caller, callee) = names();
        let LeftPassed { asks, part } = of;
        Some(Fact::LeftPassed { caller, callee, asks, part_pct: 100.0 * part, times })
    };
    by_code
        .or_else(by_samples)
        .or_else(by_conditions)
        .or_else(by_absence)
        .or_else(by_turns)
        .or_else(by_those_left)
}
