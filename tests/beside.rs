//! `--beside`: a second event tells more work from the same work done more slowly.
//!
//! The recordings are made here: four functions with so many instructions an operation, at so many cycles each.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;

const OPERATIONS: f64 = 40_000.0;
const PERIOD: f64 = 100_000.0;

/// Name, instructions per operation, cycles per instruction.
type Function = (&'static str, f64, f64);

const BASE: [Function; 4] = [("scan", 4e3, 1.0), ("sort", 3e3, 1.5), ("hash", 2e3, 1.0), ("send", 3e3, 0.8)];

/// The text of one recording; runs differ by a percent.
fn recording(functions: &[Function], run: u32) -> String {
    let mut text = String::new();
    for event in ["cycles", "instructions"] {
        for (index, (name, count, price)) in functions.iter().enumerate() {
            let price = if event == "cycles" { *price } else { 1.0 };
            let step = (run * 7 + u32::try_from(index).unwrap() * 3) % 5;
            let jitter = 0.99 + 0.005 * f64::from(step);
            let samples = (OPERATIONS * count * price * jitter / PERIOD) as u32;
            for at in 0..samples {
                let time = 100.0 + 10.0 * f64::from(at) / f64::from(samples);
                let line = format!(
                    "prog 7 [000] {time:.6}: {PERIOD} {event}:\n\t401000 {name} (/bin/prog)\n\t402000 main (/bin/prog)\n\n"
                );
                text.write_str(&line).unwrap();
            }
        }
    }
    text
}

fn compared(after: &[Function], runs: u32) -> Value {
    let directory = tempfile::tempdir().unwrap();
    let files = |side: &str, functions: &[Function]| -> Vec<String> {
        let file = |run: u32| {
            let path = directory.path().join(format!("{side}{run}.perf"));
            let seed = if side == "after" { run + 11 } else { run };
            std::fs::write(&path, recording(functions, seed)).unwrap();
            path.display().to_string()
        };
        (0..runs).map(file).collect()
    };
    let (before, after) = (files("before", &BASE), files("after", after));
    let operations = vec![OPERATIONS.to_string(); before.len()];
    let mut command = pdiff_testing::pdiff();
    command.args(["compare", "--no-symbolize", "--quiet", "--format", "json"]);
    command.args(["--event", "cycles", "--beside", "instructions"]);
    command.arg("--before").args(&before).arg("--after").args(&after);
    command.arg("--operations-before").args(&operations).arg("--operations-after").args(&operations);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let beside = report["beside"][0].clone();
    assert_eq!([&beside["event"], &beside["beside"]], ["cycles", "instructions"]);
    beside
}

fn with(name: &str, change: impl Fn(Function) -> Function) -> Vec<Function> {
    BASE.into_iter().map(|function| if function.0 == name { change(function) } else { function }).collect()
}

/// Checks that the parts sum to the change, and gives the reason of each function that has one.
fn reasons(beside: &Value) -> Vec<(String, String)> {
    let number = |row: &Value, key: &str| row[key].as_f64().unwrap();
    let mut reasons = Vec::new();
    for row in beside["functions"].as_array().unwrap() {
        let change = number(row, "per_op_after") - number(row, "per_op_before");
        let parts = number(row, "by_count") + number(row, "by_price");
        assert!((parts - change).abs() < 1e-6, "{row}");
        if row["reason"] != "unclear" {
            reasons
                .push((row["name"].as_str().unwrap().to_owned(), row["reason"].as_str().unwrap().to_owned()));
        }
    }
    reasons
}

fn expected(name: &str, reason: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), reason.to_owned())]
}

#[test]
fn half_as_many_instructions_again_are_more_work() {
    for runs in [1, 3] {
        let beside = compared(&with("scan", |(name, count, price)| (name, 1.5 * count, price)), runs);
        assert_eq!(reasons(&beside), expected("scan", "more work"), "{runs} runs: {beside}");
    }
}

#[test]
fn slower_instructions_are_the_same_work_done_more_slowly() {
    for runs in [1, 3] {
        let beside = compared(&with("sort", |(name, count, price)| (name, count, 1.5 * price)), runs);
        assert_eq!(reasons(&beside), expected("sort", "same work, slower"), "{runs} runs: {beside}");
    }
}

#[test]
fn nothing_is_said_of_two_recordings_of_one_build() {
    assert_eq!(reasons(&compared(&BASE, 1)), []);
}

#[test]
fn one_reading_serves_all_events() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("a.perf"), recording(&BASE, 1)).unwrap();
    std::fs::write(path("b.perf"), recording(&BASE, 2)).unwrap();
    let mut command = pdiff_testing::pdiff();
    command.arg("compare").arg(path("a.perf")).args(["-", "--no-symbolize", "--quiet"]);
    command.args(["--event", "cycles", "--beside", "instructions,cycles", "--format", "json"]);
    command.args(["--operations-before", "40000", "--operations-after", "40000"]);
    command.stdin(std::fs::File::open(path("b.perf")).unwrap());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let events = report["beside"].as_array().unwrap().iter().map(|beside| &beside["beside"]);
    assert_eq!(events.collect::<Vec<_>>(), ["instructions", "cycles"]);
    assert_eq!(report["beside"][1]["event"], "cycles", "the first event stays the one that is compared");
}

#[test]
fn what_cannot_be_divided_is_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.perf");
    std::fs::write(&path, recording(&BASE, 1)).unwrap();
    let said = |words: &[&str]| {
        let mut command = pdiff_testing::pdiff();
        command.args(["compare", "--no-symbolize", "--quiet"]).args([&path as &Path, &path]).args(words);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["--beside", "instructions"]).contains("operations are not known on both sides"));
    assert!(said(&["--beside", "misses"]).contains("no event 'misses'"));
    let operations = ["--operations-before", "9", "--operations-after", "9"];
    let of_work = [&["--beside", "instructions", "--denominator", "work"][..], &operations].concat();
    assert!(said(&of_work).contains("costs are of all samples"));
}
