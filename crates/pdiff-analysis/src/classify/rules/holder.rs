//! The function whose code contains all copies of another: what they call, its code calls.

use pdiff_profile::Side;

use super::code_counts::has_no_body;
use crate::classify::case::Case;
use crate::classify::context::Context;

/// The one function that contains all copies of a function without code of its own, in both builds.
pub(super) fn holder<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let holder = holder_on(context, case, Side::Before)?;
    let of_after = holder_on(context, case, Side::After)?;
    std::ptr::eq(holder.row, of_after.row).then_some(holder)
}

fn holder_on<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>, side: Side) -> Option<&'c Case<'a>> {
    let census = context.builds.census(side).filter(|_| has_no_body(context, case, side))?;
    let mut sites = case.ids[side].iter().flat_map(|id| census.sites_of(*id)).map(|site| site.caller);
    let first = sites.next().filter(|first| sites.all(|caller| caller == *first))?;
    let function = census.function(first)?;
    context.case(function.name(), &case.row.object, function.file())
}
