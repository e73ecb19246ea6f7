//! One recording printed with call chains, without, and with bare names: the same leaf, sample by sample.

#![expect(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests fail and skip as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use pdiff::ReadOptions;
use pdiff::profile::{Lookup, Resolution};
use pdiff::symbolize::{SymbolizeOptions, resolve_profile};
use pdiff_ingest::parse_perf_script;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/flat-and-chained").join(name)
}

fn text(name: &str) -> String {
    let file = std::fs::File::open(fixture(&format!("{name}.perf.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(file).unwrap()).unwrap()
}

fn begins_sample(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('\t') && !line.contains("PERF_RECORD")
}

/// The text with the number of the sample in the place of its tid, so that each sample is a thread of its own.
fn numbered(text: &str) -> String {
    let mut number = 0;
    let mut numbered = String::new();
    for line in text.lines() {
        if begins_sample(line) {
            let mut words = line.split_whitespace();
            let tid = words.nth(1).unwrap();
            number += 1;
            numbered += &line.replacen(&format!(" {tid} "), &format!(" {number} "), 1);
        } else {
            numbered += line;
        }
        numbered.push('\n');
    }
    numbered
}

/// By sample the functions at its leaf, innermost first, with their lines.
fn leaves(name: &str) -> BTreeMap<u32, String> {
    let profile = parse_perf_script(numbered(&text(name)).as_bytes(), &ReadOptions::new()).unwrap();
    let mut options = SymbolizeOptions::new();
    options.binaries.push(fixture("orders"));
    let resolved = resolve_profile(&profile, &options).unwrap();
    let leaf = |cell: &pdiff::profile::Cell| {
        let frame = *profile.stacks.get(cell.stack).last().unwrap();
        let functions = match resolved.resolutions.get(frame, Lookup::Exact) {
            Some(Resolution::Resolved(chain)) => {
                let frames = chain.frames().iter().rev();
                frames
                    .map(|frame| format!("{}:{}", frame.name, frame.line.unwrap_or(0)))
                    .collect::<Vec<_>>()
                    .join(" ")
            }
            Some(Resolution::Unresolved(reason)) => format!("{reason:?}"),
            None => profile.string(profile.frames[frame.index()].symbol.unwrap()).to_owned(),
        };
        (profile.threads[cell.thread.index()].tid.unwrap(), functions)
    };
    profile.cells.iter().map(leaf).collect()
}

#[test]
fn a_sample_has_one_leaf_whichever_way_it_is_printed() {
    let chained = leaves("chained");
    assert!(chained.len() > 1000);
    let inlined =
        chained.values().filter(|leaf| leaf.starts_with("hash_key:") && leaf.contains(" lookup_row:"));
    assert!(inlined.count() > 50);
    for other in ["flat", "bare", "mapped"] {
        let other_leaves = leaves(other);
        assert_eq!(other_leaves.len(), chained.len(), "{other}");
        for (number, leaf) in &chained {
            assert_eq!(&other_leaves[number], leaf, "{other}, sample {number}");
        }
    }
}

#[test]
fn leaves_are_those_of_addr2line() {
    let mapped = text("mapped");
    let line =
        mapped.lines().find(|line| line.contains("PERF_RECORD_MMAP2") && line.ends_with("/orders")).unwrap();
    let base = line.split("[0x").nth(1).unwrap().split('(').next().unwrap();
    let base = u64::from_str_radix(base, 16).unwrap();
    let leaves = leaves("bare");
    let mut by_addr: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
    let bare = text("bare");
    for (line, leaf) in bare.lines().zip(leaves.values()).filter(|(line, _)| line.ends_with("/orders)")) {
        let addr = u64::from_str_radix(line.split_whitespace().nth(2).unwrap(), 16).unwrap();
        by_addr.entry(addr - base).or_default().insert(leaf);
    }
    let addrs = by_addr.keys().map(|addr| format!("{addr:#x}"));
    let output = Command::new("addr2line")
        .args(["-a", "-i", "-f", "-C", "-e"])
        .arg(fixture("orders"))
        .args(addrs)
        .output();
    let Ok(output) = output else {
        eprintln!("SKIPPED: no addr2line here");
        return;
    };
    let answer = String::from_utf8(output.stdout).unwrap();
    let mut expected: Vec<Vec<String>> = Vec::new();
    let mut lines = answer.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("0x") {
            expected.push(Vec::new());
        } else {
            let number = lines.next().unwrap().rsplit(':').next().unwrap().split(' ').next().unwrap();
            let frame = format!("{}:{number}", line.split('(').next().unwrap());
            expected.last_mut().unwrap().push(frame);
        }
    }
    assert_eq!(expected.len(), by_addr.len());
    for ((addr, ours), expected) in by_addr.iter().zip(expected) {
        assert_eq!(ours.len(), 1, "{addr:#x}");
        let ours: Vec<&str> = ours.iter().flat_map(|leaf| leaf.split(' ')).collect();
        let lines = |frames: &[&str]| -> Vec<String> {
            frames.iter().map(|frame| frame.rsplit(':').next().unwrap().to_owned()).collect()
        };
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_eq!(lines(&ours), lines(&expected), "{addr:#x}");
        // binutils may put the outer function's name on the innermost frame.
        assert_eq!(ours[1..], expected[1..], "{addr:#x}");
        assert!(expected.len() > 1 || ours == expected, "{addr:#x}");
    }
}
