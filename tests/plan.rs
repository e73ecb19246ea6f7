//! `pdiff plan` as a user meets it: predictions written down before the runs that test them are read.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;
use std::process::Output;

use serde_json::Value;

/// The factors of the measured factorial, as its table calls them.
const FACTORS: &str = "W=innodb_log_writer_threads,P=performance_schema,B=log_bin,S=parser and lexer,F=innodb_flush_log_at_trx_commit:0";

/// A prediction whose interval is wider says too little, in points.
const MOST_WIDTH: f64 = 25.0;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).to_str().unwrap().to_owned()
}

fn pdiff(arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// A plan for the builds at their defaults.
fn plan(more: &[&str]) -> Output {
    let [before, after, windows] =
        ["mysql/57-default.perf.zst", "mysql/80-default.perf.zst", "mysql/operations.tsv"].map(fixture);
    let [old, new] = ["settings/57.tsv", "settings/80.tsv"].map(fixture);
    let given =
        ["plan", &before, &after, "--windows", &windows, "--settings-before", &old, "--settings-after", &new];
    pdiff(&[&given, more].concat())
}

#[test]
fn predictions_cover_four_of_the_five_factors_of_a_measured_factorial() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("plan.json").to_str().unwrap().to_owned();
    let more =
        ["--factors", FACTORS, "--design", "factorial", "--replicates", "3", "--format", "json", "-o", &path];
    stdout(&plan(&more));
    let lab = fixture("factorial/lab.csv");
    let columns = "build=version,replicate=repeat,cost=cpu_us_per_txn";
    let given = [
        "attribute",
        &lab,
        "--factors",
        "W,P,B,S,F",
        "--columns",
        columns,
        "--ignore",
        "foreign",
        "--restart",
        "P,B",
        "--plan",
        &path,
        "--format",
        "json",
    ];
    let report: Value = serde_json::from_str(&stdout(&pdiff(&given))).unwrap();
    let rows: Vec<&Value> = report["predicted"]["rows"].as_array().unwrap().iter().collect();
    let averages: Vec<&&Value> = rows.iter().filter(|row| row["effect"] == "average").collect();
    assert_eq!(averages.len(), 5, "{rows:?}");
    for row in &averages {
        let ends = row["predicted_ci_pp"].as_array().unwrap();
        let width = ends[1].as_f64().unwrap() - ends[0].as_f64().unwrap();
        assert!(width <= MOST_WIDTH, "{row}");
    }
    let covered = averages.iter().filter(|row| row["agreement"] == "covered").count();
    assert!(covered >= 4, "{averages:?}");
    let table = stdout(&pdiff(&given[..given.len() - 2]));
    assert!(table.contains("measured changes lie in the predicted interval"), "{table}");
}

#[test]
fn a_plan_takes_its_first_factor_from_the_setting_of_the_first_finding() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (runs, script) = (file("runs.csv"), file("bench.sh"));
    let report = stdout(&plan(&["--format", "json", "--runs", &runs, "--script", &script]));
    let report: Value = serde_json::from_str(&report).unwrap();
    let first = &report["factors"][0];
    assert_eq!(first["setting"], "innodb_log_writer_threads");
    assert_eq!(first["finding_ranks"][0], 1);
    assert_eq!((&first["in_before"], &first["in_after"]), (&Value::Bool(false), &Value::Bool(true)));
    assert!(first["alone"]["predicted_pp"].as_f64().unwrap() > 20.0, "{first}");
    let spin = report["factors"]
        .as_array()
        .unwrap()
        .iter()
        .find(|of| of["setting"] == "innodb_spin_wait_pause_multiplier");
    assert!(spin.is_none(), "8.0 pauses as 5.7 does: {spin:?}");
    let text = std::fs::read_to_string(&runs).unwrap();
    assert!(text.starts_with("build,replicate,innodb_log_writer_threads,"), "{text}");
    let count = report["runs"].as_array().unwrap().len();
    assert_eq!(text.lines().count(), count + 1);
    let script = std::fs::read_to_string(&script).unwrap();
    assert!(script.contains("'--innodb-log-writer-threads=OFF'"), "{script}");
    assert_eq!(script.lines().filter(|line| line.starts_with("run '")).count(), count);
}

#[test]
fn a_plan_says_what_it_assumes_and_where_it_cannot_predict() {
    let page = stdout(&plan(&["--design", "one-by-one", "--replicates", "3"]));
    for text in ["the CPU is the limit", "waiting does not change", "not a prediction: its interval is wider"]
    {
        assert!(page.contains(text), "{text}: {page}");
    }
    let page = stdout(&plan(&["--factors", "B=log_bin", "--format", "markdown"]));
    assert!(page.contains("set log_bin = OFF"), "{page}");
}

#[test]
fn more_repeats_than_anybody_makes_are_refused() {
    let output = plan(&["--factors", "B=log_bin", "--replicates", "1001"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("1001 replicates are too many to plan"), "{said}");
}

#[test]
fn what_cannot_be_switched_is_refused() {
    let check = |factors: &str, expected: &str| {
        let output = plan(&["--factors", factors]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    check("X=no such thing", "is neither a known setting nor a part of the program");
    check("P=performance_schema,P=log_bin", "two factors are called 'P'");
    check("=log_bin", "is not a factor");
}
