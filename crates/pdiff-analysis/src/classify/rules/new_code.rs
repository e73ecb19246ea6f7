//! `R-new-code` and `R-gone`: the function is absent from the other side's binary.
//!
//! It is the code that proves this, never the absence of samples: the other build was read to its last unit, and has no
//! symbol, no inlined instance and no renamed twin.

use std::collections::BTreeSet;

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::{PerSide, Side};

use super::code_counts::{code_bytes, has_no_body};
use super::holder::code_with_call;
use super::in_between;
use super::succession;
use super::weight::changed;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::likeness::are_named_alike;
use crate::classify::limit::Limit;
use crate::classify::lost_callers::{has_call, has_caller};
use crate::classify::reason::{Reason, TwinSearch};
use crate::classify::rules::FlippedCallers;
use crate::classify::succession::{
    called_instead, dropped_library_call, successions, took_calls_from_elsewhere, took_over_calls,
    took_over_calls_of,
};
use crate::compare::{Row, SampledCall};
use crate::matching::file_stem;
use crate::noise::FLOOR_PP;

/// A vanished function under the same caller whose share differs by no more than this factor may be the same function
/// under another name.
const TWIN_FACTOR: f64 = 2.0;

/// How many callers are named.
const NAMED: usize = 3;

/// How names of lambdas and unnamed types are spelt.
const LOCAL_NAMES: [&str; 5] = ["{lambda", "<lambda", "'lambda", "{unnamed", "$_"];

/// A function with this part of its weight in its own code and what is inlined there calls nothing that counts.
const NEARLY_ALL: f64 = 0.9;

/// The functions that contain copies of new code grow at least by this part of what the copies weigh.
const LEAST_GROWN: f64 = 0.3;

/// Names of which this part is common may be those of one function.
const LIKE_NAME: f64 = 0.5;

/// A function of whose total less than this part is new may only be a new caller of what was there before...
const MOSTLY_NEW: f64 = 0.5;

/// ...and one of which less than this is, is nothing else.
const HARDLY_NEW: f64 = 0.2;

/// A function that has this part of its code at most gave the rest to what it calls instead.
const LEFT_PART: f64 = 0.5;

/// Code that lost so much of a function's length, and of its cost, may have been cut in two.
const CUT_PART: f64 = 0.5;

/// A function of both builds that lost this part of what it cost itself...
const LOST_PART: f64 = 0.4;

/// ...and so much of what new code costs may have left its work to that, which has up to ten times the data.
const LEAST_OF_NEW: f64 = 0.1;

/// No more functions are looked at that a function leads to.
const MOST_LED_TO: usize = 256;

/// So many functions of one build only may be between a function and the code that it is a part of.
const FARTHEST_HEIR: usize = 8;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    // A stub is the linker's: whether there is one depends on how the program is linked.
    let without =
        Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::No && !case.is_stub())?;
    let judged = changed(case)?;
    if context.builds.is_inlined_without_instance(without, &case.row.name) {
        let reason = Reason::InlinedWithoutInstance { hidden: without };
        let finding = Finding::new("R-not-visible", Cause::Unclear, judged, reason);
        return Some(finding.limited(Confidence::Unclear, Limit::InlinedWithoutInstance(without)));
    }
    if let Some(between) = in_between::only_leads_on(context, case, without.other()) {
        return Some(between);
    }
    let (rule_id, cause) = match without {
        Side::Before => ("R-new-code", Cause::NewOverhead),
        Side::After => ("R-gone", Cause::Gone),
    };
    let with = without.other();
    let callers = callers(context, case, with);
    let census = context.builds.census(with);
    let is_inlined = has_no_body(context, case, with);
    // Copies are entered without a call.
    let is_entered = |census: &Census| {
        let is_copied = |id: &FunctionId| census.inlined_into(*id).next().is_some();
        is_inlined || case.ids[with].iter().any(is_copied) || has_caller(census, case, with)
    };
    let by_pointer = census.is_some_and(|census| !is_entered(census));
    let namesake = context.namesake(case, with);
    let search = match namesake {
        Some(other) => TwinSearch::LikeNamed(other.to_owned()),
        None if is_inlined => TwinSearch::NotDone,
        None => TwinSearch::Nothing,
    };
    let reason = Reason::InNoForm { without, caller: callers.first().cloned(), by_pointer, search };
    let mut finding = Finding::new(rule_id, cause, judged, reason);
    finding.callers = callers;
    if let Some(twin) = twin(context, case, with, flipped) {
        finding = finding.limited(Confidence::Likely, Limit::LikeShare { twin, on: without });
    }
    if !context.builds.absence_is_certain(with) {
        finding = finding.limited(Confidence::Likely, Limit::NoTwinSearch(with));
    }
    if is_inlined {
        finding = finding.limited(Confidence::Likely, Limit::NoOwnBody(with));
    }
    if is_within_places(context, case, with, flipped) {
        finding = finding.limited(Confidence::Unclear, Limit::WithinPlaces(with));
    }
    if let Some(copy) = vanished_copy(context, case, with) {
        finding = finding.limited(Confidence::Likely, Limit::VanishedCopy { copy, in_build: without });
    } else if let Some(other) = namesake.map(str::to_owned) {
        finding = finding.limited(Confidence::Likely, Limit::LikeNamed { other, in_build: without });
    }
    if let Some(other) = context.instances().of_template(&case.row.name, without) {
        let (name, in_build) = (other.name.clone(), without);
        let limit = match other.is_of_one {
            true => Limit::OtherInstance { other: name, in_build },
            false => Limit::KnownTemplate { other: name, in_build },
        };
        finding = finding.limited(Confidence::Likely, limit);
    }
    let instead = called_instead(context, case, with).or_else(|| dropped_library_call(context, case, with));
    if let Some(other) = instead.and_then(|id| named(context, without, id)) {
        finding = finding.limited(Confidence::Likely, Limit::CalledInstead { other, in_build: without });
    }
    let row = context.row_number(case.row);
    let is_doubtful = row.is_some_and(|row| successions(context, flipped).is_doubtful(row));
    let is_doubtful = is_doubtful
        || took_over_calls(context, case, with)
        || took_calls_from_elsewhere(context, case, with)
        || is_body_of_caller(context, case, with)
        || is_cut_from_caller(context, case, with, flipped)
        || is_part_of_heir(context, case, with, flipped);
    let is_called = finding.callers.is_empty().then(|| is_called(context, case, with));
    if is_doubtful || is_called == Some(true) {
        finding = finding.limited(Confidence::Likely, Limit::LosingKin);
    }
    if is_called == Some(false) && context.calls_to(case.row, with).is_empty() {
        finding = finding.limited(Confidence::Likely, Limit::NoCallerSeen(with));
    }
    let other_work = match with {
        Side::After => work_giver(context, case, flipped).map(Limit::MayDoWorkOf),
        Side::Before => work_taker(context, case, flipped).map(Limit::WorkMayBeOf),
    };
    if let Some(limit) = other_work {
        finding = finding.limited(Confidence::Likely, limit);
    }
    let modules = context.modules();
    if let Some(module) = modules.rewritten_in_place(&case.row.name) {
        finding = finding.limited(Confidence::Likely, Limit::RewrittenModule(module));
    }
    if let Some(module) = modules.moved(&case.row.name) {
        finding = finding.limited(Confidence::Likely, Limit::MovedModule(module));
    }
    if is_local_name(&case.row.name) {
        let at_most = match context.builds.same_compiler(&case.ids) {
            Some(true) => Confidence::Likely,
            _ => Confidence::Unclear,
        };
        finding = finding.limited(at_most, Limit::LocalName);
    }
    if is_library(case) {
        finding = finding.limited(Confidence::Likely, Limit::Library);
    }
    if only_leads_to_library(context, case, with) {
        finding = finding.limited(Confidence::Likely, Limit::InCallees);
    }
    if judged == Judged::Total {
        let new_part = new_part(context, case, with);
        if new_part < HARDLY_NEW {
            finding = finding.limited(Confidence::Unclear, Limit::InCallees);
        } else if new_part < MOSTLY_NEW {
            finding = finding.limited(Confidence::Likely, Limit::InCallees);
        }
    }
    Some(gates::common(finding, case))
}

fn named(context: &Context<'_>, side: Side, id: FunctionId) -> Option<String> {
    Some(context.builds.census(side)?.function(id)?.name().to_owned())
}

/// Whether nearly all of its weight is under generic code of a library that both runs entered, and not in its own machine code: what
/// the library does there, the callers of the function may have asked it for themselves.
fn only_leads_to_library(context: &Context<'_>, case: &Case<'_>, with: Side) -> bool {
    let calls = context.calls_from(case.row, with).into_iter();
    let of_library = calls.filter(|call| {
        context.callee(call).is_some_and(|callee| {
            callee.of_program
                && is_library(callee)
                && Side::BOTH.into_iter().all(|side| callee.is_sampled(side))
        })
    });
    let pct: f64 = of_library.map(|call| share_pct(case.row, with, call.weight(with))).sum();
    let of = case.row.side(with);
    pct >= NEARLY_ALL * of.total_pct && of.booked_self_pct <= (1.0 - NEARLY_ALL) * of.total_pct
}

/// The row of a function under the name that it has on another side.
fn named_there<'c>(context: &'c Context<'_>, case: &Case<'_>, there: Side) -> Option<&'c Row> {
    let (_, name) = case.other_name.as_ref().filter(|(side, _)| *side == there)?;
    context.program_row(name, None)
}

/// The part of its total that the other run did not have: all but what functions of both builds do below it that cost no more in the
/// whole program.
fn new_part(context: &Context<'_>, case: &Case<'_>, with: Side) -> f64 {
    let without = with.other();
    let was_there = |call: &SampledCall| {
        let callee = context.callee(call).filter(|callee| callee.of_program)?;
        let is_held = callee.held_by(without) == InBuild::Yes;
        let there = if is_held { callee.row } else { named_there(context, callee, without)? };
        let grown_pp = callee.row.side(with).total_pct - there.side(without).total_pct;
        let under_pp = share_pct(case.row, with, call.weight(with));
        Some((under_pp - grown_pp.max(0.0)).max(0.0))
    };
    let there_pp: f64 = context.calls_from(case.row, with).into_iter().filter_map(was_there).sum();
    1.0 - there_pp / case.row.side(with).total_pct.max(f64::MIN_POSITIVE)
}

/// The nearest function above that both builds have, or one that it led to, if it has other code and costs much less itself, or if functions
/// are known to have taken over parts of it: the case may do what that one did, for more data.
fn work_giver(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<String> {
    let above = nearest_of_both(context, case, Side::After)?;
    let heirs = |of: &Case<'_>| {
        let set = context.row_number(of.row).and_then(|row| successions(context, flipped).of_row(row))?;
        (!set.after.is_empty()).then_some(set.after.len())
    };
    let shift = context.common_shift;
    let own_pct = case.row.after.total_pct;
    let is_much = |pct: PerSide<f64>| {
        let before = shift.without(pct.before, Side::Before);
        before - pct.after >= FLOOR_PP.max(LOST_PART * before).max(LEAST_OF_NEW * own_pct)
    };
    let gave = |other: &Case<'_>| {
        let is_other_code = other.held_by(Side::After) == InBuild::No
            || (context.builds.same_code(&other.ids) == Some(false) && !context.has_like_code(other));
        // What is known to have taken its place has its work.
        is_other_code
            && heirs(other).is_none()
            && other.of_program
            && !is_library(other)
            && is_much(PerSide::from_fn(|side| other.row.side(side).self_pct))
    };
    // What calls it itself was split: it may be one of the parts.
    let calls_it =
        || real_caller(context, case, Side::After).is_some_and(|by| std::ptr::eq(by.row, above.row));
    let is_split = heirs(above).is_some_and(|after| after > 1) && calls_it();
    if is_split || gave(above) {
        return Some(above.row.name.to_string());
    }
    // Down through functions that are gone, too.
    let mut open: Vec<&Case<'_>> = vec![above];
    let mut met: Vec<&Row> = Vec::new();
    while let Some(caller) = open.pop() {
        for call in context.calls_from(caller.row, Side::Before) {
            let Some(callee) = context.callee(call) else { continue };
            if met.len() >= MOST_LED_TO || met.iter().any(|row| std::ptr::eq(*row, callee.row)) {
                continue;
            }
            met.push(callee.row);
            if gave(callee) {
                return Some(callee.row.name.to_string());
            }
            if callee.held_by(Side::After) == InBuild::No && heirs(callee).is_none() {
                open.push(callee);
            }
        }
    }
    None
}

/// The nearest function above, on a side, that both builds have.
fn nearest_of_both<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>, with: Side) -> Option<&'c Case<'a>> {
    let callers =
        std::iter::successors(real_caller(context, case, with), |of| real_caller(context, of, with));
    callers.take(FARTHEST_HEIR).find(|caller| caller.held_by(with.other()) == InBuild::Yes)
}

/// The function that calls it most by the stacks, if it does so by the code, too: else they lost the caller.
fn real_caller<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>, side: Side) -> Option<&'c Case<'a>> {
    let caller = context.calls_to(case.row, side).into_iter().find_map(|call| context.caller(call))?;
    let is_real = |census| has_call(census, caller, case, side) != Some(false);
    context.builds.census(side).is_none_or(is_real).then_some(caller)
}

/// A function that is new and led to from the nearest function above one that is gone that both builds have, if nothing is known that it
/// took the place of: it may do that one's work.
fn work_taker(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<String> {
    let above = nearest_of_both(context, case, Side::Before)?;
    let least = LEAST_OF_NEW * context.common_shift.without(case.row.before.total_pct, Side::Before);
    let mut open: Vec<&Case<'_>> = vec![above];
    let mut met: Vec<&Row> = Vec::new();
    while let Some(caller) = open.pop() {
        for call in context.calls_from(caller.row, Side::After) {
            let is_new =
                |callee: &&Case<'_>| callee.held_by(Side::Before) == InBuild::No && callee.of_program;
            let Some(callee) = context.callee(call).filter(is_new) else { continue };
            if met.len() >= MOST_LED_TO || met.iter().any(|row| std::ptr::eq(*row, callee.row)) {
                continue;
            }
            met.push(callee.row);
            let set =
                context.row_number(callee.row).and_then(|row| successions(context, flipped).of_row(row));
            let is_of_nothing = set.is_none_or(|set| set.before.is_empty());
            if is_of_nothing && share_pct(caller.row, Side::After, call.after) >= least {
                return Some(callee.row.name.to_string());
            }
            open.push(callee);
        }
    }
    None
}

/// Whether it has the body that its main caller had in the other build: that one does little but call it, and has half of its code
/// at most. It can cost more only because it is called more.
fn is_body_of_caller(context: &Context<'_>, case: &Case<'_>, with: Side) -> bool {
    let censuses = context.builds.census(with).zip(context.builds.census(with.other()));
    let Some((own, other)) = censuses else { return false };
    let Some(call) = context.calls_to(case.row, with).into_iter().next() else { return false };
    let is_known = |caller: &&Case<'_>| {
        caller.of_program && Side::BOTH.into_iter().all(|side| caller.is_sampled(side)) && !is_library(caller)
    };
    let Some(caller) = context.caller(call).filter(is_known) else { return false };
    let under = share_pct(case.row, with, call.weight(with));
    let (here, there) = (caller.code_bytes(own, with), caller.code_bytes(other, with.other()));
    let is_shorter = here > 0 && here as f64 <= LEFT_PART * there as f64;
    is_shorter
        && under >= NEARLY_ALL * case.row.side(with).total_pct
        && under >= NEARLY_ALL * caller.row.side(with).total_pct
}

/// Whether it may be a part of its callers' code: of its main caller, or of several with half of its total together. These are shorter by half of the
/// function's length, and their own code may have lost half of the function's total, by the end of its 95 % interval that allows most. A new
/// call alone makes code longer.
fn is_cut_from_caller(context: &Context<'_>, case: &Case<'_>, with: Side, flipped: &FlippedCallers) -> bool {
    let less_pp = |caller| cut_pp(context, case, caller, with, flipped);
    let least = CUT_PART * case.row.side(with).total_pct;
    if real_caller(context, case, with).and_then(less_pp).is_some_and(|less| less >= least) {
        return true;
    }
    let calls = context.calls_to(case.row, with).into_iter();
    let cut = calls.filter_map(|call| {
        let under = share_pct(case.row, with, call.weight(with));
        Some((under, less_pp(context.caller(call)?)?.max(0.0)))
    });
    let (under, less) = cut.fold((0.0, 0.0), |(under, less), of| (under + of.0, less + of.1));
    under >= least && less >= least
}

/// How much less the own code of a caller that is shorter by half of the function's length costs in this build, at most; `None` of another.
fn cut_pp(
    context: &Context<'_>,
    case: &Case<'_>,
    caller: &Case<'_>,
    with: Side,
    flipped: &FlippedCallers,
) -> Option<f64> {
    let caller = code_with_call(context, caller, case);
    // What is inlined there no longer, or now, has its own length and cost.
    if context.row_number(caller.row).is_some_and(|row| flipped.callees.contains_key(&row)) {
        return None;
    }
    let bytes = |of: &Case<'_>, side: Side| code_bytes(context, of)[side] as f64;
    let (own, here, there) = (bytes(case, with), bytes(caller, with), bytes(caller, with.other()));
    let noise = &caller.row.booked;
    let common_pp = (1.0 - context.common_shift.factor()) * caller.row.before.booked_self_pct;
    let less = |pp: f64| if with == Side::After { -(pp + common_pp) } else { pp + common_pp };
    let at_most = less(noise.ci_low_pp).max(less(noise.ci_high_pp));
    (own > 0.0 && here > 0.0 && here + CUT_PART * own <= there).then_some(at_most)
}

/// Whether it is a part of code that took the place of other code: the function that calls it most is itself in this build alone and did
/// so, and the case does a part of what that other code did; or one that leads to it through new code is, and costs no more
/// than what it replaced.
fn is_part_of_heir(context: &Context<'_>, case: &Case<'_>, with: Side, flipped: &FlippedCallers) -> bool {
    let found = successions(context, flipped);
    let mut here = case;
    for _ in 0..FARTHEST_HEIR {
        let caller = context.calls_to(here.row, with).into_iter().find_map(|call| context.caller(call));
        // Under its other name it is in a set only if it took over the weight of others.
        let is_heir =
            |caller: &&Case<'_>| caller.held_by(with.other()) == InBuild::No || caller.other_name.is_some();
        let Some(heir) = caller.filter(is_heir) else { return false };
        if let Some(set) = context.row_number(heir.row).and_then(|row| found.of_row(row)) {
            let replaced = set.of(with.other()).iter().filter_map(|row| context.cases.get(*row));
            let replaced: Vec<&Case<'_>> = replaced.collect();
            let net_pp = succession::net_pp(context, set);
            let costs_no_more = if with == Side::After { net_pp <= 0.0 } else { net_pp >= 0.0 };
            let is_next = std::ptr::eq(here, case);
            if costs_no_more || (is_next && took_over_calls_of(context, (case, heir), &replaced, with)) {
                return true;
            }
        }
        here = heir;
    }
    false
}

/// Whether one build contains it inlined only, in functions of both builds that did not change by what it weighs: then their
/// samples may only count for other lines.
fn is_within_places(context: &Context<'_>, case: &Case<'_>, with: Side, flipped: &FlippedCallers) -> bool {
    let quantities = case.row.side(with);
    let is_leaf = quantities.x_pct() >= NEARLY_ALL * quantities.total_pct;
    if !is_leaf || !has_no_body(context, case, with) {
        return false;
    }
    let places = case
        .row
        .inlined_into(with)
        .iter()
        .map(|place| context.case(&place.caller, &case.row.object, place.caller_file.as_deref()));
    let Some(places) = places.collect::<Option<Vec<&Case<'_>>>>().filter(|places| !places.is_empty()) else {
        return false;
    };
    // A place that has another name there is the same place.
    let there = |place: &Case<'_>| {
        if Side::BOTH.into_iter().all(|side| place.is_sampled(side)) {
            return Some(place.row.side(with.other()).booked_self_pct);
        }
        let row = named_there(context, place, with.other())?;
        Some(row.side(with.other()).booked_self_pct).filter(|pct| *pct > 0.0)
    };
    let grown_pp = |place: &Case<'_>| {
        let has_flipped = |row| flipped.callees.contains_key(&row);
        let is_flipped = context.row_number(place.row).is_some_and(has_flipped);
        let (here, there) = (place.row.side(with).booked_self_pct, there(place).filter(|_| !is_flipped)?);
        Some(match with {
            Side::After => context.common_shift.own_change_pp(there, here),
            Side::Before => -context.common_shift.own_change_pp(here, there),
        })
    };
    let grown: Option<Vec<f64>> = places.into_iter().map(grown_pp).collect();
    grown.is_some_and(|grown| grown.iter().sum::<f64>() < LEAST_GROWN * quantities.x_pct())
}

/// Whether the code of its build calls it. If none of these callers was sampled, the stacks lost them, and what else they called
/// is not known.
fn is_called(context: &Context<'_>, case: &Case<'_>, with: Side) -> bool {
    let census = context.builds.census(with);
    census.is_some_and(|census| case.ids[with].iter().any(|id| census.calls_to(*id).next().is_some()))
}

/// A function that the build without the case contains only inlined, in a caller of the case and from its file, that the other build
/// lacks, and that is named like the case: it may be the same function.
fn vanished_copy(context: &Context<'_>, case: &Case<'_>, with: Side) -> Option<String> {
    let (own, other) = (context.builds.census(with)?, context.builds.census(with.other())?);
    let callers = case.ids[with].iter().flat_map(|id| own.calls_to(*id)).map(|edge| edge.caller);
    let callers: Vec<FunctionId> = callers
        .flat_map(|caller| context.builds.matches(with, &[caller]))
        .map(|found| if with == Side::After { found.before } else { found.after })
        .collect();
    let file = case.ids[with].iter().find_map(|id| own.function(*id)?.file()).map(file_stem)?;
    let is_like = |function: &Function<'_>| {
        function.file().is_some_and(|of| file_stem(of) == file)
            && function.bodies().is_empty()
            && are_named_alike(function.name(), &case.row.name, LIKE_NAME)
            && context.builds.matches(with.other(), &[function.target()]).is_empty()
    };
    let copies: BTreeSet<FunctionId> =
        callers.iter().flat_map(|caller| other.sites_by_caller(*caller)).map(|site| site.callee).collect();
    let found = copies.into_iter().filter_map(|copy| other.function(copy)).find(is_like);
    found.map(|function| function.name().to_owned())
}

/// Who calls it: the stacks tell, unless they lost the caller and show one that does not call it in the code; then those in
/// the code that were sampled. Calls through pointers are not in the code, so where neither tells, the stacks do.
fn callers(context: &Context<'_>, case: &Case<'_>, with: Side) -> Vec<String> {
    let census = context.builds.census(with);
    let of_code = case.ids[with]
        .iter()
        .flat_map(|id| census.into_iter().flat_map(|census| census.calls_to(*id)))
        .filter_map(|edge| census?.function(edge.caller))
        .filter(|caller| {
            let of_code = context.case(caller.name(), &case.row.object, caller.file());
            of_code.is_some_and(|of_code| of_code.is_sampled(with))
        })
        .map(|caller| caller.name().to_owned());
    let is_real =
        |caller: &Case<'_>| census.is_none_or(|census| has_call(census, caller, case, with) != Some(false));
    let sampled: Vec<(&str, bool)> = context
        .calls_to(case.row, with)
        .into_iter()
        .filter_map(|call| Some((call.caller.as_str(), context.caller(call)?)))
        .filter(|(_, caller)| caller.of_program && !caller.row.unresolved)
        .map(|(name, caller)| (name, is_real(caller)))
        .collect();
    let real = sampled.iter().filter(|(_, is_real)| *is_real).take(NAMED);
    let mut callers: Vec<String> = real.map(|(name, _)| (*name).to_owned()).collect();
    for name in of_code {
        if callers.len() < NAMED && !callers.contains(&name) {
            callers.push(name);
        }
    }
    if callers.is_empty() {
        callers = sampled.iter().take(NAMED).map(|(name, _)| (*name).to_owned()).collect();
    }
    callers
}

/// Whether the name contains one that the compiler chose.
pub(super) fn is_local_name(name: &str) -> bool {
    LOCAL_NAMES.iter().any(|part| name.contains(part))
}

/// A function of the other side only, under the same caller, of a like share, unless it is known to have another successor: one that
/// this side alone has.
fn twin(context: &Context<'_>, case: &Case<'_>, with: Side, flipped: &FlippedCallers) -> Option<String> {
    let without = with.other();
    let own_pct = case.row.side(with).total_pct;
    let caller = context.calls_to(case.row, with).first().copied()?;
    let caller = context.caller(caller)?.row;
    let is_of_one_build =
        |row: &usize| context.cases.get(*row).is_some_and(|member| member.held_by(without) == InBuild::No);
    let is_free = |callee: &Case<'_>| {
        let set = context.row_number(callee.row).and_then(|row| successions(context, flipped).of_row(row));
        set.is_none_or(|set| !set.of(with).iter().any(is_of_one_build))
    };
    let is_twin = |callee: &Case<'_>, pct: f64| {
        let is_like = pct <= TWIN_FACTOR * own_pct && own_pct <= TWIN_FACTOR * pct;
        callee.held_by(with) == InBuild::No && is_like && is_free(callee)
    };
    context.calls_from(caller, without).into_iter().find_map(|call| {
        let callee = context.callee(call)?;
        let pct = share_pct(callee.row, without, call.weight(without));
        is_twin(callee, pct).then(|| callee.row.name.to_string())
    })
}
