//! A verdict on a function whose change is that of its callees is no more certain than theirs: where they have no known cause,
//! it is unclear.
//!
//! Of builds that are a patch apart, some code changed and most did not: then the callees must have a known cause. Of others, no
//! callee needs one, because a change may be spread over many, each within noise.

use rustc_hash::FxHashMap;

use super::cause::{Cause, Confidence};
use super::limit::Limit;
use super::reason::Reason;
use super::verdict::Verdict;

/// The part of a change that callees without a known cause must have, or must not have.
const EXPLAINING_PART: f64 = 0.5;

/// Makes verdicts on callers unclear whose change is mostly in callees without a known cause.
pub(super) fn limit_callers(verdicts: &mut [Verdict], is_patched: bool) {
    let by_name = (0..).zip(verdicts.iter()).map(|(at, verdict)| (verdict.function.clone(), at)).collect();
    let mut doubts = Doubts { verdicts, by_name, is_patched, known: vec![None; verdicts.len()] };
    let doubtful: Vec<bool> = (0..verdicts.len()).map(|at| doubts.is_doubtful(at)).collect();
    for (verdict, is_doubtful) in verdicts.iter_mut().zip(doubtful) {
        let points_to_callees = matches!(verdict.reason, Reason::CalleesChanged { .. });
        if is_doubtful && points_to_callees && verdict.confidence > Confidence::Unclear {
            verdict.confidence = Confidence::Unclear;
            verdict.limited_by = Some(Limit::UnclearCallees);
        }
    }
}

struct Doubts<'a> {
    verdicts: &'a [Verdict],
    by_name: FxHashMap<String, usize>,
    is_patched: bool,
    known: Vec<Option<bool>>,
}

impl Doubts<'_> {
    /// Whether a verdict tells no cause, or only points to callees that have none.
    fn is_doubtful(&mut self, at: usize) -> bool {
        let Some(verdict) = self.verdicts.get(at) else { return false };
        if let Some(known) = self.known.get(at).copied().flatten() {
            return known;
        }
        // Until it is decided, and for functions that call each other, what it says itself.
        let is_unclear = verdict.confidence == Confidence::Unclear;
        self.set(at, is_unclear);
        let is_doubtful = match &verdict.reason {
            Reason::CalleesChanged { delta_pp, callees, .. } => {
                is_unclear || self.has_no_cause(*delta_pp, callees)
            }
            _ => is_unclear || (self.is_patched && verdict.cause == Cause::Noise),
        };
        self.set(at, is_doubtful);
        is_doubtful
    }

    fn set(&mut self, at: usize, is_doubtful: bool) {
        if let Some(known) = self.known.get_mut(at) {
            *known = Some(is_doubtful);
        }
    }

    /// Whether no cause is known of what callees made of a change.
    fn has_no_cause(&mut self, delta_pp: f64, callees: &[(String, f64)]) -> bool {
        let (mut doubtful_pp, mut clear_pp) = (0.0, 0.0);
        for (callee, change_pp) in callees {
            let callee = self.by_name.get(callee).copied();
            // What its verdict is about may not be what changed here.
            let is_doubtful =
                callee.is_some_and(|callee| self.is_of_total(callee) && self.is_doubtful(callee));
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
