//! A series of builds as JSON, schema version 1: every row.

use pdiff_study::series::{Arrival, Arrived, ChangePoint};
use serde_json::{Value, json};

use crate::compare::json_shape::SCHEMA_VERSION;
use crate::error::Error;
use crate::files::written_bytes::json_indented;
use crate::series::view::SeriesView;

/// The series as one JSON object; `docs/json.md` names every key.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn series_json(view: &SeriesView) -> Result<Vec<u8>, Error> {
    let name = |at: usize| view.builds.get(at).map(String::as_str);
    let throughput = view.throughput.iter().flat_map(|row| {
        row.values.iter().enumerate().filter_map(move |(at, value)| {
            let value = (*value)?;
            Some(json!({
                "class": row.class, "workload": row.workload, "threads": row.threads, "build": name(at),
                "tps": value.tps, "relative": value.relative, "runs": value.runs,
                "ci_low": value.interval.map(|(low, _)| low), "ci_high": value.interval.map(|(_, high)| high),
                "tps_ci_low": value.tps_interval.map(|(low, _)| low),
                "tps_ci_high": value.tps_interval.map(|(_, high)| high),
            }))
        })
    });
    let classes = view.classes.iter().flat_map(|(class, values)| {
        values.iter().enumerate().filter_map(move |(at, value)| {
            let value = (*value)?;
            Some(json!({
                "class": class, "build": name(at), "relative": value.mean,
                "min": value.min, "max": value.max, "workloads": value.workloads,
            }))
        })
    });
    let machine = view.systems.iter().enumerate().map(|(at, system)| {
        json!({
            "build": name(at),
            "tps": system.tps,
            "busy_pct": system.busy_pct,
            "cpu_us_per_op": system.cpu_us_per_op,
            "cpu_per_op_relative": system.cpu_per_op_relative,
            "context_switches_per_op": system.context_switches_per_op,
            "context_switches_relative": system.context_switches_relative,
            "latency_avg_ms": system.latency_avg_ms,
            "latency_percentile": system.latency_percentile_ms.map(|(rank, _)| rank),
            "latency_percentile_ms": system.latency_percentile_ms.map(|(_, ms)| ms),
            "latency_max_ms": system.latency_max_ms,
        })
    });
    let costs = |rows: &[Arrival]| -> Vec<Value> {
        let row = |row: &Arrival| {
            let interval = view.growth_interval(row);
            let brought = view.brought_interval(row);
            json!({
                "name": row.name,
                "growth": view.growth(row),
                "growth_ci_low": interval.map(|(low, _)| low),
                "growth_ci_high": interval.map(|(_, high)| high),
                "object": row.object,
                "self_pct": row.costs.iter().map(|cost| cost.self_pct).collect::<Vec<_>>(),
                "self_per_op_ns": row.costs.iter().map(|cost| cost.self_per_op_ns).collect::<Vec<_>>(),
                "hidden": row.hidden,
                "significant": row.significant,
                "arrived": view.arrived(row).map(|(_, last)| last),
                "arrived_first": view.arrived(row).map(|(first, _)| first),
                "unseen_before": match row.arrived {
                    Arrived::UnseenBefore(at) => name(at),
                    _ => None,
                },
                "brought": row.brought.map(|brought| brought.growth),
                "brought_ci_low": brought.map(|(low, _)| low),
                "brought_ci_high": brought.map(|(_, high)| high),
                "change_points": change_points(view, &row.change_points),
            })
        };
        rows.iter().map(row).collect()
    };
    let report = json!({
        "schema_version": SCHEMA_VERSION,
        "builds": view.builds,
        "base": name(view.base),
        "arrivals_by": if view.per_operation { "cost_per_operation" } else { "share" },
        "throughput": throughput.collect::<Vec<_>>(),
        "classes": classes.collect::<Vec<_>>(),
        "machine": machine.collect::<Vec<_>>(),
        "whole_cost": view.whole.as_ref().map(|whole| json!({
            "per_op_ns": whole.per_op_ns,
            "relative_to": view.cost_base().and_then(name),
            "relative": of_whole(view, |base, at| whole.relative(at, base)),
            "relative_ci_low": of_whole(view, |base, at| whole.relative_interval(at, base).map(|(low, _)| low)),
            "relative_ci_high": of_whole(view, |base, at| whole.relative_interval(at, base).map(|(_, high)| high)),
            "change_points": change_points(view, &whole.change_points),
        })),
        "subsystems": costs(&view.subsystems),
        "functions": costs(&view.functions),
    });
    json_indented(&report)
}

/// A value of each recorded build beside the base.
fn of_whole(view: &SeriesView, value: impl Fn(usize, usize) -> Option<f64>) -> Vec<Option<f64>> {
    let builds = view.whole.as_ref().map_or(0, |whole| whole.per_op_ns.len());
    (0..builds).map(|at| value(view.cost_base()?, at)).collect()
}

fn change_points(view: &SeriesView, found: &[ChangePoint]) -> Vec<Value> {
    let one = |change: &ChangePoint| {
        let [build, earliest, latest] = view.change_point(change)?;
        let (pct, interval_pct) = change.change_pct.unzip();
        Some(json!({
            "build": build, "earliest": earliest, "latest": latest,
            "change": change.change,
            "ci_low": change.change - change.change_half, "ci_high": change.change + change.change_half,
            "change_pct": pct,
            "ci_low_pct": interval_pct.map(|[low, _]| low), "ci_high_pct": interval_pct.map(|[_, high]| high),
        }))
    };
    found.iter().filter_map(one).collect()
}
