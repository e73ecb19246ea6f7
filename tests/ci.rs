//! `pdiff ci`: what a pipeline gets to see, and how its step ends.
//!
//! The recordings are made here: twenty functions whose costs vary by a few percent from run to run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

const FUNCTIONS: usize = 20;

/// Numbers that look random (an LCG's upper bits), from 0 to 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1_u64 << 24) as f64
    }
}

/// One run of the program; its last function costs `factor` times as much as in the base build.
fn recording(seed: u64, factor: f64) -> String {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995);
    for _ in 0..4 {
        random.next();
    }
    let mut text = String::new();
    for function in 0..FUNCTIONS {
        let factor = if function + 1 == FUNCTIONS { factor } else { 1.0 };
        let cost = (100.0 + 10.0 * function as f64) * factor * (0.95 + 0.1 * random.next());
        let samples = cost as u32;
        for at in 0..samples {
            let time = 100.0 + 20.0 * f64::from(at) / f64::from(samples);
            let line = format!(
                "prog 7 [000] {time:.6}: 1000000 cycles:\n\t401000 work_{function} (/bin/prog)\n\t402000 main (/bin/prog)\n\n"
            );
            text.write_str(&line).unwrap();
        }
    }
    text
}

struct Pipeline(tempfile::TempDir);

impl Pipeline {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Recordings of one build.
    fn runs(&self, name: &str, seeds: std::ops::Range<u64>, factor: f64) -> Vec<String> {
        let run = |seed: u64| {
            let path = self.path(&format!("{name}{seed}.perf"));
            fs::write(&path, recording(seed, factor)).unwrap();
            path.display().to_string()
        };
        seeds.map(run).collect()
    }

    fn ci(&self, before: &[String], after: &[String], more: &[&str]) -> Output {
        self.ci_on(&[], before, after, &[more, &["--no-symbolize"]].concat())
    }

    fn ci_on(
        &self,
        environment: &[(&str, &Path)],
        before: &[String],
        after: &[String],
        more: &[&str],
    ) -> Output {
        let mut command = pdiff_testing::pdiff();
        for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"] {
            command.env_remove(name);
        }
        command.envs(environment.iter().copied());
        command.args(["ci", "--quiet", "--dir"]).arg(self.path("out"));
        command.arg("--before").args(before).arg("--after").args(after).args(more);
        command.output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path("out").join(name)).unwrap()
    }
}

fn status(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn two_runs_of_one_build_pass_without_a_comment() {
    let of = Pipeline::new();
    let (before, after) = (of.runs("base", 1..4, 1.0), of.runs("head", 11..14, 1.0));
    fs::create_dir(of.path("out")).unwrap();
    fs::write(of.path("out/comment.md"), "of an earlier run").unwrap();
    let output = of.ci(&before, &after, &["--fail-on", "delta_self_pp > 2"]);
    assert_eq!(status(&output), 0, "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(!of.path("out/comment.md").exists(), "there is nothing to say any more");
    assert!(of.read("summary.md").starts_with("### pdiff: passed\n"), "{}", of.read("summary.md"));
    assert!(of.read("junit.xml").contains("tests=\"1\" failures=\"0\" errors=\"0\""));
    assert!(text(&output.stdout).contains("no part of the program changed beyond noise"));
    assert_eq!(of.read("annotations.txt"), "");
    assert!(
        of.read("report.html").starts_with("<!doctype html>")
            || of.read("report.html").starts_with("<!DOCTYPE html>")
    );
}

#[test]
fn an_error_leaves_nothing_of_an_earlier_run() {
    let of = Pipeline::new();
    let runs = of.runs("base", 1..3, 1.0);
    assert_eq!(status(&of.ci(&runs[..1], &runs[1..], &[])), 0);
    assert!(of.path("out/junit.xml").exists() && of.path("out/report.html").exists());
    assert_eq!(status(&of.ci(&runs[..1], &["no-such.perf".to_owned()], &[])), 2);
    assert_eq!(fs::read_dir(of.path("out")).unwrap().count(), 0);
    assert_eq!(status(&of.ci(&runs[..1], &runs[1..], &[])), 0);
    assert_eq!(status(&of.ci(&runs[..1], &runs[1..], &["--fail-on", "delta_self_pp > much"])), 2);
    assert_eq!(fs::read_dir(of.path("out")).unwrap().count(), 0);
}

#[test]
fn recordings_of_one_build_without_operations_do_not_let_a_gate_on_cost_pass() {
    let of = Pipeline::new();
    let runs = of.runs("base", 1..7, 1.0);
    // Operations that vary so much that a change of three percent cannot be seen.
    let operations = ["--operations-before", "100", "140", "--operations-after", "90", "130"];
    let gate = ["--fail-on", "total:cost_change_pct > 3"];
    let null = [&["--null"], &runs[4..].iter().map(String::as_str).collect::<Vec<_>>()[..]].concat();
    let judged = |more: &[&[&str]]| {
        let output = of.ci(&runs[..2], &runs[2..4], &more.concat());
        (status(&output), text(&output.stdout))
    };
    assert_eq!(judged(&[&operations, &gate]).0, 3);
    let (code, said) = judged(&[&operations, &gate, &null]);
    assert!(code == 3 && said.contains("needs --operations-null or --windows"), "{code} {said}");
    let (code, said) = judged(&[&operations, &gate, &null, &["--operations-null", "100", "140"]]);
    assert!(code == 0 && said.contains("was raised to"), "{code} {said}");
}

#[test]
fn costs_of_samples_that_lack_measured_cpu_are_not_gated() {
    let of = Pipeline::new();
    let before = of.runs("base", 1..3, 1.0);
    let after = of.runs("head", 11..13, 1.0);
    for path in before.iter().chain(&after) {
        let clock = fs::read_to_string(path).unwrap().replace(" 1000000 cycles:", " 10000000 cpu-clock:");
        fs::write(path, clock).unwrap();
    }
    let table = |of_head: &str| {
        let row = |name: &str, seconds: &str| format!("{name}\t1000\t20\t{seconds}\n");
        let rows = [("base1", "39"), ("base2", "39"), ("head11", of_head), ("head12", of_head)];
        let rows: String = rows.iter().map(|(name, seconds)| row(name, seconds)).collect();
        fs::write(of.path("w.tsv"), format!("capture\toperations\twindow_s\tcpu_seconds\n{rows}")).unwrap();
        let windows = of.path("w.tsv").display().to_string();
        let output =
            of.ci(&before, &after, &["--windows", &windows, "--fail-on", "total:cost_change_pct > 50"]);
        (status(&output), text(&output.stdout))
    };
    let (code, said) = table("39");
    assert_eq!(code, 0, "{said}");
    let (code, said) = table("80");
    assert!(code == 3 && said.contains("the samples do not hold all CPU of the operations"), "{code} {said}");
    assert!(said.contains("only sampled CPU"), "{said}");
    assert!(said.contains("!        sampled of the CPU measured"), "{said}");
}

#[test]
fn a_planted_regression_fails_with_the_finding_first() {
    let of = Pipeline::new();
    let (before, after) = (of.runs("base", 1..4, 1.0), of.runs("head", 11..14, 1.6));
    let gate = "delta_self_pp > 1";
    let output = of.ci(&before, &after, &["--fail-on", gate, "--name", "nightly <b>"]);
    assert_eq!(status(&output), 1, "{}{}", text(&output.stdout), text(&output.stderr));
    let comment = of.read("comment.md");
    assert!(
        comment.starts_with("<!-- pdiff: nightly _b_ -->\n### nightly &lt;b>: a gate failed\n"),
        "{comment}"
    );
    let at = |what: &str| comment.find(what).unwrap_or_else(|| panic!("{what}: {comment}"));
    assert!(at("| `work_19` |") < at("**gate** delta_self_pp > 1 failed: work_19"));
    assert!(at("**gate**") < at("<details>"));
    let junit = of.read("junit.xml");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    assert_eq!(case.attribute("name"), Some(gate));
    let failure = case.children().find(|node| node.has_tag_name("failure")).unwrap();
    assert!(failure.attribute("message").unwrap().starts_with("work_19 "), "{junit}");
    let numbers: Value = serde_json::from_str(&of.read("bencher.json")).unwrap();
    let (name, part) =
        numbers.as_object().unwrap().iter().find(|(name, _)| name.contains("work_19")).unwrap();
    assert!(name.starts_with("nightly <b>/"), "{name}");
    let value = |key: &str| part["change_pp"][key].as_f64().unwrap();
    assert!(value("lower_value") < value("value") && value("value") < value("upper_value"), "{part}");
    let all: Value = serde_json::from_str(&of.read("comparison.json")).unwrap();
    assert_eq!(all["findings"][0]["delta_pp"].as_f64(), Some(value("value")));
}

#[test]
fn what_lies_between_the_gates_warns_and_passes() {
    let of = Pipeline::new();
    let (before, after) = (of.runs("base", 1..4, 1.0), of.runs("head", 11..14, 1.6));
    let gates = ["--warn", "delta_self_pp > 1", "--fail-on", "delta_self_pp > 30"];
    let output = of.ci(&before, &after, &gates);
    assert_eq!(status(&output), 0, "{}", text(&output.stdout));
    assert!(of.read("comment.md").contains("### pdiff: passed, with warnings\n"));
    assert!(of.read("junit.xml").contains("failures=\"0\" errors=\"0\""));
    assert!(of.read("junit.xml").contains("<system-out>warns: work_19 "), "{}", of.read("junit.xml"));
}

#[test]
fn what_could_not_be_seen_is_inconclusive_and_not_passed() {
    let of = Pipeline::new();
    let (before, after) = (of.runs("base", 1..2, 1.0), of.runs("head", 11..12, 1.0));
    let gates = ["--fail-on", "delta_self_pp > 0.2"];
    assert_eq!(status(&of.ci(&before, &after, &gates)), 3);
    assert!(of.read("comment.md").contains("### pdiff: a gate cannot be judged\n"));
    assert!(of.read("junit.xml").contains("errors=\"1\""));
    assert_eq!(status(&of.ci(&before, &after, &[&gates[..], &["--inconclusive", "pass"]].concat())), 0);
    assert!(of.read("junit.xml").contains("errors=\"0\""));
    assert_eq!(status(&of.ci(&before, &after, &[&gates[..], &["--inconclusive", "fail"]].concat())), 1);
    // Nobody is stopped by what only warns.
    assert_eq!(status(&of.ci(&before, &after, &["--warn", "delta_self_pp > 0.2"])), 0);
}

#[test]
fn forty_pairs_of_one_build_do_not_fail_a_calibrated_gate() {
    let of = Pipeline::new();
    let null = of.runs("null", 1001..1004, 1.0);
    let mut statuses = Vec::new();
    for pair in 0..40 {
        let before = of.runs("base", 10 * pair + 1..10 * pair + 4, 1.0);
        let after = of.runs("head", 10 * pair + 5..10 * pair + 8, 1.0);
        let null: Vec<&str> = null.iter().map(String::as_str).collect();
        let gates = [&["--fail-on", "delta_self_pp > 0", "--null"], &null[..]].concat();
        statuses.push(status(&of.ci(&before, &after, &gates)));
        before.iter().chain(&after).for_each(|path| fs::remove_file(path).unwrap());
    }
    assert!(statuses.iter().all(|status| *status == 0), "{statuses:?}");
    let summary = of.read("summary.md");
    assert!(summary.contains("**null** delta_self_pp > 0 was raised to delta_self_pp > 0."), "{summary}");
    // A gate so raised still sees a regression.
    let (before, after) = (of.runs("base", 1..4, 1.0), of.runs("head", 11..14, 1.6));
    let null: Vec<&str> = null.iter().map(String::as_str).collect();
    let gates = [&["--fail-on", "delta_self_pp > 0", "--null"], &null[..]].concat();
    assert_eq!(status(&of.ci(&before, &after, &gates)), 1);
}

#[test]
fn github_gets_a_summary_and_annotations_at_source_lines() {
    let of = Pipeline::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql");
    let packs = ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"]
        .map(|name| vec![fixtures.join(name).display().to_string()]);
    let summary = of.path("step.md");
    fs::write(&summary, "of another step\n").unwrap();
    let environment = [
        ("GITHUB_ACTIONS", Path::new("true")),
        ("GITHUB_STEP_SUMMARY", summary.as_path()),
        ("GITHUB_WORKSPACE", Path::new("/home/runner/work")),
    ];
    let gate = "function=^cmp_dtuple_rec_with_match_low$:delta_self_pp > 0.5";
    let output = of.ci_on(&environment, &packs[0], &packs[1], &["--fail-on", gate]);
    assert_eq!(status(&output), 1, "{}{}", text(&output.stdout), text(&output.stderr));
    let written = fs::read_to_string(&summary).unwrap();
    assert_eq!(written, format!("of another step\n{}", of.read("summary.md")));
    let annotations = of.read("annotations.txt");
    assert!(text(&output.stdout).ends_with(&annotations));
    let error = "::error file=mysql-8.0.33/storage/innobase/rem/rem0cmp.cc,line=";
    assert!(annotations.starts_with(error), "{annotations}");
    assert!(annotations.lines().skip(1).all(|line| line.starts_with("::warning file=")), "{annotations}");
    assert!(!annotations.contains("file=/"), "files outside the sources are nobody's lines: {annotations}");
    let unannotated = of.ci_on(&[], &packs[0], &packs[1], &["--fail-on", gate]);
    assert!(!text(&unannotated.stdout).contains("::error"));
}

#[test]
fn what_cannot_be_done_is_one_line() {
    let of = Pipeline::new();
    let (before, after) = (of.runs("base", 1..2, 1.0), of.runs("head", 11..12, 1.0));
    let said = |more: &[&str]| {
        let output = of.ci(&before, &after, more);
        assert_eq!(status(&output), 2, "{more:?}");
        text(&output.stderr)
    };
    assert!(said(&["--warn", "delta > 1"]).contains("--warn 'delta > 1': unknown field 'delta'"));
    assert!(said(&["--null", &before[0], &after[0]]).contains("there is no gate to raise"));
    assert!(said(&["--fail-on", "delta_self_pp > 1", "--null", &before[0], "/no/such"]).contains("/no/such"));
    let one = ["--fail-on", "delta_self_pp > 1", "--null", &before[0], &after[0], "--operations-null", "5"];
    assert!(said(&one).contains("1 values for 2 recordings"));
    fs::write(of.path("out"), "a file").unwrap();
    assert!(said(&[]).contains("--dir: cannot make"));
}
