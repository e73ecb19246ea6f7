//! `R-noise`: no measure of the function changed by more than noise.

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(_: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    if Judged::ALL.iter().any(|measure| measure.is_significant(case.row)) {
        return None;
    }
    let seen = case.row.detectable_pp.map_or_else(
        || "too few samples for a test".to_owned(),
        |pp| format!("a change of self below {pp:.2} points could not be seen"),
    );
    let reason = format!("not more than noise; {seen}");
    Some(Finding::new("R-noise", Cause::Noise, Judged::OwnSelf, reason).limited(Confidence::Likely, seen))
}
