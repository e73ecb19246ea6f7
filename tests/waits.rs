//! `--waits-before` and `--waits-after`: where threads wait, from recordings of their switches.
//!
//! `fixtures/waiting/two_locks.c` measures its own waits; the lock on rows is held four times as long after.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

fn fixture(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/waiting").join(name).display().to_string()
}

fn compare(waits: [&str; 2], more: &[&str]) -> Output {
    let mut command = pdiff_testing::pdiff();
    command.args([
        "compare",
        &fixture("before.perf.zst"),
        &fixture("after.perf.zst"),
        "--no-symbolize",
        "--quiet",
    ]);
    command.args(["--waits-before", waits[0], "--waits-after", waits[1]]).args(more).output().unwrap()
}

fn switches() -> [String; 2] {
    ["before", "after"].map(|side| fixture(&format!("{side}.switches.perf.zst")))
}

fn waiting(more: &[&str]) -> Value {
    let [before, after] = switches();
    let output = compare([&before, &after], &[&["--format", "json"], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["waiting"].take()
}

/// What the program measured, in seconds.
fn measured(side: &str) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(fixture(&format!("{side}.measured.tsv"))).unwrap();
    let line = |line: &str| {
        let (name, seconds) = line.split_once('\t').unwrap();
        (name.to_owned(), seconds.parse().unwrap())
    };
    text.lines().map(line).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[track_caller]
fn assert_near(value: f64, expected: f64, within: f64) {
    assert!((value - expected).abs() <= within, "{value} is not {expected} within {within}");
}

#[test]
fn cpu_and_waits_are_the_time_that_the_threads_measured() {
    let waiting = waiting(&[]);
    assert_eq!((&waiting["before_lost_returns"], &waiting["after_lost_returns"]), (&142.into(), &174.into()));
    let groups = waiting["groups"].as_array().unwrap();
    let workers = groups.iter().find(|group| group["name"] == "other (worker)").unwrap();
    for side in ["before", "after"] {
        let (times, measured) = (&workers[side], measured(side));
        assert_eq!(times["threads"], 4);
        let parts = ["cpu_s", "blocked_s", "runnable_s", "idle_s"].map(|part| number(&times[part]));
        assert_near(parts.iter().sum(), number(&times["wall_s"]), 1e-9);
        assert_near(number(&times["wall_s"]), measured["wall"], 0.02 * measured["wall"]);
        // Interrupts that the kernel counts for itself are in the time between switches.
        assert_near(number(&times["cpu_s"]), measured["cpu"], 0.02 * measured["wall"]);
    }
}

#[test]
fn waits_for_locks_are_found_at_the_function_that_takes_the_lock() {
    let waiting = waiting(&[]);
    let places = waiting["places"].as_array().unwrap();
    let lock_waits = |function: &str, side: &str| -> f64 {
        let own = places.iter().filter(|place| {
            place["function"] == function && place["waits_in"].as_str().unwrap().contains("lll_lock_wait")
        });
        own.map(|place| number(&place[format!("{side}_s")])).sum()
    };
    for side in ["before", "after"] {
        let measured = measured(side);
        assert_near(lock_waits("update_row", side), measured["rows_wait"], 0.02 * measured["wall"]);
        assert_near(lock_waits("write_log", side), measured["log_wait"], 0.02 * measured["wall"]);
    }
    assert_eq!(places[0]["callers"][0], "transaction");
}

#[test]
fn idle_threads_are_masked_and_sleeps_with_a_lock_are_not() {
    let waiting = waiting(&[]);
    let groups = waiting["groups"].as_array().unwrap();
    let cleaner = groups.iter().find(|group| group["name"] == "other (cleaner)").unwrap();
    assert!(number(&cleaner["after"]["idle_s"]) > 0.3, "{cleaner}");
    assert_eq!(number(&cleaner["after"]["blocked_s"]), 0.0, "{cleaner}");
    let idle: Vec<&Value> =
        waiting["idle"].as_array().unwrap().iter().map(|place| &place["function"]).collect();
    assert!(
        idle.contains(&&Value::from("cleaner")) && !idle.contains(&&Value::from("update_row")),
        "{idle:?}"
    );
    let workers = groups.iter().find(|group| group["name"] == "other (worker)").unwrap();
    assert_eq!(number(&workers["after"]["idle_s"]), 0.0, "{workers}");
}

#[test]
fn a_list_of_waits_says_what_is_idle() {
    let directory = tempfile::tempdir().unwrap();
    let list = directory.path().join("waits.toml");
    std::fs::write(&list, "idle = ['^write_log$']\n").unwrap();
    let waiting = waiting(&["--wait-list", list.to_str().unwrap()]);
    let idle: Vec<&Value> =
        waiting["idle"].as_array().unwrap().iter().map(|place| &place["function"]).collect();
    assert!(
        idle.contains(&&Value::from("write_log")) && !idle.contains(&&Value::from("cleaner")),
        "{idle:?}"
    );
}

#[test]
fn waits_per_operation_follow_the_throughput() {
    let more = ["--tps-before", "1000", "--tps-after", "500"];
    let waiting = waiting(&more);
    let place = &waiting["places"][0];
    let per_second = number(&place["after_s"]) / number(&waiting["after_span_s"]);
    assert_near(number(&place["after_ns_per_op"]), 1e9 * per_second / 500.0, 1.0);
}

#[test]
fn the_page_names_groups_places_and_what_was_masked() {
    let [before, after] = switches();
    let output = compare([&before, &after], &[]);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let line = |words: &[&str]| lines.iter().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(line(&["waiting", "threads of two_locks"]), "{text}");
    assert!(line(&["other (worker)", "after", "4"]), "{text}");
    assert!(line(&["update_row", "__lll_lock_wait", "transaction"]), "{text}");
    assert!(line(&["idle", "cleaner in clock_nanosleep"]), "{text}");
    // Counted in the text by a script: threads that left a CPU twice in a row.
    assert!(line(&["lost", "142 returns", "174 after"]), "{text}");
}

#[test]
fn folded_stacks_of_offcputime_are_microseconds() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let cpu = file("cpu.folded", "main;serve;work 100\n");
    let before = file(
        "before.folded",
        "srv;main;serve;take;pthread_mutex_lock;-;futex_wait 1000000\nsrv;main;loop;epoll_wait 5000000\n",
    );
    let after = file(
        "after.folded",
        "srv;main;serve;take;pthread_mutex_lock;-;futex_wait 3500000\nsrv;main;loop;epoll_wait 2000000\n",
    );
    let mut command = pdiff_testing::pdiff();
    command.args([
        "compare",
        &cpu,
        &cpu,
        "--quiet",
        "--format",
        "json",
        "--waits-before",
        &before,
        "--waits-after",
        &after,
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let place = &report["waiting"]["places"][0];
    assert_eq!(
        (place["function"].as_str(), place["waits_in"].as_str()),
        (Some("take"), Some("pthread_mutex_lock"))
    );
    assert_near(number(&place["before_s"]), 1.0, 1e-9);
    assert_near(number(&place["after_s"]), 3.5, 1e-9);
    assert_eq!(report["waiting"]["groups"][0]["after"]["cpu_s"], Value::Null);
    assert_eq!(report["waiting"]["idle"][0]["function"], "loop");
}

/// Two recordings of one run are two recordings: the rates are those of one, and a warning says that it is no replicate.
#[test]
fn rates_of_a_recording_given_twice_are_those_of_one() {
    let [before, after] = switches();
    let twice = ["--waits-before", before.as_str(), "--format", "json"];
    let output = compare([&before, &after], &twice);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let once = waiting(&[]);
    let rate =
        |waiting: &Value| number(&waiting["places"][0]["before_s"]) / number(&waiting["before_span_s"]);
    assert_near(rate(&report["waiting"]), rate(&once), 1e-9);
}

/// Switches have times and folded stacks have none, so one side would wait for seconds, and the other for parts of a second.
#[test]
fn switches_are_not_compared_with_folded_stacks() {
    let directory = tempfile::tempdir().unwrap();
    let folded = directory.path().join("off.folded");
    std::fs::write(&folded, "worker;transaction;update_row;__lll_lock_wait 900000\n").unwrap();
    let [before, _] = switches();
    let output = compare([&before, folded.to_str().unwrap()], &[]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("off.folded has no times") && error.lines().count() == 1, "{error}");
}

#[test]
fn what_is_no_recording_of_waiting_is_refused_in_one_line() {
    let profile = fixture("before.perf.zst");
    let [before, _] = switches();
    for (waits, expected) in [
        ([&*before, &*profile], "is not a recording of waiting (it has no sched:sched_switch samples)"),
        ([&*before, "-"], "standard input is not read here"),
        ([&*before, "/no/such/file"], "cannot read"),
    ] {
        let output = compare(waits, &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
    }
}
