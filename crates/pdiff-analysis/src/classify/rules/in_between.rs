//! `R-in-between`: one run's stacks go through the function more than the other's, while its callees cost no more: a caller
//! that was inserted, or another path to the same work.
//!
//! Growth of a callee under the function counts as old weight, except for the part by which the callee grew everywhere. The
//! function's own code must not have changed beyond noise.

use pdiff_profile::Side;

use super::FlippedCallers;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::findings::is_kernel_object;

/// The part of a change of total that must have been there before, under other callers. The rest is what the callees have
/// more, which is said of them.
const KEPT_PART: f64 = 0.5;

/// The part of a callee's weight that the function must lead to: a helper that many call is not led to by any of them.
const MOST_OF_CALLEE: f64 = 0.5;

/// How many callees in a row may be new, too.
const DEEPEST: usize = 4;

/// How many calls of each are looked at, heaviest first.
const WIDEST: usize = 32;

/// How many callees are named.
const NAMED: usize = 3;

/// A function that one run did not enter.
pub(super) fn one_sided(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let is_one_sided = Side::BOTH.into_iter().any(|side| !case.is_sampled(side));
    if is_one_sided { rule(context, case, flipped) } else { None }
}

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    if !row.total.significant || row.significant || row.booked.significant || row.unresolved {
        return None;
    }
    let delta_pp = row.delta_total_pp();
    let (more, less) = more_and_less(delta_pp);
    let mut kept = Vec::new();
    add_kept(context, case, case, [more, less], DEEPEST, &mut kept);
    let kept_pp: f64 = kept.iter().map(|(_, pp)| pp).sum();
    if kept_pp < KEPT_PART * delta_pp.abs() {
        return None;
    }
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let callees = kept.into_iter().take(NAMED).map(|(name, _)| name).collect();
    let reason = Reason::InBetween { more, callees, self_pp: row.delta_self_pp() };
    let finding = Finding::new("R-in-between", Cause::Moved, Judged::Total, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::InCallees), case))
}

/// The weight of callees that existed before, but not under this function: by callee, in points. A callee `through` that
/// the other run did not enter is passed over, and its callees count.
fn add_kept(
    context: &Context<'_>,
    case: &Case<'_>,
    through: &Case<'_>,
    [more, less]: [Side; 2],
    deeper: usize,
    kept: &mut Vec<(String, f64)>,
) {
    let row = through.row;
    for call in context.calls_from(row, more).into_iter().take(WIDEST) {
        let Some(callee) = context.callee(call) else { continue };
        let under = |side| share_pct(row, side, call.weight(side));
        let grew = under(more)
            - under(less)
            - if deeper < DEEPEST { direct_pct(context, case, callee, less) } else { 0.0 };
        let of_callee = call.weight(more).as_f64() / callee.row.side(more).total_weight.as_f64();
        if grew <= 0.0 || of_callee < MOST_OF_CALLEE || is_kernel_object(&callee.row.object) {
            continue;
        }
        if callee.is_sampled(less) {
            let whole = callee.row.side(more).total_pct - callee.row.side(less).total_pct;
            let kept_pp = grew - whole.max(0.0) - lost_pp(context, case, callee, less);
            if kept_pp > 0.0 {
                kept.push((call.callee.clone(), kept_pp));
            }
        } else if deeper > 0 {
            add_kept(context, case, callee, [more, less], deeper - 1, kept);
        }
    }
}

/// A side's share of a callee directly under the function.
fn direct_pct(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, side: Side) -> f64 {
    let calls = context.calls_from(case.row, side).into_iter();
    let to_it = calls.filter(|call| call.callee == callee.row.name && call.callee_file == callee.row.file);
    to_it.map(|call| share_pct(case.row, side, call.weight(side))).sum()
}

/// The weight above a callee that the other run's chains may have lost: the function ran, but the stacks do not show it.
fn lost_pp(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
    match context.jumps_to(case, callee, less) {
        true => context.left_callers_pp(case, callee, less),
        false => context.lost_from(case, callee, less),
    }
}
