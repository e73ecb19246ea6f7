//! Library calls: reading, diffing, symbolising, the census.

use std::num::NonZeroUsize;
use std::path::Path;

use addr2line::Loader;
use blazesym::symbolize::source::{Elf, Source as BlazeSource};
use blazesym::symbolize::{Input, Symbolizer as BlazeSymbolizer};
use pdiff::profile::{EventId, ObjectAddr, Profile};
use pdiff::symbolize::{SymbolizeOptions, Symbolizer, census_of};
use pdiff::{CompareSettings, ReadOptions, RunInput, SideInput, Sides, Source, compare, read_profile};
use tempfile::NamedTempFile;

use crate::common::{Copies, perf_text};
use crate::contest::{Amount, Contest, Racer};
use crate::programs::{clear, collapse};

/// Addresses of the race that measures a full index.
const MANY_ADDRESSES: usize = 1_000_000;

/// A variable's value, or a word on what is left out.
pub(crate) fn given(variable: &str) -> Option<String> {
    let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
    if value.is_none() {
        println!("    (skipped: {variable} is not set)");
    }
    value
}

/// `perf script` text to counted stacks.
pub(crate) fn reading(contest: &mut Contest) {
    let texts = [
        ("read 120 MB of text", 120, Copies::Alike),
        ("read 600 MB of text", 600, Copies::Alike),
        ("read 600 MB of text, no line repeated across copies", 600, Copies::Perturbed),
        ("read 2000 MB of text", 2000, Copies::Alike),
    ];
    for (what, megabytes, copies) in texts {
        if !contest.wants(what) {
            continue;
        }
        let text = perf_text(&["57", "80"], megabytes, copies);
        let path = text.path().to_str().unwrap();
        let read = |threads| move || read_stacks(path, threads);
        let racers = vec![
            Some(Racer::call("pdiff, one thread", read(1))),
            Some(Racer::call("pdiff, two threads", read(2))),
            Some(Racer::call("inferno, one thread", || collapse(path, 1))),
            Some(Racer::call("inferno, two threads", || collapse(path, 2))),
            Racer::program("stackcollapse-perf.pl", "stackcollapse-perf.pl", &[path]),
        ];
        contest.race(what, Amount::Bytes(std::fs::metadata(path).unwrap().len()), racers);
    }
}

fn read_stacks(path: &str, threads: usize) -> usize {
    let options = ReadOptions { threads: NonZeroUsize::new(threads), ..ReadOptions::new() };
    read_profile(&Source::Path(path.into()), &options).unwrap().cells.len()
}

/// Two parsed captures to a table, beside two folded texts to a two-column one.
pub(crate) fn diffing(contest: &mut Contest) {
    let what = "compare two captures in memory";
    if !contest.wants(what) {
        return;
    }
    let texts = ["57", "80"].map(|build| perf_text(&[build], 120, Copies::Alike));
    let read =
        |text: &NamedTempFile| read_profile(&Source::Path(text.path().into()), &ReadOptions::new()).unwrap();
    let profiles = texts.each_ref().map(read);
    let [before, after] = profiles.each_ref().map(|profile| side(profile));
    let sides = Sides { before, after };
    let settings = CompareSettings::default();
    let rows = compare(&sides, &settings).rows.len();
    let folded = texts.each_ref().map(|text| {
        let mut folded = Vec::new();
        let options = inferno::collapse::perf::Options::default();
        let mut folder = inferno::collapse::perf::Folder::from(options);
        inferno::collapse::Collapse::collapse_file(&mut folder, Some(text.path()), &mut folded).unwrap();
        folded
    });
    let racers = vec![
        Some(Racer::call("pdiff compare", || compare(&sides, &settings))),
        Some(Racer::call("inferno differential (no names, no noise)", || {
            let options = inferno::differential::Options::default();
            let mut out = Vec::new();
            inferno::differential::from_readers(options, &*folded[0], &*folded[1], &mut out).unwrap();
            out.len()
        })),
    ];
    contest.race(what, Amount::Count(rows, "rows"), racers);
}

fn side(profile: &Profile) -> SideInput<'_> {
    SideInput::new("capture", vec![RunInput::new("capture", profile, EventId(0))])
}

/// Addresses to inline chains, cold and from an index.
pub(crate) fn symbolising(contest: &mut Contest) {
    let what = "symbolise a capture's addresses, library";
    if !contest.wants(what) {
        return;
    }
    let Some((binary, list)) = given("PDIFF_BENCH_BINARY").zip(given("PDIFF_BENCH_ADDRESSES")) else {
        return;
    };
    let (binary, addresses) = (Path::new(&binary), read_addresses(&list));
    let offline = SymbolizeOptions::new();
    let parsed: Vec<u64> = addresses.iter().map(|address| address.0).collect();
    let racers = vec![
        Some(Racer::call("pdiff, no index", || symbolize(binary, &offline, &addresses))),
        Some(Racer::call("addr2line crate", || by_addr2line(binary, &parsed))),
        Some(Racer::call("blazesym", || by_blazesym(binary, &parsed))),
    ];
    contest.race(what, Amount::Count(addresses.len(), "addresses"), racers);

    let cache = tempfile::tempdir().unwrap();
    let indexed = SymbolizeOptions { cache_dir: Some(cache.path().into()), ..SymbolizeOptions::new() };
    symbolize(binary, &indexed, &addresses);
    let from_index =
        vec![Some(Racer::call("pdiff, from the index", || symbolize(binary, &indexed, &addresses)))];
    contest.race("the same from the index", Amount::Count(addresses.len(), "addresses"), from_index);

    let index_all = || {
        clear(cache.path());
        Symbolizer::open(binary, &indexed).unwrap().index_all();
    };
    contest.race("index a whole binary", Amount::Whole, vec![Some(Racer::call("pdiff", index_all))]);

    let mut symbolizer = Symbolizer::open(binary, &indexed).unwrap();
    symbolizer.index_all();
    let (first, last) = (parsed.iter().min().unwrap(), parsed.iter().max().unwrap());
    let step = ((last - first) / MANY_ADDRESSES as u64).max(1);
    let sorted: Vec<ObjectAddr> =
        (0..MANY_ADDRESSES as u64).map(|at| ObjectAddr(first + at * step)).collect();
    let many = vec![Some(Racer::call("pdiff, from the index", || {
        let mut frames = 0_usize;
        symbolizer
            .for_each(&sorted, |chain| frames += chain.map_or(0, |chain| chain.innermost_first().count()));
        frames
    }))];
    contest.race("a million sorted addresses", Amount::Count(MANY_ADDRESSES, "addresses"), many);
}

fn read_addresses(path: &str) -> Vec<ObjectAddr> {
    let text = std::fs::read_to_string(path).unwrap();
    let parse = |word: &str| ObjectAddr(u64::from_str_radix(word.trim_start_matches("0x"), 16).unwrap());
    text.split_whitespace().map(parse).collect()
}

fn symbolize(binary: &Path, options: &SymbolizeOptions, addresses: &[ObjectAddr]) -> usize {
    Symbolizer::open(binary, options).unwrap().symbolize(addresses).len()
}

fn by_addr2line(binary: &Path, addresses: &[u64]) -> usize {
    let loader = Loader::new(binary).unwrap();
    let mut bytes = 0;
    for address in addresses {
        let Ok(mut frames) = loader.find_frames(*address) else { continue };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|name| name.demangle().ok().map(|name| name.len()));
            bytes += name.unwrap_or_default();
        }
    }
    bytes
}

fn by_blazesym(binary: &Path, addresses: &[u64]) -> usize {
    let source = BlazeSource::Elf(Elf::new(binary));
    BlazeSymbolizer::new().symbolize(&source, Input::VirtOffset(addresses)).unwrap().len()
}

/// The census of a whole binary, taken and read back.
pub(crate) fn census(contest: &mut Contest) {
    let what = "census of a binary";
    if !contest.wants(what) {
        return;
    }
    let Some(binary) = given("PDIFF_BENCH_BINARY") else { return };
    let binary = Path::new(&binary);
    let cache = tempfile::tempdir().unwrap();
    let options = SymbolizeOptions { cache_dir: Some(cache.path().into()), ..SymbolizeOptions::new() };
    let functions = census_of(binary, &options).unwrap().census.functions().len();
    let cold = || {
        clear(cache.path());
        census_of(binary, &options).unwrap().census.functions().len()
    };
    contest.race(
        "census of a binary, taken",
        Amount::Count(functions, "functions"),
        vec![Some(Racer::call("pdiff", cold))],
    );
    contest.race(
        "census of a binary, from the cache",
        Amount::Count(functions, "functions"),
        vec![Some(Racer::call("pdiff", || census_of(binary, &options).unwrap().census.functions().len()))],
    );
}
