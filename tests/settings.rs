//! `pdiff settings` from the outside, on the variables of a 5.7 and an 8.0 server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/settings").join(name)
}

fn pdiff(files: [&Path; 2], more: &[&str]) -> Output {
    let mut command = pdiff_testing::pdiff();
    command.arg("settings").args(files).args(more).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(before: &Path, after: &Path) -> Value {
    serde_json::from_str(&text(&pdiff([before, after], &["--format", "json"]))).unwrap()
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

/// Rows of a published table of differing defaults that differ between these two servers, too: name, 5.7, 8.0.
const PUBLISHED: [(&str, &str, &str); 30] = [
    ("back_log", "70", "100"),
    ("event_scheduler", "OFF", "ON"),
    ("innodb_autoinc_lock_mode", "1", "2"),
    ("innodb_undo_log_truncate", "OFF", "ON"),
    ("innodb_undo_tablespaces", "0", "2"),
    ("innodb_flush_neighbors", "1", "0"),
    ("innodb_max_dirty_pages_pct", "75.000000", "90.000000"),
    ("innodb_max_dirty_pages_pct_lwm", "0.000000", "10.000000"),
    ("local_infile", "ON", "OFF"),
    ("log_error_verbosity", "3", "2"),
    ("master_info_repository", "FILE", "TABLE"),
    ("max_allowed_packet", "4194304", "67108864"),
    ("max_error_count", "64", "1024"),
    ("max_length_for_sort_data", "1024", "4096"),
    ("optimizer_trace_max_mem_size", "16384", "1048576"),
    ("performance_schema_max_cond_classes", "80", "150"),
    ("performance_schema_max_memory_classes", "320", "450"),
    ("performance_schema_max_mutex_classes", "210", "350"),
    ("performance_schema_max_rwlock_classes", "40", "60"),
    ("performance_schema_max_stage_classes", "150", "175"),
    ("performance_schema_max_statement_classes", "193", "219"),
    ("performance_schema_max_thread_classes", "50", "100"),
    ("slave_parallel_type", "DATABASE", "LOGICAL_CLOCK"),
    ("slave_parallel_workers", "0", "4"),
    ("slave_pending_jobs_size_max", "16777216", "134217728"),
    ("slave_preserve_commit_order", "OFF", "ON"),
    ("table_definition_cache", "1400", "2000"),
    ("table_open_cache", "2000", "4000"),
    ("thread_stack", "262144", "1048576"),
    ("transaction_write_set_extraction", "OFF", "XXHASH64"),
];

#[test]
fn every_published_difference_is_found() {
    let report = json(&fixture("57.tsv"), &fixture("80.tsv"));
    assert_eq!(report["schema_version"], 1);
    for (name, before, after) in PUBLISHED {
        let mut rows = report["differs"].as_array().unwrap().iter();
        let row = rows.find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((row["before"].as_str(), row["after"].as_str()), (Some(before), Some(after)), "{name}");
    }
}

/// The differing names by plain comparison of lines: what pdiff lists, folds away, or tells under another name.
#[test]
fn no_difference_is_lost() {
    let side = |name: &str| -> std::collections::BTreeMap<String, String> {
        let text = std::fs::read_to_string(fixture(name)).unwrap();
        let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
        text.lines().filter_map(pair).collect()
    };
    let (before, after) = (side("57.tsv"), side("80.tsv"));
    let report = json(&fixture("57.tsv"), &fixture("80.tsv"));
    let folded =
        report["folded"].as_array().unwrap().iter().flat_map(|group| group["names"].as_array().unwrap());
    let folded: Vec<&str> = folded.map(|name| name.as_str().unwrap()).collect();
    for (name, value) in &before {
        let listed = names(&report["differs"]).contains(&name.as_str());
        match after.get(name) {
            Some(other) if other != value => {
                assert!(listed || folded.contains(&name.as_str()), "{name}: {value} {other}");
            }
            Some(_) => assert!(!listed, "{name} is the same"),
            None => {}
        }
    }
    assert!(names(&report["only_before"]).contains(&"query_cache_size"));
    assert!(names(&report["only_after"]).contains(&"innodb_log_writer_threads"));
    // Of the same server, and told under their older names.
    assert!(!names(&report["only_after"]).iter().any(|name| name.starts_with("replica_parallel")));
    // 5.7 calls it by the older name, 8.0 has both.
    assert!(!names(&report["only_before"]).contains(&"innodb_undo_logs"));
}

#[test]
fn the_table_puts_what_matters_first_and_keeps_the_width() {
    let output = pdiff_testing::pdiff()
        .args(["settings"])
        .args([fixture("57.tsv"), fixture("80.tsv")])
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    let table = text(&output);
    for line in table.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let at = |part: &str| table.find(part).unwrap_or_else(|| panic!("{part}: {table}"));
    assert!(
        at("innodb_flush_neighbors") < at("table_open_cache")
            && at("table_open_cache") < at("other settings")
    );
    assert!(at("folded") > at("query_cache_type"));
    assert!(!table.contains("fec2067d-e4f9"), "uuids are noise");
    let all = text(&pdiff([&fixture("57.tsv"), &fixture("80.tsv")], &["--all", "--top", "0"]));
    assert!(all.contains("server_uuid"));
}

#[test]
fn csv_has_a_line_for_every_setting_of_the_json() {
    let report = json(&fixture("57.tsv"), &fixture("80.tsv"));
    let rows: usize =
        ["differs", "only_before", "only_after"].iter().map(|key| names(&report[*key]).len()).sum();
    let csv = text(&pdiff([&fixture("57.tsv"), &fixture("80.tsv")], &["--format", "csv"]));
    assert!(csv.starts_with("presence,name,before_name,before,after,why\n"));
    assert_eq!(csv.lines().count(), rows + 1);
}

#[test]
fn one_side_may_come_from_standard_input_and_be_an_option_file() {
    let mut child = pdiff_testing::pdiff()
        .args(["settings", "-"])
        .arg(fixture("80.tsv"))
        .args(["--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"[mysqld]\nskip-log-bin\ninnodb-flush-neighbors = 0\n").unwrap();
    let report: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(names(&report["differs"]), ["log_bin"]);
    assert_eq!(report["differs"][0]["before"], "OFF");
}

#[test]
fn an_option_file_that_sets_log_bin_off_is_warned_of() {
    let directory = tempfile::tempdir().unwrap();
    let [wrong, right] = ["wrong.cnf", "right.cnf"].map(|name| directory.path().join(name));
    std::fs::write(&wrong, "[mysqld]\nlog_bin=OFF\n").unwrap();
    std::fs::write(&right, "[mysqld]\ndisable-log-bin\n").unwrap();
    let table = text(&pdiff([&right, &wrong], &[]));
    assert!(table.contains("log_bin = OFF on the after side does not switch it off"), "{table}");
    let report = json(&right, &wrong);
    assert_eq!(
        (&report["differs"][0]["before"], &report["differs"][0]["after"]),
        (&"OFF".into(), &"ON".into())
    );
    assert_eq!(names(&report["misleading"]), ["log_bin"]);
    assert_eq!(json(&right, &right)["misleading"], Value::Null);
}

#[test]
fn wrong_input_is_told_in_one_line() {
    let check = |files: [&Path; 2], expected: &str| {
        let output = pdiff(files, &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains(expected) && error.lines().count() == 1 && output.stdout.is_empty(),
            "{error}"
        );
    };
    let (good, readme) = (fixture("57.tsv"), fixture("README.md"));
    check([&good, Path::new("no-such-file")], "cannot read no-such-file");
    check([&good, &fixture("")], "is a directory; hint: name a file");
    check(
        [Path::new("-"), Path::new("-")],
        "standard input can be one thing only; hint: give the others as files",
    );
    check([&good, &readme], "README.md: line 3");
    let perf = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql/57-default.perf.zst");
    check([&perf, &good], "57-default.perf.zst: line 1");
}
