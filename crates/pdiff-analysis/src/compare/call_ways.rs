//! The ways by which the code of a build leads from one function to another: by calls and by jumps in tail position.

use pdiff_profile::census::{Census, Function, FunctionId, Linkage};

/// How many jumps in a row are followed.
const MOST_JUMPS: usize = 3;

/// A function that leads to more others may have ways that were not looked at.
const WIDEST: usize = 4096;

/// The callees in the code of a function; a jump in tail position is not a call.
pub(super) fn called_from(census: &Census, id: FunctionId) -> impl Iterator<Item = FunctionId> {
    census.calls_from(id).iter().filter(|edge| edge.calls > 0).map(|edge| edge.callee)
}

/// The ways by which jumps lead to one of `below`, root first, with the function that they lead to; `None` where there are too many.
pub(super) fn leads_to(census: &Census, below: &[FunctionId]) -> Option<Vec<Vec<FunctionId>>> {
    let callers =
        |id| census.calls_to(id).filter(|edge| edge.tail_jumps > 0).map(|edge| edge.caller).collect();
    let mut leads = ways_by_jumps(below, callers)?;
    leads.iter_mut().for_each(|way| way.reverse());
    Some(leads)
}

/// The ways that begin with one of some functions and continue by jumps; `None` where there are too many.
fn jumps_from(census: &Census, first: &[FunctionId]) -> Option<Vec<Vec<FunctionId>>> {
    let jumps = |id| census.calls_from(id).iter().filter(|edge| edge.tail_jumps > 0);
    ways_by_jumps(first, |id| jumps(id).map(|edge| edge.callee).collect())
}

/// The ways that begin with one of some functions and continue with what is `next` to their ends; `None` where there are too many.
fn ways_by_jumps(
    first: &[FunctionId],
    next: impl Fn(FunctionId) -> Vec<FunctionId>,
) -> Option<Vec<Vec<FunctionId>>> {
    let mut ways: Vec<Vec<FunctionId>> = first.iter().map(|id| vec![*id]).collect();
    let mut from = 0;
    for _ in 0..MOST_JUMPS {
        let until = ways.len();
        for at in from..until {
            let way = ways.get(at)?.clone();
            let after = next(*way.last()?).into_iter().filter(|id| !way.contains(id));
            ways.extend(after.map(|id| [way.as_slice(), &[id]].concat()));
        }
        if ways.len() > WIDEST {
            return None;
        }
        from = until;
    }
    Some(ways)
}

/// The paths by which one of the functions `entered` leads to one of those that `leads` end with, and that no chain has, root first:
/// all, or the first two. `None` where there are too many to look at.
pub(super) fn paths(
    census: &Census,
    mut entered: Vec<FunctionId>,
    leads: &[Vec<FunctionId>],
    misses_caller: bool,
) -> Option<Vec<Vec<FunctionId>>> {
    entered.sort_unstable();
    entered.dedup();
    let above = jumps_from(census, &entered)?;
    let mut paths = Vec::new();
    for lead in leads {
        let (first, hidden) = (*lead.first()?, lead.get(..lead.len() - 1)?);
        // By jumps alone: no chain has them.
        if !hidden.is_empty() && entered.binary_search(&first).is_ok() {
            paths.push(hidden.to_vec());
        }
        // By jumps to the leaf's caller, which its chain misses, and from there by a call and jumps.
        if misses_caller {
            let calls_it = |way: &&Vec<FunctionId>| {
                let edge = way.last().and_then(|last| census.call(*last, first));
                edge.is_some_and(|edge| edge.calls > 0) && way.iter().all(|id| !lead.contains(id))
            };
            paths.extend(above.iter().filter(calls_it).map(|way| [way, hidden].concat()));
        }
        if paths.len() > 1 {
            break;
        }
    }
    Some(paths)
}

/// Whether a function is hardly called through a pointer: one of its file, or a stub, that code calls or jumps to.
pub(super) fn has_few_pointers(census: &Census, id: FunctionId) -> bool {
    let is_of_file = |of: Function<'_>| matches!(of.linkage(), Linkage::Local | Linkage::Imported);
    census.function(id).is_some_and(is_of_file) && is_entered(census, id)
}

/// Whether a function is not one of C++ or Rust, where code calls by pointer what it also calls by name: virtual functions.
pub(super) fn is_of_c(census: &Census, id: FunctionId) -> bool {
    let has_plain_name = |of: Function<'_>| of.linkage_name().is_none_or(|symbol| symbol == of.name());
    census.function(id).is_some_and(|of| has_plain_name(of) && !of.name().contains("::"))
}

/// The ways to one of the functions that `leads` end with from functions that are called through pointers alone, as no code calls
/// them or jumps to them: by jumps, and of a leaf by a call and jumps.
pub(super) fn ways_of_pointers(
    census: &Census,
    leads: &[Vec<FunctionId>],
    misses_caller: bool,
) -> Vec<Vec<FunctionId>> {
    let mut ways = Vec::new();
    for lead in leads {
        let (Some(first), Some(hidden)) = (lead.first(), lead.get(..lead.len() - 1)) else { continue };
        if !hidden.is_empty() && !is_entered(census, *first) {
            ways.push(hidden.to_vec());
        }
        let calls = census.calls_to(*first).filter(|edge| misses_caller && edge.calls > 0);
        let callers =
            calls.map(|edge| edge.caller).filter(|id| !is_entered(census, *id) && !lead.contains(id));
        ways.extend(callers.map(|caller| [&[caller], hidden].concat()));
    }
    ways
}

/// The ways to one of the functions that `leads` end with from functions that call a leaf, or what leads to it by jumps.
pub(super) fn ways_by_callers(census: &Census, leads: &[Vec<FunctionId>]) -> Vec<Vec<FunctionId>> {
    let ways_of = |lead: &Vec<FunctionId>| {
        let (Some(first), Some(hidden)) = (lead.first(), lead.get(..lead.len() - 1)) else {
            return Vec::new();
        };
        let callers = census.calls_to(*first).filter(|edge| edge.calls > 0).map(|edge| edge.caller);
        callers.take(2).map(|caller| [&[caller], hidden].concat()).collect()
    };
    leads.iter().flat_map(ways_of).take(2).collect()
}

/// Whether code calls a function by its name, or jumps to it.
pub(super) fn is_entered(census: &Census, id: FunctionId) -> bool {
    census.calls_to(id).next().is_some()
}
