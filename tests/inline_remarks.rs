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
