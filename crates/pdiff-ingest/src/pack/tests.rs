//! Packs come back as they were, and damaged ones never do.

use std::path::Path;

use pdiff_profile::{
    BuildId, Call, FrameId, InlineChain, InlineFrame, Lookup, NoteKind, Notes, ObjectId, Reason, Resolution,
    Resolutions, RunMeasures, Uncovered, Weight,
};
use proptest::collection::vec;
use proptest::prelude::*;

use super::container::{Kind, MAGIC, Section, read_sections, write_sections};
use super::*;
use crate::{Error, Input, ReadOptions, Source, TimeWindow, parse_perf_script, read_input, read_profile};

/// Two inlined functions in three at every address, with names and files of a usual length.
fn made_up_resolutions(frames: usize) -> Resolutions {
    let mut resolutions = Resolutions::new(frames);
    for id in 0..frames {
        let frame = |depth: usize| InlineFrame {
            name: format!("a_namespace::SomeClass<int>::some_function_{}", (id * 7 + depth) % 6000).into(),
            linkage_name: Some(
                format!("_ZN11a_namespace9SomeClassIiE13some_function_{}Ev", (id + depth) % 6000).into(),
            ),
            file: Some(format!("/src/storage/innobase/directory/file_{}.cc", (id + depth) % 900).into()),
            line: Some((id * 37 % 9000) as u32),
            inlined: depth > 0,
        };
        let depth = [1, 2, 2][id % 3];
        let chain = InlineChain::new((0..depth).map(frame).collect());
        let number =
            resolutions.add(chain.map_or(Resolution::Unresolved(Reason::NoSymbol), Resolution::Resolved));
        let lookup = if id % 2 == 0 { Lookup::Exact } else { Lookup::MinusOne };
        resolutions.set(FrameId(id as u32), lookup, number);
    }
    let call =
        |id: u32| (FrameId(id), if id.is_multiple_of(3) { Call::Pointer } else { Call::Function(id / 2) });
    resolutions.set_calls((0..frames as u32).step_by(2).map(call).collect());
    resolutions
}

fn run_of(profile: pdiff_profile::Profile) -> PackedRun {
    let mut notes = Notes::new();
    notes.add(NoteKind::NoDebugInfo, 2, Weight(20), || "/lib/libc.so.6".into());
    let object = |path: &str, object_id| PackedObject {
        path: path.into(),
        object_id,
        build_id: Some("00ff".into()),
        has_debug_info: true,
        uncovered: Uncovered::new(["f", "g"], ["a unit is damaged"]),
        is_unverified: true,
        producers: vec!["GNU C++17 12.2.0 -O2".into()],
        census: PackedCensus::from_bytes(&[7; 1000]).ok(),
    };
    let content = ObjectId::Content { size: 5, hash: u64::MAX };
    let without = PackedObject { build_id: None, census: None, ..object("/lib/b", None) };
    PackedRun {
        tool_version: "pdiff 0.1.0".into(),
        resolutions: Some(made_up_resolutions(profile.frames.len())),
        profile,
        notes,
        objects: vec![
            without,
            object("/bin/x", BuildId::from_hex("00ff").map(ObjectId::BuildId)),
            object("/bin/y", Some(content)),
        ],
        measures: RunMeasures { tps: Some(1234.5), window_s: Some(30.0), ..RunMeasures::default() },
    }
}

/// A run of samples at these times, in milliseconds.
fn run_at(times_ms: &[u64]) -> PackedRun {
    let line = |ms: &u64| {
        let (s, us) = (ms / 1000, ms % 1000 * 1000);
        format!(
            "x {}/7 {s}.{us:06}: 10 cycles: \n\t12 leaf{}+0x2 (/bin/x)\n\t99 main (/bin/x)\n\n",
            ms % 3,
            ms % 5
        )
    };
    let text: String = times_ms.iter().map(line).collect();
    run_of(parse_perf_script(text.as_bytes(), &ReadOptions::new()).unwrap())
}

fn fixture() -> PackedRun {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mysql/80-aligned-r1.perf.zst");
    run_of(read_profile(&Source::Path(path), &ReadOptions::new()).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn runs_come_back(times_ms in vec(0..10_000_u64, 1..80), operations in prop::option::of(1..u32::MAX)) {
        let mut run = run_at(&times_ms);
        run.measures.operations = operations.map(f64::from);
        if operations.is_none() {
            run.resolutions = None;
        }
        let bytes = write_pack(&run).unwrap();
        let back = read_pack(&bytes).unwrap();
        prop_assert_eq!(&write_pack(&back).unwrap(), &bytes);
        prop_assert_eq!(&back, &run);
        prop_assert_eq!(into_pack(run).unwrap(), bytes);
    }

    #[test]
    fn changed_packs_are_refused(changes in vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..5)) {
        let mut bytes = write_pack(&run_at(&[1, 1002, 3003])).unwrap();
        let whole = bytes.clone();
        for (at, change) in changes {
            let at = at.index(bytes.len());
            bytes[at] ^= change;
        }
        prop_assert!(bytes == whole || read_pack(&bytes).is_err());
    }

    #[test]
    fn made_up_bytes_are_refused(bytes in vec(any::<u8>(), 0..300)) {
        let bytes: Vec<u8> = MAGIC.iter().copied().chain([1, 0, 0, 0]).chain(bytes).collect();
        prop_assert!(read_pack(&bytes).is_err());
    }
}

#[test]
fn a_pack_that_is_cut_off_or_longer_is_refused() {
    let mut bytes = write_pack(&run_at(&[1, 1002, 3003])).unwrap();
    for len in 0..bytes.len() {
        assert!(read_pack(&bytes[..len]).is_err(), "{len} of {}", bytes.len());
    }
    let whole = bytes.len() as u64;
    let error = read_pack(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(error, PackError::Truncated { found: whole - 1, expected: whole });
    bytes.push(0);
    assert!(read_pack(&bytes).is_err());
}

#[test]
fn a_pack_with_a_changed_bit_is_refused() {
    let mut bytes = write_pack(&run_at(&[1, 1002, 3003])).unwrap();
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(read_pack(&bytes).is_err(), "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    assert_eq!(read_pack(&bytes), Err(PackError::Checksum { section: "census" }));
}

#[test]
fn sections_that_pass_their_checksums_and_hold_nonsense_are_refused() {
    let bytes = write_pack(&run_at(&[1, 1002, 3003])).unwrap();
    let sections = read_sections(&bytes).unwrap();
    for (at, section) in sections.iter().enumerate().filter(|(_, section)| section.kind != Kind::Census) {
        for flip in 0..section.stored.len() {
            let mut stored = section.stored.to_vec();
            stored[flip] ^= 0x55;
            let mut changed = sections.clone();
            changed[at].stored = &stored;
            drop(read_pack(&write_sections(&changed)));
        }
        let mut longer = sections.clone();
        longer[at].len = u64::MAX;
        assert!(read_pack(&write_sections(&longer)).is_err());
        longer[at].len = section.len + 1;
        assert!(read_pack(&write_sections(&longer)).is_err());
        let twice: Vec<Section<'_>> = sections.iter().chain([section]).copied().collect();
        assert!(read_pack(&write_sections(&twice)).is_err());
    }
}

#[test]
fn a_newer_version_is_told_with_a_hint_and_an_unknown_section_is_left_aside() {
    let run = run_at(&[1]);
    let mut bytes = write_pack(&run).unwrap();
    let sections = read_sections(&bytes).unwrap();
    let other = Section { kind: Kind::Other(77), number: 0, stored: b"xyz", len: 9 };
    let more: Vec<Section<'_>> = [other].into_iter().chain(sections).collect();
    assert_eq!(read_pack(&write_sections(&more)), Ok(run));
    bytes[MAGIC.len()] = 2;
    let error = read_pack(&bytes).unwrap_err();
    assert_eq!(error, PackError::OtherVersion { section: "header", found: 2, expected: 1 });
    assert!(error.to_string().contains("newer pdiff"), "{error}");
    assert_eq!(read_pack(b"mysqld 12 [000] 1.000001:"), Err(PackError::NotAPack));
}

#[test]
fn resolutions_of_another_profile_are_not_packed() {
    let run = PackedRun { resolutions: Some(Resolutions::new(77)), ..run_at(&[1]) };
    assert!(matches!(write_pack(&run), Err(PackError::Unpackable { section: "resolutions", .. })));
}

#[test]
fn measures_that_are_no_positive_numbers_are_refused() {
    for tps in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let measures = RunMeasures { tps: Some(tps), ..RunMeasures::default() };
        let error = write_pack(&PackedRun { measures, ..run_at(&[1]) }).unwrap_err();
        assert_eq!(error, PackError::Unpackable { section: "run", what: "measures" }, "{tps}");
    }
}

#[test]
fn more_censuses_than_a_reader_accepts_are_not_packed() {
    let mut run = run_at(&[1]);
    run.objects = vec![run.objects[1].clone(); 4096];
    assert!(matches!(write_pack(&run), Err(PackError::Unpackable { section: "census", .. })));
    run.objects.truncate(4092);
    assert_eq!(read_pack(&write_pack(&run).unwrap()), Ok(run));
}

#[test]
fn a_census_stays_packed_until_asked_for() {
    let back = read_pack(&write_pack(&run_at(&[1])).unwrap()).unwrap();
    let census = back.objects[1].census.as_ref().unwrap();
    assert!(census.0.bytes.len() < 100);
    assert_eq!(census.to_bytes().unwrap(), [7; 1000]);
}

#[test]
fn a_pack_of_a_real_recording_is_small_and_its_bytes_are_a_function_of_it() {
    const LIMIT: usize = 2 << 20;
    let run = fixture();
    let bytes = write_pack(&run).unwrap();
    assert!(bytes.len() < LIMIT, "{} bytes", bytes.len());
    let back = read_pack(&bytes).unwrap();
    assert_eq!(write_pack(&back).unwrap(), bytes);
    assert_eq!(back, run);
    assert_eq!(write_pack(&fixture()).unwrap(), bytes);
}

fn window(text: &str) -> TimeWindow {
    TimeWindow::parse(text).unwrap()
}

#[test]
fn whole_seconds_are_taken() {
    // Samples from 1.5 to 5.5 s.
    let run = run_at(&[1500, 2500, 2600, 3500, 4500, 5500]);
    let check = |text: &str, samples| {
        let part = run.clone().restrict(window(text)).unwrap();
        assert_eq!(part.profile.events[0].samples, samples, "{text}");
        let filtered = part.profile.notes.get(NoteKind::FilteredOut).map_or(0, |note| note.count);
        assert_eq!(samples + filtered, 6, "{text}");
        assert_eq!(part.profile.events[0].weight, Weight(samples * 10), "{text}");
    };
    check("", 6);
    check("2,4", 3);
    check("2,3.999999999", 3);
    check("2,", 5);
    check(",3", 3);
    check("0.7,3", 3);
    check("1.5,9.9", 6);
    check("+0.5,+2.5", 3);
    check("+0,+4", 6);
    check("0%-100%", 6);
    check("12.5%-62.5%", 3);
}

#[test]
fn what_was_counted_over_the_whole_run_is_scaled_to_the_part() {
    let measures = RunMeasures { operations: Some(400.0), cpu_seconds: Some(2.0), ..RunMeasures::default() };
    let run = PackedRun { measures, ..run_at(&[1500, 2500, 2600, 3500, 4500, 5500]) };
    let part = run.restrict(window("2,4")).unwrap();
    let RunMeasures { operations, cpu_seconds, .. } = part.measures;
    assert!((operations.unwrap() - 200.0).abs() < 1e-3 && (cpu_seconds.unwrap() - 1.0).abs() < 1e-3);
    assert_eq!(part.profile.notes.get(NoteKind::Rescaled).unwrap().count, 1);
    // Operations of a longer window than the samples' span, at their rate.
    let measures = RunMeasures { operations: Some(400.0), tps: Some(50.0), ..RunMeasures::default() };
    let run = PackedRun { measures, ..run_at(&[1500, 2500, 3500]) };
    let part = run.restrict(window("2,")).unwrap().measures;
    assert!((part.operations.unwrap() - 75.0).abs() < 1e-3 && part.tps == Some(50.0));
}

#[test]
fn other_windows_are_refused_with_the_nearest_whole_seconds() {
    let run = run_at(&[1500, 2500, 2600, 3500, 4500, 5500]);
    let check = |text: &str, nearest: &str| {
        let error = run.clone().restrict(window(text)).unwrap_err();
        assert!(matches!(error, RestrictError::NotWholeSeconds { .. }), "{text}: {error}");
        assert!(error.to_string().contains(&format!("the nearest one is {nearest},")), "{text}: {error}");
        assert!(run.clone().restrict(window(nearest)).is_ok(), "{text}");
    };
    check("2.1,4", "2,4");
    check("2,4.000000001", "2,4");
    check("2.4,2.6", "2,3");
    check("5.1,", "5,6");
    check("5.3,9", "5,6");
    check("+1,+2", "3,4");
    check("10%-30%", "2,3");
    check("3,3", "3,4");
}

#[test]
fn windows_without_samples_or_times_are_refused() {
    let run = run_at(&[1500, 2500]);
    let nothing = |text: &str| run.clone().restrict(window(text)).unwrap_err();
    assert!(matches!(nothing("3,4"), RestrictError::NothingInWindow { .. }));
    assert!(matches!(nothing("0,1"), RestrictError::NothingInWindow { .. }));
    let profile = parse_perf_script(b"x 1 10 cycles: \n\t12 a (b)\n\n", &ReadOptions::new()).unwrap();
    assert_eq!(run_of(profile).restrict(window("1,2")), Err(RestrictError::NoTimes));
}

#[test]
fn the_last_representable_time_does_not_overflow() {
    let mut run = run_at(&[1500, 2500]);
    run.profile.span = run.profile.span.map(|span| pdiff_profile::Span { last_ns: u64::MAX, ..span });
    assert_eq!(run.restrict(window("2,")).unwrap().profile.events[0].samples, 1);
}

/// What is read of a file with these bytes.
fn read_file(name: &str, bytes: &[u8], time: &str) -> Result<Input, Error> {
    let path = std::env::temp_dir().join(format!("pdiff-test-{}-{name}", std::process::id()));
    std::fs::write(&path, bytes).unwrap();
    let input =
        read_input(&Source::Path(path.clone()), &ReadOptions { time: window(time), ..ReadOptions::new() });
    std::fs::remove_file(path).unwrap();
    input
}

#[test]
fn a_pack_is_read_where_text_is() {
    let run = run_at(&[1500, 2500, 2600, 3500]);
    let bytes = write_pack(&run).unwrap();
    assert_eq!(read_file("plain", &bytes, "").unwrap(), Input::Pack(run.clone()));
    let zst = zstd::bulk::compress(&bytes, 1).unwrap();
    assert_eq!(read_file("zst", &zst, "").unwrap(), Input::Pack(run.clone()));
    for time in ["2,3", "25%-75%", "+0.5,+1.5"] {
        let part = run.clone().restrict(window("2,3")).unwrap();
        assert_eq!(read_file("window", &bytes, time).unwrap(), Input::Pack(part), "{time}");
    }
    let error = read_file("cut", &bytes[..40], "").unwrap_err();
    assert!(matches!(error, Error::Pack { source: PackError::Truncated { .. }, .. }), "{error}");
    let error = read_file("finer", &bytes, "2.1,3").unwrap_err();
    assert!(error.to_string().contains("hint: the nearest one is 2,3"), "{error}");
}

#[test]
fn a_window_of_whole_seconds_keeps_the_same_samples_of_text_and_pack() {
    let run = fixture();
    let span = run.profile.span.unwrap();
    let first_s = span.first_ns / 1_000_000_000;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/mysql/80-aligned-r1.perf.zst");
    let time = window(&format!("{},{}", first_s + 3, first_s + 7));
    let text = read_profile(&Source::Path(path), &ReadOptions { time, ..ReadOptions::new() }).unwrap();
    let pack = run.restrict(time).unwrap().profile;
    assert_eq!(pack.events, text.events);
    assert_eq!(pack.cells.len(), text.cells.len());
    let (pack, text) = (pack.span.unwrap(), text.span.unwrap());
    assert!(pack.first_ns <= text.first_ns && text.last_ns <= pack.last_ns);
    assert!((pack.seconds() - text.seconds()).abs() < 0.01);
}
