//! pprof profiles from the outside: what Go's runtime wrote is read as `go tool pprof` reads it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/pprof").join(name)
}

fn pdiff(arguments: &[&Path]) -> Output {
    pdiff_testing::pdiff().args(arguments).env("XDG_CACHE_HOME", "/nonexistent").output().unwrap()
}

fn json(arguments: &[&Path]) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.extend(["--format", "json"].map(Path::new));
    let output = pdiff(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Self and total of each function, in units of the event.
type Rows = BTreeMap<String, (u64, u64)>;

/// What `go tool pprof -top` prints of a profile; `None` where there is no Go.
fn top(profile: &Path, sample_index: &str, unit: &str) -> Option<Rows> {
    let output = pdiff_testing::tool("go")?
        .args(["tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0"])
        .args([format!("-sample_index={sample_index}"), format!("-unit={unit}")])
        .arg(profile)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |word: &str| -> u64 { word.trim_end_matches(unit).parse().unwrap() };
    let mut rows = Rows::new();
    for line in text.lines().skip_while(|line| !line.trim_start().starts_with("flat ")).skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words[5..].join(" ");
        let name = name.trim_end_matches(" (inline)").trim_end_matches(" (partial-inline)");
        let row = rows.entry(name.to_owned()).or_default();
        *row = (row.0 + value(words[0]), row.1 + value(words[3]));
    }
    assert!(!rows.is_empty(), "{text}");
    Some(rows)
}

/// The same of one side of a comparison.
fn rows(comparison: &Value, side: &str) -> Rows {
    let of_side = comparison["functions"].as_array().unwrap().iter().map(|row| {
        let weight = |measure: &str| row[side][measure].as_u64().unwrap_or(0);
        (row["name"].as_str().unwrap().to_owned(), (weight("self_weight"), weight("total_weight")))
    });
    of_side.filter(|(_, (_, total))| *total > 0).collect()
}

#[test]
fn rows_are_those_of_go_tool_pprof() {
    let sides = [fixture("before.pb.gz"), fixture("after.pb.gz")];
    let comparison = json(&[Path::new("compare"), &sides[0], &sides[1]]);
    for (path, side) in sides.iter().zip(["before", "after"]) {
        let Some(expected) = top(path, "cpu", "ns") else { return };
        assert_eq!(rows(&comparison, side), expected, "{side}");
    }
}

#[test]
fn inlined_functions_files_and_events_are_those_of_the_profile() {
    let sides = [fixture("before.pb.gz"), fixture("after.pb.gz")];
    let of = |more: &[&str]| {
        let mut arguments = vec![Path::new("compare"), &sides[0], &sides[1]];
        arguments.extend(more.iter().map(Path::new));
        json(&arguments)
    };
    let comparison = of(&[]);
    let rows = comparison["functions"].as_array().unwrap();
    let mix = rows.iter().find(|row| row["name"] == "main.mix[go.shape.int64]").unwrap();
    assert_eq!(
        mix["before"]["self_weight"], mix["before"]["inlined_self_weight"],
        "it is inlined everywhere"
    );
    assert_eq!(mix["file"], "example.org/shop/main.go");
    assert!(mix["before"]["self_weight"].as_u64().unwrap() > 0);
    assert_eq!(comparison["functions"], of(&["--no-symbolize"])["functions"]);
    let samples = of(&["--event", "samples"]);
    let total = |comparison: &Value| -> u64 { rows_of(comparison).iter().map(|(weight, _)| weight).sum() };
    assert_eq!(total(&samples) * 10_000_000, total(&comparison));
}

fn rows_of(comparison: &Value) -> Vec<(u64, u64)> {
    rows(comparison, "before").into_values().collect()
}

#[test]
fn a_pack_of_a_profile_has_its_rows() {
    let directory = tempfile::tempdir().unwrap();
    let packs = ["before", "after"].map(|side| {
        let (profile, pack) =
            (fixture(&format!("{side}.pb.gz")), directory.path().join(format!("{side}.pdiff")));
        let output = pdiff(&["pack".as_ref(), &profile, "-q".as_ref(), "-o".as_ref(), &pack]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        pack
    });
    let compare =
        |sides: &[PathBuf; 2]| json(&[Path::new("compare"), &sides[0], &sides[1]])["functions"].clone();
    assert_eq!(compare(&packs), compare(&[fixture("before.pb.gz"), fixture("after.pb.gz")]));
}

#[test]
fn what_is_damaged_is_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.pb");
    let whole = std::fs::read(fixture("allocs.pb")).unwrap();
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let output = pdiff(&[Path::new("compare"), &path, &path]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
    assert!(error.contains("the pprof profile is damaged") && error.lines().count() == 1, "{error}");
}
