//! `R-heavier` and `R-lighter`: in both builds, self changed, and no other rule gave a cause.

use pdiff_profile::Side;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::{Reason, SelfChange};
use crate::classify::rules::FlippedCallers;
use crate::compare::SampledCall;

/// The first measure that changed: self, then self by symbol, then total.
pub(super) fn changed(case: &Case<'_>) -> Option<Judged> {
    Judged::ALL.iter().copied().find(|measure| measure.is_significant(case.row))
}

/// The part of a change that must be under callers whose code differs, for these to be a possible reason.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let shift = context.common_shift;
    let is_shifted = shift.explains(row, Judged::OwnSelf) || shift.explains_own_code(row);
    if !row.significant || is_shifted {
        return None;
    }
    let delta_pp = row.delta_self_pp();
    let (more, less) = more_and_less(delta_pp);
    let (rule_id, cause) = match more {
        Side::After => ("R-heavier", Cause::Heavier),
        Side::Before => ("R-lighter", Cause::Lighter),
    };
    let same_code = has_same_code(context, case);
    let code = match (same_code, case.is_sampled(less)) {
        (true, _) => SelfChange::SameCode,
        (false, false) => SelfChange::OneSided,
        (false, true) => SelfChange::InBoth,
    };
    let reason = Reason::SelfChanged { self_pp: delta_pp, code };
    let mut finding = Finding::new(rule_id, cause, Judged::OwnSelf, reason).with(new_callees(context, case));
    if !case.is_sampled(less) {
        finding = finding.limited(Confidence::Unclear, Limit::NoSample(less));
    }
    let finding = match same_code && !is_called_by_changed_code(context, case, flipped, more) {
        true => finding.limited(Confidence::Unclear, Limit::NothingChanged),
        false => finding.limited(Confidence::Likely, Limit::CallsOrCost),
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether the code that runs is the same in both builds: the function's own, that of a stub or of a library that is the same
/// file, or that of the function which contains its only copies.
pub(super) fn has_same_code(context: &Context<'_>, case: &Case<'_>) -> bool {
    let is_same = |case: &Case<'_>| context.builds.same_code(&case.ids) == Some(true);
    let is_elsewhere = case.is_stub() || (!case.of_program && case.of_same_file);
    is_same(case) || is_elsewhere || place(context, case).is_some_and(is_same)
}

/// The function that contains the heaviest copy of a function without code of its own in both builds.
pub(super) fn place<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let bytes = |side: Side| context.builds.census(side).map_or(0, |census| case.code_bytes(census, side));
    let is_inlined_only = Side::BOTH.into_iter().all(|side| bytes(side) == 0 && case.is_sampled(side));
    let place = case.row.inlined_into(Side::After).first().filter(|_| is_inlined_only)?;
    context.case(&place.caller, &case.row.object, place.caller_file.as_deref())
}

/// Whether the change of a function may come from its callers: these grew or shrank it, and their code differs by more than
/// a change of inlining. Of builds that are no patch apart, some code around it is always another.
pub(super) fn is_called_by_changed_code(
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
) -> bool {
    let (row, shift) = (case.row, context.common_shift);
    let is_library = !case.of_program && case.of_same_file;
    if !context.is_patched && !is_library {
        return true;
    }
    let whole_pp = shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    let has_changed = |caller: &Case<'_>| {
        if !context.is_patched {
            return caller.of_program || !caller.of_same_file;
        }
        let has_flipped =
            context.row_number(caller.row).is_some_and(|row| flipped.callees.contains_key(&row));
        let is_of_one_build = Side::BOTH.into_iter().any(|side| caller.held_by(side) == InBuild::No);
        is_of_one_build || (context.builds.same_code(&caller.ids) == Some(false) && !has_flipped)
    };
    let calls = context.calls_to(row, more).into_iter();
    let of_changed = calls.filter(|call| context.caller(call).is_some_and(has_changed));
    let change_pp = |call: &SampledCall| {
        shift
            .own_change_pp(share_pct(row, Side::Before, call.before), share_pct(row, Side::After, call.after))
    };
    let changed_pp: f64 = of_changed.map(change_pp).filter(|change| change * whole_pp > 0.0).sum();
    changed_pp.abs() >= EXPLAINING_PART * whole_pp.abs()
}

/// Callees of After's run that Before's build does not contain: their weight left the function, or was never in it, and yet
/// self changed by that much.
fn new_callees(context: &Context<'_>, case: &Case<'_>) -> Vec<Fact> {
    let row = case.row;
    let calls = context.calls_from(row, Side::After).into_iter().take(5);
    let fact = |call: &crate::compare::SampledCall| {
        let callee = context.callee(call)?;
        let pct = share_pct(row, Side::After, call.after);
        let is_only_after = callee.of_program && !callee.is_sampled(Side::Before) && pct > 0.0;
        is_only_after.then(|| Fact::NotInSelf {
            callee: call.callee.clone(),
            after_pct: pct,
            self_pp: row.delta_self_pp(),
        })
    };
    calls.filter_map(fact).collect()
}
