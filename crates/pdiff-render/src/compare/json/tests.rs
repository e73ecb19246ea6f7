//! JSON read back: keys, sums and what is null.

use serde_json::Value;

use super::*;
use crate::compare::sample;

fn parsed(comparison: &Comparison) -> Value {
    serde_json::from_slice(&json(comparison).unwrap()).unwrap()
}

fn keys(value: &Value) -> String {
    let Value::Object(object) = value else { return String::new() };
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys.join(" ")
}

#[test]
fn the_keys_are_those_of_schema_version_1() {
    let value = parsed(&sample::full());
    assert_eq!(value["schema_version"], 1);
    assert_eq!(
        keys(&value),
        "after before comparability cost denominator families filtered findings findings_rest functions gap group_by kernel noise notes policy preset schema_version"
    );
    assert_eq!(keys(&value["before"]), "label objects runs samples spin_pct unresolved_pct weight");
    assert_eq!(keys(&value["before"]["runs"][0]), "event path samples span_s weight");
    let row = &value["functions"][0];
    assert_eq!(
        keys(row),
        "after before ci_high_pp ci_low_pp cpu_change_share_pct delta_booked_pp delta_self_per_op delta_self_per_op_ns delta_self_pp \
         delta_total_pp detectable_pp gap_share_ci_high_pct gap_share_ci_low_pct gap_share_pct match name object presence q_value significant"
    );
    assert_eq!(keys(&row["match"]), "after_name ambiguous before_name level");
    assert_eq!(
        keys(&row["after"]),
        "booked_self_pct booked_self_weight inlined_self_pct inlined_self_weight self_pct self_per_op self_per_op_ns \
         self_samples self_weight total_pct total_weight x_pct x_weight"
    );
    assert_eq!(keys(&value["notes"][0]), "count example examples kind weight");
}

#[test]
fn what_was_tested_per_operation_stands_beside_the_share() {
    let mut comparison = sample::full();
    comparison.rows[5].cost_change = Some(sample::own_cost_change().into());
    let row = &parsed(&comparison)["functions"][5];
    assert_eq!(
        keys(&row["cost_change"]),
        "ci_high_pct ci_low_pct extent own_ci_high_pct own_ci_low_pct own_pct own_q_value pct q_value"
    );
    assert_eq!((&row["cost_change"]["extent"], &row["cost_change"]["pct"]), (&"own".into(), &24.0.into()));
}

#[test]
fn a_side_without_weight_is_null_and_weights_are_integers() {
    let value = parsed(&sample::full());
    let new =
        value["functions"].as_array().unwrap().iter().find(|row| row["presence"] == "only-after").unwrap();
    assert_eq!(new["name"], "THD::store_cached_properties");
    assert_eq!((&new["before"], &new["match"]["before_name"]), (&Value::Null, &Value::Null));
    assert_eq!(new["after"]["self_weight"].as_u64(), Some(53));
    assert!(new["after"]["self_weight"].is_u64());
}

#[test]
fn a_gap_has_its_keys() {
    assert_eq!(
        keys(&parsed(&sample::full())["gap"]),
        "after_cores after_tps barely_significant before_cores before_tps ci_assumed ci_high_pct ci_low_pct parts pct"
    );
}

#[test]
fn self_weights_of_all_rows_sum_to_the_sides_weight() {
    let value = parsed(&sample::full());
    for side in ["before", "after"] {
        let rows = value["functions"].as_array().unwrap();
        let sum: u64 = rows.iter().filter_map(|row| row[side]["self_weight"].as_u64()).sum();
        assert_eq!(Some(sum), value[side]["weight"].as_u64());
    }
}

#[test]
fn what_is_no_number_is_null() {
    let mut comparison = sample::full();
    comparison.rows[0].ci_low_pp = f64::NAN;
    comparison.rows[0].ci_high_pp = f64::INFINITY;
    comparison.rows[0].test =
        pdiff_analysis::noise::Test::Untested(pdiff_analysis::noise::Untested::FewSamples);
    let value = parsed(&comparison);
    for key in ["ci_low_pp", "ci_high_pp", "q_value"] {
        assert_eq!(value["functions"][0][key], Value::Null);
    }
}

#[test]
fn what_is_not_known_has_no_key_and_names_stay_as_they_are() {
    let mut comparison = sample::full();
    comparison.cost = None;
    let value = parsed(&comparison);
    assert!(value.get("cost").is_none() && value.get("gap").is_none() && value.get("left_out_pct").is_none());
    assert_eq!(value["functions"][3]["name"], "old_\u{1b}[31m|`name`\n");
    assert_eq!(json(&comparison).unwrap(), json(&comparison.clone()).unwrap());
}
