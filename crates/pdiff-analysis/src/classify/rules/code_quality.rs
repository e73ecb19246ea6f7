//! `R-code-quality`: both builds come from the same source, compiled by another compiler or with other options. A change
//! that inlining does not explain then comes from the generated code: no path, no code is new or missing.

use pdiff_profile::Side;

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    if !case.of_program {
        return of_library(context, case, judged);
    }
    if let Some(finding) = called_elsewhere(context, case) {
        return Some(finding);
    }
    // Of the same source, what has the same code is called differently or waits otherwise: its callers were compiled again.
    if !context.builds.is_rebuilt() || !context.gates(case).is_empty() {
        return None;
    }
    let hidden = Side::BOTH.into_iter().find(|side| !case.is_sampled(*side));
    if let Some(hidden) =
        hidden.filter(|side| case.held_by(*side) != InBuild::Yes || is_inlined(context, case, *side))
    {
        let reason = Reason::HiddenInBuild { hidden };
        let finding = Finding::new("R-not-visible", Cause::Unclear, judged, reason);
        return Some(finding.limited(Confidence::Unclear, Limit::SameSourceHidden(hidden)));
    }
    let reason = Reason::OtherCode { judged, delta_pp: judged.delta_pp(case.row) };
    let why = if judged == Judged::OwnSelf { Limit::SameLines } else { Limit::InCallees };
    let finding =
        Finding::new("R-code-quality", Cause::CodeQuality, judged, reason).limited(Confidence::Likely, why);
    Some(gates::common(finding, case))
}

/// Whether a build may contain the function without showing it in the stacks.
fn is_inlined(context: &Context<'_>, case: &Case<'_>, side: Side) -> bool {
    let Some(census) = context.builds.census(side) else { return true };
    let mut functions = case.ids[side].iter().filter_map(|id| census.function(*id));
    functions.any(|function| function.inlined_instances() > 0)
        || !case.ids[side].iter().any(|id| census.calls_to(*id).next().is_some())
}

/// A function of another object that is called from a program whose source is the same: one build may contain it inlined,
/// and its callers were compiled differently.
fn of_library(context: &Context<'_>, case: &Case<'_>, judged: Judged) -> Option<Finding> {
    let sampled_on = Side::BOTH.into_iter().find(|side| case.is_sampled(*side))?;
    // Its callers, or what it calls (the start of a program calls its main function).
    let callers = context.calls_to(case.row, sampled_on).into_iter().filter_map(|call| context.caller(call));
    let callees =
        context.calls_from(case.row, sampled_on).into_iter().filter_map(|call| context.callee(call));
    let is_of_program = callers.chain(callees).any(|other| other.of_program);
    if !context.builds.is_rebuilt() || !is_of_program {
        return None;
    }
    if let Some(hidden) = Side::BOTH.into_iter().find(|side| !case.is_sampled(*side)) {
        let reason = Reason::HiddenInBuild { hidden };
        let finding = Finding::new("R-not-visible", Cause::Unclear, judged, reason);
        return Some(finding.limited(Confidence::Unclear, Limit::SameSourceHidden(hidden)));
    }
    if !case.of_same_file || context.common_shift.explains(case.row, judged) {
        return None;
    }
    let reason = Reason::OtherCode { judged, delta_pp: judged.delta_pp(case.row) };
    let finding = Finding::new("R-code-quality", Cause::CodeQuality, judged, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::RebuiltCallers), case))
}

/// A function that one build inlines and the other calls in another object: its samples are that object's.
fn called_elsewhere(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let called_on =
        Side::BOTH.into_iter().find(|side| context.builds.is_imported(*side, &case.ids[*side]))?;
    let inlined_on = called_on.other();
    let reason = Reason::CalledElsewhere { inlined_on };
    let finding = Finding::new("R-inline-change", Cause::InlineChange, Judged::OwnSelf, reason);
    Some(gates::one_compiler(gates::common(finding, case), context, case))
}
