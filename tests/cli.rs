//! The tool as a user meets it: real captures, wrong input, streams, exit codes.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use pdiff_testing::pdiff;
use serde_json::Value;

fn capture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql").join(name)
}

fn run(arguments: &[&str]) -> Output {
    pdiff().arg("compare").args(arguments).arg("--no-symbolize").output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&stdout(&run(&arguments))).unwrap()
}

fn two(before: &str, after: &str) -> [String; 2] {
    [capture(before), capture(after)].map(|path| path.to_str().unwrap().to_owned())
}

fn text_of(name: &str) -> String {
    String::from_utf8(zstd::decode_all(std::fs::File::open(capture(name)).unwrap()).unwrap()).unwrap()
}

/// Samples and leaf symbols of a capture with chains, counted line by line without any of pdiff's code.
fn plain_count(text: &str) -> (u64, BTreeMap<String, u64>) {
    let mut samples = 0;
    let mut leaves = BTreeMap::new();
    let mut at_leaf = false;
    for line in text.lines() {
        if line.starts_with('\t') {
            if at_leaf {
                let rest = line.trim_start().split_once(' ').unwrap().1;
                let symbol = rest.rsplit_once(" (").unwrap().0;
                let symbol = symbol.rsplit_once("+0x").map_or(symbol, |(name, _)| name);
                *leaves.entry(symbol.to_owned()).or_default() += 1;
            }
            at_leaf = false;
        } else if line.contains("cpu-clock:") {
            samples += 1;
            at_leaf = true;
        }
    }
    (samples, leaves)
}

#[test]
fn self_weights_sum_to_an_independent_count_and_leaves_agree_with_it() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let report = json(&[&before, &after]);
    for (side, name) in [("before", "57-aligned-r1.perf.zst"), ("after", "80-aligned-r1.perf.zst")] {
        let (samples, leaves) = plain_count(&text_of(name));
        assert_eq!(report[side]["samples"].as_u64(), Some(samples));
        for measure in ["self_weight", "booked_self_weight"] {
            let functions = report["functions"].as_array().unwrap();
            let sum: u64 = functions.iter().filter_map(|row| row[side][measure].as_u64()).sum();
            assert_eq!(Some(sum), report[side]["weight"].as_u64(), "{side} {measure}");
        }
        for function in
            ["ut_delay", "cmp_dtuple_rec_with_match_low", "buf_page_get_gen", "ha_innobase::info_low"]
        {
            let expected = leaves.get(function).copied().unwrap_or(0) * 1_001_001;
            let row = report["functions"].as_array().unwrap().iter().find(|row| row["name"] == function);
            let found = row.and_then(|row| row[side]["booked_self_weight"].as_u64()).unwrap_or(0);
            assert_eq!(found, expected, "{side} {function}");
        }
    }
}

#[test]
fn the_result_does_not_depend_on_threads_compression_or_stdin() {
    let [before, after] = two("57-aligned-r2.perf.zst", "80-aligned-r2.perf.zst");
    let one = json(&[&before, &after, "--threads", "1"]);
    assert_eq!(one, json(&[&before, &after, "--threads", "3"]));
    let mut child = pdiff()
        .args([
            "compare",
            &before,
            "-",
            "--format",
            "json",
            "--label-after",
            "80-aligned-r2",
            "--no-symbolize",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = text_of("80-aligned-r2.perf.zst");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let piped: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(one["functions"], piped["functions"]);
}

#[test]
fn swapping_sides_negates_and_a_side_against_itself_has_no_change() {
    let [before, after] = two("56-aligned-r1.perf.zst", "57-aligned-r1.perf.zst");
    let forth = json(&[&before, &after]);
    let back = json(&[&after, &before]);
    // A row of a renamed function is called as After has it; both names together are the same either way.
    let deltas = |report: &Value| -> BTreeMap<(Vec<String>, String), f64> {
        let rows = report["functions"].as_array().unwrap();
        let key = |row: &Value| {
            let names =
                ["before_name", "after_name"].map(|side| row["match"][side].as_str().unwrap_or_default());
            let mut names: Vec<String> =
                names.iter().flat_map(|name| name.split(", ")).map(str::to_owned).collect();
            names.sort();
            (names, row["object"].to_string())
        };
        rows.iter().map(|row| (key(row), row["delta_self_pp"].as_f64().unwrap())).collect()
    };
    let (forth, back) = (deltas(&forth), deltas(&back));
    assert_eq!(forth.len(), back.len());
    assert!(forth.keys().any(|(names, _)| names.contains(&"mtr_commit".to_owned())));
    assert!(forth.iter().all(|(key, delta)| (delta + back[key]).abs() < 1e-9));
    let same = json(&[&before, &before]);
    assert!(
        same["functions"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["significant"] == false && row["delta_self_pp"] == 0.0)
    );
}

#[test]
fn recordings_of_one_build_show_nothing_significant() {
    let [first, second] = two("57-aligned-r1.perf.zst", "57-aligned-r3.perf.zst");
    let report = json(&[&first, &second]);
    let rows = report["functions"].as_array().unwrap();
    let found: Vec<&Value> =
        rows.iter().filter(|row| row["significant"] == true).map(|row| &row["name"]).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn replicates_windows_and_groups_work_together() {
    let files = |version: &str| -> Vec<String> {
        let name = |run| format!("{version}-aligned-r{run}.perf.zst");
        (1..=3).map(|run| capture(&name(run)).to_str().unwrap().to_owned()).collect()
    };
    let mut arguments: Vec<String> = vec!["--before".into()];
    arguments.extend(files("57"));
    arguments.push("--after".into());
    arguments.extend(files("80"));
    arguments.extend([
        "--windows".into(),
        capture("operations.tsv").to_str().unwrap().into(),
        "--by".into(),
        "subsystem".into(),
    ]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = json(&arguments);
    assert_eq!(report["before"]["runs"].as_array().unwrap().len(), 3);
    let sum: f64 = report["functions"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["after"]["self_pct"].as_f64())
        .sum();
    assert!((sum - 100.0).abs() < 1e-6, "{sum}");
    assert!(report["functions"].as_array().unwrap().iter().any(|row| row["name"] == "redo log"));
}

/// Runs on files with these contents; expects exit 2, nothing on stdout and all the words in one line of stderr.
fn trouble(contents: &[u8], words: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("odd.perf");
    std::fs::write(&path, contents).unwrap();
    let path = path.to_str().unwrap();
    let output = run(&[path, path]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty());
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "no '{word}' in {stderr}");
    }
}

#[test]
fn wrong_input_is_one_clear_line_and_exit_2() {
    trouble(b"", &["odd.perf", "empty"]);
    trouble(b"PERFILE2\0\0\0\0\0\0\0\0", &["odd.perf", "ends within its head"]);
    trouble(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0", &["odd.perf", "ELF"]);
    trouble("this is no profile\n".repeat(100).as_bytes(), &["odd.perf", "line"]);
    let missing = run(&["/nowhere/a.perf", "/nowhere/b.perf"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/nowhere/a.perf"));
}

#[test]
fn wrong_words_are_told_with_what_there_is() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let check = |arguments: &[&str], words: &[&str]| {
        let arguments: Vec<&str> =
            [before.as_str(), after.as_str()].into_iter().chain(arguments.iter().copied()).collect();
        let output = run(&arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        for word in words {
            assert!(stderr.contains(word), "no '{word}' in {stderr}");
        }
    };
    check(&["--by", "colour"], &["--by", "subsystem"]);
    check(&["--match", "exact"], &["--match", "qualified"]);
    check(&["--comm", "("], &["--comm", "regular expression"]);
    check(&["--time", "yesterday"], &["--time", "START,END"]);
    check(&["--event", "branches"], &["no event 'branches'", "cpu-clock"]);
    check(&["--tps-before", "1", "2"], &["--tps-before", "2 values for 1 recording(s)"]);
    check(&["--tps-before", "-1"], &["-1"]);
    check(&["--fail-on", "speed > 1"], &["--fail-on", "delta_self_pp"]);
    check(&["--windows", "/nowhere.tsv"], &["/nowhere.tsv"]);
    check(&["--aliases", before.as_str()], &["57-aligned-r1"]);
    check(&["--sort", "luck"], &["--sort", "delta"]);
    check(&["--flavour"], &["--flavour"]);
    check(&["--comm", "^nobody$"], &["leave no samples", "mysqld"]);
    check(&["--binary-before", "/nowhere/mysqld"], &["--binary-before", "/nowhere/mysqld"]);
    check(&["--symfs", "/nowhere"], &["--symfs", "/nowhere"]);
}

#[test]
fn gates_decide_the_exit_code() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let check = |gate: &str, expected: i32| {
        let output = run(&[&before, &after, "--fail-on", gate, "--top", "1"]);
        assert_eq!(
            output.status.code(),
            Some(expected),
            "{gate}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(!output.stdout.is_empty());
    };
    check("all:delta_self_pp > 0.5", 1);
    check("all:delta_self_pp > 99", 0);
    check("all:function=^no_such_function$:delta_self_pp > -100", 0);
}

#[test]
fn a_table_without_a_terminal_has_no_colour_and_fits_its_width() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let plain = stdout(&run(&[&before, &after, "--top", "10"]));
    assert!(!plain.contains('\u{1b}'));
    assert!(plain.contains("57-aligned-r1") && plain.contains("80-aligned-r1"));
    let forced =
        pdiff().args(["compare", &before, &after, "--color", "always", "--no-symbolize"]).output().unwrap();
    assert!(stdout(&forced).contains('\u{1b}'));
    let narrow =
        pdiff().args(["compare", &before, &after, "--no-symbolize"]).env("COLUMNS", "80").output().unwrap();
    let rows = stdout(&narrow);
    let widest = rows.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest <= 80), "{widest:?}\n{rows}");
    assert!(rows.lines().any(|line| line.contains("ut_delay")), "{rows}");
}

#[test]
fn a_result_file_is_whole_or_not_there() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out.json");
    let ran = run(&[&before, &after, "--format", "json", "-o", path.to_str().unwrap()]);
    assert!(ran.status.success() && ran.stdout.is_empty());
    serde_json::from_slice::<Value>(&std::fs::read(&path).unwrap()).unwrap();
    let into_nothing = run(&[&before, &after, "-o", "/nowhere/out.txt"]);
    assert_eq!(into_nothing.status.code(), Some(2));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn a_closed_pipe_is_quiet() {
    let [before, after] = two("57-aligned-r1.perf.zst", "80-aligned-r1.perf.zst");
    let mut child = pdiff()
        .args(["compare", &before, &after, "--format", "json", "--no-symbolize"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn help_pages_are_as_written_down() {
    for command in [
        "",
        "compare",
        "ci",
        "classify",
        "explain",
        "flame",
        "inlines",
        "pack",
        "report",
        "settings",
        "script",
        "symbolize",
        "plan",
        "attribute",
        "series",
        "counts",
        "store",
        "store add",
        "store list",
        "store sums",
        "store check",
        "store prune",
        "store sql",
        "completions",
        "man",
    ] {
        let arguments: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = pdiff().args(arguments).env("COLUMNS", "100").output().unwrap();
        let name = if command.is_empty() { "pdiff".to_owned() } else { command.replace(' ', "-") };
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help").join(format!("{name}.txt"));
        let help = stdout(&output);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &help).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(help, expected, "UPDATE=1 writes {}", path.display());
    }
}

#[test]
fn help_breaks_its_lines_at_the_width_of_the_terminal_but_at_a_hundred_columns_at_most() {
    for command in ["", "compare", "classify", "report", "series", "attribute", "store add", "ci"] {
        for help in ["-h", "--help"] {
            for (columns, widest) in [("60", 60), ("80", 80), ("100", 100), ("200", 100)] {
                let arguments: Vec<&str> = command.split_whitespace().chain([help]).collect();
                let page = stdout(&pdiff().args(&arguments).env("COLUMNS", columns).output().unwrap());
                // A heading, the usage and an example to copy have no place to break.
                let breaks = |line: &&str| line.starts_with(' ') && !line.trim_start().starts_with("pdiff ");
                let lines = page.lines().filter(breaks);
                let long: Vec<&str> = lines.clone().filter(|line| line.chars().count() > widest).collect();
                assert!(long.is_empty(), "{arguments:?} in {columns} columns: {long:#?}");
                let longest = lines.map(|line| line.chars().count()).max().unwrap();
                assert!(longest > widest * 3 / 5, "{arguments:?} fills {columns} columns: {longest}");
            }
        }
    }
}

#[test]
fn completions_and_manual_pages_are_made() {
    for shell in ["bash", "zsh", "fish"] {
        let output = pdiff().args(["completions", shell]).output().unwrap();
        assert!(stdout(&output).contains("compare"));
    }
    let directory = tempfile::tempdir().unwrap();
    let output = pdiff().args(["man", "--dir"]).arg(directory.path()).output().unwrap();
    assert!(output.status.success());
    let page = std::fs::read_to_string(directory.path().join("pdiff-compare.1")).unwrap();
    assert!(page.contains("fail\\-on"));
}

#[test]
fn a_windows_file_of_the_recordings_name_is_found_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let side = |name: &str, operations: u32| {
        let text: String = (0..400)
            .map(|at| {
                format!(
                    "app 1 {}.{:06}: 1000000 cpu-clock:\n\t4000 f+0x4 (/bin/app)\n\n",
                    at / 100,
                    at % 100 * 10000
                )
            })
            .collect();
        let path = directory.path().join(format!("{name}.perf"));
        std::fs::write(&path, text).unwrap();
        let windows = format!("capture\toperations\n{name}\t{operations}\n");
        std::fs::write(directory.path().join(format!("{name}.windows.tsv")), windows).unwrap();
        path
    };
    let (before, after) = (side("old", 4000), side("new", 2000));
    let compare = |more: &[&str]| {
        let mut command = pdiff_testing::pdiff();
        let output = command.args(["compare", "--no-symbolize", "-q"]).args([&before, &after]).args(more);
        let output = output.output().unwrap();
        let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (out, error)
    };
    let (text, notes) = compare(&[]);
    assert!(text.contains("100.0 -> 200.0 us CPU per operation"), "{text} {notes}");
    assert!(notes.contains("note: operations of") && notes.contains("old.windows.tsv"), "{notes}");
    // What is said on the command line holds.
    let (text, _) = compare(&["--operations-after", "4000"]);
    assert!(text.contains("100.0 -> 100.0 us CPU per operation"), "{text}");
    // A table of all recordings of a directory comes second, and only for those that it lists.
    let all = directory.path().join("windows.tsv");
    std::fs::write(&all, "capture\toperations\nold\t8000\nnew\t1000\n").unwrap();
    std::fs::remove_file(directory.path().join("new.windows.tsv")).unwrap();
    let (text, notes) = compare(&[]);
    assert!(text.contains("100.0 -> 400.0 us CPU per operation"), "{text} {notes}");
    for (of_others, told) in [("capture\toperations\nother\t5\n", 0), ("no table\n", 1)] {
        std::fs::write(&all, of_others).unwrap();
        let (text, notes) = compare(&[]);
        assert!(!text.contains("CPU per operation"), "{text}");
        // The other recording has a table of its own name. One that cannot be read is said, one of other recordings is not.
        assert_eq!(notes.matches("are not looked up").count(), told, "{notes}");
        assert_eq!(notes.matches("/windows.tsv").count(), told, "{notes}");
    }
}
