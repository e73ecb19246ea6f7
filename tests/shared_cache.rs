//! The cache of index files under several processes at once, and after damage.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use pdiff_analysis::Aliases;
use pdiff_analysis::matching::{MATCHING_VERSION, Match, match_functions};
use pdiff_profile::census::Census;
use pdiff_symbolize::{SymbolizeOptions, census_of};
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only").join(name)
}

fn pdiff(command: &str, cache: &Path) -> Command {
    let mut run = pdiff_testing::pdiff();
    run.arg(command).args(["before-r1.perf.zst", "after-r1.perf.zst"].map(fixture));
    run.arg("--binary-before").arg(fixture("before/orders"));
    run.arg("--binary-after").arg(fixture("after/orders"));
    run.args(["--format", "json", "--threads", "1", "--cache-dir"]).arg(cache);
    run
}

/// `pdiff classify`, which keeps both an address index and a census of each binary.
fn classify(cache: &Path) -> Command {
    pdiff("classify", cache)
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn verdicts(output: &Output) -> Value {
    report(output)["verdicts"].clone()
}

/// What `pdiff compare` remarks on damaged caches.
fn rebuilt(cache: &Path) -> Vec<Value> {
    let report = report(&pdiff("compare", cache).output().unwrap());
    let notes = report["notes"].as_array().cloned().unwrap_or_default();
    notes.into_iter().filter(|note| note["kind"] == "cache-rebuilt").collect()
}

/// What is left of a file's bytes.
type Damage<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

#[test]
fn processes_that_fill_one_empty_cache_at_once_all_get_it_right() {
    let alone = tempfile::tempdir().unwrap();
    let expected = verdicts(&classify(alone.path()).output().unwrap());
    for _ in 0..2 {
        let cache = tempfile::tempdir().unwrap();
        let children: Vec<_> = (0..6)
            .map(|_| classify(cache.path()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert_eq!(verdicts(&output), expected);
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        }
        let kept = files(cache.path());
        assert_eq!(kept.len(), 3, "one file an object and one for both, and nothing left over");
        assert_eq!(rebuilt(cache.path()), Vec::<Value>::new());
        let written = || kept.iter().map(|file| std::fs::metadata(file).unwrap().modified().unwrap());
        let before: Vec<_> = written().collect();
        assert_eq!(verdicts(&classify(cache.path()).output().unwrap()), expected);
        assert_eq!(written().collect::<Vec<_>>(), before, "nothing is made again");
    }
}

#[test]
fn a_damaged_cache_is_told_of_made_anew_and_changes_nothing() {
    let cache = tempfile::tempdir().unwrap();
    let expected = verdicts(&classify(cache.path()).output().unwrap());
    let kept: Vec<(PathBuf, Vec<u8>)> =
        files(cache.path()).into_iter().map(|path| (path.clone(), std::fs::read(&path).unwrap())).collect();
    assert_eq!(kept.len(), 3);
    let middle = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        let at = bytes.len() / 2;
        bytes[at] ^= 0x40;
        bytes
    };
    let damages: [Damage<'_>; 5] = [
        &|bytes| bytes[..bytes.len() / 2].to_vec(),
        &|bytes| bytes[..5].to_vec(),
        &|_| Vec::new(),
        &|bytes| bytes.iter().map(|byte| !byte).collect(),
        &middle,
    ];
    for (number, damage) in damages.iter().enumerate() {
        for (path, bytes) in &kept {
            std::fs::write(path, damage(bytes)).unwrap();
        }
        assert_eq!(verdicts(&classify(cache.path()).output().unwrap()), expected, "damage {number}");
        for (path, bytes) in &kept {
            std::fs::write(path, damage(bytes)).unwrap();
        }
        // A flipped bit may be in the part that a comparison does not read.
        let told = rebuilt(cache.path());
        assert!(number == 4 || !told.is_empty(), "damage {number} is not reported");
        if number < 4 {
            assert!(
                told[0]["example"].as_str().unwrap().contains(cache.path().to_str().unwrap()),
                "{told:?}"
            );
            assert_eq!(rebuilt(cache.path()), Vec::<Value>::new(), "damage {number} is reported twice");
        }
    }
}

/// Lines of what is matched between two builds: the level, and both names.
fn matched(before: &str, after: &str) -> Vec<String> {
    let census = |file: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(file);
        census_of(&path, &SymbolizeOptions::new()).unwrap().census
    };
    let (before, after) = (census(before), census(after));
    let name = |of: &Census, id| of.function(id).unwrap().name().to_owned();
    let matching = match_functions(&before, &after, &Aliases::default());
    let pairs = matching.matches().iter();
    let line =
        |of: &Match| format!("{:?} {} {}\n", of.level, name(&before, of.before), name(&after, of.after));
    pairs.map(line).collect()
}

#[test]
fn other_pairs_of_functions_have_another_version() {
    // The cache keeps pairs by version, so other rules with the same version would be answered with old pairs.
    let programs = [
        ("two-versions/gcc/before/server", "two-versions/gcc/after/server"),
        ("two-versions/gcc/before/server", "two-versions/clang/after/server"),
        ("inline-only/before/orders", "inline-only/after/orders"),
    ];
    let lines: Vec<String> =
        programs.into_iter().flat_map(|(before, after)| matched(before, after)).collect();
    // FNV-1a, which is the same in all releases of the standard library.
    let hash = lines.concat().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert!(lines.len() > 100, "{}", lines.len());
    assert_eq!(
        (MATCHING_VERSION, hash),
        (11, 0x8ce3_0b91_b4f9_ed37),
        "raise MATCHING_VERSION, and put both numbers here"
    );
}
