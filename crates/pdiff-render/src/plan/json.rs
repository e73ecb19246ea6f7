//! A plan as JSON, which `pdiff attribute --plan` reads.

use pdiff_analysis::{Experiment, Forecast, Plan, PlannedFactor};
use serde_json::{Map, Value, json};

use crate::compare::json_shape::SCHEMA_VERSION;
use crate::error::Error;
use crate::files::written_bytes::json_indented;
use crate::plan::words::{assumptions, doubt_text, experiment_text, why_text};

/// Power that the replicates are chosen for.
const POWER: f64 = 0.9;

/// The plan as one JSON object; `docs/json.md` names every key.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn plan_json(plan: &Plan) -> Result<Vec<u8>, Error> {
    let runs = plan.runs.iter().map(|run| {
        let mut row = Map::new();
        row.insert("build".into(), json!(plan.labels[run.build]));
        row.insert("replicate".into(), json!(run.replicate));
        let levels = plan.factors.iter().zip(&run.levels);
        row.insert("levels".into(), levels.map(|(of, level)| (of.name.clone(), json!(level))).collect());
        Value::Object(row)
    });
    let report = json!({
        "schema_version": SCHEMA_VERSION,
        "before": plan.labels.before,
        "after": plan.labels.after,
        "gap_log": plan.gap_log,
        "design": plan.design.as_str(),
        "replicates": plan.replicates,
        "power": POWER,
        "run_cv_pct": 100.0 * plan.run_cv,
        "run_cv_assumed": plan.is_cv_assumed,
        "factors": plan.factors.iter().zip(&plan.detectable_log).map(|(of, least)| factor(of, *least)).collect::<Vec<_>>(),
        "runs": runs.collect::<Vec<_>>(),
        "assumptions": assumptions(plan),
        "not_planned": plan.not_planned.iter().map(|of| json!({
            "rank": of.rank, "name": of.name, "why": why_text(of.why),
        })).collect::<Vec<_>>(),
    });
    json_indented(&report)
}

fn factor(of: &PlannedFactor, detectable_log: f64) -> Value {
    let (setting, values) = match &of.experiment {
        Experiment::Setting { name, values, .. } => (Some(name), Some(values)),
        _ => (None, None),
    };
    let to = match &of.experiment {
        Experiment::Setting { to, .. } => to.as_ref(),
        _ => None,
    };
    json!({
        "name": of.name,
        "experiment": of.experiment.as_str(),
        "what": experiment_text(&of.experiment),
        "setting": setting,
        "values": values.map(|values| values.as_ref().into_array()),
        "to": to,
        "in_before": of.on.before,
        "in_after": of.on.after,
        "finding_ranks": of.finding_ranks,
        "within_pct": of.within_pct.into_array(),
        "own_pct": of.own_pct.into_array(),
        "sleeps_pct": of.sleeps_pct.into_array(),
        "alone": forecast(&of.alone),
        "average": of.average.as_ref().map(forecast),
        "detectable_log": detectable_log,
        "doubts": of.doubts.iter().map(doubt_text).collect::<Vec<_>>(),
    })
}

fn forecast(of: &Forecast) -> Value {
    json!({
        "predicted_log": of.log,
        "ci_log": [of.log_interval.0, of.log_interval.1],
        "predicted_pp": of.points,
        "ci_pp": of.points_interval.map(|(low, high)| [low, high]),
    })
}
