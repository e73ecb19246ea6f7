//! What is compared from a store is what is compared from the files.

use serde_json::Value;

use crate::{add, fixture, json, orders, refusal, stdout, store_of_orders};

/// Removes what differs in the code of both builds, which a store does not hold.
fn without_diffs(answer: &mut Value) {
    let Some(verdicts) = answer.get_mut("verdicts") else { return };
    for verdict in verdicts.as_array_mut().unwrap() {
        verdict["evidence"].as_array_mut().unwrap().retain(|fact| fact["kind"] != "diff");
    }
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
        let (mut of_files, of_store) = (json(&of_files), json(&of_store));
        without_diffs(&mut of_files);
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
