//! The library's examples do what they say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;
use std::process::Command;

/// Runs an example, which cargo has built unless this test is run alone: its status and what it wrote.
fn example(name: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["run", "--quiet", "--locked", "--offline", "--example", name]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    let output = command.arg("--").args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn fixture(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path).display().to_string()
}

#[test]
fn two_profiles_are_compared() {
    let [before, after] =
        ["before", "after"].map(|side| fixture(&format!("two-versions/gcc/{side}/1.perf.zst")));
    let (status, rows, errors) = example("compare_two_profiles", &[&before, &after]);
    assert_eq!((status, errors.as_str()), (0, ""));
    assert!(rows.lines().any(|row| row.starts_with('+') && row.contains(" points  ")), "{rows}");
}

#[test]
fn two_builds_are_classified() {
    let path = |side: &str, file: &str| fixture(&format!("two-versions/gcc/{side}/{file}"));
    let arguments = [
        path("before", "1.perf.zst"),
        path("before", "server"),
        path("after", "1.perf.zst"),
        path("after", "server"),
    ];
    let (status, verdicts, errors) =
        example("classify_two_builds", &arguments.each_ref().map(String::as_str));
    assert_eq!((status, errors.as_str()), (0, ""));
    assert!(
        verdicts.lines().any(|verdict| verdict.starts_with("inline-regression (proved): ")),
        "{verdicts}"
    );
}

#[test]
fn addresses_are_symbolised_as_by_the_command() {
    let server = fixture("two-versions/gcc/after/server");
    let address = "2150";
    let (status, text, errors) = example("symbolize_addresses", &[&server, address]);
    assert_eq!((status, errors.as_str()), (0, ""));
    let command = pdiff_testing::pdiff().args(["symbolize", &server, address]).output().unwrap();
    let command = String::from_utf8(command.stdout).unwrap();
    let innermost = command.lines().next().unwrap();
    assert!(text.contains(&format!("  {innermost} at ")), "{text} {command}");
}

#[test]
fn a_gate_ends_a_job() {
    let [before, after] =
        ["before", "after"].map(|side| fixture(&format!("two-versions/gcc/{side}/1.perf.zst")));
    let (status, tripped, errors) = example("gate_ci_job", &[&before, &after, "delta_self_pp > 0.5"]);
    assert_eq!((status, errors.as_str()), (1, ""), "{tripped}");
    assert!(
        tripped.lines().count() > 0 && tripped.lines().all(|line| line.ends_with(": delta_self_pp > 0.5")),
        "{tripped}"
    );
    assert_eq!(example("gate_ci_job", &[&before, &before, "delta_self_pp > 0.5"]).0, 0);
    let (status, _, errors) = example("gate_ci_job", &[&before, &after, "delta_self > 0.5"]);
    assert_eq!(status, 2);
    assert!(errors.contains("hint: fields are "), "{errors}");
}
