//! `pdiff inlines` as a user meets it: two versions of a tiny program, of which every change is known.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inlines").join(name)
}

fn pdiff(arguments: &[&str]) -> Command {
    let mut command = pdiff_testing::pdiff();
    command.arg("inlines").args(arguments);
    command
}

fn run(before: &str, after: &str, more: &[&str]) -> Output {
    let (before, after) = (fixture(before), fixture(after));
    let mut command = pdiff(&[before.to_str().unwrap(), after.to_str().unwrap()]);
    if !more.iter().any(|word| word.starts_with("--cache-dir")) {
        command.arg("--no-cache");
    }
    command.args(more).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn report(before: &str, after: &str, more: &[&str]) -> Value {
    let more = [more, &["--format", "json"]].concat();
    serde_json::from_str(&stdout(&run(before, after, &more))).unwrap()
}

fn function<'v>(report: &'v Value, name: &str) -> &'v Value {
    let row = report["functions"].as_array().unwrap().iter().find(|row| row["name"] == name);
    row.unwrap_or_else(|| panic!("no row for {name} in {report}"))
}

/// Changes by function.
fn changes(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let rows = report["functions"].as_array().unwrap().iter();
    rows.map(|row| (text(&row["name"]), text(&row["change"]))).collect()
}

#[test]
fn every_forced_change_is_found() {
    let report = report("before.elf", "after.elf", &[]);
    let expected = [
        ("comes", "new"),
        ("goes", "gone"),
        ("grows", "grew"),
        ("half", "mixed"),
        ("leaf", "lost"),
        ("row_size", "lost"),
        ("shrinks", "shrank"),
        ("wrapper", "gained"),
    ];
    for (name, change) in expected {
        assert_eq!(function(&report, name)["change"], change, "{name}");
    }
}

#[test]
fn confirmed_callers_and_where_the_source_went_are_told() {
    let report = report("before.elf", "after.elf", &[]);
    let flip =
        |caller: &str, sites: u64| json!({"caller_before": caller, "caller_after": caller, "sites": sites});
    let leaf = function(&report, "leaf");
    assert_eq!(leaf["confirmed_lost"], json!([flip("takes_two", 2)]));
    assert_eq!(leaf["source"], "same-file");
    assert_eq!(leaf["before"]["inlined_into"], json!([{"caller": "takes_two", "sites": 2}]));
    assert_eq!((&leaf["before"]["out_of_line"], &leaf["after"]["out_of_line"]), (&json!(0), &json!(1)));
    let row_size = function(&report, "row_size");
    assert_eq!(row_size["confirmed_lost"], json!([flip("_start", 1), flip("row_sum", 2)]));
    assert_eq!(row_size["source"], "header-to-source");
    assert_eq!(function(&report, "wrapper")["confirmed_gained"], json!([flip("loses_half", 1)]));
    assert_eq!(function(&report, "half")["confirmed_lost"], json!([flip("loses_half", 1)]));
}

#[test]
fn swapped_sides_give_the_mirror_image() {
    let mirror = |change: &str| {
        match change {
            "new" => "gone",
            "gone" => "new",
            "lost" => "gained",
            "gained" => "lost",
            "grew" => "shrank",
            "shrank" => "grew",
            other => other,
        }
        .to_owned()
    };
    let forth = changes(&report("before.elf", "after.elf", &[]));
    let back = changes(&report("after.elf", "before.elf", &[]));
    // Code that grew by 10.5 % shrank by 9.5 %: the fixtures have none such.
    assert_eq!(back, forth.into_iter().map(|(name, change)| (name, mirror(&change))).collect::<Vec<_>>());
}

#[test]
fn a_build_against_itself_has_no_change() {
    let same = changes(&report("after.elf", "after.elf", &[]));
    assert!(!same.is_empty() && same.iter().all(|(_, change)| change == "same"), "{same:?}");
}

#[test]
fn filters_choose_rows_in_every_form() {
    let names = |more: &[&str]| -> Vec<String> {
        changes(&report("before.elf", "after.elf", more)).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&["--change", "lost"]), ["leaf", "row_size"]);
    assert_eq!(names(&["--change", "lost,new", "--function", "^(comes|leaf)$"]), ["comes", "leaf"]);
    let table = stdout(&run("before.elf", "after.elf", &["--change", "new"]));
    assert!(table.contains("comes") && !table.contains("takes_two"), "{table}");
}

#[test]
fn the_table_tells_compilers_flags_and_changes() {
    let table = stdout(&run("before.elf", "after.elf", &[]));
    for words in
        ["GNU C++17 12.2.0", "only after: -fno-ipa-icf", "header -> source", "takes_two x2", "same file"]
    {
        assert!(table.contains(words), "no '{words}' in\n{table}");
    }
    let markdown = stdout(&run("before.elf", "after.elf", &["--format", "markdown"]));
    assert!(markdown.contains("| `leaf` |"), "{markdown}");
}

#[test]
fn a_stripped_side_is_said_so_and_makes_nothing_new_or_lost() {
    let output = run("stripped.elf", "after.elf", &[]);
    assert!(stdout(&output).contains("before is stripped"));
    let hidden = changes(&report("stripped.elf", "after.elf", &[]));
    assert!(hidden.iter().all(|(_, change)| change == "not-visible"), "{hidden:?}");
}

#[test]
fn debug_information_is_looked_for_under_the_roots_given() {
    let directory = tempfile::tempdir().unwrap();
    let id = report("before.elf", "before.elf", &[])["before"]["build_id"].as_str().unwrap().to_owned();
    let place = directory.path().join(".build-id").join(&id[..2]);
    std::fs::create_dir_all(&place).unwrap();
    std::fs::copy(fixture("before.elf"), place.join(format!("{}.debug", &id[2..]))).unwrap();
    let root = directory.path().to_str().unwrap();
    let found = report("stripped.elf", "after.elf", &["--debug-root", root]);
    assert!(found["before"]["debug_path"].as_str().unwrap().starts_with(root));
    assert_eq!(changes(&found), changes(&report("before.elf", "after.elf", &[])));
}

#[test]
fn the_cache_changes_nothing_and_damage_to_it_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let cache = format!("--cache-dir={}", directory.path().display());
    let plain = report("before.elf", "after.elf", &[]);
    assert_eq!(plain, report("before.elf", "after.elf", &[&cache]));
    assert_eq!(plain, report("before.elf", "after.elf", &[&cache]));
    for entry in std::fs::read_dir(directory.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    let rebuilt = report("before.elf", "after.elf", &[&cache]);
    assert_eq!(rebuilt["functions"], plain["functions"]);
    assert_eq!(rebuilt["notes"][0]["kind"], "cache-rebuilt");
    assert_eq!(rebuilt["notes"][0]["count"], 2);
    assert_eq!(plain, report("before.elf", "after.elf", &[&cache]));
}

#[test]
fn wrong_words_and_files_are_one_clear_line() {
    let check = |output: Output, words: &[&str]| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(output.stdout.is_empty() && stderr.trim_end().lines().count() == 1, "{stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{words:?} in {stderr}");
    };
    check(run("before.elf", "after.elf", &["--change", "worse"]), &["--change", "'worse'", "lost"]);
    check(run("before.elf", "after.elf", &["--function", "("]), &["--function", "regular expression"]);
    check(run("before.elf", "README.md", &[]), &["after", "README.md", "ELF"]);
    check(run("nowhere.elf", "after.elf", &[]), &["before", "nowhere.elf"]);
    check(run("before.elf", "after.elf", &["--aliases", "/nowhere.toml"]), &["/nowhere.toml"]);
}

#[test]
fn a_closed_pipe_is_quiet_and_a_file_is_whole() {
    let (before, after) = (fixture("before.elf"), fixture("after.elf"));
    let mut child =
        pdiff(&[before.to_str().unwrap(), after.to_str().unwrap(), "--no-cache", "--format", "json"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(
        output.stderr.is_empty() && output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.json");
    let written = run("before.elf", "after.elf", &["--format", "json", "-o", path.to_str().unwrap()]);
    assert!(written.status.success() && written.stdout.is_empty());
    let written: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(written, report("before.elf", "after.elf", &[]));
}

#[test]
fn binaries_are_named_as_in_other_commands() {
    let by_place = report("before.elf", "after.elf", &[]);
    let [before, after] = ["before.elf", "after.elf"].map(|name| fixture(name).display().to_string());
    let output = pdiff(&["--binary-before", &before, "--binary-after", &after])
        .args(["--no-cache", "--format", "json"])
        .output()
        .unwrap();
    assert_eq!(serde_json::from_str::<Value>(&stdout(&output)).unwrap(), by_place);
    // A stripped file beside the file with the debug information of its build.
    for option in ["--binary", "--binary-before"] {
        let found = report("stripped.elf", "after.elf", &[option, &before]);
        assert_eq!(changes(&found), changes(&by_place), "{option}");
    }
    let output = pdiff(&[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// A program of the C++ library; the `-O1` build inlines less of it.
const OF_LIBRARY: &str = r#"
#include <algorithm>
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) int sum(const std::vector<int> &of) {
  int all = 0;
  for (int one : of) all += one;
  return all;
}
int main(int count, char **) {
  std::vector<int> numbers;
  std::vector<std::string> words;
  std::map<std::string, int> by_word;
  for (int at = 0; at < count * 40; at++) {
    numbers.push_back(at * 7 % 13);
    words.push_back(std::string(at, 'x'));
    by_word[words.back()] = at;
  }
  std::sort(numbers.begin(), numbers.end());
  std::sort(words.begin(), words.end());
  return sum(numbers) + static_cast<int>(by_word.size());
}
"#;

#[test]
fn the_page_is_the_same_whether_all_names_are_read_or_those_that_it_shows() {
    let directory = tempfile::tempdir().unwrap();
    let source = directory.path().join("program.cc");
    std::fs::write(&source, OF_LIBRARY).unwrap();
    let build = |level: &str| {
        let program = directory.path().join(level);
        let mut compiler = pdiff_testing::tool("g++")?;
        let output = compiler.args(["-g", level]).arg(&source).arg("-o").arg(&program).output().unwrap();
        let is_built = output.status.success();
        pdiff_testing::did("g++", "build a program of the C++ library", is_built).then_some(program)
    };
    let (Some(before), Some(after)) = (build("-O2"), build("-O1")) else { return };
    // A page of some functions reads few names; to search them by name takes all.
    let page = |more: &[&str]| {
        let mut command = pdiff(&[before.to_str().unwrap(), after.to_str().unwrap(), "--no-cache"]);
        stdout(&command.args(more).output().unwrap())
    };
    for top in ["1", "10", "4000"] {
        let some = page(&["--top", top]);
        assert_eq!(some, page(&["--top", top, "--function", "."]), "{top}");
        assert!(some.contains("std::"), "{top}: {some}");
    }
}
