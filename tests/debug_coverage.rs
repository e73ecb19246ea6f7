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

/// The bytes of a section.
fn dump(program: &Path, section: &str, to: &Path) -> Option<Vec<u8>> {
    let mut objcopy = pdiff_testing::tool("objcopy")?;
    let what = format!("{section}={}", to.display());
    let done = objcopy.arg("--dump-section").arg(what).arg(program).arg("/dev/null").output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Some(fs::read(to).unwrap())
}

/// Where the symbols are in a 64-bit ELF file, by its section headers.
fn symbols(file: &[u8]) -> std::ops::Range<usize> {
    let number = |at: usize, len: usize| {
        let bytes = file[at..at + len].iter().rev();
        bytes.fold(0, |number, byte| number << 8 | usize::from(*byte))
    };
    let (table, entry, count) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let is_symbols = |header: &usize| number(header + 4, 4) == 2;
    let header = (0..count).map(|at| table + at * entry).find(is_symbols).unwrap();
    let start = number(header + 0x18, 8);
    start..start + number(header + 0x20, 8)
}

/// Puts other bytes in a section's place.
fn update(program: &Path, section: &str, bytes: &[u8]) {
    let from = program.with_extension("section");
    fs::write(&from, bytes).unwrap();
    let mut objcopy = pdiff_testing::tool("objcopy").unwrap();
    let what = format!("{section}={}", from.display());
    let done = objcopy.arg("--update-section").arg(what).arg(program).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn any_one_section_or_unit_that_is_damaged_gives_the_same_rows_or_is_told() {
    let Some(case) = Case::new(&["-gdwarf-5"]) else { return };
    let program = case.whole.join("program");
    let scratch = case.directory.path().join("section");
    let sections = [".debug_info", ".debug_abbrev", ".debug_line", ".debug_rnglists", ".debug_str"];
    for section in sections {
        let Some(bytes) = dump(&program, section, &scratch) else { return };
        let forms = [
            ("zeros", vec![0; bytes.len()]),
            ("ones", vec![0xff; bytes.len()]),
            ("half", bytes[..bytes.len() / 2].to_vec()),
        ];
        for (form, damaged) in forms {
            let what = format!("{section}: {form}");
            case.check(&what, |directory| update(&directory.join("program"), section, &damaged));
        }
    }
    for (form, byte) in [("zeros", 0), ("ones", 0xff)] {
        // objcopy does not take symbols as bytes.
        let overwrite = |directory: &Path| {
            let mut bytes = fs::read(directory.join("program")).unwrap();
            let symbols = symbols(&bytes);
            bytes[symbols].fill(byte);
            fs::write(directory.join("program"), bytes).unwrap();
        };
        case.check(&format!(".symtab: {form}"), overwrite);
    }
    let Some(info) = dump(&program, ".debug_info", &scratch) else { return };
    let mut at = 0;
    let mut units = 0;
    while let Some(length) = info.get(at..at + 4) {
        let length = u32::from_le_bytes(length.try_into().unwrap()) as usize;
        // Of version 5: length, version, kind, size of addresses, place of the abbreviations, then the root.
        for (what, place, value) in [
            ("length", at, 0xf0_u8),
            ("version", at + 4, 0xff),
            ("kind", at + 6, 0xff),
            ("size of addresses", at + 7, 0xff),
            ("abbreviations", at + 10, 0xff),
            ("root", at + 12, 0x7f),
        ] {
            let mut damaged = info.clone();
            damaged[place] = value;
            let what = format!("unit at {at}: {what}");
            case.check(&what, |directory| update(&directory.join("program"), ".debug_info", &damaged));
        }
        at += 4 + length;
        units += 1;
    }
    assert!(units >= UNITS.len(), "{units}");
}

/// The recording with the functions of a program unnamed.
fn without_names(text: &str, program: &str) -> String {
    let end = format!("/{program})");
    let line = |line: &str| match line.split_whitespace().next().filter(|_| line.ends_with(&end)) {
        Some(addr) => format!("\t{addr} [unknown] {}\n", line.rsplit(' ').next().unwrap()),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn a_binary_that_nothing_verifies_is_said_and_proves_nothing() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only");
    let directory = tempfile::tempdir().unwrap();
    let unnamed = |name: &str| {
        let packed = fs::read(fixture.join(format!("{name}.perf.zst"))).unwrap();
        let text = String::from_utf8(zstd::decode_all(&packed[..]).unwrap()).unwrap();
        let path = directory.path().join(format!("{name}.perf"));
        fs::write(&path, without_names(&text, "orders")).unwrap();
        path
    };
    let named = |name: &str| fixture.join(format!("{name}.perf.zst"));
    let classify = |before: PathBuf, after: PathBuf| -> (String, String) {
        let run = |format: &str| {
            let output = pdiff_testing::pdiff()
                .args(["classify", "--no-cache", "--quiet", "--format", format])
                .arg("--binary-before")
                .arg(fixture.join("before/orders"))
                .arg("--binary-after")
                .arg(fixture.join("after/orders"))
                .args([&before, &after])
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        };
        (run("table"), run("json"))
    };
    let (text, json) = classify(named("before-r1"), named("after-r1"));
    assert!(json.contains("\"proved\"") && !text.contains("identity"), "{text}");
    let (text, json) = classify(unnamed("before-r1"), unnamed("after-r1"));
    assert!(json.contains("identity not verified"), "{text}");
    let verdicts: Value = serde_json::from_str(&json).unwrap();
    for verdict in verdicts["verdicts"].as_array().unwrap().iter().filter(|of| of["object"] == "orders") {
        assert!(verdict["cause"] == "noise" || verdict["confidence"] != "proved", "{verdict}");
    }
}
