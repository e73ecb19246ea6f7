//! The fuzz targets, driven for a fixed number of mutated seeds: nothing that is read can make pdiff panic.
//!
//! `PDIFF_FUZZ_CASES` sets the number of cases a target (200 by default), `PDIFF_FUZZ_SEEDS` a directory of other seeds.
//! `fuzz/README.md` says how to go on for hours.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "../fuzz/tables.rs"]
mod tables;
#[path = "../fuzz/targets.rs"]
mod targets;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use targets::{TARGETS, Target};

/// One change to some bytes; positions are parts of 2^16 of their length.
#[derive(Clone, Debug)]
enum Change {
    FlipBit(u16, u8),
    Set(u16, u8),
    Cut(u16, u16),
    Repeat(u16, u16, u8),
    Insert(u16, Vec<u8>),
    Truncate(u16),
}

fn change() -> impl Strategy<Value = Change> {
    let token = prop_oneof![
        Just(b"18446744073709551615".to_vec()),
        Just(b"-1".to_vec()),
        Just(b"NaN".to_vec()),
        Just(b"ffffffffffffffff".to_vec()),
        Just(b"\n\n".to_vec()),
        Just(b" (".to_vec()),
        Just(b";".to_vec()),
        Just(vec![0xff; 8]),
        Just(vec![0; 8]),
        vec(any::<u8>(), 1..16),
    ];
    prop_oneof![
        (any::<u16>(), 0..8_u8).prop_map(|(at, bit)| Change::FlipBit(at, bit)),
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Change::Cut(from, to)),
        (any::<u16>(), any::<u16>(), 1..20_u8).prop_map(|(from, to, times)| Change::Repeat(from, to, times)),
        (any::<u16>(), token).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        any::<u16>().prop_map(Change::Truncate),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let len = bytes.len();
    let place = |part: u16| len * usize::from(part) / (1 << 16);
    let range = |from: u16, to: u16| place(from.min(to))..place(from.max(to));
    match change {
        Change::FlipBit(at, bit) => bytes.get_mut(place(*at)).into_iter().for_each(|byte| *byte ^= 1 << bit),
        Change::Set(at, to) => bytes.get_mut(place(*at)).into_iter().for_each(|byte| *byte = *to),
        Change::Cut(from, to) => drop(bytes.drain(range(*from, *to))),
        Change::Repeat(from, to, times) => {
            let part = bytes[range(*from, *to)].repeat(usize::from(*times));
            let at = place(*to);
            bytes.splice(at..at, part);
        }
        Change::Insert(at, inserted) => {
            let at = place(*at);
            bytes.splice(at..at, inserted.iter().copied());
        }
        Change::Truncate(at) => bytes.truncate(place(*at)),
    }
}

fn drive((name, target): Target) {
    let cases = std::env::var("PDIFF_FUZZ_CASES").ok().map_or(200, |text| text.parse().unwrap());
    let seeds = targets::seeds(name);
    for (at, seed) in seeds.iter().enumerate() {
        assert!(
            target(seed),
            "seed {at} of {name}, by name of its file, is refused: what it is to lead to is not tested"
        );
    }
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let strategy = (0..seeds.len(), vec(change(), 1..8));
    let outcome = TestRunner::new(config).run(&strategy, |(seed, changes)| {
        let mut bytes = seeds[seed].clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        target(&bytes);
        Ok(())
    });
    outcome.unwrap();
}

fn driven(name: &str) {
    drive(*TARGETS.iter().find(|(target, _)| *target == name).unwrap());
}

#[test]
fn perf_script_stands_any_bytes() {
    driven("perf_script");
}

#[test]
fn recordings_of_any_kind_stand_any_bytes() {
    driven("recording");
}

#[test]
fn recordings_of_perf_stand_any_bytes() {
    driven("perf_data");
}

#[test]
fn pprof_profiles_stand_any_bytes() {
    driven("pprof");
}

#[test]
fn flame_graphs_stand_any_bytes() {
    driven("flame_graph");
}

#[test]
fn packs_stand_any_bytes() {
    driven("pack");
}

#[test]
fn sections_of_packs_stand_any_bytes() {
    driven("codecs");
}

#[test]
fn unwind_tables_stand_any_bytes() {
    driven("unwinding");
}

#[test]
fn elf_files_stand_any_bytes() {
    driven("elf");
}

#[test]
fn knowledge_files_stand_any_bytes() {
    driven("knowledge");
}

#[test]
fn arguments_stand_any_bytes() {
    driven("arguments");
}

#[test]
fn settings_stand_any_bytes() {
    driven("settings");
}

#[test]
fn reports_of_compilers_stand_any_bytes() {
    driven("remarks");
}

#[test]
fn recordings_of_waiting_stand_any_bytes() {
    driven("waits");
}

#[test]
fn branch_records_stand_any_bytes() {
    driven("branches");
}

#[test]
fn counts_stand_any_bytes() {
    driven("counts");
}

#[test]
fn output_of_benchmarks_stands_any_bytes() {
    driven("benchmark");
}

#[test]
fn tables_stand_any_bytes() {
    drive(("tables", tables::tables));
}

#[test]
fn names_stand_any_bytes() {
    driven("names");
}
