//! `R-unresolved` and `R-not-visible`: where the files do not show what a verdict would need, none is given.

use pdiff_profile::Side;

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

/// A row of what has no function.
pub(super) fn unresolved(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let finding = Finding::new("R-unresolved", Cause::Unclear, Judged::OwnSelf, Reason::NoFunction);
    case.row.unresolved.then(|| finding.limited(Confidence::Unclear, Limit::NoSymbol))
}

/// Samples on one side only, while the other side's build does not show whether it holds the function.
pub(super) fn one_sided(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let hidden = Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::NotVisible)?;
    let judged = changed(case)?;
    let reason = Reason::NotVisible { hidden };
    let why = match case.of_program {
        true => Limit::BuildShowsTooLittle(hidden),
        false => Limit::NotExamined { object: case.row.object.clone() },
    };
    Some(Finding::new("R-not-visible", Cause::Unclear, judged, reason).limited(Confidence::Unclear, why))
}
