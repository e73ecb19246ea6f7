//! A verdict on a function whose change is that of its callees is no more certain than theirs: where they have no known cause,
//! it is unclear.
//!
//! Of builds that are a patch apart, some code changed and most did not: then the callees must have a known cause. Of others, no
//! callee needs one, because a change may be spread over many, each within noise.

use rustc_hash::FxHashMap;

use super::cause::{Cause, Confidence, Judged};
use super::limit::Limit;
use super::reason::Reason;
use super::verdict::Verdict;

/// The part of a change that callees without a known cause must have, or must not have.
const EXPLAINING_PART: f64 = 0.5;

/// Makes verdicts on callers unclear whose change is mostly in callees without a known cause.
pub(super) fn limit_callers(verdicts: &mut [Verdict], is_patched: bool) {
    let by_name = (0..).zip(verdicts.iter()).map(|(at, verdict)| (verdict.function.clone(), at)).collect();
    let doubtful = Doubts { verdicts, by_name, is_patched }.all();
    for (verdict, is_doubtful) in verdicts.iter_mut().zip(doubtful) {
        if is_doubtful && points_to_callees(verdict) && verdict.confidence > Confidence::Unclear {
            verdict.confidence = Confidence::Unclear;
            verdict.limited_by = Some(Limit::UnclearCallees);
        }
    }
}

/// Whether a verdict says only that its callees changed. What follows from them has their causes.
fn points_to_callees(verdict: &Verdict) -> bool {
    matches!(verdict.reason, Reason::CalleesChanged { .. }) && verdict.cause != Cause::Consequence
}

struct Doubts<'a> {
    verdicts: &'a [Verdict],
    by_name: FxHashMap<String, usize>,
    is_patched: bool,
}

impl Doubts<'_> {
    /// Whether each verdict tells no cause, or only points to callees that have none. Functions that call each other are no
    /// cause of each other: of builds a patch apart one of them must call something else that has a cause.
    fn all(&self) -> Vec<bool> {
        let alone = |verdict: &Verdict| {
            let is_bare = points_to_callees(verdict) || verdict.cause == Cause::Noise;
            verdict.confidence == Confidence::Unclear || (self.is_patched && is_bare)
        };
        let mut doubtful: Vec<bool> = self.verdicts.iter().map(alone).collect();
        // Each round settles what is a call further from a cause, or from a doubt.
        loop {
            let settle = |(verdict, known): (&Verdict, &bool)| match &verdict.reason {
                Reason::CalleesChanged { delta_pp, callees, judged, .. } if points_to_callees(verdict) => {
                    verdict.confidence == Confidence::Unclear
                        || self.has_no_cause(&doubtful, (*judged, *delta_pp), callees)
                }
                _ => *known,
            };
            let settled: Vec<bool> = self.verdicts.iter().zip(&doubtful).map(settle).collect();
            if settled == doubtful {
                return doubtful;
            }
            doubtful = settled;
        }
    }

    /// Whether no cause is known of what callees made of a change.
    fn has_no_cause(
        &self,
        doubtful: &[bool],
        (judged, delta_pp): (Judged, f64),
        callees: &[(String, f64)],
    ) -> bool {
        let (mut doubtful_pp, mut clear_pp) = (0.0, 0.0);
        for (callee, change_pp) in callees {
            let callee = self.by_name.get(callee).copied();
            // What its verdict is about may not be what changed here. What is inlined here changed by its own code.
            let is_doubtful = callee.is_some_and(|callee| {
                (judged == Judged::Booked || self.is_of_total(callee))
                    && doubtful.get(callee).copied().unwrap_or(false)
            });
            match is_doubtful || (self.is_patched && callee.is_none()) {
                true => doubtful_pp += change_pp.abs(),
                false => clear_pp += change_pp.abs(),
            }
        }
        match self.is_patched {
            true => clear_pp < EXPLAINING_PART * delta_pp.abs(),
            false => doubtful_pp >= EXPLAINING_PART * delta_pp.abs(),
        }
    }

    /// Whether a verdict is about most of what the function's total changed.
    fn is_of_total(&self, at: usize) -> bool {
        self.verdicts.get(at).is_some_and(|verdict| {
            let is_noise = verdict.cause == Cause::Noise;
            is_noise || verdict.delta_judged_pp().abs() >= EXPLAINING_PART * verdict.delta_total_pp().abs()
        })
    }
}
