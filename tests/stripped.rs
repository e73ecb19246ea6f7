//! A build without symbols beside one with: functions get names by their code, which are marked and never more than likely.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Functions that have a new name.
const RENAMED: [(&str, &str); 2] =
    [("search_rows", "search_rows_by_key"), ("finish_transaction", "txn::finish_transaction<unsigned long>")];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions/gcc").join(name)
}

/// The recording without the names that perf printed for the program's functions.
fn without_names(name: &str) -> String {
    let packed = std::fs::read(fixture(name)).unwrap();
    let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
    let line = |line: &str| match line.trim_start().split_once(' ') {
        Some((address, rest)) if rest.ends_with("/server)") => {
            format!("\t{address} [unknown] {}\n", rest.rsplit(' ').next().unwrap())
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// `compare` or `classify` of the recording `before` in the file `binary`, and of the other build.
fn run(command: &str, before: &Path, binary: &Path, more: &[&str]) -> String {
    let output = pdiff_testing::pdiff()
        .args([command, "--quiet", "--no-cache"])
        .args([before, &fixture("after/1.perf.zst")])
        .arg("--binary-before")
        .arg(binary)
        .arg("--binary-after")
        .arg(fixture("after/server"))
        .args(more)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Rows by name: how they were matched, and their self weight before.
fn rows(json: &str) -> BTreeMap<String, (String, u64)> {
    let report: Value = serde_json::from_str(json).unwrap();
    let row = |row: &Value| {
        let level = row["match"]["level"].as_str().unwrap_or_default().to_owned();
        let weight = row["before"]["self_weight"].as_u64().unwrap_or_default();
        (row["name"].as_str().unwrap().to_owned(), (level, weight))
    };
    report["functions"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn functions_without_symbols_get_the_names_that_their_code_has_in_the_other_build() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let (stripped, recording) = (directory.path().join("server"), directory.path().join("before.perf"));
    let Some(mut objcopy) = pdiff_testing::tool("objcopy") else { return };
    let made = objcopy.arg("--strip-all").arg(fixture("before/server")).arg(&stripped).status();
    assert!(made.unwrap().success());
    std::fs::write(&recording, without_names("before/1.perf.zst")).unwrap();

    let truth = rows(&run(
        "compare",
        &fixture("before/1.perf.zst"),
        &fixture("before/server"),
        &["--format", "json", "--inlines", "collapse"],
    ));
    let found = rows(&run("compare", &recording, &stripped, &["--format", "json", "--inlines", "collapse"]));
    let inferred: Vec<_> = found.iter().filter(|(_, (level, _))| level == "structure").collect();
    let old_name = |name: &str| {
        RENAMED.iter().find(|(_, new)| *new == name).map_or(name.to_owned(), |(old, _)| (*old).into())
    };
    let right = inferred
        .iter()
        .filter(|(name, (_, weight))| truth.get(&old_name(name)).is_some_and(|of| of.1 == *weight));
    // Two functions that were inlined into and out of are taken for each other.
    let right = right.count();
    assert!(right >= 8 && inferred.len() - right <= 1, "{right} of {inferred:?}\n{truth:?}");

    let table = run("compare", &recording, &stripped, &[]);
    assert!(table.contains("inferred: one build is stripped"), "{table}");
    let json: Value =
        serde_json::from_str(&run("classify", &recording, &stripped, &["--format", "json"])).unwrap();
    for verdict in json["verdicts"].as_array().unwrap() {
        let is_inferred = inferred.iter().any(|(name, _)| verdict["name"] == name.as_str());
        assert!(!is_inferred || verdict["confidence"] != "proved", "{verdict}");
    }
}
