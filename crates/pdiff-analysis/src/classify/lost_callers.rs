//! Callers that chains lost. A frameless leaf hides its direct caller: the stack shows a call that the code does not have.
//!
//! Where frames are missing altogether, a stack may even start at the function.
//!
//! If the code has exactly one function in between (called by the one, calling the other), the weight belongs to that
//! function. If it has several, nothing is guessed.

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::{PerSide, Side};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::builds::Builds;
use super::case::{Case, share_pct};
use super::places::places;
use super::row_index::RowIndex;
use crate::compare::{SampledCall, SampledCalls, has_calls};
use crate::noise::FLOOR_PP;

/// How many jumps in tail position are followed back.
const TAIL_JUMPS: usize = 3;

/// The function that what starts the program calls.
const ENTRY: &str = "main";

/// How many functions are looked at in each of them.
const WIDEST: usize = 16;

/// A callee whose weight belongs under another function than the stacks say.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct LostCall {
    /// Its share under the function on each side.
    pub(super) pct: PerSide<f64>,
}

/// Lost calls by the case of the function in between, then by that of the callee.
#[derive(Default)]
pub(super) struct LostCallers {
    by_caller: FxHashMap<usize, FxHashMap<usize, LostCall>>,
    /// By the case of the callee: its share on each side under callers that do not call it in the code, by the caller.
    orphans: FxHashMap<usize, FxHashMap<Option<usize>, LostCall>>,
}

impl LostCallers {
    pub(super) fn new(
        calls: &SampledCalls,
        builds: &Builds<'_>,
        cases: &[Case<'_>],
        rows: &RowIndex<'_>,
    ) -> Self {
        let mut lost = Self::default();
        // The share of each function under callers that have a name.
        let mut called = vec![PerSide::<f64>::default(); cases.len()];
        let seen: Vec<Vec<SeenCall>> =
            calls.calls.par_iter().map(|call| seen_calls(call, builds, cases, rows)).collect();
        for SeenCall { caller, callee, side, pct, has_named_caller, is_orphan, between } in
            seen.into_iter().flatten()
        {
            if has_named_caller {
                called[callee][side] += pct;
            }
            if is_orphan {
                let of_callee = lost.orphans.entry(callee).or_default();
                of_callee.entry(Some(caller)).or_default().pct[side] += pct;
            }
            if let Some(between) = between {
                let of_callee = lost.by_caller.entry(between).or_default().entry(callee).or_default();
                of_callee.pct[side] += pct;
            }
        }
        // The calls of rows that did not change, and that no changed row calls, are not known.
        let mut is_called = vec![false; cases.len()];
        for callee in calls.calls.iter().filter_map(|call| call.callee_in(rows)) {
            is_called.get_mut(callee).into_iter().for_each(|called| *called = true);
        }
        let has_all_calls = |(index, case): &(usize, &Case<'_>)| {
            case.of_program && (is_called[*index] || has_calls(case.row))
        };
        for (index, case) in cases.iter().enumerate().filter(has_all_calls) {
            for side in Side::BOTH {
                lost.without_caller(builds, index, case, called[index][side], side, rows);
            }
        }
        lost
    }

    /// Takes in the samples of a function at the root of their stacks, though the code calls it: nothing above it was
    /// found. Where one function alone calls it, they are under that one.
    fn without_caller(
        &mut self,
        builds: &Builds<'_>,
        index: usize,
        case: &Case<'_>,
        called_pct: f64,
        side: Side,
        rows: &RowIndex<'_>,
    ) {
        let pct = case.row.side(side).total_pct - called_pct;
        let Some(census) = builds.census(side).filter(|_| pct >= FLOOR_PP) else { return };
        let callers: FxHashMap<&str, Option<&str>> = case.ids[side]
            .iter()
            .flat_map(|id| census.calls_to(*id))
            .filter_map(|edge| Some(named(census.function(edge.caller)?)))
            .collect();
        if callers.is_empty() {
            return;
        }
        self.orphans.entry(index).or_default().entry(None).or_default().pct[side] += pct;
        let only = callers.iter().next().filter(|_| callers.len() == 1);
        let only = only.and_then(|(name, file)| rows.find(name, &case.row.object, *file));
        if let Some(between) = only {
            self.by_caller.entry(between).or_default().entry(index).or_default().pct[side] += pct;
        }
    }

    /// The share of a case on a side that is under callers which do not call it in the code, in percent.
    pub(super) fn orphaned_pct(&self, case: usize, side: Side) -> f64 {
        let callers = self.orphans.get(&case).into_iter().flat_map(FxHashMap::values);
        callers.map(|lost| lost.pct[side]).sum()
    }

    /// The same, only under callers that `may_lose` it: those from which it is reached by way of the function in question.
    pub(super) fn orphaned_under(
        &self,
        case: usize,
        side: Side,
        may_lose: impl Fn(Option<usize>) -> bool,
    ) -> f64 {
        let callers = self.orphans.get(&case).into_iter().flatten();
        let lost = callers.filter(|(caller, _)| may_lose(**caller));
        lost.map(|(_, lost)| lost.pct[side]).sum()
    }

    /// Callees that the stacks hide under a case, by their number, heaviest first.
    pub(super) fn under(&self, case: usize) -> Vec<(usize, LostCall)> {
        let found = self.by_caller.get(&case).into_iter().flatten();
        let mut calls: Vec<(usize, LostCall)> = found.map(|(callee, lost)| (*callee, *lost)).collect();
        calls.sort_by(|a, b| b.1.pct.after.total_cmp(&a.1.pct.after).then(a.0.cmp(&b.0)));
        calls
    }
}

/// A call that a side's stacks show, held against the code.
struct SeenCall {
    /// The case of the caller.
    caller: usize,
    /// The case of the callee.
    callee: usize,
    side: Side,
    /// The callee's share under this caller, in percent.
    pct: f64,
    has_named_caller: bool,
    /// Whether the code has no such call.
    is_orphan: bool,
    /// The case of the function that must be between, if there is one alone.
    between: Option<usize>,
}

/// One pair of the stacks, on the sides that have samples of it.
fn seen_calls(
    call: &SampledCall,
    builds: &Builds<'_>,
    cases: &[Case<'_>],
    rows: &RowIndex<'_>,
) -> Vec<SeenCall> {
    let ends = call.caller_in(rows).zip(call.callee_in(rows));
    let cases = ends.and_then(|(caller, callee)| Some((cases.get(caller)?, cases.get(callee)?, ends?)));
    let Some((caller, callee, (caller_index, callee_index))) = cases else { return Vec::new() };
    let seen = |side: Side| {
        let census = builds.census(side).filter(|_| callee.of_program);
        let is_foreign = !caller.of_program && !caller.row.unresolved;
        let has_no_call = |census| is_foreign || has_call(census, caller, callee, side) == Some(false);
        let orphaned_in = census.filter(|census| has_caller(census, callee, side) && has_no_call(census));
        let between = orphaned_in.and_then(|census| between(census, caller, callee, side));
        SeenCall {
            caller: caller_index,
            callee: callee_index,
            side,
            pct: share_pct(callee.row, side, call.weight(side)),
            has_named_caller: !caller.row.unresolved,
            is_orphan: orphaned_in.is_some(),
            between: between.and_then(|(name, file)| rows.find(name, &callee.row.object, file)),
        }
    };
    Side::BOTH.into_iter().filter(|side| call.weight(*side).0 > 0).map(seen).collect()
}

/// Whether the code of the program calls the function somewhere. What it only reaches through pointers has no callers
/// that could be missing.
pub(super) fn has_caller(census: &Census, callee: &Case<'_>, side: Side) -> bool {
    callee.ids[side].iter().any(|id| census.calls_to(*id).next().is_some())
}

/// The only function that the caller reaches and that calls the callee, where the caller itself does not.
fn between<'c>(
    census: &'c Census,
    caller: &Case<'_>,
    callee: &Case<'_>,
    side: Side,
) -> Option<(&'c str, Option<&'c str>)> {
    let into = callee.ids[side].iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller);
    let callers = places(census, &caller.ids[side]);
    // What starts the program calls its main function alone.
    let entry: Vec<FunctionId> = match caller.of_program {
        true => Vec::new(),
        false => census.find(ENTRY).map(Function::target).collect(),
    };
    let is_jump = |between: FunctionId| {
        let jumps = |id: &FunctionId| census.call(between, *id).is_some_and(|edge| edge.tail_jumps > 0);
        callee.ids[side].iter().any(jumps)
    };
    let is_reached = |between: &FunctionId| {
        entry.contains(between)
            || reaches(census, &callers, *between)
            // A leaf without a frame hides the caller of the function that jumped to it, too.
            || (is_jump(*between) && reaches(census, &entry, *between))
            || (is_jump(*between) && callees(census, &callers).any(|hidden| reaches(census, &[hidden], *between)))
    };
    let names: FxHashMap<&str, Option<&str>> =
        into.filter(is_reached).filter_map(|id| Some(named(census.function(id)?))).collect();
    let mut names = names.into_iter();
    names.next().filter(|_| names.next().is_none())
}

/// The first few callees of functions.
fn callees<'c>(census: &'c Census, functions: &'c [FunctionId]) -> impl Iterator<Item = FunctionId> + 'c {
    let edges = functions.iter().flat_map(|id| census.calls_from(*id)).filter(|edge| edge.calls > 0);
    edges.map(|edge| edge.callee).take(WIDEST)
}

/// A function's name and file.
fn named(function: Function<'_>) -> (&str, Option<&str>) {
    (function.name(), function.file())
}

/// Whether one of the callers calls the function, at once or through others that jump to it in tail position and so
/// leave no frame.
pub(super) fn reaches(census: &Census, callers: &[FunctionId], function: FunctionId) -> bool {
    let mut known = vec![function];
    for _ in 0..TAIL_JUMPS {
        let is_called = |id: &FunctionId| callers.iter().any(|from| census.call(*from, *id).is_some());
        if known.iter().any(is_called) {
            return true;
        }
        let jumps = known.iter().flat_map(|id| census.calls_to(*id)).filter(|edge| edge.tail_jumps > 0);
        known = jumps.map(|edge| edge.caller).take(WIDEST).collect();
    }
    false
}

/// Whether the code of a build calls the callee from the function, or contains it inlined there; `None` where that cannot
/// be said: the function is in others that do, so that the call may be theirs.
pub(super) fn has_call(census: &Census, case: &Case<'_>, callee: &Case<'_>, side: Side) -> Option<bool> {
    let (own, callees) = (&case.ids[side], &callee.ids[side]);
    if own.is_empty() || callees.is_empty() {
        return None;
    }
    let is_alone = |id: &FunctionId| census.function(*id).is_some_and(|f| f.inlined_instances() == 0);
    let calls =
        |caller, callee| census.call(caller, callee).is_some() || !census.sites_in(callee, caller).is_empty();
    let callers = places(census, own);
    let is_calling = |caller: &FunctionId| callees.iter().any(|callee| calls(*caller, *callee));
    let has_call = callers.iter().any(is_calling);
    // A call in code that contains it may be of something else there.
    (!has_call || own.iter().all(is_alone) || own.iter().any(is_calling)).then_some(has_call)
}
