//! `R-noise`: no measure of the function changed by more than noise, neither in share nor, where that was tested, per
//! operation; and chains hide nothing that did.

use super::{fast_path, per_operation};
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
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
    let seen = case.row.detectable_pp.map_or_else(
        || "too few samples for a test".to_owned(),
        |pp| format!("a change of self below {pp:.2} points could not be seen"),
    );
    let untested = per_operation::untested(context, case.row);
    let untested = untested.map_or_else(String::new, |untested| format!("; {untested}"));
    let reason = format!("not more than noise; {seen}{untested}");
    Some(Finding::new("R-noise", Cause::Noise, Judged::OwnSelf, reason).limited(Confidence::Likely, seen))
}
