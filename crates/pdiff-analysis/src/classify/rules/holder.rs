//! The function whose code contains copies of another: what they call, its code calls.

use pdiff_profile::Side;

use super::code_counts::{copies_in_code, has_no_body};
use crate::classify::case::{Case, share_pct};
use crate::classify::context::Context;

/// The one function that contains all copies of a function without code of its own, in both builds.
pub(super) fn holder<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let holder = holder_on(context, case, Side::Before)?;
    let of_after = holder_on(context, case, Side::After)?;
    std::ptr::eq(holder.row, of_after.row).then_some(holder)
}

/// Of copies in several functions those count that have nearly all of the weight.
const NEARLY_ALL: f64 = 0.9;

/// The function whose copies of one without code of its own have nearly all of its weight in both runs.
pub(super) fn sampled_holder<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let is_copied = Side::BOTH.into_iter().all(|side| has_no_body(context, case, side));
    if is_copied { main_holder(context, case) } else { None }
}

/// The function that contains copies of another, and has nearly all of that one's weight below it in both runs.
pub(super) fn main_holder<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let on = |side: Side| {
        let call = context.calls_to(case.row, side).into_iter().next()?;
        let is_nearly_all =
            share_pct(case.row, side, call.weight(side)) >= NEARLY_ALL * case.row.side(side).total_pct;
        let holder = context.caller(call).filter(|_| is_nearly_all)?;
        (copies_in_code(context, holder, case, side) > 0).then_some(holder)
    };
    let (before, after) = (on(Side::Before)?, on(Side::After)?);
    std::ptr::eq(before.row, after.row).then_some(before)
}

/// The function whose code makes a call that the stacks show under `caller`: the one that contains all copies of it, or, where `caller` is
/// copied into several functions, the only one that calls `callee` in the code of both builds.
pub(super) fn code_with_call<'c, 'a>(
    context: &'c Context<'a>,
    caller: &'c Case<'a>,
    callee: &Case<'_>,
) -> &'c Case<'a> {
    let is_copied = || Side::BOTH.into_iter().all(|side| has_no_body(context, caller, side));
    let of_copies = || if is_copied() { only_caller(context, callee) } else { None };
    let has_copies =
        |code: &&Case<'_>| Side::BOTH.into_iter().all(|side| copies_in_code(context, code, caller, side) > 0);
    holder(context, caller).or_else(|| of_copies().filter(has_copies)).unwrap_or(caller)
}

/// The one function that calls another in the code of both builds, if there are no copies of that in others.
fn only_caller<'c, 'a>(context: &'c Context<'a>, callee: &Case<'_>) -> Option<&'c Case<'a>> {
    let on = |side: Side| {
        let census = context.builds.census(side)?;
        let mut callers = callee.ids[side].iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller);
        let first = callers.next().filter(|first| callers.all(|caller| caller == *first))?;
        let mut copies = callee.ids[side].iter().flat_map(|id| census.sites_of(*id));
        let function = census.function(first).filter(|_| copies.all(|copy| copy.caller == first))?;
        context.case(function.name(), &callee.row.object, function.file())
    };
    let (before, after) = (on(Side::Before)?, on(Side::After)?);
    std::ptr::eq(before.row, after.row).then_some(before)
}

fn holder_on<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>, side: Side) -> Option<&'c Case<'a>> {
    let census = context.builds.census(side).filter(|_| has_no_body(context, case, side))?;
    let mut sites = case.ids[side].iter().flat_map(|id| census.sites_of(*id)).map(|site| site.caller);
    let first = sites.next().filter(|first| sites.all(|caller| caller == *first))?;
    let function = census.function(first)?;
    context.case(function.name(), &case.row.object, function.file())
}
