//! Recordings as perf writes them: read beside the bare records, and compared beside their text.

use std::fs::File;
use std::io::BufReader;
use std::num::NonZeroUsize;

use linux_perf_data::PerfFileReader;
use pdiff::{Lookup, ReadOptions, Source, read_profile};
use pdiff_symbolize::FileUnwinder;

use crate::contest::{Amount, Contest, Racer};
use crate::library::given;

const PDIFF: &str = env!("CARGO_BIN_EXE_pdiff");

/// A recording to counted stacks, beside a walk over its records in the order of their times.
pub(crate) fn iterating(contest: &mut Contest) {
    let what = "read a recording (perf.data)";
    if !contest.wants(what) {
        return;
    }
    let Some(path) = given("PDIFF_BENCH_DATA") else { return };
    let racers = vec![
        Some(Racer::call("linux-perf-data, records alone", || records(&path))),
        Some(Racer::call("pdiff, one thread", || {
            let options = ReadOptions { threads: NonZeroUsize::new(1), ..ReadOptions::new() };
            read_profile(&Source::Path((&path).into()), &options).unwrap().cells.len()
        })),
    ];
    contest.race(what, Amount::Count(records(&path), "records"), racers);
}

/// Takes every record out of a recording, and looks into none.
fn records(path: &str) -> usize {
    let file = BufReader::new(File::open(path).unwrap());
    let PerfFileReader { mut perf_file, mut record_iter } = PerfFileReader::parse_file(file).unwrap();
    let mut count = 0;
    while let Some(record) = record_iter.next_record(&mut perf_file).unwrap() {
        std::hint::black_box(record);
        count += 1;
    }
    count
}

/// Two recordings to the answer, beside the way over `perf script`.
pub(crate) fn comparing(contest: &mut Contest) {
    let what = "compare two recordings (perf.data)";
    if !contest.wants(what) {
        return;
    }
    let Some((before, after)) = given("PDIFF_BENCH_DATA_BEFORE").zip(given("PDIFF_BENCH_DATA")) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let [cache, before_text, after_text] =
        ["cache", "before.perf", "after.perf"].map(|name| folder.path().join(name).display().to_string());
    let by_text = format!(
        "perf script --no-inline -i {before} > {before_text}; perf script --no-inline -i {after} > {after_text}; \
         {PDIFF} compare {before_text} {after_text} --cache-dir {cache}"
    );
    let racers = vec![
        Racer::program("pdiff compare, warm", PDIFF, &["compare", &before, &after, "--cache-dir", &cache]),
        Racer::program("perf", "perf", &["--version"]).and_then(|_| {
            Racer::program("perf script, and pdiff compare of the texts, warm", "sh", &["-c", &by_text])
        }),
    ];
    let bytes = [&before, &after].map(|path| std::fs::metadata(path).unwrap().len()).iter().sum();
    contest.race(what, Amount::Bytes(bytes), racers);
}

/// Callers found in recorded stacks, by one thread and by two.
pub(crate) fn unwinding(contest: &mut Contest) {
    let what = "unwind a recording's stacks (perf.data)";
    if !contest.wants(what) {
        return;
    }
    let Some(path) = given("PDIFF_BENCH_DWARF") else { return };
    let read = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let source = Source::Path((&path).into());
        move || {
            let unwinder = FileUnwinder::new(Lookup::new().options(&[]));
            let options = ReadOptions {
                threads: NonZeroUsize::new(threads),
                unwinder: Some(&unwinder),
                ..ReadOptions::new()
            };
            let profile = pool.install(|| read_profile(&source, &options).unwrap());
            profile.events.iter().map(|event| event.samples).sum::<u64>()
        }
    };
    let samples = usize::try_from(read(1)()).unwrap();
    let racers = vec![
        Some(Racer::call("pdiff, one thread", read(1))),
        Some(Racer::call("pdiff, two threads", read(2))),
    ];
    contest.race(what, Amount::Count(samples, "samples"), racers);
}
