//! `R-common-shift`: the share changed as that of every unchanged function did, for what grew or shrank elsewhere takes
//! or leaves share.

use super::fast_path;
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::compare::MatchedBy;
use crate::matching::FoundBy;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    let shift = context.common_shift;
    let is_explained = |of: &Judged| {
        let is_own = *of == Judged::OwnSelf && shift.explains_own_code(case.row);
        !of.is_significant(case.row) || shift.explains(case.row, *of) || is_own
    };
    if !Judged::ALL.iter().all(is_explained) {
        return None;
    }
    // None of its own measures tells of a path that the chains lost.
    if let Some(finding) = fast_path::hidden(context, case, flipped) {
        return Some(finding);
    }
    if case.row.matched.by == MatchedBy::Alias {
        let before = case.row.matched.names.before.as_deref().unwrap_or_default();
        let reason = Reason::KnownRename { before: before.to_owned(), after: case.row.name.clone() };
        let moved = Finding::new("R-moved", Cause::Moved, judged, reason);
        return Some(moved.limited(Confidence::Likely, Limit::Found(FoundBy::Alias)));
    }
    let reason = Reason::CommonShift {
        judged,
        delta_pp: judged.delta_pp(case.row),
        factor: shift.factor(),
        with_inlined: !shift.explains(case.row, judged),
    };
    let finding = Finding::new("R-common-shift", Cause::Noise, judged, reason);
    Some(finding.limited(Confidence::Likely, Limit::SharesAlone))
}
