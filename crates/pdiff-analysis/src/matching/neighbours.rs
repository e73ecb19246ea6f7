//! The neighbours of a function among the pairs known so far: callers, callees, and functions in which it was inlined.

use std::cmp::Ordering;

use pdiff_profile::census::{Census, FunctionId};

/// Most neighbours looked at; a function with more is known to everyone.
const MAX_NEIGHBOURS: usize = 256;

/// The functions that `function` calls, is called by, is inlined into or contains inlined; sorted, each once. Of those that
/// it contains only the ones that `tells` says something about: helpers of a library are inlined everywhere.
pub(super) fn neighbours(
    census: &Census,
    function: FunctionId,
    tells: impl Fn(FunctionId) -> bool,
) -> Vec<FunctionId> {
    let callees = census.calls_from(function).iter().map(|edge| edge.callee);
    let callers = census.calls_to(function).map(|edge| edge.caller);
    let holders = census.inlined_into(function).map(|into| into.caller);
    // Sites are sorted by callee.
    let mut last = None;
    let is_next = move |callee: &FunctionId| last.replace(*callee) != Some(*callee) && tells(*callee);
    let held = census.sites_by_caller(function).map(|site| site.callee).filter(is_next);
    let all = callees
        .take(MAX_NEIGHBOURS)
        .chain(callers.take(MAX_NEIGHBOURS))
        .chain(holders.take(MAX_NEIGHBOURS))
        .chain(held.take(MAX_NEIGHBOURS));
    let mut ids: Vec<FunctionId> = all.filter(|id| *id != function).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The share of equal members in two sorted lists: 1 if they are the same, 0 if they share none or one is empty.
pub(super) fn overlap<T: Ord>(left: &[T], right: &[T]) -> f64 {
    let shared = shared(left, right);
    let total = left.len() + right.len() - shared;
    if total == 0 { 0.0 } else { shared as f64 / total as f64 }
}

/// How many members two sorted lists share.
pub(super) fn shared<T: Ord>(left: &[T], right: &[T]) -> usize {
    let (mut a, mut b, mut shared) = (left.iter().peekable(), right.iter().peekable(), 0);
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        match x.cmp(y) {
            Ordering::Less => drop(a.next()),
            Ordering::Greater => drop(b.next()),
            Ordering::Equal => {
                shared += 1;
                a.next();
                b.next();
            }
        }
    }
    shared
}
