//! The function that the change of a finding begins in, where that is neither the one that names it nor inside it alone.
//!
//! Findings follow the stacks: what one function calls more can be in several of them, under other names. The verdicts on the functions
//! inside say which function calls them more, up to the one whose code changed.

use std::collections::BTreeMap;

use super::cause::{Cause, Confidence};
use super::reason::Reason;
use super::verdict::{Classification, Verdict};
use crate::findings::{Finding, FindingMember};

/// The part of a finding's change that functions of one cause must hold, so that it is the finding's.
pub(super) const MAIN_PART: f64 = 0.5;

/// How many verdicts on callers are followed.
const LONGEST: usize = 16;

/// A function, and why it changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCause {
    /// Its name.
    pub function: String,
    /// Why it changed.
    pub cause: Cause,
    /// How sure that is.
    pub confidence: Confidence,
}

/// The function that most of a finding's change begins in, if another one names the finding.
pub(super) fn origin(finding: &Finding, of: &Classification) -> Option<FunctionCause> {
    let delta = finding.delta_per_op().unwrap_or(finding.delta_pp());
    let change = |member: &FindingMember| member.delta_per_op().unwrap_or(member.delta_pp());
    let mut sums: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for member in finding.members.iter().filter(|member| change(member) * delta > 0.0) {
        let begins = of.verdict_on(&member.name, &member.object).and_then(|verdict| beginning(verdict, of));
        if let Some(verdict) = begins {
            *sums.entry((&verdict.function, &verdict.object)).or_default() += change(member).abs();
        }
    }
    let ((name, object), sum) = sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let is_other = (name, object) != (finding.function(), &*finding.object);
    let is_main = is_other && sum >= MAIN_PART * delta.abs();
    let is_claim = |verdict: &&Verdict| verdict.confidence > Confidence::Unclear;
    let verdict = of.verdict_on(name, object).filter(|_| is_main).filter(is_claim)?;
    Some(FunctionCause {
        function: verdict.function.clone(),
        cause: verdict.cause,
        confidence: verdict.confidence,
    })
}

/// The verdict on the function that calls more, by those on what it leads to.
pub(super) fn beginning<'a>(verdict: &'a Verdict, of: &'a Classification) -> Option<&'a Verdict> {
    let mut at = verdict;
    for _ in 0..LONGEST {
        let caller = match (&at.reason, at.rule_id) {
            (Reason::PartOf { functions, .. }, _) => {
                Some(&functions.iter().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?.0)
            }
            (_, "R-below" | "R-edge" | "R-more-calls") => at.callers.first(),
            _ => None,
        };
        let Some(caller) = caller else { break };
        let above = of.verdict_on(caller, &at.object).filter(|above| above.rule_id != "R-callees");
        match above {
            Some(above) if calls_more(above) || matches!(above.reason, Reason::PartOf { .. }) => at = above,
            // Its own measures may not show what it calls more.
            _ => break,
        }
    }
    calls_more(at).then_some(at)
}

fn calls_more(verdict: &Verdict) -> bool {
    matches!(verdict.cause, Cause::MissingFastPath | Cause::MoreCalls)
}
