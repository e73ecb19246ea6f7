//! Reading `perf script` text, beside inferno's perf collapser: the same file, the same number of threads, one run.
//!
//! `PDIFF_BENCH_MB` says how much text (120 by default), `PDIFF_BENCH_PERTURBED=1` that no line repeats across its
//! copies. Both sides read the file from the page cache and end with counted stacks: pdiff with thread and second
//! kept, inferno with folded lines.

#![expect(clippy::unwrap_used, reason = "a bench that cannot run says so by panicking")]

mod common;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use common::{Copies, perf_text};
use divan::Bencher;
use divan::counter::BytesCount;
use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};
use pdiff::{ReadOptions, Source, read_profile};

static INPUT: LazyLock<tempfile::NamedTempFile> = LazyLock::new(|| {
    let megabytes = std::env::var("PDIFF_BENCH_MB").ok().map_or(120, |text| text.parse().unwrap());
    let perturbed = std::env::var_os("PDIFF_BENCH_PERTURBED").is_some();
    perf_text(&["57", "80"], megabytes, if perturbed { Copies::Perturbed } else { Copies::Alike })
});

fn bytes() -> BytesCount {
    BytesCount::new(std::fs::metadata(INPUT.path()).unwrap().len())
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn pdiff_read(bencher: Bencher, threads: usize) {
    let source = Source::Path(INPUT.path().into());
    bencher.counter(bytes()).bench(|| {
        let options = ReadOptions { threads: NonZeroUsize::new(threads), ..ReadOptions::new() };
        read_profile(&source, &options).map(|profile| profile.cells.len())
    });
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn inferno_collapse(bencher: Bencher, threads: usize) {
    bencher.counter(bytes()).bench(|| {
        let mut options = Options::default();
        options.nthreads = threads;
        let mut folded = Vec::new();
        Folder::from(options).collapse_file(Some(INPUT.path()), &mut folded).map(|()| folded.len())
    });
}

fn main() {
    divan::main();
}
