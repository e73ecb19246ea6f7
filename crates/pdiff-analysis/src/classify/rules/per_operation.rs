//! Costs per operation that changed although the share does not show it: `R-heavier` and `R-lighter` by cost, and
//! `R-shared-cost` if all functions changed alike.
//!
//! Two functions that make up most of a program and both cost a fifth more keep their shares. Where operations are known and
//! runs tell how the whole profile's cost varies, each row's cost was tested (`compare/cost_change.rs`).

use pdiff_profile::Side;

use super::cost_per_call::cost_per_call;
use super::weight::{has_same_code, is_called_by_changed_code, is_only_relaid, is_told_by_places, unchanged};
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::compare::{CostChange, CostExtent, Row};
use crate::noise::{FLOOR_PP, FLOOR_RELATIVE};
use crate::policy::Share;

/// Code that changed by less than this part of what its function's own lines did has other lines.
const LINES_PART: f64 = 0.5;

/// Whether a measure's cost changed on its own.
pub(super) fn is_own(measure: Judged, row: &Row) -> bool {
    measure.cost_change(row).is_some_and(|change| change.extent == CostExtent::Own)
}

/// Whether a measure changed beyond noise: its share, or its cost on its own.
pub(super) fn is_told(measure: Judged, row: &Row) -> bool {
    measure.is_significant(row) || is_own(measure, row)
}

/// Whether the total of a row grew beyond noise: as a share, or per operation and more than that of other functions.
pub(super) fn has_grown(row: &Row) -> bool {
    let total = Judged::Total;
    let by_share = total.is_significant(row) && total.delta_pp(row) > 0.0;
    let change = total.cost_change(row).filter(|_| is_own(total, row));
    by_share || change.and_then(|change| change.pct).is_some_and(|pct| pct > 0.0)
}

/// The share does not tell of the cost: it is within noise, or it went the other way because others changed more.
fn is_untold(measure: Judged, row: &Row) -> bool {
    let change_pct = measure.cost_change(row).and_then(|change| change.pct).unwrap_or(0.0);
    !measure.is_significant(row) || change_pct * measure.delta_pp(row) < 0.0
}

/// Whether the cost of all below a function, or of its code with what is inlined into it, changed beyond noise, and its share the
/// other way: others changed more.
fn costs_the_other_way(measure: Judged, row: &Row) -> bool {
    let change = measure.cost_change(row).filter(|change| change.extent != CostExtent::WithinNoise);
    let is_opposite =
        change.and_then(|change| change.pct).is_some_and(|pct| pct * measure.delta_pp(row) < 0.0);
    measure != Judged::OwnSelf && is_opposite
}

/// Whether self and what is inlined into it changed in opposite ways: lines went from one to the other, and both together tell what
/// the code costs.
fn moved_inside(row: &Row) -> bool {
    let is_beyond = |change: &CostChange| change.extent != CostExtent::WithinNoise;
    let pct = |of: Judged| of.cost_change(row).filter(is_beyond).and_then(|change| change.pct);
    let own = Judged::OwnSelf;
    is_told(own, row) && pct(own).zip(pct(Judged::Booked)).is_some_and(|(own, booked)| own * booked < 0.0)
}

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let judged = match moved_inside(row) {
        true => Judged::Booked,
        false => {
            let is_lines = |of: Judged| of == Judged::OwnSelf && has_other_lines(context, case);
            Judged::ALL.iter().copied().find(|of| is_told(*of, row) && !is_lines(*of))?
        }
    };
    let is_other_way = costs_the_other_way(judged, row);
    if !is_other_way && (!is_own(judged, row) || !is_untold(judged, row)) {
        return None;
    }
    let change = judged.cost_change(row)?;
    let pct = change.pct?;
    let share_pp = judged.delta_pp(row);
    let reason = Reason::CostChanged { judged, change, share_pp, other_way: judged.is_significant(row) };
    let is_more = pct > 0.0;
    let cause = if is_more { Cause::Heavier } else { Cause::Lighter };
    let is_rebuilt = case.of_program && context.builds.is_rebuilt() && context.gates(case).is_empty();
    let cause = if is_rebuilt { Cause::CodeQuality } else { cause };
    let (rule_id, why) = match judged {
        Judged::OwnSelf if is_rebuilt => ("R-code-quality", Limit::SameLines),
        _ if is_rebuilt => ("R-code-quality", Limit::InCallees),
        Judged::OwnSelf if is_more => ("R-heavier", Limit::CallsOrCost),
        Judged::OwnSelf => ("R-lighter", Limit::CallsOrCost),
        _ => ("R-callees", Limit::InCallees),
    };
    let finding = Finding::new(rule_id, cause, judged, reason).with(evidence(context, judged, row));
    let more = if is_more { Side::After } else { Side::Before };
    let is_unchanged = judged == Judged::OwnSelf
        && has_same_code(context, case)
        && !is_called_by_changed_code(context, case, flipped, more);
    let is_told = judged != Judged::OwnSelf || is_rebuilt || is_told_by_places(context, case, flipped, more);
    let is_relaid = judged == Judged::OwnSelf && is_only_relaid(context, case, flipped, more);
    let finding = match (is_unchanged, is_told) {
        (true, _) => unchanged(finding, context, case, flipped, more),
        // Unclear, unless it follows from a change of what calls it (`consequence`).
        _ if is_relaid => finding.limited(Confidence::Likely, Limit::Relaid),
        (false, false) => finding.limited(Confidence::Likely, Limit::SamePlaces),
        (false, true) if why == Limit::CallsOrCost => {
            cost_per_call(finding, context, case, has_same_code(context, case))
        }
        (false, true) => finding.limited(Confidence::Likely, why),
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// Whether a function's self changed, and its code with what is inlined there by less than half as much, or the other way, in builds a patch
/// apart: lines of what it contains count for it now, or no longer. One that is inlined elsewhere is judged with what contains it.
fn has_other_lines(context: &Context<'_>, case: &Case<'_>) -> bool {
    let row = case.row;
    let change = |of: Judged| {
        let (before, after) = of.shares(row);
        context.common_shift.own_change_pp(before, after)
    };
    let (own_pp, code_pp) = (change(Judged::OwnSelf), change(Judged::Booked));
    let is_copied = Side::BOTH.into_iter().any(|side| !row.inlined_into(side).is_empty());
    context.is_patched
        && !is_copied
        && !is_told(Judged::Booked, row)
        && code_pp * own_pp.signum() < LINES_PART * own_pp.abs()
}

/// Where no measure's share changed: its cost changed as that of all functions, or it cannot be known whether more.
pub(super) fn shared(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let row = case.row;
    let found = Judged::ALL.iter().find_map(|of| {
        let change = of.cost_change(row).filter(|change| change.extent != CostExtent::WithinNoise)?;
        change.pct.map(|_| (*of, change))
    });
    let (judged, change) = found.filter(|_| !context.same_program)?;
    let facts = evidence(context, judged, row);
    if change.extent == CostExtent::NotToldApart {
        let reason = Reason::CostNotTold { judged, change };
        let finding = Finding::new("R-shared-cost", Cause::Unclear, judged, reason).with(facts);
        return Some(finding.limited(Confidence::Unclear, Limit::FewFunctions));
    }
    let reason = Reason::CostShared { judged, change };
    let finding = Finding::new("R-shared-cost", Cause::Noise, judged, reason).with(facts);
    Some(finding.limited(Confidence::Likely, Limit::InCommon))
}

/// The change of the cost in percent, which cannot be tested with one run per side, where it is larger than that of the
/// share.
pub(super) fn untested(context: &Context<'_>, row: &Row) -> Option<f64> {
    let comparison = context.input.comparison;
    let cost = comparison.cost.as_ref().filter(|_| comparison.share == Share::All)?;
    let relative = |after: f64, before: f64| after / before - 1.0;
    let of_share = relative(row.after.self_pct, row.before.self_pct);
    let of_cost = (1.0 + of_share) * cost.log_ratio.exp() - 1.0;
    let is_larger = of_cost.is_finite() && of_cost.abs() >= FLOOR_RELATIVE && of_cost.abs() > of_share.abs();
    let is_seen = row.before.self_pct.max(row.after.self_pct) >= FLOOR_PP;
    (cost.log_interval.is_none() && is_larger && is_seen).then_some(100.0 * of_cost)
}

fn evidence(context: &Context<'_>, judged: Judged, row: &Row) -> Option<Fact> {
    let change = judged.cost_change(row).filter(|change| change.pct.is_some())?;
    let whole_pct = 100.0 * context.input.comparison.cost.as_ref()?.log_ratio.exp_m1();
    Some(Fact::Cost { measure: judged, change, whole_pct })
}
