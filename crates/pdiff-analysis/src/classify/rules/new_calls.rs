//! Functions that grew and now call what their code did not call before: they do more, and no shorter way is gone.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::compare::SampledCall;

use super::code_counts::{calls_in_code, code_bytes, copies_in_code};
use super::entered::{came_from_elsewhere, entered_evidence};
use super::newly_active::FACTOR;

/// Code that has so many times its bytes has more to do. What loses a shorter way loses code.
const MORE_CODE: f64 = 1.25;

/// The part of the growth that must be in what the code did not call before.
const NEW_PART: f64 = 1.0 / 3.0;

/// What is said of a function of builds a patch apart whose total grew by so much, if its code grew, it calls functions that both
/// builds have and its code before did not call, and with new calls of libraries these are a third of the growth.
pub(super) fn does_more(context: &Context<'_>, case: &Case<'_>, grown_pp: f64) -> Option<Finding> {
    let bytes = code_bytes(context, case).map(|bytes| bytes as f64);
    // Between versions, what it did itself and what it called may have other names.
    if !context.is_patched || bytes.before == 0.0 || bytes.after < MORE_CODE * bytes.before {
        return None;
    }
    let is_in_code = |callee: &Case<'_>, side: Side| {
        calls_in_code(context, case, callee, side) + copies_in_code(context, case, callee, side) > 0
    };
    let of = |call: &&SampledCall| {
        let pct = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        let is_entered =
            pct.after >= FACTOR * pct.before && !came_from_elsewhere(context, case, call, pct.after);
        context.callee(call).filter(|_| is_entered).map(|callee| (callee, pct.after))
    };
    let calls = context.calls_from(case.row, Side::After);
    let is_new = |callee: &Case<'_>| {
        callee.of_program && is_in_code(callee, Side::After) && !is_in_code(callee, Side::Before)
    };
    let mut new = calls.clone();
    new.retain(|call| of(call).is_some_and(|(callee, _)| is_new(callee)));
    let is_told = |(callee, _): &(&Case<'_>, f64)| is_new(callee) || callee.is_of_library();
    let new_pp: f64 = calls.iter().filter_map(of).filter(is_told).map(|(_, pct)| pct).sum();
    if new.is_empty() || new_pp < NEW_PART * grown_pp {
        return None;
    }
    let reason = Reason::GoesOn {
        callees: new.iter().take(3).map(|call| call.callee.clone()).collect(),
        total_pp: grown_pp,
        self_pp: case.row.delta_self_pp(),
    };
    let facts = new.iter().filter_map(|call| Some(entered_evidence(context, case, call, of(call)?.1)));
    let finding = Finding::new("R-fast-path", Cause::Heavier, Judged::Total, reason).with(facts);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::PathNotCounted), case))
}
