//! Two builds of one program that differ in inlining alone: what moved between rows is told from what costs.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Each family: the function that is called after, and the callers that held it before.
const FAMILIES: [[&str; 3]; 2] =
    [["hash_key", "lookup_row", "update_row"], ["compare_key", "scan_leaf", "scan_page"]];

/// A sample's period at 999 Hz, in nanoseconds.
const PERIOD: u64 = 1_001_001;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only").join(name)
}

fn captures(side: &str) -> Vec<PathBuf> {
    (1..=3).map(|run| fixture(&format!("{side}-r{run}.perf.zst"))).collect()
}

fn pdiff(command: &str, more: &[&str]) -> Value {
    let output = pdiff_testing::pdiff()
        .arg(command)
        .arg("--before")
        .args(captures("before"))
        .arg("--after")
        .args(captures("after"))
        .arg("--binary-before")
        .arg(fixture("before/orders"))
        .arg("--binary-after")
        .arg(fixture("after/orders"))
        .arg("--windows")
        .arg(fixture("operations.tsv"))
        .args(["--no-cache", "--format", "json"])
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn rows(report: &Value) -> BTreeMap<&str, &Value> {
    let rows = report["functions"].as_array().unwrap().iter().filter(|row| row["object"] == "orders");
    rows.map(|row| (row["name"].as_str().unwrap(), row)).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn is_member(name: &str) -> bool {
    FAMILIES.iter().flatten().any(|member| *member == name)
}

#[test]
fn weight_moves_between_booked_rows_and_stays_in_expanded_ones() {
    let report = pdiff("compare", &[]);
    for (name, row) in rows(&report) {
        assert_eq!(row["significant"], false, "{name}");
        assert!(number(&row["ci_low_pp"]) <= 0.0 && number(&row["ci_high_pp"]) >= 0.0, "{name}: {row}");
        let booked = number(&row["delta_booked_pp"]);
        assert_eq!(booked.abs() > 6.0, is_member(name), "{name}: booked {booked}");
        if !is_member(name) {
            assert_eq!(row["delta_self_pp"], row["delta_booked_pp"], "{name}");
            assert!(row.get("family_id").is_none(), "{name}");
        }
    }
}

#[test]
fn booked_self_is_what_the_text_counts_without_pdiff() {
    let report = pdiff("compare", &[]);
    for side in ["before", "after"] {
        let mut leaves: BTreeMap<String, u64> = BTreeMap::new();
        for path in captures(side) {
            let text = zstd::decode_all(std::fs::File::open(path).unwrap()).unwrap();
            let text = String::from_utf8(text).unwrap();
            let lines = text.lines().collect::<Vec<_>>();
            let after_header = lines.windows(2).filter(|pair| pair[0].contains(" cpu-clock:"));
            for leaf in after_header.map(|pair| pair[1]).filter(|line| line.ends_with("/orders)")) {
                let symbol = leaf.split_whitespace().nth(1).unwrap();
                *leaves.entry(symbol.split_once('+').unwrap().0.to_owned()).or_default() += PERIOD;
            }
        }
        let booked = |row: &Value| row[side]["booked_self_weight"].as_u64().unwrap_or(0);
        let rows = rows(&report);
        let booked = rows.iter().map(|(name, row)| ((*name).to_owned(), booked(row)));
        let booked: BTreeMap<String, u64> = booked.filter(|(_, weight)| *weight > 0).collect();
        assert_eq!(booked, leaves, "{side}");
    }
}

#[test]
fn inside_a_family_expanded_and_booked_changes_have_one_sum_and_it_is_the_change_of_cost() {
    let report = pdiff("compare", &[]);
    let rows = rows(&report);
    let families = report["families"].as_array().unwrap();
    assert_eq!(families.len(), FAMILIES.len());
    let mut change_ns = 0.0;
    for members in FAMILIES {
        let family = families.iter().find(|family| family["members"] == serde_json::json!(members));
        let family = family.unwrap_or_else(|| panic!("no family {members:?}"));
        let sum = |key: &str| -> f64 { members.iter().map(|name| number(&rows[name][key])).sum() };
        let (expanded, booked) = (sum("delta_self_pp"), sum("delta_booked_pp"));
        assert!((expanded - booked).abs() < 1e-9, "{members:?}: {expanded} {booked}");
        assert!((number(&family["booked_delta_pp"]) - booked).abs() < 1e-9, "{family}");
        assert!(number(&family["moved_pp"]) > 10.0 && booked.abs() < 1.0, "{family}");
        let flips = family["flips"].as_array().unwrap();
        assert!(flips.iter().all(|flip| flip["function"] == members[0] && flip["change"] == "lost"));
        assert_eq!(flips.len(), 2);
        let per_op = |side: &str| -> f64 {
            let cost = |name: &&str| rows[name][side].get("self_per_op_ns").map_or(0.0, number);
            members.iter().map(cost).sum()
        };
        change_ns += per_op("after") - per_op("before");
    }
    let cost = &report["cost"];
    let of_before = |key: &str| number(&cost[key]) / 100.0 * number(&cost["before_per_op"]);
    let (low, high) = (of_before("ci_low_pct"), of_before("ci_high_pct"));
    assert!(low <= change_ns && change_ns <= high, "{change_ns} ns an operation, not in {low}..{high}");
}

#[test]
fn the_verdict_names_the_inlining_and_where_it_was_lost() {
    let report = pdiff("classify", &["--inline-check"]);
    for members in FAMILIES {
        for name in members {
            let verdict = report["verdicts"].as_array().unwrap().iter().find(|verdict| {
                let function = verdict["function"].as_str().unwrap();
                function == name
            });
            let verdict = verdict.unwrap_or_else(|| panic!("no verdict on {name}"));
            assert_eq!(
                (&verdict["cause"], &verdict["confidence"]),
                (&"inline-change".into(), &"proved".into())
            );
            let callers = verdict["callers"].to_string();
            assert!(name != members[0] || (callers.contains(members[1]) && callers.contains(members[2])));
        }
    }
    let causes = report["verdicts"].as_array().unwrap().iter();
    for verdict in causes.filter(|verdict| !is_member(verdict["function"].as_str().unwrap())) {
        assert_eq!(verdict["cause"], "noise", "{verdict}");
    }
}

#[test]
fn without_rows_of_their_own_inlined_functions_look_like_new_cost() {
    let report = pdiff("compare", &["--inlines", "collapse"]);
    for name in ["hash_key", "compare_key"] {
        let row = rows(&report)[name];
        assert_eq!(row["significant"], true, "{name}");
        assert!(number(&row["delta_self_pp"]) > 10.0, "{name}");
    }
}
