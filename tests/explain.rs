//! What `pdiff explain` says of a program of which every change is known, and its hot lines beside binutils and sources.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "two_versions/recorded.rs"]
mod recorded;

use std::collections::BTreeMap;

use recorded::{GCC, Recorded, STRIPPED, fixture};
use serde_json::Value;

/// What `pdiff explain` says of a function, as JSON.
fn explained(sides: [Recorded; 2], function: &str, more: &[&str]) -> Value {
    let output = explain(sides, function, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn explain(sides: [Recorded; 2], function: &str, more: &[&str]) -> std::process::Output {
    let mut command = pdiff_testing::pdiff();
    command.args(["explain", "--quiet", "--no-cache", "--format", "json", "--function", function]).args(more);
    for (side, name) in sides.iter().zip(["before", "after"]) {
        command.arg(format!("--{name}"));
        command.args(side.runs.iter().map(|run| fixture(side.directory).join(format!("{run}.perf.zst"))));
        command.arg(format!("--binary-{name}")).arg(fixture(side.directory).join("server"));
    }
    command.output().unwrap()
}

#[test]
fn a_function_of_neither_build_is_a_mistake() {
    let output = explain(GCC, "parse_pakcet", &[]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len(), said.lines().count()), (Some(2), 0, 1), "{said}");
    assert!(said.contains("'parse_pakcet'") && said.contains("these are close: parse_packet"), "{said}");
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
    assert!(told.contains("the before build does not show inlining, so samples of inlined copies"), "{told}");
    let both = explained(GCC, "_start", &[]).to_string();
    assert!(!both.contains("does not show inlining"), "{both}");
}

/// The samples of a run at each line, of those in the code of a function, by binutils: `addr2line -i` on each leaf in the
/// program, its address that of its symbol by `nm` plus the offset that perf printed. `None` without the tools.
fn lines_by_binutils(side: Recorded, function: &str) -> Option<BTreeMap<(String, u64), u64>> {
    let server = fixture(side.directory).join("server");
    let symbols = pdiff_testing::tool("nm")?.arg(&server).output().unwrap();
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
    let output = pdiff_testing::tool("addr2line")?
        .args(["-a", "-f", "-i", "-C", "-e"])
        .arg(&server)
        .args(addresses)
        .output();
    let output = output.unwrap();
    assert!(output.status.success());
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
            let Some(expected) = lines_by_binutils(*side, function) else { return };
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

#[test]
fn a_number_is_that_of_a_part_and_not_the_end_of_a_name() {
    let directory = tempfile::tempdir().unwrap();
    let put = |name: &str, grow: usize| {
        let path = directory.path().join(name);
        std::fs::write(&path, format!("main;grow {grow}\nmain;walk::#1 3000\nmain;rest 5000\n")).unwrap();
        path
    };
    let (before, after) = (put("before.folded", 1000), put("after.folded", 4000));
    let said = |name: &str| {
        let output = pdiff_testing::pdiff()
            .args(["explain", "--quiet"])
            .args([&before, &after])
            .arg(name)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(said("walk::#1").contains("function walk::#1"));
    let part = said("#1");
    assert!(part.contains("function grow") && !part.contains("walk"), "{part}");
}

#[test]
fn a_function_is_found_by_the_name_that_a_page_has_room_for() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, caller) = ("<weblog::text::Words<S> as core::iter::Iterator>::next", "weblog::parse_line");
    let put = |name: &str, count: u32| {
        let path = folder.path().join(name);
        let other = "weblog;weblog::main;<weblog::text::Lines<S> as core::iter::Iterator>::next 500";
        std::fs::write(&path, format!("weblog;weblog::main;{caller};{whole} {count}\n{other}\n")).unwrap();
        path
    };
    let (before, after) = (put("before.folded", 1000), put("after.folded", 4000));
    let explained = |name: &str| {
        let mut command = pdiff_testing::pdiff();
        command.args(["explain", "--quiet", "--format", "json"]).args([&before, &after]);
        let output = command.arg(name).output().unwrap();
        let json: Option<Value> = serde_json::from_slice(&output.stdout).ok();
        json.map(|json| json["verdicts"][0]["name"].as_str().unwrap().to_owned())
    };
    for shown in [whole, "<Words as Iterator>::next", "Words::next", "weblog..e -> <Words as Iterator>::next"]
    {
        assert_eq!(explained(shown).as_deref(), Some(whole), "{shown}");
    }
    assert_eq!(explained("<Word as Iterator>::next"), None);
}
