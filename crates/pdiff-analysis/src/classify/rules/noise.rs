//! `R-noise`: no measure of the function changed by more than noise, neither in share nor, where that was tested, per
//! operation; and chains hide nothing that did.

use super::{fast_path, per_operation};
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    if Judged::ALL.iter().any(|of| per_operation::is_told(*of, case.row)) {
        return None;
    }
    if let Some(finding) = fast_path::hidden(context, case, flipped) {
        return Some(finding);
    }
    if let Some(finding) = per_operation::shared(context, case) {
        return Some(finding);
    }
    let detectable_pp = case.row.detectable.points();
    let reason =
        Reason::WithinNoise { detectable_pp, untested_pct: per_operation::untested(context, case.row) };
    let finding = Finding::new("R-noise", Cause::Noise, Judged::OwnSelf, reason);
    Some(finding.limited(Confidence::Likely, Limit::Unseen(detectable_pp)))
}
