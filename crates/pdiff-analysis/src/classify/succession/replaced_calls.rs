//! A function that was called where another one is called now, be it of a library, and a function that calls what its caller called
//! before: the code tells so, whatever the runs entered.

use super::kinship::{INHERITED_PART, Kinship, weight};
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;
use crate::classify::library::is_of_library;
use pdiff_profile::Side;
use pdiff_profile::census::{Census, FunctionId, Linkage};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// One caller may have exchanged any call for any other.
const LEAST_CALLERS: usize = 2;

/// The part of the callers of either function that must have exchanged one for the other.
const MOST_CALLERS: f64 = 0.5;

/// The lighter of two functions that are one has at least this part of the other's weight.
const LEAST_ALIKE: f64 = 0.5;

/// One call may have moved for another reason than that code moved.
const LEAST_TAKEN: usize = 2;

/// What is called beside a function shares more with it by chance: what all programs call.
const LEAST_TAKEN_BESIDE: usize = 3;

/// A function of more bytes has code of its own, and may have left out one call and made another.
const FORWARDER_BYTES: u64 = 64;

/// A library that lost this part of a function's weight, at least, may have done what that does.
const DOUBTFUL_PART: f64 = 0.25;

/// So many functions of one build only may be between a function and the callers that both have, and that one.
const FARTHEST_CALLER: usize = 4;

/// The function that the callers of a case of side `with` called in the other build, which this build lacks: most of the callers
/// of each, of those that both builds have, call or contain the other one; or a caller does nothing but call it,
/// and does nothing but call that one there.
pub(in crate::classify) fn called_instead(
    context: &Context<'_>,
    case: &Case<'_>,
    with: Side,
) -> Option<FunctionId> {
    let (own, other) = context.builds.census(with).zip(context.builds.census(with.other()))?;
    let ours: BTreeSet<FunctionId> =
        case.ids[with].iter().flat_map(|id| known_callers(context, own, with, *id)).collect();
    let is_gone = |id: FunctionId| {
        let is_own = other.function(id).is_some_and(|of| !is_of_library(of.name(), of.file()));
        is_own && context.builds.match_of(with.other(), id).is_none()
    };
    let forwarded = || forwarded_instead(context, case, with).filter(|id| is_gone(*id));
    if ours.len() < LEAST_CALLERS {
        return forwarded();
    }
    let mut exchanged: FxHashMap<FunctionId, usize> = FxHashMap::default();
    for callee in ours.iter().flat_map(|caller| used(other, *caller)) {
        *exchanged.entry(callee).or_default() += 1;
    }
    let is_most = |part: usize, of: usize| part >= LEAST_CALLERS && part as f64 >= MOST_CALLERS * of as f64;
    let candidates = exchanged.into_iter().filter(|(_, count)| is_most(*count, ours.len()));
    let replaced = candidates.filter(|(id, _)| is_gone(*id)).filter(|(id, count)| {
        // The callers of either are counted by their names in the other function's build.
        let of_gone = users(other, *id).into_iter();
        let known = of_gone.filter(|user| context.builds.match_of(with.other(), *user).is_some());
        is_most(*count, known.count())
    });
    let most = replaced.max_by_key(|(id, count)| (*count, std::cmp::Reverse(*id)));
    most.map(|(id, _)| id).or_else(forwarded)
}

/// The function of a library that the nearest callers of a case of side `with`, of those that both builds have, called in the other
/// build, and that no code of this build calls, if the library lost enough there: the program may do now what the library did for it,
/// or the other way round.
pub(in crate::classify) fn dropped_library_call(
    context: &Context<'_>,
    case: &Case<'_>,
    with: Side,
) -> Option<FunctionId> {
    let (own, other) = context.builds.census(with).zip(context.builds.census(with.other()))?;
    let least = DOUBTFUL_PART * case.row.side(with).total_pct;
    let is_dropped = |id: &FunctionId| {
        let stub = other.function(*id).filter(|of| of.linkage() == Linkage::Imported);
        stub.is_some_and(|stub| own.find(stub.name()).next().is_none())
            && context.builds.match_of(with.other(), *id).is_none()
            && stub.is_some_and(|stub| library_lost_pct(context, stub.name(), with) >= least)
    };
    let mut seen: BTreeSet<FunctionId> = case.ids[with].iter().copied().collect();
    let mut fresh: Vec<FunctionId> = seen.iter().copied().collect();
    for _ in 0..FARTHEST_CALLER {
        let mut above = Vec::new();
        for user in fresh.into_iter().flat_map(|id| users(own, id)).filter(|user| seen.insert(*user)) {
            match partner(context, with, user) {
                Some(known) => {
                    if let Some(library) = used(other, known).into_iter().find(is_dropped) {
                        return Some(library);
                    }
                }
                None => above.push(user),
            }
        }
        fresh = above;
    }
    None
}

/// What functions of libraries that have the name of a stub in theirs (`__vfprintf_internal`) cost less in the run of side `with`, in
/// percent of it.
fn library_lost_pct(context: &Context<'_>, stub: &str, with: Side) -> f64 {
    let Some(name) = stub.split('@').next().filter(|name| !name.is_empty()) else { return 0.0 };
    let of_name = context.libraries().filter(|case| has_word(&case.row.name, name));
    let change = |case: &Case<'_>| {
        let (before, after) = (case.row.before.self_pct, case.row.after.self_pct);
        context.common_shift.own_change_pp(before, after)
    };
    let change_pp: f64 = of_name.map(change).sum();
    if with == Side::After { -change_pp } else { change_pp / context.common_shift.factor() }
}

/// Whether a name contains another one as a whole: `__vfprintf_internal` has `vfprintf`, `start_thread` has no `read`.
fn has_word(name: &str, word: &str) -> bool {
    let is_letter = |of: Option<&u8>| of.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    name.match_indices(word).any(|(at, _)| {
        let before = at.checked_sub(1).and_then(|at| bytes.get(at));
        !is_letter(before) && !is_letter(bytes.get(at + word.len()))
    })
}

/// What a caller of a case of side `with` calls in the other build, if it does nothing else in either.
fn forwarded_instead(context: &Context<'_>, case: &Case<'_>, with: Side) -> Option<FunctionId> {
    let (own, other) = context.builds.census(with).zip(context.builds.census(with.other()))?;
    let only = |census: &Census, caller: FunctionId| {
        let is_thin = census.function(caller).is_some_and(|caller| caller.code_bytes() <= FORWARDER_BYTES);
        let used = used(census, caller);
        used.first().copied().filter(|_| is_thin && used.len() == 1)
    };
    case.ids[with].iter().find_map(|id| {
        let forwarders = users(own, *id).into_iter().filter(|user| only(own, *user) == Some(*id));
        forwarders.filter_map(|user| only(other, partner(context, with, user)?)).next()
    })
}

impl Kinship<'_, '_> {
    /// Adds to the renamed functions those of which the callers exchanged one for the other, both ways, and which weigh about as much.
    pub(super) fn exchanged(&self, fresh: &[(usize, Side)], renamed: &mut Vec<(usize, usize)>) {
        let of = |row: usize, with: Side| {
            let other = called_instead(self.context, self.context.cases.get(row)?, with)?;
            self.rows[with.other()].get(&other).copied()
        };
        let new: Vec<usize> =
            fresh.iter().filter(|(_, with)| *with == Side::After).map(|(row, _)| *row).collect();
        let pairs: Vec<Option<(usize, usize)>> = new
            .par_iter()
            .map(|after| {
                let before = of(*after, Side::After)?;
                let is_both_ways =
                    fresh.contains(&(before, Side::Before)) && of(before, Side::Before) == Some(*after);
                is_both_ways.then_some((before, *after))
            })
            .collect();
        let weight = |row: usize, side: Side| {
            let factor = if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
            factor * weight(self.context, row, side)
        };
        for (before, after) in pairs.into_iter().flatten() {
            let (old, new) = (weight(before, Side::Before), weight(after, Side::After));
            let is_known = renamed.iter().any(|(a, b)| *a == before || *b == after);
            if !is_known && old.min(new) >= LEAST_ALIKE * old.max(new) {
                renamed.push((before, after));
            }
        }
    }
}

/// Whether a caller of a case of side `with`, or what that caller calls beside it, handed code on to it: most of what the case calls or
/// contains, of what both builds have, that function called or contained in the other build, and does no more.
pub(in crate::classify) fn took_over_calls(context: &Context<'_>, case: &Case<'_>, with: Side) -> bool {
    let Some(own) = context.builds.census(with) else { return false };
    let Some(id) = case.ids[with].first().copied() else { return false };
    let callers = users(own, id);
    // A caller that did one thing after the other may have got them as two functions.
    let beside = callers.iter().flat_map(|caller| own.calls_from(*caller)).map(|edge| edge.callee);
    let givers = callers.iter().map(|caller| (*caller, LEAST_TAKEN));
    let ours = known(context, &used(own, id), with);
    givers
        .chain(beside.map(|giver| (giver, LEAST_TAKEN_BESIDE)))
        .any(|(giver, least)| took_of(context, (giver, &ours), with, least))
}

/// Whether a case of side `with` does what functions of the other build did that its caller, which this build alone has, took the place
/// of: most of what it calls or contains, of what both builds have, one of these called or contained, and neither does that or the
/// caller now.
pub(in crate::classify) fn took_over_calls_of(
    context: &Context<'_>,
    (case, caller): (&Case<'_>, &Case<'_>),
    replaced: &[&Case<'_>],
    with: Side,
) -> bool {
    let censuses = context.builds.census(with).zip(context.builds.census(with.other()));
    let ids = case.ids[with].first().zip(caller.ids[with].first());
    let Some(((own, other), (id, caller))) = censuses.zip(ids) else { return false };
    let known = |of: FunctionId| -> Vec<FunctionId> {
        // What is called in libraries is called from anywhere.
        let of_program = used(own, of).into_iter().filter(|id| !context.builds.is_imported(with, &[*id]));
        sorted(of_program.filter_map(|id| partner(context, with, id)))
    };
    let (ours, beside) = (known(*id), known(*caller));
    replaced.iter().any(|giver| {
        let was_used = sorted(giver.ids[with.other()].iter().flat_map(|id| used(other, *id)));
        let still = sorted(giver.ids[with].iter().flat_map(|id| known(*id)));
        let is_taken = |id: &&FunctionId| {
            was_used.binary_search(id).is_ok()
                && [&beside, &still].iter().all(|of| of.binary_search(id).is_err())
        };
        let taken = ours.iter().filter(is_taken).count();
        taken > 0 && taken as f64 >= MOST_CALLERS * ours.len() as f64
    })
}

/// Whether half of a case's weight on side `with` is in functions of both builds that were called elsewhere: most of the weight that
/// each had under its callers in the other run was under functions that call or contain it no more.
pub(in crate::classify) fn took_calls_from_elsewhere(
    context: &Context<'_>,
    case: &Case<'_>,
    with: Side,
) -> bool {
    let taken = context.calls_from(case.row, with).into_iter().filter_map(|call| {
        let callee = context.callee(call).filter(|callee| callee.of_program)?;
        is_called_elsewhere(context, callee, with).then(|| share_pct(case.row, with, call.weight(with)))
    });
    let total = case.row.side(with).total_pct;
    total > 0.0 && taken.sum::<f64>() >= INHERITED_PART * total
}

/// Whether what called a function in the other run, by the code of that build and mostly by weight, calls or contains it no more.
fn is_called_elsewhere(context: &Context<'_>, callee: &Case<'_>, with: Side) -> bool {
    let without = with.other();
    let Some((own, other)) = context.builds.census(with).zip(context.builds.census(without)) else {
        return false;
    };
    let uses = |census: &Census, side: Side, caller: &Case<'_>| {
        caller.ids[side].iter().flat_map(|id| used(census, *id)).any(|id| callee.ids[side].contains(&id))
    };
    let (mut all, mut left) = (0.0, 0.0);
    for call in context.calls_to(callee.row, without) {
        // Chains that lost a caller show one that does not call it.
        let Some(caller) = context.caller(call).filter(|caller| uses(other, without, caller)) else {
            continue;
        };
        let pct = share_pct(callee.row, without, call.weight(without));
        all += pct;
        if !uses(own, with, caller) {
            left += pct;
        }
    }
    all > 0.0 && left >= MOST_CALLERS * all
}

/// Whether a caller of a case of side `with` handed code on to it.
pub(super) fn handed_calls(context: &Context<'_>, caller: &Case<'_>, case: &Case<'_>, with: Side) -> bool {
    let ids = caller.ids[with].first().zip(case.ids[with].first());
    ids.is_some_and(|(caller, id)| took_from(context, (*caller, *id), with, LEAST_TAKEN))
}

/// Whether a function took over at least so many calls or copies from a giver, and most of what it calls or contains. What went with a
/// copy that the giver calls now, it did not give to others.
fn took_from(context: &Context<'_>, (giver, id): (FunctionId, FunctionId), with: Side, least: usize) -> bool {
    let ours = context.builds.census(with).map(|own| known(context, &used(own, id), with));
    ours.is_some_and(|ours| took_of(context, (giver, &ours), with, least))
}

/// The same of a function that calls or contains `ours` of what both builds have, as those of the other build.
fn took_of(
    context: &Context<'_>,
    (giver, ours): (FunctionId, &[FunctionId]),
    with: Side,
    least: usize,
) -> bool {
    let censuses = context.builds.census(with).zip(context.builds.census(with.other()));
    let Some(((own, other), before)) = censuses.zip(partner(context, with, giver)) else { return false };
    let is_enough = |taken: usize| taken >= least && taken as f64 >= MOST_CALLERS * ours.len() as f64;
    if ours.len() < least {
        return false;
    }
    let was_used = used(other, before);
    let mut taken: Vec<&FunctionId> = ours.iter().filter(|id| was_used.binary_search(id).is_ok()).collect();
    if !is_enough(taken.len()) {
        return false;
    }
    let is_used = known(context, &used_with_flipped(context, own, giver, with), with);
    taken.retain(|id| is_used.binary_search(id).is_err());
    is_enough(taken.len())
}

/// Those of some functions of side `with` that both builds have, as those of the other build, sorted.
fn known(context: &Context<'_>, of: &[FunctionId], with: Side) -> Vec<FunctionId> {
    sorted(of.iter().filter_map(|id| partner(context, with, *id)))
}

/// What a function of side `with` calls or contains, with that of its callees of which the other build had copies in it.
fn used_with_flipped(
    context: &Context<'_>,
    census: &Census,
    function: FunctionId,
    with: Side,
) -> Vec<FunctionId> {
    let other = context.builds.census(with.other()).zip(partner(context, with, function));
    let was_copied = |callee: FunctionId| {
        let pair = other.zip(partner(context, with, callee));
        pair.is_some_and(|((other, holder), callee)| !other.sites_in(callee, holder).is_empty())
    };
    let called = census.calls_from(function).iter().map(|edge| edge.callee);
    let flipped = called.filter(|callee| *callee != function && was_copied(*callee));
    let with_callees = used(census, function).into_iter();
    sorted(with_callees.chain(flipped.flat_map(|callee| used(census, callee))))
}

/// The functions of both builds that call or contain a function, as those of the other build.
fn known_callers(context: &Context<'_>, census: &Census, with: Side, id: FunctionId) -> Vec<FunctionId> {
    users(census, id).into_iter().filter_map(|user| partner(context, with, user)).collect()
}

/// A function of side `with` in the other build.
fn partner(context: &Context<'_>, with: Side, id: FunctionId) -> Option<FunctionId> {
    let found = context.builds.match_of(with, id)?;
    Some(if with == Side::After { found.before } else { found.after })
}

/// The functions that call or contain a function, sorted.
fn users(census: &Census, id: FunctionId) -> Vec<FunctionId> {
    let callers = census.calls_to(id).map(|edge| edge.caller);
    let holders = census.inlined_into(id).map(|into| into.caller);
    sorted(callers.chain(holders).filter(|user| *user != id))
}

/// The functions that one calls or contains, sorted. What is only declared is called by its definition or its stub.
fn used(census: &Census, id: FunctionId) -> Vec<FunctionId> {
    let has_code = |callee: &FunctionId| {
        census.function(*callee).is_some_and(|of| of.code_bytes() > 0 || of.linkage() == Linkage::Imported)
    };
    let called = census.calls_from(id).iter().map(|edge| edge.callee).filter(has_code);
    let held = census.sites_by_caller(id).map(|site| site.callee);
    sorted(called.chain(held).filter(|used| *used != id))
}

/// Functions in order, each once.
fn sorted(of: impl Iterator<Item = FunctionId>) -> Vec<FunctionId> {
    let mut of: Vec<FunctionId> = of.collect();
    of.sort_unstable();
    of.dedup();
    of
}
