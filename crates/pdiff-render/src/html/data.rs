//! The data of a report as JSON inside HTML: the documented schemas, with two economies that keep the file small.
//!
//! Real numbers have five significant digits. Functions that are under [`LEAST_PCT`] in every measure on both sides and
//! changed by no more than noise are left out of `compare.functions`; `functions_left_out` holds their number and their
//! weights, so that sums still close. Verdicts that say noise are left out of `classify.verdicts`; `noise_left_out` is
//! their number. `pdiff compare` and `pdiff classify --format json` have every row and digit.

use serde_json::{Map, Value, json};

use super::ReportInput;
use crate::error::Error;
use crate::flame::tree_json;
use crate::settings_json::settings_json;
use crate::verdict_json::verdict_json;

/// Percent of the denominator below which a function is left out: no change of less passes the floor of noise, and a frame
/// of it is not seen either.
const LEAST_PCT: f64 = 0.05;

/// The data, with every character escaped that HTML could take for something else.
pub(super) fn embedded(input: &ReportInput<'_>) -> Result<String, Error> {
    let mut compare = parsed(&crate::json::json(input.comparison)?)?;
    leave_out_small(&mut compare);
    let mut data = Map::new();
    data.insert("compare".to_owned(), compare);
    let mut classify = parsed(&verdict_json(input.comparison, input.classification)?)?;
    leave_out_noise(&mut classify);
    data.insert("classify".to_owned(), classify);
    if let Some(settings) = input.settings {
        data.insert("settings".to_owned(), parsed(&settings_json(settings)?)?);
    }
    data.insert("tree".to_owned(), parsed(&tree_json(&input.flame())?)?);
    data.insert("command".to_owned(), Value::from(input.command));
    let mut data = Value::Object(data);
    round(&mut data);
    Ok(without_markup(&data.to_string()))
}

fn parsed(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Json { reason: error.to_string() })
}

fn leave_out_small(compare: &mut Value) {
    let Some(functions) = compare.get_mut("functions").and_then(Value::as_array_mut) else { return };
    let mut left_out = [0_u64; 3];
    functions.retain(|row| {
        let keep = is_large(row);
        if !keep {
            left_out[0] += 1;
            left_out[1] += row["before"]["self_weight"].as_u64().unwrap_or(0);
            left_out[2] += row["after"]["self_weight"].as_u64().unwrap_or(0);
        }
        keep
    });
    let [count, before_self_weight, after_self_weight] = left_out;
    compare["functions_left_out"] = json!({"count": count, "before_self_weight": before_self_weight, "after_self_weight": after_self_weight});
}

fn is_large(row: &Value) -> bool {
    let measures = ["self_pct", "booked_self_pct", "total_pct"];
    let is_over =
        |side: &str| measures.iter().any(|key| row[side][*key].as_f64().unwrap_or(0.0) >= LEAST_PCT);
    row["significant"].as_bool().unwrap_or(false) || is_over("before") || is_over("after")
}

fn leave_out_noise(classify: &mut Value) {
    let Some(verdicts) = classify.get_mut("verdicts").and_then(Value::as_array_mut) else { return };
    let all = verdicts.len();
    verdicts.retain(|verdict| verdict["cause"] != "noise");
    let left_out = all - verdicts.len();
    classify["noise_left_out"] = Value::from(left_out);
}

/// Rounds real numbers to five significant digits.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let rounded = number.as_f64().and_then(|number| format!("{number:.4e}").parse::<f64>().ok());
            if let Some(rounded) = rounded {
                *value = Value::from(rounded);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(keys) => keys.values_mut().for_each(round),
        _ => {}
    }
}

/// JSON in which no character starts or ends markup, or ends a line of a script.
fn without_markup(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 50);
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_inside_html_is_the_same_json_without_markup() {
        let hostile =
            json!({"name": "</script><!-- & \u{2028}", "pct": 1.2345678, "weight": 12_345_678_901_u64});
        let text = without_markup(&hostile.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), hostile);
        let mut rounded = hostile;
        round(&mut rounded);
        assert_eq!(
            (rounded["pct"].as_f64(), rounded["weight"].as_u64()),
            (Some(1.2346), Some(12_345_678_901))
        );
    }
}
