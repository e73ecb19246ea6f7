//! `--counts-before` and `--counts-after`: what callgrind counted turns a likely verdict into a proved one.
//!
//! `fixtures/counts/source.c` is built three times: a lookup that mostly returns early, one that never does (`every-call`), and
//! one that is called twice (`twice`).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::Output;

fn fixture(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/counts").join(name);
    path.display().to_string()
}

fn classify(after: &str, more: &[&str]) -> Output {
    let [old, new] = ["before", after].map(|side| fixture(&format!("{side}/reader.perf.zst")));
    let [old_binary, new_binary] = ["before", after].map(|side| fixture(&format!("{side}/reader")));
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", &old, &new, "--binary-before", &old_binary, "--binary-after", &new_binary]);
    command.args(["--no-cache", "--quiet", "--format", "json"]).args(more).output().unwrap()
}

/// The verdict on a function: cause, confidence, and all of its text.
fn verdict(output: &Output, function: &str) -> (String, String, String) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let verdicts = report["verdicts"].as_array().unwrap();
    let verdict = verdicts.iter().find(|verdict| verdict["function"] == function).unwrap();
    let text = |key: &str| verdict[key].as_str().unwrap().to_owned();
    (text("cause"), text("confidence"), verdict.to_string())
}

fn counts(after: &str) -> Vec<String> {
    let [before, after] = ["before", after].map(|side| fixture(&format!("{side}/callgrind.out")));
    ["--counts-before", &before, "--counts-after", &after].map(str::to_owned).to_vec()
}

fn counted(after: &str, more: &[&str]) -> Output {
    let counts = counts(after);
    let given: Vec<&str> = counts.iter().map(String::as_str).chain(more.iter().copied()).collect();
    classify(after, &given)
}

#[test]
fn a_callee_that_an_early_return_spared_lost_its_fast_path_by_counts() {
    // The code has lost its early return. But a call of `leaf` runs a loop 300 times: 2 of 312 samples are outside of it, which
    // do not tell whether it is called more or its loop runs longer.
    let (cause, confidence, _) = verdict(&classify("every-call", &[]), "leaf");
    assert_eq!([cause.as_str(), &confidence], ["missing-fast-path", "likely"]);
    let operations = ["--counts-operations-before", "1000", "--counts-operations-after", "1000"];
    let (cause, confidence, text) = verdict(&counted("every-call", &operations), "leaf");
    assert_eq!([cause.as_str(), &confidence], ["missing-fast-path", "proved"]);
    let origin =
        "calls counted by callgrind in callgrind.out and callgrind.out, over 1000 and 1000 operations";
    assert!(text.contains(origin), "{text}");
    assert!(
        text.contains(
            "lookup is called 1 and 1 times per operation, and now also calls leaf 0.016 and 1.000 times"
        ),
        "{text}"
    );
}

#[test]
fn twice_the_calls_are_proved_by_counts_and_heavier_without() {
    let (cause, ..) = verdict(&classify("twice", &[]), "lookup");
    assert_ne!(cause, "more-calls");
    let (cause, confidence, text) = verdict(&counted("twice", &[]), "lookup");
    assert_eq!([cause.as_str(), &confidence], ["more-calls", "proved"]);
    assert!(text.contains("called 2.00 times as often"), "{text}");
    assert!(text.contains("taking each side's whole count for one operation"), "{text}");
}

#[test]
fn an_early_return_that_vanished_is_proved_by_the_code_of_both_builds_and_by_counts() {
    let files = |name: &str| ["before", "after"].map(|side| fixture(&format!("early-return/{side}/{name}")));
    let [old, new] = files("tables.perf.zst");
    let [old_binary, new_binary] = files("tables");
    let [old_counts, new_counts] = files("callgrind.out");
    let said = |more: &[&str]| {
        let mut command = pdiff_testing::pdiff();
        command.args(["classify", &old, &new, "--binary-before", &old_binary, "--binary-after", &new_binary]);
        command.args(["--operations-before", "6000000", "--operations-after", "6000000"]);
        command.args(["--no-cache", "--quiet", "--format", "json"]).args(more).output().unwrap()
    };
    let counts = ["--counts-before", &old_counts, "--counts-after", &new_counts];
    for (more, proof) in
        [(&[][..], "every way through its code leads to that call"), (&counts[..], "times per call")]
    {
        let output = said(more);
        for function in ["info", "figures"] {
            let (cause, confidence, text) = verdict(&output, function);
            assert_eq!([cause.as_str(), &confidence], ["missing-fast-path", "proved"], "{function}: {text}");
            assert!(text.contains(proof), "{function}: {text}");
        }
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let finding = &report["findings"][0];
        assert_eq!([&finding["cause"], &finding["confidence"]], ["missing-fast-path", "proved"], "{finding}");
    }
}

/// Both builds have an early return that is never taken, so their code alone proves nothing.
#[test]
fn an_early_return_that_vanished_beside_one_that_stays_is_proved_by_the_samples_on_it() {
    let files = |name: &str| ["before", "after"].map(|side| fixture(&format!("kept-return/{side}/{name}")));
    let [old, new] = files("shelf.perf.zst");
    let [old_binary, new_binary] = files("shelf");
    let said = |before: (&str, &str), after: (&str, &str)| {
        let mut command = pdiff_testing::pdiff();
        command.args(["classify", before.0, after.0, "--binary-before", before.1, "--binary-after", after.1]);
        command.args(["--no-cache", "--quiet", "--format", "json"]).output().unwrap()
    };
    let output = said((&old, &old_binary), (&new, &new_binary));
    for function in ["root", "load"] {
        let (cause, confidence, text) = verdict(&output, function);
        assert_eq!([cause.as_str(), &confidence], ["missing-fast-path", "proved"], "{function}: {text}");
        assert!(
            text.contains("samples lie on ways through root without a call of load before, and 0 of"),
            "{function}: {text}"
        );
        assert!(!text.contains("every way through its code"), "{function}: {text}");
    }
    // The other way round a fast path came, which is no cause of growth.
    let (cause, _, text) = verdict(&said((&new, &new_binary), (&old, &old_binary)), "load");
    assert!(!text.contains("without a call of load"), "{text}");
    assert_ne!(cause, "missing-fast-path");
}

/// The base run entered the function a few times, which counts show and samples do not.
#[test]
fn calls_too_rare_for_samples_are_counted_so_their_growth_is_a_lost_fast_path() {
    let files = |name: &str| ["before", "after"].map(|side| fixture(&format!("rare-call/{side}/{name}")));
    let [old, new] = files("cache.perf.zst");
    let [old_binary, new_binary] = files("cache");
    let [old_counts, new_counts] = files("callgrind.out");
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", &old, &new, "--binary-before", &old_binary, "--binary-after", &new_binary]);
    command.args(["--operations-before", "4000000", "--operations-after", "4000000"]);
    command.args(["--counts-before", &old_counts, "--counts-after", &new_counts]);
    let output = command.args(["--no-cache", "--quiet", "--format", "json"]).output().unwrap();
    for function in ["get", "refill"] {
        let (cause, confidence, text) = verdict(&output, function);
        assert_eq!([cause.as_str(), &confidence], ["missing-fast-path", "proved"], "{function}: {text}");
        assert!(text.contains("now also calls refill 0.003 and 1.000 times per call"), "{text}");
    }
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let finding = &report["findings"][0];
    assert_eq!([&finding["cause"], &finding["confidence"]], ["missing-fast-path", "proved"], "{finding}");
}

#[test]
fn what_was_counted_is_printed_and_can_be_read_again() {
    let callgrind = fixture("before/callgrind.out");
    let counts = |words: &[&str]| {
        let output = pdiff_testing::pdiff().arg("counts").args(words).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let table = counts(&[&callgrind, "-n", "3"]);
    assert!(table.contains("callgrind: 46 functions") && table.contains("5,000  fact"), "{table}");
    let lines = counts(&[&callgrind, "--operations", "1000", "--format", "lines"]);
    assert!(lines.contains("\nlookup\t1\n") && lines.contains("\nlookup -> leaf\t0.016\n"), "{lines}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("calls.tsv").display().to_string();
    std::fs::write(&path, &lines).unwrap();
    assert_eq!(counts(&[&path, "--format", "lines"]), lines);
    let json: serde_json::Value = serde_json::from_str(&counts(&[&callgrind, "--format", "json"])).unwrap();
    assert_eq!((&json["source"], &json["functions"][0]["calls"]), (&"callgrind".into(), &5000.0.into()));
}

#[test]
fn wrong_files_of_counts_are_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let odd = put("odd", "# callgrind format\nevents: Ir\nfn=(7)\n");
    let other = put("other", "@[lookup]: 3\n");
    let callgrind = fixture("before/callgrind.out");
    for (before, after, expected) in [
        (&odd, &callgrind, "line 3: not a name"),
        (&other, &callgrind, "count both sides with one tool"),
        (&fixture("source.c"), &callgrind, "known formats of call counts"),
    ] {
        let output = classify("twice", &["--counts-before", before, "--counts-after", after]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && said.trim_end().lines().count() == 1, "{said}");
    }
}
