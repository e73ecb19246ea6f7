//! Laws, on generated text: nothing is lost, and the result depends neither on blocks, nor on workers, nor (up to the
//! order of ids) on the order of samples.

use std::fmt::Write;

use proptest::prelude::*;

use super::super::header_line;
use super::super::header_shape::HeaderShapes;
use super::{dump, profile, profile_dealt, profile_with};

#[derive(Clone, Debug)]
struct Sample {
    comm: &'static str,
    tid: u32,
    time_ns: u64,
    period: Option<u32>,
    event: &'static str,
    frames: Vec<u8>,
    is_flat: bool,
}

prop_compose! {
    fn sample()(
        comm in prop::sample::select(vec!["mysqld", "a b c", "0x12 99", "w (1) 2/3:4", "ib_log 1.000001"]),
        tid in 1_u32..4,
        time_ns in 1_000_000_000_u64..5_000_000_000,
        period in prop::option::weighted(0.9, 1_u32..2_000_000),
        event in prop::sample::select(vec!["cpu-clock", "cycles:ppp", "cpu_core/cycles/P", "sched:x"]),
        frames in prop::collection::vec(0_u8..6, 0..6),
        is_flat in prop::bool::weighted(0.2),
    ) -> Sample {
        Sample { comm, tid, time_ns, period, event, frames, is_flat }
    }
}

fn frame_text(frame: u8) -> String {
    let names = [
        "main+0x1 (/x)",
        "f<void (*)(a*)>::g+0x2 (/a b (deleted))",
        "[unknown] ([unknown])",
        "i+0x3 (inlined)",
    ];
    match names.get(usize::from(frame)) {
        Some(name) => format!("{:x} {name}", 0x1000 + u32::from(frame)),
        None => format!("ffffffff8100000{frame} sys+0x4 ([kernel.kallsyms])"),
    }
}

impl Sample {
    fn print(&self, text: &mut String) {
        let Self { comm, tid, time_ns, event, .. } = self;
        let (seconds, micros) = (time_ns / 1_000_000_000, time_ns / 1000 % 1_000_000);
        let period = self.period.map_or(String::new(), |period| format!("{period:>10} "));
        let is_flat = self.is_flat && self.frames.len() == 1;
        let comm = if is_flat { format!("{comm:>16}") } else { (*comm).to_owned() };
        write!(text, "{comm} {tid:>5} [000] {seconds:>5}.{micros:06}: {period}{event}: ").unwrap();
        if is_flat {
            return writeln!(
                text,
                "{:>16} {}",
                frame_text(self.frames[0]).split_once(' ').unwrap().0,
                frame_text(self.frames[0]).split_once(' ').unwrap().1
            )
            .unwrap();
        }
        text.push('\n');
        for frame in &self.frames {
            writeln!(text, "\t{:>16}", frame_text(*frame)).unwrap();
        }
        text.push('\n');
    }
}

fn print(samples: &[Sample]) -> String {
    let mut text = String::new();
    samples.iter().for_each(|sample| sample.print(&mut text));
    text
}

/// The lines of a dump without their order.
fn sorted(dump: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = dump.lines().collect();
    lines.sort_unstable();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_and_weights_are_all_counted(samples in prop::collection::vec(sample(), 1..40)) {
        let profile = profile(print(&samples).as_bytes());
        let expected: u64 = samples.iter().map(|sample| u64::from(sample.period.unwrap_or(1))).sum();
        prop_assert_eq!(profile.events.iter().map(|event| event.weight.0).sum::<u64>(), expected);
        let cells: u64 = profile.cells.iter().map(|cell| u64::from(cell.samples)).sum();
        prop_assert_eq!(cells, samples.len() as u64);
        let no_period = samples.iter().filter(|sample| sample.period.is_none()).count() as u64;
        let noted = profile.notes.get(pdiff_profile::NoteKind::NoPeriod).map_or(0, |note| note.count);
        prop_assert_eq!(noted, no_period);
    }

    #[test]
    fn blocks_and_workers_do_not_matter(
        samples in prop::collection::vec(sample(), 1..40), block_bytes in 1_usize..500, threads in 1_usize..8,
    ) {
        let text = print(&samples);
        prop_assert_eq!(profile_with(text.as_bytes(), block_bytes, threads), profile(text.as_bytes()));
    }

    #[test]
    fn who_reads_which_block_does_not_matter(
        samples in prop::collection::vec(sample(), 1..40),
        block_bytes in 1_usize..500,
        turns in prop::collection::vec(0_usize..4, 4..9),
    ) {
        let text = print(&samples);
        prop_assert_eq!(profile_dealt(text.as_bytes(), block_bytes, &turns), profile(text.as_bytes()));
    }

    #[test]
    fn the_order_of_samples_does_not_matter(samples in prop::collection::vec(sample(), 1..40)) {
        let without_times = |dump: String| dump.replace("! time-backwards", "! t");
        let forward = dump(&profile(print(&samples).as_bytes()));
        let reversed: Vec<Sample> = samples.into_iter().rev().collect();
        let backward = dump(&profile(print(&reversed).as_bytes()));
        let (forward, backward) = (without_times(forward), without_times(backward));
        let is_cell = |line: &&&str| !line.starts_with("! t ");
        let (forward, backward) = (sorted(&forward), sorted(&backward));
        prop_assert_eq!(
            forward.iter().filter(is_cell).collect::<Vec<_>>(), backward.iter().filter(is_cell).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_fast_path_agrees_with_the_definition(
        samples in prop::collection::vec(sample(), 2..10), cut in 0_usize..200, byte in any::<u8>(), place in 0_usize..80,
    ) {
        let text = print(&samples);
        let mut shapes = HeaderShapes::default();
        let mut threads: Vec<Vec<u8>> = Vec::new();
        let headers: Vec<&str> = text.lines().filter(|line| !line.starts_with('\t') && !line.is_empty()).collect();
        for line in &headers {
            if let Some(header) = header_line::parse(line.as_bytes()) {
                shapes.learn(&header, 0);
                threads.push(header.thread_text.to_vec());
            }
        }
        for line in headers {
            let mut changed = line.as_bytes().to_vec();
            if let Some(slot) = changed.get_mut(place) { *slot = byte; }
            changed.truncate(line.len().saturating_sub(cut / 10));
            for line in [line.as_bytes(), &changed] {
                let is_known = |text: &[u8]| threads.iter().any(|known| known == text).then_some(0);
                if let Some(known) = shapes.parse(line, is_known) {
                    prop_assert_eq!(Some(known.header), header_line::parse(line), "{:?}", String::from_utf8_lossy(line));
                }
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "([ \t\n0-9a-f:.()+x\\[\\]#|-]|cycles: |PERF_RECORD_MMAP2 |1\\.000001: ){0,80}") {
        let _ = super::super::parse_perf_script(text.as_bytes(), &crate::ReadOptions::new());
    }
}
