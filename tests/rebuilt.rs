//! Programs built where compilers are: the sources of `fixtures/two-versions`, and lambdas.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions").join(name)
}

/// What the sources make of a compiler's builds with debug information of a level (`-g`, `-g1`), by `pdiff inlines`.
fn rebuilt(compiler: &str, level: &str) {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("two-versions-{compiler}{level}"));
    std::fs::create_dir_all(&directory).unwrap();
    let built = ["before", "after"].map(|side| {
        let output = directory.join(side);
        let mut sources: Vec<PathBuf> =
            std::fs::read_dir(fixture(side)).unwrap().map(|entry| entry.unwrap().path()).collect();
        sources.retain(|path| path.extension().is_some_and(|kind| kind == "cc"));
        sources.sort();
        let mut command = pdiff_testing::tool(compiler)?;
        command.args(["-O2", level, "-fno-omit-frame-pointer", "-o"]).arg(&output).args(sources);
        assert!(command.status().unwrap().success(), "{compiler} {side}");
        Some(output)
    });
    let [Some(before), Some(after)] = built else { return };
    let output = pdiff_testing::pdiff()
        .args(["inlines", "--no-cache", "--format", "json"])
        .args([before, after])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let functions = json["functions"].as_array().unwrap();
    let row = |name: &str| functions.iter().find(|row| row["name"] == name).unwrap();
    let callers = |name: &str, flips: &str| -> Vec<String> {
        let flips = row(name)[flips].as_array().unwrap();
        let mut callers: Vec<String> =
            flips.iter().map(|flip| flip["caller_after"].as_str().unwrap().to_owned()).collect();
        callers.sort();
        callers
    };
    assert_eq!(row("hash_key")["change"], "lost", "{compiler} {level}");
    assert_eq!(callers("hash_key", "confirmed_lost"), ["lookup_index", "update_index"], "{compiler} {level}");
    assert_eq!(callers("field_length", "confirmed_lost"), ["read_record"], "{compiler} {level}");
    assert_eq!(callers("pack_row", "confirmed_gained"), ["write_row"], "{compiler} {level}");
    assert_eq!(row("check_policy")["change"], "new", "{compiler} {level}");
    assert_eq!(row("probe_cache")["change"], "gone", "{compiler} {level}");
    for name in ["search_rows_by_key", "txn::finish_transaction<unsigned long>", "find_slot", "fill_slot"] {
        assert!(
            row(name)["before"].is_object() && row(name)["after"].is_object(),
            "{compiler} {level} {name}"
        );
    }
}

#[test]
fn rebuilt_with_gcc_the_sources_show_the_same_changes() {
    rebuilt("g++", "-g");
    rebuilt("g++", "-g1");
}

#[test]
fn rebuilt_with_clang_the_sources_show_the_same_changes() {
    rebuilt("clang++", "-g");
    rebuilt("clang++", "-g1");
}

/// Lambdas that stand inlined: two in a static function, one in the function that a `std::function` calls.
const LAMBDAS: &str = "#include <functional>\n\
    namespace ns { static int helper(int v) {\n\
      auto first = [=](int x) { for (int i = 0; i < v; i++) x ^= x << 3; return x; };\n\
      auto second = [=](int x) { for (int i = 0; i < v; i++) x += x >> 3; return x; };\n\
      return first(v) + second(v); } }\n\
    __attribute__((noinline)) int apply(const std::function<int(int)> &f, int x) { return f(x); }\n\
    int main(int count, char **) {\n\
      return ns::helper(count) +\n\
        apply([count](int x) { for (int i = 0; i < count; i++) x ^= x << 3; return x; }, count);\n\
    }\n";

/// The names of lambdas that frames of the program and the census of its build show; `None` without the compiler.
fn lambdas(compiler: &str, level: &str) -> Option<[BTreeSet<String>; 2]> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) =
        (directory.join(format!("lambdas{level}.cc")), directory.join(format!("lambdas-{compiler}{level}")));
    std::fs::write(&source, LAMBDAS).unwrap();
    let mut compiler = pdiff_testing::tool(compiler)?;
    let built = compiler.args(["-O2", level, "-o"]).arg(&program).arg(&source).status();
    assert!(built.unwrap().success());
    let pdiff = |arguments: &[&str]| {
        let mut command = pdiff_testing::pdiff();
        command.args(arguments);
        command
    };
    let program = program.to_str().unwrap();
    let census = pdiff(&["inlines", "--no-cache", "--format", "json", program, program]).output().unwrap();
    let census: Value = serde_json::from_slice(&census.stdout).unwrap();
    let is_lambda = |name: &&str| name.ends_with("operator()") && !name.starts_with("std::");
    let rows = census["functions"].as_array().unwrap().iter();
    let of_census =
        rows.filter_map(|row| row["name"].as_str()).filter(is_lambda).map(str::to_owned).collect();
    // The code of so small a program lies in its second page.
    let addresses = (0x1000..0x2000).map(|address| format!("{address:#x}"));
    let mut command = pdiff(&["symbolize", "--format", "json", program]);
    let lines = String::from_utf8(command.args(addresses).output().unwrap().stdout).unwrap();
    let mut of_frames = BTreeSet::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let names = line["frames"].as_array().unwrap().iter().filter_map(|frame| frame["function"].as_str());
        of_frames.extend(names.filter(is_lambda).map(str::to_owned));
    }
    Some([of_frames, of_census])
}

#[test]
fn lambdas_are_named_after_the_function_they_stand_in() {
    let Some([frames, census]) = lambdas("g++", "-g") else { return };
    for name in ["ns::helper::{lambda#1}::operator()", "ns::helper::{lambda#2}::operator()"] {
        assert!(frames.contains(name) && census.contains(name), "{frames:?} {census:?}");
    }
    assert!(frames.iter().any(|name| name.starts_with("main::{lambda#")), "{frames:?}");
    assert!(frames.is_subset(&census), "{frames:?} {census:?}");
}

#[test]
fn lambdas_without_any_scope_are_told_apart_by_unit_and_named_alike_by_frames_and_census() {
    for compiler in ["g++", "clang++"] {
        let Some([frames, census]) = lambdas(compiler, "-g1") else { continue };
        assert!(frames.contains("{unnamed in lambdas-g1}::operator()"), "{compiler} {frames:?}");
        assert!(frames.is_subset(&census), "{compiler} {frames:?} {census:?}");
    }
}
