//! Verdicts on a program of which every change is known: `fixtures/two-versions`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "two_versions/recorded.rs"]
mod recorded;

use std::collections::BTreeSet;
use std::path::Path;

use recorded::{ALL, GCC, Recorded, STRIPPED, fixture};
use serde_json::Value;

/// Operations of every run.
const OPERATIONS: &str = "1200000";

const CLANG: [Recorded; 2] =
    [Recorded { directory: "clang/before", runs: ALL }, Recorded { directory: "clang/after", runs: ALL }];

fn swapped([before, after]: [Recorded; 2]) -> [Recorded; 2] {
    [after, before]
}

/// The verdicts of a comparison.
fn classified(sides: [Recorded; 2], more: &[&str]) -> Vec<Value> {
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", "--quiet", "--no-cache", "--format", "json"]).args(more);
    for (side, name) in sides.iter().zip(["before", "after"]) {
        command.arg(format!("--{name}"));
        command.args(side.runs.iter().map(|run| fixture(side.directory).join(format!("{run}.perf.zst"))));
        command.arg(format!("--operations-{name}")).args(side.runs.iter().map(|_| OPERATIONS));
        command.arg(format!("--binary-{name}")).arg(fixture(side.directory).join("server"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["verdicts"].as_array().unwrap().clone()
}

fn verdict<'v>(verdicts: &'v [Value], function: &str) -> &'v Value {
    let mut of = verdicts.iter().filter(|verdict| verdict["function"] == function);
    let first = of.next().unwrap_or_else(|| panic!("no verdict on {function}"));
    assert!(of.next().is_none(), "several verdicts on {function}");
    first
}

/// The verdict of a case, which names a file where there are several functions of its name.
fn verdict_of<'v>(verdicts: &'v [Value], case: &toml::Table) -> &'v Value {
    let function = case["function"].as_str().unwrap();
    let Some(file) = case.get("file").and_then(toml::Value::as_str) else {
        return verdict(verdicts, function);
    };
    let is_it = |verdict: &&Value| verdict["function"] == function && verdict["file"] == file;
    verdicts.iter().find(is_it).unwrap_or_else(|| panic!("no verdict on {function} of {file}"))
}

/// The verdicts that the fixture's table asks for.
fn expected(compiler: &str) -> Vec<toml::Table> {
    let table: toml::Table = std::fs::read_to_string(fixture("expected.toml")).unwrap().parse().unwrap();
    let is_for = |case: &toml::Table| !strings(case, "not_in").contains(&compiler);
    let cases = table["case"].as_array().unwrap().iter().map(|case| case.as_table().unwrap().clone());
    cases.filter(is_for).collect()
}

fn strings<'t>(case: &'t toml::Table, key: &str) -> Vec<&'t str> {
    let words = case.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    words.map(|word| word.as_str().unwrap()).collect()
}

fn texts<'v>(verdict: &'v Value, key: &str) -> Vec<&'v str> {
    verdict[key].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// Holds the verdicts against the table; returns what differs.
fn wrong(verdicts: &[Value], compiler: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let cases = expected(compiler);
    assert!(cases.len() > 20, "the table was read");
    for case in &cases {
        let (function, cause) = (case["function"].as_str().unwrap(), case["cause"].as_str().unwrap());
        let verdict = verdict_of(verdicts, case);
        let confidence = case.get("confidence").and_then(toml::Value::as_str);
        let evidence = case.get("evidence").and_then(toml::Value::as_str).unwrap_or_default();
        let facts = verdict["evidence"].as_array().unwrap();
        let is_right = verdict["cause"] == cause
            && confidence.is_none_or(|confidence| verdict["confidence"] == confidence)
            && strings(case, "tags").iter().all(|tag| texts(verdict, "tags").contains(tag))
            && strings(case, "callers").iter().all(|name| texts(verdict, "callers").contains(name))
            && facts.iter().any(|fact| fact["text"].as_str().unwrap().contains(evidence));
        if !is_right {
            wrong.push(format!(
                "{compiler} {function} ({}): {} {} by {}, {}",
                case["is"], verdict["cause"], verdict["confidence"], verdict["rule_id"], verdict["evidence"]
            ));
        }
    }
    wrong
}

#[test]
fn every_change_of_the_gcc_builds_is_named() {
    let wrong = wrong(&classified(GCC, &["--inline-check"]), "gcc");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_change_of_the_clang_builds_is_named() {
    let wrong = wrong(&classified(CLANG, &["--inline-check"]), "clang");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The verdicts of packs alone: no binary, no compiler, no operations but those that were packed.
fn classified_from_packs(sides: [Recorded; 2]) -> Vec<Value> {
    answer_from_packs(sides)["verdicts"].as_array().unwrap().clone()
}

fn answer_from_packs(sides: [Recorded; 2]) -> Value {
    let mut command = pdiff_testing::pdiff();
    command.args(["classify", "--quiet", "--no-cache", "--inline-check", "--format", "json"]);
    for (side, name) in sides.iter().zip(["before", "after"]) {
        command.arg(format!("--{name}"));
        command.args(side.runs.iter().map(|run| fixture(side.directory).join(format!("{run}.pdiff"))));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_part_is_gone_or_new_only_where_one_build_alone_holds_it() {
    let mut checked = BTreeSet::new();
    let one_run = |side: Recorded| Recorded { runs: &[1], ..side };
    for sides in [GCC, CLANG, GCC.map(one_run), swapped(GCC.map(one_run))] {
        let answer = answer_from_packs(sides);
        let verdicts = answer["verdicts"].as_array().unwrap();
        for part in answer["findings"].as_array().unwrap() {
            let function = part["name"].as_str().unwrap().rsplit(" -> ").next().unwrap();
            let Some(verdict) = verdicts.iter().find(|verdict| verdict["name"] == function) else { continue };
            let is_held = ["before", "after"].map(|side| verdict["in_build"][side] == "yes");
            let is_one_sided = |cause: &str| part["cause"] == cause;
            assert_eq!(is_one_sided("gone"), is_held == [true, false], "{function}: {part}");
            // Or proved new code inside is what it costs more.
            let inside = &part["inside"];
            let is_new_inside = inside["cause"] == "new-overhead" && inside["confidence"] == "proved";
            let is_new = is_held == [false, true] || (is_new_inside && part["confidence"] == "likely");
            assert_eq!(is_one_sided("new-overhead"), is_new, "{function}: {part}");
            checked.extend(part["cause"].as_str().map(str::to_owned));
        }
    }
    assert!(checked.contains("gone") && checked.contains("new-overhead"), "{checked:?}");
    assert!(checked.contains("newly-active"), "{checked:?}");
}

/// A verdict as it is without the code of both builds, which proves a lost fast path, and which packs do not hold.
fn without_code_paths(verdict: &Value) -> Value {
    let mut verdict = verdict.clone();
    let facts = verdict["evidence"].as_array_mut().unwrap();
    facts.retain(|fact| fact["kind"] != "diff");
    let known = facts.len();
    facts.retain(|fact| {
        !fact["text"].as_str().unwrap().contains("every way through its code leads to that call")
    });
    if facts.len() < known {
        assert_eq!(verdict["confidence"], "proved");
        verdict["confidence"] = "likely".into();
        verdict["limited_by"] =
            "only samples show it: counts of these calls may prove it, or a patch that takes it back".into();
    }
    verdict
}

#[test]
fn packs_alone_give_every_verdict_of_recordings_and_binaries() {
    for (sides, compiler) in [(GCC, "gcc"), (CLANG, "clang")] {
        let of_packs = classified_from_packs(sides);
        let wrong = wrong(&of_packs, compiler);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let of_binaries = classified(sides, &["--inline-check"]);
        assert_eq!(of_packs.len(), of_binaries.len());
        for (pack, binary) in of_packs.iter().zip(&of_binaries) {
            assert_eq!(*pack, without_code_paths(binary), "{compiler}");
        }
    }
}

/// Causes that code proves, and the functions they are true of.
const PROVABLE: [(&str, &[&str]); 4] = [
    (
        "inline-change",
        &[
            "hash_key",
            "lookup_index",
            "update_index",
            "compare_key",
            "scan_page",
            "scan_leaf",
            "scan_root",
            "field_length",
            "read_record",
            "pack_row",
            "write_row",
            "check_slot",
            "run_clones",
        ],
    ),
    ("new-overhead", &["check_policy"]),
    ("gone", &["probe_cache"]),
    ("missing-fast-path", &["get_stats"]),
];

#[test]
fn nothing_wrong_is_proved() {
    for (sides, name) in [(GCC, "gcc"), (CLANG, "clang"), ([GCC[0], CLANG[1]], "gcc to clang")] {
        let verdicts = classified(sides, &[]);
        let mut proved = 0;
        for verdict in verdicts.iter().filter(|verdict| verdict["confidence"] == "proved") {
            let cause = verdict["cause"].as_str().unwrap();
            let function = verdict["function"].as_str().unwrap();
            let is_move = cause == "moved" && (function.contains("finish") || function.contains("search"));
            let is_true = PROVABLE.iter().any(|(of, names)| *of == cause && names.contains(&function));
            assert!(is_true || is_move || cause == "noise", "{name}: {function} is {cause}, proved");
            proved += 1;
        }
        assert!(proved > 0, "{name}");
    }
}

#[test]
fn counts_prove_more_calls() {
    let counts = fixture("counts.tsv");
    let verdicts = classified(GCC, &["--counts", counts.to_str().unwrap()]);
    let compare_rows = verdict(&verdicts, "compare_rows");
    assert_eq!(compare_rows["cause"], "more-calls");
    assert_eq!(compare_rows["confidence"], "proved");
    assert_eq!(verdict(&verdicts, "parse_packet")["cause"], "heavier");
}

#[test]
fn swapped_sides_give_mirrored_verdicts() {
    let mirrors = [
        ("inline-change", "inline-change"),
        ("new-overhead", "gone"),
        ("gone", "new-overhead"),
        ("heavier", "lighter"),
        ("lighter", "heavier"),
        ("noise", "noise"),
        ("newly-active", "lighter"),
        ("consequence", "consequence"),
    ];
    for (sides, compiler) in [(GCC, "gcc"), (CLANG, "clang")] {
        let back = classified(swapped(sides), &[]);
        for case in expected(compiler) {
            let (function, cause) = (case["function"].as_str().unwrap(), case["cause"].as_str().unwrap());
            if let Some((_, mirror)) = mirrors.iter().find(|(of, _)| *of == cause) {
                assert_eq!(verdict_of(&back, &case)["cause"], *mirror, "{compiler} {function}");
            }
        }
    }
}

#[test]
fn one_binary_on_both_sides_gives_noise() {
    let of = |run: &'static [u8]| Recorded { directory: "gcc/after", runs: run };
    let verdicts = classified([of(&[1]), of(&[2])], &[]);
    assert!(verdicts.len() > 30);
    for verdict in verdicts {
        assert_eq!(verdict["cause"], "noise", "{}", verdict["function"]);
    }
}

#[test]
fn nothing_is_absent_from_a_stripped_build() {
    for sides in [[STRIPPED, GCC[1]], [GCC[1], STRIPPED]] {
        let stripped = if sides[0].directory == STRIPPED.directory { "before" } else { "after" };
        for more in [&[][..], &["--inline-check"]] {
            let verdicts = classified(sides, more);
            for verdict in &verdicts {
                let function = &verdict["function"];
                assert_ne!(verdict["in_build"][stripped], "no", "{function}");
                for claim in ["inline-regression", "inline-gain", "new-overhead", "gone"] {
                    assert_ne!(verdict["cause"], claim, "{function}");
                }
                assert_ne!(verdict["confidence"], "proved", "{function}");
            }
            assert_eq!(verdict(&verdicts, "check_policy")["confidence"], "unclear");
        }
    }
}

#[test]
fn a_rename_that_is_told_makes_one_row_and_is_no_move() {
    let aliases = Path::new(env!("CARGO_TARGET_TMPDIR")).join("two-versions-aliases.toml");
    let text = "[[alias]]\nbefore = \"search_rows\"\nafter = \"search_rows_by_key\"\n";
    std::fs::write(&aliases, text).unwrap();
    for sides in [GCC, CLANG] {
        let untold = classified(sides, &[]);
        assert_eq!(verdict(&untold, "search_rows_by_key")["rule_id"], "R-moved");
        assert_eq!(verdict(&untold, "search_rows")["rule_id"], "R-moved");
        let told = classified(sides, &["--aliases", aliases.to_str().unwrap()]);
        assert!(told.iter().all(|verdict| verdict["function"] != "search_rows"), "one row for both names");
        let row = verdict(&told, "search_rows_by_key");
        // Its share fell as that of all that did not change: noise, or moved with no more than that.
        assert!(["noise", "moved"].contains(&row["cause"].as_str().unwrap()), "{row}");
        for side in ["before", "after"] {
            assert!(row[side]["self_pct"].as_f64().unwrap() > 1.0, "{row}");
        }
        let facts = row["evidence"].as_array().unwrap();
        assert!(facts.iter().any(|fact| fact["text"] == "the same function by alias name"), "{row}");
    }
}
