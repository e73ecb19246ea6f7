//! A store of runs from the outside: what is compared from it is what is compared from the files, and nothing of a run is seen
//! before all of it is there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

mod comparing;
mod mistakes;
mod sums;
mod writers;

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn pdiff(arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args(arguments).env("XDG_CACHE_HOME", "/nonexistent").output().unwrap()
}

/// What a command prints.
fn stdout(arguments: &[&str]) -> String {
    let output = pdiff(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// One line on standard error, exit status 2.
fn refusal(arguments: &[&str]) -> String {
    let output = pdiff(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

/// A recording of the program of `fixtures/inline-only`, and the binary.
fn orders(side: &str, run: usize) -> [String; 2] {
    let directory = fixture("inline-only");
    let recording = directory.join(format!("{side}-r{run}.perf.zst"));
    [recording, directory.join(side).join("orders")].map(|path| path.to_str().unwrap().to_owned())
}

const SERVICE: [&str; 6] = ["--service", "orders", "--day", "2026-11-24", "--quiet", "--no-cache"];

fn add<'a>(store: &'a str, recording: &'a str, build: &'a str, host: &'a str) -> Vec<&'a str> {
    let start = ["store", "add", store, recording, "--build", build, "--host", host];
    start.into_iter().chain(SERVICE).collect()
}

/// A store of three runs of each build of `orders`.
fn store_of_orders(store: &str) {
    for side in ["before", "after"] {
        for (run, host) in (1..).zip(["db1", "db2", "db3"]) {
            let [recording, binary] = orders(side, run);
            let mut arguments = add(store, &recording, side, host);
            arguments.extend(["--binary", &binary]);
            assert!(stdout(&arguments).contains("\tadded\t"));
        }
    }
}

/// Without what names files.
fn without_paths(value: &mut Value) {
    match value {
        Value::Object(map) => {
            ["path", "label", "debug_path", "example"].iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(without_paths);
        }
        Value::Array(values) => values.iter_mut().for_each(without_paths),
        _ => {}
    }
}

fn json(arguments: &[&str]) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.extend(["--format", "json", "--no-cache"]);
    let mut value = serde_json::from_str(&stdout(&arguments)).unwrap();
    without_paths(&mut value);
    value
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The file of a table of the only run.
fn file_of(store: &Path, table: &str) -> PathBuf {
    files(&store.join(table)).pop().unwrap()
}
