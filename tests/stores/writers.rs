//! Runs added to a store and removed from it: all of a run is there, or nothing of it.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use crate::{add, file_of, files, orders, pdiff, stdout};

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
