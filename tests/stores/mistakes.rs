//! What is damaged, wrong or does not belong together: one line says so.

use std::path::Path;

use crate::{add, file_of, orders, pdiff, refusal, stdout};

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
    // A directory or another file of the marker's name makes no store.
    std::fs::create_dir_all(path("work/pdiff-store")).unwrap();
    stdout(&["store", "list", &runs, "-o", &path("work/list.tsv")]);
    stdout(&["store", "list", &runs, "-o", &path("work/pdiff-store/list.tsv")]);
    std::fs::write(path("full/pdiff-store"), "the program").unwrap();
    stdout(&["store", "list", &runs, "-o", &path("full/list.tsv")]);
    let both = pdiff(&["store", "prune", &runs, "--unfinished", "build=a"]);
    assert_eq!(both.status.code(), Some(2));
    stdout(&["store", "prune", &runs, "build=a"]);
    check(&compare("build=a"), "has no runs; hint: add some");
    check(&["series", "--store", &runs], "has no runs; hint: add some");
    let listed = pdiff(&["store", "list", &runs]);
    assert!(listed.status.success() && String::from_utf8_lossy(&listed.stderr).contains("has no runs"));
    check(&["store", "prune", &runs, "--before-day", "soon"], "is not a date");
}
