//! Callers that chains lost. A frameless leaf hides its direct caller: the stack shows a call that the code does not have.
//!
//! Where exactly one function stands between in the code (called by the one, calling the other), the weight is its own.
//! Where there are several, nothing is guessed.

use pdiff_profile::Side;
use pdiff_profile::census::{Census, FunctionId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::builds::{Builds, at};
use super::case::Case;
use super::context::share_pct;
use crate::compare::SampledCalls;

/// A callee whose weight belongs under another function than the stacks say.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct LostCall {
    /// Its share under the function on each side.
    pub(super) pct: [f64; 2],
}

/// Lost calls by the case of the function in between, then by that of the callee.
#[derive(Default)]
pub(super) struct LostCallers {
    by_caller: FxHashMap<usize, FxHashMap<usize, LostCall>>,
}

impl LostCallers {
    pub(super) fn new(
        calls: &SampledCalls,
        builds: &Builds<'_>,
        cases: &[Case<'_>],
        by_name: &FxHashMap<(&str, &str), usize>,
    ) -> Self {
        let mut lost = Self::default();
        for call in &calls.calls {
            let index = |name: &str, object: &str| by_name.get(&(name, object)).copied();
            let callee_index = index(&call.callee, &call.callee_object);
            let caller = index(&call.caller, &call.caller_object).and_then(|index| cases.get(index));
            let callee = callee_index.and_then(|index| cases.get(index));
            let (Some(caller), Some(callee), Some(callee_index)) = (caller, callee, callee_index) else {
                continue;
            };
            for side in Side::BOTH.into_iter().filter(|side| call.weight(*side).0 > 0) {
                let Some(between) = between(builds, caller, callee, side) else { continue };
                let Some(between) = index(&between, &callee.row.object) else { continue };
                let of_callee = lost.by_caller.entry(between).or_default().entry(callee_index).or_default();
                of_callee.pct[at(side)] += share_pct(callee.row, side, call.weight(side));
            }
        }
        lost
    }

    /// What the stacks hide under a case: callees by their number, heaviest first.
    pub(super) fn under(&self, case: usize) -> Vec<(usize, LostCall)> {
        let found = self.by_caller.get(&case).into_iter().flatten();
        let mut calls: Vec<(usize, LostCall)> = found.map(|(callee, lost)| (*callee, *lost)).collect();
        calls.sort_by(|a, b| b.1.pct[1].total_cmp(&a.1.pct[1]).then(a.0.cmp(&b.0)));
        calls
    }
}

/// The only function that the caller calls and that calls the callee, where the caller itself does not.
fn between(builds: &Builds<'_>, caller: &Case<'_>, callee: &Case<'_>, side: Side) -> Option<String> {
    let census = builds.census(side)?;
    if has_call(census, caller, callee, side)? {
        return None;
    }
    let callers = &caller.ids[at(side)];
    let is_called = |between: &FunctionId| callers.iter().any(|id| census.call(*id, *between).is_some());
    let into = callee.ids[at(side)].iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller);
    let names: FxHashSet<&str> =
        into.filter(is_called).filter_map(|id| Some(census.function(id)?.name())).collect();
    let mut names = names.into_iter();
    names.next().filter(|_| names.next().is_none()).map(str::to_owned)
}

/// Whether the code of a build calls the callee from the function, or holds it inlined there; `None` where that cannot
/// be said: the function stands in others, so that its calls are theirs.
pub(super) fn has_call(census: &Census, case: &Case<'_>, callee: &Case<'_>, side: Side) -> Option<bool> {
    let (callers, callees) = (&case.ids[at(side)], &callee.ids[at(side)]);
    let is_alone = |id: &FunctionId| {
        census.function(*id).is_some_and(|f| f.out_of_line() > 0 && f.inlined_instances() == 0)
    };
    if callers.is_empty() || callees.is_empty() || !callers.iter().all(is_alone) {
        return None;
    }
    let calls =
        |caller, callee| census.call(caller, callee).is_some() || !census.sites_in(callee, caller).is_empty();
    Some(callers.iter().any(|caller| callees.iter().any(|callee| calls(*caller, *callee))))
}
