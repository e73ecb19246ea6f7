//! `R-noise`: no measure of the function changed by more than noise, and chains hide nothing
//! that did.

use super::fast_path;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    if Judged::ALL.iter().any(|measure| measure.is_significant(case.row)) {
        return None;
    }
    if let Some(finding) = fast_path::hidden(context, case, flipped) {
        return Some(finding);
    }
    let seen = case.row.detectable_pp.map_or_else(
        || "too few samples for a test".to_owned(),
        |pp| format!("a change of self below {pp:.2} points could not be seen"),
    );
    let reason = format!("not more than noise; {seen}");
    Some(Finding::new("R-noise", Cause::Noise, Judged::OwnSelf, reason).limited(Confidence::Likely, seen))
}
