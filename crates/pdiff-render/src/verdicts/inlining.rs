//! Functions that are inlined no longer, or now, which cost as much as a part of the change, and which no part tells of.
//!
//! A part compares such a function with its callers' own lines, which can vary by more than it costs; the verdict is by the callers' self by
//! symbol.

use pdiff_analysis::classify::{
    Cause, Classification, Confidence, Evidence, Fact, FamilyCost, Reason, Verdict,
};
use pdiff_analysis::{Comparison, Finding, FindingMember};

use crate::document::visible_text::visible;
use crate::document::{Block, Line};
use crate::verdicts::words::{cause_text, fact_text, reason_text};

/// So many are named.
const MOST: usize = 3;

/// A part with a function in it that changed by so much of what that costs may have most of that.
const LEAST_PART: f64 = 0.5;

/// A line for each of those that cost most, or cost most less, in points as the parts: of parts per operation there is none.
pub(crate) fn blocks(comparison: &Comparison, of: &Classification) -> Vec<Block> {
    if comparison.cost.is_some() {
        return Vec::new();
    }
    let parts = &comparison.findings.list;
    let least = parts.iter().map(|part| part.delta_pp().abs()).fold(f64::INFINITY, f64::min);
    let mut unlisted: Vec<(&Verdict, &FamilyCost)> = of
        .verdicts
        .iter()
        .filter_map(|verdict| Some((verdict, cost_of(verdict)?)))
        .filter(|(verdict, cost)| cost.net_pp.abs() >= least && !is_in_a_part(parts, verdict, cost))
        .collect();
    unlisted.sort_by(|a, b| b.1.net_pp.abs().total_cmp(&a.1.net_pp.abs()));
    unlisted.into_iter().take(MOST).map(|(verdict, _)| Line::block("inlining", text(verdict))).collect()
}

/// What such a line says: the verdict, why, and if its source is longer.
fn text(verdict: &Verdict) -> String {
    let is_of_source = |evidence: &&Evidence| matches!(evidence.fact, Fact::GrownSource { .. });
    let source = verdict.evidence.iter().find(is_of_source);
    let source = source.map_or_else(String::new, |evidence| format!("; {}", fact_text(&evidence.fact)));
    format!(
        "{}: {}: {}{source}; in no part above, because a part compares it with its callers' own lines, which can vary more",
        visible(&verdict.function),
        cause_text(verdict.cause, verdict.confidence),
        reason_text(&verdict.reason),
    )
}

/// What a function and its callers cost more, or less, because of its inlining, if that is proved.
fn cost_of(verdict: &Verdict) -> Option<&FamilyCost> {
    let is_cost = matches!(verdict.cause, Cause::InlineRegression | Cause::InlineGain);
    match &verdict.reason {
        Reason::Flipped { family: Some(cost), .. } if is_cost && verdict.confidence == Confidence::Proved => {
            Some(cost)
        }
        _ => None,
    }
}

/// Whether a part is named by a function, or may have what that costs.
fn is_in_a_part(parts: &[Finding], verdict: &Verdict, cost: &FamilyCost) -> bool {
    let goes_along = |delta_pp: f64| delta_pp * cost.net_pp > 0.0;
    parts.iter().any(|part| {
        let is_named = part.name.split(" -> ").any(|name| name == verdict.function);
        let of_function = |member: &FindingMember| {
            member.name == verdict.function && goes_along(member.after.pct - member.before.pct)
        };
        let delta_pp = part.delta_pp();
        let is_large = goes_along(delta_pp) && delta_pp.abs() >= LEAST_PART * cost.net_pp.abs();
        is_named || (is_large && part.members.iter().any(of_function))
    })
}

#[cfg(test)]
mod tests {
    use pdiff_analysis::FindingSide;
    use pdiff_profile::Side;

    use super::*;
    use crate::compare::sample;
    use crate::verdicts::sample::verdict;

    /// What is said of a function that is proved to cost so much with its callers.
    fn said(of: &Comparison, function: &str, cause: Cause, net_pp: f64) -> Option<String> {
        said_at(Confidence::Proved, of, function, cause, net_pp)
    }

    fn said_at(
        confidence: Confidence,
        of: &Comparison,
        function: &str,
        cause: Cause,
        net_pp: f64,
    ) -> Option<String> {
        let mut verdict = verdict(function, cause, (0.0, 2.0));
        verdict.confidence = confidence;
        verdict.reason = Reason::Flipped {
            inlined_on: Side::Before,
            caller: "run".to_owned(),
            more_callers: 0,
            booked_pp: 2.0,
            body_pp: 1.0,
            family: Some(FamilyCost { net_pp, half_width_pp: 0.1, is_shared: false }),
        };
        let of_all = Classification {
            verdicts: vec![verdict],
            distance: None,
            families: Vec::new(),
            missing: Vec::new(),
            rebuilt: Vec::new(),
            settings: None,
        };
        blocks(of, &of_all).first().map(|block| format!("{block:?}"))
    }

    #[test]
    fn a_lost_inlining_that_costs_more_than_a_part_and_is_in_none_has_a_line() {
        let mut of = sample::with_findings();
        of.cost = None;
        let sides = (of.findings.rest.before, of.findings.rest.after);
        let deltas = of.findings.list.iter().map(|part| part.delta_pp().abs());
        let (least, most) = (deltas.clone().fold(f64::INFINITY, f64::min), deltas.fold(0.0, f64::max));
        let told = said(&of, "leaf", Cause::InlineRegression, 1.1 * least);
        assert!(told.is_some_and(|text| {
            text.contains("leaf: inline-regression, proved: inlined in run before")
                && text.contains("with its callers it costs +")
        }));
        // It costs less than any part, or no more, or that is only likely, or parts are per operation.
        assert_eq!(said_at(Confidence::Likely, &of, "leaf", Cause::InlineRegression, 1.1 * least), None);
        of.cost = sample::with_findings().cost;
        assert_eq!(said(&of, "leaf", Cause::InlineRegression, 1.1 * least), None);
        of.cost = None;
        assert_eq!(said(&of, "leaf", Cause::InlineRegression, 0.9 * least), None);
        assert_eq!(said(&of, "leaf", Cause::InlineChange, 1.1 * least), None);
        // A part is named by it.
        let name = of.findings.list[0].name.clone();
        let name = name.split(" -> ").next().unwrap();
        assert_eq!(said(&of, name, Cause::InlineRegression, 1.1 * least), None);
        // One that changed by half as much has some of it.
        let largest =
            of.findings.list.iter_mut().max_by(|a, b| a.delta_pp().abs().total_cmp(&b.delta_pp().abs()));
        let largest = largest.unwrap();
        let sign = largest.delta_pp().signum();
        let (none, some) = if sign > 0.0 { (0.0, 0.1) } else { (0.1, 0.0) };
        largest.members.push(FindingMember {
            name: "leaf".to_owned(),
            object: "mysqld".to_owned(),
            before: FindingSide { pct: none, ..sides.0 },
            after: FindingSide { pct: some, ..sides.1 },
        });
        let cause = if sign > 0.0 { Cause::InlineRegression } else { Cause::InlineGain };
        assert_eq!(said(&of, "leaf", cause, sign * 1.9 * most), None);
        assert!(said(&of, "leaf", cause, sign * 2.1 * most).is_some());
    }
}
