//! `R-common-shift`: the share changed as that of every unchanged function did, for what grew or shrank elsewhere takes
//! or leaves share.

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    let shift = context.common_shift;
    let is_explained = |of: &Judged| !of.is_significant(case.row) || shift.explains(case.row, *of);
    if !case.of_program || !Judged::ALL.iter().all(is_explained) {
        return None;
    }
    let reason = format!(
        "{judged} {:+.2} points, as all that did not change: a common factor of {:.2}",
        judged.delta_pp(case.row),
        shift.factor()
    );
    let why = "shares alone: operations would tell the cost per operation";
    Some(Finding::new("R-common-shift", Cause::Noise, judged, reason).limited(Confidence::Likely, why))
}
