//! A disk that fails: every open, read, write and mapping of a small run fails once. Each run gives the same result, or one
//! clear line and exit status 2; nothing is left half-written.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// The calls of the C library that fail. Files are renamed without it, by a system call.
const CALLS: [&str; 4] = ["open", "read", "write", "mmap"];

/// What is run, in a directory with the recordings and the binaries; `out` is where the result goes.
const RUNS: [(&str, &str); 4] = [
    (
        "compare",
        "compare before.perf after.perf --binary-before before --binary-after after --cache-dir cache --format json -o out",
    ),
    (
        "cached",
        "classify before.perf after.perf --binary-before before --binary-after after --cache-dir cache --format json -o out",
    ),
    ("pack", "pack before.perf --binary before --no-cache -o out"),
    ("packs", "compare before.pdiff after.perf --no-symbolize --format csv -o out"),
];

fn shim() -> Option<PathBuf> {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("faults.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
    let mut gcc = pdiff_testing::tool("gcc")?;
    let built = gcc.args(["-O1", "-shared", "-fPIC", source, "-ldl", "-o"]).arg(&library).status().unwrap();
    assert!(built.success());
    Some(library)
}

struct Disk {
    directory: tempfile::TempDir,
    shim: PathBuf,
}

impl Disk {
    fn new(shim: PathBuf) -> Self {
        let disk = Self { directory: tempfile::tempdir().unwrap(), shim };
        fs::create_dir(disk.path("")).unwrap();
        for side in ["before", "after"] {
            let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only");
            let packed = fs::read(fixture.join(format!("{side}-r1.perf.zst"))).unwrap();
            let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
            let samples: Vec<&str> = text.split_inclusive("\n\n").take(60).collect();
            fs::write(disk.path(&format!("{side}.perf")), samples.concat()).unwrap();
            fs::copy(fixture.join(side).join("orders"), disk.path(side)).unwrap();
        }
        let packed = disk.run("pack before.perf --binary before --no-cache -o before.pdiff", "none", 0);
        assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join("run").join(name)
    }

    fn run(&self, words: &str, call: &str, at: usize) -> Output {
        // Whole paths, by which the shim knows the files of the run.
        let in_directory =
            |word: &str| match self.path(word).exists() || ["out", "cache", "before.pdiff"].contains(&word) {
                true if !word.starts_with("--") => self.path(word).display().to_string(),
                _ => word.to_owned(),
            };
        let mut words = words.split(' ');
        let command = words.next().unwrap();
        pdiff_testing::pdiff()
            .arg(command)
            .args(words.map(in_directory))
            .args(["--quiet", "--threads", "1"])
            .env("LD_PRELOAD", &self.shim)
            .env("FAULT_DIR", self.path(""))
            .env("FAULT_COUNT", self.directory.path().join("calls"))
            .env("FAULT_CALL", call)
            .env("FAULT_AT", at.to_string())
            .output()
            .unwrap()
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.directory.path().join("calls")).unwrap().parse().unwrap()
    }

    /// The files that are there, without those of the cache.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.path("")).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.path().is_file());
        files
            .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
            .collect()
    }

    fn fill_cache(&self, is_cached: bool) {
        let _ = fs::remove_dir_all(self.path("cache"));
        if is_cached {
            assert!(self.run(RUNS[1].1, "none", 0).status.success());
        }
        let _ = fs::remove_file(self.path("out"));
    }
}

#[test]
fn every_call_may_fail_once() {
    let Some(shim) = shim() else { return };
    let disk = Disk::new(shim);
    let mut failed = BTreeMap::new();
    for (name, words) in RUNS {
        disk.fill_cache(name == "cached");
        assert!(disk.run(words, "none", 0).status.success());
        let expected = fs::read(disk.path("out")).unwrap();
        for call in CALLS {
            disk.fill_cache(name == "cached");
            assert!(disk.run(words, call, 0).status.success());
            for at in 1..=disk.calls() {
                disk.fill_cache(name == "cached");
                fs::write(disk.path("out"), "the old result").unwrap();
                let before = disk.files();
                let output = disk.run(words, call, at);
                let errors = String::from_utf8_lossy(&output.stderr);
                let after = disk.files();
                let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
                assert_eq!(names(&before), names(&after), "{name}: {call} {at}: a file is left");
                match output.status.code() {
                    Some(0) => {
                        let is_warned = errors.contains("warning") || errors.contains("note");
                        assert!(
                            after["out"] == expected || is_warned || is_noted(&after["out"]),
                            "{name}: {call} {at}: {errors}"
                        );
                    }
                    Some(2) => {
                        assert_eq!(after["out"], b"the old result", "{name}: {call} {at}");
                        assert!(
                            errors.lines().last().is_some_and(|line| line.starts_with("pdiff: error: ")),
                            "{errors}"
                        );
                        *failed.entry(call).or_insert(0) += 1;
                    }
                    code => panic!("{name}: {call} {at}: {code:?} {errors}"),
                }
            }
        }
    }
    // Faults were met: each kind of call ended some run.
    for call in ["open", "read", "write"] {
        assert!(failed.contains_key(call), "{failed:?}");
    }
}

/// A result that says itself what was not read.
fn is_noted(result: &[u8]) -> bool {
    let text = String::from_utf8_lossy(result);
    ["could not be read", "unreadable", "file-not-found", "not found", "Input/output error"]
        .iter()
        .any(|note| text.contains(note))
}
