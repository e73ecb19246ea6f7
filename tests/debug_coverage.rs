//! Debug information that is missing or damaged on one side: the rows are those of whole debug information, or pdiff says what
//! is missing and decides no gate.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

const UNITS: [(&str, &str); 3] = [
    (
        "main.c",
        "int work(int); int other(int);\nint main(void) { int s = 0; for (int i = 0; i < 9; i++) s += work(i) + other(i); return s; }\n",
    ),
    (
        "work.c",
        "static inline __attribute__((always_inline)) int inner(int x) { int s = x; for (int i = 0; i < x; i++) s += i * s ^ 3; return s; }\n\
         __attribute__((noinline)) int work(int x) { return inner(x) * 2 + 1; }\n",
    ),
    (
        "other.c",
        "static inline __attribute__((always_inline)) int deep(int x) { int s = 1; for (int i = 1; i < x; i++) s *= i + s; return s; }\n\
         static inline __attribute__((always_inline)) int middle(int x) { return deep(x + 1) - 7; }\n\
         __attribute__((noinline)) int other(int x) { return middle(x) + middle(x + 3); }\n",
    ),
];

/// A program of three units in a directory, built with some flags; `None` where the compiler is missing.
fn build(directory: &Path, flags: &[&str]) -> Option<PathBuf> {
    for (name, text) in UNITS {
        fs::write(directory.join(name), text).unwrap();
    }
    let mut gcc = pdiff_testing::tool("gcc")?;
    let common = ["-O2", "-g", "-no-pie", "-fno-unroll-loops", "-Wl,--build-id=none"];
    gcc.current_dir(directory)
        .args(common)
        .args(flags)
        .args(UNITS.map(|unit| unit.0))
        .args(["-o", "program"]);
    let is_built = gcc.output().unwrap().status.success();
    pdiff_testing::did("gcc", &format!("build with {flags:?}"), is_built).then(|| directory.join("program"))
}

/// Samples all over the program's own functions, as perf prints them.
fn recording(program: &Path) -> Option<String> {
    let mut nm = pdiff_testing::tool("nm")?;
    let symbols = String::from_utf8(nm.arg("-S").arg(program).output().unwrap().stdout).unwrap();
    let mut text = String::new();
    let mut count = 0;
    for line in symbols.lines() {
        let [addr, size, _, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { continue };
        if !["main", "work", "other"].contains(&name) {
            continue;
        }
        let [addr, size] = [addr, size].map(|number| u64::from_str_radix(number, 16).unwrap());
        for offset in (0..size).step_by(2) {
            count += 1;
            text += &format!(
                "program 1 {count}.000000: 1 cycles:\n\t{:x} {name}+{offset:#x} (/x/program)\n\n",
                addr + offset
            );
        }
    }
    assert!(count > 30, "{symbols}");
    Some(text)
}

/// The rows, the exit status with a gate that any change trips, and what standard error says.
fn compare(
    recording: &Path,
    before: &Path,
    after: &Path,
) -> (BTreeMap<String, (String, String)>, i32, String) {
    let output = pdiff_testing::pdiff()
        .args(["compare", "--no-cache", "--format", "json", "--fail-on", "all:delta_self_pp != 0"])
        .arg("--binary-before")
        .arg(before)
        .arg("--binary-after")
        .arg(after)
        .args([recording, recording])
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{error}"));
    let rows = json["functions"].as_array().unwrap().iter().map(|row| {
        let side = |side: &str| row[side]["self_weight"].to_string();
        (row["name"].as_str().unwrap().to_owned(), (side("before"), side("after")))
    });
    (rows.collect(), output.status.code().unwrap(), error)
}

struct Case {
    directory: tempfile::TempDir,
    whole: PathBuf,
    recording: PathBuf,
}

impl Case {
    /// A program and samples of it; beside it a copy to be damaged, split files included.
    fn new(flags: &[&str]) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let whole = directory.path().join("whole");
        fs::create_dir(&whole).unwrap();
        let program = build(&whole, flags)?;
        let recording_path = directory.path().join("samples.txt");
        fs::write(&recording_path, recording(&program)?).unwrap();
        Some(Self { whole, recording: recording_path, directory })
    }

    /// A directory with copies of all files, in which `damage` is done; the same or a warning must come of it.
    fn check(&self, what: &str, damage: impl FnOnce(&Path)) -> bool {
        let damaged = self.directory.path().join("damaged");
        let _first = fs::remove_dir_all(&damaged);
        fs::create_dir(&damaged).unwrap();
        for entry in fs::read_dir(&self.whole).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), damaged.join(entry.file_name())).unwrap();
        }
        damage(&damaged);
        let whole = self.whole.join("program");
        let (rows, status, error) = compare(&self.recording, &whole, &damaged.join("program"));
        let is_even = rows.values().all(|(before, after)| before == after);
        let is_told = status == 3 && error.contains("inconclusive");
        assert!(is_even, "{what}: the same code differs: {rows:?} {error}");
        assert!(is_told || status == 0, "{what}: {status} {error}");
        is_told
    }
}

#[test]
fn a_split_file_that_is_missing_or_of_another_build_is_told() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        // The binary names its split files by where they were made, so the whole program is looked up beside itself.
        let Some(case) = Case::new(&["-gsplit-dwarf", version, "-fdebug-prefix-map=/=/nowhere/"]) else {
            return;
        };
        assert!(!case.check("nothing", |_| ()));
        let split: Vec<_> =
            fs::read_dir(&case.whole).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        let split: Vec<_> = split.iter().filter(|name| name.to_string_lossy().ends_with(".dwo")).collect();
        assert_eq!(split.len(), UNITS.len(), "{split:?}");
        for name in &split {
            assert!(case.check("a missing file", |damaged| fs::remove_file(damaged.join(name)).unwrap()));
        }
        let swap = |damaged: &Path| _ = fs::copy(damaged.join(split[0]), damaged.join(split[1])).unwrap();
        assert!(case.check("another build", swap));
    }
}

#[test]
fn a_section_that_is_missing_gives_the_same_rows_or_is_told() {
    let Some(case) = Case::new(&["-gdwarf-5"]) else { return };
    let sections = [
        ".debug_info",
        ".debug_abbrev",
        ".debug_str",
        ".debug_line",
        ".debug_line_str",
        ".debug_aranges",
        ".debug_rnglists",
        ".debug_loclists",
        ".symtab",
        ".strtab",
    ];
    for section in sections {
        let Some(mut objcopy) = pdiff_testing::tool("objcopy") else { return };
        case.check(section, |damaged| {
            _ = objcopy.args(["--remove-section", section]).arg(damaged.join("program")).status().unwrap();
        });
    }
}
