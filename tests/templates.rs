//! `--templates collapse`: all instances of a template, of generics and of type parameters are one row.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::PathBuf;
use std::sync::LazyLock;

use serde_json::Value;

/// Two instances that lie one below the other, and others side by side.
const BEFORE: &str = "app;run;std::vector<int>::push_back 1000\n\
    app;run;std::vector<long>::push_back 2000\n\
    app;visit<A>(int);visit<B>(int);leaf 3000\n\
    app;main.Map[go.shape.int] 500\n\
    app;main.Map[go.shape.string] 600\n\
    app;operator<< <char> 700\n\
    app;other 2200\n";

fn recording(name: &str, text: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("templates");
    std::fs::create_dir_all(&directory).unwrap();
    let path = directory.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Written once, for tests that run beside each other.
static RECORDINGS: LazyLock<[PathBuf; 2]> = LazyLock::new(|| {
    let after = BEFORE.replace("push_back 2000", "push_back 60000");
    [recording("before.folded", BEFORE), recording("after.folded", &after)]
});

fn pdiff(command: &str, options: &[&str]) -> std::process::Output {
    pdiff_testing::pdiff().arg(command).args(&*RECORDINGS).args(options).output().unwrap()
}

fn compared(options: &[&str]) -> Value {
    let output = pdiff("compare", &[&["--format", "json", "--top", "0", "-q"], options].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Self and total of a row on the base side, by name.
fn weights(report: &Value, name: &str) -> Option<(u64, u64)> {
    let row = report["functions"].as_array().unwrap().iter().find(|row| row["name"] == name)?;
    Some((row["before"]["self_weight"].as_u64()?, row["before"]["total_weight"].as_u64()?))
}

#[test]
fn instances_are_one_row_with_their_weight_and_a_stack_counts_once() {
    let kept = compared(&[]);
    assert_eq!(weights(&kept, "std::vector<int>::push_back"), Some((1_000, 1_000)));
    assert_eq!(weights(&kept, "std::vector<..>::push_back"), None);
    let report = compared(&["--templates", "collapse"]);
    assert_eq!(weights(&report, "std::vector<..>::push_back"), Some((3_000, 3_000)));
    assert_eq!(weights(&report, "visit<..>"), Some((0, 3_000)), "both are in one stack");
    assert_eq!(weights(&report, "main.Map[...]"), Some((1_100, 1_100)));
    assert_eq!(weights(&report, "operator<< <..>"), Some((700, 700)));
    assert_eq!(weights(&report, "other"), Some((2_200, 2_200)));
    assert_eq!(report["policy"]["templates"], "collapse");
    for (side, weight) in [("before", 10_000), ("after", 68_000)] {
        let rows = report["functions"].as_array().unwrap().iter();
        let sum: u64 = rows.map(|row| row[side]["self_weight"].as_u64().unwrap()).sum();
        assert_eq!(sum, weight, "{side}");
    }
}

#[test]
fn findings_and_pictures_follow() {
    let report = compared(&["--templates", "collapse"]);
    let names: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|part| part["members"].as_array().unwrap())
        .filter_map(|member| member["name"].as_str())
        .collect();
    assert!(names.contains(&"std::vector<..>::push_back"), "{names:?}");
    assert!(names.iter().all(|name| !name.contains("<int>") && !name.contains("<long>")), "{names:?}");
    let output = pdiff("flame", &["--diff", "--templates", "collapse", "--format", "folded", "-q"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("std::vector<..>::push_back") && !text.contains("vector<int>"), "{text}");
}

#[test]
fn what_needs_single_functions_refuses_it() {
    for (command, options) in [
        ("classify", &["--templates", "collapse"][..]),
        ("compare", &["--templates", "collapse", "--match", "linkage"]),
        ("compare", &["--templates", "some"]),
    ] {
        let output = pdiff(command, options);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{command} {options:?}: {error}");
        assert!(error.contains("templates") && error.lines().count() == 1, "{error}");
    }
}
