//! Tests of this part of the verdicts' forms.

use serde_json::{Value, json};

use super::*;
use crate::compare::sample::{comparison, full};
use crate::verdicts::hot_lines::SourceTexts;
use crate::verdicts::sample::classification;

fn report() -> Value {
    serde_json::from_slice(&verdict_json(&comparison(Vec::new()), &classification()).unwrap()).unwrap()
}

#[test]
fn every_verdict_is_there_noise_included() {
    let report = report();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 5);
    assert_eq!(
        report["missing"][0].as_str().map(|text| text.starts_with("before: the binary is stripped, so")),
        Some(true)
    );
    assert!(report.get("settings").is_none());
    assert!(report.get("cost").is_none());
}

#[test]
fn what_an_operation_costs_is_said_as_in_the_comparison_and_nowhere_twice() {
    let (full, classification) = (full(), classification());
    let parsed = |bytes: Vec<u8>| -> Value { serde_json::from_slice(&bytes).unwrap() };
    let report = parsed(verdict_json(&full, &classification).unwrap());
    assert!(report["cost"].is_object());
    assert_eq!(report["cost"], parsed(crate::compare::json::json(&full).unwrap())["cost"]);
    assert!(value_without_verdicts(&full, &classification).unwrap().get("cost").is_none());
}

#[test]
fn a_verdict_has_all_that_the_schema_says() {
    let report = report();
    let found = report["verdicts"].as_array().unwrap().iter().find(|of| of["function"] == "slower").unwrap();
    let expected = json!({
        "name": "slower", "function": "slower", "object": "mysqld", "file": "sql/x.cc", "rule_id": "R-test", "cause": "heavier",
        "confidence": "likely", "limited_by": "only 3 samples", "reason": "renamed from slower to heir; net +0.50 points", "judged_by": "self",
        "before": {"self_pct": 1.0, "booked_self_pct": 1.0, "total_pct": 2.0, "x_pct": 1.0},
        "after": {"self_pct": 3.0, "booked_self_pct": 3.0, "total_pct": 6.0, "x_pct": 3.0},
        "delta_self_pp": 2.0, "delta_booked_pp": 2.0, "delta_total_pp": 4.0, "ci_low_pp": 1.5, "ci_high_pp": 2.5,
        "code_is_new": false,
        "q_value": 0.01, "callers": ["caller_a", "caller_b"], "tags": ["spin-wait", "compiler-change"],
        "sampled": {"before": true, "after": true}, "in_build": {"before": "yes", "after": "not-visible"},
        "evidence": [{"kind": "code", "text": "its code grew from 6 to 12 bytes", "numbers": {}}]
    });
    assert_eq!(found, &expected);
    let family = json!([{"id": 0, "members": ["leaf", "scan"], "booked_delta_pp": 0.5, "moved_pp": 1.5,
                         "body_pp": 0.375, "call_overhead_pp": 0.125}]);
    assert_eq!(report["families"], family);
}

#[test]
fn an_explanation_has_verdicts_facts_and_lines() {
    let classification = classification();
    let view = ExplainView {
        name: "leaf",
        findings: &[],
        verdicts: &classification.verdicts[..1],
        facts: &[],
        lines: &[],
        code: &[],
        most_blocks: 5,
        texts: &SourceTexts::default(),
        most_lines: 10,
    };
    let report: Value = serde_json::from_slice(&explain_json(&view).unwrap()).unwrap();
    assert_eq!(report["verdicts"].as_array().unwrap().len(), 1);
    assert_eq!((&report["facts"], &report["hot_lines"]), (&json!([]), &json!([])));
}
