//! `--remarks-before` and `--remarks-after`: why a call is no longer inlined, in the compiler's words.
//!
//! `fixtures/inline-only` is built here by each compiler that is there, with its report on inlining.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

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
