//! `--remarks-before` and `--remarks-after`: why a call is no longer inlined, in the compiler's words.
//!
//! `fixtures/inline-only` and `fixtures/two-versions` are built here by each compiler that is there, with its report on inlining.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Builds one side; the report is beside the program.
fn build(compiler: &str, side: &str, directory: &Path) -> Option<[PathBuf; 2]> {
    let [program, report] = ["", ".txt"].map(|end| directory.join(format!("{side}{end}")));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only/orders.cc");
    let mut command = pdiff_testing::tool(compiler)?;
    command.args(["-O2", "-g", "-w", "-nostdlib", "-static", "-fno-exceptions", "-fno-stack-protector"]);
    if compiler == "g++" {
        command.arg(format!("-fopt-info-inline-optimized-missed={}", report.display()));
    } else {
        command.arg("-fsave-optimization-record");
        command.arg(format!("-foptimization-record-file={}", report.display()));
    }
    command.args((side == "after").then_some("-DAFTER")).arg("-DOPERATIONS=1000");
    assert!(command.arg("-o").args([&program, &source]).status().unwrap().success(), "{compiler} {side}");
    Some([program, report])
}

/// Callee, caller and the words of each reason, by name.
fn reasons(compiler: &str) -> Option<Vec<[String; 3]>> {
    let directory = tempfile::tempdir().unwrap();
    let [before, _] = build(compiler, "before", directory.path())?;
    let [after, report] = build(compiler, "after", directory.path())?;
    let mut command = pdiff_testing::pdiff();
    command.args(["inlines", "--no-cache", "--format", "json"]).args([before, after]);
    let output = command.arg("--remarks-after").arg(report).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut all = Vec::new();
    for function in json["functions"].as_array().unwrap() {
        for flip in function["confirmed_lost"].as_array().unwrap() {
            let reasons = flip["reasons"].as_array();
            assert_eq!(reasons.map(Vec::len), Some(1), "{compiler}: {flip}");
            for reason in reasons.unwrap() {
                assert!(text(&reason["places"][0]["file"]).ends_with("orders.cc"), "{reason}");
                all.push([text(&function["name"]), text(&flip["caller_after"]), text(&reason["words"])]);
            }
        }
    }
    all.sort();
    Some(all)
}

fn expected(grew: &str, forbidden: &str) -> Vec<[String; 3]> {
    let calls = [
        ["compare_key", "scan_leaf", grew],
        ["compare_key", "scan_page", grew],
        ["hash_key", "lookup_row", forbidden],
        ["hash_key", "update_row", forbidden],
    ];
    calls.map(|call| call.map(str::to_owned)).to_vec()
}

#[test]
fn gcc_says_why_each_lost_call_is_no_longer_inlined() {
    let Some(said) = reasons("g++") else { return };
    assert_eq!(said, expected("--param max-inline-insns-single limit reached", "function not inlinable"));
}

#[test]
fn clang_says_why_each_lost_call_is_no_longer_inlined() {
    let Some(said) = reasons("clang++") else { return };
    // The cost is that of one release of the compiler.
    let is_right = |call: &[String; 3]| match call[0].as_str() {
        "compare_key" => call[2].starts_with("because too costly to inline (cost="),
        _ => call[2] == "because it should never be inlined (cost=never): noinline function attribute",
    };
    assert_eq!(said.len(), 4, "{said:?}");
    assert!(said.iter().all(is_right), "{said:?}");
}

/// A function that is too large to be inlined once it has its loop. It is passed by reference, so GCC makes a clone of it first
/// and gives its final reason for that (`weight.isra`), without the scope that would tell it from another `weight`.
const CLONED: &str = "
struct Row { int a, b, c, d; };
#ifdef AFTER
#define MORE for (int i = 0; i < r.d; i++) { s = s * 31 + i * r.a; if (s & 4) s ^= r.b << 2; else s += r.c * 3; \\
    switch (s & 7) { case 0: s += r.a; break; case 1: s ^= r.b; break; case 2: s -= r.c; break; default: s += 9; } }
#else
#define MORE
#endif
static int weight(const Row& r, int s) { s += r.a * 3 + r.b; MORE return s ^ r.c; }
__attribute__((noinline)) int scan(const Row* r, int n) { int t = 0; for (int i = 0; i < n; i++) t += weight(r[i], t); return t; }
__attribute__((noinline)) int probe(const Row* r, int n) { int t = 0; for (int i = 0; i < n; i += 2) t ^= weight(r[i], 3); return t; }
static int pick(const Row& r) { int s = weight(r, 1); if (s & 1) s += weight(r, s); return s; }
__attribute__((noinline)) int draw(const Row* r, int n) { int t = 0; for (int i = 0; i < n; i += 3) t ^= pick(r[i]); return t; }
int main(int n, char**) { static Row r[64]; return scan(r, n) + probe(r, n) + draw(r, n); }
";

#[test]
fn the_final_reason_of_gcc_counts_though_it_names_a_clone() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("rows.cc"), CLONED).unwrap();
    for side in ["before", "after"] {
        let Some(mut command) = pdiff_testing::tool("g++") else { return };
        command.args(["-O2", "-g", "rows.cc", "-o", side]).current_dir(directory.path());
        if side == "after" {
            command.args(["-DAFTER", "-fopt-info-inline-optimized-missed=inlining.txt"]);
        }
        assert!(command.status().unwrap().success(), "{side}");
    }
    let report = std::fs::read_to_string(path("inlining.txt")).unwrap();
    assert!(report.contains("weight.isra/") && report.contains("will not early inline"), "{report}");
    let mut command = pdiff_testing::pdiff();
    command.args(["inlines", "--no-cache", "--format", "json"]).args(["before", "after"].map(path));
    let output = command.arg("--remarks-after").arg(path("inlining.txt")).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let functions = json["functions"].as_array().unwrap();
    let weight = functions.iter().find(|function| function["name"] == "weight").unwrap();
    let flips = weight["confirmed_lost"].as_array().unwrap();
    // One of them is a call of `pick`, which is in the code of `draw`.
    assert_eq!(flips.len(), 3, "{flips:?}");
    for flip in flips {
        let [reason] = &flip["reasons"].as_array().unwrap()[..] else { panic!("{flip}") };
        let words = reason["words"].as_str().unwrap();
        let final_line = |line: &&str| line.contains("not inlinable") && line.ends_with(words);
        assert!(report.lines().any(|line| final_line(&line)), "{flip}");
    }
}

/// Builds one version of `fixtures/two-versions`, file by file; the reports are beside the objects.
fn build_version(compiler: &str, side: &str, level: &str, directory: &Path) -> Option<Vec<PathBuf>> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions").join(side);
    let files = std::fs::read_dir(&sources).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "cc")).collect();
    files.sort();
    let (mut objects, mut reports) = (Vec::new(), Vec::new());
    for file in &files {
        let stem = format!("{side}{level}-{}", file.file_stem().unwrap().to_str().unwrap());
        let [object, report] = ["o", "report"].map(|end| directory.join(format!("{stem}.{end}")));
        let mut command = pdiff_testing::tool(compiler)?;
        command.args([level, "-g", "-c", "-fno-omit-frame-pointer"]);
        if compiler == "g++" {
            command.arg(format!("-fopt-info-inline-optimized-missed={}", report.display()));
        } else {
            command.arg("-fsave-optimization-record");
            command.arg(format!("-foptimization-record-file={}", report.display()));
        }
        assert!(command.arg("-o").args([&object, file]).status().unwrap().success(), "{compiler} {stem}");
        objects.push(object);
        reports.push(report);
    }
    let mut command = pdiff_testing::tool(compiler)?;
    assert!(command.args(objects).arg("-o").arg(directory.join(side)).status().unwrap().success());
    Some(reports)
}

/// All that a report says of why one function is not inlined into another in the end.
fn said_finally(report: &str, caller: &str, callee: &str) -> Vec<String> {
    if !report.starts_with("---") {
        let is_of_call = |line: &&str| {
            let names = line.split_once("not inlinable: ").and_then(|(_, names)| names.split_once(" -> "));
            let calls = |name: &str, text: &str| text.contains(&format!(" {name}("));
            names.is_some_and(|(from, to)| calls(caller, &format!(" {from}")) && calls(callee, to))
        };
        return report.lines().filter(is_of_call).map(str::to_owned).collect();
    }
    let names = |line: &str, key: &str, name: &str| {
        let mangled = format!("{}{name}", name.len());
        let said = line.trim_start_matches("  - ").strip_prefix(key).map(str::trim);
        said.is_some_and(|said| said == name || said.contains(&mangled))
    };
    let is_of_call = |record: &&str| {
        let any = |key, name| record.lines().any(|line| names(line, key, name));
        let is_inlining = record.lines().any(|line| line.split_whitespace().eq(["Pass:", "inline"]));
        record.starts_with("!Missed") && is_inlining && any("Caller:", caller) && any("Callee:", callee)
    };
    let words = |record: &str| {
        let values = record.lines().filter_map(|line| line.strip_prefix("  - ")?.split_once(": "));
        let unquote = |(_, value): (&str, &str)| {
            let value = value.trim();
            let inside = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
            inside.map_or_else(|| value.to_owned(), |inside| inside.replace("''", "'"))
        };
        values.map(unquote).collect::<String>()
    };
    report.split("--- ").filter(is_of_call).map(words).collect()
}

/// Every lost call of two builds that the compiler's reports mention has a reason, which is among those in the reports; gives
/// the calls, callee first.
fn lost_calls(compiler: &str, levels: [&str; 2]) -> Option<BTreeSet<[String; 2]>> {
    let directory = tempfile::tempdir().unwrap();
    build_version(compiler, "before", levels[0], directory.path())?;
    let reports = build_version(compiler, "after", levels[1], directory.path())?;
    let text: Vec<String> = reports.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let mut command = pdiff_testing::pdiff();
    command.args(["inlines", "--no-cache", "--format", "json"]);
    command.args(["before", "after"].map(|side| directory.path().join(side)));
    let output = command.arg("--remarks-after").args(&reports).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut calls = BTreeSet::new();
    for function in json["functions"].as_array().unwrap() {
        for flip in function["confirmed_lost"].as_array().unwrap() {
            let [callee, caller] =
                [&function["name"], &flip["caller_after"]].map(|name| name.as_str().unwrap());
            let in_reports: Vec<String> =
                text.iter().flat_map(|report| said_finally(report, caller, callee)).collect();
            let reasons = flip["reasons"].as_array().map_or(&[][..], Vec::as_slice);
            assert_eq!(reasons.is_empty(), in_reports.is_empty(), "{compiler}: {flip} {in_reports:?}");
            for reason in reasons {
                let words = reason["words"].as_str().unwrap();
                assert!(in_reports.iter().any(|said| said.ends_with(words)), "{flip} {in_reports:?}");
            }
            calls.insert([callee.to_owned(), caller.to_owned()]);
        }
    }
    Some(calls)
}

#[test]
fn every_lost_call_has_the_words_of_its_compiler() {
    let expected = [
        ["compare_key", "scan_leaf"],
        ["compare_key", "scan_page"],
        ["compare_key", "scan_root"],
        ["field_length", "read_record"],
        ["hash_key", "lookup_index"],
        ["hash_key", "update_index"],
    ];
    let expected = BTreeSet::from(expected.map(|call| call.map(str::to_owned)));
    for compiler in ["g++", "clang++"] {
        let Some(calls) = lost_calls(compiler, ["-O2", "-O2"]) else { continue };
        assert_eq!(calls, expected, "{compiler}");
    }
}

#[test]
fn a_function_of_a_library_that_is_called_instead_has_a_reason() {
    for compiler in ["g++", "clang++"] {
        let Some(calls) = lost_calls(compiler, ["-O3", "-Os"]) else { continue };
        let call = ["atol", "main"].map(str::to_owned);
        assert!(calls.contains(&call), "{compiler}: {calls:?}");
    }
}

#[test]
fn reports_of_which_none_names_a_call_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("inlining.txt");
    std::fs::write(&report, "").unwrap();
    let binary = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only/before/orders");
    let mut command = pdiff_testing::pdiff();
    command.args(["inlines", "--no-cache"]).args([&binary, &binary]);
    let output = command.arg("--remarks-after").args([&report, &report]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("say nothing about inlining; hint: GCC needs"), "{said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{said}");
}

#[test]
fn what_is_no_report_is_refused_in_one_line() {
    let fixture =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).display().to_string();
    let binaries = ["inline-only/before/orders", "inline-only/after/orders"].map(fixture);
    let mut command = pdiff_testing::pdiff();
    command.args(["inlines", "--no-cache"]).args(binaries);
    let output = command.args(["--remarks-after", &fixture("counts/source.c")]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let expected =
        "its format is not one of the known compiler reports on inlining; hint: GCC writes one with";
    assert!(said.contains(expected) && said.trim_end().lines().count() == 1, "{said}");
}
