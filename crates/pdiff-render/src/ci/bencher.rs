//! Numbers to be kept from run to run, in Bencher's metric format: a benchmark, a measure, and its value with an interval.

use std::collections::BTreeMap;

use serde::Serialize;

use super::CiInput;
use crate::document::number::percent_of_log;
use crate::error::Error;
use crate::files::written_bytes::json_indented;

#[derive(Serialize)]
struct Metric {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

impl Metric {
    fn new(value: f64, interval: Option<(f64, f64)>) -> Option<Self> {
        let (lower_value, upper_value) = interval.unzip();
        value.is_finite().then_some(Self { value, lower_value, upper_value })
    }
}

/// The cost of an operation of the build after, what changed it, and each part of the change.
///
/// # Errors
/// If it cannot be written as JSON, which does not happen.
pub fn bencher_json(of: &CiInput<'_>) -> Result<Vec<u8>, Error> {
    let mut benchmarks: BTreeMap<String, BTreeMap<&str, Metric>> = BTreeMap::new();
    let mut put = |benchmark: String, measure: &'static str, metric: Option<Metric>| {
        if let Some(metric) = metric {
            benchmarks.entry(benchmark).or_default().insert(measure, metric);
        }
    };
    let whole = of.name.to_owned();
    if let Some(cost) = &of.comparison.cost {
        let measure = if cost.is_time { "cpu_ns_per_operation" } else { "events_per_operation" };
        put(whole.clone(), measure, Metric::new(cost.per_op.after, None));
        let interval = cost.log_interval.map(|(low, high)| (percent_of_log(low), percent_of_log(high)));
        put(whole.clone(), "cost_change_pct", Metric::new(percent_of_log(cost.log_ratio), interval));
        let gap = cost.gap.as_ref();
        let gap = gap.and_then(|gap| Metric::new(gap.gap_pct, Some(gap.interval_pct)));
        put(whole.clone(), "throughput_change_pct", gap);
    }
    put(whole, "parts_changed", Metric::new(of.comparison.findings.list.len() as f64, None));
    for finding in &of.comparison.findings.list {
        let name = format!("{}/{}", of.name, finding.name);
        put(name.clone(), "change_pp", Metric::new(finding.delta_pp(), Some(finding.interval_pp)));
        if let Some(change) = finding.delta_per_op() {
            put(name, "change_per_operation", Metric::new(change, finding.interval_per_op));
        }
    }
    json_indented(&benchmarks)
}
