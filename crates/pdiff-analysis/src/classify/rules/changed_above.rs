//! Who may call a function more often, or less, whose code is the same: the nearest function above it whose code differs.
//!
//! Stacks do not show all callers, so the calls in the code of the build in question are followed, too.

use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

use super::code_counts::calls_in_code;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::InBuild;
use crate::classify::context::Context;
use crate::classify::limit::Limit;
use crate::classify::rules::FlippedCallers;

/// How many calls are followed up. The more, the less it says that some function there changed.
const MOST_CALLS_UP: usize = 3;

/// A function that calls others of the same code, by its row.
pub(super) struct Caller<'c, 'a> {
    pub(super) case: &'c Case<'a>,
    /// What it has of them in the stacks of the side in question, in percent; 0 where its code alone calls them.
    pct: f64,
    /// By how many more calls it has of them in its code on that side.
    pub(super) more_calls: i64,
}

/// The nearest function that leads to some functions and changed on the side where they cost more: by its code, beyond a change of
/// inlining, or as the other build does not have it. One that calls them directly and has more calls of them in its code comes first,
/// then the one with most of them. Of builds that are no patch apart, nearly all code differs, and nothing is said.
pub(super) fn changed_above(
    context: &Context<'_>,
    functions: Vec<&Case<'_>>,
    flipped: &FlippedCallers,
    more: Side,
) -> Option<Limit> {
    if !context.is_patched {
        return None;
    }
    let mut known: FxHashSet<usize> =
        functions.iter().filter_map(|case| context.row_number(case.row)).collect();
    let mut level = functions;
    for calls_up in 0..MOST_CALLS_UP {
        let mut callers = callers_of(context, &level, more);
        callers.retain(|caller| {
            let row = context.row_number(caller.case.row);
            row.is_some_and(|row| known.insert(row))
        });
        let total = |caller: &Caller<'_, '_>| caller.case.row.side(more).total_pct;
        callers.sort_by(|a, b| b.pct.total_cmp(&a.pct).then(total(b).total_cmp(&total(a))));
        let changed = || callers.iter().filter(|caller| has_changed(context, flipped, caller.case, more));
        if let Some(caller) = changed().find(|caller| calls_up == 0 && caller.more_calls > 0) {
            return Some(Limit::MoreCallsInCode { caller: caller.case.row.name.to_string(), on: more });
        }
        if let Some(caller) = changed().find(|caller| caller.more_calls >= 0) {
            return Some(Limit::ChangedAbove { function: caller.case.row.name.to_string() });
        }
        level = callers.into_iter().map(|caller| caller.case).collect();
    }
    None
}

/// Whether a function's code changed beyond a change of inlining, or the build of the other side does not have it.
pub(super) fn has_changed(
    context: &Context<'_>,
    flipped: &FlippedCallers,
    case: &Case<'_>,
    on: Side,
) -> bool {
    let has_flipped = context.row_number(case.row).is_some_and(|row| flipped.callees.contains_key(&row));
    let is_new = case.held_by(on.other()) == InBuild::No;
    is_new || context.builds.same_code(&case.ids) == Some(false) && !has_flipped
}

/// The functions of the program that call some functions on a side: in the code of its build, or in the stacks of its run.
pub(super) fn callers_of<'c, 'a>(
    context: &'c Context<'a>,
    of: &[&Case<'_>],
    side: Side,
) -> Vec<Caller<'c, 'a>> {
    let mut callers: FxHashMap<usize, Caller<'c, 'a>> = FxHashMap::default();
    for function in of {
        let census = context.builds.census(side);
        let edges =
            function.ids[side].iter().flat_map(|id| census.into_iter().flat_map(|of| of.calls_to(*id)));
        let in_code = edges.filter_map(|edge| {
            let from = census?.function(edge.caller)?;
            Some((context.case(from.name(), &function.row.object, from.file())?, 0.0))
        });
        let in_stacks = context.calls_to(function.row, side).into_iter().filter_map(|call| {
            Some((context.caller(call)?, share_pct(function.row, side, call.weight(side))))
        });
        for (case, pct) in in_code.chain(in_stacks).filter(|(case, _)| case.of_program) {
            let Some(row) = context.row_number(case.row) else { continue };
            callers.entry(row).or_insert(Caller { case, pct: 0.0, more_calls: 0 }).pct += pct;
        }
    }
    let mut callers: Vec<(usize, Caller<'c, 'a>)> = callers.into_iter().collect();
    callers.sort_by_key(|(row, _)| *row);
    let with_calls = |(_, caller): (usize, Caller<'c, 'a>)| {
        let calls = |side: Side| -> i64 {
            of.iter().map(|function| i64::from(calls_in_code(context, caller.case, function, side))).sum()
        };
        Caller { more_calls: calls(side) - calls(side.other()), ..caller }
    };
    callers.into_iter().map(with_calls).collect()
}
