//! `R-fast-path` for a function that does not only go on more often because a caller now also calls it (`R-edge`): then what it
//! calls is a part of that finding.

use crate::classify::case::Case;
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::rules::FlippedCallers;

use super::{edge, entered, fast_path, own_work};

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let is_entered_more = entered::more_often(context, case) && edge::rule(context, case, flipped).is_some();
    if is_entered_more {
        return None;
    }
    own_work::rule(context, case).or_else(|| fast_path::rule(context, case, flipped))
}
