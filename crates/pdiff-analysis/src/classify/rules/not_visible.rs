//! `R-unresolved` and `R-not-visible`: where the files do not show what a verdict would need, none is given.

use pdiff_profile::Side;

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;

/// A row of what has no function.
pub(super) fn unresolved(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let reason = "weight without a function: give the binary or its debug file by --binary-before/-after";
    let finding = Finding::new("R-unresolved", Cause::Unclear, Judged::OwnSelf, reason.to_owned());
    case.row.unresolved.then(|| finding.limited(Confidence::Unclear, "no symbol covers these addresses"))
}

/// Samples on one side only, while the other side's build does not show whether it holds the function.
pub(super) fn one_sided(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let hidden = Side::BOTH.into_iter().find(|side| case.held_by(*side) == InBuild::NotVisible)?;
    let judged = changed(case)?;
    let reason =
        format!("sampled {} only; whether the {hidden} build holds it is not visible", hidden.other());
    let why = if case.of_program {
        format!(
            "the {hidden} build shows too little: give a file with symbols and debug information by --binary-{hidden}"
        )
    } else {
        format!("the file of {} was not examined", case.row.object)
    };
    Some(Finding::new("R-not-visible", Cause::Unclear, judged, reason).limited(Confidence::Unclear, why))
}
