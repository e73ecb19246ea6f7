//! The machine code of both builds side by side: a change of one line is found, every sample is counted, and code blocks are
//! those of objdump.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

#[path = "two_versions/recorded.rs"]
#[expect(dead_code, reason = "shared with tests that need more of it")]
mod recorded;

use recorded::{GCC, fixture};

const SOURCE: &str = "\
volatile unsigned sink;
unsigned table[256];
__attribute__((noinline)) unsigned sum(const unsigned *values, unsigned count, unsigned divisor) {
  unsigned total = divisor;
  for (unsigned at = 0; at < count; at++) {
    total += table[values[at] & 255];
    /* changed */
  }
  if (total > 1000)
    sink = total;
  return total;
}
int main(int argc, char **argv) {
  unsigned values[64] = {0};
  values[argc] = (unsigned)(unsigned long)argv;
  return (int)sum(values, 64, (unsigned)argc);
}
";

/// The program with one more statement in its loop.
fn built(directory: &Path, name: &str, statement: &str) -> Option<PathBuf> {
    let (source, program) = (directory.join(format!("{name}.c")), directory.join(name));
    std::fs::write(&source, SOURCE.replace("/* changed */", statement)).unwrap();
    let mut gcc = pdiff_testing::tool("gcc")?;
    let made = gcc.args(["-O2", "-g", "-fno-tree-vectorize"]).arg(&source).arg("-o").arg(&program);
    assert!(made.status().unwrap().success());
    Some(program)
}

/// The instructions of a function by objdump: addresses and mnemonics.
fn by_objdump(program: &Path, function: &str) -> Option<Vec<(u64, String)>> {
    let mut objdump = pdiff_testing::tool("objdump")?;
    let output = objdump
        .args(["-d", "--no-show-raw-insn"])
        .arg(format!("--disassemble={function}"))
        .arg(program)
        .output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let instruction = |line: &str| {
        let (addr, text) = line.trim().split_once(":\t")?;
        Some((u64::from_str_radix(addr, 16).ok()?, text.split_whitespace().next()?.to_owned()))
    };
    Some(text.lines().filter_map(instruction).collect())
}

/// A recording in which each instruction has the samples that `count` gives, by its mnemonic.
fn recorded_text(program: &Path, count: impl Fn(&str) -> usize) -> Option<String> {
    let instructions = by_objdump(program, "sum")?;
    let start = instructions.first().unwrap().0;
    let mut text = String::new();
    let mut second = 0.0;
    for (addr, mnemonic) in &instructions {
        for _ in 0..count(mnemonic) {
            second += 0.001;
            text.push_str(&format!(
                "app 7/7 {second:.6}: 1000000 cpu-clock: \n\t{addr:16x} sum+{:#x} ({})\n\n",
                addr - start,
                program.display()
            ));
        }
    }
    Some(text)
}

fn explained(sides: [(&Path, &Path); 2], function: &str, more: &[&str]) -> Output {
    let mut command: Command = pdiff_testing::pdiff();
    command.args(["explain", "--quiet", "--no-cache"]);
    command.args(sides.map(|(recording, _)| recording)).arg(function).args(more);
    command.arg("--binary-before").arg(sides[0].1).arg("--binary-after").arg(sides[1].1);
    command.output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Both builds and their recordings: the division that the second one has in the loop is slow.
fn pair(directory: &Path) -> Option<[(PathBuf, PathBuf); 2]> {
    let one = |name, statement| {
        let program = built(directory, name, statement)?;
        let slow = |mnemonic: &str| match mnemonic {
            mnemonic if mnemonic.contains("div") => 400,
            "add" | "mov" => 40,
            _ => 3,
        };
        let recording = directory.join(format!("{name}.perf"));
        std::fs::write(&recording, recorded_text(&program, slow)?).unwrap();
        Some((recording, program))
    };
    Some([one("before", "")?, one("after", "total /= divisor;")?])
}

#[test]
fn a_change_of_one_line_in_a_hot_loop_comes_first() {
    let directory = tempfile::tempdir().unwrap();
    let Some(pair) = pair(directory.path()) else { return };
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let sides = [0, 1].map(|at| (&*pair[at].0, &*pair[at].1));
    let code = json(&explained(sides, "sum", &["--code", "--format", "json"]))["code"][0].clone();
    assert_eq!(code["aligned_by"], "lines-and-code");
    let first = &code["blocks"][0];
    assert_eq!(first["state"], "aligned", "{first}");
    let rows = first["rows"].as_array().unwrap();
    let slow: Vec<&Value> = rows
        .iter()
        .filter(|row| row["after"]["text"].as_str().is_some_and(|text| text.contains("div")))
        .collect();
    assert_eq!(slow.len(), 1, "{first}");
    assert!(slow[0]["before"].is_null() && slow[0]["after"]["samples"] == 400, "{first}");
    let place = &code["places"][usize::try_from(slow[0]["after"]["place"].as_u64().unwrap()).unwrap()];
    assert_eq!(place["line"], 7);
    for (side, (_, program)) in ["before", "after"].iter().zip(&pair) {
        let mut found: Vec<(u64, String)> = Vec::new();
        let mut samples = 0;
        for block in code["blocks"].as_array().unwrap().iter().filter(|block| !block[side].is_null()) {
            samples += block[side]["samples"].as_u64().unwrap();
            found.extend(instructions(block, side));
        }
        found.sort();
        let objdump = by_objdump(program, "sum").unwrap();
        let is_told = |(addr, _): &&(u64, String)| found.iter().any(|(told, _)| told == addr);
        assert_eq!(found, objdump.iter().filter(is_told).cloned().collect::<Vec<_>>(), "{side}");
        // What is left out is padding.
        let left_out = objdump.iter().filter(|of| !is_told(of));
        assert!(
            left_out.clone().all(|(_, text)| text.starts_with("nop") || text == "xchg" || text == "cs"),
            "{side}"
        );
        assert_eq!(code[side]["samples"].as_u64().unwrap(), samples);
    }
    let text = explained(sides, "sum", &["--code"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("aligned by lines and instructions") && text.contains("block    1: aligned"),
        "{text}"
    );
}

/// The addresses and mnemonics of a code block on one side.
fn instructions(block: &Value, side: &str) -> Vec<(u64, String)> {
    let told = |row: &Value| {
        let of = row.get(side)?;
        let addr = u64::from_str_radix(of["address"].as_str()?.strip_prefix("0x")?, 16).ok()?;
        Some((addr, of["text"].as_str()?.split_whitespace().next()?.to_owned()))
    };
    block["rows"].as_array().unwrap().iter().filter_map(told).collect()
}

#[test]
fn code_blocks_sum_to_self_by_symbol() {
    let mut seen = 0;
    for function in ["parse_packet", "hash_key", "sort_rows", "compare_rows"] {
        let [before, after] = GCC
            .map(|side| (fixture(side.directory).join("1.perf.zst"), fixture(side.directory).join("server")));
        let sides = [(&*before.0, &*before.1), (&*after.0, &*after.1)];
        let json = json(&explained(sides, function, &["--code", "--format", "json"]));
        for (code, verdict) in
            json["code"].as_array().unwrap().iter().zip(json["verdicts"].as_array().unwrap())
        {
            for side in ["before", "after"] {
                let blocks = code["blocks"].as_array().unwrap();
                let sum =
                    |key: &str| -> u64 { blocks.iter().filter_map(|block| block[side][key].as_u64()).sum() };
                let whole = code[side]["weight"].as_u64().unwrap();
                assert_eq!(
                    sum("weight") + code[side]["unplaced_weight"].as_u64().unwrap(),
                    whole,
                    "{function}"
                );
                let pct = verdict[side]["booked_self_pct"].as_f64().unwrap();
                assert!((code[side]["value"].as_f64().unwrap() - pct).abs() < 1e-6, "{function} {side}");
                seen += sum("samples");
            }
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn what_has_no_code_says_why_in_one_line() {
    let check = |sides: [(&Path, &Path); 2], said: &str| {
        let output = explained(sides, "parse_packet", &["--code"]);
        let text = String::from_utf8(output.stdout).unwrap().replace("\n         ", " ");
        assert!(output.status.success() && text.contains(said), "{said}: {text}");
    };
    // A pack without its binary; with it there is code.
    let packs = ["gcc/before/1.pdiff", "gcc/after/1.pdiff"].map(fixture);
    let [before, after] = ["gcc/before/server", "gcc/after/server"].map(fixture);
    let mut command = pdiff_testing::pdiff();
    command.args(["explain", "--quiet", "--no-cache", "--code"]).args(&packs).arg("parse_packet");
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap().replace("\n         ", " ");
    assert!(
        text.contains("a pack does not contain it; hint: give the binary with --binary-before"),
        "{text}"
    );
    check([(&packs[0], &before), (&packs[1], &after)], "3 code blocks before, 3 after: 3 aligned");

    // For another processor: the same files with another machine in their header.
    let directory = tempfile::tempdir().unwrap();
    let other = ["before", "after"].map(|side| {
        let mut bytes = std::fs::read(fixture(&format!("gcc/{side}/server"))).unwrap();
        bytes[18..20].copy_from_slice(&183_u16.to_le_bytes());
        std::fs::create_dir(directory.path().join(side)).unwrap();
        let program = directory.path().join(side).join("server");
        std::fs::write(&program, bytes).unwrap();
        program
    });
    let recordings = ["gcc/before/1.perf.zst", "gcc/after/1.perf.zst"].map(fixture);
    let sides = [(&*recordings[0], &*other[0]), (&*recordings[1], &*other[1])];
    check(sides, "instructions of x86-64 only are disassembled");
}

/// Samples at each address, by the recording's own symbols and offsets.
#[test]
fn samples_of_code_blocks_are_those_of_the_recording() {
    let Some(_) = pdiff_testing::tool("objdump") else { return };
    let [before, after] =
        GCC.map(|side| (fixture(side.directory).join("1.perf.zst"), fixture(side.directory).join("server")));
    let sides = [(&*before.0, &*before.1), (&*after.0, &*after.1)];
    let json = json(&explained(sides, "parse_packet", &["--code", "--format", "json"]));
    for (side, (recording, program)) in ["before", "after"].iter().zip(sides) {
        let text = zstd::decode_all(std::fs::File::open(recording).unwrap()).unwrap();
        let text = String::from_utf8(text).unwrap();
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for sample in text.split("\n\n") {
            let leaf = sample.lines().find(|line| line.starts_with(['\t', ' ']) && line.contains(" ("));
            let offset = leaf.and_then(|leaf| leaf.split_once(" parse_packet+0x")?.1.split_once(' '));
            if let Some((offset, _)) = offset {
                *counts.entry(u64::from_str_radix(offset, 16).unwrap()).or_default() += 1;
            }
        }
        let mangled = "_Z12parse_packetm";
        let objdump = by_objdump(program, mangled).unwrap();
        let start = objdump.first().unwrap().0;
        let mut seen = 0;
        for block in json["code"][0]["blocks"].as_array().unwrap() {
            for (addr, mnemonic) in instructions(block, side) {
                let expected = objdump.iter().find(|(of, _)| *of == addr).unwrap();
                assert_eq!(mnemonic, expected.1, "{addr:x}");
            }
            let range = ["start", "end"].map(|key| {
                let text = block[side][key].as_str().unwrap();
                u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap() - start
            });
            let expected: u64 = counts.range(range[0]..range[1]).map(|(_, count)| count).sum();
            assert_eq!(block[side]["samples"].as_u64(), Some(expected), "{side} {range:x?}");
            seen += expected;
        }
        assert!(seen > 100 && seen == counts.values().sum::<u64>(), "{side}: {seen}");
    }
}
