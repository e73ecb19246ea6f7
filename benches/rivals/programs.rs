//! Whole programs, as a shell starts them.

use std::path::{Path, PathBuf};

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options};

use crate::common::{Copies, perf_text};
use crate::contest::{Amount, Contest, Racer};
use crate::library::given;

const PDIFF: &str = env!("CARGO_BIN_EXE_pdiff");

/// How long it takes to start.
pub(crate) fn startup(contest: &mut Contest) {
    let what = "startup";
    if contest.wants(what) {
        let racers = vec![
            Racer::program("pdiff --version", PDIFF, &["--version"]),
            Racer::program("perf --version", "perf", &["--version"]),
        ];
        contest.race(what, Amount::Whole, racers);
    }
}

/// `compare` of two captures without binaries, beside what a differential flame graph needs of the same text.
pub(crate) fn without_binaries(contest: &mut Contest) {
    let what = "compare two captures of 120 MB, no binaries";
    if !contest.wants(what) {
        return;
    }
    let (before, after) = (perf_text(&["57"], 120, Copies::Alike), perf_text(&["80"], 120, Copies::Alike));
    let paths = [before.path(), after.path()].map(|path| path.to_str().unwrap().to_owned());
    let [a, b] = &paths;
    let bytes = paths.iter().map(|path| std::fs::metadata(path).unwrap().len()).sum();
    let racers = vec![
        Racer::program("pdiff compare", PDIFF, &["compare", a, b, "--no-symbolize"]),
        Some(Racer::call("inferno: both collapsed, one thread", || [a, b].map(|path| collapse(path, 1)))),
    ];
    contest.race(what, Amount::Bytes(bytes), racers);
}

/// The large pair, beside inferno on one of the two.
pub(crate) fn million_samples(contest: &mut Contest) {
    let what = "compare two captures of a million samples, no binaries";
    if !contest.wants(what) {
        return;
    }
    let files = given("PDIFF_BENCH_BIG_BEFORE").zip(given("PDIFF_BENCH_BIG_AFTER"));
    let Some((a, b)) = files else { return };
    let bytes = [&a, &b].map(|path| std::fs::metadata(path).unwrap().len()).iter().sum();
    let racers = vec![
        Racer::program("pdiff compare", PDIFF, &["compare", &a, &b, "--no-symbolize"]),
        Some(Racer::call("inferno: the first one collapsed, one thread", || collapse(&a, 1))),
    ];
    contest.race(what, Amount::Bytes(bytes), racers);
}

/// Names and inlined functions of a capture's addresses.
pub(crate) fn symbolisers(contest: &mut Contest) {
    let what = "symbolise a capture's addresses, programs";
    if !contest.wants(what) {
        return;
    }
    let files = given("PDIFF_BENCH_BINARY").zip(given("PDIFF_BENCH_ADDRESSES"));
    let Some((binary, addresses)) = files else { return };
    let count = std::fs::read_to_string(&addresses).unwrap().split_whitespace().count();
    let through_shell = |name: &str, needs: &str, command: String| {
        // Asked first, so that a missing program is said by its own name.
        Racer::program(name, needs, &["--version"])
            .and_then(|_| Racer::program(name, "sh", &["-c", &command]))
    };
    let racers = vec![
        through_shell("pdiff symbolize", PDIFF, format!("{PDIFF} symbolize {binary} - < {addresses}")),
        through_shell(
            "llvm-symbolizer --inlines",
            "llvm-symbolizer",
            format!("llvm-symbolizer --inlines -e {binary} < {addresses}"),
        ),
        through_shell(
            "addr2line -i -f -C (binutils)",
            "addr2line",
            format!("addr2line -i -f -C -e {binary} < {addresses}"),
        ),
    ];
    contest.race(what, Amount::Count(count, "addresses"), racers);
}

/// `compare` and `classify` with binaries: with an empty cache directory, and with what the run before left there.
pub(crate) fn with_binaries(contest: &mut Contest) {
    let what = "two captures of 120 MB with their binaries";
    if !contest.wants(what) {
        return;
    }
    let files = given("PDIFF_BENCH_BINARY_BEFORE").zip(given("PDIFF_BENCH_BINARY"));
    let Some((binary_before, binary_after)) = files else { return };
    let (before, after) = (perf_text(&["57"], 120, Copies::Alike), perf_text(&["80"], 120, Copies::Alike));
    let cache = tempfile::tempdir().unwrap();
    let cache_dir = cache.path().to_str().unwrap();
    let binaries = ["--binary-before", &binary_before, "--binary-after", &binary_after];
    let files = [before.path().to_str().unwrap(), after.path().to_str().unwrap()];
    let arguments =
        |command: &'static str| [&[command][..], &files, &binaries, &["--cache-dir", cache_dir]].concat();
    let [compare, classify] = ["compare", "classify"].map(arguments);
    let classify = [&classify[..], &["--inline-check"]].concat();
    let empty = |directory: PathBuf| move || clear(&directory);
    let racers = vec![
        Racer::program("pdiff compare, warm", PDIFF, &compare),
        Racer::program("pdiff classify --inline-check, warm", PDIFF, &classify),
    ];
    contest.race(what, Amount::Whole, racers);
    let racers = vec![
        Racer::prepared("pdiff compare, cold", PDIFF, &compare, empty(cache.path().into())),
        Racer::prepared("pdiff classify --inline-check, cold", PDIFF, &classify, empty(cache.path().into())),
    ];
    contest.race(what, Amount::Whole, racers);
}

/// Takes everything out of a cache directory.
pub(crate) fn clear(directory: &Path) {
    for entry in std::fs::read_dir(directory).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
}

/// Folds a capture by inferno; gives the bytes of folded lines.
pub(crate) fn collapse(path: &str, threads: usize) -> usize {
    let mut options = Options::default();
    options.nthreads = threads;
    let mut folded = Vec::new();
    Folder::from(options).collapse_file(Some(path), &mut folded).unwrap();
    folded.len()
}
