//! A server built twice by one compiler, the second time with five planted regressions: each is found with its cause.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;

use serde_json::Value;

fn packs(side: &str) -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/server-pair").join(side);
    (1..=3).map(|run| directory.join(format!("{run}.pdiff")).display().to_string()).collect()
}

fn classified(before: &[String], after: &[String]) -> Value {
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", "--inline-check", "--quiet", "--format", "json"]);
    command.arg("--before").args(before).arg("--after").args(after);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The function of each part with its cause, in the order of the list; losses only.
fn losses(result: &Value) -> Vec<(String, String)> {
    let parts = result["findings"].as_array().unwrap().iter();
    let losses = parts.filter(|part| part["delta_per_op_ns"].as_f64().unwrap() > 0.0);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let named = |part: &Value| {
        let name = text(&part["name"]);
        let function = name.rsplit(" -> ").next().unwrap().to_owned();
        (function, format!("{} {}", text(&part["cause"]), text(&part["confidence"])))
    };
    losses.map(named).collect()
}

#[test]
fn all_five_planted_regressions_are_the_first_parts_in_order_of_cost() {
    let result = classified(&packs("before"), &packs("after"));
    let mut first: Vec<(String, String)> = losses(&result).into_iter().take(5).collect();
    // The last two cost about the same: 28 and 34 ns an operation.
    first[3..].sort();
    let expected = [
        ("dbRefreshSizeTable", "new-overhead proved"),
        ("inspectArguments", "new-overhead proved"),
        ("_intsetGetEncoded", "inline-regression proved"),
        ("updateClientMemUsageAndBucket", "missing-fast-path likely"),
        ("zslValueGteMin", "inline-regression proved"),
    ];
    let first: Vec<(&str, &str)> =
        first.iter().map(|(name, cause)| (name.as_str(), cause.as_str())).collect();
    assert_eq!(first, expected);
}

#[test]
fn nothing_else_is_proved_of_them() {
    let result = classified(&packs("before"), &packs("after"));
    let verdicts = result["verdicts"].as_array().unwrap().iter();
    let causes = [
        "new-overhead",
        "inline-regression",
        "missing-fast-path",
        "gone",
        "heavier",
        "lighter",
        "newly-active",
    ];
    let is_cause = |verdict: &&Value| causes.contains(&verdict["cause"].as_str().unwrap());
    let proved = verdicts.filter(|verdict| verdict["confidence"] == "proved").filter(is_cause);
    let mut proved: Vec<&str> = proved.map(|verdict| verdict["function"].as_str().unwrap()).collect();
    proved.sort_unstable();
    assert_eq!(proved, ["_intsetGetEncoded", "dbRefreshSizeTable", "inspectArguments", "zslValueGteMin"]);
}

#[test]
fn one_build_against_itself_has_no_part() {
    let before = packs("before");
    let result = classified(&before[..1], &before[1..]);
    assert_eq!(losses(&result), []);
}
