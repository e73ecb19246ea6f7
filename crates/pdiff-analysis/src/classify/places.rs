//! Where the code of a function is, and which functions lead to it, by the code of one build.

use pdiff_profile::census::{Census, FunctionId};
use rustc_hash::FxHashSet;

/// A caller that contained a function may lead to it over so many calls: functions that were inlined with it may be out of line, too.
const FARTHEST_CALLER: usize = 4;

/// So many functions that lead to one are not told apart.
const MOST_CALLERS: usize = 4096;

/// The functions whose code contains the functions: they themselves, and those they are inlined into.
pub(super) fn places(census: &Census, functions: &[FunctionId]) -> Vec<FunctionId> {
    let hosts = functions.iter().flat_map(|id| census.inlined_into(*id)).map(|into| into.caller);
    let mut places: Vec<FunctionId> = functions.iter().copied().chain(hosts).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The names of the functions that lead to a function, a few calls above it, and of those they are inlined into; `None` where they are too
/// many to know, or where only calls through pointers lead to it. Instances of one template may have one name.
pub(super) fn names_above(census: &Census, function: FunctionId) -> Option<FxHashSet<&str>> {
    let mut known = FxHashSet::from_iter([function]);
    let mut last = vec![function];
    for _ in 0..FARTHEST_CALLER {
        let calls = last.iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller);
        let callers = places(census, &calls.collect::<Vec<FunctionId>>());
        last = callers.into_iter().filter(|id| known.insert(*id)).collect();
        if known.len() > MOST_CALLERS {
            return None;
        }
    }
    let is_called = known.len() > 1;
    // An overload that contains a copy has its name and need not lead to it.
    if census.call(function, function).is_none() {
        known.remove(&function);
    }
    is_called.then(|| known.into_iter().filter_map(|id| Some(census.function(id)?.name())).collect())
}
