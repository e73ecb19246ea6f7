//! Packs from the outside: what is read from them is what is read from text and binaries; the MySQL packs of the
//! repository tell what is known of these builds.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
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

/// One line on standard error, exit status 2, nothing on standard output.
fn refusal(arguments: &[&Path]) -> String {
    let output = pdiff(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

fn mysql() -> [PathBuf; 2] {
    ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"].map(|name| fixture("mysql").join(name))
}

/// Two recordings of the program of `fixtures/inline-only`, with the binary.
fn orders(side: &str) -> ([PathBuf; 2], PathBuf) {
    let directory = fixture("inline-only");
    let recording = |run| directory.join(format!("{side}-r{run}.perf.zst"));
    ([recording(1), recording(2)], directory.join(side).join("orders"))
}

fn pack(recording: &Path, binary: &Path, to: &Path, more: &[&str]) {
    let [command, binary_option, output] = ["pack", "--binary", "--output"].map(Path::new);
    let mut arguments = vec![command, recording, binary_option, binary, output, to];
    arguments.extend(["--quiet", "--no-cache"].map(Path::new));
    arguments.extend(more.iter().map(Path::new));
    let output = pdiff(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Without what names files, labels them, or stands beside a path in a note.
fn without_paths(value: &mut Value) {
    match value {
        Value::Object(map) => {
            ["path", "label", "debug_path", "example"].iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(without_paths);
        }
        Value::Array(values) => {
            // Packs do not hold code that could be compared.
            values.retain(|value| value["kind"] != "diff");
            values.iter_mut().for_each(without_paths);
        }
        _ => {}
    }
}

fn facts_of(function: &str) -> Vec<(String, String)> {
    let [before, after] = mysql();
    let explained = json(&[Path::new("explain"), &before, &after, Path::new(function)]);
    let text = |fact: &Value| {
        let side = fact["side"].as_str().unwrap_or("").to_owned();
        Some((side, fact["text"].as_str()?.to_owned()))
    };
    let of_verdicts = explained["verdicts"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|verdict| verdict["evidence"].as_array());
    let facts = explained["facts"].as_array().into_iter();
    of_verdicts.chain(facts).flatten().filter_map(text).collect()
}

/// Checks that facts of a side say all this of a function.
fn check_facts(function: &str, expected: &[(&str, &str)]) {
    let facts = facts_of(function);
    for (side, what) in expected {
        let is_said = facts.iter().any(|(of, text)| of == side && text.contains(what));
        assert!(is_said, "{function} {side}: {what}: {facts:#?}");
    }
}

#[test]
fn the_packs_of_mysql_tell_what_is_known_of_its_builds() {
    let is_inlined_still = [("after", "0 out of line"), ("after", "inlined ")];
    check_facts("buf_flush_note_modification", &is_inlined_still);
    let stands_alone = [("after", "no inlined instance"), ("after", "in cmp_dtuple_rec_with_match_low")];
    check_facts("cmp_data", &stands_alone);
    check_facts("fold_condition", &[("before", "absent from this binary"), ("after", "out of line")]);
    let [before, after] = mysql();
    let error = refusal(&[Path::new("explain"), &before, &after, Path::new("THD::store_cached_properties")]);
    assert!(error.contains("in samples or in the binaries that were found"), "{error}");
}

#[test]
fn verdicts_from_the_packs_of_mysql_are_proved_by_code() {
    let [before, after] = mysql();
    let classified = json(&[Path::new("classify"), &before, &after, Path::new("--inline-check")]);
    assert_eq!(classified["missing"].as_array().map(Vec::len), Some(0));
    let verdicts = classified["verdicts"].as_array().unwrap();
    let count = |key: &str, word: &str| verdicts.iter().filter(|verdict| verdict[key] == word).count();
    assert!(verdicts.len() > 300 && count("confidence", "proved") > 5, "{}", count("confidence", "proved"));
    assert!(count("cause", "inline-regression") > 0 && count("cause", "new-overhead") > 0);
}

#[test]
fn packs_give_what_text_and_binaries_give() {
    let directory = tempfile::tempdir().unwrap();
    let mut sides = Vec::new();
    for side in ["before", "after"] {
        let (recordings, binary) = orders(side);
        let packs = [1, 2].map(|run| directory.path().join(format!("{side}{run}.pdiff")));
        recordings.iter().zip(&packs).for_each(|(text, to)| pack(text, &binary, to, &[]));
        sides.push((recordings, binary, packs));
    }
    let [(text_before, binary_before, packs_before), (text_after, binary_after, packs_after)] = &sides[..]
    else {
        unreachable!()
    };
    let run = |command: &str, before: &[PathBuf; 2], after: &[PathBuf; 2]| {
        let mut arguments: Vec<&Path> = vec![Path::new(command), Path::new("--before")];
        arguments.extend(before.iter().map(PathBuf::as_path));
        arguments.push(Path::new("--after"));
        arguments.extend(after.iter().map(PathBuf::as_path));
        for (recordings, side, option, binary) in [
            (before, text_before, "--binary-before", binary_before),
            (after, text_after, "--binary-after", binary_after),
        ] {
            if recordings == side {
                arguments.extend([Path::new(option), binary]);
            }
        }
        if command == "explain" {
            arguments.extend(["--function", "hash_key"].map(Path::new));
        }
        arguments.push(Path::new("--no-cache"));
        let mut result = json(&arguments);
        without_paths(&mut result);
        result
    };
    for command in ["compare", "classify", "explain"] {
        let expected = run(command, text_before, text_after);
        assert_eq!(run(command, packs_before, packs_after), expected, "{command}");
        assert_eq!(run(command, packs_before, text_after), expected, "{command}, mixed");
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let ([recording, _], binary) = orders("after");
    let packs = ["a", "b"].map(|name| directory.path().join(name));
    packs.iter().for_each(|to| pack(&recording, &binary, to, &[]));
    let [a, b] = packs.map(|path| std::fs::read(path).unwrap());
    assert!(a == b);
}

#[test]
fn inlines_takes_packs_with_a_full_census() {
    let directory = tempfile::tempdir().unwrap();
    let packs = ["before", "after"].map(|side| {
        let ([recording, _], binary) = orders(side);
        let to = directory.path().join(side);
        pack(&recording, &binary, &to, &["--full-census"]);
        to
    });
    let command = Path::new("inlines");
    let no_cache = Path::new("--no-cache");
    let mut from_packs = json(&[command, &packs[0], &packs[1], no_cache]);
    let mut from_binaries = json(&[command, &orders("before").1, &orders("after").1, no_cache]);
    [&mut from_packs, &mut from_binaries].into_iter().for_each(without_paths);
    assert_eq!(from_packs, from_binaries);
    // A pack of a pack holds as much.
    let again = packs.each_ref().map(|of| of.with_extension("again"));
    for (of, to) in packs.iter().zip(&again) {
        let output = pdiff(&[Path::new("pack"), of, Path::new("-qo"), to]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut from_packs = json(&[command, &again[0], &again[1], no_cache]);
    without_paths(&mut from_packs);
    assert_eq!(from_packs, from_binaries);
    let [before, after] = mysql();
    let error = refusal(&[command, &before, &after]);
    assert!(error.contains("--full-census"), "{error}");
}

#[test]
fn packs_without_a_census_are_told_how_to_get_one() {
    let directory = tempfile::tempdir().unwrap();
    let ([recording, _], binary) = orders("after");
    let without = directory.path().join("without.pdiff");
    pack(&recording, &binary, &without, &["--no-symbolize"]);
    let error = refusal(&[Path::new("inlines"), &without, &without]);
    assert!(error.contains("has no census") && error.contains("--full-census"), "{error}");
    let to = directory.path().join("full.pdiff");
    let [pack, full, no_symbolize, output, no_cache] =
        ["pack", "--full-census", "--no-symbolize", "--output", "--no-cache"].map(Path::new);
    let error = refusal(&[pack, &recording, full, no_symbolize, output, &to, no_cache]);
    assert!(error.contains("--binary"), "{error}");
    assert!(!to.exists());
}

#[test]
fn verdicts_and_reports_say_what_a_pack_without_a_census_lacks() {
    let directory = tempfile::tempdir().unwrap();
    let ([before, _], _) = orders("before");
    let ([after, _], _) = orders("after");
    let packs = [(before, "b.pdiff"), (after, "a.pdiff")].map(|(recording, name)| {
        let to = directory.path().join(name);
        // There is nothing under that directory.
        let [command, symfs, output] = ["pack", "--symfs", "--output"].map(Path::new);
        let output = pdiff(&[command, &recording, symfs, directory.path(), output, &to]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        to
    });
    for (command, format) in [("classify", "--format=json"), ("report", "--quiet")] {
        let output = pdiff(&[Path::new(command), &packs[0], &packs[1], Path::new(format)]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("the pack has no census"), "{command} says nothing of the census");
        assert!(!text.contains("no binary was found"), "{command} speaks of binaries");
    }
}

#[test]
fn damaged_packs_are_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let [before, after] = mysql();
    let whole = std::fs::read(&before).unwrap();
    let damaged = directory.path().join("damaged.pdiff");
    let refuse = |bytes: &[u8]| {
        std::fs::write(&damaged, bytes).unwrap();
        refusal(&[Path::new("classify"), &damaged, &after])
    };
    assert!(refuse(&whole[..whole.len() / 2]).contains("cut off"));
    for at in [9, 40, whole.len() / 3, whole.len() - 7] {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        refuse(&flipped);
    }
}
