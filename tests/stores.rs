//! A store of runs from the outside: what is compared from it is what is compared from the files, and nothing of a run is seen
//! before all of it is there.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn pdiff(arguments: &[&str]) -> Output {
    pdiff_testing::pdiff().args(arguments).env("XDG_CACHE_HOME", "/nonexistent").output().unwrap()
}

/// What a command prints.
fn stdout(arguments: &[&str]) -> String {
    let output = pdiff(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// One line on standard error, exit status 2.
fn refusal(arguments: &[&str]) -> String {
    let output = pdiff(arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

/// A recording of the program of `fixtures/inline-only`, and the binary.
fn orders(side: &str, run: usize) -> [String; 2] {
    let directory = fixture("inline-only");
    let recording = directory.join(format!("{side}-r{run}.perf.zst"));
    [recording, directory.join(side).join("orders")].map(|path| path.to_str().unwrap().to_owned())
}

const SERVICE: [&str; 6] = ["--service", "orders", "--day", "2026-11-24", "--quiet", "--no-cache"];

fn add<'a>(store: &'a str, recording: &'a str, build: &'a str, host: &'a str) -> Vec<&'a str> {
    let start = ["store", "add", store, recording, "--build", build, "--host", host];
    start.into_iter().chain(SERVICE).collect()
}

/// A store of three runs of each build of `orders`.
fn store_of_orders(store: &str) {
    for side in ["before", "after"] {
        for (run, host) in (1..).zip(["db1", "db2", "db3"]) {
            let [recording, binary] = orders(side, run);
            let mut arguments = add(store, &recording, side, host);
            arguments.extend(["--binary", &binary]);
            assert!(stdout(&arguments).contains("\tadded\t"));
        }
    }
}

/// Without what names files.
fn without_paths(value: &mut Value) {
    match value {
        Value::Object(map) => {
            ["path", "label", "debug_path", "example"].iter().for_each(|key| drop(map.remove(*key)));
            map.values_mut().for_each(without_paths);
        }
        Value::Array(values) => values.iter_mut().for_each(without_paths),
        _ => {}
    }
}

fn json(arguments: &[&str]) -> Value {
    let mut arguments = arguments.to_vec();
    arguments.extend(["--format", "json", "--no-cache"]);
    let mut value = serde_json::from_str(&stdout(&arguments)).unwrap();
    without_paths(&mut value);
    value
}

/// All files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// The file of a table of the only run.
fn file_of(store: &Path, table: &str) -> PathBuf {
    files(&store.join(table)).pop().unwrap()
}

#[test]
fn runs_of_a_store_compare_as_their_files_do() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let store = store.to_str().unwrap();
    store_of_orders(store);
    let runs = |side| [1, 2, 3].map(|run| orders(side, run));
    let (before, after) = (runs("before"), runs("after"));
    let from_store = ["--store", store, "--before", "build=before", "--after", "build=after"];
    for command in ["compare", "classify"] {
        let mut of_files = vec![command, "--before"];
        of_files.extend(before.iter().map(|[recording, _]| recording.as_str()));
        of_files.push("--after");
        of_files.extend(after.iter().map(|[recording, _]| recording.as_str()));
        of_files.extend(["--binary-before", &before[0][1], "--binary-after", &after[0][1]]);
        let of_store: Vec<&str> = std::iter::once(command).chain(from_store).collect();
        let (of_files, of_store) = (json(&of_files), json(&of_store));
        assert!(of_files["functions"].as_array().or(of_files["verdicts"].as_array()).unwrap().len() > 3);
        assert_eq!(of_files, of_store, "{command}");
    }
    let of_host: Vec<&str> = ["compare"].into_iter().chain(from_store).chain(["--host", "db2"]).collect();
    let [(one, _), (other, _)] = [&before, &after].map(|runs| (&runs[1][0], &runs[1][1]));
    let of_files = ["compare", one, other, "--binary-before", &before[1][1], "--binary-after", &after[1][1]];
    assert_eq!(json(&of_host), json(&of_files), "one host");
    let two_hosts = ["compare", "--store", store, "--before", "build=before", "host=db1", "host=db2"];
    let narrowed: Vec<&str> =
        two_hosts.into_iter().chain(["--after", "build=after", "--host", "db2"]).collect();
    assert_eq!(json(&narrowed), json(&of_files), "--host beside host=");
    let picture = directory.path().join("x.html");
    let mut report: Vec<&str> = ["report"].into_iter().chain(from_store).collect();
    report.extend(["--no-cache", "-q", "-o", picture.to_str().unwrap()]);
    stdout(&report);
    assert!(std::fs::read_to_string(&picture).unwrap().contains("hash_key"));
    let flame = ["flame", "--store", store, "--before", "build=after", "--format", "folded", "--no-cache"];
    assert!(stdout(&flame).contains("hash_key"));
}

#[test]
fn hosts_that_ran_both_builds_are_compared_with_themselves() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let store = store.to_str().unwrap();
    // The same recordings twice: of hosts that ran both builds, and of hosts that ran one.
    for (service, hosts_after) in [("same", 'a'), ("other", 'b')] {
        for (side, hosts) in [("before", 'a'), ("after", hosts_after)] {
            for host in 0..5 {
                let [recording, _] = orders(side, 1 + host % 3);
                let host = format!("{hosts}{host}");
                let add = [
                    "store",
                    "add",
                    store,
                    &recording,
                    "--build",
                    side,
                    "--host",
                    &host,
                    "--service",
                    service,
                ];
                stdout(
                    &add.into_iter()
                        .chain(["--day", "2026-11-24", "--quiet", "--no-cache"])
                        .collect::<Vec<_>>(),
                );
            }
        }
    }
    let compared = |service: &str| {
        let runs = ["compare", "--store", store, "--before", "build=before", "--after", "build=after"];
        json(&runs.into_iter().chain(["--service", service]).collect::<Vec<_>>())
    };
    let (same, other) = (compared("same"), compared("other"));
    let of = |value: &Value, key: &str| -> Vec<f64> {
        let mut rows: Vec<(&str, f64)> = value["functions"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| Some((row["name"].as_str()?, row[key].as_f64()?)))
            .collect();
        rows.sort_by(|a, b| a.0.cmp(b.0));
        rows.into_iter().map(|(_, number)| number).collect()
    };
    assert_eq!(of(&same, "delta_self_pp"), of(&other, "delta_self_pp"));
    assert_ne!(of(&same, "ci_low_pp"), of(&other, "ci_low_pp"));
}

#[test]
fn real_servers_compare_from_a_store_as_from_their_packs() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let store = store.to_str().unwrap();
    let packs = ["56-aligned-r1.pdiff", "80-aligned-r1.pdiff"].map(|name| fixture("mysql").join(name));
    let [before, after] = packs.each_ref().map(|path| path.to_str().unwrap());
    for (pack, build) in [(before, "5.6"), (after, "8.0")] {
        stdout(&add(store, pack, build, "db1"));
    }
    let of_store = [
        "classify",
        "--store",
        store,
        "--before",
        "build=5.6",
        "--after",
        "build=8.0",
        "--service",
        "orders",
    ];
    assert_eq!(json(&["classify", before, after]), json(&of_store));
    assert_eq!(stdout(&["store", "check", store]), "whole\t2\truns\n");
}

#[test]
fn a_series_of_a_store_is_that_of_its_files() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let store = store.to_str().unwrap();
    let mut of_files = vec!["series".to_owned()];
    let labels = [("before", "1.9"), ("after", "1.10")];
    for (side, label) in labels {
        for (run, host) in [(1, "db1"), (2, "db2")] {
            let [recording, binary] = orders(side, run);
            let mut arguments = add(store, &recording, label, host);
            arguments.extend(["--binary", &binary]);
            stdout(&arguments);
            of_files.push(format!("{label}={recording}"));
            of_files.extend(["--binary".to_owned(), format!("{label}={binary}")]);
        }
    }
    let of_files = json(&of_files.iter().map(String::as_str).collect::<Vec<_>>());
    let of_store = json(&["series", "--store", store, "service=orders"]);
    assert_eq!(of_store["builds"].as_array().unwrap().len(), 2);
    assert_eq!(of_files, of_store);
    assert!(refusal(&["series", "--store", store, "build=1.9"]).contains("recordings of one build only"));
    assert!(
        refusal(&["series", "--store", store, "build=2"]).contains("its runs have build=1.10, build=1.9")
    );
}

#[test]
fn a_run_is_added_once() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let [recording, _] = orders("before", 1);
    let arguments = add(store.to_str().unwrap(), &recording, "a", "h");
    let first = stdout(&arguments);
    let before = files(&store);
    let again = stdout(&arguments);
    assert!(first.contains("\tadded\t") && again.contains("\talready there\t0\t"), "{first}{again}");
    assert_eq!(first.split('\t').next(), again.split('\t').next());
    assert_eq!(before, files(&store));
    let other_host = stdout(&add(store.to_str().unwrap(), &recording, "a", "other"));
    assert!(other_host.contains("\tadded\t"));
    let windows = directory.path().join("w.tsv");
    std::fs::write(&windows, "capture\ttps\nbefore-r1\t500\n").unwrap();
    let mut with_tps = arguments.clone();
    with_tps.extend(["--windows", windows.to_str().unwrap()]);
    let output = pdiff(&with_tps);
    let warning = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && warning.contains("with other operations"), "{warning}");
    let list = stdout(&["store", "list", store.to_str().unwrap(), "host=h"]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(list.contains("\torders\ta\th\t2026-11-24\tcpu-clock\t2534\t2536536534\t"), "{list}");
}

/// Without its binary a run has no inlined functions: adding it again where the binary is mends that.
#[test]
fn a_run_added_again_with_its_binary_replaces_the_one_without() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    let bare = |side, run, host| {
        let [recording, binary] = orders(side, run);
        let without: Vec<String> = add(name, &recording, side, host).into_iter().map(str::to_owned).collect();
        let with = without.iter().cloned().chain(["--binary".to_owned(), binary]).collect::<Vec<_>>();
        [without, with]
    };
    let run = |arguments: &[String]| stdout(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let [without, with] = bare("before", 1, "db1");
    assert!(run(&without).contains("\tadded\t"));
    assert!(run(&bare("before", 2, "db2")[1]).contains("\tadded\t"));
    for (number, host) in [(1, "db1"), (2, "db2")] {
        assert!(run(&bare("after", number, host)[1]).contains("\tadded\t"));
    }
    let gated = [
        "compare",
        "--store",
        name,
        "--before",
        "build=before",
        "--after",
        "build=after",
        "--fail-on",
        "delta_self_pp > 5",
        "--no-cache",
    ];
    let mixed = pdiff(&gated);
    let text = String::from_utf8_lossy(&mixed.stdout).into_owned();
    assert!(text.contains("was there for 1 of 2 recordings") && text.contains("all of orders"), "{text}");
    assert_eq!(mixed.status.code(), Some(3), "{}", String::from_utf8_lossy(&mixed.stderr));
    let id = run(&without).split('\t').next().unwrap().to_owned();
    let replaced = run(&with);
    assert!(replaced.starts_with(&format!("{id}\treplaced\t")), "{replaced}");
    assert!(run(&with).contains("\talready there\t") && run(&without).contains("\talready there\t"));
    assert_eq!(stdout(&["store", "check", name]), "whole\t4\truns\n");
    let compared =
        stdout(&["compare", "--store", name, "--before", "build=before", "--after", "build=after"]);
    assert!(!compared.contains("was there for"), "{compared}");
}

/// Both find the store without the run. One of them has more of it.
#[test]
fn two_writers_of_a_run_leave_the_one_with_its_binary() {
    let directory = tempfile::tempdir().unwrap();
    let [recording, binary] = orders("before", 1);
    for turn in 0..6 {
        let store = directory.path().join(turn.to_string());
        let name = store.to_str().unwrap();
        let writer = |rest: &[&str]| {
            let mut command = pdiff_testing::pdiff();
            command.args(add(name, &recording, "a", "h")).args(rest).stdout(Stdio::null());
            command.env("XDG_CACHE_HOME", "/nonexistent").spawn().unwrap()
        };
        let bare = || writer(&["--no-symbolize"]);
        let writers = [bare(), writer(&["--binary", &binary]), bare(), writer(&["--binary", &binary])];
        for mut writer in writers {
            assert!(writer.wait().unwrap().success());
        }
        assert_eq!(stdout(&["store", "check", name]), "whole\t1\truns\n");
        let list = stdout(&["store", "list", name]);
        assert!(list.lines().nth(1).is_some_and(|run| !run.ends_with("\t0")), "{list}");
    }
}

#[test]
fn what_counts_twice_or_does_not_belong_together_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let runs = path("runs");
    let [first, _] = orders("before", 1);
    let [after, _] = orders("after", 1);
    for host in ["db1", "db2"] {
        stdout(&add(&runs, &first, "a", host));
    }
    stdout(&add(&runs, &after, "b", "db1"));
    let compare = ["compare", "--store", &runs, "--before", "build=a", "--after", "build=b", "--no-cache"];
    let warned = |arguments: &[&str]| String::from_utf8(pdiff(arguments).stderr).unwrap();
    assert!(warned(&compare).contains("has the same samples as"), "{}", warned(&compare));
    assert!(!warned(&compare).contains("several services"));
    let [second, _] = orders("before", 2);
    let other =
        ["store", "add", &runs, &second, "--service", "x", "--build", "a", "--host", "h", "-q", "--no-cache"];
    stdout(&other);
    assert!(
        warned(&compare).contains("--before: runs of several services: orders, x"),
        "{}",
        warned(&compare)
    );
    let chosen: Vec<&str> = compare.into_iter().chain(["--service", "orders"]).collect();
    assert!(!warned(&chosen).contains("several services"));
}

/// The text of a recording ends where the disk was full.
#[test]
fn a_recording_that_is_cut_off_is_added_with_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let text = "prog 1 [000] 1.000000: 100 cycles:\n\t1000 f+0x1 (/bin/prog)\n\n";
    std::fs::write(path("whole.perf"), text.repeat(200)).unwrap();
    std::fs::write(path("cut.perf"), format!("{}prog 1 [000] 2.0000", text.repeat(200))).unwrap();
    let warned =
        |file: &str| String::from_utf8(pdiff(&add(&path("runs"), &path(file), "a", file)).stderr).unwrap();
    assert_eq!(warned("whole.perf"), "");
    let warning = warned("cut.perf");
    assert!(warning.starts_with("pdiff: warning: ") && warning.contains("is imperfect: "), "{warning}");
}

/// Each of them sees a whole store at any time.
#[test]
fn many_writers_at_once_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let [recording, _] = orders("before", 1);
    // Two writers a host: half of the runs are there already, or are written at the same time.
    let hosts: Vec<String> = (0..20).map(|host| format!("h{}", host / 2)).collect();
    let spawn = |host: &String| {
        let arguments = add(store.to_str().unwrap(), &recording, "a", host);
        let mut command = pdiff_testing::pdiff();
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let writers: Vec<_> = hosts.iter().map(spawn).collect();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(stdout(&["store", "check", store.to_str().unwrap()]), "whole\t10\truns\n");
}

#[test]
fn a_writer_that_is_killed_leaves_no_part_of_a_run_to_be_seen() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    let [recording, _] = orders("before", 1);
    stdout(&add(name, &recording, "a", "first"));
    let hosts: Vec<String> = (0..12).map(|host| format!("h{host}")).collect();
    for (at, host) in (0..).zip(&hosts) {
        let mut writer = pdiff_testing::pdiff();
        let mut writer = writer.args(add(name, &recording, "a", host)).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 * at));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let check = stdout(&["store", "check", name]);
        assert!(!check.contains("damaged") && !check.contains("foreign"), "{check}");
        stdout(&["compare", "--store", name, "--before", "build=a", "--after", "build=a", "--no-cache"]);
    }
    // Added again, all of them are whole.
    hosts.iter().for_each(|host| drop(stdout(&add(name, &recording, "a", host))));
    assert!(stdout(&["store", "check", name]).starts_with("whole\t13\truns\n"));
}

/// A run of which a table is not there any more is as if it had never been finished, whatever table it is.
#[test]
fn runs_without_their_last_file_are_not_there() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    let [recording, _] = orders("before", 1);
    stdout(&add(name, &recording, "a", "h"));
    std::fs::remove_file(file_of(&store, "runs")).unwrap();
    assert_eq!(stdout(&["store", "list", name]).lines().count(), 1);
    let check = stdout(&["store", "check", name]);
    assert!(check.starts_with("whole\t0\truns\n") && check.matches("unfinished\t").count() == 5, "{check}");
    // They are of a writer that may be at work, so they are not removed yet.
    assert!(stdout(&["store", "prune", name, "--unfinished"]).starts_with("0 runs, 0 files"));
    for file in files(&store.join("samples")) {
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(7200);
        std::fs::File::options().write(true).open(file).unwrap().set_modified(long_ago).unwrap();
    }
    assert!(stdout(&["store", "prune", name, "--unfinished"]).starts_with("0 runs, 1 file,"));
    assert!(stdout(&add(name, &recording, "a", "h")).contains("\tadded\t"));
    assert_eq!(stdout(&["store", "check", name]), "whole\t1\truns\n");
}

#[test]
fn damaged_files_are_named_in_one_line() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    let [recording, _] = orders("before", 1);
    stdout(&add(name, &recording, "a", "h"));
    for table in ["functions", "frames", "stacks", "samples", "packs", "runs"] {
        let file = file_of(&store, table);
        let whole = std::fs::read(&file).unwrap();
        let flipped = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x5a;
            bytes
        };
        let cuts = [0, 11, whole.len() / 3, whole.len() - 1].map(|len| whole[..len].to_vec());
        let odd = [b"PAR1".repeat(40), flipped(2)];
        for bytes in cuts.into_iter().chain(odd) {
            std::fs::write(&file, &bytes).unwrap();
            let error = refusal(&["store", "check", name]);
            assert!(error.contains("1 of 1 runs are damaged") && error.contains(" --damaged`"), "{error}");
            let list = pdiff(&["store", "check", name]).stdout;
            let list = String::from_utf8(list).unwrap();
            assert!(list.contains("damaged\t") && list.contains(table), "{table}: {list}");
            if table == "runs" {
                let error = refusal(&["store", "list", name]);
                assert!(error.contains("run-") && error.contains("hint: "), "{error}");
                refusal(&add(name, &recording, "a", "h"));
            }
            if ["runs", "packs"].contains(&table) {
                refusal(&["compare", "--store", name, "--before", "build=a", "--after", "build=a"]);
            }
        }
        // Any byte of a table may be any other. That of `runs` has bytes that mean nothing, as statistics.
        for at in (0..whole.len()).step_by(whole.len() / 7 + 1) {
            std::fs::write(&file, flipped(at)).unwrap();
            let output = pdiff(&["store", "check", name]);
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(errors.lines().count() <= 1 && !errors.contains("panicked"), "{table} {at}: {errors}");
            assert!(output.status.code() == Some(2) || table == "runs", "{table} {at}");
            if !["runs", "packs"].contains(&table) {
                assert!(refusal(&["store", "sums", name]).contains(table), "{table} {at}");
            }
        }
        std::fs::remove_file(&file).unwrap();
        if table != "runs" {
            refusal(&["store", "check", name]);
        }
        std::fs::write(&file, &whole).unwrap();
        assert_eq!(stdout(&["store", "check", name]), "whole\t1\truns\n");
    }
    let [second, _] = orders("before", 2);
    stdout(&add(name, &second, "b", "h"));
    let damaged = file_of(&store.join("runs/service=orders/build=a"), ".");
    std::fs::write(&damaged, "PAR1").unwrap();
    let dry = stdout(&["store", "prune", name, "--damaged", "--dry-run"]);
    assert!(dry.starts_with("1 run, 6 files, ") && damaged.is_file(), "{dry}");
    assert!(stdout(&["store", "prune", name, "--damaged"]).starts_with("1 run, 6 files, "));
    assert_eq!(stdout(&["store", "check", name]), "whole\t1\truns\n");
    assert!(stdout(&["store", "list", name]).contains("\tb\th\t"));
}

#[test]
fn foreign_files_are_not_runs() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    let [recording, _] = orders("before", 1);
    stdout(&add(name, &recording, "a", "h"));
    let run = file_of(&store, "runs");
    std::fs::write(run.with_file_name("notes.txt"), "x").unwrap();
    std::fs::copy(&run, run.with_file_name("copy.parquet")).unwrap();
    std::fs::write(store.join("runs/README"), "x").unwrap();
    assert_eq!(stdout(&["store", "list", name]).lines().count(), 2);
    let check = stdout(&["store", "check", name]);
    assert_eq!(check.matches("foreign\t").count(), 3, "{check}");
    // A run in a directory that says otherwise is refused, and so is one under another run's name.
    let elsewhere = store.join("runs/service=orders/build=b/day=2026-11-24");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::fs::copy(&run, elsewhere.join(run.file_name().unwrap())).unwrap();
    assert!(refusal(&["store", "list", name]).contains("belongs in another directory"));
    std::fs::remove_dir_all(&elsewhere).unwrap();
    let other = format!("run-{}.parquet", "0".repeat(32));
    std::fs::copy(&run, run.with_file_name(other)).unwrap();
    assert!(refusal(&["store", "list", name]).contains("of another run than its name says"));
}

#[test]
fn wrong_words_are_refused_and_nothing_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let [recording, _] = orders("before", 1);
    let check = |arguments: &[&str], expected: &str| {
        let error = refusal(arguments);
        assert!(error.contains(expected) && error.contains("hint: "), "{error}");
    };
    check(&["store", "list", &path("none")], "is not a store");
    check(&add(&path("new"), &recording, "", "h"), "build '' is empty");
    check(&add(&path("new"), &recording, "a", "h\n"), "control characters");
    assert!(refusal(&add(&path("new"), &path("missing.perf"), "a", "h")).contains("missing.perf"));
    assert!(!Path::new(&path("new")).exists());
    std::fs::create_dir(path("full")).unwrap();
    std::fs::write(path("full/x"), "x").unwrap();
    check(&add(&path("full"), &recording, "a", "h"), "is not a store and not empty");
    std::fs::create_dir(path("later")).unwrap();
    std::fs::write(path("later/pdiff-store"), "pdiff store, version 99\n").unwrap();
    check(&add(&path("later"), &recording, "a", "h"), "'pdiff store, version 99'");
    stdout(&add(&path("runs"), &recording, "a", "h"));
    let runs = path("runs");
    let compare = |word| vec!["compare", "--store", &runs, "--before", word, "--after", "build=a"];
    check(&compare("build=x"), "no run of");
    check(&compare("a"), "'a' does not choose runs");
    check(&["store", "prune", &runs, "build=x"], "no run of");
    check(&["store", "prune", &runs, "build=x"], "its runs have build=a");
    check(&["store", "prune", &runs, "build=a", "host=x"], "its runs have host=h");
    check(&["store", "prune", &runs, "kernel=x"], "its runs have no kernel");
    check(&["store", "sums", &runs, "service=x"], "its runs have service=orders");
    check(&["store", "list", &runs, "-o", &path("runs/pdiff-store")], "it is in the store");
    check(&["compare", &recording, &recording, "-o", &path("runs/samples/x.txt")], "it is in the store");
    assert_eq!(std::fs::read_to_string(path("runs/pdiff-store")).unwrap(), "pdiff store, version 2\n");
    let both = pdiff(&["store", "prune", &runs, "--unfinished", "build=a"]);
    assert_eq!(both.status.code(), Some(2));
    stdout(&["store", "prune", &runs, "build=a"]);
    check(&compare("build=a"), "has no runs; hint: add some");
    check(&["series", "--store", &runs], "has no runs; hint: add some");
    let listed = pdiff(&["store", "list", &runs]);
    assert!(listed.status.success() && String::from_utf8_lossy(&listed.stderr).contains("has no runs"));
    check(&["store", "prune", &runs, "--before-day", "soon"], "is not a date");
}

#[test]
fn pruning_removes_whole_runs() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    for (run, build) in [(1, "a"), (2, "b"), (3, "c")] {
        let [recording, _] = orders("before", run);
        stdout(&add(name, &recording, build, "h"));
    }
    let dry = stdout(&["store", "prune", name, "build=a", "build=b", "--dry-run"]);
    let (sum, list) = dry.split_once('\n').unwrap();
    assert!(sum.starts_with("2 runs, 12 files, ") && sum.ends_with(" would be removed"), "{dry}");
    assert!(list.contains("\torders\ta\th\t2026-11-24\n") && list.lines().count() == 2, "{dry}");
    assert_eq!(stdout(&["store", "check", name]), "whole\t3\truns\n");
    assert!(stdout(&["store", "prune", name, "build=a"]).starts_with("1 run, 6 files, "));
    assert_eq!(stdout(&["store", "check", name]), "whole\t2\truns\n");
    assert!(stdout(&["store", "prune", name, "--before-day", "2026-11-24"]).starts_with("0 runs"));
    assert!(stdout(&["store", "prune", name, "--before-day", "2026-11-25"]).starts_with("2 runs"));
    let left: Vec<PathBuf> =
        files(&store).into_iter().filter(|file| !file.starts_with(store.join("unfinished"))).collect();
    assert_eq!(left, [store.join("pdiff-store")]);
}

/// What an analyst would type: the tables as views, the query as pdiff prints it, one line per row.
const DUCKDB: &str = r"
import duckdb, sys
store, sql, out = sys.argv[1:4]
engine = duckdb.connect()
for table in ['runs', 'samples', 'stacks', 'frames', 'functions']:
    files = f'{store}/{table}/**/*.parquet'
    engine.execute(f'CREATE VIEW {table} AS SELECT * FROM read_parquet(\'{files}\', hive_partitioning=false)')
engine.execute(f'COPY ({sql}) TO \'{out}\' (FORMAT parquet)')
found = engine.execute(f'SELECT * FROM \'{out}\'')
print('\t'.join(column[0] for column in found.description))
for row in found.fetchall():
    print('\t'.join(str(value) for value in row))
";

#[test]
fn duckdb_sums_a_store_to_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    store_of_orders(name);
    for (pack, build) in [("56-aligned-r1.pdiff", "5.6"), ("80-aligned-r1.pdiff", "8.0")] {
        let pack = fixture("mysql").join(pack);
        stdout(&add(name, pack.to_str().unwrap(), build, "db1"));
    }
    // Samples of a run that was not finished are not summed.
    let unfinished = file_of(&store, "runs");
    std::fs::remove_file(unfinished).unwrap();
    let Some(mut duckdb) = pdiff_testing::python_with("duckdb") else { return };
    let out = directory.path().join("sums.parquet");
    let sums = duckdb.args(["-c", DUCKDB, name, &stdout(&["store", "sql"])]).arg(&out).output().unwrap();
    assert!(sums.status.success(), "{}", String::from_utf8_lossy(&sums.stderr));
    let own = stdout(&["store", "sums", name]);
    assert!(own.lines().count() > 500, "{own}");
    assert!(own == String::from_utf8(sums.stdout).unwrap(), "the sums of DuckDB differ");
    // What the engine wrote is compared, too.
    let out = out.to_str().unwrap();
    stdout(&["compare", "--sums", out, out]);
}

/// Own weights by function, of one side; those without are left out, as functions that are never a leaf.
fn own_weights(comparison: &Value, side: &str) -> Vec<(String, u64)> {
    let rows = comparison["functions"].as_array().unwrap().iter();
    let own =
        rows.filter_map(|row| Some((row["name"].as_str()?.to_owned(), row[side]["self_weight"].as_u64()?)));
    let mut own: Vec<(String, u64)> = own.filter(|(_, weight)| *weight > 0).collect();
    own.sort();
    own
}

#[test]
fn sums_compare_as_the_runs_that_they_are_of() {
    let directory = tempfile::tempdir().unwrap();
    let store = directory.path().join("runs");
    let name = store.to_str().unwrap();
    store_of_orders(name);
    let sums = ["before", "after"].map(|build| {
        let file = directory.path().join(format!("{build}.parquet")).to_str().unwrap().to_owned();
        let chosen = format!("build={build}");
        stdout(&["store", "sums", name, &chosen, "--format", "parquet", "-o", &file]);
        file
    });
    let of_sums = json(&["compare", "--sums", &sums[0], &sums[1]]);
    let of_runs = json(&["compare", "--store", name, "--before", "build=before", "--after", "build=after"]);
    for side in ["before", "after"] {
        let (found, expected) = (own_weights(&of_sums, side), own_weights(&of_runs, side));
        assert!(found.len() > 10, "{found:?}");
        assert_eq!(found, expected, "{side}");
    }
    // An engine that gives nothing back, or another table.
    let nothing = directory.path().join("nothing.parquet");
    std::fs::write(&nothing, "").unwrap();
    for other in [nothing, file_of(&store, "functions"), directory.path().join("missing.parquet")] {
        let error = refusal(&["compare", "--sums", &sums[0], other.to_str().unwrap()]);
        assert!(error.contains("--sums: "), "{error}");
    }
    assert!(refusal(&["store", "sums", name, "build=none"]).contains("no run of"));
}

/// Inlined functions would look new, and a gate would fail where nothing changed.
#[test]
fn sums_with_inlined_functions_on_one_side_trip_no_gate() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let store = path("runs");
    for (run, build, is_bare) in [(1, "bare", true), (2, "other", true), (1, "full", false)] {
        let [recording, binary] = orders("before", run);
        let mut arguments = add(&store, &recording, build, "h");
        match is_bare {
            true => arguments.push("--no-symbolize"),
            false => arguments.extend(["--binary", &binary]),
        }
        stdout(&arguments);
        let word = format!("build={build}");
        stdout(&["store", "sums", &store, &word, "--format", "parquet", "-o", &path(build)]);
    }
    let gated = |after: &str| {
        let (bare, after) = (path("bare"), path(after));
        pdiff(&["compare", "--sums", &bare, &after, "--fail-on", "delta_self_pp > 30", "--no-cache"])
    };
    let uneven = gated("full");
    let text = String::from_utf8_lossy(&uneven.stdout).into_owned();
    assert!(text.contains("nothing is known of inlined functions in the sums of run"), "{text}");
    assert_eq!(uneven.status.code(), Some(3));
    let even = gated("other");
    let why = String::from_utf8_lossy(&even.stderr).into_owned();
    assert_eq!(even.status.code(), Some(0), "{why}");
}

#[test]
fn the_query_names_the_tables_of_the_store() {
    let sql = stdout(&["store", "sql"]);
    for table in ["runs", "samples", "stacks", "frames", "functions"] {
        assert!(sql.contains(&format!("FROM {table}")) || sql.contains(&format!("JOIN {table}")), "{table}");
    }
}
