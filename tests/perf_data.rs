//! Recordings of `perf record` against the text of `perf script`, through the program: the same rows.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/perf-data")
}

/// The program where the binary recorded and perf's cache are those of the fixtures.
fn pdiff(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
    command.current_dir(fixtures()).env("PERF_BUILDID_DIR", fixtures().join("cache"));
    command.env_remove("DEBUGINFOD_URLS").args(arguments);
    command
}

fn compare(before: &str, after: &str, more: &[&str]) -> Value {
    let binaries = ["--binary-before", "work", "--binary-after", "work"];
    let usual = ["compare", before, after, "-q", "--no-cache", "--format", "json"];
    let output = pdiff(&usual).args(binaries).args(more).output().unwrap();
    json(&output)
}

fn json(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or(0.0)
}

#[test]
fn a_recording_gives_the_rows_of_its_text() {
    for name in ["fp", "flat", "stream", "build-ids", "two-events", "group", "period"] {
        let result = compare(&format!("{name}.data"), &format!("{name}.perf.zst"), &["--dso", "work"]);
        let rows = result["functions"].as_array().unwrap();
        assert!(rows.iter().any(|row| row["name"] == "mix" || row["name"] == "waves"), "{name}: {rows:#?}");
        for row in rows {
            let differ = ["delta_self_pp", "delta_total_pp", "delta_booked_pp"].map(|key| number(row, key));
            assert_eq!(differ, [0.0; 3], "{name}: {row:#}");
        }
    }
}

#[test]
fn stacks_unwound_by_the_binary_have_the_functions_that_perf_finds() {
    let result = compare("dwarf.data", "dwarf.perf.zst", &["--dso", "work"]);
    let rows = result["functions"].as_array().unwrap();
    let mix = rows.iter().find(|row| row["name"] == "mix").unwrap();
    assert_eq!(number(mix, "delta_self_pp"), 0.0, "{mix:#}");
    let waves = rows.iter().find(|row| row["name"] == "waves").unwrap();
    assert!(number(waves, "delta_total_pp").abs() < 2.0, "{waves:#}");
}

#[test]
fn a_recording_is_read_from_a_pipe() {
    let mut command = pdiff(&["compare", "-", "fp.data", "-q", "--no-cache", "--format", "json"]);
    command.stdin(Stdio::from(std::fs::File::open(fixtures().join("fp.data")).unwrap()));
    let result = json(&command.output().unwrap());
    for row in result["functions"].as_array().unwrap() {
        assert_eq!(number(row, "delta_total_pp"), 0.0, "{row:#}");
    }
}

#[test]
fn a_binary_of_another_build_is_refused() {
    let other = env!("CARGO_BIN_EXE_pdiff");
    let copy = tempfile::tempdir().unwrap();
    let work = copy.path().join("work");
    std::fs::copy(other, &work).unwrap();
    for recording in ["fp.data", "packed.data"] {
        let output = pdiff(&["compare", recording, "fp.perf.zst", "-q", "--no-cache", "--binary-before"])
            .arg(&work)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{recording}: {error}");
        assert!(error.contains("is another build than"), "{recording}: {error}");
    }
}

#[test]
fn a_pack_of_a_recording_gives_the_same_rows() {
    let directory = tempfile::tempdir().unwrap();
    let pack = directory.path().join("fp.pdiff");
    let packed =
        pdiff(&["pack", "fp.data", "--no-cache", "--binary", "work", "-o"]).arg(&pack).output().unwrap();
    assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
    let result = compare(pack.to_str().unwrap(), "fp.data", &["--dso", "work"]);
    for row in result["functions"].as_array().unwrap() {
        assert_eq!(number(row, "delta_total_pp"), 0.0, "{row:#}");
    }
}
