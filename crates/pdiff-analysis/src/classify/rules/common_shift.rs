//! `R-common-shift`: the share changed as that of every unchanged function did, for what grew or shrank elsewhere takes
//! or leaves share.

use super::fast_path;
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;
use crate::compare::MatchedBy;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    let shift = context.common_shift;
    let is_explained = |of: &Judged| {
        let is_own = *of == Judged::OwnSelf && shift.explains_own_code(case.row);
        !of.is_significant(case.row) || shift.explains(case.row, *of) || is_own
    };
    if !case.of_program || !Judged::ALL.iter().all(is_explained) {
        return None;
    }
    // None of its own measures tells of a path that the chains lost.
    if let Some(finding) = fast_path::hidden(context, case, flipped) {
        return Some(finding);
    }
    if case.row.matched.by == MatchedBy::Alias {
        let before = case.row.matched.before_name.as_deref().unwrap_or_default();
        let reason = format!(
            "{before} before is {} after, by a known rename; its share changed as all",
            case.row.name
        );
        let moved = Finding::new("R-moved", Cause::Moved, judged, reason);
        return Some(moved.limited(Confidence::Likely, "found on both sides by alias name"));
    }
    let what = if shift.explains(case.row, judged) {
        "no more than all that did not change"
    } else {
        "between it and what is inlined into it; both together no more than all that did not change"
    };
    let reason = format!(
        "{judged} {:+.2} points, {what}: a common factor of {:.2}",
        judged.delta_pp(case.row),
        shift.factor()
    );
    let why = "shares alone: operations would tell the cost per operation";
    Some(Finding::new("R-common-shift", Cause::Noise, judged, reason).limited(Confidence::Likely, why))
}
