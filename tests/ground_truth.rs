//! Verdicts on a program of which every change is known: `fixtures/two-versions`, recorded, and rebuilt where compilers
//! are.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]
#![expect(clippy::print_stderr, reason = "a test that skips says so")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Operations of every run.
const OPERATIONS: &str = "1200000";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/two-versions").join(name)
}

/// One side: its recordings, and the binary that explains them.
#[derive(Clone, Copy)]
struct Recorded {
    directory: &'static str,
    runs: &'static [u8],
}

const ALL: &[u8] = &[1, 2, 3];
const GCC: [Recorded; 2] =
    [Recorded { directory: "gcc/before", runs: ALL }, Recorded { directory: "gcc/after", runs: ALL }];
const CLANG: [Recorded; 2] =
    [Recorded { directory: "clang/before", runs: ALL }, Recorded { directory: "clang/after", runs: ALL }];
const STRIPPED: Recorded = Recorded { directory: "gcc/before/stripped", runs: &[1, 2] };

fn swapped([before, after]: [Recorded; 2]) -> [Recorded; 2] {
    [after, before]
}

/// The verdicts of a comparison.
fn classified(sides: [Recorded; 2], more: &[&str]) -> Vec<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
    command.args(["classify", "--quiet", "--no-cache", "--inline-check", "--format", "json"]);
    for (side, name) in sides.iter().zip(["before", "after"]) {
        command.arg(format!("--{name}"));
        command.args(side.runs.iter().map(|run| fixture(side.directory).join(format!("{run}.pdiff"))));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["verdicts"].as_array().unwrap().clone()
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
            assert_eq!(pack, binary, "{compiler}");
        }
    }
}

/// Causes that code proves, and the functions they are true of.
const PROVABLE: [(&str, &[&str]); 4] = [
    (
        "inline-regression",
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
        ],
    ),
    ("inline-gain", &["pack_row", "write_row", "check_slot", "run_clones"]),
    ("new-overhead", &["check_policy"]),
    ("gone", &["probe_cache"]),
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
        ("inline-regression", "inline-gain"),
        ("inline-gain", "inline-regression"),
        ("new-overhead", "gone"),
        ("gone", "new-overhead"),
        ("heavier", "lighter"),
        ("lighter", "heavier"),
        ("noise", "noise"),
        ("newly-active", "lighter"),
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

/// What `pdiff explain` says of a function, as JSON.
fn explained(sides: [Recorded; 2], function: &str, more: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
    command.args(["explain", "--quiet", "--no-cache", "--format", "json", "--function", function]).args(more);
    for (side, name) in sides.iter().zip(["before", "after"]) {
        command.arg(format!("--{name}"));
        command.args(side.runs.iter().map(|run| fixture(side.directory).join(format!("{run}.perf.zst"))));
        command.arg(format!("--binary-{name}")).arg(fixture(side.directory).join("server"));
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn hot_lines_hold_the_text_of_each_sides_sources() {
    let roots = ["before", "after"].map(|side| fixture(side).to_str().unwrap().to_owned());
    let more = ["--source-root-before", &roots[0], "--source-root-after", &roots[1]];
    let json = explained(GCC, "parse_packet", &more);
    for side in ["before", "after"] {
        let lines = json["hot_lines"][0][side]["lines"].as_array().unwrap();
        assert!(!lines.is_empty(), "{side}");
        for line in lines {
            let file = line["file"].as_str().unwrap().rsplit('/').next().unwrap();
            let path = match fixture(side).join(file) {
                path if path.exists() => path,
                // Beside both sides' directories, so outside of their roots.
                _ => continue,
            };
            let text = std::fs::read_to_string(path).unwrap();
            let at = usize::try_from(line["line"].as_u64().unwrap()).unwrap();
            assert_eq!(
                line["source"].as_str().map(str::trim),
                text.lines().nth(at - 1).map(str::trim),
                "{line}"
            );
        }
        assert!(lines.iter().any(|line| line["source"].is_string()), "{side}: {lines:?}");
    }
}

#[test]
fn a_function_that_stands_inlined_is_not_said_to_be_without_samples_where_only_one_side_tells() {
    // Inlined everywhere in After, whose samples count by machine function beside a stripped build.
    let told = explained([STRIPPED, GCC[1]], "pack_row", &[]).to_string();
    assert!(told.contains("inlined copies were sampled cannot be told: the before build"), "{told}");
    let both = explained(GCC, "no_such_function", &[]).to_string();
    assert!(!both.contains("cannot be told"), "{both}");
}

/// What the sources make of a compiler's builds with debug information of a level (`-g`, `-g1`), by `pdiff inlines`.
fn rebuilt(compiler: &str, level: &str) {
    let is_there = Command::new(compiler).arg("--version").stdout(Stdio::null()).status();
    if !is_there.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: {compiler} is not here, so the sources are not rebuilt");
        return;
    }
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("two-versions-{compiler}{level}"));
    std::fs::create_dir_all(&directory).unwrap();
    let built = ["before", "after"].map(|side| {
        let output = directory.join(side);
        let mut sources: Vec<PathBuf> =
            std::fs::read_dir(fixture(side)).unwrap().map(|entry| entry.unwrap().path()).collect();
        sources.retain(|path| path.extension().is_some_and(|kind| kind == "cc"));
        sources.sort();
        let mut command = Command::new(compiler);
        command.args(["-O2", level, "-fno-omit-frame-pointer", "-o"]).arg(&output).args(sources);
        assert!(command.status().unwrap().success(), "{compiler} {side}");
        output
    });
    let output = Command::new(env!("CARGO_BIN_EXE_pdiff"))
        .args(["inlines", "--no-cache", "--format", "json"])
        .args(built)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let functions = json["functions"].as_array().unwrap();
    let row = |name: &str| functions.iter().find(|row| row["name"] == name).unwrap();
    let callers = |name: &str, flips: &str| -> Vec<String> {
        let flips = row(name)[flips].as_array().unwrap();
        let mut callers: Vec<String> =
            flips.iter().map(|flip| flip["caller_after"].as_str().unwrap().to_owned()).collect();
        callers.sort();
        callers
    };
    assert_eq!(row("hash_key")["change"], "lost", "{compiler} {level}");
    assert_eq!(callers("hash_key", "confirmed_lost"), ["lookup_index", "update_index"], "{compiler} {level}");
    assert_eq!(callers("field_length", "confirmed_lost"), ["read_record"], "{compiler} {level}");
    assert_eq!(callers("pack_row", "confirmed_gained"), ["write_row"], "{compiler} {level}");
    assert_eq!(row("check_policy")["change"], "new", "{compiler} {level}");
    assert_eq!(row("probe_cache")["change"], "gone", "{compiler} {level}");
    for name in ["search_rows_by_key", "txn::finish_transaction<unsigned long>", "find_slot", "fill_slot"] {
        assert!(
            row(name)["before"].is_object() && row(name)["after"].is_object(),
            "{compiler} {level} {name}"
        );
    }
}

#[test]
fn rebuilt_with_gcc_the_sources_show_the_same_changes() {
    rebuilt("g++", "-g");
    rebuilt("g++", "-g1");
}

#[test]
fn rebuilt_with_clang_the_sources_show_the_same_changes() {
    rebuilt("clang++", "-g");
    rebuilt("clang++", "-g1");
}

/// Lambdas that stand inlined: two in a static function, one in the function that a `std::function` calls.
const LAMBDAS: &str = "#include <functional>\n\
    namespace ns { static int helper(int v) {\n\
      auto first = [=](int x) { for (int i = 0; i < v; i++) x ^= x << 3; return x; };\n\
      auto second = [=](int x) { for (int i = 0; i < v; i++) x += x >> 3; return x; };\n\
      return first(v) + second(v); } }\n\
    __attribute__((noinline)) int apply(const std::function<int(int)> &f, int x) { return f(x); }\n\
    int main(int count, char **) {\n\
      return ns::helper(count) +\n\
        apply([count](int x) { for (int i = 0; i < count; i++) x ^= x << 3; return x; }, count);\n\
    }\n";

/// The names of lambdas that frames of the program and the census of its build show; `None` without the compiler.
fn lambdas(compiler: &str, level: &str) -> Option<[BTreeSet<String>; 2]> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) =
        (directory.join(format!("lambdas{level}.cc")), directory.join(format!("lambdas-{compiler}{level}")));
    std::fs::write(&source, LAMBDAS).unwrap();
    let built = Command::new(compiler).args(["-O2", level, "-o"]).arg(&program).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: {compiler} is not here, so no lambda is built");
        return None;
    }
    let pdiff = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pdiff"));
        command.args(arguments);
        command
    };
    let program = program.to_str().unwrap();
    let census = pdiff(&["inlines", "--no-cache", "--format", "json", program, program]).output().unwrap();
    let census: Value = serde_json::from_slice(&census.stdout).unwrap();
    let is_lambda = |name: &&str| name.ends_with("operator()") && !name.starts_with("std::");
    let rows = census["functions"].as_array().unwrap().iter();
    let of_census =
        rows.filter_map(|row| row["name"].as_str()).filter(is_lambda).map(str::to_owned).collect();
    // The code of so small a program lies in its second page.
    let addresses = (0x1000..0x2000).map(|address| format!("{address:#x}"));
    let mut command = pdiff(&["symbolize", "--format", "json", program]);
    let lines = String::from_utf8(command.args(addresses).output().unwrap().stdout).unwrap();
    let mut of_frames = BTreeSet::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let names = line["frames"].as_array().unwrap().iter().filter_map(|frame| frame["function"].as_str());
        of_frames.extend(names.filter(is_lambda).map(str::to_owned));
    }
    Some([of_frames, of_census])
}

#[test]
fn lambdas_are_named_after_the_function_they_stand_in() {
    let Some([frames, census]) = lambdas("g++", "-g") else { return };
    for name in ["ns::helper::{lambda#1}::operator()", "ns::helper::{lambda#2}::operator()"] {
        assert!(frames.contains(name) && census.contains(name), "{frames:?} {census:?}");
    }
    assert!(frames.iter().any(|name| name.starts_with("main::{lambda#")), "{frames:?}");
    assert!(frames.is_subset(&census), "{frames:?} {census:?}");
}

#[test]
fn lambdas_without_any_scope_are_told_apart_by_unit_and_named_alike_by_frames_and_census() {
    for compiler in ["g++", "clang++"] {
        let Some([frames, census]) = lambdas(compiler, "-g1") else { continue };
        assert!(frames.contains("{unnamed in lambdas-g1}::operator()"), "{compiler} {frames:?}");
        assert!(frames.is_subset(&census), "{compiler} {frames:?} {census:?}");
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

/// The samples of a run at each line, of those in the code of a function, by binutils: `addr2line -i` on each leaf in the
/// program, its address that of its symbol by `nm` plus the offset that perf printed. `None` without the tools.
fn lines_by_binutils(side: Recorded, function: &str) -> Option<BTreeMap<(String, u64), u64>> {
    let server = fixture(side.directory).join("server");
    let symbols = Command::new("nm").arg(&server).output().ok().filter(|output| output.status.success())?;
    let symbols = String::from_utf8(symbols.stdout).unwrap();
    let symbols: BTreeMap<&str, u64> = symbols
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            Some((*words.get(2)?, u64::from_str_radix(words.first()?, 16).ok()?))
        })
        .collect();
    // Names of perf's text are demangled: those of the symbols that have one.
    let demangled = |symbol: &str| {
        let name = symbol.strip_prefix("_Z").map(|rest| rest.trim_start_matches('L'));
        let digits = name.map(|name| name.chars().take_while(char::is_ascii_digit).count());
        name.zip(digits).map_or_else(
            || symbol.to_owned(),
            |(name, digits)| {
                let length = name[..digits].parse().unwrap_or(0);
                name[digits..].chars().take(length).collect()
            },
        )
    };
    let by_name: BTreeMap<String, u64> =
        symbols.iter().map(|(symbol, address)| (demangled(symbol), *address)).collect();
    let mut samples: BTreeMap<u64, u64> = BTreeMap::new();
    for run in side.runs {
        let packed = std::fs::File::open(fixture(side.directory).join(format!("{run}.perf.zst"))).unwrap();
        let text = String::from_utf8(zstd::decode_all(packed).unwrap()).unwrap();
        for sample in text.split("\n\n") {
            let leaf =
                sample.lines().filter(|line| line.starts_with(['\t', ' '])).find(|line| line.contains(" ("));
            let frame = leaf.filter(|leaf| leaf.ends_with("(/two-versions/server)"));
            let Some((name, offset)) = frame
                .and_then(|frame| frame.trim().split_once(' ')?.1.rsplit_once(" (")?.0.rsplit_once("+0x"))
            else {
                continue;
            };
            let Some(start) = by_name.get(name) else { continue };
            *samples.entry(start + u64::from_str_radix(offset, 16).unwrap()).or_default() += 1;
        }
    }
    let addresses = samples.keys().map(|address| format!("{address:#x}"));
    let output =
        Command::new("addr2line").args(["-a", "-f", "-i", "-C", "-e"]).arg(&server).args(addresses).output();
    let output = output.ok().filter(|output| output.status.success())?;
    let output = String::from_utf8(output.stdout).unwrap();
    let mut lines = BTreeMap::new();
    for (block, count) in output.split("0x").skip(1).zip(samples.values()) {
        let frames: Vec<&str> = block.lines().skip(1).collect();
        let is_in = frames.iter().step_by(2).any(|name| name.split('(').next() == Some(function));
        let Some((file, line)) = frames.get(1).filter(|_| is_in).and_then(|place| place.rsplit_once(':'))
        else {
            continue;
        };
        let file = file.rsplit('/').next().unwrap().to_owned();
        let line: String = line.chars().take_while(char::is_ascii_digit).collect();
        *lines.entry((file, line.parse().unwrap_or(0))).or_default() += count;
    }
    Some(lines)
}

#[test]
fn hot_lines_are_those_of_addr2line() {
    // Out of line on both sides; inlined before and called after; the other way round.
    for function in ["parse_packet", "hash_key", "pack_row", "sort_rows"] {
        let json = explained(GCC, function, &[]);
        let hot = &json["hot_lines"].as_array().unwrap()[0];
        for (side, name) in GCC.iter().zip(["before", "after"]) {
            let Some(expected) = lines_by_binutils(*side, function) else {
                eprintln!("SKIPPED: binutils are not here, so hot lines are not compared");
                return;
            };
            assert!(!expected.is_empty(), "{function} {name}");
            let mut found: BTreeMap<(String, u64), u64> = BTreeMap::new();
            for line in hot[name]["lines"].as_array().unwrap() {
                let file = line["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
                *found.entry((file, line["line"].as_u64().unwrap())).or_default() +=
                    line["samples"].as_u64().unwrap();
            }
            assert_eq!(found, expected, "{function} {name}");
        }
    }
}
