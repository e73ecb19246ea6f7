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

/// A recording and the binary of both builds of `fixtures/two-versions`.
fn two_builds() -> [String; 4] {
    let path = |side: &str, file: &str| fixture(&format!("two-versions/gcc/{side}/{file}"));
    [
        path("before", "1.perf.zst"),
        path("before", "server"),
        path("after", "1.perf.zst"),
        path("after", "server"),
    ]
}

#[test]
fn two_profiles_are_compared() {
    let (status, rows, errors) =
        example("compare_two_profiles", &two_builds().each_ref().map(String::as_str));
    assert_eq!((status, errors.as_str()), (0, ""));
    assert_eq!(rows.lines().count(), 20, "{rows}");
    assert!(rows.lines().all(|row| row.contains(" points  ")), "{rows}");
    // Before's build inlines it everywhere: without its binary it would be new in After.
    assert!(rows.lines().any(|row| row.starts_with('-') && row.ends_with("  hash_key")), "{rows}");
}

#[test]
fn two_builds_are_classified() {
    let (status, verdicts, errors) =
        example("classify_two_builds", &two_builds().each_ref().map(String::as_str));
    assert_eq!((status, errors.as_str()), (0, ""));
    let has = |start: &str| verdicts.lines().any(|verdict| verdict.starts_with(start));
    assert!(has("inline-change (proved): hash_key: "), "{verdicts}");
    assert!(has("new-overhead (proved): check_policy: "), "{verdicts}");
    assert!(!has("noise"), "{verdicts}");
}

/// The lines of an example's code, without comments, attributes and blank lines.
fn code_lines(name: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("examples/{name}.rs"));
    let text = std::fs::read_to_string(path).unwrap();
    let is_code = |line: &&str| !line.trim().is_empty() && !line.starts_with("//") && !line.starts_with("#!");
    text.lines().filter(is_code).count()
}

#[test]
fn examples_are_short() {
    assert!(code_lines("compare_two_profiles") <= 12);
    assert!(code_lines("classify_two_builds") <= 15);
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
    let [before, old, after, new] = two_builds();
    let gate = "delta_self_pp > 0.5";
    let (status, tripped, errors) = example("gate_ci_job", &[&before, &old, &after, &new, gate]);
    assert_eq!((status, errors.as_str()), (1, ""), "{tripped}");
    assert!(tripped.lines().all(|line| line.ends_with(": delta_self_pp > 0.5")));
    assert_eq!(example("gate_ci_job", &[&before, &old, &before, &old, gate]).0, 0);
    let (status, _, errors) = example("gate_ci_job", &[&before, &old, &after, &new, "delta_self > 0.5"]);
    assert_eq!(status, 2);
    assert!(errors.contains("hint: fields are "), "{errors}");
}
