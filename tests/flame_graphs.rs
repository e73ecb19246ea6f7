//! Flame graphs as recordings, from the outside: a picture gives the rows of what it was drawn from.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use inferno::flamegraph::{self, Options};
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn pdiff() -> Command {
    let mut command = pdiff_testing::pdiff();
    command.env("XDG_CACHE_HOME", "/nonexistent");
    command
}

fn read(output: Output) -> Vec<u8> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn comparison(before: &Path, after: &Path) -> Value {
    let command = ["compare", "--no-symbolize", "--format", "json"];
    let output = pdiff().args(command).args([before, after]).output().unwrap();
    let mut comparison: Value = serde_json::from_slice(&read(output)).unwrap();
    for side in ["before", "after"] {
        comparison[side]["runs"][0]["path"].take();
    }
    comparison
}

/// Both recordings of `fixtures/inline-only` as folded stacks.
fn folded() -> [String; 2] {
    ["before", "after"].map(|side| {
        let recording = fixture(&format!("inline-only/{side}-r1.perf.zst"));
        let command = ["flame", "--no-symbolize", "--quiet", "--format", "folded"];
        String::from_utf8(read(pdiff().args(command).arg(recording).output().unwrap())).unwrap()
    })
}

fn drawn(folded: &str, least: f64) -> Vec<u8> {
    let mut options = Options::default();
    options.min_width = least;
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, folded.lines(), &mut svg).unwrap();
    svg
}

fn written(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_picture_gives_the_table_of_its_folded_stacks() {
    let directory = tempfile::tempdir().unwrap();
    let folded = folded();
    let files = [0, 1]
        .map(|at| written(directory.path(), ["before.folded", "after.folded"][at], folded[at].as_bytes()));
    let pictures = [0, 1].map(|at| drawn(&folded[at], 0.0));
    let expected = comparison(&files[0], &files[1]);
    assert!(expected["functions"].as_array().unwrap().len() > 20);

    let plain = [0, 1].map(|at| written(directory.path(), ["before.svg", "after.svg"][at], &pictures[at]));
    assert_eq!(
        comparison(&plain[0], &plain[1]),
        expected,
        "the comparison as a whole, notes and labels included"
    );
    let packed = [0, 1].map(|at| {
        let zst = zstd::encode_all(&pictures[at][..], 3).unwrap();
        written(directory.path(), ["before.svg.zst", "after.svg.zst"][at], &zst)
    });
    assert_eq!(comparison(&packed[0], &packed[1]), expected);

    let mut child = pdiff()
        .args(["compare", "--no-symbolize", "--format", "json", "-"])
        .arg(&plain[1])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&pictures[0]).unwrap();
    let of_stdin: Value = serde_json::from_slice(&read(child.wait_with_output().unwrap())).unwrap();
    assert_eq!(of_stdin["functions"], expected["functions"]);
}

#[test]
fn pictures_and_folded_stacks_have_the_samples_of_their_recording() {
    let directory = tempfile::tempdir().unwrap();
    let [of_before, of_after] = ["before", "after"].map(|side| {
        let recording = fixture(&format!("inline-only/{side}-r1.perf.zst"));
        let with_format = |name: &str, format: &str| {
            let path = directory.path().join(format!("{side}{name}"));
            let command = ["flame", "--no-symbolize", "--quiet", "--format", format];
            read(pdiff().args(command).arg(&recording).arg("-o").arg(&path).output().unwrap());
            path
        };
        // A name with .gz asks for a packed picture.
        let drawn =
            [with_format(".svg", "svg"), with_format(".svg.gz", "svg"), with_format(".folded", "folded")];
        (recording, drawn)
    });
    let of_sides = |comparison: &Value| {
        ["before", "after"].map(|side| {
            let run = &comparison[side]["runs"][0];
            (run["samples"].clone(), run["weight"].clone(), run["event"].clone())
        })
    };
    let expected = of_sides(&comparison(&of_before.0, &of_after.0));
    for at in 0..3 {
        let mut read = of_sides(&comparison(&of_before.1[at], &of_after.1[at]));
        if at == 2 {
            read.iter_mut().for_each(|of| of.2 = expected[0].2.clone());
        }
        assert_eq!(read, expected, "{:?}", of_before.1[at]);
        assert_ne!(read[0].0, read[0].1, "the weight is nanoseconds");
    }
    assert!(std::fs::read(&of_before.1[1]).unwrap().starts_with(&[0x1f, 0x8b]));
    // So are tables, which are written piece by piece, and what cannot be packed twice.
    for (command, name, magic) in [
        (&["compare", "--format", "json"][..], "x.json.zst", &[0x28, 0xb5, 0x2f, 0xfd][..]),
        (&["classify"], "x.txt.gz", &[0x1f, 0x8b, 8]),
        (&["flame", "--format", "pprof"], "x.pb.gz", &[0x1f, 0x8b, 8]),
    ] {
        let path = directory.path().join(name);
        let sides = [&of_before.0, &of_after.0];
        read(
            pdiff()
                .args(command)
                .args(sides)
                .args(["-q", "--no-symbolize", "-o"])
                .arg(&path)
                .output()
                .unwrap(),
        );
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.starts_with(magic), "{name}");
        let unpacked = match magic {
            [0x28, ..] => zstd::decode_all(&bytes[..]).unwrap(),
            _ => {
                let mut unpacked = Vec::new();
                std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&bytes[..]), &mut unpacked)
                    .unwrap();
                unpacked
            }
        };
        assert!(!unpacked.starts_with(&[0x1f, 0x8b]) && unpacked.len() > 100, "{name}");
    }
}

/// The weights of a side by function: its own, and with what it calls.
fn rows(comparison: &Value) -> BTreeMap<(String, String), (u64, u64)> {
    let of_row = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let weight = |key: &str| row["before"][key].as_u64().unwrap();
        ((text("name"), text("object")), (weight("self_weight"), weight("total_weight")))
    };
    comparison["functions"].as_array().unwrap().iter().map(of_row).collect()
}

#[test]
fn what_a_picture_leaves_out_is_stated_and_in_a_row_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let [folded, _] = folded();
    let file = written(directory.path(), "a.folded", folded.as_bytes());
    let picture = written(directory.path(), "a.svg", &drawn(&folded, 1.0));
    let (expected, found) = (comparison(&file, &file), comparison(&picture, &picture));
    let note =
        found["notes"].as_array().unwrap().iter().find(|note| note["kind"] == "narrow-frames").unwrap();
    let (expected, mut found) = (rows(&expected), rows(&found));
    let own = |rows: &BTreeMap<_, (u64, u64)>| -> u64 { rows.values().map(|(own, _)| own).sum() };
    assert_eq!(own(&found), own(&expected), "the total is kept");
    let (lost, _) = found.remove(&("[unresolved]".into(), "[pruned]".into())).unwrap();
    assert!(lost > 0);
    assert_eq!(note["weight"].as_u64(), Some(2 * lost), "the note counts both sides");
    for (function, (_, total)) in &found {
        assert!(*total <= expected[function].1, "{function:?} has what is drawn of it");
    }
}

#[test]
fn a_picture_of_pdiff_gives_the_rows_of_its_recording() {
    let directory = tempfile::tempdir().unwrap();
    let recording = fixture("inline-only/before-r1.perf.zst");
    let picture = directory.path().join("own.svg");
    let command = ["flame", "--no-symbolize", "--quiet", "--min-width"];
    let draw = |least: &str| {
        read(pdiff().args(command).args([least, "-o"]).args([&picture, &recording]).output().unwrap());
        rows(&comparison(&picture, &picture))
    };
    let expected = rows(&comparison(&recording, &recording));
    assert_eq!(draw("0"), expected);
    let narrow = draw("5");
    assert!(narrow[&("[unresolved]".into(), "[pruned]".into())].0 > 0);
    let own = |rows: &BTreeMap<_, (u64, u64)>| -> u64 { rows.values().map(|(own, _)| own).sum() };
    assert_eq!(own(&narrow), own(&expected));
}

#[test]
fn a_difference_and_a_damaged_picture_are_refused_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let sides = ["before", "after"].map(|side| fixture(&format!("inline-only/{side}-r1.perf.zst")));
    let difference = directory.path().join("difference.svg");
    let command = ["flame", "--diff", "--no-symbolize", "--quiet", "-o"];
    read(pdiff().args(command).arg(&difference).args(&sides).output().unwrap());
    let whole = drawn("main;work 3\n", 0.0);
    let cut = written(directory.path(), "cut.svg", &whole[..whole.len() / 2]);
    for (picture, what) in [(&difference, "shows the difference of two profiles"), (&cut, "is damaged")] {
        let output = pdiff().arg("compare").args([picture, picture]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.contains(what) && error.contains("hint:") && error.lines().count() == 1, "{error}");
    }
}
