//! `pdiff series` as a user meets it: relative throughput of studies, three recorded builds, wrong input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::Path;
use std::process::Output;

use serde_json::Value;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).to_str().unwrap().to_owned()
}

fn run(arguments: &[&str]) -> Output {
    let mut command = pdiff_testing::pdiff();
    command.arg("series").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&stdout(&run(&[arguments, &["--format", "json"]].concat()))).unwrap()
}

fn relative(report: &Value, build: &str, class: &str) -> Vec<String> {
    let rows = report["throughput"].as_array().unwrap().iter();
    let mine = rows.filter(|row| row["build"] == build && row["class"] == class);
    mine.map(|row| format!("{:.2}", row["relative"].as_f64().unwrap())).collect()
}

#[test]
fn relative_qps_of_the_performance_schema_study_comes_out() {
    let runs = fixture("series/perf_schema.csv");
    let report = json(&["--runs", &runs]);
    let without = "my5744_rel.cz10aps0_bee";
    assert_eq!(relative(&report, without, "write-heavy"), ["1.03", "1.12", "1.03"]);
    assert_eq!(relative(&report, without, "read-heavy"), ["1.02", "1.03", "1.04"]);
    let table = stdout(&run(&["--runs", &runs, "--color", "always"]));
    let line = |word: &str| table.lines().find(|line| line.contains(word)).unwrap().to_owned();
    // Only beyond 5 % is there a colour.
    assert!(line("l.x").contains("\u{1b}[34m1.12"), "{table:?}");
    assert!(!line("q1000").contains("\u{1b}[34m") && line("q1000").contains("1.04"), "{table:?}");
}

#[test]
fn relative_qps_by_workload_class_comes_out() {
    let runs = fixture("series/low_concurrency.csv");
    let report = json(&["--runs", &runs, "--base", "5.6.51"]);
    assert_eq!(relative(&report, "5.7.44", "point queries"), ["0.90"]);
    assert_eq!(relative(&report, "8.0.43", "range queries without aggregation"), ["0.70"]);
    assert_eq!(relative(&report, "8.0.43", "writes"), ["0.60", "0.50"]);
    let classes = report["classes"].as_array().unwrap();
    let writes = classes.iter().find(|row| row["class"] == "writes" && row["build"] == "8.0.43").unwrap();
    assert!((writes["relative"].as_f64().unwrap() - 0.3f64.sqrt()).abs() < 1e-9);
    assert_eq!(writes["workloads"], 2);
    let other = json(&["--runs", &runs, "--base", "8.0.43"]);
    assert_eq!(relative(&other, "5.7.44", "point queries"), ["1.29"]);
}

/// Three builds, the middle one stripped; `repeats` recordings each.
fn recorded(repeats: usize, more: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (label, stem) in [("5.6", "56"), ("5.7", "57"), ("8.0", "80")] {
        for repeat in 1..=repeats {
            words.push(format!("{label}={}", fixture(&format!("mysql/{stem}-aligned-r{repeat}.perf.zst"))));
        }
    }
    let windows = fixture("mysql/operations.tsv");
    words.extend(["--windows", &windows, "--no-symbolize", "-q"].map(str::to_owned));
    words.extend(more.iter().map(ToString::to_string));
    words
}

#[test]
fn costs_arrive_where_pairs_of_builds_say_so_and_not_where_symbols_are_missing() {
    let words = recorded(3, &[]);
    let report = json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(report["builds"], serde_json::json!(["5.6", "5.7", "8.0"]));
    assert_eq!(report["arrivals_by"], "cost_per_operation");
    let functions = report["functions"].as_array().unwrap();
    let row = |name: &str| functions.iter().find(|row| row["name"] == name).unwrap().clone();
    // In no profile of 5.6 and 5.7, and two percent of 8.0's; 5.7 is stripped, so it may hide it.
    let hidden = row("buf_page_hash_get_low");
    assert_eq!((&hidden["arrived_first"], &hidden["arrived"]), (&"5.7".into(), &"8.0".into()));
    assert_eq!(hidden["hidden"], serde_json::json!([false, true, false]));
    // An exported function is seen in every build.
    let seen = row("page_cur_search_with_match");
    assert_eq!((&seen["arrived_first"], &seen["arrived"]), (&"5.7".into(), &"5.7".into()));
    assert_eq!(seen["hidden"], serde_json::json!([false, false, false]));
    // A function of 5.6 and 8.0 that only 5.7 lacks does not arrive in 8.0 by being seen again.
    let share = |row: &Value, build: usize| row["self_pct"][build].as_f64().unwrap();
    let again = |row: &&Value| share(row, 1) == 0.0 && share(row, 2) > 0.1 && share(row, 0) > share(row, 2);
    let again: Vec<&Value> = functions.iter().filter(again).filter(|row| row["hidden"][1] == true).collect();
    assert!(!again.is_empty() && again.iter().all(|row| row["arrived"].is_null()), "{again:?}");
    // Samples without function are no cost that arrives.
    let lost = functions.iter().filter(|row| row["name"] == "[unresolved]");
    assert!(lost.clone().any(|row| share(row, 1) > 5.0) && lost.clone().all(|row| row["arrived"].is_null()));
    // Every build's shares sum to the whole.
    for rows in ["functions", "subsystems"] {
        for build in 0..3 {
            let sum: f64 = report[rows].as_array().unwrap().iter().map(|row| share(row, build)).sum();
            assert!((sum - 100.0).abs() < 1e-6, "{rows} {build} {sum}");
        }
    }
    // The same cost as the comparison of that pair gives.
    let side =
        |stem: &str| [1, 2, 3].map(|repeat| fixture(&format!("mysql/{stem}-aligned-r{repeat}.perf.zst")));
    let (before, after, windows) = (side("57"), side("80"), fixture("mysql/operations.tsv"));
    let compare = pdiff_testing::pdiff()
        .args(["compare", "--before", &before[0], &before[1], &before[2]])
        .args(["--after", &after[0], &after[1], &after[2]])
        .args(["--windows", &windows, "--no-symbolize", "-q", "--format", "json", "--by", "subsystem"])
        .output()
        .unwrap();
    let compare: Value = serde_json::from_slice(&compare.stdout).unwrap();
    let of = |rows: &Value| {
        rows.as_array().unwrap().iter().find(|row| row["name"] == "optimiser").unwrap().clone()
    };
    let (pair, series) = (of(&compare["functions"]), of(&report["subsystems"]));
    assert_eq!(pair["before"]["self_per_op_ns"], series["self_per_op_ns"][1]);
    assert_eq!(pair["after"]["self_per_op_ns"], series["self_per_op_ns"][2]);
}

#[test]
fn cpu_and_switches_per_operation_are_as_computed_by_hand() {
    let vmstat = |name: &str| {
        format!("{name}={}", fixture(&format!("series/vmstat-{}-aligned.txt", name.replace('.', ""))))
    };
    let (a, b) = (vmstat("5.6"), vmstat("5.7"));
    let bench = format!("5.6={}", fixture("series/sysbench.txt"));
    let report = json(&["--sysbench", &bench, "--vmstat", &a, "--vmstat", &b, "--cpus", "2"]);
    let text = std::fs::read_to_string(fixture("series/vmstat-56-aligned.txt")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().map(|field| field.parse().unwrap()).collect())
        .collect();
    let mean = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64;
    let system = &report["machine"][0];
    let close =
        |value: &Value, expected: f64| assert!((value.as_f64().unwrap() / expected - 1.0).abs() < 1e-9);
    close(&system["tps"], 34_498.2);
    close(&system["context_switches_per_op"], mean(11) / 34_498.2);
    close(&system["cpu_us_per_op"], (mean(12) + mean(13)) / 100.0 * 2.0 * 1e6 / 34_498.2);
    close(&system["latency_percentile_ms"], 0.09);
    assert_eq!((&system["latency_percentile"], &system["latency_max_ms"]), (&95.0.into(), &12.31.into()));
    // Without throughput nothing is given per operation.
    assert!(report["machine"][1]["cpu_us_per_op"].is_null() && report["machine"][1]["busy_pct"].is_number());
}

#[test]
fn tables_say_in_which_build_a_cost_arrived_and_what_is_hidden() {
    let words = recorded(3, &["-n", "4"]);
    let table = stdout(&run(&words.iter().map(String::as_str).collect::<Vec<_>>()));
    assert!(table.contains("arrived") && table.contains("optimiser"), "{table}");
    assert!(table.contains("have no function"), "5.7 is stripped, and that is said: {table}");
    assert!(table.contains("5.7..8.0") && table.contains("cost per operation"), "{table}");
}

#[test]
fn many_builds_fit_a_narrow_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let runs = directory.path().join("runs.csv");
    let rows = (1..=9).map(|build| format!("5.{build}.0-of-somebody,reads,point-queries,{}000\n", build + 1));
    std::fs::write(&runs, format!("build,class,workload,tps\n{}", rows.collect::<String>())).unwrap();
    let output =
        pdiff_testing::pdiff().args(["series", "--runs"]).arg(&runs).env("COLUMNS", "40").output().unwrap();
    let table = stdout(&output);
    assert!(table.lines().all(|line| line.chars().count() <= 40), "{table}");
    assert!(table.contains("5.00"), "the last build is shown: {table}");
}

#[test]
fn without_operations_arrivals_are_of_shares_and_csv_holds_every_value() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("series.csv");
    let file = |stem: &str| format!("{stem}={}", fixture(&format!("mysql/{stem}-aligned-r1.perf.zst")));
    let runs = fixture("series/perf_schema.csv");
    let base = "my5744_rel.cz10a_bee";
    let words = [&file("56"), &file("80"), "--runs", &runs, "--base", base, "--no-symbolize", "-q"];
    let markdown = stdout(&run(&[&words[..], &["--format", "markdown", "-n", "3"]].concat()));
    assert!(markdown.contains("share of samples"), "{markdown}");
    stdout(&run(&[&words[..], &["--format", "csv", "-o", path.to_str().unwrap()]].concat()));
    let csv = std::fs::read_to_string(path).unwrap();
    assert!(csv.starts_with(
        "table,of,name,build,measure,value,hidden,arrived_first,arrived,unseen_before,threads\n"
    ));
    let sum = |build: &str| -> f64 {
        let lines = csv.lines().filter(|line| line.starts_with("subsystem,"));
        let rows = lines.map(|line| line.split(',').collect::<Vec<_>>());
        let mine = rows.filter(|row| row[3] == build && row[4] == "self_pct");
        mine.map(|row| row[5].parse::<f64>().unwrap()).sum()
    };
    assert!(
        (sum("56") - 100.0).abs() < 1e-6 && (sum("80") - 100.0).abs() < 1e-6,
        "{} {}",
        sum("56"),
        sum("80")
    );
    assert!(csv.contains("throughput,write-heavy,") && csv.contains(",relative,"), "{csv:.300}");
}

#[test]
fn where_runs_repeat_growth_and_relative_throughput_have_intervals() {
    let words = recorded(2, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = json(&words);
    let functions = report["functions"].as_array().unwrap();
    let known = functions.iter().filter(|row| row["growth_ci_low"].is_number());
    assert!(known.clone().count() > 100);
    for row in known {
        let value = |key: &str| row[key].as_f64().unwrap();
        assert!(
            value("growth_ci_low") <= value("growth") && value("growth") <= value("growth_ci_high"),
            "{row}"
        );
    }
    let grown = functions.iter().find(|row| row["name"] == "flst_add_first").unwrap();
    assert!(grown["growth_ci_low"].as_f64().unwrap() > 0.0, "{grown}");
    check_what_arrived(functions);
    let table = stdout(&run(&words));
    assert!(table.contains("+-") && table.contains("brought"), "{table}");
    // One run a build says nothing of how runs vary.
    let words = recorded(1, &[]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = json(&words);
    let functions = report["functions"].as_array().unwrap();
    assert!(functions.iter().all(|row| row["growth_ci_low"].is_null() && row["brought_ci_low"].is_null()));
    let directory = tempfile::tempdir().unwrap();
    let runs = directory.path().join("runs.csv");
    std::fs::write(&runs, "build,workload,tps\na,x,100\na,x,110\nb,x,80\nb,x,90\n").unwrap();
    let runs = runs.to_str().unwrap();
    let report = json(&["--runs", runs]);
    assert!(report["throughput"][0]["ci_low"].is_null());
    let ends = ["ci_low", "ci_high"].map(|end| report["throughput"][1][end].as_f64().unwrap());
    assert!(ends[0] < 0.81 && ends[1] > 0.81, "{ends:?}");
    assert!(stdout(&run(&["--runs", runs])).contains("0.58..1.14"));
}

/// What arrived brought more than nothing, and has an interval.
fn check_what_arrived(functions: &[Value]) {
    let arrived: Vec<&Value> = functions.iter().filter(|row| row["arrived"].is_string()).collect();
    assert!(!arrived.is_empty());
    for row in &arrived {
        let value = |key: &str| row[key].as_f64().unwrap_or(f64::NAN);
        let [low, brought, high] = ["brought_ci_low", "brought", "brought_ci_high"].map(value);
        assert!(0.0 < brought && low < brought && brought < high, "{row}");
    }
    let above = arrived.iter().filter(|row| row["brought_ci_low"].as_f64().is_some_and(|low| low > 0.0));
    assert!(above.count() * 2 > arrived.len());
    assert!(functions.iter().filter(|row| row["arrived"].is_null()).all(|row| row["brought"].is_null()));
}

#[test]
fn binaries_are_of_one_build_or_of_any() {
    let orders = |name: &str| fixture(&format!("inline-only/{name}"));
    let recordings =
        [format!("a={}", orders("before-r1.perf.zst")), format!("b={}", orders("after-r1.perf.zst"))];
    let binaries = ["a", "b"]
        .map(|of| format!("{of}={}", orders(if of == "a" { "before/orders" } else { "after/orders" })));
    let words =
        [&recordings[0], &recordings[1], "--binary", &binaries[0], "--binary", &binaries[1], "--no-cache"];
    let report = json(&[&words[..], &["-q"]].concat());
    let names: Vec<&str> =
        report["functions"].as_array().unwrap().iter().filter_map(|row| row["name"].as_str()).collect();
    // Inlined in the first build: only its binary says so.
    let row = report["functions"].as_array().unwrap().iter().find(|row| row["name"] == "hash_key");
    let row = row.unwrap_or_else(|| panic!("{names:?}"));
    assert!(row["self_pct"][0].as_f64().unwrap() > 10.0, "{row}");
    let output =
        run(&[&recordings[0], &recordings[1], "--binary", &format!("c={}", orders("before/orders"))]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("--binary: no recording of build 'c'"), "{stderr}");
}

#[test]
fn wrong_input_is_one_clear_line() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let check = |arguments: &[&str], words: &[&str]| {
        let output = run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {stderr}");
        assert!(output.stdout.is_empty() && stderr.trim_end().lines().count() == 1, "{stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{words:?} in {stderr}");
    };
    let runs = fixture("series/perf_schema.csv");
    check(&["--runs", &runs, "--base", "9.9"], &["--base", "'9.9'"]);
    check(&["--runs", &file("bad.csv", "build,qps\na,-1\n")], &["bad.csv", "row 1", "'-1'"]);
    check(&["--runs", &file("none.csv", "version,qps\na,1\n")], &["no column 'build'"]);
    check(&["--runs", &runs, "--columns", "x=y"], &["--columns", "x=y"]);
    check(
        &["--runs", &runs, "--vmstat", &format!("a={}", file("v", "hello\n"))],
        &["--vmstat", "no line names"],
    );
    check(&["--sysbench", &format!("a={}", file("s", "FATAL\n"))], &["--sysbench", "transactions"]);
    let levels = |name: &str, text: &str| file(name, &format!("build,threads,qps\n{text}"));
    check(&["--runs", &levels("part.csv", "a,1.5,9\n")], &["part.csv", "row 1", "'1.5'", "whole number"]);
    check(&["--runs", &runs, "--columns", "threads=clients"], &["no column 'clients'"]);
    let svg = directory.path().join("never.svg");
    let svg = svg.to_str().unwrap();
    check(&["--runs", &runs, "--plot-threads", svg], &["--plot-threads", "number of threads", "hint:"]);
    let twins = ["a", "b"].map(|build| format!("{build}={}", fixture("mysql/56-aligned-r1.perf.zst")));
    check(
        &[&twins[0], &twins[1], "--no-symbolize", "-q", "--plot", svg],
        &["--plot", "no throughput", "hint:"],
    );
    assert!(!Path::new(svg).exists());
    check(&["--sysbench", "nothing"], &["--sysbench", "LABEL=FILE"]);
    check(&[&fixture("mysql/56-aligned-r1.perf.zst")], &["one build only"]);
    check(&["a=/nowhere.perf", "b=/nowhere2.perf", "-q"], &["/nowhere.perf"]);
}

/// Twelve builds of a program with two functions as text of `perf script`, one run each; from the seventh on `slow` costs half
/// as much again. Their words and windows.
fn twelve_builds(directory: &Path) -> Vec<String> {
    let mut windows = "capture\toperations\n".to_owned();
    let mut words = Vec::new();
    for build in 1..=12 {
        let path = directory.join(format!("b{build}.perf"));
        // Every build differs a little from the one before.
        let noise = [0, 9, 4, 13, 6, 1, 11, 3, 8, 2, 12, 5][build - 1];
        let slow = if build >= 7 { 600 + noise } else { 400 + noise };
        let mut text = String::new();
        for (function, samples) in [("slow", slow), ("other", 800)] {
            for at in 0..samples {
                let (second, micros) = (at % 10, at / 10 * 1_000);
                text.push_str(&format!("app 1/1 {second}.{micros:06}: 1001001 cpu-clock:\n"));
                text.push_str(&format!("\t1000 {function}+0x1 (/usr/bin/app)\n\n"));
            }
        }
        std::fs::write(&path, text).unwrap();
        windows.push_str(&format!("b{build}\t1000\n"));
        words.push(path.to_str().unwrap().to_owned());
    }
    let path = directory.join("windows.tsv");
    std::fs::write(&path, windows).unwrap();
    words.extend(["--windows", path.to_str().unwrap(), "--no-symbolize", "-q"].map(str::to_owned));
    words
}

#[test]
fn from_ten_builds_on_change_points_are_searched() {
    let directory = tempfile::tempdir().unwrap();
    let words = twelve_builds(directory.path());
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = json(&words);
    let whole = &report["whole_cost"];
    // 1.2 milliseconds of samples over 1,000 operations.
    assert!((whole["per_op_ns"][0].as_f64().unwrap() - 1_201_201.2).abs() < 0.1, "{whole}");
    let functions = report["functions"].as_array().unwrap();
    let slow = functions.iter().find(|row| row["name"] == "slow").unwrap();
    for found in [whole, slow].map(|of| of["change_points"].as_array().unwrap()) {
        let [change] = &found[..] else { panic!("{found:?}") };
        assert_eq!(["build", "earliest", "latest"].map(|key| change[key].as_str().unwrap()), ["b7"; 3]);
        let value = |key: &str| change[key].as_f64().unwrap();
        // 200 samples, but for the noise.
        assert!((value("change") - 200_200.2).abs() < 3_000.0, "{change}");
        assert!(value("ci_low") < 200_200.2 && 200_200.2 < value("ci_high"), "{change}");
        assert!(value("ci_low_pct") < value("change_pct") && value("change_pct") < value("ci_high_pct"));
    }
    assert!(
        functions
            .iter()
            .filter(|row| row["name"] == "other")
            .all(|row| row["change_points"] == serde_json::json!([]))
    );
    let table = stdout(&run(&words));
    assert!(table.contains("change points") && table.contains("cost of an operation"), "{table}");
    let csv = stdout(&run(&[&words[..], &["--format", "csv"]].concat()));
    assert!(
        csv.contains("cost,,,b7,change_point,") && csv.contains(",slow,b7,change_point_ci_low,"),
        "{csv}"
    );
    // Nine builds are too few, and nothing is said of it.
    let nine = [&words[..9], &words[12..]].concat();
    assert_eq!(json(&nine)["whole_cost"]["change_points"], serde_json::json!([]));
    assert!(!stdout(&run(&nine)).contains("change points"));
}

/// The words of a picture, in their order.
fn words_of_picture(path: &Path) -> String {
    let svg = std::fs::read_to_string(path).unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.filter_map(|node| node.text()).map(str::trim).collect::<Vec<_>>().join("|")
}

#[test]
fn builds_are_drawn_with_the_numbers_and_the_change_points_of_the_table() {
    let directory = tempfile::tempdir().unwrap();
    let mut words = twelve_builds(directory.path());
    let svg = directory.path().join("builds.svg");
    words.extend(["--plot".to_owned(), svg.to_str().unwrap().to_owned()]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let report = json(&words);
    let texts = words_of_picture(&svg);
    let whole = &report["whole_cost"];
    let change = whole["change_points"][0]["change_pct"].as_f64().unwrap();
    assert!(
        texts.contains("Change point from b7 on") && texts.contains(&format!("+{change:.1} %")),
        "{texts}"
    );
    let costs = whole["per_op_ns"].as_array().unwrap();
    let micros = |at: usize| format!("{:.0} us on b{}", costs[at].as_f64().unwrap() / 1e3, at + 1);
    let joined = texts.replace('|', " ");
    assert!(joined.contains(&micros(0)) && joined.contains(&micros(11)), "{joined}");
    assert_eq!(whole["relative_to"], "b1");
    let relative = whole["relative"][11].as_f64().unwrap();
    assert!((relative - costs[11].as_f64().unwrap() / costs[0].as_f64().unwrap()).abs() < 1e-9);
    assert!(whole["relative_ci_low"][11].is_null(), "one run a build says nothing of how runs vary");
}

#[test]
fn throughput_over_threads_is_drawn_with_the_groups_of_the_profiles() {
    let directory = tempfile::tempdir().unwrap();
    let recorded = twelve_builds(directory.path());
    let runs = directory.path().join("runs.csv");
    let rows = [1, 4, 16, 64].map(|threads| {
        let tps = 100 * threads;
        format!("b1,{threads},{tps}\nb1,{threads},{}\nb2,{threads},{}\n", tps + 10, tps / 2)
    });
    std::fs::write(&runs, format!("build,clients,qps\n{}", rows.concat())).unwrap();
    let svg = directory.path().join("threads.svg");
    let mut words = vec![recorded[0].as_str(), recorded[1].as_str()];
    words.extend(recorded[12..].iter().map(String::as_str));
    words.extend(["--runs", runs.to_str().unwrap(), "--columns", "threads=clients", "--base", "b1"]);
    words.extend(["--plot-threads", svg.to_str().unwrap()]);
    let report = json(&words);
    let throughput = report["throughput"].as_array().unwrap();
    let row = |build: &str, threads: u64| {
        throughput.iter().find(|row| row["build"] == build && row["threads"] == threads).unwrap()
    };
    // Levels are not repeats of each other: each has its own ratio and its own interval.
    assert!(
        (row("b2", 16)["relative"].as_f64().unwrap() - 800.0 / (1600.0_f64 * 1610.0).sqrt()).abs() < 1e-9
    );
    let [low, high] = ["tps_ci_low", "tps_ci_high"].map(|end| row("b1", 64)[end].as_f64().unwrap());
    assert!(low < 6400.0 && 6410.0 < high && row("b2", 64)["tps_ci_low"].is_null(), "{low} {high}");
    let texts = words_of_picture(&svg);
    for word in ["1", "4", "16", "64", "b1", "b2", "other (app)"] {
        assert!(texts.split('|').any(|text| text == word), "{word} in {texts}");
    }
    assert!(texts.contains("CPU per operation by thread group, us"), "{texts}");
    let table = stdout(&run(&words));
    assert!(table.contains("threads"), "{table}");
}

#[test]
fn throughput_of_recordings_is_that_of_their_windows() {
    let words = recorded(1, &[]);
    let report = json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let windows = std::fs::read_to_string(fixture("mysql/operations.tsv")).unwrap();
    let tps = |stem: &str| -> f64 {
        let line = windows.lines().find(|line| line.starts_with(&format!("{stem}-aligned-r1\t"))).unwrap();
        let column = windows.lines().next().unwrap().split('\t').position(|name| name == "tps").unwrap();
        line.split('\t').nth(column).unwrap().parse().unwrap()
    };
    let last = &report["throughput"][2];
    assert_eq!((&last["build"], &last["workload"]), (&"8.0".into(), &"recorded".into()));
    assert!((last["relative"].as_f64().unwrap() - tps("80") / tps("56")).abs() < 1e-9);
}
