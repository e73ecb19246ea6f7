//! `R-fast-path`: the function's total grew, by more than its self, and the growth is in a callee that Before never entered from
//! here although it entered the function: Before returned early, or its code has no such call.
//!
//! Three kinds of callees do not count: one that replaced another callee (only Before entered that one); one that wraps
//! another, with most of its weight in callees that Before entered from here itself; and one that is new code, which has
//! its own verdict. Self alone misses a lost fast path, because the function itself may do less. Samples of callees make it
//! at most likely; counts, the code of both builds, or the samples in the function's own code prove it.

use pdiff_profile::{PerSide, Side, Weight};
use rustc_hash::FxHashMap;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::lost_callers::{has_call, has_caller};
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::compare::{Row, SampledCall};
use crate::noise::{FLOOR_PP, FLOOR_RELATIVE, MIN_SAMPLES};

use super::called_again::proof_of_call_again;
use super::called_as_often::{costs_more_itself, does_more_inside, own_lines_at_most};
use super::code_counts::{calls_in_code, calls_that_run};
use super::entered::{came_from_elsewhere, entered_evidence};
use super::holder::{holder, main_holder};
use super::left_copies::{grew_by_what_left, has_flipped, has_left};
use super::newly_active::FACTOR;
use super::path_proof::{no_way_around, proof_of_path, was_absent};
use super::same_source::has_same_source;
use super::ways_around::{asks_the_same_around, has_fewer_ways_around, has_lost_way_around};
use super::weight::place;
use super::{entered, in_between, new_calls, per_operation};

/// The part of the growth of total that the newly entered callees must make up; self may have at most the rest, and
/// what was entered no more at most that part of what was newly entered.
const EXPLAINING_PART: f64 = 0.5;

/// The part of the growth that must be proved for the rest of a new path to count as proved, too.
const MAIN_PART: f64 = 0.25;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    goes_on(context, case, flipped).filter(|_| in_between::rule(context, case, flipped).is_none())
}

fn goes_on(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    // Where each operation costs more, the share of what costs more alone may not show it.
    let grown_pp = match row.total.significant {
        true => row.delta_total_pp(),
        false => context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct),
    };
    // What a library does is its caller's doing.
    let is_readable = (case.of_program && !is_library(case)) || context.input.builds.is_none();
    // With the same code the path was there before: its caller, a setting or the data chose it.
    let ids = place(context, case).map_or(&case.ids, |place| &place.ids);
    if context.builds.same_code(ids) == Some(true) || context.common_shift.explains(row, Judged::Total) {
        return None;
    }
    let less_self_pp = less_self_pp(context, row);
    // Between versions, what it did itself may be done by what it calls.
    let is_rewritten = less_self_pp > 0.0 && !context.is_patched;
    if !per_operation::has_grown(row) || grown_pp <= 0.0 || is_rewritten || !is_readable {
        return None;
    }
    if !entered::by_both(context, case) {
        return None;
    }
    let mut entered = only_entered(context, case, flipped, Side::After);
    entered.retain(|(call, _)| counted(context, case, call) != Some(false));
    // What calls new code costs more for that code, which speaks for itself.
    entered.retain(|(call, _)| {
        context.callee(call).is_none_or(|callee| callee.held_by(Side::Before) != InBuild::No)
    });
    entered.retain(|(call, _)| !grew_as_the_rest(row, call));
    entered.retain(|(call, _)| !is_wrapper(context, case, call));
    entered.retain(|(call, pct)| !came_from_elsewhere(context, case, call, *pct));
    entered.retain(|(call, pct)| has_grown(context, call, *pct));
    entered.retain(|(call, _)| !does_more_inside(context, case, call));
    let sum = |calls: &[(&SampledCall, f64)]| calls.iter().map(|(_, pct)| pct).sum::<f64>();
    let of_library = |(call, _): &(&SampledCall, f64)| context.callee(call).is_some_and(Case::is_of_library);
    let library_left_pp = if entered.iter().any(of_library) { library_left_pp(context, row) } else { 0.0 };
    let left_pp = sum(&only_entered(context, case, flipped, Side::Before)) + library_left_pp + less_self_pp;
    let entered_pp = sum(&entered);
    let explains = entered_pp - left_pp >= EXPLAINING_PART * grown_pp;
    let is_exchange = left_pp > EXPLAINING_PART * entered_pp;
    if row.delta_self_pp() > (1.0 - EXPLAINING_PART) * grown_pp {
        return None;
    }
    // What it cannot leave out any more was left out before, whatever it does besides.
    let goes_on_always = || entered.iter().any(|(call, _)| no_way_around(context, case, call).is_some());
    if let Some(finding) = new_calls::does_more(context, case, grown_pp).filter(|_| !goes_on_always()) {
        return Some(finding);
    }
    if !explains || is_exchange {
        return more_entered(context, case, &entered, flipped);
    }
    let reason = Reason::GoesOn {
        callees: entered.iter().take(3).map(|(call, _)| call.callee.clone()).collect(),
        total_pp: grown_pp,
        self_pp: row.delta_self_pp(),
    };
    let evidence: Vec<Fact> =
        entered.iter().map(|(call, pct)| entered_evidence(context, case, call, *pct)).collect();
    let finding = Finding::new("R-fast-path", Cause::MissingFastPath, Judged::Total, reason).with(evidence);
    let is_proved = |proves: &dyn Fn(&SampledCall) -> bool| {
        let proved = entered.iter().filter(|(call, _)| proves(call)).map(|(_, pct)| pct);
        proved.sum::<f64>() >= EXPLAINING_PART * grown_pp
    };
    let proofs = || {
        let (mut proved_pp, mut absent_pp, mut proofs) = (0.0, 0.0, Vec::new());
        for (call, pct) in &entered {
            let proof = proof_of_path(context, case, call);
            match proof.is_some() {
                true => proved_pp += pct,
                false if is_absent(context, case, call) => absent_pp += pct,
                false => {}
            }
            proofs.extend(proof);
        }
        // Where it always goes on to one, it goes on to what else it never called before.
        let also_pp = if proved_pp >= MAIN_PART * grown_pp { absent_pp } else { 0.0 };
        (proved_pp + also_pp >= EXPLAINING_PART * grown_pp).then_some(proofs)
    };
    let finding = if is_proved(&|call| counted(context, case, call) == Some(true)) {
        finding
            .with(entered.iter().filter_map(|(call, _)| count_evidence(context, case, call)))
            .with(context.counted_by())
    } else if let Some(proofs) = proofs() {
        finding.with(proofs)
    } else {
        finding.limited(Confidence::Likely, Limit::PathNotCounted)
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether the before run hardly went on to a callee.
fn is_absent(context: &Context<'_>, case: &Case<'_>, call: &SampledCall) -> bool {
    let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
    context.callee(call).is_some_and(|callee| was_absent(context, callee.row, pct))
}

/// What a function's own code costs less, beyond noise, in percent: the shorter way itself is gone, or what was done there is done by
/// what it calls now.
fn less_self_pp(context: &Context<'_>, row: &Row) -> f64 {
    let is_sure = row.significant && !context.common_shift.explains(row, Judged::OwnSelf);
    let own_pp = context.common_shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    if is_sure { (-own_pp).max(0.0) } else { 0.0 }
}

/// What a function called of libraries before and hardly does now, in percent: another library call may have taken its place.
pub(super) fn library_left_pp(context: &Context<'_>, row: &Row) -> f64 {
    let left = context.calls_from(row, Side::Before).into_iter().filter_map(|call| {
        let of_library = context.callee(call).is_some_and(Case::is_of_library);
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        (of_library && pct.before >= FACTOR * pct.after).then_some(pct.before)
    });
    left.sum()
}

/// Whether most of a callee's weight on a side is library code in the code of its callers. That is their own code: which of the
/// library's names a sample in it has is up to the compiler, and is no path that was taken.
fn is_inlined_library(callee: &Case<'_>, side: Side) -> bool {
    let there = callee.row.side(side);
    is_library(callee)
        && there.booked_self_weight == Weight::ZERO
        && there.x_weight().as_f64() >= (1.0 - EXPLAINING_PART) * there.total_weight.as_f64()
}

/// Callees that the before run entered, too, must have grown by this factor, and by [`MORE_THAN_REST`] more than the rest of the
/// function did: the function is not merely called more often. A smaller factor is enough if the function's code has more
/// calls of the callee; the rest then tells nothing if it is light.
const MORE: f64 = 2.0;
const MORE_WITH_CALLS: f64 = 1.3;
const MORE_THAN_REST: f64 = 1.3;

/// What does more calls has more code of its own that runs, too.
const MORE_THAN_REST_WITH_CALLS: f64 = 1.1;

/// So many samples of a callee's own code tell whether it doubled.
const FEW_SAMPLES: u64 = 10;

/// A callee that the before run entered less, with its shares under the function.
struct MoreEntered<'a> {
    call: &'a SampledCall,
    pct: PerSide<f64>,
    /// Its calls in the function's code.
    calls: PerSide<u32>,
}

/// The same for callees that the before run entered less: the function's code differs, theirs does not (or in offsets only), and
/// most of the growth of the function is in them.
fn more_entered(
    context: &Context<'_>,
    case: &Case<'_>,
    newly: &[(&SampledCall, f64)],
    flipped: &FlippedCallers,
) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    // Offsets in a record do not choose a path.
    let differs = context.builds.same_code(&case.ids) == Some(false) && !context.is_relaid(case);
    let grown_pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    if !differs || !context.is_patched || grown_pp < FLOOR_PP {
        return None;
    }
    let calls = calls_of_code(context, case).into_iter();
    let more: Vec<MoreEntered<'_>> =
        calls.filter_map(|call| entered_more(context, case, call, flipped)).collect();
    let main = more.first()?;
    let has_more_calls = main.calls.after > main.calls.before;
    if !has_more_calls && hardly_goes_on(context, case, main.call) {
        return None;
    }
    let (before, after) = more.iter().fold((0.0, 0.0), |(before, after), more| {
        (before + shift.factor() * more.pct.before, after + more.pct.after)
    });
    // What the before run did not enter at all is on the same path.
    let is_known = |call: &SampledCall| more.iter().any(|more| std::ptr::eq(more.call, call));
    let newly_pp: f64 = newly.iter().filter(|(call, _)| !is_known(call)).map(|(_, pct)| pct).sum();
    let total = shift.factor() * row.before.total_pct;
    let rest = PerSide::new(total - before, row.after.total_pct - after - newly_pp);
    let always_goes_on = !has_more_calls && no_way_around(context, case, main.call).is_some();
    // So is code that is copied into it, where the code shows that it goes on.
    let copied = if always_goes_on { inlined_code_pct(case) } else { PerSide::default() };
    let rest = PerSide::new(rest.before - shift.factor() * copied.before, rest.after - copied.after);
    let rest = PerSide::new(rest.before.max(0.0), rest.after.max(0.0));
    let copied_pp = shift.own_change_pp(copied.before, copied.after).max(0.0);
    let is_light = has_more_calls && rest.before < FLOOR_RELATIVE * total;
    let than_rest = if has_more_calls { MORE_THAN_REST_WITH_CALLS } else { MORE_THAN_REST };
    let is_beyond_rest = is_light || after * rest.before >= than_rest * before * rest.after;
    let more_pp = after + newly_pp - before + copied_pp;
    // What is named must be a good part of it.
    if more_pp < EXPLAINING_PART * grown_pp
        || after - before < newly_pp
        || less_self_pp(context, row) > EXPLAINING_PART * more_pp
        || !is_beyond_rest
        || entered::anew_pp(context, case) >= EXPLAINING_PART * more_pp
    {
        return None;
    }
    let cause = if has_more_calls { Cause::MoreCalls } else { Cause::MissingFastPath };
    let reason = Reason::GoesOnMore {
        callee: main.call.callee.clone(),
        pct: main.pct,
        calls: has_more_calls.then_some(main.calls),
        total_pp: row.delta_total_pp(),
    };
    let facts = more.iter().map(|more| entered_evidence(context, case, more.call, more.pct.after));
    let finding = Finding::new("R-fast-path", cause, Judged::Total, reason).with(facts);
    let proof = match has_more_calls {
        true => proof_of_call_again(context, case, main.call),
        false => proof_of_path(context, case, main.call),
    };
    // The code proves that it goes on, and not that the copied code is on that way.
    let is_proved = proof.is_some() && after - before >= EXPLAINING_PART * grown_pp;
    // Other calls than before may cost more, too.
    let is_proved = is_proved && (has_more_calls || !does_more_inside(context, case, main.call));
    let finding = finding.with(proof);
    let is_counted = || {
        !has_more_calls
            && after - before >= EXPLAINING_PART * grown_pp
            && counted(context, case, main.call) == Some(true)
    };
    let finding = if is_proved {
        finding
    } else if is_counted() {
        finding.with(count_evidence(context, case, main.call)).with(context.counted_by())
    } else {
        finding.limited(Confidence::Likely, Limit::PathNotCounted)
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// The shares of code that is inlined in the machine code of a function.
fn inlined_code_pct(case: &Case<'_>) -> PerSide<f64> {
    PerSide::from_fn(|side| {
        let of = case.row.side(side);
        (of.booked_self_pct - of.own_code_pct()).max(0.0)
    })
}

/// The calls of a function, with those of copies that it alone contains in place of the copies. A function that is called in several
/// of them, or beside them, is left out: no call alone tells how much more it is called.
fn calls_of_code<'a>(context: &Context<'a>, case: &Case<'_>) -> Vec<&'a SampledCall> {
    let mut known = vec![case.row];
    let mut calls = context.calls_from(case.row, Side::After);
    let mut of_code = Vec::new();
    while let Some(call) = calls.pop() {
        let callee = context.callee(call);
        let is_copy = |callee: &&Case<'_>| {
            holder(context, callee).is_some_and(|holder| std::ptr::eq(holder.row, case.row))
        };
        match callee.filter(is_copy).filter(|copy| !known.iter().any(|row| std::ptr::eq(*row, copy.row))) {
            Some(copy) => {
                known.push(copy.row);
                calls.extend(context.calls_from(copy.row, Side::After));
            }
            None => of_code.push(call),
        }
    }
    let callee = |call: &SampledCall| context.callee(call).and_then(|callee| context.row_number(callee.row));
    let mut counts: FxHashMap<usize, usize> = FxHashMap::default();
    for row in of_code.iter().filter_map(|call| callee(call)) {
        *counts.entry(row).or_default() += 1;
    }
    of_code.retain(|call| callee(call).is_none_or(|row| counts.get(&row) == Some(&1)));
    of_code.sort_by(|a, b| b.after.cmp(&a.after).then_with(|| a.callee.cmp(&b.callee)));
    of_code
}

/// A callee, if the function enters it more than before.
fn entered_more<'a>(
    context: &Context<'a>,
    case: &Case<'_>,
    call: &'a SampledCall,
    flipped: &FlippedCallers,
) -> Option<MoreEntered<'a>> {
    let (row, shift) = (case.row, context.common_shift);
    let callee = context.callee(call)?;
    let number = context.row_number(callee.row);
    let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
    let calls = calls_that_run(context, case, callee);
    let has_more_calls = calls.after > calls.before && calls.before > 0;
    let is_lost = || runs_more(context, callee, pct) && has_fewer_ways_around(context, case, callee);
    if !has_more_calls && does_more_inside(context, case, call) && !is_lost() {
        return None;
    }
    let has_flipped_callees = || number.is_some_and(|number| flipped.callees.contains_key(&number));
    let is_same = context.has_like_code(callee)
        || has_same_source(context, callee, flipped)
        || is_more_here(context, callee, pct)
        || (has_more_calls && (has_flipped_callees() || context.builds.is_laid_out_anew(&callee.ids)));
    let has_left = number.is_some_and(|callee| has_flipped(context, flipped, row, callee));
    if callee.row.object != row.object
        || callee.is_stub()
        || !is_same
        || has_left
        || grew_by_what_left(context, flipped, callee)
    {
        return None;
    }
    let (before, after) = (shift.factor() * pct.before, pct.after);
    let always_goes_on = || no_way_around(context, case, call).is_some();
    let goes_on_more = || always_goes_on() || has_fewer_ways_around(context, case, callee);
    let is_enough = after >= MORE * before || has_more_calls || goes_on_more();
    if before <= 0.0 || after < MORE_WITH_CALLS * before || !is_enough {
        return None;
    }
    let is_more = has_grown(context, call, after - before);
    // Growth of what the callee calls does not say that it is called more; its own code, if it inlines as before, does.
    let (own, own_after) = (callee.row.before.booked_self_pct, callee.row.after.booked_self_pct);
    let is_sampled = Side::BOTH.iter().any(|side| callee.row.booked.samples(*side) >= FEW_SAMPLES);
    let is_flat = is_sampled && !has_flipped_callees() && own_after < MORE_WITH_CALLS * shift.factor() * own;
    // Where most of its calls come from elsewhere, it grows by less.
    let expected_pp = (after - before) * own_after / callee.row.after.total_pct;
    // Where the code has more calls, its own code may cost a standard error more than the samples say.
    let unsure_pp = if has_more_calls { Judged::Booked.half_width_pp(callee.row) / 2.0 } else { 0.0 };
    let own_pp = own_after - shift.factor() * own + unsure_pp;
    let is_flat = is_flat && own_pp < EXPLAINING_PART * expected_pp;
    let left = context.left_callers_pp(case, callee, Side::Before);
    let is_told = is_more && !is_flat && left < EXPLAINING_PART * (after - before);
    // What the code cannot leave out any more is called more here, whatever others do with it.
    (is_told || always_goes_on()).then_some(MoreEntered { call, pct, calls })
}

/// Whether the own code of a callee, without what is inlined there, costs more by half of what it costs more under a function where it has
/// these shares, on a log scale and up to a standard error: more calls of another mix.
fn runs_more(context: &Context<'_>, callee: &Case<'_>, here: PerSide<f64>) -> bool {
    let times = here.after / context.common_shift.without(here.before, Side::Before);
    let is_sampled = callee.row.before.samples >= MIN_SAMPLES;
    is_sampled && own_lines_at_most(context, callee).is_some_and(|own| own >= times.sqrt())
}

/// Whether a callee whose code differs grew so much more under the function, where it has these shares, than under its other callers
/// that its code cannot be why.
fn is_more_here(context: &Context<'_>, callee: &Case<'_>, here: PerSide<f64>) -> bool {
    let (before, after) =
        (callee.row.before.total_pct - here.before, callee.row.after.total_pct - here.after);
    let total = callee.row.before.total_pct;
    let samples = here.before / total * callee.row.total.samples(Side::Before) as f64;
    let is_known = before >= FLOOR_PP && samples >= MIN_SAMPLES as f64;
    let differs = context.builds.same_code(&callee.ids) == Some(false);
    differs && is_known && here.after * before >= MORE * here.before * after
}

/// How many calls a callee that left the function may be below a newly entered one.
const WRAPPED_DEPTH: usize = 3;

/// How many callees are looked at on each level, heaviest first.
const WRAPPED_WIDTH: usize = 16;

/// Whether a newly entered callee stands around one that the function entered itself before: at least half of its weight
/// is in callees that left the function. Then the way there is a longer one, and no path that was not taken.
fn is_wrapper(context: &Context<'_>, case: &Case<'_>, entered: &SampledCall) -> bool {
    let row = case.row;
    let pct = |call: &SampledCall, side| share_pct(row, side, call.weight(side));
    let has_left = |call: &&SampledCall| {
        let (before, after) = (pct(call, Side::Before), pct(call, Side::After));
        before > 0.0 && before >= FACTOR * after && *call.callee_object == *row.object
    };
    let calls = context.calls_from(row, Side::Before).into_iter().filter(has_left);
    // What was jumped to in tail position is under the function's caller in the stacks.
    let behind_jumps = context.lost_under(case).into_iter().filter(|(_, lost)| {
        let PerSide { before, after } = lost.pct;
        before > 0.0 && before >= FACTOR * after
    });
    let callees = calls.filter_map(|call| context.callee(call));
    let mut left: Vec<&str> = Vec::new();
    for callee in callees.chain(behind_jumps.map(|(callee, _)| callee)) {
        left.push(&callee.row.name);
        left.extend(callee.other_name.as_ref().map(|(_, name)| name.as_str()));
    }
    let Some(callee) = context.callee(entered).filter(|_| !left.is_empty()) else { return false };
    part_under(context, callee, &left, WRAPPED_DEPTH) >= EXPLAINING_PART
}

/// The part of a function's weight after that is in callees of these names, at most so many calls below it.
fn part_under(context: &Context<'_>, case: &Case<'_>, names: &[&str], depth: usize) -> f64 {
    let total = case.row.after.total_weight.as_f64();
    let parts = context.calls_from(case.row, Side::After).into_iter().take(WRAPPED_WIDTH).map(|call| {
        let part = if total > 0.0 { call.after.as_f64() / total } else { 0.0 };
        if names.contains(&call.callee.as_str()) {
            return part;
        }
        match context.callee(call).filter(|_| depth > 1 && part > 0.0) {
            Some(callee) => part * part_under(context, callee, names, depth - 1),
            None => 0.0,
        }
    });
    parts.sum()
}

/// Whether a callee costs more as a whole by half of what it costs more here: what only came from under other functions, wherever
/// they are, was done before too. A collector runs when memory runs out, whoever asks for it; a thread of a pool grows by all that
/// is handed to it.
pub(super) fn has_grown(context: &Context<'_>, call: &SampledCall, here_pp: f64) -> bool {
    context.callee(call).is_none_or(|callee| {
        let (before, after) = (callee.row.before.total_pct, callee.row.after.total_pct);
        let grown_pp = context.common_shift.own_change_pp(before, after);
        let is_enough = |pp: f64| pp >= EXPLAINING_PART * here_pp;
        is_enough(grown_pp) && is_enough(grown_pp - in_between::kept_pp(context, callee, Side::After))
    })
}

/// Whether counts say that the function now also calls a callee more often per call of its own; `None` where that was not
/// counted. Copies are counted as the function that contains them, which may call the callee elsewhere, too: then fewer calls refute nothing.
pub(super) fn counted(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<bool> {
    if counting_more(context, caller, call).is_some() {
        return Some(true);
    }
    let has_copies = main_holder(context, caller).is_some();
    if has_copies { None } else { is_counted_more(context, caller, call) }
}

/// The function whose counts say so: the caller, or the one that contains its copies.
fn counting_more<'c, 'a>(
    context: &'c Context<'a>,
    caller: &'c Case<'a>,
    call: &SampledCall,
) -> Option<&'c Case<'a>> {
    let mut counted = [Some(caller), main_holder(context, caller)].into_iter().flatten();
    counted.find(|caller| is_counted_more(context, caller, call) == Some(true))
}

/// A function that goes on in a smaller part of its calls still returns early in nearly all.
const LEAST_ENTRIES: f64 = 0.02;

/// Whether counts show that a function goes on to a callee in next to none of its calls.
fn hardly_goes_on(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> bool {
    let per_call =
        context.input.counts.and_then(|counts| counts.entries_per_call(&caller.row.name, &call.callee));
    per_call.is_some_and(|per_call| per_call.after < LEAST_ENTRIES)
}

/// Where the code lost a condition around the call, twice as often is enough; where it asks the same as before, no count is.
fn is_counted_more(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<bool> {
    let counts = context.input.counts?;
    let asks_the_same = |callee| asks_the_same_around(context, caller, callee);
    if hardly_goes_on(context, caller, call) || context.callee(call).is_some_and(asks_the_same) {
        return Some(false);
    }
    let is_more = |factor: f64| counts.is_entered_more(&caller.row.name, &call.callee, factor);
    let has_lost =
        || context.callee(call).is_some_and(|callee| has_fewer_ways_around(context, caller, callee));
    match is_more(FACTOR) {
        Some(false) if is_more(MORE) == Some(true) && has_lost() => Some(true),
        is_more => is_more,
    }
}

pub(super) fn count_evidence(context: &Context<'_>, caller: &Case<'_>, call: &SampledCall) -> Option<Fact> {
    let counts = context.input.counts?;
    let name = &counting_more(context, caller, call)?.row.name;
    let (calls, per_call) = (counts.get(name), counts.entries_per_call(name, &call.callee)?);
    let (caller, callee) = (name.to_string(), call.callee.clone());
    Some(Fact::Entries { caller, callee, calls, unit: counts.unit(), per_call })
}

/// The same, where the chains lost the function as the caller of what it now also calls, so that none of its own measures
/// shows it.
pub(super) fn hidden(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let is_entered = Side::BOTH.iter().all(|side| row.total.samples(*side) >= MIN_SAMPLES);
    let may_differ = context.builds.same_code(&case.ids) != Some(true) && !context.same_program;
    if !is_entered || !may_differ || is_library(case) {
        return None;
    }
    let grown_pp = |lost: PerSide<f64>| {
        let (before, after) = (row.before.total_pct + lost.before, row.after.total_pct + lost.after);
        context.common_shift.own_change_pp(before, after)
    };
    let (callee, lost) = context.lost_under(case).into_iter().find(|(callee, lost)| {
        let is_more = grown_pp(lost.pct) >= EXPLAINING_PART * lost.pct[Side::After];
        let PerSide { before, after } = lost.pct;
        let seen = context.calls_from(row, Side::Before).into_iter().find(|call| {
            *call.callee == *callee.row.name && call.callee_file.as_deref() == callee.row.file.as_deref()
        });
        let before = before + seen.map_or(0.0, |call| share_pct(row, Side::Before, call.before));
        let is_grown = after >= FLOOR_PP && after >= FACTOR * before && callee.row.total.significant;
        let has_left =
            context.row_number(callee.row).is_some_and(|callee| has_flipped(context, flipped, row, callee));
        // New code speaks for itself.
        let is_old =
            callee.held_by(Side::Before) == InBuild::Yes && callee.other_name.is_none() && !callee.is_stub();
        is_more && is_grown && is_old && !has_left && !callee.row.unresolved
    })?;
    let after_pct = lost.pct[Side::After];
    let reason = Reason::GoesOnUnseen { callee: callee.row.name.to_string(), after_pct };
    let fact =
        Fact::OnlyCaller { callee: callee.row.name.to_string(), caller: row.name.to_string(), after_pct };
    let finding = Finding::new("R-fast-path", Cause::MissingFastPath, Judged::Total, reason).with([fact]);
    let finding = finding.limited(Confidence::Likely, Limit::PathNotCounted);
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether the rest of a function costs as many times as much as a callee that the before run entered, too, by enough samples: the
/// function is called more, and goes on no further.
fn grew_as_the_rest(row: &Row, call: &SampledCall) -> bool {
    let all = PerSide::from_fn(|side| row.side(side).total_weight.as_f64());
    let callee = PerSide::from_fn(|side| call.weight(side).as_f64());
    let rest = PerSide::from_fn(|side| all[side] - callee[side]);
    let samples = callee.before / all.before * row.total.samples(Side::Before) as f64;
    samples >= FEW_SAMPLES as f64 && callee.after * rest.before < MORE * callee.before * rest.after
}

/// The callees that the run of one side alone entered from the row, with their share, heaviest first.
pub(super) fn only_entered<'a>(
    context: &Context<'a>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    side: Side,
) -> Vec<(&'a SampledCall, f64)> {
    let row = case.row;
    let entered = context.calls_from(row, side).into_iter().filter_map(|call| {
        let pct = |side| share_pct(row, side, call.weight(side));
        let callee = context.callee(call)?;
        let is_known = callee.other_name.is_some()
            || callee.row.unresolved
            || has_left(context, flipped, case, (callee, side));
        // Waiting in a library or in the kernel is not a path of the program's, unless the code shows that it is.
        let is_path =
            callee.row.object == row.object && !callee.is_stub() && !is_inlined_library(callee, side);
        // Where the shares of all functions grew, a greater one tells nothing.
        let factor = context.common_shift.factor();
        let shared = if side == Side::After { factor } else { 1.0 / factor };
        let is_entered = pct(side) > 0.0 && pct(side) >= FACTOR * pct(side.other()) * shared.max(1.0);
        let may_be_library = is_entered && side == Side::After && callee.is_of_library();
        // A chain that lost a caller shows calls that the code does not have; where the other run's chains lost the
        // callee's callers, it may have been entered from here all the same.
        let census = context.builds.census(side);
        let is_lost = census.is_some_and(|census| {
            has_caller(census, callee, side) && has_call(census, case, callee, side) == Some(false)
        }) || FACTOR * context.orphaned_pct(callee, side.other()) >= pct(side)
            || context.is_hidden_by_jump(case, callee, side.other());
        // What was under it before may have been reached by a jump in tail position: it can be exchanged all the same.
        let counts = side == Side::Before || !is_lost;
        let is_old = || is_old_call_of_place(context, case, callee, side);
        let is_heavier = || {
            side == Side::After
                && (costs_more_itself(context, case, call) || grew_by_what_left(context, flipped, callee))
        };
        let is_path = || is_path || may_be_library && has_lost_way_around(context, case, callee);
        (is_entered && !is_known && counts && !is_old() && !is_heavier() && is_path())
            .then_some((call, pct(side)))
    });
    entered.collect()
}

/// Whether a call from a function that runs only inlined is not new to the code that contains it: that has no more calls of the
/// callee, and the other run entered the callee from there, too. A compiler makes one call of two that are the same, and its
/// lines then name either of the inlined functions.
fn is_old_call_of_place(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, side: Side) -> bool {
    let Some(place) = place(context, case) else { return false };
    let calls = PerSide::from_fn(|side| calls_in_code(context, place, callee, side));
    let of_callee =
        |call: &&SampledCall| context.callee(call).is_some_and(|called| std::ptr::eq(called.row, callee.row));
    let was_entered = context.calls_from(place.row, side.other()).iter().any(|call| {
        of_callee(call) && FACTOR * share_pct(place.row, side.other(), call.weight(side.other())) >= FLOOR_PP
    });
    calls[side] <= calls[side.other()] && was_entered
}
