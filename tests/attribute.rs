//! `pdiff attribute` as a user meets it: a published study's tables, a measured factorial, wrong input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "factorial/lab.rs"]
mod lab;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use lab::LAB;
use serde_json::Value;

const STUDY: &str = "study/update_non_index.csv";
const STUDY_FACTORS: &str = "writer,pfs,binlog,ps,flush,patches";

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).to_str().unwrap().to_owned()
}

fn pdiff(arguments: &[&str]) -> Command {
    let mut command = pdiff_testing::pdiff();
    command.arg("attribute").args(arguments);
    command
}

fn run(runs: &str, more: &[&str]) -> Output {
    pdiff(&[runs]).args(more).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(runs: &str, more: &[&str]) -> Value {
    serde_json::from_str(&stdout(&run(runs, &[more, &["--format", "json"]].concat()))).unwrap()
}

fn study() -> Value {
    json(&fixture(STUDY), &["--factors", STUDY_FACTORS])
}

/// A number as the study prints it.
fn printed(value: &Value) -> String {
    format!("{:+.1}", value.as_f64().unwrap())
}

fn column<'v>(rows: &'v Value, key: &str) -> Vec<&'v Value> {
    rows.as_array().unwrap().iter().map(|row| &row[key]).collect()
}

#[test]
fn the_cumulative_table_of_the_study_comes_out() {
    let report = study();
    let gaps: Vec<String> = column(&report["cumulative"], "gap_pct").into_iter().map(printed).collect();
    assert_eq!(gaps, ["-24.7", "-24.1", "-14.9", "-7.8", "-3.1", "-0.2"]);
    assert_eq!(printed(&report["total_gap_pct"]), "-32.0");
    let steps: Vec<String> =
        column(&report["cumulative"], "attribution_pp").into_iter().map(printed).collect();
    assert_eq!(steps, ["+7.2", "+0.7", "+9.2", "+7.1", "+4.7", "+2.9"]);
    let first = &report["cumulative"][0];
    assert_eq!((first["step"].as_u64(), first["factor"].as_str()), (Some(1), Some("writer")));
    let close = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 1e-9;
    assert!(close(&first["before"], 69_818.0) && close(&first["after"], 52_539.0));
}

#[test]
fn the_independent_table_of_the_study_comes_out_where_its_arithmetic_holds() {
    let report = study();
    let rows = report["independent"].as_array().unwrap();
    let of = |key: &str| -> Vec<String> { rows.iter().take(5).map(|row| printed(&row[key])).collect() };
    // The study prints 2.3 for pfs, and gaps of -29.7 and -27.7 for pfs and ps: its columns give these.
    assert_eq!(of("attribution_pp"), ["+7.2", "+2.2", "+7.8", "+4.3", "+6.3"]);
    assert_eq!(of("gap_pct"), ["-24.7", "-29.8", "-24.2", "-27.6", "-25.7"]);
    let sum: f64 = rows.iter().filter_map(|row| row["attribution_pp"].as_f64()).sum();
    // Printed 27.9; with the patches at their place 30.8; interaction 1.2, of which 0.2 are the gap at the end.
    assert_eq!(format!("{sum:.1}"), "27.7");
    assert_eq!(printed(&report["sum_pp"]), "+30.6");
    assert_eq!(printed(&report["interaction_pp"]), "+1.1");
    assert_eq!(printed(&report["unexplained_end_gap_pp"]), "+0.2");
    let whole = ["sum_pp", "interaction_pp", "unexplained_end_gap_pp", "total_gap_pct"];
    let zero: f64 = whole.iter().map(|key| report[key].as_f64().unwrap()).sum();
    assert!(zero.abs() < 1e-9);
    // In logarithms the interaction has the other sign: it is a matter of the scale.
    assert!((report["interaction_log"].as_f64().unwrap() + 0.036_5).abs() < 5e-4);
    assert_eq!(report["interaction_scale_dependent"], true);
    // The patches were not measured from the baseline, and single runs have no interval.
    assert_eq!(rows[5]["attribution_pp"], Value::Null);
    assert!(report.get("shapley").is_none() && report["noise"].is_null());
    assert!(!report.to_string().contains("ci_low"));
}

#[test]
fn what_a_factor_does_to_each_build_is_told_alone_and_at_its_place() {
    let report = study();
    let binlog = &report["builds"][2];
    let change = |place: &str, build: &str| binlog[place][build]["change_pct"].as_f64().unwrap().round();
    assert_eq!((change("alone", "base"), change("alone", "target")), (67.0, 86.0));
    assert_eq!((change("at_place", "base"), change("at_place", "target")), (77.0, 99.0));
    assert!(report["builds"][0]["alone"]["base"].is_null(), "5.7 has no writer threads");
}

#[test]
fn patches_under_a_ceiling_are_shown_and_not_claimed_from_single_runs() {
    let report = study();
    let masking = &report["masking"][0];
    assert_eq!((masking["factor"].as_str(), masking["ceiling"].as_str()), (Some("patches"), Some("flush")));
    assert_eq!(printed(&masking["as_it_was"]["attribution_pp"]), "-0.4");
    assert_eq!(printed(&masking["changed"]["attribution_pp"]), "+2.9");
    assert_eq!(masking["claimed"], false);
    let table = stdout(&run(&fixture(STUDY), &["--factors", STUDY_FACTORS]));
    assert!(table.contains("single runs: no claim") && !table.contains("masked by"), "{table}");
}

#[test]
fn the_table_says_alone_same_cell_conditional_and_what_is_missing() {
    let table = stdout(&run(&fixture(STUDY), &["--factors", STUDY_FACTORS]));
    for words in [
        "alone",
        "at its place",
        "same cell",
        "conditional: only with",
        "one run per cell",
        "no average over orders",
        "runs are missing",
        "writer (in 8.0.45 only)",
        "scale-dependent",
    ] {
        assert!(table.contains(words), "no '{words}' in\n{table}");
    }
    for words in ["undercounted", "overcounted", "amplif", "within noise"] {
        assert!(!table.contains(words), "'{words}' in\n{table}");
    }
}

/// Mean log throughput of every cell of the lab's file, read without any of pdiff's code.
fn lab_cells() -> BTreeMap<(bool, [bool; 5]), f64> {
    let text = std::fs::read_to_string(fixture("factorial/lab.csv")).unwrap();
    let mut sums: BTreeMap<(bool, [bool; 5]), (f64, f64)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        // version,P,B,S,F,W,repeat,tps,...
        let fields: Vec<&str> = line.split(',').collect();
        let on = |at: usize| fields[at] == "1";
        let sum = sums.entry((fields[0] == "8.0.33", [on(5), on(1), on(2), on(3), on(4)])).or_default();
        *sum = (sum.0 + fields[7].parse::<f64>().unwrap().ln(), sum.1 + 1.0);
    }
    sums.into_iter().map(|(key, (sum, count))| (key, sum / count)).collect()
}

#[test]
fn the_measured_factorial_agrees_with_arithmetic_on_its_raw_runs() {
    let cells = lab_cells();
    assert_eq!(cells.len(), 48);
    let log_gap = |on: [bool; 5]| {
        let mut base = on;
        base[0] = false;
        cells[&(true, on)] - cells[&(false, base)]
    };
    let report = json(&fixture("factorial/lab.csv"), &LAB);
    for factor in 0..5 {
        // The mean over settings of the others, each weighted by the orders in which it comes first.
        let (mut log, mut points) = (0.0, 0.0);
        for bits in 0..32u32 {
            let mut on = [0, 1, 2, 3, 4].map(|at| bits >> at & 1 == 1);
            if on[factor] {
                continue;
            }
            let weight =
                [1.0 / 5.0, 1.0 / 20.0, 1.0 / 30.0, 1.0 / 20.0, 1.0 / 5.0][bits.count_ones() as usize];
            let without = log_gap(on);
            on[factor] = true;
            log += weight * (log_gap(on) - without);
            points += weight * 100.0 * (log_gap(on).exp() - without.exp());
        }
        let row = &report["shapley"][factor];
        assert!((row["attribution_log"].as_f64().unwrap() - log).abs() < 1e-9);
        assert!((row["attribution_pp"].as_f64().unwrap() - points).abs() < 1e-9);
    }
    // The same mean squares as of an analysis of variance with cells, repeats and plots (numpy's lstsq).
    let noise = |key: &str| report["noise"][key].as_f64().unwrap();
    assert!((noise("sd_log") - 0.143_698_5).abs() < 1e-6 && noise("df") == 80.0);
    assert!((noise("restart_sd_log") - 0.028_468_6).abs() < 1e-6 && noise("restart_df") == 14.0);
}

#[test]
fn what_the_factorial_cannot_tell_is_within_noise() {
    let report = json(&fixture("factorial/lab.csv"), &LAB);
    let row =
        |name: &str| report["shapley"].as_array().unwrap().iter().find(|row| row["factor"] == name).unwrap();
    for (name, within) in [("W", false), ("F", false), ("B", true), ("S", true)] {
        assert_eq!(row(name)["within_noise"], within, "{name}");
        assert!(row(name)["min_pp"].as_f64() <= row(name)["attribution_pp"].as_f64());
    }
    // The end: +2.3 % of which nothing is sure.
    assert!(report["end"]["gap_ci_low_pct"].as_f64().unwrap() < 0.0);
    assert!(report["end"]["gap_ci_high_pct"].as_f64().unwrap() > 0.0);
    let pair = |a: &str, b: &str| {
        let all = report["interactions"].as_array().unwrap();
        all.iter().find(|one| one["factors"] == serde_json::json!([a, b])).unwrap().clone()
    };
    // Without its writer thread flush=0 gains 8.0 far less: both lift the same wait.
    assert!(pair("W", "F")["ci_high"].as_f64().unwrap() < 0.0);
    let table = stdout(&run(&fixture("factorial/lab.csv"), &LAB));
    assert!(
        table.contains("within noise") && table.contains("sign depends on the other settings"),
        "{table}"
    );
    let costs = row("W");
    let (cost, utilisation) =
        (costs["cost_log"].as_f64().unwrap(), costs["utilisation_log"].as_f64().unwrap());
    assert!((cost + utilisation - costs["attribution_log"].as_f64().unwrap()).abs() < 1e-9);
}

#[test]
fn the_noisy_factorial_claims_less() {
    let count = |name: &str| {
        let report = json(&fixture(name), &LAB);
        let rows = report["interactions"].as_array().unwrap();
        let beyond = |row: &&Value| {
            row["ci_low_log"].as_f64().unwrap() > 0.0 || row["ci_high_log"].as_f64().unwrap() < 0.0
        };
        rows.iter().filter(beyond).count()
    };
    let (quiet, noisy) = (count("factorial/lab.csv"), count("factorial/lab-noisy.csv"));
    assert!(noisy < quiet, "{noisy} {quiet}");
}

#[test]
fn swapped_builds_negate_and_named_builds_are_taken() {
    let sides = |base: &str, target: &str| {
        json(&fixture("factorial/lab.csv"), &[&LAB[..], &["--base", base, "--target", target]].concat())
    };
    let (forth, back) = (sides("5.7.22", "8.0.33"), sides("8.0.33", "5.7.22"));
    assert_eq!((forth["base"].as_str(), back["base"].as_str()), (Some("5.7.22"), Some("8.0.33")));
    for (a, b) in
        column(&forth["shapley"], "attribution_log").iter().zip(column(&back["shapley"], "attribution_log"))
    {
        assert!((a.as_f64().unwrap() + b.as_f64().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn other_forms_hold_the_same_numbers() {
    let report = study();
    let csv = stdout(&run(&fixture(STUDY), &["--factors", STUDY_FACTORS, "--format", "csv"]));
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let at = names.iter().position(|name| *name == "place_pp").unwrap();
    for (line, row) in lines.zip(report["cumulative"].as_array().unwrap()) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[0], row["factor"]);
        assert_eq!(fields[at].parse::<f64>().unwrap(), row["attribution_pp"].as_f64().unwrap());
    }
    let markdown = stdout(&run(&fixture(STUDY), &["--factors", STUDY_FACTORS, "--format", "markdown"]));
    assert!(markdown.contains("| +9.2 |"), "{markdown}");
    let mut narrow = pdiff(&[&fixture(STUDY), "--factors", STUDY_FACTORS]);
    let narrow = stdout(&narrow.env("COLUMNS", "80").output().unwrap());
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
}

#[test]
fn standard_input_and_tabs_are_read() {
    let text = std::fs::read_to_string(fixture(STUDY)).unwrap().replace(',', "\t").replace('\n', "\r\n");
    let mut child = pdiff(&["-", "--factors", STUDY_FACTORS, "--format", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(format!("\u{feff}{text}").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(piped["cumulative"], study()["cumulative"]);
}

#[test]
fn pictures_are_written_whole_and_are_xml() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (gap, pairs, dots) = (path("gap.svg"), path("pairs.svg"), path("dots.svg"));
    let pictures = ["--plot", &gap, "--plot-interactions", &pairs, "--plot-effects", &dots];
    let more = [&["--factors", STUDY_FACTORS][..], &pictures[..]].concat();
    stdout(&run(&fixture(STUDY), &more));
    // Pictures of before are written over.
    stdout(&run(&fixture(STUDY), &more));
    for (file, words) in [(&gap, "binlog"), (&pairs, "+3.3"), (&dots, "at its place")] {
        let svg = std::fs::read_to_string(file).unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(svg.contains(words), "{svg}");
    }
    // Too few runs for a picture: nothing is written at all.
    let runs = path("few.csv");
    std::fs::write(&runs, "build,P,tps\na,0,1\nb,0,2\n").unwrap();
    let none = path("none.svg");
    let output = run(&runs, &["--factors", "P", "--plot", &none]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && !Path::new(&none).exists());
}

#[test]
fn wrong_input_is_one_clear_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    let check = |text: &str, more: &[&str], words: &[&str]| {
        std::fs::write(&path, text).unwrap();
        let output = run(path.to_str().unwrap(), more);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text} {stderr}");
        assert!(output.stdout.is_empty() && stderr.trim_end().lines().count() == 1, "{stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{words:?} in {stderr}");
    };
    let factors = ["--factors", "P"];
    let with = |more: &[&'static str]| [&factors[..], more].concat();
    let good = "build,P,tps\na,0,1\nb,0,2\na,1,3\nb,1,4\n";
    check("", &factors, &["runs.csv", "has no runs"]);
    check("build;P;tps\na;0;1\n", &factors, &["no column 'build'", "comma or tab"]);
    check("build,P,tps,x\na,0,1,2\n", &factors, &["'x'", "--ignore x"]);
    check("build,P,tps\na,0,1\nb,,2\nb,1,2\n", &factors, &["row 2", "blank", "'b'"]);
    check("build,P,tps\na,0,NaN\n", &factors, &["row 1", "NaN"]);
    check("build,P,tps\na,0,1\na,0,1\n", &factors, &["rows 1 and 2", "same cell"]);
    check("build,P,tps\na,0,1\na,1,2\n", &factors, &["one build only"]);
    check("PAR1garbagePAR1", &factors, &["Parquet"]);
    check("build,P,tps\na,0,1\nb,0,2\nc,0,2\n", &factors, &["3 builds", "--base"]);
    check(good, &with(&["--base", "z"]), &["--base", "'z'", "a, b"]);
    check(good, &with(&["--base", "a", "--target", "a"]), &["both 'a'"]);
    check(good, &with(&["--restart", "Q"]), &["--restart", "'Q'", "use P"]);
    check(good, &with(&["--masking", "P"]), &["--masking", "'P'"]);
    check(good, &with(&["--columns", "colour=x"]), &["--columns", "'colour'"]);
    check(good, &["--factors", "P,P"], &["'P' is listed twice"]);
    let output = run("/nowhere.csv", &factors);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere.csv"));
}

#[test]
fn factors_stand_beside_the_subsystems_that_they_switch() {
    let profiles = [fixture("mysql/57-default.perf.zst"), fixture("mysql/80-default.perf.zst")];
    let more = ["--profiles", &profiles[0], &profiles[1], "--no-symbolize", "-q"];
    let mapped = ["--factor-subsystem", "B=binlog", "--factor-subsystem", "W=redo log"];
    let all = [&LAB[..], &more[..], &mapped[..]].concat();
    let report = json(&fixture("factorial/lab.csv"), &all);
    let rows = report["profiles"]["rows"].as_array().unwrap();
    assert_eq!(column(&report["profiles"]["rows"], "factor"), ["W", "B"]);
    assert_eq!(report["profiles"]["without_subsystem"], serde_json::json!(["P", "S", "F"]));
    assert_eq!(report["profiles"]["without_row"], serde_json::json!([]));
    let compare = pdiff_testing::pdiff()
        .args([
            "compare",
            &profiles[0],
            &profiles[1],
            "--by",
            "subsystem",
            "--no-symbolize",
            "--format",
            "json",
            "-q",
        ])
        .output()
        .unwrap();
    let compare: Value = serde_json::from_slice(&compare.stdout).unwrap();
    for row in rows {
        let subsystems = compare["functions"].as_array().unwrap();
        let found = subsystems.iter().find(|one| one["name"] == row["subsystem"]).unwrap();
        let share = |side: &str| found[side]["total_pct"].as_f64().unwrap() / 100.0;
        let expected = ((1.0 - share("before")) / (1.0 - share("after"))).ln();
        let profile = row["profile_log"]["value"].as_f64().unwrap();
        assert!((profile - expected).abs() < 1e-9);
        assert_eq!(row["compared"], "cost");
        let difference = row["difference_log"]["value"].as_f64().unwrap();
        assert!((difference - (row["measured"]["cost_log"].as_f64().unwrap() - profile)).abs() < 1e-9);
        assert!(row["difference_log"]["ci_low"].as_f64().unwrap() < difference);
    }
    let table = stdout(&run(&fixture("factorial/lab.csv"), &all));
    assert!(table.contains("no subsystem named for P, S, F"), "{table}");
    let odd = [&LAB[..], &more[..], &["--factor-subsystem", "B=nothing"]].concat();
    let output = run(&fixture("factorial/lab.csv"), &odd);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("'nothing'"));
}

#[test]
fn runs_that_are_missing_are_fitted_and_said_so() {
    let text = std::fs::read_to_string(fixture("factorial/lab.csv")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("lab.csv");
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.len() - 1;
    std::fs::write(&path, lines[..last].join("\n")).unwrap();
    let runs = path.to_str().unwrap();
    let words = [
        "--factors",
        "W,P,B,S,F",
        "--columns",
        "build=version,replicate=repeat,cost=cpu_us_per_txn",
        "--ignore",
        "foreign",
        "--restart",
        "P,B",
    ];
    let report = json(runs, &words);
    let noise = &report["noise"];
    assert_eq!((&noise["weighted"], &noise["blocks"]), (&true.into(), &3.into()), "{noise}");
    assert_eq!(noise["left_out_repeats"], serde_json::json!([]));
    assert_eq!(noise["undeclared_restart"], serde_json::json!([]));
    assert!(report["shapley"].is_object() || report["shapley"].is_array());
    let table = stdout(&run(runs, &words));
    assert!(table.contains("weighted least squares"), "{table}");
}
