//! The recordings over time as JSON.

use pdiff_analysis::{RunSeconds, Seconds};
use pdiff_profile::PerSide;
use serde_json::{Value, json};

/// Whole seconds of each run: weight per second, and the shares of some functions.
pub(super) fn value(seconds: &Seconds) -> Value {
    let run = |run: &RunSeconds| json!({"step": run.step, "weight_per_second": run.per_second});
    let PerSide { before, after } =
        seconds.runs.as_ref().map(|runs| runs.iter().map(run).collect::<Vec<_>>());
    let share = |(at, (name, object)): (usize, &(String, String))| {
        let of_run = |run: &RunSeconds| {
            let pct = run.share_pct.get(at).map(Vec::as_slice).unwrap_or_default();
            pct.iter().map(|pct| (pct * 100.0).round() / 100.0).collect::<Vec<_>>()
        };
        let PerSide { before, after } =
            seconds.runs.as_ref().map(|runs| runs.iter().map(of_run).collect::<Vec<_>>());
        json!({"name": name, "object": object, "before_pct": before, "after_pct": after})
    };
    let functions: Vec<Value> = seconds.functions.iter().enumerate().map(share).collect();
    json!({"before": before, "after": after, "functions": functions})
}
