//! `R-same-binary`: both sides ran the same file, so no difference is one of code.

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, _: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let finding = Finding::new("R-same-binary", Cause::Noise, Judged::OwnSelf, Reason::SameBinary);
    context.same_program.then_some(finding)
}
