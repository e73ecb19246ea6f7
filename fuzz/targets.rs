//! What every parser must stand: any bytes, without a panic, and its laws hold on what it accepts.
//!
//! The fuzzer drives these with coverage, `tests/robustness.rs` with a fixed number of mutated seeds.

use std::collections::BTreeSet;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pdiff_analysis::classify::CallCounts;
use pdiff_analysis::{
    Aliases, Architectural, Gate, Pattern, Requests, SettingsKnowledge, SpinList, Subsystems, ThreadGroups,
    WaitList,
};
use pdiff_ingest::{
    Input, ReadOptions, Source, TimeWindow, Windows, parse_counts, parse_inline_remarks, parse_perf_script,
    parse_settings, read_input, read_pack, write_pack,
};
use pdiff_profile::census::{Census, Detail};
use pdiff_profile::names::{FunctionName, MatchLevel};
use pdiff_profile::{
    EventId, FileOffset, MappedCode, Notes, Object, ObjectAddr, Processor, Profile, RecordedStack,
    Resolutions, RuntimeAddr, Side, TakenBranch, Unwinder as _, Weight,
};
use pdiff_study::{parse_sysbench, parse_vmstat};
use pdiff_symbolize::{CodeFile, FileUnwinder, SymbolizeOptions, Symbolizer, WantedCode, census_of};

/// A target's name, which is that of its seeds' directory, and what it does with bytes; true if they are what it reads, so that
/// a fuzzer that starts from them reaches what lies behind the first check.
pub(crate) type Target = (&'static str, fn(&[u8]) -> bool);

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    ("perf_script", perf_script),
    ("recording", recording),
    ("perf_data", perf_data),
    ("pprof", pprof),
    ("flame_graph", flame_graph),
    ("pack", pack),
    ("codecs", codecs),
    ("elf", elf),
    ("unwinding", unwinding),
    ("knowledge", knowledge),
    ("arguments", arguments),
    ("settings", settings),
    ("benchmark", benchmark),
    ("counts", counts),
    ("waits", waits),
    ("branches", branches),
    ("remarks", remarks),
    ("names", names),
];

/// Addresses at which a mutated ELF file is asked for functions.
const ADDRESSES: u64 = 64;

fn options() -> ReadOptions<'static> {
    ReadOptions { lenient: true, threads: NonZeroUsize::new(1), ..ReadOptions::new() }
}

/// `perf script` text: no sample and no weight is lost between cells and events.
pub(crate) fn perf_script(text: &[u8]) -> bool {
    let Ok(profile) = parse_perf_script(text, &options()) else { return false };
    assert_conserved(&profile);
    true
}

/// Calls counted by other tools: finite, none below zero.
pub(crate) fn counts(bytes: &[u8]) -> bool {
    let Ok(counts) = parse_counts(&String::from_utf8_lossy(bytes), Side::After) else { return false };
    let calls = counts.functions.values().chain(counts.entries.values());
    calls.for_each(|calls| assert!(calls.count >= 0.0 && calls.mispredicted <= calls.records, "{calls:?}"));
    assert!(!counts.functions.is_empty());
    true
}

/// What a compiler said of inlining.
pub(crate) fn remarks(bytes: &[u8]) -> bool {
    // A compiler that had nothing to say leaves a report without remarks.
    parse_inline_remarks(&String::from_utf8_lossy(bytes)).is_ok_and(|remarks| !remarks.is_empty())
}

/// `perf.data`: a whole recording, and the same bytes as records behind a stream's head.
pub(crate) fn perf_data(bytes: &[u8]) -> bool {
    // What begins as anything else is read by others, which `recording` tries.
    let is_read = is_perf_data(bytes) && recording(bytes);
    let attr = bytes.get(..136).unwrap_or(bytes);
    let head =
        [&b"PERFILE2\x10\0\0\0\0\0\0\0"[..], &[64, 0, 0, 0, 0, 0, 8 + attr.len() as u8, 0], attr].concat();
    recording(&[&head, bytes].concat());
    is_read
}

fn is_perf_data(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PERFILE2") || bytes.starts_with(b"2ELIFREP")
}

/// A pprof profile, and the same bytes behind a sample type, which makes a profile of whatever has fields.
pub(crate) fn pprof(bytes: &[u8]) -> bool {
    let is_read = recording(bytes);
    recording(&[&b"\x0a\x04\x08\x01\x10\x02"[..], bytes].concat());
    is_read
}

/// A flame graph, and the same bytes on top of a frame that is below all others.
pub(crate) fn flame_graph(bytes: &[u8]) -> bool {
    let is_read = recording(bytes);
    let root = b"<svg><g><title>all (9 samples, 100%)</title><rect x=\"0\" y=\"90\" width=\"90\"/></g>";
    recording(&[&root[..], bytes, b"</svg>"].concat());
    is_read
}

/// A recording of whatever kind its first bytes tell: text, folded stacks, packed or compressed.
pub(crate) fn recording(bytes: &[u8]) -> bool {
    let source = Source::Bytes { name: "fuzzed".into(), bytes: Arc::from(bytes) };
    match read_input(&source, &options()) {
        Ok(Input::Text(profile) | Input::Named(profile, _)) => assert_conserved(&profile),
        Ok(Input::Pack(run)) => assert_conserved(&run.profile),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    }
    true
}

/// A recording of waiting: no time in a state is lost between cells and events.
pub(crate) fn waits(bytes: &[u8]) -> bool {
    let source = Source::Bytes { name: "fuzzed".into(), bytes: Arc::from(bytes) };
    match read_input(&source, &ReadOptions { waits: true, ..options() }) {
        Ok(Input::Text(profile) | Input::Named(profile, _)) => assert_conserved(&profile),
        Ok(Input::Pack(_)) => panic!("a pack is no recording of waiting"),
        Err(_) => return false,
    }
    true
}

/// Branch records: each is of frames that the profile has, and counts something.
pub(crate) fn branches(bytes: &[u8]) -> bool {
    // Other recordings have none, and are read without them.
    if !is_perf_data(bytes) {
        return false;
    }
    let source = Source::Bytes { name: "fuzzed".into(), bytes: Arc::from(bytes) };
    let taken = Mutex::new(Vec::new());
    let each_branch = |branch: TakenBranch| taken.lock().expect("nothing panics with the lock").push(branch);
    match read_input(&source, &ReadOptions { each_branch: Some(&each_branch), ..options() }) {
        Ok(Input::Text(profile)) => {
            let taken = taken.into_inner().expect("nothing panics with the lock");
            assert!(!taken.is_empty());
            for branch in taken {
                let mut frames = [branch.from, branch.to].into_iter().chain(branch.through);
                assert!(frames.all(|frame| frame.index() < profile.frames.len()), "{branch:?}");
                assert!(branch.weight.is_finite() && branch.weight > 0.0, "{branch:?}");
            }
            true
        }
        _ => false,
    }
}

fn assert_conserved(profile: &Profile) {
    for (id, event) in (0..).zip(&profile.events) {
        let cells = profile.cells_of(EventId(id));
        assert_eq!(cells.iter().map(|cell| u64::from(cell.samples)).sum::<u64>(), event.samples);
        assert_eq!(cells.iter().map(|cell| cell.weight).sum::<Weight>(), event.weight);
    }
    let frames = profile.cells.iter().flat_map(|cell| profile.stacks.get(cell.stack));
    assert!(frames.into_iter().all(|id| profile.frames.get(id.index()).is_some()));
}

/// A pack: what is accepted is written as it was read.
pub(crate) fn pack(bytes: &[u8]) -> bool {
    let Ok(run) = read_pack(bytes) else { return false };
    let written = write_pack(&run).expect("what was read can be written");
    assert_eq!(read_pack(&written).as_ref(), Ok(&run));
    true
}

/// The sections of packs and the census of a cache file, without the checksums that guard them: what is accepted is
/// written as it was read.
pub(crate) fn codecs(bytes: &[u8]) -> bool {
    let mut is_accepted = false;
    if let Ok(profile) = Profile::from_bytes(bytes) {
        is_accepted = true;
        assert_eq!(Profile::from_bytes(&profile.to_bytes()), Ok(profile));
    }
    if let Ok(resolutions) = Resolutions::from_bytes(bytes) {
        is_accepted = true;
        assert_eq!(Resolutions::from_bytes(&resolutions.to_bytes()), Ok(resolutions));
    }
    if let Ok(notes) = Notes::from_bytes(bytes) {
        is_accepted = true;
        assert_eq!(Notes::from_bytes(&notes.to_bytes()), Ok(notes));
    }
    if let Ok(census) = Census::from_bytes(bytes.to_vec()) {
        is_accepted = true;
        assert_eq!(Census::from_bytes(census.to_bytes()), Ok(census));
    }
    if let Ok(census) = Census::from_packed_bytes(bytes) {
        is_accepted = true;
        let _ = census.to_packed_bytes(|_| Detail::Full);
    }
    is_accepted
}

/// An ELF file and its DWARF: symbols, inline chains and the census.
pub(crate) fn elf(bytes: &[u8]) -> bool {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    file.write_all(bytes).and_then(|()| file.flush()).expect("the disk has room");
    let options = SymbolizeOptions::new();
    let symbolizer = Symbolizer::open(file.path(), &options);
    let is_accepted = symbolizer.is_ok();
    if let Ok(mut symbolizer) = symbolizer {
        let span = bytes.len() as u64;
        let addresses: Vec<ObjectAddr> = [0, 0x1000, 0x40_0000]
            .iter()
            .flat_map(|base| (0..ADDRESSES).map(move |at| ObjectAddr(base + at * span / ADDRESSES)))
            .collect();
        assert_eq!(symbolizer.symbolize(&addresses).len(), addresses.len());
        let mut code = CodeFile::open(file.path(), &options).expect("it was opened before");
        let symbols = code.symbols_at(&addresses);
        let by_name = WantedCode { symbols: &symbols, addrs: &[], name: "main" };
        let by_address = WantedCode { symbols: &BTreeSet::new(), addrs: &addresses, name: "main" };
        for found in code.codes(&[by_name, by_address]).into_iter().flatten() {
            let in_blocks: usize = found.blocks().iter().map(|block| block.len()).sum();
            assert_eq!(in_blocks, found.instructions().len());
        }
    }
    let _ = census_of(file.path(), &options);
    is_accepted
}

/// An ELF file and its unwind tables, and a stack, which is the same bytes: each chain begins where the program was.
pub(crate) fn unwinding(bytes: &[u8]) -> bool {
    const BASE: u64 = 0x40_0000;
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    file.write_all(bytes).and_then(|()| file.flush()).expect("the disk has room");
    let len = bytes.len() as u64;
    let code = [MappedCode {
        object: Object::from_text(&file.path().display().to_string()),
        addrs: RuntimeAddr(BASE)..RuntimeAddr(BASE + len),
        offset: FileOffset(0),
    }];
    let unwinder = FileUnwinder::new(SymbolizeOptions::new());
    let mut has_callers = false;
    for processor in [Processor::X86_64, Processor::Aarch64] {
        let stack = |at: u64| {
            let (sp, ip) = (0x7fff_0000, BASE + at * len / ADDRESSES);
            RecordedStack { processor, ip, sp, fp: sp + 64, lr: ip + 4, bytes: bytes.into() }
        };
        let stacks: Vec<RecordedStack> = (0..ADDRESSES).map(stack).collect();
        let unwound = unwinder.unwind(&code, &stacks.iter().collect::<Vec<_>>());
        assert_eq!(unwound.len(), stacks.len());
        for (stack, unwound) in stacks.iter().zip(unwound) {
            assert!(unwound.addrs.first().is_none_or(|first| *first == stack.ip));
            has_callers |= unwound.addrs.len() > 1;
        }
    }
    has_callers
}

/// Files of knowledge: aliases, subsystems, thread groups, spin lists, architectural functions.
pub(crate) fn knowledge(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let accepted = [
        Aliases::parse(&text).is_ok(),
        Subsystems::parse(&text).is_ok(),
        ThreadGroups::parse(&text).is_ok(),
        SpinList::parse(&text).is_ok(),
        WaitList::parse(&text).is_ok(),
        Architectural::parse(&text).is_ok(),
        Requests::parse(&text).is_ok(),
        SettingsKnowledge::parse(&text).is_ok(),
        CallCounts::parse(&text).is_ok(),
    ];
    accepted.contains(&true)
}

/// Words of the command line: gates, patterns, time windows, paths with tables of windows.
pub(crate) fn arguments(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut is_accepted = Windows::parse(&text).is_ok();
    for word in text.lines() {
        if let Ok(gate) = word.parse::<Gate>() {
            let again: Gate = gate.to_string().parse().expect("a gate reads back as it is written");
            assert_eq!(again.to_string(), gate.to_string());
        }
        is_accepted |= word.parse::<Gate>().is_ok() | TimeWindow::parse(word).is_ok();
        let _ = word.parse::<Pattern>();
    }
    is_accepted
}

/// Settings of a server.
pub(crate) fn settings(bytes: &[u8]) -> bool {
    let Ok(settings) = parse_settings(&String::from_utf8_lossy(bytes)) else { return false };
    assert!(!settings.is_empty());
    true
}

/// What a benchmark printed: sysbench's report, vmstat's table.
pub(crate) fn benchmark(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let sysbench = parse_sysbench(&text);
    if let Ok(report) = &sysbench {
        assert!(report.tps.is_finite() && report.tps > 0.0);
    }
    parse_vmstat(&text).is_ok() || sysbench.is_ok()
}

/// Names of functions, mangled or not: every level has a name.
pub(crate) fn names(bytes: &[u8]) -> bool {
    for line in String::from_utf8_lossy(bytes).lines() {
        let name = FunctionName::parse(line);
        assert!(MatchLevel::ALL.iter().all(|level| !name.at(*level).is_empty()));
    }
    true
}

/// The seeds of a target: the files of its directory, in order of their names. `PDIFF_FUZZ_SEEDS` names other seeds.
pub(crate) fn seeds(target: &str) -> Vec<Vec<u8>> {
    let ours = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let directory = std::env::var_os("PDIFF_FUZZ_SEEDS").map_or_else(ours, PathBuf::from);
    let entries = std::fs::read_dir(directory.join(target)).expect("each target has seeds");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the directory can be read").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("seeds can be read")).collect()
}
