//! `pdiff classify` and `pdiff explain` from the outside, on recordings without binaries: nothing is claimed that only
//! binaries could show.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name)
}

fn pdiff(command: &str, recordings: [&str; 2], more: &[&str]) -> Output {
    pdiff_testing::pdiff()
        .arg(command)
        .args(recordings.map(fixture))
        .args(more)
        .args(["--no-symbolize", "--quiet"])
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const OLD_AND_NEW: [&str; 2] = ["57-default.perf.zst", "80-default.perf.zst"];

#[test]
fn without_binaries_nothing_is_called_new_and_what_is_missing_is_said() {
    let output = pdiff("classify", OLD_AND_NEW, &["--inline-check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text(&output)).unwrap();
    assert_eq!((&report["schema_version"], &report["before"]["label"]), (&1.into(), &"57-default".into()));
    let verdicts = report["verdicts"].as_array().unwrap();
    assert!(verdicts.len() > 100, "{}", verdicts.len());
    let claims = ["inline-regression", "inline-gain", "new-overhead", "gone"];
    for verdict in verdicts {
        let cause = verdict["cause"].as_str().unwrap();
        assert!(!claims.contains(&cause), "{verdict}");
        assert!(["likely", "unclear"].contains(&verdict["confidence"].as_str().unwrap()), "{verdict}");
        for side in ["before", "after"] {
            assert_ne!(verdict["in_build"][side], "no", "{verdict}");
        }
    }
    let causes: BTreeSet<&str> = verdicts.iter().filter_map(|verdict| verdict["cause"].as_str()).collect();
    assert!(causes.len() > 2, "{causes:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--binary-before"));
}

#[test]
fn two_recordings_of_one_binary_give_noise() {
    let same = ["80-aligned-r1.perf.zst", "80-aligned-r2.perf.zst"];
    let json = text(&pdiff("classify", same, &["--format", "json"]));
    let causes = json.matches(r#""cause":"#).count();
    assert!(causes > 100);
    assert_eq!(json.matches(r#""cause":"noise""#).count(), causes);
}

#[test]
fn tables_keep_their_width_and_name_what_is_missing() {
    let table = text(&pdiff("classify", OLD_AND_NEW, &["--top", "5"]));
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert!(table.contains("missing  before: no binary was found"));
}

/// Functions listed under a part of the change, beside all parts, or by cause.
#[test]
fn classify_gives_parts_first_and_every_function_only_if_asked() {
    let packs = ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"];
    let short = text(&pdiff("classify", packs, &[]));
    let long = text(&pdiff("classify", packs, &["--all", "--top", "0"]));
    assert!(2 * short.lines().count() < long.lines().count(), "{short}");
    let parts = short.lines().filter(|line| line.starts_with("part ")).count();
    assert_eq!(parts, 10, "{short}");
    assert!(short.lines().all(|line| line.chars().count() <= 100), "{short}");
    assert!(short.contains("folded ") && !short.contains("cause    heavier"), "{short}");
    assert!(long.contains("cause    heavier") && !long.contains("folded "));
    // An inserted caller of everything is no cause, and what it leads to is there on both sides.
    assert!(!short.lines().any(|line| line.starts_with("pfs_spawn_thread")), "{short}");
    let explained = pdiff("explain", packs, &["pfs_spawn_thread"]);
    assert!(text(&explained).contains("moved, likely (R-in-between)"));
}

#[test]
fn no_new_part_is_surer_than_the_function_that_names_it() {
    let packs = ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"];
    let json = text(&pdiff("classify", packs, &["--format", "json"]));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let verdicts = report["verdicts"].as_array().unwrap();
    let mut looked_at = 0;
    for finding in report["findings"].as_array().unwrap() {
        let name = finding["name"].as_str().unwrap().rsplit(" -> ").next().unwrap();
        let of_name =
            |verdict: &&serde_json::Value| verdict["name"] == name && verdict["object"] == finding["object"];
        let Some(verdict) = verdicts.iter().find(of_name) else { continue };
        let is_new = ["new-overhead", "newly-active", "gone"].contains(&finding["cause"].as_str().unwrap());
        looked_at += 1;
        assert!(
            !is_new || finding["confidence"] != "proved" || verdict["confidence"] == "proved",
            "{finding}"
        );
    }
    assert!(looked_at >= 5, "{looked_at}");
}

#[test]
fn the_parts_of_the_change_are_written_as_csv_that_sums_to_the_sides() {
    let packs = ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"];
    let csv = text(&pdiff("classify", packs, &["--format", "parts-csv"]));
    let json = text(&pdiff("classify", packs, &["--format", "json"]));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let rows: Vec<Vec<&str>> = lines.collect();
    assert_eq!(rows.len(), report["findings"].as_array().unwrap().len() + 1);
    for side in ["before", "after"] {
        // Commas in names of templates are quoted and come before the weights, so count from the end.
        let from_end = names.len() - names.iter().position(|name| *name == format!("{side}_weight")).unwrap();
        let sum: u64 = rows.iter().map(|row| row[row.len() - from_end].parse::<u64>().unwrap()).sum();
        assert_eq!(sum, report[side]["weight"].as_u64().unwrap(), "{csv}");
    }
    let member = &report["findings"][0]["members"][0];
    assert!(member["cause"].is_string() && member["confidence"].is_string(), "{member}");
}

#[test]
fn one_function_is_explained_in_full() {
    let explained = text(&pdiff("explain", OLD_AND_NEW, &["ut_delay"]));
    assert!(
        explained.starts_with("part ") && explained.contains("of 10: ut_delay (mysqld), less, polling"),
        "{explained}"
    );
    for part in [
        "function ut_delay (mysqld)",
        "tags     spin-wait",
        "self by symbol",
        "removing the spinning gains at most",
    ] {
        assert!(explained.contains(part), "{part}: {explained}");
    }
}

#[test]
fn what_verdicts_cannot_rest_on_is_refused_with_a_hint() {
    for more in [["--by", "object"], ["--match", "loose"], ["--format", "parquet"], ["--sort", "name"]] {
        let output = pdiff("classify", OLD_AND_NEW, &more);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("hint:"), "{more:?}");
    }
}

fn settings_file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/settings").join(name);
    path.to_str().unwrap().to_owned()
}

#[test]
fn differing_settings_stand_with_the_verdicts_and_before_the_rows() {
    let (before, after) = (settings_file("57.tsv"), settings_file("80.tsv"));
    let given = ["--settings-before", &before, "--settings-after", &after];
    let json = text(&pdiff("classify", OLD_AND_NEW, &[&given[..], &["--format", "json"]].concat()));
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<&str> = report["settings"]["differs"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["name"].as_str())
        .collect();
    assert!(names.contains(&"innodb_undo_log_truncate"), "{names:?}");
    let redo =
        report["verdicts"].as_array().unwrap().iter().find(|of| of["function"] == "log_writer").unwrap();
    let told = |of: &serde_json::Value| {
        of["text"].as_str().unwrap().starts_with("innodb_log_writer_threads is ON after")
    };
    assert!(redo["evidence"].as_array().unwrap().iter().any(told), "{redo}");
    for command in ["classify", "compare"] {
        let table = text(&pdiff(command, OLD_AND_NEW, &given));
        assert!(table.contains("log_slave_updates=ON"), "{command}: {table}");
        assert!(table.lines().all(|line| line.chars().count() <= 100), "{command}");
    }
    let output = pdiff("classify", OLD_AND_NEW, &given[..2]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_function_is_found_by_its_last_part_or_a_pattern_and_close_names_are_told() {
    let explain = |name: &str| pdiff("explain", OLD_AND_NEW, &[name]);
    assert!(text(&explain("info_low")).starts_with("function ha_innobase::info_low (mysqld)"));
    assert!(text(&explain("^ut_del")).starts_with("function ut_delay (mysqld)"));
    let many = explain("^row_");
    let error = String::from_utf8_lossy(&many.stderr).into_owned();
    assert_eq!(many.status.code(), Some(2), "{error}");
    assert!(error.contains("functions; hint: name one of "), "{error}");
    let unknown = explain("ut_dealy");
    assert_eq!((unknown.status.code(), unknown.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("close: ut_delay"));
}

#[test]
fn without_debug_information_it_is_said_that_no_line_is_known() {
    let explained = text(&pdiff("explain", OLD_AND_NEW, &["ut_delay"]));
    assert!(explained.contains("the lines of its code are not known"), "{explained}");
    let root = pdiff("explain", OLD_AND_NEW, &["ut_delay", "--source-root", "no-such-directory"]);
    assert_eq!(root.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&root.stderr).contains("--source-root: cannot read no-such-directory"));
}
