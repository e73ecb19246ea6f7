//! The kernel's work as JSON: by the function that entered it and the reason.

use pdiff_analysis::{Comparison, KernelWork};
use serde::Serialize;

use super::json::{FindingSideReport, side};

/// Work of less than this on both sides, in percent, that did not change beyond noise either, is left out.
const LEAST_PCT: f64 = 0.05;

/// The kernel's work for one caller and one reason.
#[derive(Serialize)]
pub(crate) struct KernelReport<'a> {
    kind: &'static str,
    /// `null` for interrupts and where callers were lost.
    caller: Option<&'a str>,
    object: &'a str,
    before: FindingSideReport,
    after: FindingSideReport,
    delta_pp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op: Option<f64>,
    ci_low_pp: f64,
    ci_high_pp: f64,
    q_value: Option<f64>,
    significant: bool,
    functions: usize,
}

/// All work of the kernel that is worth telling.
pub(crate) fn kernel(of: &Comparison) -> Vec<KernelReport<'_>> {
    let is_time = of.cost.as_ref().is_some_and(|cost| cost.is_time);
    let is_told = |work: &&KernelWork| work.significant || work.before.pct.max(work.after.pct) >= LEAST_PCT;
    let told = of.findings.kernel.iter().filter(is_told);
    let report = |work| report(work, is_time);
    told.map(report).collect()
}

fn report(work: &KernelWork, is_time: bool) -> KernelReport<'_> {
    KernelReport {
        kind: work.kind.as_str(),
        caller: work.caller.as_deref(),
        object: &work.object,
        before: side(&work.before, is_time),
        after: side(&work.after, is_time),
        delta_pp: work.delta_pp(),
        delta_per_op: work.delta_per_op(),
        ci_low_pp: work.interval_pp.0,
        ci_high_pp: work.interval_pp.1,
        q_value: work.q_value,
        significant: work.significant,
        functions: work.functions,
    }
}
