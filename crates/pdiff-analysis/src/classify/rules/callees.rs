//! `R-callees`: self did not change, but what the function calls, or what is inlined into it, did.
//!
//! Every caller of a changed function comes here. The rule points to where the change is; it claims no cause of its own.

use pdiff_profile::Side;

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::{Context, share_pct};
use crate::classify::evidence::{Evidence, EvidenceKind};
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::compare::SampledCall;

/// How many callees are named.
const NAMED: usize = 3;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>) -> Finding {
    let row = case.row;
    let of_total = Some(Judged::Total).filter(|of| of.is_significant(row));
    let judged = of_total.or_else(|| changed(case)).unwrap_or(Judged::Total);
    let delta_pp = judged.delta_pp(row);
    let (more, _) = more_and_less(delta_pp);
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
    let finding = Finding::new("R-callees", cause, judged, reason).with(evidence);
    let finding = finding.limited(Confidence::Likely, "the change is in what it calls: see there");
    gates::inlining_ruled_out(gates::common(finding, case), context, case)
}
