//! `pdiff symbolize`, given what perf prints: addresses and positions in the file.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};

const PROGRAM: &str = ".text\n.globl _start, f, g\n.type _start,@function\n.type f,@function\n.type g,@function\n\
    _start: .skip 0x100, 0x90\n.size _start, .-_start\nf: .skip 0x1700, 0x90\n.size f, .-f\ng: .skip 0x1800, 0x90\n.size g, .-g\n";

/// Code at 0x2000..0x5000 that stands at 0x1000..0x4000 of the file: most numbers are code either way.
fn shifted(directory: &Path) -> Option<PathBuf> {
    let (source, program) = (directory.join("p.s"), directory.join("server"));
    std::fs::write(&source, PROGRAM).unwrap();
    let built = pdiff_testing::tool("gcc")?
        .args([
            "-nostdlib",
            "-static",
            "-no-pie",
            "-Wl,-Ttext-segment=0x1000,-z,noseparate-code,--build-id=none",
        ])
        .args(["-Wl,-Ttext=0x2000", "-o"])
        .args([&program, &source])
        .status();
    assert!(built.unwrap().success());
    Some(program)
}

fn symbolize(program: &Path, words: &[&str]) -> (Option<i32>, String, String) {
    let output = pdiff_testing::pdiff().arg("symbolize").arg(program).args(words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_number_that_is_code_both_ways_is_not_guessed_at() {
    let directory = tempfile::tempdir().unwrap();
    let Some(program) = shifted(directory.path()) else { return };
    let functions = |words: &[&str]| -> Vec<String> {
        let (status, text, errors) = symbolize(&program, words);
        assert_eq!(status, Some(0), "{errors}");
        text.lines().filter(|line| !line.is_empty() && !line.contains(':')).map(str::to_owned).collect()
    };
    let (status, text, errors) = symbolize(&program, &["0x3000"]);
    assert_eq!((status, text.as_str()), (Some(2), ""));
    assert!(
        errors
            .starts_with("pdiff: error: 0x3000 is code as an address (f) and as a position in the file (g)"),
        "{errors}"
    );
    assert!(errors.contains("--as address or --as offset"), "{errors}");
    assert_eq!(functions(&["--as", "address", "0x3000"]), ["f"]);
    assert_eq!(functions(&["--as", "offset", "0x3000"]), ["g"]);
    assert_eq!(functions(&["(/usr/bin/server+0x3000)"]), ["g"]);
    // One number that can be one thing only tells what all of them are.
    assert_eq!(functions(&["0x3000", "0x4800"]), ["f", "g"]);
    assert_eq!(functions(&["0x3000", "0x1080"]), ["g", "_start"]);
    // Both are the same function.
    assert_eq!(functions(&["0x3900"]), ["g"]);
    let (status, _, errors) = symbolize(&program, &["0x4800", "0x1080"]);
    assert!(status == Some(2) && errors.contains("some numbers can only be addresses"), "{errors}");
}
