//! Branch records of `perf.data` as counts of calls.
//!
//! `fixtures/counts/branches` was made from a real execution: a program stepped instruction by instruction, whose last 32 taken
//! branches were written at each sample, as a processor with branch records would have. The truth is known: the stepper also
//! counted every branch. A script that shares nothing with pdiff counted calls by what `perf script -F brstack` prints.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

const RECORDINGS: [&str; 3] = ["shop.data.zst", "shop.index.data.zst", "shop.big.data.zst"];

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/counts/branches").join(name)
}

fn unpacked(name: &str) -> Vec<u8> {
    zstd::decode_all(std::fs::File::open(fixture(name)).unwrap()).unwrap()
}

fn put(directory: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn counts(recording: &Path, more: &[&str]) -> Output {
    let mut command = pdiff_testing::pdiff();
    command.arg("counts").arg(recording).args(more).arg("--no-cache").output().unwrap()
}

/// With the binaries that ran.
fn counts_json(recording: &Path) -> serde_json::Value {
    let [program, library] = ["shop", "libweigh.so"].map(|name| fixture(name).display().to_string());
    let output = counts(recording, &["--format", "json", "--binary", &program, "--binary", &library]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Calls, records and mispredicted ones, by caller and callee.
type Edges = BTreeMap<(String, String), (f64, u64, u64)>;

fn edges(report: &serde_json::Value) -> Edges {
    let edge = |row: &serde_json::Value| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let number = |key: &str| row[key].as_u64().unwrap();
        let calls = row["calls"].as_f64().unwrap();
        ((text("caller"), text("function")), (calls, number("records"), number("mispredicted")))
    };
    report["from_callers"].as_array().unwrap().iter().map(edge).collect()
}

fn listed(name: &str) -> Edges {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    let row = |line: &str| {
        let [caller, callee, calls, records, mispredicted] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let counted = (calls.parse().unwrap(), records.parse().unwrap(), mispredicted.parse().unwrap());
        ((caller.to_owned(), callee.to_owned()), counted)
    };
    text.lines().map(row).collect()
}

#[test]
fn calls_are_those_that_an_independent_script_counts() {
    let expected = listed("records.tsv");
    assert!(expected.len() > 12);
    for recording in RECORDINGS {
        assert_eq!(edges(&counts_json(&fixture(recording))), expected, "{recording}");
    }
}

/// The two parts of the program were sampled at periods of 251 and 997 branches, so records alone would be wrong by a factor of four.
#[test]
fn calls_are_the_true_ones_within_sampling_error() {
    let counted = edges(&counts_json(&fixture("shop.data.zst")));
    let truth = listed("calls.tsv");
    let mut seen = 0;
    for (edge, (true_calls, ..)) in &truth {
        let (calls, records, _) = counted.get(edge).copied().unwrap_or_default();
        // What one record represents; of what was not seen, as much as any does.
        let per_record = if records == 0 { 997.0 / 32.0 } else { calls / records as f64 };
        let error = (true_calls * per_record).sqrt();
        assert!((calls - true_calls).abs() <= 3.0 * error, "{edge:?}: {calls} of {true_calls} +- {error}");
        seen += usize::from(records > 100);
    }
    assert!(seen > 12 && counted.keys().all(|edge| truth.contains_key(edge)), "{counted:?}");
    // Of a sum over both parts, the true calls of each function.
    let odd = counted[&("shop::second_part".to_owned(), "shop::odd".to_owned())];
    assert!(
        (0.50..0.70).contains(&(odd.2 as f64 / odd.1 as f64)),
        "5,699 of 9,531 were mispredicted: {odd:?}"
    );
}

#[test]
fn the_text_of_a_recording_counts_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let text = put(&directory, "shop.txt", &unpacked("shop.txt.zst"));
    assert_eq!(counts_json(&text), counts_json(&fixture("shop.data.zst")));
}

#[test]
fn perf_reads_the_recordings_alike() {
    let directory = tempfile::tempdir().unwrap();
    let mut texts = Vec::new();
    for name in RECORDINGS {
        let data = put(&directory, name.trim_end_matches(".zst"), &unpacked(name));
        let Some(mut perf) = pdiff_testing::tool("perf") else { return };
        let printed = perf.args(["script", "-F", "period,ip,brstack", "-i"]).arg(&data).output().unwrap();
        assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
        texts.push(String::from_utf8(printed.stdout).unwrap());
    }
    assert!(texts[0].lines().filter(|line| line.matches("0x").count() == 64).count() > 1400);
    assert!(texts[0] == texts[1] && texts[0] == texts[2]);
}

/// The recording with one more record at the end of its data: the kernel lost so many samples. Its header is that of a file: at 40
/// and 48 are the place and the size of the data, which the table of features follows.
fn with_lost(bytes: &[u8], lost: u64) -> Vec<u8> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (offset, size) = (number(40), number(48));
    let mut longer = bytes.to_vec();
    longer.extend(&bytes[offset..offset + size]);
    // Kind 2 is PERF_RECORD_LOST: an identifier and the number, then room for what identifies a sample.
    let (kind, misc, length) = (2_u32, 0_u16, 88_u16);
    longer.extend(kind.to_le_bytes().iter().chain(&misc.to_le_bytes()).chain(&length.to_le_bytes()));
    longer.extend(0_u64.to_le_bytes().iter().chain(&lost.to_le_bytes()).chain(&[0; 64]));
    longer.extend(&bytes[offset + size..]);
    longer[40..48].copy_from_slice(&(bytes.len() as u64).to_le_bytes());
    longer[48..56].copy_from_slice(&(size as u64 + u64::from(length)).to_le_bytes());
    longer
}

#[test]
fn a_note_says_that_calls_are_missing_where_the_recording_was_cut_or_lost_samples() {
    let directory = tempfile::tempdir().unwrap();
    let whole = unpacked("shop.data.zst");
    let cut = whole[..whole.len() / 2].to_vec();
    let lost = with_lost(&whole, 4321);
    let [program, library] = ["shop", "libweigh.so"].map(|name| fixture(name).display().to_string());
    for (name, bytes, expected) in [
        ("whole.data", &whole, None),
        ("cut.data", &cut, Some("calls are missing: cut-recording: the recording was cut off")),
        ("lost.data", &lost, Some("calls are missing: lost-samples x4321: ")),
    ] {
        let path = put(&directory, name, bytes);
        let output = counts(&path, &["--binary", &program, "--binary", &library]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{name}: {said}");
        match expected {
            Some(expected) => assert!(said.contains(expected) && said.contains(name), "{name}: {said}"),
            None => assert_eq!(said, ""),
        }
    }
}

#[test]
fn a_vanished_early_return_is_proved_by_the_branch_records_of_both_sides() {
    let files = |name: &str| {
        ["before", "after"]
            .map(|side| fixture(&format!("../early-return/{side}/{name}")).display().to_string())
    };
    let [old, new] = files("tables.perf.zst");
    let [old_binary, new_binary] = files("tables");
    let [old_counts, new_counts] = files("branches.data.zst");
    let run = |command: &str, words: &[&str], more: &[&str]| {
        let mut pdiff = pdiff_testing::pdiff();
        pdiff.args([command, &old, &new]).args(words).args(["--no-cache", "--quiet"]);
        pdiff.args(["--binary-before", &old_binary, "--binary-after", &new_binary]);
        pdiff.args(["--operations-before", "6000000", "--operations-after", "6000000"]);
        let output = pdiff.args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let counts = ["--counts-before", &old_counts, "--counts-after", &new_counts];
    // The code of both builds proves it, and so do counts.
    for more in [&[][..], &counts] {
        let more: Vec<&str> = more.iter().copied().chain(["--format", "json"]).collect();
        let report: serde_json::Value = serde_json::from_str(&run("classify", &[], &more)).unwrap();
        let finding = &report["findings"][0];
        assert_eq!([&finding["cause"], &finding["confidence"]], ["missing-fast-path", "proved"], "{finding}");
    }
    let by_code =
        "info could return without a call of figures before; after, every way through its code leads to";
    let words = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(run("explain", &["info"], &[])).contains(by_code));
    let explained = run("explain", &["info"], &counts);
    assert!(!words(explained.clone()).contains(by_code), "{explained}");
    assert!(explained.contains("info now also calls figures 0.015 and 0.997 times per call"), "{explained}");
    assert!(explained.contains("calls counted by branch records in branches.data.zst"), "{explained}");
}

#[test]
fn what_has_no_calls_is_said_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let elsewhere = directory.path().join("elsewhere").display().to_string();
    std::fs::create_dir(&elsewhere).unwrap();
    let said = |recording: &Path| {
        let output = counts(recording, &["--symfs", &elsewhere]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.trim_end().lines().count() == 1, "{said}");
        said
    };
    assert!(said(&fixture("shop.data.zst")).contains("hint: give the binaries that ran"));
    assert!(
        said(&fixture("../../perf-data/fp.data"))
            .contains("no branch records; hint: record with perf record -b")
    );
    let mut damaged = unpacked("shop.data.zst");
    // More than one in a hundred samples ends before its branches do: their number is at byte 40 of a record of 816 bytes.
    let samples: Vec<usize> = (248..damaged.len() - 816)
        .filter(|at| damaged[*at..].starts_with(&[9, 0, 0, 0, 2, 0, 48, 3]))
        .take(100)
        .collect();
    samples.iter().for_each(|at| damaged[at + 40] = 33);
    let damaged = put(&directory, "damaged.data", &damaged);
    assert!(said(&damaged).contains("records are damaged") && said(&damaged).contains("hint: --lenient"));
    let binary = fixture("shop").display().to_string();
    assert!(counts(&damaged, &["--lenient", "--binary", &binary]).status.success());
    let mut data = unpacked("shop.data.zst");
    let cut = put(&directory, "cut.data", &data[..200]);
    assert!(said(&cut).contains("cut.data"));
    // branch_sample_type of the attribute: PERF_SAMPLE_BRANCH_CALL_STACK, as perf record --call-graph lbr asks for.
    data[104 + 73] |= 1 << 3;
    assert!(
        said(&put(&directory, "lbr.data", &data)).contains("call stacks of perf record --call-graph lbr")
    );
}
