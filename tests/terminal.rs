//! Texts of others in every output: no control sequence reaches a terminal, no name becomes markup.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Clears a screen, sets a title, goes back, turns the direction of text around, and is a picture's script.
const EVIL: &str = "\u{1b}[2J\u{1b}]0;t\u{7}\u{8}\u{9b}31m\u{202e}<script>&'\"`|x";

fn pdiff(directory: &Path, arguments: &[&str]) -> Output {
    pdiff_testing::pdiff()
        .args(arguments)
        .current_dir(directory)
        .env("XDG_CACHE_HOME", directory.join("cache"))
        .output()
        .unwrap()
}

/// Bytes that a terminal would obey, with what is around the first of them.
fn obeyed(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_control = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
    let at = text.find(is_control)?;
    let around: String = text[at..].chars().take(40).collect();
    Some(around)
}

struct Evil(tempfile::TempDir);

impl Evil {
    fn new() -> Self {
        let evil = Self(tempfile::tempdir().unwrap());
        for (side, weight) in [("a", 40), ("b", 900)] {
            evil.put(&format!("{side}{}.perf", evil_name()), &recording(EVIL, weight));
            evil.put(&format!("{side}.perf"), &recording("", weight));
            evil.put(&format!("{side}.folded"), &format!("main{EVIL};f{EVIL} {weight}\nmain{EVIL} 1000\n"));
            evil.put(
                &format!("{side}.tsv"),
                &format!("sort_buffer_size\t{weight}{EVIL}\nx{EVIL}\t{weight}\n"),
            );
        }
        evil
    }

    fn put(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }
}

/// A recording in which all names, but that of `main`, end in `mark`.
fn recording(mark: &str, weight: u32) -> String {
    let mut text = String::new();
    for sample in 0..1500 {
        let time = format!("{}.{:06}", sample / 50 + 1, sample % 50 * 20_000);
        let symbol = if sample % 1000 < weight { format!("f{mark}") } else { "main".to_owned() };
        text += &format!("c{mark} 7/7 [000] {time}: 1000 e{mark}: \n");
        text += &format!("\t1139 {symbol}+0x9 (/bin/d{mark})\n\t1200 g{mark}+0x2 (/bin/d{mark})\n\n");
        if sample % 100 == 0 {
            text += &format!("odd {mark}\n");
        }
    }
    text
}

/// What of it a file name can hold.
fn evil_name() -> String {
    EVIL.replace('/', "")
}

#[test]
fn no_control_sequence_reaches_a_terminal_from_any_command() {
    let evil = Evil::new();
    let recordings = [format!("a{}.perf", evil_name()), format!("b{}.perf", evil_name())];
    let [a, b] = recordings.each_ref().map(String::as_str);
    let label = format!("l{EVIL}");
    let shown = std::cell::Cell::new(0);
    let check = |arguments: &[&str]| {
        let output = pdiff(evil.0.path(), arguments);
        assert_eq!(obeyed(&output.stdout), None, "{arguments:?}");
        assert_eq!(obeyed(&output.stderr), None, "{arguments:?}");
        shown.set(shown.get() + usize::from(String::from_utf8_lossy(&output.stdout).contains("\\x1b[2J")));
        output
    };
    let quiet = ["--no-symbolize", "--label-before", &label];
    for by in ["function", "object", "comm", "thread-group", "subsystem", "file"] {
        for format in ["table", "markdown"] {
            let output = check(&[&["compare", a, b, "--by", by, "--format", format][..], &quiet].concat());
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
    for format in ["table", "markdown"] {
        check(&[&["classify", a, b, "--format", format][..], &quiet].concat());
    }
    for format in ["text", "markdown"] {
        let output = check(&[&["explain", a, b, "--function", "f", "--format", format][..], &quiet].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    check(&["settings", "a.tsv", "b.tsv"]);
    check(&["explain", a, b, "--function", "nowhere\u{1b}[2J"]);
    check(&["compare", "a.folded", "b.folded"]);
    assert!(shown.get() >= 8, "only {} outputs show the texts at all", shown.get());
    // Errors and warnings.
    let path = format!("{EVIL}.perf");
    let odd = evil.put(&format!("odd{}.perf", evil_name()), &format!("odd {EVIL}\n"));
    let failing: Vec<Vec<&str>> = vec![
        vec!["compare", &path, b],
        vec!["compare", odd.to_str().unwrap(), b],
        vec!["compare", a, b, EVIL],
        vec!["compare", a, b, "--event", EVIL],
        vec!["compare", a, b, "--comm", "^nobody$"],
        vec!["compare", a, b, "--comm", "\u{1b}("],
        vec!["compare", a, b, "--fail-on", EVIL],
        vec!["compare", a, b, "--fail-on", "all:delta_self_pp > -1000"],
        vec!["compare", a, b, "--format", EVIL],
        vec!["compare", a, b, "-o", &path, "--binary-before", EVIL],
        vec!["compare", a, b, "--aliases", a],
        vec!["compare", a, b, "--windows", a],
        vec!["settings", a, b],
        vec!["attribute", a],
        vec!["series", a],
        vec!["inlines", a, b],
        vec!["symbolize", a, "0x1"],
        vec!["pack", &path, "-o", &path],
        vec![EVIL],
    ];
    for arguments in failing {
        let output = check(&arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(error.starts_with("pdiff: "), "{arguments:?}: {error}");
    }
}

#[test]
fn names_from_a_binary_are_shown_and_not_obeyed() {
    // Every name of functions and files begins with what a terminal would obey.
    let directory = tempfile::tempdir().unwrap();
    let fixture = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inlines").join(name);
    for side in ["before.elf", "after.elf"] {
        let mut bytes = fs::read(fixture(side)).unwrap();
        let starts: [&[u8]; 6] = [b"_Z", b"row", b"goes", b"grows", b"leaf", b"wrapper"];
        let at = |window: &[u8]| window[0] == 0 && starts.iter().any(|start| window[1..].starts_with(start));
        let found: Vec<usize> = (0..bytes.len() - 9).filter(|from| at(&bytes[*from..from + 9])).collect();
        assert!(found.len() > 5);
        found.iter().for_each(|from| bytes[from + 1..from + 3].copy_from_slice(b"\x1b["));
        fs::write(directory.path().join(side), bytes).unwrap();
    }
    let addresses: Vec<String> = (0..400).map(|step| format!("{:#x}", 0x40_0100 + step)).collect();
    let mut symbolize = vec!["symbolize", "before.elf"];
    symbolize.extend(addresses.iter().map(String::as_str));
    for arguments in [
        &["inlines", "before.elf", "after.elf"][..],
        &["inlines", "before.elf", "after.elf", "--format", "markdown"],
        &symbolize,
    ] {
        let output = pdiff(directory.path(), arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(obeyed(&output.stdout), None, "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("x1b"), "{arguments:?}");
    }
}

#[test]
fn a_picture_holds_names_as_text() {
    let evil = Evil::new();
    let picture = |recordings: [String; 2]| {
        let [a, b] = recordings.each_ref().map(String::as_str);
        let output = pdiff(evil.0.path(), &["flame", a, b, "--no-symbolize"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let svg = picture(["a", "b"].map(|side| format!("{side}{}.perf", evil_name())));
    let harmless = picture(["a", "b"].map(|side| format!("{side}.perf")));
    let [document, harmless] = [&svg, &harmless].map(|svg| {
        let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
        roxmltree::Document::parse_with_options(svg, options).unwrap()
    });
    assert_eq!(scripts(&document), scripts(&harmless), "the picture's own scripts and no other");
    let shows = |node: roxmltree::Node<'_, '_>| node.text().is_some_and(|text| text.contains("<script>&'"));
    assert!(document.descendants().any(shows));
    assert_eq!(obeyed(svg.as_bytes()).filter(|around| !around.starts_with('\t')), None);
}

/// The text of each script.
fn scripts(picture: &roxmltree::Document<'_>) -> Vec<String> {
    let is_script = |node: &roxmltree::Node<'_, '_>| node.is_element() && node.tag_name().name() == "script";
    let text = |node: roxmltree::Node<'_, '_>| node.text().unwrap_or_default().to_owned();
    picture.descendants().filter(is_script).map(text).collect()
}
