//! The laws of findings on the recordings that come with the project.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;

use serde_json::Value;

/// What no list of findings is longer than.
const MOST_FINDINGS: usize = 10;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).to_str().unwrap().to_owned()
}

/// Compares recordings of MySQL by their stems, as JSON.
fn compare(before: &[&str], after: &[&str]) -> Value {
    let files = |stems: &[&str]| -> Vec<String> {
        stems.iter().map(|stem| fixture(&format!("mysql/{stem}.perf.zst"))).collect()
    };
    let output = pdiff_testing::pdiff()
        .arg("compare")
        .arg("--before")
        .args(files(before))
        .arg("--after")
        .args(files(after))
        .args(["--windows", &fixture("mysql/operations.tsv"), "--format", "json"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn findings(report: &Value) -> &[Value] {
    report["findings"].as_array().unwrap()
}

fn number(value: &Value, keys: &[&str]) -> f64 {
    keys.iter().fold(value, |value, key| &value[*key]).as_f64().unwrap()
}

/// Weights of findings and rest are the sides' weights, to the last unit.
fn sums_are_exact(report: &Value) {
    for side in ["before", "after"] {
        let weight = |of: &Value| of[side]["weight"].as_u64().unwrap();
        let sum: u64 = findings(report).iter().map(weight).sum::<u64>() + weight(&report["findings_rest"]);
        assert_eq!(sum, report[side]["weight"].as_u64().unwrap(), "{side}");
    }
}

fn is_loss(finding: &&Value) -> bool {
    number(finding, &["delta_per_op"]) > 0.0
}

/// A list of few findings, none of which is nearly everything.
fn is_a_short_list(report: &Value) {
    let list = findings(report);
    assert!(!list.is_empty() && list.len() <= MOST_FINDINGS, "{}", list.len());
    for finding in list.iter().filter(|finding| finding["kind"] != "spread") {
        for side in ["before", "after"] {
            assert!(number(finding, &[side, "pct"]) <= 25.0, "{finding}");
        }
    }
    let change = number(&report["cost"], &["after_per_op"]) - number(&report["cost"], &["before_per_op"]);
    let spread = list.iter().filter(|finding| finding["kind"] == "spread");
    let spread: f64 = spread.map(|finding| number(finding, &["delta_per_op"]).abs()).sum();
    assert!(spread <= 0.65 * change.abs(), "{spread} of {change}");
    // What goes the way of the whole stands first, so that no gain explains a loss.
    let losses = list.iter().take_while(is_loss).count();
    assert!(list.iter().skip(losses).all(|finding| !is_loss(&finding)), "{list:?}");
}

fn loss_of(report: &Value, function: &str) -> Option<usize> {
    let names = findings(report).iter().filter(is_loss).map(|finding| finding["name"].as_str().unwrap());
    names.into_iter().position(|name| name.contains(function))
}

#[test]
fn a_version_that_logs_statements_shows_it_among_its_losses() {
    let report = compare(
        &["56-aligned-r1", "56-aligned-r2", "56-aligned-r3"],
        &["80-aligned-r1", "80-aligned-r2", "80-aligned-r3"],
    );
    sums_are_exact(&report);
    is_a_short_list(&report);
    let rest = &report["findings_rest"];
    let held = 1.0 - number(rest, &["unlisted_pp"]) / number(rest, &["significant_pp"]);
    assert!(held >= 0.7, "{held}");
    let place = loss_of(&report, "Prepared_statement::insert_parameters");
    // The fifth with the binaries, which take one of the parts before it apart.
    assert!(place.is_some_and(|place| place < 6), "{place:?}");
}

#[test]
fn one_run_a_side_shows_it_too() {
    let report = compare(&["56-aligned-r1"], &["80-aligned-r1"]);
    sums_are_exact(&report);
    is_a_short_list(&report);
    assert!(loss_of(&report, "Prepared_statement::insert_parameters").is_some());
}

#[test]
fn swapped_sides_have_the_same_findings() {
    let there = compare(&["57-default"], &["80-default"]);
    let back = compare(&["80-default"], &["57-default"]);
    sums_are_exact(&back);
    let changes = |report: &Value, sign: f64| {
        let mut changes: Vec<f64> =
            findings(report).iter().map(|of| sign * number(of, &["delta_pp"])).collect();
        changes.sort_by(f64::total_cmp);
        changes
    };
    let (there_pp, back_pp) = (changes(&there, 1.0), changes(&back, -1.0));
    assert_eq!(there_pp.len(), back_pp.len());
    assert!(there_pp.iter().zip(&back_pp).all(|(a, b)| (a - b).abs() < 1e-9), "{there_pp:?} {back_pp:?}");
    assert_eq!(there["findings"][0]["name"], "log_writer");
}

#[test]
fn two_recordings_of_one_build_have_none() {
    for build in ["56", "57", "80"] {
        for (one, other) in [(1, 2), (1, 3), (2, 3)] {
            let stem = |run: usize| format!("{build}-aligned-r{run}");
            let report = compare(&[&stem(one)], &[&stem(other)]);
            sums_are_exact(&report);
            let names: Vec<&Value> = findings(&report).iter().map(|finding| &finding["name"]).collect();
            assert!(names.is_empty(), "{build} {one} {other}: {names:?}");
        }
    }
}
