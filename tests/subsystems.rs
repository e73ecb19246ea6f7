//! Which subsystem samples count for: not that of a thread's root, and not that of templates inlined into others; the same in
//! every command.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "factorial/lab.rs"]
mod lab;

use std::collections::BTreeMap;
use std::path::Path;

use lab::LAB;
use serde_json::Value;

/// Samples of mysqld, each with its chain from the leaf on; a name that ends with `~` is inlined into the next.
fn recording(directory: &Path, chains: &[(&str, usize)]) -> String {
    let mut text = String::new();
    for (at, chain) in chains.iter().flat_map(|(chain, times)| [*chain].repeat(*times)).enumerate() {
        text += &format!("mysqld 7/7 [000] {}.{:06}: 1000000 cpu-clock: \n", at / 1000 + 1, at % 1000 * 1000);
        for frame in chain.split(' ') {
            match frame.strip_suffix('~') {
                Some(frame) => text += &format!("\t 1139 {frame} (inlined)\n"),
                None => text += &format!("\t 1139 {frame}+0x9 (/opt/mysql/8.0.33/bin/mysqld)\n"),
            }
        }
        text += "\n";
    }
    let path = directory.join("mysqld.perf");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn json(arguments: &[&str]) -> Value {
    let output = pdiff_testing::pdiff().args(arguments).args(["--no-symbolize", "-q"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

const SPAWNED: &str = "do_command handle_connection pfs_spawn_thread start_thread";

fn mysqld(directory: &Path) -> String {
    let chain = |leaves: &str| format!("{leaves} {SPAWNED}");
    let (redo, push, pfs) = (
        chain("log_writer_write_buffer"),
        chain("std::vector<int>::push_back~ log_writer_write_buffer"),
        chain("pfs_start_mutex_wait_v1"),
    );
    recording(directory, &[(&redo, 500), (&push, 300), (&pfs, 200)])
}

#[test]
fn the_root_of_a_thread_is_no_part_of_its_subsystem() {
    let directory = tempfile::tempdir().unwrap();
    let run = mysqld(directory.path());
    let rows = json(&["compare", &run, &run, "--by", "subsystem", "--format", "json"]);
    let rows = rows["functions"].as_array().unwrap();
    let share = |name: &str, measure: &str| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}: {rows:?}"));
        row["after"][measure].as_f64().unwrap()
    };
    assert!((share("performance schema", "total_pct") - 20.0).abs() < 1e-9, "{rows:?}");
    // What is inlined from the C++ library is the caller's.
    assert!((share("redo log", "self_pct") - 80.0).abs() < 1e-9, "{rows:?}");
    assert!(!rows.iter().any(|row| row["name"].as_str().unwrap().contains("C++")), "{rows:?}");
    // A factor stands beside that total.
    let runs = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/factorial/lab.csv");
    let beside = ["--profiles", &run, &run, "--factor-subsystem", "P=performance schema"];
    let arguments = [&["attribute", runs.to_str().unwrap(), "--format", "json"][..], &LAB, &beside].concat();
    let report = json(&arguments);
    let row = &report["profiles"]["rows"][0];
    assert_eq!(row["subsystem"], "performance schema", "{report}");
    assert!((row["after_total_pct"].as_f64().unwrap() - 20.0).abs() < 1e-9, "{row}");
}

#[test]
fn a_picture_by_subsystem_has_the_sums_of_the_table_by_subsystem() {
    let directory = tempfile::tempdir().unwrap();
    let run = mysqld(directory.path());
    let table = json(&["compare", &run, &run, "--by", "subsystem", "--format", "json"]);
    let rows = table["functions"].as_array().unwrap().iter();
    let rows = rows.map(|row| (row["name"].as_str().unwrap(), row["after"]["self_weight"].as_u64().unwrap()));
    let expected: BTreeMap<&str, u64> = rows.filter(|(_, weight)| *weight > 0).collect();
    let output = pdiff_testing::pdiff()
        .args(["flame", &run, &run, "--by-subsystem", "--format", "folded", "--no-symbolize", "-q"])
        .output()
        .unwrap();
    let folded = String::from_utf8(output.stdout).unwrap();
    let mut drawn: BTreeMap<String, u64> = BTreeMap::new();
    for line in folded.lines() {
        // Stack, weight before, weight after.
        let [stack, _, after] =
            line.rsplitn(3, ' ').collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let first = stack.split(';').next().unwrap().trim_matches(['[', ']']);
        *drawn.entry(first.to_owned()).or_default() += after.parse::<u64>().unwrap();
    }
    let drawn: BTreeMap<&str, u64> = drawn.iter().map(|(name, weight)| (name.as_str(), *weight)).collect();
    assert_eq!(drawn, expected, "{folded}");
}
