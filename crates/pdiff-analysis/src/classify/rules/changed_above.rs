//! Who may call a function more often whose code is the same: the nearest function above it whose code differs.
//!
//! Stacks do not show all callers, so the calls in the code of both builds are followed, too.

use pdiff_profile::Side;

use super::code_counts::calls_in_code;
use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::limit::Limit;
use crate::classify::rules::FlippedCallers;

/// How many calls are followed up. The more, the less it says that some function there changed.
const MOST_CALLS_UP: usize = 3;

/// Of some functions with the same code in both builds, the nearest function that leads to them and whose code differs by more than a
/// change of inlining: first one that has more calls of them in its code on the side with more of their cost, then the heaviest.
pub(super) fn changed_above(
    context: &Context<'_>,
    functions: Vec<&Case<'_>>,
    flipped: &FlippedCallers,
    more: Side,
) -> Option<Limit> {
    let number = |case: &Case<'_>| context.row_number(case.row);
    let differs = |case: &&Case<'_>| {
        context.builds.same_code(&case.ids) == Some(false)
            && number(case).is_some_and(|row| !flipped.callees.contains_key(&row))
    };
    let mut known: Vec<usize> = functions.iter().filter_map(|case| number(case)).collect();
    let mut level = functions;
    for calls_up in 0..MOST_CALLS_UP {
        let mut callers: Vec<&Case<'_>> = Vec::new();
        for caller in level.iter().flat_map(|case| callers_of(context, case)) {
            if let Some(row) = number(caller).filter(|row| !known.contains(row)) {
                known.push(row);
                callers.push(caller);
            }
        }
        let total = |case: &Case<'_>| case.row.before.total_pct + case.row.after.total_pct;
        callers.sort_by(|a, b| total(b).total_cmp(&total(a)));
        let calls = |caller: &Case<'_>, side: Side| -> u32 {
            level.iter().map(|case| calls_in_code(context, caller, case, side)).sum()
        };
        let calls_more = |caller: &&Case<'_>| calls(caller, more) > calls(caller, more.other());
        let mut changed = callers.iter().copied().filter(differs);
        let heaviest = changed.clone().next();
        if let Some(caller) = changed.find(calls_more).filter(|_| calls_up == 0) {
            return Some(Limit::MoreCallsInCode { caller: caller.row.name.to_string(), on: more });
        }
        if let Some(caller) = heaviest {
            return Some(Limit::ChangedAbove { function: caller.row.name.to_string() });
        }
        level =
            callers.into_iter().filter(|case| context.builds.same_code(&case.ids) == Some(true)).collect();
    }
    None
}

/// The functions of the program that call a function in the code of a build, or in the stacks of a run.
fn callers_of<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Vec<&'c Case<'a>> {
    let in_code = Side::BOTH.into_iter().flat_map(|side| {
        let census = context.builds.census(side);
        let edges =
            case.ids[side].iter().flat_map(move |id| census.into_iter().flat_map(|of| of.calls_to(*id)));
        edges.filter_map(move |edge| census?.function(edge.caller))
    });
    let in_code = in_code.filter_map(|from| context.case(from.name(), &case.row.object, from.file()));
    let calls = Side::BOTH.into_iter().flat_map(|side| context.calls_to(case.row, side));
    let in_stacks = calls.filter_map(|call| context.caller(call));
    in_code.chain(in_stacks).filter(|caller| caller.of_program).collect()
}
