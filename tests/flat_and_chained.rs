//! One recording printed with call chains, without, and with bare names: the same leaf, sample by sample.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

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
    leaves_of(&text(name), &fixture("orders"))
}

fn leaves_of(text: &str, binary: &Path) -> BTreeMap<u32, String> {
    let profile = parse_perf_script(numbered(text).as_bytes(), &ReadOptions::new()).unwrap();
    let mut options = SymbolizeOptions::new();
    options.binaries.push(binary.to_path_buf());
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
    let Some(mut addr2line) = pdiff_testing::tool("addr2line") else { return };
    let output =
        addr2line.args(["-a", "-i", "-f", "-C", "-e"]).arg(fixture("orders")).args(addrs).output().unwrap();
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

#[test]
fn without_symbols_mapping_lines_place_the_program() {
    let mapped = text("mapped");
    let nameless = mapped.lines().map(|line| match line.strip_suffix(" (/tmp/flat-and-chained/orders)") {
        Some(start) => {
            format!("{} [unknown] (/tmp/flat-and-chained/orders)\n", start.rsplit_once(' ').unwrap().0)
        }
        None => format!("{line}\n"),
    });
    let nameless: String = nameless.collect();
    assert!(nameless.contains(" [unknown] (/tmp"));
    assert_eq!(leaves_of(&nameless, &fixture("orders")), leaves("chained"));
}

/// A shared library that was given a place when it was linked, and is mapped at another.
#[test]
fn a_prelinked_library_is_placed_by_its_mapping_line_and_by_votes() {
    const LINKED: u64 = 0x30_0000_0000;
    const MAPPED: u64 = 0x7f12_3400_0000;
    let (Some(mut compiler), Some(mut nm)) = (pdiff_testing::tool("g++"), pdiff_testing::tool("nm")) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let library = directory.path().join("liborders.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/inline-only/orders.cc");
    let is_built = compiler
        .args(["-DOPERATIONS=1", "-O2", "-g", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code"])
        .arg(format!("-Wl,-Ttext-segment={LINKED:#x}"))
        .arg(source)
        .arg("-o")
        .arg(&library)
        .status()
        .unwrap();
    assert!(is_built.success());
    let output = nm.args(["-C", "--defined-only"]).arg(&library).output().unwrap();
    let symbols = String::from_utf8(output.stdout).unwrap();
    let functions: Vec<(u64, &str)> = symbols
        .lines()
        .filter_map(|line| line.split_once(" T "))
        .map(|(addr, name)| (u64::from_str_radix(addr, 16).unwrap(), name.split('(').next().unwrap()))
        .collect();
    assert!(functions.len() > 8 && functions.iter().all(|(addr, _)| *addr > LINKED));
    let map = format!(
        "x 9 [000] 1.0: PERF_RECORD_MMAP2 9/9: [{MAPPED:#x}(0x4000) @ 0 fe:00 1 1]: r-xp /opt/liborders.so\n"
    )
    .replace(" 1.0:", " 1.000000:");
    let samples = |symbol: &dyn Fn(&str) -> String| -> String {
        let line = |(addr, name): &(u64, &str)| {
            let at = addr - LINKED + MAPPED + 4;
            format!(
                "{:>16} {:>5} [000] 1.000001: 1 c: {at:>16x} {} (/opt/liborders.so)\n",
                "x",
                9,
                symbol(name)
            )
        };
        functions.iter().map(line).collect()
    };
    let nameless = map + &samples(&|_| "[unknown]".to_owned());
    let named = samples(&|name| format!("{name}+0x4"));
    let bare = samples(&str::to_owned);
    for text in [nameless, named, bare] {
        let leaves = leaves_of(&text, &library);
        for ((_, name), leaf) in functions.iter().zip(leaves.values()) {
            assert!(
                leaf.split(' ').next_back().unwrap().starts_with(&format!("{name}:")),
                "{name}: {leaf}\n{text}"
            );
        }
    }
}

#[test]
fn kernel_and_vdso_frames_keep_the_symbol_of_perf() {
    let text = "x 9 [000] 1.000001: 1 c: \n\tffffffff813a2293 finish_task_switch.isra.0+0x93 ([kernel.kallsyms])\n\t 725 _start+0x25 (/tmp/flat-and-chained/orders)\n\n\
        x 9 [000] 1.000002: 1 c: \n\t7ffd1e5f0a52 __vdso_clock_gettime+0x52 ([vdso])\n\t 725 _start+0x25 (/tmp/flat-and-chained/orders)\n\n\
        x 9 [000] 1.000003: 1 c: \n\tffffffffc0a01234 nf_hook+0x4 ([nf_tables])\n\t 725 _start+0x25 (/tmp/flat-and-chained/orders)\n\n";
    let leaves = leaves_of(text, &fixture("orders"));
    let leaves: Vec<&str> = leaves.values().map(String::as_str).collect();
    assert_eq!(leaves, ["finish_task_switch.isra.0", "__vdso_clock_gettime", "nf_hook"]);
}
