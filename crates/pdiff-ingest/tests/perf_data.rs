//! Recordings of `perf record` against what `perf script` prints of them: the same samples, frame by frame.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use pdiff_ingest::{Error, ReadOptions, RunningKernel, Source, SymbolPlaces, TimeWindow, read_profile};
use pdiff_profile::{
    Frame, KernelFunction, KernelImage, KernelImages, NoteKind, ObjectAddr, ObjectKind, Profile, WantedKernel,
};

fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/perf-data"))
}

fn options(time: TimeWindow) -> ReadOptions<'static> {
    let cache = fixtures().join("cache");
    let kernel = "[kernel.kallsyms]/e4f18d9dc1d0e6fc2b17e93e885a647b3c0a6fc1/kallsyms";
    // Stands for the machine of the recordings, for those that have no build-ids.
    let running_kernel = RunningKernel {
        notes: "/no/such/file".into(),
        symbols: cache.join(kernel),
        release: cache.join("osrelease"),
    };
    let symbols = SymbolPlaces {
        build_id_dirs: vec![cache],
        running_kernel: Some(running_kernel),
        ..SymbolPlaces::default()
    };
    ReadOptions { symbols, time, ..ReadOptions::new() }
}

fn read(name: &str, time: TimeWindow) -> Result<Profile, Error> {
    read_profile(&Source::Path(fixtures().join(name)), &options(time))
}

fn read_bytes(bytes: Vec<u8>, lenient: bool) -> Result<Profile, Error> {
    let source = Source::Bytes { name: "bytes".into(), bytes: bytes.into() };
    read_profile(&source, &ReadOptions { lenient, ..options(TimeWindow::All) })
}

/// Recordings of waiting: the same times in each state from `perf.data` and from its text.
#[test]
fn times_between_switches_are_those_of_the_text() {
    let read = |name: &str| {
        let path = fixtures().join("../waiting").join(name);
        let options = ReadOptions { waits: true, ..options(TimeWindow::All) };
        read_profile(&Source::Path(path), &options).unwrap()
    };
    let times = |profile: &Profile| {
        let mut times = BTreeMap::<_, (u64, u64)>::new();
        for cell in &profile.cells {
            let thread = profile.threads[cell.thread.index()];
            let event = profile.events[cell.event.index()].name.clone();
            let depth = profile.stacks.get(cell.stack).len();
            let time = times.entry((thread.pid, thread.tid, event, cell.block, depth)).or_default();
            *time = (time.0 + cell.weight.0, time.1 + u64::from(cell.samples));
        }
        times
    };
    let (data, text) = (times(&read("small.data.zst")), times(&read("small.perf.zst")));
    assert!(data.len() > 20, "{}", data.len());
    // The text has microseconds.
    for ((thread, of_data), (same, of_text)) in data.iter().zip(&text) {
        assert_eq!((thread, of_data.1), (same, of_text.1));
        assert!(of_data.0.abs_diff(of_text.0) <= 1000 * of_data.1, "{thread:?} {of_data:?} {of_text:?}");
    }
    assert_eq!(data.len(), text.len());
}

/// Samples and weight by event, thread, second and stack. Functions of files are not in a recording, and positions in them
/// depend on how perf prints, so such frames are objects.
fn samples(profile: &Profile) -> BTreeMap<String, (u64, u64)> {
    let mut samples = BTreeMap::new();
    for cell in &profile.cells {
        let event = &profile.events[cell.event.index()].name;
        let thread = profile.threads[cell.thread.index()];
        let mut text = format!("{event} {} {:?} {}:", profile.string(thread.comm), thread.tid, cell.block);
        for frame in profile.stacks.get(cell.stack) {
            let frame = profile.frames[frame.index()];
            let object = &profile.objects[frame.object.index()];
            let symbol =
                frame.symbol.filter(|_| object.kind != ObjectKind::File && object.kind != ObjectKind::Vdso);
            let symbol = symbol.map_or("", |symbol| profile.string(symbol));
            let offset = if symbol.is_empty() { 0 } else { frame.symbol_offset.unwrap() };
            text += &format!(" {symbol}+{offset:x} ({})", object.path);
        }
        let sum = samples.entry(text).or_insert((0, 0));
        *sum = (sum.0 + u64::from(cell.samples), sum.1 + cell.weight.0);
    }
    samples
}

#[track_caller]
fn assert_same(data: &BTreeMap<String, (u64, u64)>, text: &BTreeMap<String, (u64, u64)>, name: &str) {
    let differ = |(key, value): &(&String, &(u64, u64))| data.get(*key) != Some(*value);
    let missing: Vec<_> = text.iter().filter(differ).take(3).collect();
    let extra: Vec<_> = data.iter().filter(|(key, value)| text.get(*key) != Some(value)).take(3).collect();
    assert!(missing.is_empty() && extra.is_empty(), "{name}: perf has {missing:#?}, pdiff has {extra:#?}");
}

#[test]
fn samples_are_those_that_perf_script_prints() {
    for name in ["flat", "fp", "packed", "stream", "build-ids", "deleted", "group", "two-events", "period"] {
        let data = read(&format!("{name}.data"), TimeWindow::All).unwrap();
        let text = read(&format!("{name}.perf.zst"), TimeWindow::All).unwrap();
        assert_same(&samples(&data), &samples(&text), name);
        let events = |profile: &Profile| -> Vec<_> {
            profile.events.iter().map(|event| (event.name.clone(), event.samples, event.weight)).collect()
        };
        assert_eq!(events(&data), events(&text), "{name}");
        let micros = |profile: &Profile| profile.span.map(|span| (span.first_ns / 1000, span.last_ns / 1000));
        assert_eq!(micros(&data), micros(&text), "{name}");
    }
}

#[test]
fn a_time_window_keeps_what_perf_script_keeps() {
    for window in ["+0.05,+0.1", "20%-60%"] {
        let window = TimeWindow::parse(window).unwrap();
        let data = read("fp.data", window).unwrap();
        let all = read("fp.data", TimeWindow::All).unwrap();
        let filtered = data.notes.get(NoteKind::FilteredOut).unwrap();
        assert!(data.events[0].samples > 10 && filtered.count > 10);
        assert_eq!(data.events[0].samples + filtered.count, all.events[0].samples);
        let text = read("fp.perf.zst", window).unwrap();
        // The text has microseconds.
        assert!(text.events[0].samples.abs_diff(data.events[0].samples) <= 1);
    }
    let nothing = read("fp.data", TimeWindow::parse("1,2").unwrap()).unwrap_err();
    assert!(matches!(nothing, Error::NothingInWindow { .. }), "{nothing}");
}

#[test]
fn objects_have_the_build_ids_of_the_recording() {
    let of_work = |name: &str| {
        let profile = read(name, TimeWindow::All).unwrap();
        let work = profile.objects.iter().find(|object| &*object.path == "/opt/work/work").unwrap();
        work.build_id.clone()
    };
    let build_id = of_work("fp.data");
    assert!(build_id.is_some());
    assert_eq!(of_work("build-ids.data"), build_id);
    for name in ["packed.data", "stream.data"] {
        assert_eq!(of_work(name), None, "{name}");
        assert!(read(name, TimeWindow::All).unwrap().notes.get(NoteKind::NoBuildIds).is_some());
    }
}

#[test]
fn the_header_is_that_of_perf_script() {
    let profile = read("fp.data", TimeWindow::All).unwrap();
    let value =
        |key: &str| profile.header.iter().find(|(known, _)| &**known == key).map(|(_, value)| &**value);
    assert_eq!(value("arch"), Some("x86_64"));
    assert_eq!(value("nrcpus online"), Some("2"));
    assert_eq!(value("cmdline"), Some("/usr/bin/perf record -q -e cpu-clock -F 997 -g -o fp.data ./work"));
}

#[test]
fn a_recording_that_was_cut_off_is_read_as_far_as_it_goes() {
    let cut = read("cut.data", TimeWindow::All).unwrap();
    assert_eq!(&*cut.events[0].name, "cpu-clock");
    assert_eq!(cut.notes.get(NoteKind::CutRecording).unwrap().count, 1);
    assert!(cut.notes.get(NoteKind::NoKernelSymbols).is_some());
    let whole = std::fs::read(fixtures().join("fp.data")).unwrap();
    let mut last = 0;
    for len in (0..whole.len()).step_by(997) {
        if let Ok(profile) = read_bytes(whole[..len].to_vec(), true) {
            assert!(profile.events[0].samples >= last, "{len}");
            last = profile.events[0].samples;
            assert!(profile.notes.get(NoteKind::CutRecording).is_some(), "{len}");
        }
    }
    assert!(last > 250, "{last}");
}

#[test]
fn samples_that_cannot_be_read_are_told() {
    let whole = std::fs::read(fixtures().join("fp.data")).unwrap();
    let number = |at: usize| u64::from_le_bytes(whole[at..at + 8].try_into().unwrap()) as usize;
    let (data, end) = (number(40), number(40) + number(48));
    let mut records: Vec<(usize, u8)> = Vec::new();
    let mut at = data;
    while at < end {
        records.push((at, whole[at]));
        at += usize::from(u16::from_le_bytes([whole[at + 6], whole[at + 7]]));
    }
    let samples_at: Vec<usize> = records.iter().filter(|(_, kind)| *kind == 9).map(|(at, _)| *at).collect();
    // A type that no record has may have been a sample's.
    let mut unknown = whole.clone();
    unknown[samples_at[5]] = 99;
    let read = read_bytes(unknown, false).unwrap();
    let damaged = read.notes.get(NoteKind::DamagedRecord).unwrap();
    assert_eq!((damaged.count, &*damaged.examples[0]), (1, "a record has the type 99, which none has"));
    // Nothing tells where the record behind one without a size begins.
    let mut zeros = whole.clone();
    let from = samples_at[samples_at.len() / 2];
    zeros[from..from + 16].fill(0);
    let read = read_bytes(zeros, false).unwrap();
    let unread = &read.notes.get(NoteKind::CutRecording).unwrap().examples[0];
    assert!(unread.starts_with(&format!("{} of {end} bytes", end - from)), "{unread}");
    // All samples are there, and what follows them is not.
    let read = read_bytes(whole[..end + 8].to_vec(), false).unwrap();
    assert!(read.notes.get(NoteKind::CutRecording).unwrap().examples[0].contains("behind its samples"));
    let error = read_bytes(whole[..samples_at[0]].to_vec(), false).unwrap_err().to_string();
    assert!(error.contains("before its first sample"), "{error}");
}

#[test]
fn a_recording_whose_writer_was_killed_has_no_size() {
    let mut bytes = std::fs::read(fixtures().join("cut.data")).unwrap();
    bytes[48..56].fill(0);
    let killed = read_bytes(bytes, false).unwrap();
    let cut = read("cut.data", TimeWindow::All).unwrap();
    assert_eq!(samples(&killed), samples(&cut));
    assert!(killed.notes.get(NoteKind::CutRecording).is_some());
}

#[test]
fn damaged_bytes_give_a_profile_or_an_error_and_lose_no_sample_in_silence() {
    // xorshift, so that the test is the same each time.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for name in ["flat", "fp", "packed", "stream", "group", "two-events", "dwarf"] {
        let whole = std::fs::read(fixtures().join(format!("{name}.data"))).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=random() % 8 {
                let at = random() as usize % bytes.len();
                bytes[at] = match random() % 3 {
                    0 => 0xff,
                    1 => 0,
                    _ => random() as u8,
                };
            }
            if let Ok(profile) = read_bytes(bytes, true) {
                let in_cells: u64 = profile.cells.iter().map(|cell| u64::from(cell.samples)).sum();
                assert_eq!(in_cells, profile.events.iter().map(|event| event.samples).sum::<u64>());
            }
        }
    }
}

/// A kernel with one function; asked for a file, or for one from a server.
#[derive(Default)]
struct Kernels {
    has_file: bool,
    fetched: AtomicUsize,
}

impl Kernels {
    fn image(wanted: WantedKernel<'_>) -> KernelImage {
        assert_eq!((wanted.release, wanted.reference), (Some("6.18.44-fc-v595"), Some("_text")));
        assert_eq!(wanted.build_id.to_string(), "e4f18d9dc1d0e6fc2b17e93e885a647b3c0a6fc1");
        let addrs = ObjectAddr(0x1000)..ObjectAddr(0x1000 + (1 << 30));
        let function = KernelFunction { entry: addrs.start, addrs, name: "all_of_it".into() };
        KernelImage { functions: vec![function], reference: Some(ObjectAddr(0x1000)) }
    }
}

impl KernelImages for Kernels {
    fn find(&self, wanted: WantedKernel<'_>) -> Option<KernelImage> {
        self.has_file.then(|| Self::image(wanted))
    }

    fn fetch(&self, wanted: WantedKernel<'_>) -> Option<KernelImage> {
        self.fetched.fetch_add(1, Ordering::Relaxed);
        Some(Self::image(wanted))
    }
}

#[test]
fn a_loss_of_more_samples_than_can_be_counted_is_all_of_them() {
    let mut bytes = std::fs::read(fixtures().join("stream.data")).unwrap();
    // PERF_RECORD_LOST: type 2, 24 bytes; an event, and how many samples.
    bytes.extend([2, 0, 0, 0, 0, 0, 24, 0]);
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(u64::MAX.to_le_bytes());
    let profile = read_bytes(bytes, true).unwrap();
    let note = profile.notes.get(NoteKind::LostSamples).unwrap();
    assert_eq!(note.count, u64::MAX);
    assert!(
        note.examples.iter().any(|example| **example == *"100.00 % of all samples"),
        "{:?}",
        note.examples
    );
}

#[test]
fn the_kernel_is_named_by_its_file_then_by_a_list_then_by_what_servers_have() {
    let check = |has_file: bool, has_list: bool, is_by_file: bool, is_fetched: usize| {
        let kernels = Kernels { has_file, ..Kernels::default() };
        let mut options = options(TimeWindow::All);
        options.kernel_images = Some(&kernels);
        if !has_list {
            options.symbols = SymbolPlaces::default();
        }
        let profile = read_profile(&Source::Path(fixtures().join("fp.data")), &options).unwrap();
        let is_kernel = |frame: &&Frame| profile.objects[frame.object.index()].kind == ObjectKind::Kernel;
        let frames: Vec<&Frame> = profile.frames.iter().filter(is_kernel).collect();
        assert!(frames.len() > 20);
        for frame in frames {
            let name = profile.string(frame.symbol.unwrap());
            assert_eq!(name == "all_of_it", is_by_file, "{name}");
            let offset = frame.addr.unwrap().0 - 0xffff_ffff_8100_0000;
            assert!(!is_by_file || frame.symbol_offset == Some(offset));
        }
        assert_eq!(kernels.fetched.load(Ordering::Relaxed), is_fetched);
    };
    check(true, true, true, 0);
    check(false, true, false, 0);
    check(false, false, true, 1);
}
