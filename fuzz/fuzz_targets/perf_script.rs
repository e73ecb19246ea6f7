//! Any bytes as `perf script` text: no panic, and no sample is lost between cells and events.
//!
//! `cargo +nightly fuzz run perf_script -- -max_len=8192`

#![no_main]

use libfuzzer_sys::fuzz_target;
use pdiff_ingest::{ReadOptions, parse_perf_script};

fuzz_target!(|text: &[u8]| {
    let options =
        ReadOptions { lenient: true, threads: std::num::NonZeroUsize::new(1), ..ReadOptions::new() };
    let Ok(profile) = parse_perf_script(text, &options) else { return };
    let counted: u64 = profile.cells.iter().map(|cell| u64::from(cell.samples)).sum();
    assert_eq!(counted, profile.events.iter().map(|event| event.samples).sum::<u64>());
    let frames = profile.cells.iter().flat_map(|cell| profile.stacks.get(cell.stack));
    assert!(frames.into_iter().all(|id| profile.frames.get(id.index()).is_some()));
});
