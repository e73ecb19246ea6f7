//! Reading `perf script` text, beside inferno's perf collapser: the same file, the same number of threads, one run.
//!
//! The input is made of the captures in `fixtures/mysql`: unpacked and put one after another until it has the size that
//! `PDIFF_BENCH_MB` asks for (120 by default). Both sides read the file from the page cache and end with counted
//! stacks: pdiff with thread and second kept, inferno with folded lines.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};
use pdiff::{ReadOptions, Source, read_profile};

static INPUT: LazyLock<tempfile::NamedTempFile> = LazyLock::new(|| {
    let megabytes =
        std::env::var("PDIFF_BENCH_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(120_usize);
    let captures = ["80-aligned-r1", "57-aligned-r1", "80-aligned-r2", "57-aligned-r2", "80-aligned-r3"];
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/mysql");
    let texts: Vec<Vec<u8>> = captures
        .iter()
        .map(|name| {
            let packed = std::fs::File::open(directory.join(format!("{name}.perf.zst")))
                .expect("the captures are there");
            zstd::decode_all(packed).expect("the captures are whole")
        })
        .collect();
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
    let mut written = 0;
    for text in texts.iter().cycle() {
        if written >= megabytes * 1_000_000 {
            break;
        }
        file.write_all(text).expect("the disk has room");
        written += text.len();
    }
    file
});

fn bytes() -> BytesCount {
    BytesCount::new(std::fs::metadata(INPUT.path()).map_or(0, |metadata| metadata.len()))
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
