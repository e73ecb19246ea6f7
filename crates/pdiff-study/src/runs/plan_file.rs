//! A plan of `pdiff plan --format json`, as far as its predictions go.

use serde_json::Value;

use crate::ablation::{Estimate, FactorForecast, Predicted};

/// Reads the predictions of a plan.
///
/// # Errors
/// Returns an error that names what is missing if the text is not a plan.
pub fn parse_plan(text: &str) -> Result<Vec<FactorForecast>, String> {
    let plan: Value = serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
    let no_plan = "is no plan; hint: write one with `pdiff plan --format json`";
    let factors = plan["factors"].as_array().ok_or(no_plan)?;
    let forecast = |of: &Value| {
        Some(FactorForecast {
            name: of["name"].as_str()?.to_owned(),
            alone: predicted(&of["alone"])?,
            average: predicted(&of["average"]),
            doubts: of["doubts"].as_array().into_iter().flatten().filter_map(text_of).collect(),
        })
    };
    factors.iter().map(|of| forecast(of).ok_or_else(|| no_plan.to_owned())).collect()
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn predicted(of: &Value) -> Option<Predicted> {
    let log = estimate(&of["predicted_log"], &of["ci_log"])?;
    Some(Predicted { log, points: estimate(&of["predicted_pp"], &of["ci_pp"]) })
}

fn estimate(value: &Value, interval: &Value) -> Option<Estimate> {
    let ends = interval[0].as_f64().zip(interval[1].as_f64());
    Some(Estimate { value: value.as_f64()?, interval: ends })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plan_is_refused_and_an_average_may_be_missing() {
        assert!(parse_plan("{}").is_err() && parse_plan("x").is_err());
        let text = r#"{"factors":[{"name":"P","alone":{"predicted_log":0.1,"ci_log":[0.0,0.2],"predicted_pp":5.0,
            "ci_pp":[0.0,10.0]},"average":null,"doubts":["d"]}]}"#;
        let plan = parse_plan(text).unwrap();
        assert_eq!(plan[0].alone.points, Some(Estimate { value: 5.0, interval: Some((0.0, 10.0)) }));
        assert!(plan[0].average.is_none() && plan[0].doubts == ["d"]);
    }
}
