//! Profiles for the Firefox Profiler: every table is whole, every index lies within its table, and no weight is lost.
//!
//! Checked is what version 55 of the processed profile format asks for: columns of one length, references that exist, stacks below
//! their callers, times that do not go backwards.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

fn run(arguments: &[&Path]) -> Vec<u8> {
    let output =
        pdiff_testing::pdiff().args(arguments).env("XDG_CACHE_HOME", "/nonexistent").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn comparison(arguments: &[&Path]) -> Value {
    let causes = [Path::new("--causes")];
    recorded(&[&causes, arguments].concat())
}

/// With chains as recorded: causes put back callers that chains hide, and profiles do not.
fn recorded(arguments: &[&Path]) -> Value {
    let fixed = ["compare", "--no-cache", "--format", "json"].map(Path::new);
    serde_json::from_slice(&run(&[&fixed, arguments].concat())).unwrap()
}

fn profile(arguments: &[&Path]) -> Value {
    let fixed = ["flame", "--no-cache", "--quiet", "--format", "firefox"].map(Path::new);
    serde_json::from_slice(&run(&[&fixed, arguments].concat())).unwrap()
}

/// Tables of a thread with the columns that each has to have; those that refer to another table by index name it, and `?` is said of
/// columns that may have `null` or -1 for nothing.
const TABLES: &[(&str, &[(&str, &str)])] = &[
    ("resourceTable", &[("lib", "libs"), ("name", "stringArray"), ("host", ""), ("type", "")]),
    (
        "funcTable",
        &[
            ("name", "stringArray"),
            ("isJS", ""),
            ("relevantForJS", ""),
            ("resource", "resourceTable?"),
            ("fileName", "stringArray?"),
            ("lineNumber", ""),
            ("columnNumber", ""),
        ],
    ),
    (
        "nativeSymbols",
        &[("address", ""), ("functionSize", ""), ("libIndex", "libs"), ("name", "stringArray")],
    ),
    (
        "frameTable",
        &[
            ("address", ""),
            ("inlineDepth", ""),
            ("category", "categories"),
            ("subcategory", ""),
            ("func", "funcTable"),
            ("nativeSymbol", "nativeSymbols?"),
            ("innerWindowID", ""),
            ("line", ""),
            ("column", ""),
        ],
    ),
    ("stackTable", &[("prefix", "stackTable?"), ("frame", "frameTable")]),
    ("samples", &[("stack", "stackTable?"), ("timeDeltas", ""), ("weight", "")]),
    (
        "markers",
        &[
            ("category", "categories"),
            ("data", ""),
            ("name", "stringArray"),
            ("phase", ""),
            ("startTime", ""),
            ("endTime", ""),
        ],
    ),
];

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("an array is missing: {value}"))
}

/// Panics where the profile breaks the format.
fn check(profile: &Value) {
    let meta = &profile["meta"];
    assert_eq!(meta["preprocessedProfileVersion"], 55);
    assert_eq!((&meta["symbolicated"], &meta["startTime"]), (&Value::Bool(true), &0.into()));
    assert!(meta["interval"].as_f64().unwrap() > 0.0 && meta["product"].is_string());
    let categories = array(&meta["categories"]);
    assert!(categories.iter().any(|category| category["color"] == "grey" && category["name"] == "Other"));
    let types: BTreeSet<&str> =
        array(&meta["markerSchema"]).iter().filter_map(|schema| schema["name"].as_str()).collect();
    for key in ["pages", "profilerOverhead", "counters", "libs", "threads"] {
        array(&profile[key]);
    }
    for lib in array(&profile["libs"]) {
        for key in ["name", "path", "debugName", "debugPath", "breakpadId"] {
            assert!(lib[key].is_string(), "{lib}");
        }
        assert_eq!(lib["breakpadId"].as_str().unwrap().len(), 33);
    }
    let tids: BTreeSet<&str> =
        array(&profile["threads"]).iter().filter_map(|thread| thread["tid"].as_str()).collect();
    assert_eq!(tids.len(), array(&profile["threads"]).len(), "each thread has a number of its own");
    let mut pids: Vec<&Value> = array(&profile["threads"]).iter().map(|thread| &thread["pid"]).collect();
    pids.dedup();
    for pid in pids {
        let of_process = array(&profile["threads"]).iter().filter(|thread| thread["pid"] == *pid);
        let mains: Vec<bool> = of_process.map(|thread| thread["isMainThread"].as_bool().unwrap()).collect();
        assert!(mains[0] && !mains[1..].contains(&true), "the main thread of a process comes first");
    }
    let mut symbols = BTreeMap::new();
    for thread in array(&profile["threads"]) {
        let table = &thread["nativeSymbols"];
        let columns =
            array(&table["libIndex"]).iter().zip(array(&table["address"])).zip(array(&table["name"]));
        for ((lib, address), name) in columns {
            let name = &thread["stringArray"][name.as_u64().unwrap() as usize];
            let place = (lib.as_u64().unwrap(), address.as_u64().unwrap());
            assert_eq!(
                *symbols.entry(place).or_insert(name),
                name,
                "the profiler merges functions by address"
            );
        }
        check_thread(thread, array(&profile["libs"]).len(), categories.len());
        for data in array(&thread["markers"]["data"]) {
            assert!(types.contains(data["type"].as_str().unwrap()), "{data}");
        }
    }
}

fn check_thread(thread: &Value, libs: usize, categories: usize) {
    for key in ["name", "processName", "processType", "pid", "tid"] {
        assert!(thread[key].is_string(), "{key}");
    }
    assert!(array(&thread["stringArray"]).iter().all(Value::is_string));
    let length = |table: &str| match table {
        "libs" => libs,
        "categories" => categories,
        "stringArray" => array(&thread[table]).len(),
        _ => usize::try_from(thread[table]["length"].as_u64().unwrap()).unwrap(),
    };
    for (table, columns) in TABLES {
        for (column, refers_to) in *columns {
            let values = array(&thread[table][column]);
            assert_eq!(values.len(), length(table), "{table}.{column}");
            if refers_to.is_empty() {
                continue;
            }
            let of = length(refers_to.trim_end_matches('?'));
            for value in values {
                let is_nothing = refers_to.ends_with('?') && (value.is_null() || *value == -1);
                assert!(
                    is_nothing || value.as_u64().unwrap() < of as u64,
                    "{table}.{column}: {value} of {of}"
                );
            }
        }
    }
    for (stack, prefix) in array(&thread["stackTable"]["prefix"]).iter().enumerate() {
        assert!(prefix.is_null() || prefix.as_u64().unwrap() < stack as u64, "callers come first");
    }
    for delta in array(&thread["samples"]["timeDeltas"]) {
        assert!(delta.as_f64().unwrap() >= 0.0);
    }
    check_inlined(thread);
}

/// What is inlined is called by what holds it, which has its address and symbol.
fn check_inlined(thread: &Value) {
    let (stacks, frames) = (&thread["stackTable"], &thread["frameTable"]);
    let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    for (stack, frame) in array(&stacks["frame"]).iter().enumerate() {
        let frame = index(frame);
        let depth = frames["inlineDepth"][frame].as_u64().unwrap();
        if depth > 0 {
            let holder = index(&stacks["frame"][index(&stacks["prefix"][stack])]);
            assert_eq!(frames["inlineDepth"][holder].as_u64(), Some(depth - 1));
            assert_eq!(frames["address"][holder], frames["address"][frame]);
            assert_eq!(frames["nativeSymbol"][holder], frames["nativeSymbol"][frame]);
        }
    }
}

fn of_process<'a>(profile: &'a Value, process: &'a str) -> impl Iterator<Item = &'a Value> {
    array(&profile["threads"]).iter().filter(move |thread| thread["pid"] == process)
}

/// The weight of all samples of a process, in the unit of the event.
fn weight(profile: &Value, process: &str) -> u64 {
    let mut sum = 0.0;
    for thread in of_process(profile, process) {
        let of_unit = if thread["samples"]["weightType"] == "tracing-ms" { 1e6 } else { 1.0 };
        sum += array(&thread["samples"]["weight"])
            .iter()
            .map(|weight| weight.as_f64().unwrap() * of_unit)
            .sum::<f64>();
    }
    sum.round() as u64
}

/// Self and total of each function of a process, found by walking its stacks.
fn rows(profile: &Value, process: &str) -> BTreeMap<String, (u64, u64)> {
    let mut rows: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for thread in of_process(profile, process) {
        let of = |table: &str, column: &str, at: &Value| {
            thread[table][column][at.as_u64().unwrap() as usize].clone()
        };
        let samples = &thread["samples"];
        for (stack, weight) in array(&samples["stack"]).iter().zip(array(&samples["weight"])) {
            let (mut seen, mut next) = (BTreeSet::new(), stack.clone());
            while !next.is_null() {
                let func = of("frameTable", "func", &of("stackTable", "frame", &next));
                let name = &thread["stringArray"][of("funcTable", "name", &func).as_u64().unwrap() as usize];
                let name = name.as_str().unwrap().to_owned();
                let row = rows.entry(name.clone()).or_default();
                row.0 += if next == *stack { weight.as_f64().unwrap() } else { 0.0 };
                row.1 += if seen.insert(name) { weight.as_f64().unwrap() } else { 0.0 };
                next = of("stackTable", "prefix", &next);
            }
        }
    }
    let whole = |ms: f64| (ms * 1e6).round() as u64;
    rows.into_iter().map(|(name, (own, total))| (name, (whole(own), whole(total)))).collect()
}

/// The same as pdiff's own table has it.
fn table(comparison: &Value, side: &str) -> BTreeMap<String, (u64, u64)> {
    let mut rows: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for row in array(&comparison["functions"]) {
        let weight = |key: &str| row[side][key].as_u64().unwrap_or(0);
        if weight("total_weight") > 0 {
            rows.insert(
                row["name"].as_str().unwrap().to_owned(),
                (weight("self_weight"), weight("total_weight")),
            );
        }
    }
    rows
}

fn inlined(profile: &Value) -> usize {
    let frames =
        array(&profile["threads"]).iter().flat_map(|thread| array(&thread["frameTable"]["inlineDepth"]));
    frames.filter(|depth| depth.as_u64() > Some(0)).count()
}

#[test]
fn both_sides_of_go_profiles_are_processes_with_their_findings() {
    let sides = [fixture("pprof/before.pb.gz"), fixture("pprof/after.pb.gz")];
    let sides: Vec<&Path> = sides.iter().map(PathBuf::as_path).collect();
    let (profile, comparison) = (profile(&sides), comparison(&sides));
    check(&profile);
    for side in ["before", "after"] {
        assert_eq!(Some(weight(&profile, side)), comparison[side]["weight"].as_u64());
        assert_eq!(rows(&profile, side), table(&comparison, side), "{side}");
        let main = of_process(&profile, side).next().unwrap();
        let markers = array(&main["markers"]["data"]);
        let findings = array(&comparison["findings"]);
        assert!(!findings.is_empty() && markers.len() == findings.len(), "{markers:?}");
        for (marker, finding) in markers.iter().zip(findings) {
            let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
            assert!(text(marker, "finding").ends_with(&text(finding, "name")), "{marker} {finding}");
            assert_eq!(
                text(marker, "cause"),
                format!("{}, {}", text(finding, "cause"), text(finding, "confidence"))
            );
        }
    }
    assert!(inlined(&profile) > 0);
    let files = array(&profile["threads"][0]["funcTable"]["fileName"]);
    assert!(files.iter().any(Value::is_u64), "files are kept");
    let lines = array(&profile["threads"][0]["frameTable"]["line"]);
    assert!(lines.iter().any(Value::is_u64), "lines are kept");
}

#[test]
fn recordings_are_symbolicated_and_keep_their_seconds() {
    let directory = fixture("inline-only");
    let files = ["before-r1.perf.zst", "after-r1.perf.zst", "before/orders", "after/orders"];
    let [before, after, old, new] = files.map(|name| directory.join(name));
    let sides = [&*before, &*after, "--binary-before".as_ref(), &*old, "--binary-after".as_ref(), &*new];
    let (profile, comparison) = (profile(&sides), recorded(&sides));
    check(&profile);
    for side in ["before", "after"] {
        assert_eq!(Some(weight(&profile, side)), comparison[side]["weight"].as_u64());
        assert_eq!(rows(&profile, side), table(&comparison, side), "{side}");
    }
    assert!(inlined(&profile) > 0);
    let span = comparison["before"]["runs"][0]["span_s"].as_f64().unwrap();
    let times: f64 = of_process(&profile, "before")
        .map(|thread| {
            array(&thread["samples"]["timeDeltas"]).iter().map(|delta| delta.as_f64().unwrap()).sum()
        })
        .fold(0.0, f64::max);
    assert!((times / 1000.0 - span).abs() < 2.0, "{times} ms of {span} s");
    let libs = array(&profile["libs"]);
    assert!(libs.iter().any(|lib| lib["name"] == "orders"), "{libs:?}");
}

#[test]
fn one_side_and_counts_are_written_and_a_name_that_ends_in_gz_is_packed() {
    let directory = tempfile::tempdir().unwrap();
    let (folded, packed) = (directory.path().join("a.folded"), directory.path().join("a.json.gz"));
    std::fs::write(&folded, "main;work;part_[i] 3\nmain;sys_[k] 4000000000\nmain 1\n").unwrap();
    let fixed = ["flame", "--quiet", "--format", "firefox", "-o"].map(Path::new);
    run(&[&fixed[..], &[&packed, &folded]].concat());
    let mut text = Vec::new();
    let file = std::fs::File::open(&packed).unwrap();
    flate2::read::GzDecoder::new(file).read_to_end(&mut text).unwrap();
    let profile: Value = serde_json::from_slice(&text).unwrap();
    check(&profile);
    assert_eq!(weight(&profile, "before"), 4_000_000_004, "more than 32 bits hold");
    assert_eq!((array(&profile["threads"]).len(), inlined(&profile)), (1, 1));
    let categories: BTreeSet<u64> = array(&profile["threads"][0]["frameTable"]["category"])
        .iter()
        .map(|of| of.as_u64().unwrap())
        .collect();
    assert_eq!(categories, BTreeSet::from([1, 2]), "user and kernel");
}

#[test]
fn options_for_pictures_are_refused() {
    let sides = [fixture("pprof/before.pb.gz"), fixture("pprof/after.pb.gz")];
    for (option, value) in [("--focus", "main"), ("--view", "gone"), ("--min-width", "1")] {
        let arguments = ["flame", "--format", "firefox", option, value];
        let output = pdiff_testing::pdiff().args(arguments).args(&sides).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(
            error.contains(option) && error.contains("a Firefox profile") && error.lines().count() == 1,
            "{error}"
        );
    }
}
