//! `R-callees`: self did not change, but what the function calls, or what is inlined into it, did.
//!
//! Every caller of a changed function comes here. The rule points to where the change is; it claims no cause of its own.

use pdiff_profile::Side;

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::{Context, share_pct};
use crate::classify::evidence::{Evidence, EvidenceKind};
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::compare::SampledCall;

/// The part of a change of total that lost chains must be able to explain, so that it says nothing.
const LOST_PART: f64 = 0.5;

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
            let pct = |side| share_pct(row, side, call.weight(side));
            (call, pct(Side::After) - pct(Side::Before))
        })
        .filter(|(_, change)| change * delta_pp > 0.0)
        .collect();
    calls.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.callee.cmp(&b.0.callee)));
    // What the other run's chains lost of it was under it there, too.
    let lost = |(call, change): &(&SampledCall, f64)| {
        let callee = context.callee(call);
        callee.map_or(0.0, |callee| context.orphaned_pct(callee, less).min(change.abs()))
    };
    let lost_pp: f64 = calls.iter().map(lost).sum();
    let is_lost = judged == Judged::Total && lost_pp >= LOST_PART * delta_pp.abs();
    calls.truncate(NAMED);
    let names: Vec<String> =
        calls.iter().map(|(call, change)| format!("{} {change:+.2}", call.callee)).collect();
    let where_to = if names.is_empty() { "no callee stands out".to_owned() } else { names.join(", ") };
    let reason = format!("{judged} {delta_pp:+.2} points, self {:+.2}: {where_to}", row.delta_self_pp());
    let evidence = calls.iter().map(|(call, change)| {
        let text = format!("{} under it: {change:+.2} points", call.callee);
        Evidence::new(EvidenceKind::Sampled, text).with(&[("change_pp", *change)])
    });
    let cause = if more == Side::After { Cause::Heavier } else { Cause::Lighter };
    let mut finding = Finding::new("R-callees", cause, judged, reason).with(evidence);
    if is_lost {
        let why =
            format!("the {less} run's chains lost callers of what it calls: its total may be too low there");
        finding = finding.limited(Confidence::Unclear, why);
    }
    let finding = finding.limited(Confidence::Likely, "the change is in what it calls: see there");
    gates::inlining_ruled_out(gates::common(finding, case), context, case)
}
