//! `R-heavier` and `R-lighter`: in both builds, self changed, and no other rule gave a cause.

use pdiff_profile::Side;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::{Reason, SelfChange};
use crate::classify::rules::FlippedCallers;

/// The first measure that changed: self, then self by symbol, then total.
pub(super) fn changed(case: &Case<'_>) -> Option<Judged> {
    Judged::ALL.iter().copied().find(|measure| measure.is_significant(case.row))
}

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let shift = context.common_shift;
    let is_shifted = shift.explains(row, Judged::OwnSelf) || shift.explains_own_code(row);
    if !row.significant || is_shifted {
        return None;
    }
    let delta_pp = row.delta_self_pp();
    let (more, less) = more_and_less(delta_pp);
    let (rule_id, cause) = match more {
        Side::After => ("R-heavier", Cause::Heavier),
        Side::Before => ("R-lighter", Cause::Lighter),
    };
    let same_code = context.builds.same_code(&case.ids) == Some(true);
    let code = match (same_code, case.is_sampled(less)) {
        (true, _) => SelfChange::SameCode,
        (false, false) => SelfChange::OneSided,
        (false, true) => SelfChange::InBoth,
    };
    let reason = Reason::SelfChanged { self_pp: delta_pp, code };
    let mut finding = Finding::new(rule_id, cause, Judged::OwnSelf, reason).with(new_callees(context, case));
    if !case.is_sampled(less) {
        finding = finding.limited(Confidence::Unclear, Limit::NoSample(less));
    }
    let finding = finding.limited(Confidence::Likely, Limit::CallsOrCost);
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Callees of After's run that Before's build does not contain: their weight left the function, or was never in it, and yet
/// self changed by that much.
fn new_callees(context: &Context<'_>, case: &Case<'_>) -> Vec<Fact> {
    let row = case.row;
    let calls = context.calls_from(row, Side::After).into_iter().take(5);
    let fact = |call: &crate::compare::SampledCall| {
        let callee = context.callee(call)?;
        let pct = share_pct(row, Side::After, call.after);
        let is_only_after = callee.of_program && !callee.is_sampled(Side::Before) && pct > 0.0;
        is_only_after.then(|| Fact::NotInSelf {
            callee: call.callee.clone(),
            after_pct: pct,
            self_pp: row.delta_self_pp(),
        })
    };
    calls.filter_map(fact).collect()
}
