//! `R-callees`: self did not change, but the function's callees, or functions inlined into it, did.
//!
//! Every caller of a changed function gets here. The rule points to where the change is; it claims no cause of its own.

use pdiff_profile::Side;

use super::callers;
use super::weight::has_same_code;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::{Reason, SelfChange};
use crate::compare::SampledCall;
use crate::findings::is_interrupt;
use crate::noise::FLOOR_PP;

/// The part of a change of total that lost chains must be able to explain, so that it says nothing.
const LOST_PART: f64 = 0.5;

/// The part of a change that is the function's own, where no callee has as much.
const OWN_PART: f64 = 0.5;

/// How many callees are named.
const NAMED: usize = 3;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>) -> Finding {
    let row = case.row;
    let order = [Judged::Total, Judged::Booked, Judged::OwnSelf];
    let judged = order.into_iter().find(|of| of.is_significant(row)).unwrap_or(Judged::Total);
    let delta_pp = judged.delta_pp(row);
    let (more, less) = more_and_less(delta_pp);
    let mut calls: Vec<(&SampledCall, f64)> = context
        .calls_from(row, more)
        .into_iter()
        .map(|call| {
            // What it calls out of line is not in self by symbol.
            let pct = |side| match judged {
                Judged::Booked => {
                    context.callee(call).map_or(0.0, |callee| context.copied_pct(case, callee, side))
                }
                _ => share_pct(row, side, call.weight(side)),
            };
            (call, pct(Side::After) - pct(Side::Before))
        })
        .filter(|(_, change)| change * delta_pp > 0.0)
        .collect();
    calls.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.callee.cmp(&b.0.callee)));
    // No callee tells why: then it is called differently, or its time is another, for the same code.
    let named_pp: f64 = calls.iter().map(|(_, change)| change.abs()).sum();
    let is_own =
        row.delta_self_pp() * delta_pp > 0.0 && row.delta_self_pp().abs() >= OWN_PART * delta_pp.abs();
    // A part of the same library that changed was called differently as the function was.
    let elsewhere_pp: f64 = calls
        .iter()
        .filter(|(call, _)| *call.callee_object != *row.object)
        .map(|(_, change)| change.abs())
        .sum();
    let of_library = !case.of_program && case.of_same_file && elsewhere_pp < OWN_PART * delta_pp.abs();
    let is_untold = judged != Judged::Total && is_own && named_pp < OWN_PART * delta_pp.abs();
    let by_callers = (of_library || is_untold).then(|| callers::finding(context, case, judged));
    if let Some(finding) = by_callers.flatten() {
        return finding;
    }
    if judged == Judged::Total && row.significant && is_own && named_pp < OWN_PART * delta_pp.abs() {
        return own_lines(context, case, more);
    }
    // What the other run's chains lost of it was under it there, too.
    let lost = |(call, change): &(&SampledCall, f64)| {
        let callee = context.callee(call);
        callee.map_or(0.0, |callee| {
            let by_name = match context.jumps_to(case, callee, less) {
                true => context.jumped_past_pp(case, callee, less),
                false => context.lost_from(case, callee, less),
            };
            by_name.max(context.left_by_jump_pp(case, callee, less)).min(change.abs())
        })
    };
    let lost_pp: f64 = calls.iter().map(lost).sum();
    // Where it always leaves to that by a jump, hardly any stack shows it there.
    let is_hidden = row.side(less).total_pct < FLOOR_PP
        && calls.first().is_some_and(|(call, change)| {
            let is_main = change.abs() >= OWN_PART * delta_pp.abs();
            is_main
                && context.callee(call).is_some_and(|callee| context.is_hidden_by_jump(case, callee, less))
        });
    let is_lost = judged == Judged::Total && (is_hidden || lost_pp >= LOST_PART * delta_pp.abs());
    if let Some(finding) = from_copies(context, case, judged, less).filter(|_| calls.is_empty()) {
        return finding;
    }
    // No function causes an interrupt.
    let is_own_doing = |(call, _): &(&SampledCall, f64)| !is_interrupt(&call.callee);
    if calls.iter().any(is_own_doing) {
        calls.retain(is_own_doing);
    }
    calls.truncate(NAMED);
    let callees: Vec<(String, f64)> =
        calls.iter().map(|(call, change)| (call.callee.clone(), *change)).collect();
    let of_callee = |(callee, change_pp): &(String, f64)| Fact::CalleeChange {
        callee: callee.clone(),
        change_pp: *change_pp,
    };
    let evidence: Vec<Fact> = callees.iter().map(of_callee).collect();
    let reason = Reason::CalleesChanged { judged, delta_pp, self_pp: row.delta_self_pp(), callees };
    // As a whole it costs the same: what is inlined in its code changed, or is inlined elsewhere.
    let is_of_inlined = judged == Judged::Booked && !is_own;
    let cause = match more {
        _ if is_of_inlined => Cause::Consequence,
        Side::After => Cause::Heavier,
        Side::Before => Cause::Lighter,
    };
    let mut finding = Finding::new("R-callees", cause, judged, reason).with(evidence);
    if is_lost {
        finding = finding.limited(Confidence::Unclear, Limit::LostChains(less));
    }
    let finding = finding.limited(Confidence::Likely, Limit::InCallees);
    gates::inlining_ruled_out(gates::common(finding, case), context, case)
}

/// A total that changed by more than all functions did, most of it in the function's own lines: alone, these changed no more than the
/// common factor may have.
fn own_lines(context: &Context<'_>, case: &Case<'_>, more: Side) -> Finding {
    let (rule_id, cause) = match more {
        Side::After => ("R-heavier", Cause::Heavier),
        Side::Before => ("R-lighter", Cause::Lighter),
    };
    let code = if has_same_code(context, case) { SelfChange::SameCode } else { SelfChange::InBoth };
    let reason = Reason::SelfChanged { self_pp: case.row.delta_self_pp(), code, under: None };
    let finding = Finding::new(rule_id, cause, Judged::OwnSelf, reason);
    let at_most = if code == SelfChange::SameCode { Confidence::Unclear } else { Confidence::Likely };
    let finding = finding.limited(at_most, Limit::CallsOrCost);
    gates::inlining_ruled_out(gates::common(finding, case), context, case)
}

/// A change of self by symbol that is that of its copies: they had it on the other side, in a caller that is not there now.
fn from_copies(context: &Context<'_>, case: &Case<'_>, judged: Judged, inlined_on: Side) -> Option<Finding> {
    let row = case.row;
    let booked_pp = row.delta_booked_pp();
    let copied = |side: Side| -> f64 {
        row.inlined_into(side).iter().map(|copy| share_pct(row, side, copy.weight)).sum()
    };
    let moved_pp = copied(inlined_on) - copied(inlined_on.other());
    let container = row.inlined_into(inlined_on).first()?.caller.to_string();
    if judged != Judged::Booked || moved_pp < OWN_PART * booked_pp.abs() || !case.of_program {
        return None;
    }
    let reason = Reason::Flipped {
        inlined_on,
        caller: container,
        more_callers: row.inlined_into(inlined_on).len() - 1,
        booked_pp,
        body_pp: row.after.x_pct() - row.before.x_pct(),
        family: None,
    };
    let finding = Finding::new("R-inline-change", Cause::InlineChange, judged, reason);
    let finding = finding.limited(Confidence::Likely, Limit::NoNamedCaller);
    Some(gates::one_compiler(gates::common(finding, case), context, case))
}
