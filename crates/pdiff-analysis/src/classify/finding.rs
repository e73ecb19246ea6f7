//! The result of a rule: a cause, and the reason why it is not proved.

use super::cause::{Cause, Confidence, Judged};
use super::evidence::Evidence;
use super::limit::Limit;
use super::reason::Reason;

/// A rule's result for a case.
pub(super) struct Finding {
    pub(super) rule_id: &'static str,
    pub(super) cause: Cause,
    pub(super) judged: Judged,
    pub(super) reason: Reason,
    pub(super) callers: Vec<String>,
    pub(super) evidence: Vec<Evidence>,
    limits: Vec<(Confidence, Limit)>,
}

impl Finding {
    /// A claim that is proved unless something limits it.
    pub(super) fn new(rule_id: &'static str, cause: Cause, judged: Judged, reason: Reason) -> Self {
        Self { rule_id, cause, judged, reason, callers: Vec::new(), evidence: Vec::new(), limits: Vec::new() }
    }

    /// The same, where counts were given: of calls that these do not tell, no other counts are asked for.
    pub(super) fn with_counts(mut self) -> Self {
        for (_, why) in &mut self.limits {
            if *why == Limit::PathNotCounted {
                *why = Limit::PathNotInCounts;
            }
        }
        self
    }

    /// The claim, not more certain than `at_most`.
    pub(super) fn limited(mut self, at_most: Confidence, why: Limit) -> Self {
        self.limits.push((at_most, why));
        self
    }

    pub(super) fn with(mut self, evidence: impl IntoIterator<Item = impl Into<Evidence>>) -> Self {
        self.evidence.extend(evidence.into_iter().map(Into::into));
        self
    }

    /// The weakest gate: how sure the claim is, and what limits it.
    pub(super) fn confidence(&self) -> (Confidence, Option<Limit>) {
        let weakest = self.limits.iter().min_by_key(|(at_most, _)| *at_most);
        match weakest {
            Some((at_most, why)) if *at_most < Confidence::Proved => (*at_most, Some(why.clone())),
            _ => (Confidence::Proved, None),
        }
    }
}
