//! The data of a report as JSON inside HTML: the documented schemas, with economies that keep the file small enough to
//! be attached to a bug report.
//!
//! Real numbers have five significant digits. `compare.functions` holds rows that are significant, have a verdict or
//! reach [`LEAST_PCT`], and of large comparisons fewer of those within noise; `functions_left_out` holds number and weights of the others, so that sums still close. Verdicts
//! that say noise are left out of `classify.verdicts` (`noise_left_out`), and so is evidence of kind `weight`, whose numbers
//! the verdict has. Evidence goes to the largest changes first, up to [`MOST_BYTES`] of data; further verdicts say
//! `evidence_left_out`. `pdiff compare`, `classify` and `explain` give every row, digit and fact.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::ReportInput;
use crate::attribution_json::attribution_value;
use crate::error::Error;
use crate::flame::tree_json;
use crate::settings_json::settings_json;
use crate::verdict_json::verdict_json;

/// Percent of the denominator of self or booked self that brings a function into the table whatever became of it.
const LEAST_PCT: f64 = 0.2;

/// Bytes of data up to which evidence is told.
const MOST_BYTES: usize = 1_800_000;

/// Bytes of data that are kept for evidence, if need be at the cost of rows that are noise.
const EVIDENCE_BYTES: usize = 200_000;

/// The data, with every character escaped that HTML could take for something else.
pub(super) fn embedded(input: &ReportInput<'_>) -> Result<String, Error> {
    let mut classify = parsed(&verdict_json(input.comparison, input.classification)?)?;
    leave_out_noise(&mut classify);
    let mut compare = parsed(&crate::json::json(input.comparison)?)?;
    leave_out_small(&mut compare, &classify);
    let evidence = take_evidence(&mut classify);
    let mut data = Map::new();
    data.insert("compare".to_owned(), compare);
    data.insert("classify".to_owned(), classify);
    if let Some(settings) = input.settings {
        data.insert("settings".to_owned(), parsed(&settings_json(settings)?)?);
    }
    if let Some(view) = &input.attribution {
        data.insert("attribute".to_owned(), attribution_value(view));
    }
    data.insert("tree".to_owned(), parsed(&tree_json(&input.flame())?)?);
    data.insert("command".to_owned(), Value::from(input.command));
    let mut data = Value::Object(data);
    round(&mut data);
    let excess = without_markup(&data.to_string()).len().saturating_sub(MOST_BYTES - EVIDENCE_BYTES);
    leave_out_noise_rows(&mut data["compare"], excess);
    let room = MOST_BYTES.saturating_sub(without_markup(&data.to_string()).len());
    put_evidence(&mut data["classify"], evidence, room);
    Ok(without_markup(&data.to_string()))
}

fn parsed(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(bytes).map_err(|error| Error::Json { reason: error.to_string() })
}

fn leave_out_small(compare: &mut Value, classify: &Value) {
    let key = |of: &Value, name: &str| (of[name].to_string(), of["object"].to_string());
    let verdicts = classify["verdicts"].as_array().into_iter().flatten();
    let told: HashSet<(String, String)> = verdicts.map(|verdict| key(verdict, "function")).collect();
    let Some(functions) = compare.get_mut("functions").and_then(Value::as_array_mut) else { return };
    let (mut count, mut weights) = (0_u64, [0_u64; 2]);
    functions.retain(|row| {
        let keep = is_large(row) || told.contains(&key(row, "name"));
        if !keep {
            count += 1;
            for (sum, side) in weights.iter_mut().zip(["before", "after"]) {
                *sum += row[side]["self_weight"].as_u64().unwrap_or(0);
            }
        }
        keep
    });
    let [before_self_weight, after_self_weight] = weights;
    compare["functions_left_out"] = json!({
        "count": count, "before_self_weight": before_self_weight, "after_self_weight": after_self_weight
    });
}

/// Leaves out functions within noise, the smallest first, until `excess` bytes are saved or none is left.
fn leave_out_noise_rows(compare: &mut Value, excess: usize) {
    let Some(functions) = compare["functions"].as_array() else { return };
    let size = |row: &Value| {
        let of = |side: &str| row[side]["total_pct"].as_f64().unwrap_or(0.0);
        of("before").max(of("after"))
    };
    let is_noise = |row: &Value| !row["significant"].as_bool().unwrap_or(false);
    let mut order: Vec<usize> = (0..functions.len()).filter(|at| is_noise(&functions[*at])).collect();
    order.sort_by(|a, b| size(&functions[*a]).total_cmp(&size(&functions[*b])).then(b.cmp(a)));
    let mut saved = 0;
    let enough = order.iter().take_while(|at| {
        let goes_on = saved < excess;
        saved += without_markup(&functions[**at].to_string()).len() + 1;
        goes_on
    });
    let left_out: HashSet<usize> = enough.copied().collect();
    let mut sums = [("count", 0_u64), ("before_self_weight", 0), ("after_self_weight", 0)];
    for at in &left_out {
        let weight = |side: &str| functions[*at][side]["self_weight"].as_u64().unwrap_or(0);
        for ((_, sum), more) in sums.iter_mut().zip([1, weight("before"), weight("after")]) {
            *sum += more;
        }
    }
    for (key, more) in sums {
        let before = compare["functions_left_out"][key].as_u64().unwrap_or(0);
        compare["functions_left_out"][key] = Value::from(before + more);
    }
    let mut at = 0;
    if let Some(functions) = compare["functions"].as_array_mut() {
        functions.retain(|_| {
            at += 1;
            !left_out.contains(&(at - 1))
        });
    }
}

fn is_large(row: &Value) -> bool {
    let measures = ["self_pct", "booked_self_pct"];
    let is_over =
        |side: &str| measures.iter().any(|key| row[side][*key].as_f64().unwrap_or(0.0) >= LEAST_PCT);
    row["significant"].as_bool().unwrap_or(false) || is_over("before") || is_over("after")
}

/// By verdict: its evidence, which the verdicts are without from then on.
fn take_evidence(classify: &mut Value) -> Vec<Value> {
    let verdicts = classify.get_mut("verdicts").and_then(Value::as_array_mut).into_iter().flatten();
    let take = |verdict: &mut Value| {
        let mut evidence = std::mem::replace(&mut verdict["evidence"], json!([]));
        if let Some(facts) = evidence.as_array_mut() {
            facts.retain(|fact| fact["kind"] != "weight");
        }
        round(&mut evidence);
        evidence
    };
    verdicts.map(take).collect()
}

/// Gives verdicts their evidence back, the largest changes first, as far as there is room.
fn put_evidence(classify: &mut Value, mut evidence: Vec<Value>, room: usize) {
    let Some(verdicts) = classify.get_mut("verdicts").and_then(Value::as_array_mut) else { return };
    let size = |verdict: &Value| {
        let judged = verdict["judged_by"].as_str().unwrap_or("self");
        verdict[format!("delta_{judged}_pp")].as_f64().unwrap_or(0.0).abs()
    };
    let mut order: Vec<usize> = (0..verdicts.len()).collect();
    order.sort_by(|a, b| size(&verdicts[*b]).total_cmp(&size(&verdicts[*a])).then(a.cmp(b)));
    let mut room = room;
    for index in order {
        let bytes = without_markup(&evidence[index].to_string()).len();
        if bytes <= room {
            room -= bytes;
            verdicts[index]["evidence"] = evidence[index].take();
        } else {
            room = 0;
            let count = evidence[index].as_array().map_or(0, Vec::len);
            verdicts[index]["evidence_left_out"] = Value::from(count);
        }
    }
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

    #[test]
    fn rows_of_noise_are_left_out_smallest_first_and_counted() {
        let row = |name: &str, significant: bool, percent: f64| {
            let side = json!({"self_weight": 10, "total_pct": percent});
            json!({"name": name, "significant": significant, "before": side, "after": side})
        };
        let functions = [
            row("large", false, 9.0),
            row("sure", true, 0.1),
            row("small", false, 0.2),
            row("less", false, 0.3),
        ];
        let left_out = json!({"count": 1, "before_self_weight": 1, "after_self_weight": 2});
        let all = json!({"functions": functions, "functions_left_out": left_out});
        let names = |of: &Value| -> Vec<String> {
            of["functions"].as_array().unwrap().iter().map(|row| row["name"].to_string()).collect()
        };
        let mut none = all.clone();
        leave_out_noise_rows(&mut none, 0);
        assert_eq!(none, all);
        let mut some = all.clone();
        leave_out_noise_rows(&mut some, 200);
        assert_eq!(names(&some), ["\"large\"", "\"sure\""]);
        let expected = json!({"count": 3, "before_self_weight": 21, "after_self_weight": 22});
        assert_eq!(some["functions_left_out"], expected);
        let mut most = all;
        leave_out_noise_rows(&mut most, 1_000_000);
        assert_eq!(names(&most), ["\"sure\""]);
    }
}
