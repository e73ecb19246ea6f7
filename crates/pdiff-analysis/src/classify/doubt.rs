//! Takes back what callers were told of functions without a known cause: a function whose change is that of its callees is
//! no more certain than they are.

use rustc_hash::FxHashMap;

use super::cause::Confidence;
use super::limit::Limit;
use super::reason::Reason;
use super::verdict::Verdict;

/// The part of a change that callees without a known cause must have.
const EXPLAINING_PART: f64 = 0.5;

/// Verdicts by function and object.
type ByName = FxHashMap<(String, String), usize>;

/// Makes verdicts on callers unclear whose change is mostly in callees with an unclear verdict.
pub(super) fn limit_callers(verdicts: &mut [Verdict]) {
    let key = |verdict: &Verdict| (verdict.function.clone(), verdict.object.clone());
    let by_name: ByName = (0..).zip(verdicts.iter()).map(|(at, verdict)| (key(verdict), at)).collect();
    let mut doubtful: Vec<Option<bool>> = vec![None; verdicts.len()];
    for at in 0..verdicts.len() {
        is_doubtful(verdicts, &by_name, &mut doubtful, at);
    }
    for (verdict, is_doubtful) in verdicts.iter_mut().zip(doubtful) {
        if is_doubtful == Some(true) && verdict.confidence > Confidence::Unclear {
            verdict.confidence = Confidence::Unclear;
            verdict.limited_by = Some(Limit::UnclearCallees);
        }
    }
}

/// Whether a verdict is about most of what the function's total changed.
fn is_of_total(verdicts: &[Verdict], at: usize) -> bool {
    verdicts.get(at).is_some_and(|verdict| {
        verdict.delta_judged_pp().abs() >= EXPLAINING_PART * verdict.delta_total_pp().abs()
    })
}

fn is_doubtful(verdicts: &[Verdict], by_name: &ByName, known: &mut [Option<bool>], at: usize) -> bool {
    let (Some(verdict), Some(of)) = (verdicts.get(at), known.get_mut(at)) else { return false };
    if let Some(known) = of {
        return *known;
    }
    // Until it is decided, and for functions that call each other, what it says itself.
    let is_unclear = verdict.confidence == Confidence::Unclear;
    *of = Some(is_unclear);
    let Reason::CalleesChanged { delta_pp, callees, .. } = &verdict.reason else { return is_unclear };
    let unclear_pp: f64 = callees
        .iter()
        .filter(|(callee, _)| {
            let callee = by_name.get(&(callee.clone(), verdict.object.clone())).copied();
            callee.is_some_and(|callee| {
                callee != at && is_of_total(verdicts, callee) && is_doubtful(verdicts, by_name, known, callee)
            })
        })
        .map(|(_, change_pp)| change_pp.abs())
        .sum();
    let is_doubtful = is_unclear || unclear_pp >= EXPLAINING_PART * delta_pp.abs();
    if let Some(of) = known.get_mut(at) {
        *of = Some(is_doubtful);
    }
    is_doubtful
}
