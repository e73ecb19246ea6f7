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

/// What `go tool pprof -top` prints, in nanoseconds of the profile's own first event; `None` where there is no Go.
fn signed_top(arguments: &[&Path]) -> Option<BTreeMap<String, (i64, i64)>> {
    let all = ["-top", "-unit=ns", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0"];
    let output =
        pdiff_testing::tool("go")?.args(["tool", "pprof"]).args(all).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let value = |word: &str| -> i64 { word.trim_end_matches("ns").parse().unwrap() };
    let mut rows: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for line in text.lines().skip_while(|line| !line.trim_start().starts_with("flat ")).skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words[5..].join(" ");
        let name = name.trim_end_matches(" (inline)").trim_end_matches(" (partial-inline)");
        rows.insert(name.to_owned(), (value(words[0]), value(words[3])));
    }
    assert!(!rows.is_empty(), "{text}");
    Some(rows)
}

/// The same of one profile, which has nothing below zero.
fn top(profile: &Path) -> Option<Rows> {
    let unsigned = |(name, (own, total)): (String, (i64, i64))| {
        (name, (u64::try_from(own).unwrap(), u64::try_from(total).unwrap()))
    };
    Some(signed_top(&[profile])?.into_iter().map(unsigned).collect())
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
        let Some(expected) = top(path) else { return };
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
    assert_eq!(comparison["notes"], Value::Array(Vec::new()), "the number of samples is no other event");
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

/// Writes a profile of recordings.
fn written(arguments: &[&Path], to: &Path) {
    let fixed = ["flame", "--quiet", "--no-cache", "--format", "pprof", "--output"].map(Path::new);
    let output = pdiff(&[&fixed, &[to][..], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Two recordings of the program of `fixtures/inline-only`, with the options that name its binaries.
fn orders() -> ([PathBuf; 2], Vec<PathBuf>) {
    let directory = fixture("../inline-only");
    let binaries = ["before", "after"]
        .map(|side| [format!("--binary-{side}").into(), directory.join(side).join("orders")]);
    (["before-r1.perf.zst", "after-r1.perf.zst"].map(|name| directory.join(name)), binaries.concat())
}

/// What rows say of the recordings' functions, without what needs the times of samples.
fn facts(comparison: &Value) -> Vec<Value> {
    let of_row = |row: &Value| {
        let keys = ["name", "object", "file", "subsystem", "presence", "before", "after", "delta_total_pp"];
        let mut facts: Vec<Value> = keys.iter().map(|key| row[key].clone()).collect();
        facts.push(row["inline_change"].clone());
        Value::Array(facts)
    };
    let mut rows: Vec<Value> = comparison["functions"].as_array().unwrap().iter().map(of_row).collect();
    rows.sort_by_key(ToString::to_string);
    rows
}

#[test]
fn what_is_written_gives_the_same_rows_and_inline_marks() {
    let directory = tempfile::tempdir().unwrap();
    let ([before, after], binaries) = orders();
    let binaries: Vec<&Path> = binaries.iter().map(PathBuf::as_path).collect();
    let both = [&[Path::new("compare"), "--no-cache".as_ref(), &before, &after][..], &binaries].concat();
    let comparison = json(&both);
    let profiles = ["before", "after"].map(|side| {
        let profile = directory.path().join(format!("{side}.pb.gz"));
        let view = ["--view", side].map(Path::new);
        written(&[&[&*before, &*after][..], &view, &binaries].concat(), &profile);
        profile
    });
    let again = json(&[Path::new("compare"), &profiles[0], &profiles[1]]);
    assert_eq!(facts(&again), facts(&comparison));
    let is_inlined = |row: &&Value| row["before"]["inlined_self_weight"].as_u64() > Some(0);
    assert!(again["functions"].as_array().unwrap().iter().filter(is_inlined).count() >= 2);
    for (profile, side) in profiles.iter().zip(["before", "after"]) {
        let Some(expected) = top(profile) else { return };
        assert_eq!(rows(&comparison, side), expected, "{side}");
    }
}

#[test]
fn one_recording_is_written_without_a_side() {
    let directory = tempfile::tempdir().unwrap();
    let profile = directory.path().join("one.pb.gz");
    let ([before, _], binaries) = orders();
    let filter = ["--dso", "orders"].map(Path::new);
    written(&[&[&*before, &*binaries[0], &*binaries[1]][..], &filter].concat(), &profile);
    let comparison = json(&[Path::new("compare"), &profile, &profile]);
    let objects = comparison["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["before"]["self_weight"].as_u64() > Some(0));
    assert!(objects.into_iter().all(|row| row["object"] == "orders"));
    let Some(expected) = top(&profile) else { return };
    assert_eq!(rows(&comparison, "before"), expected);
}

#[test]
fn a_difference_is_that_of_pprof() {
    let directory = tempfile::tempdir().unwrap();
    let difference = directory.path().join("diff.pb.gz");
    let sides = [fixture("before.pb.gz"), fixture("after.pb.gz")];
    written(&["--diff".as_ref(), &sides[0], &sides[1]], &difference);
    let refused = pdiff(&[Path::new("compare"), &difference, &sides[1]]);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("has negative values"));
    let comparison = json(&[Path::new("compare"), &sides[0], &sides[1]]);
    let side = |side: &str| rows(&comparison, side);
    let (before, after) = (side("before"), side("after"));
    let Some(expected) = signed_top(&["-diff_base".as_ref(), &sides[0], &sides[1]]) else { return };
    let Some(found) = signed_top(&[&difference]) else { return };
    let changed = |rows: &BTreeMap<String, (i64, i64)>| -> BTreeMap<String, (i64, i64)> {
        rows.iter().filter(|(_, row)| **row != (0, 0)).map(|(name, row)| (name.clone(), *row)).collect()
    };
    assert_eq!(changed(&found), changed(&expected));
    let names = before.keys().chain(after.keys());
    let of = |rows: &Rows, name: &String| rows.get(name).map_or((0, 0), |row| (row.0 as i64, row.1 as i64));
    let changes = names.map(|name| {
        let (before, after) = (of(&before, name), of(&after, name));
        (name.clone(), (after.0 - before.0, after.1 - before.1))
    });
    assert_eq!(changed(&found), changed(&changes.collect()));
}

#[test]
fn what_a_profile_does_not_have_is_refused() {
    let sides = [fixture("before.pb.gz"), fixture("after.pb.gz")];
    for (option, value) in [("--focus", "main"), ("--view", "gone"), ("--min-width", "1")] {
        let arguments = ["flame", "--format", "pprof", option, value].map(Path::new);
        let output = pdiff(&[&arguments, &[&*sides[0], &*sides[1]][..]].concat());
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(option) && error.contains("hint:") && error.lines().count() == 1, "{error}");
    }
}
