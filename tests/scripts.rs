//! The report's scripts without a browser: by node's own test runner, and by a type checker.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};

#[test]
fn the_report_s_tree_is_turned_and_joined_without_loss() {
    let Some(mut node) = pdiff_testing::tool("node") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = node.arg("--test").arg(root.join("tests/scripts/")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("# pass 8") || said.contains("pass 8"), "{said}");
}

#[test]
fn each_script_of_the_report_can_be_read_by_node() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pdiff-render/assets");
    for file in std::fs::read_dir(assets).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "js") {
            let Some(mut node) = pdiff_testing::tool("node") else { return };
            let output = node.arg("--check").arg(&file).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// The report's scripts are one: in this order they see each other's names.
const REPORT_SCRIPTS: [&str; 8] = [
    "report_table.js",
    "report_tree.js",
    "report_stacks.js",
    "report_flame.js",
    "report_code.js",
    "report_panel.js",
    "report_files.js",
    "report.js",
];

/// What the type checker says of several scripts that are one in the browser, with the file and line of each.
fn type_errors(tsc: std::process::Command, scripts: &[PathBuf]) -> Vec<String> {
    let mut tsc = tsc;
    let mut whole = String::new();
    let mut places = Vec::new();
    for script in scripts {
        let text = std::fs::read_to_string(script).unwrap();
        let name = script.file_name().unwrap().to_str().unwrap().to_owned();
        places.extend((1..=text.lines().count()).map(|line| format!("{name}:{line}")));
        whole.push_str(&text);
    }
    // As a module, so that its names are not those of the window.
    whole.push_str("export {};\n");
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("whole.js"), whole).unwrap();
    tsc.args(["--noEmit", "--allowJs", "--checkJs", "--strict", "--noUnusedLocals", "--noImplicitReturns"]);
    tsc.args(["--noFallthroughCasesInSwitch", "--pretty", "false"]);
    tsc.args(["--target", "es2022", "--lib", "es2022,dom,dom.iterable", "whole.js"]);
    let output = tsc.current_dir(directory.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let error = |line: &str| {
        let (number, rest) = line.strip_prefix("whole.js(")?.split_once(',')?;
        let place = places.get(number.parse::<usize>().ok()? - 1)?;
        Some(format!("{place}: {}", rest.split_once(": ")?.1))
    };
    let errors: Vec<String> = said
        .lines()
        .filter(|line| !line.starts_with(' '))
        .map(|line| error(line).unwrap_or(line.to_owned()))
        .collect();
    assert_eq!(
        output.status.success(),
        errors.is_empty(),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    errors
}

#[test]
fn the_types_of_the_report_s_scripts_fit_each_other() {
    let Some(tsc) = pdiff_testing::tool("tsc") else { return };
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/pdiff-render/assets");
    let errors = type_errors(tsc, &REPORT_SCRIPTS.map(|name| assets.join(name)));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn the_types_of_the_picture_s_script_fit_what_inferno_has() {
    let Some(tsc) = pdiff_testing::tool("tsc") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = ["tests/support/inferno_types.js", "crates/pdiff-render/assets/flame.js"];
    let errors = type_errors(tsc, &scripts.map(|name| root.join(name)));
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn the_type_checker_sees_mistakes_and_says_where_they_are() {
    let Some(tsc) = pdiff_testing::tool("tsc") else { return };
    let directory = tempfile::tempdir().unwrap();
    let one = directory.path().join("one.js");
    std::fs::write(&one, "/** @param {number} value */\nconst half = (value) => value / 2;\n").unwrap();
    let two = directory.path().join("two.js");
    std::fs::write(&two, "// A text is no number.\nexport const wrong = half(\"7\");\n").unwrap();
    let errors = type_errors(tsc, &[one, two]);
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].starts_with("two.js:2: error TS2345"), "{errors:?}");
}

#[test]
fn two_builds_are_recorded_in_turns() {
    let Some(mut perf) = pdiff_testing::tool("perf") else { return };
    let directory = tempfile::tempdir().unwrap();
    let probe = directory.path().join("probe.data");
    let output = perf.args(["record", "-e", "cpu-clock", "-o"]).arg(&probe).arg("true").output().unwrap();
    if !pdiff_testing::did("perf", "record cpu-clock", output.status.success()) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("share/record-pair.sh");
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new("sh");
        command.arg(&script).args(words).env("PERF_FLAGS", "-e cpu-clock -F 999 -g");
        command.current_dir(directory.path()).output().unwrap()
    };
    let turn = |side: &str| format!("echo {side} >>turns; i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done");
    let output = run(&["out", "2", &turn("before"), &turn("after")]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let turns = std::fs::read_to_string(directory.path().join("turns")).unwrap();
    assert_eq!(
        turns, "before\nafter\nbefore\nafter\nafter\nbefore\n",
        "one of each unrecorded, then in turns"
    );
    for name in ["before-1", "before-2", "after-1", "after-2"] {
        assert!(directory.path().join("out").join(format!("{name}.data")).is_file(), "{name}");
    }
    let failing = run(&["out", "1", "true", "test -e once && exit 7; touch once"]);
    assert_eq!(failing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&failing.stderr).contains("recording after-1 failed"));
    assert_eq!(run(&["out", "none", "true", "true"]).status.code(), Some(2));
}
