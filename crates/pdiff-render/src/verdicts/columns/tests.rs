//! Tests of this part of the verdicts' forms.

use super::*;
use crate::verdicts::sample::classification;

#[test]
fn a_line_a_function_with_lists_joined() {
    let csv = String::from_utf8(verdict_csv(&classification()).unwrap()).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 6);
    assert!(lines[0].starts_with(
        "name,function,object,file,rule_id,cause,confidence,limited_by,reason,judged_by,callers,tags,"
    ));
    assert!(lines[3].starts_with("slower,slower,mysqld,sql/x.cc,R-test,heavier,likely,only 3 samples,renamed from slower to heir; net +0.50 points,self,caller_a; caller_b,spin-wait; compiler-change,yes,not-visible,true,true,"));
    assert!(lines[3].contains(",2.0,2.0,4.0,1.5,2.5,0.01"), "{}", lines[3]);
}

#[test]
fn every_key_of_a_verdict_but_evidence_has_a_column_and_what_is_not_known_is_empty() {
    let mut classification = classification();
    let verdict = &mut classification.verdicts[4];
    verdict.cost_change = Some(crate::compare::sample::own_cost_change());
    (verdict.file, verdict.limited_by) = (None, None);
    verdict.ci_low_pp = f64::NAN;
    let verdict = classification.verdicts.remove(4);
    let keys: serde_json::Value = crate::verdicts::json::verdict_value(&verdict).unwrap();
    classification.verdicts = vec![verdict];
    let csv = String::from_utf8(verdict_csv(&classification).unwrap()).unwrap();
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let value = |name: &str| lines[1][lines[0].iter().position(|of| *of == name).unwrap()];
    let mut names = Vec::new();
    for (key, value) in keys.as_object().unwrap().iter().filter(|(key, _)| *key != "evidence") {
        match value {
            serde_json::Value::Object(parts) => {
                names.extend(parts.keys().map(|part| format!("{key}_{part}")))
            }
            _ => names.push(key.clone()),
        }
    }
    let missing: Vec<&String> = names.iter().filter(|name| !lines[0].contains(&name.as_str())).collect();
    assert!(names.len() > 30 && missing.is_empty(), "{missing:?}");
    assert_eq!((value("cost_change_extent"), value("family_id")), ("own", "0"));
    assert_eq!([value("file"), value("limited_by"), value("ci_low_pp")], [""; 3]);
}
