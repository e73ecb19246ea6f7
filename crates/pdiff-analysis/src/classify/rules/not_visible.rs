//! `R-unresolved` and `R-not-visible`: if the files do not show what a verdict needs, there is none, unless a setting
//! explains the change (`R-switched-on`, `R-switched-off`).

use pdiff_profile::Side;

use super::per_operation;
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::classify::setting::SettingValues;
use crate::settings_diff::SettingGate;

/// A row of what has no function.
pub(super) fn unresolved(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let told = Judged::ALL.iter().copied().find(|of| per_operation::is_told(*of, case.row));
    let judged = told.unwrap_or(Judged::OwnSelf);
    let finding = Finding::new("R-unresolved", Cause::Unclear, judged, Reason::NoFunction);
    case.row.unresolved.then(|| finding.limited(Confidence::Unclear, Limit::NoSymbol))
}

/// Samples on one side only, while the other side's build does not show whether it contains the function.
pub(super) fn one_sided(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let hidden = Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::NotVisible)?;
    let judged = changed(case)?;
    let why = match case.of_program {
        true => Limit::BuildShowsTooLittle(hidden),
        false => Limit::NotExamined { object: case.row.object.to_string() },
    };
    if let Some(switched) = switched(context, case, hidden, judged) {
        return Some(gates::common(switched.limited(Confidence::Likely, why), case));
    }
    let reason = Reason::NotVisible { hidden };
    Some(Finding::new("R-not-visible", Cause::Unclear, judged, reason).limited(Confidence::Unclear, why))
}

/// A setting that switches the function, is on where it ran, and off on the other side or unknown to its server. What a
/// server does not know it cannot switch on: the cost is new there. What it knows and has off is newly active.
fn switched(context: &Context<'_>, case: &Case<'_>, hidden: Side, judged: Judged) -> Option<Finding> {
    let active = hidden.other();
    if case.is_sampled(hidden) {
        return None;
    }
    let is_it = |gate: &SettingGate<'_>| !gate.is_off[active] && gate.is_off[hidden];
    let gate = context.gates(case).into_iter().find(is_it)?;
    let (rule_id, cause) = match (active, gate.differs) {
        (Side::After, true) => ("R-switched-on", Cause::NewlyActive),
        (Side::After, false) => ("R-switched-on", Cause::NewOverhead),
        (Side::Before, true) => ("R-switched-off", Cause::Lighter),
        (Side::Before, false) => ("R-switched-off", Cause::Gone),
    };
    let reason = Reason::SwitchedOn { active, setting: SettingValues::of(&gate) };
    Some(Finding::new(rule_id, cause, judged, reason))
}
