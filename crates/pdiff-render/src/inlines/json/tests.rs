//! Tests of the JSON: keys and values of each change.

use pdiff_profile::{NoteKind, Notes, Weight};
use serde_json::{Value, json};

use super::*;
use crate::inlines::sample::{Builds, HOSTILE, builds, file, stripped_before, view};

fn report(builds: &Builds) -> Value {
    let comparison = builds.comparison();
    let (before, after) = (file("a/mysqld"), file("b/mysqld"));
    let mut notes = Notes::new();
    notes.add(NoteKind::CacheRebuilt, 1, Weight::ZERO, || "x.pdx: it is cut off".to_owned());
    let mut bytes = Vec::new();
    write_inlines_json(&view(&comparison, &before, &after, &notes), &mut bytes).unwrap();
    assert!(bytes.ends_with(b"\n"));
    serde_json::from_slice(&bytes).unwrap()
}

fn function<'v>(report: &'v Value, name: &str) -> &'v Value {
    report["functions"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

#[test]
fn builds_are_named_with_their_producers() {
    let report = report(&builds());
    assert_eq!(
        report["before"],
        json!({"path": "a/mysqld", "object_id": "00ff", "build_id": "00ff", "visibility": "debug-info",
               "producers": ["GNU C++ 4.1.2"]})
    );
    assert_eq!((&report["schema_version"], &report["same_compiler"]), (&json!(1), &json!(false)));
    assert_eq!(
        report["notes"],
        json!([{"kind": "cache-rebuilt", "count": 1, "examples": ["x.pdx: it is cut off"]}])
    );
}

#[test]
fn a_lost_function_has_all_that_the_schema_says() {
    let report = report(&builds());
    assert_eq!(
        function(&report, "leaf"),
        &json!({
            "name": "leaf", "file": "y/leaf.cc", "match_level": "qualified", "ambiguous": false,
            "source": "header-to-source",
            "before": {"out_of_line": 0, "inlined_instances": 2, "inlined_into": [{"caller": "a", "sites": 2}],
                       "code_bytes": 0},
            "after": {"out_of_line": 1, "inlined_instances": 0, "inlined_into": [], "code_bytes": 40},
            "confirmed_lost": [{"caller_before": "a", "caller_after": "a", "sites": 2}],
            "confirmed_gained": [],
            "change": "lost",
        })
    );
}

#[test]
fn every_change_has_its_word() {
    let report = report(&builds());
    let change = |name| function(&report, name)["change"].as_str().unwrap().to_owned();
    let names = ["leaf", "wrap", "half", "comes", "goes", "grows", HOSTILE, "b"];
    assert_eq!(
        names.map(change),
        ["lost", "gained", "mixed", "new", "gone", "grew", "shrank", "same"].map(str::to_owned)
    );
    assert_eq!(function(&report, "half")["confirmed_lost"][0]["caller_after"], "a");
    assert_eq!(
        (&function(&report, "comes")["before"], &function(&report, "goes")["after"]),
        (&json!(null), &json!(null))
    );
}

#[test]
fn what_a_stripped_build_hides_is_neither_new_nor_gone() {
    let report = report(&stripped_before());
    assert_eq!(report["before"]["visibility"], "dynamic-symbols");
    assert_eq!(function(&report, "b")["change"], "not-visible");
    assert_eq!(function(&report, "a")["change"], "grew");
}
