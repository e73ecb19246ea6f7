//! `R-in-between`: one run's stacks go through the function more than the other's, while its callees cost no more: a caller
//! that was inserted, or another path to the same work, as when a thread of its own does it.
//!
//! Growth of a callee under the function counts as old weight, except for the part by which the callee grew everywhere, and that
//! part is looked at in the same way: the callee may lead to the same work too. The function's own code must not have changed
//! beyond noise.

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
use crate::compare::Row;
use crate::findings::is_kernel_object;

/// The part of a change of total that must have been there before, under other callers. The rest is what the callees have
/// more, which is said of them.
const KEPT_PART: f64 = 0.5;

/// The part of a callee's weight that the function must lead to: a helper that many call is not led to by any of them.
const MOST_OF_CALLEE: f64 = 0.5;

/// How many callees in a row may be new, too.
const DEEPEST: usize = 4;

/// How many callees in a row may lead to the same work, too.
const LONGEST_WAY: usize = 64;

/// How many functions are looked at for one: a program has a few hundred on such a way, and recursion has no end.
const MOST_LOOKED_AT: usize = 4096;

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
    let (more, _) = more_and_less(delta_pp);
    let mut kept = Search::new(context, more).kept(case, LONGEST_WAY);
    let kept_pp = sum(&kept);
    if kept_pp < KEPT_PART * delta_pp.abs() {
        return None;
    }
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let callees = kept.into_iter().take(NAMED).map(|(name, _)| name).collect();
    let reason = Reason::InBetween { more, callees, self_pp: row.delta_self_pp() };
    let finding = Finding::new("R-in-between", Cause::Moved, Judged::Total, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::InCallees), case))
}

/// The weight under a function that the other run has too, but not under this function, in points.
pub(super) fn kept_pp(context: &Context<'_>, case: &Case<'_>, more: Side) -> f64 {
    sum(&Search::new(context, more).kept(case, LONGEST_WAY))
}

fn sum(parts: &[(String, f64)]) -> f64 {
    parts.iter().map(|(_, pp)| pp).sum()
}

/// A search for weight that one run has in another place than the other.
struct Search<'c, 'a> {
    context: &'c Context<'a>,
    /// The run with more under the function.
    more: Side,
    less: Side,
    /// How many functions may still be looked at.
    left: usize,
}

impl<'c, 'a> Search<'c, 'a> {
    fn new(context: &'c Context<'a>, more: Side) -> Self {
        Self { context, more, less: more.other(), left: MOST_LOOKED_AT }
    }

    /// The weight under a function that the other run has too, but not under it: by callee, in points.
    fn kept(&mut self, case: &Case<'_>, way: usize) -> Vec<(String, f64)> {
        let mut kept = Vec::new();
        self.add_kept(case, case, way, DEEPEST, &mut kept);
        kept
    }

    /// The same in the callees of `through`. A callee that the other run did not enter is passed over, and its callees count.
    fn add_kept(
        &mut self,
        case: &Case<'_>,
        through: &Case<'_>,
        way: usize,
        deeper: usize,
        kept: &mut Vec<(String, f64)>,
    ) {
        let (context, more, less) = (self.context, self.more, self.less);
        let row = through.row;
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
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
                let is_on_the_way = whole > 0.0 && way > 0 && self.is_main_caller(row, callee);
                let inside = if is_on_the_way { self.kept(callee, way - 1) } else { Vec::new() };
                let new_pp = (whole - sum(&inside)).max(0.0);
                let kept_pp = grew - new_pp - lost_pp(context, case, callee, less);
                if kept_pp > 0.0 && inside.is_empty() {
                    kept.push((call.callee.clone(), kept_pp));
                } else if kept_pp > 0.0 {
                    let part = kept_pp / sum(&inside);
                    kept.extend(inside.into_iter().map(|(name, pp)| (name, part * pp)));
                }
            } else if deeper > 0 {
                self.add_kept(case, callee, way, deeper - 1, kept);
            }
        }
    }

    /// Whether no other function calls the callee as much: so the ways of a search part and never meet, save in recursion.
    fn is_main_caller(&self, row: &Row, callee: &Case<'_>) -> bool {
        let main = self.context.calls_to(callee.row, self.more).into_iter().next();
        main.and_then(|call| self.context.caller(call)).is_some_and(|caller| std::ptr::eq(caller.row, row))
    }
}

/// A side's share of a callee directly under the function.
fn direct_pct(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, side: Side) -> f64 {
    let calls = context.calls_from(case.row, side).into_iter();
    let to_it = calls.filter(|call| {
        *call.callee == *callee.row.name && call.callee_file.as_deref() == callee.row.file.as_deref()
    });
    to_it.map(|call| share_pct(case.row, side, call.weight(side))).sum()
}

/// The weight above a callee that the other run's chains may have lost: the function ran, but the stacks do not show it.
fn lost_pp(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
    match context.jumps_to(case, callee, less) {
        true => context.left_callers_pp(case, callee, less),
        false => context.lost_from(case, callee, less),
    }
}
