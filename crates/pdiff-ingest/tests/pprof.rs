//! pprof profiles: what Go's runtime wrote, what others write, and what is damaged.

#![expect(clippy::unwrap_used, reason = "in a test an unwrap is a check")]

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use pdiff_ingest::{
    Error, Input, PprofError, PprofSide, PprofThread, PprofWriter, ReadOptions, Source, TimeWindow,
    read_input,
};
use pdiff_profile::{
    Cell, Event, EventId, InlineFrame, Lookup, NoteKind, Object, Profile, Resolution, Resolutions, Weight,
};

/// A field of a message: its number and its value.
#[derive(Clone)]
enum Field {
    Number(u64, u64),
    Bytes(u64, Vec<u8>),
}
use Field::{Bytes, Number};

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn message(fields: &[Field]) -> Vec<u8> {
    let mut out = Vec::new();
    for field in fields {
        match field {
            Number(field, number) => {
                varint(field << 3, &mut out);
                varint(*number, &mut out);
            }
            Bytes(field, bytes) => {
                varint(field << 3 | 2, &mut out);
                varint(bytes.len() as u64, &mut out);
                out.extend_from_slice(bytes);
            }
        }
    }
    out
}

fn packed(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.iter().for_each(|number| varint(*number, &mut out));
    out
}

/// A profile with strings in the order of their first use.
struct Written {
    strings: Vec<String>,
    fields: Vec<Field>,
}

impl Written {
    fn new(sample_types: &[(&str, &str)]) -> Self {
        let mut written = Self { strings: vec![String::new()], fields: Vec::new() };
        for (kind, unit) in sample_types {
            let of = [Number(1, written.text(kind)), Number(2, written.text(unit))];
            written.fields.push(Bytes(1, message(&of)));
        }
        written
    }

    fn text(&mut self, text: &str) -> u64 {
        let known = self.strings.iter().position(|known| known == text);
        let at = known.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        });
        at as u64
    }

    fn function(&mut self, id: u64, name: &str, system_name: &str, file: &str) {
        let of = [
            Number(1, id),
            Number(2, self.text(name)),
            Number(3, self.text(system_name)),
            Number(4, self.text(file)),
        ];
        self.fields.push(Bytes(5, message(&of)));
    }

    /// `lines` are function and line, innermost first.
    fn location(&mut self, id: u64, mapping: u64, address: u64, lines: &[(u64, u64)]) {
        let mut of = vec![Number(1, id), Number(2, mapping), Number(3, address)];
        of.extend(
            lines.iter().map(|(function, line)| Bytes(4, message(&[Number(1, *function), Number(2, *line)]))),
        );
        self.fields.push(Bytes(4, message(&of)));
    }

    fn mapping(&mut self, id: u64, place: [u64; 3], path: &str, build_id: &str) {
        let [start, limit, offset] = place;
        let of = [
            Number(1, id),
            Number(2, start),
            Number(3, limit),
            Number(4, offset),
            Number(5, self.text(path)),
            Number(6, self.text(build_id)),
        ];
        self.fields.push(Bytes(3, message(&of)));
    }

    fn sample(&mut self, leaf_first: &[u64], values: &[u64], labels: &[(&str, Result<&str, u64>)]) {
        let mut of = vec![Bytes(1, packed(leaf_first)), Bytes(2, packed(values))];
        for (key, value) in labels {
            let value = match value {
                Ok(text) => Number(2, self.text(text)),
                Err(number) => Number(3, *number),
            };
            of.push(Bytes(3, message(&[Number(1, self.text(key)), value])));
        }
        self.fields.push(Bytes(2, message(&of)));
    }

    fn bytes(&self) -> Vec<u8> {
        let strings = self.strings.iter().map(|text| Bytes(6, text.clone().into_bytes()));
        message(&self.fields.iter().cloned().chain(strings).collect::<Vec<_>>())
    }

    fn read(&self) -> Result<Input, Error> {
        read(&self.bytes())
    }
}

fn read(bytes: &[u8]) -> Result<Input, Error> {
    let source = Source::Bytes { name: "x.pb".into(), bytes: Arc::from(bytes) };
    read_input(&source, &ReadOptions::new())
}

fn named(input: Input) -> (Profile, Resolutions) {
    let Input::Named(profile, resolutions) = input else { panic!("the profile names functions") };
    (profile, resolutions)
}

fn fixture(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/pprof").join(name);
    let bytes = std::fs::read(path).unwrap();
    if !name.ends_with(".gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(&*bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

/// A stack as text, root first: machine frames separated by `;`, inlined functions by ` > `.
fn stack(profile: &Profile, resolutions: &Resolutions, cell: &Cell) -> String {
    let frames = profile.stacks.get(cell.stack).iter().map(|id| match resolutions.get(*id, Lookup::Exact) {
        Some(Resolution::Resolved(chain)) => {
            let names =
                chain.frames().iter().map(|frame| format!("{}:{}", frame.name, frame.line.unwrap_or(0)));
            names.collect::<Vec<_>>().join(" > ")
        }
        _ => format!("{:x}", profile.frames[id.index()].addr.unwrap().0),
    });
    frames.collect::<Vec<_>>().join(";")
}

fn events(profile: &Profile) -> Vec<(&str, u64, u64)> {
    profile.events.iter().map(|event| (&*event.name, event.samples, event.weight.0)).collect()
}

fn default_event(profile: &Profile) -> Option<&str> {
    profile.default_event().map(|id| &*profile.events[id.index()].name)
}

#[test]
fn a_cpu_profile_of_go_is_read() {
    let (profile, resolutions) = named(read(&fixture("before.pb.gz")).unwrap());
    let [("samples", samples, count), ("cpu", of_cpu, ns)] = events(&profile)[..] else {
        panic!("{:?}", events(&profile))
    };
    assert_eq!((samples, count, of_cpu), (samples, samples, samples));
    assert_eq!(ns, samples * 10_000_000, "100 samples a second");
    assert!(samples > 200 && !profile.events[0].has_period && profile.events[1].has_period);
    assert_eq!(default_event(&profile), Some("cpu"));
    assert!(profile.events[1].is_time());
    assert!((4.5..6.0).contains(&profile.span.unwrap().seconds()));
    let program = profile.objects.iter().find(|object| object.file_name() == "shop").unwrap();
    assert_eq!(program.build_id.as_ref().unwrap().as_bytes().len(), 20);
    assert!(profile.notes.is_empty());
    let stacks: Vec<String> = profile.cells.iter().map(|cell| stack(&profile, &resolutions, cell)).collect();
    let is_root = |stack: &&String| stack.starts_with("runtime.main:") && stack.contains(";main.main:");
    let of_main: Vec<&String> = stacks.iter().filter(is_root).collect();
    assert!(of_main.iter().any(|stack| stack.contains("main.(*Cart).Checkout:")), "{of_main:#?}");
    let inlined = "main.Sum[go.shape.int64]:23 > main.mix[go.shape.int64]:30";
    assert!(of_main.iter().any(|stack| stack.ends_with(inlined)), "{of_main:#?}");
    let two_levels = "> main.(*Cart).discount:42 > main.step:47";
    assert!(of_main.iter().any(|stack| stack.ends_with(two_levels)), "{of_main:#?}");
}

#[test]
fn an_allocation_profile_of_go_begins_with_its_period() {
    let (profile, _) = named(read(&fixture("allocs.pb")).unwrap());
    assert_eq!(default_event(&profile), Some("alloc_space"));
    let names: Vec<&str> = events(&profile).iter().map(|(name, ..)| *name).collect();
    assert!(names.contains(&"alloc_objects") && names.contains(&"alloc_space"), "{names:?}");
    assert!(profile.events.iter().all(|event| event.has_period && event.weight.0 > 0));
}

#[test]
fn lines_of_a_location_are_an_inline_chain() {
    let mut written = Written::new(&[("cpu", "nanoseconds")]);
    written.mapping(1, [0x40_0000, 0x50_0000, 0x1000], "/opt/shop", "00ff");
    written.function(1, "inner", "inner", "a.c");
    written.function(2, "vec::push<int>", "_ZN3vec4pushIiEEvv", "b.cc");
    written.function(3, "main", "", "");
    written.location(1, 1, 0x40_0010, &[(1, 7), (2, 8)]);
    written.location(2, 1, 0x40_0020, &[(3, 9)]);
    written.location(3, 1, 0x40_0010, &[(1, 7), (3, 8)]);
    written.sample(&[1, 2], &[30], &[]);
    written.sample(&[3, 2], &[4], &[]);
    let (profile, resolutions) = named(written.read().unwrap());
    let stacks: Vec<String> = profile.cells.iter().map(|cell| stack(&profile, &resolutions, cell)).collect();
    assert_eq!(stacks, ["main:9;vec::push<int>:8 > inner:7", "main:9;main:8 > inner:7"]);
    let frame = profile.stacks.get(profile.cells[0].stack)[1];
    let Some(Resolution::Resolved(chain)) = resolutions.get(frame, Lookup::MinusOne) else { panic!() };
    let [outer, inner] = chain.frames() else { panic!("{chain:?}") };
    assert_eq!((outer.inlined, inner.inlined), (false, true));
    assert_eq!(outer.linkage_name.as_deref(), Some("_ZN3vec4pushIiEEvv"));
    assert_eq!(inner.file.as_deref(), Some("a.c"));
    assert_eq!(profile.frames[frame.index()].addr.unwrap().0, 0x1010);
    assert_eq!(events(&profile), [("cpu", 2, 34)]);
}

#[test]
fn locations_without_address_are_told_apart_by_their_functions() {
    // As Python's profilers write: no mapping, no address.
    let mut written = Written::new(&[("samples", "count"), ("wall", "microseconds")]);
    written.function(1, "<module>", "", "app.py");
    written.function(2, "Cart.checkout (app.py)", "", "app.py");
    written.location(1, 0, 0, &[(1, 1)]);
    written.location(2, 0, 0, &[(2, 5)]);
    written.location(3, 0, 0, &[(2, 6)]);
    written.sample(&[2, 1], &[3, 40], &[("thread", Ok("worker-1"))]);
    written.sample(&[3, 1], &[4, 0], &[("thread_id", Err(7)), ("pid", Ok("12"))]);
    let (profile, resolutions) = named(written.read().unwrap());
    let stacks: Vec<String> = profile.cells.iter().map(|cell| stack(&profile, &resolutions, cell)).collect();
    // The file beside the name is the file that the function has anyway.
    let [first, second] = ["<module>:1;Cart.checkout:5", "<module>:1;Cart.checkout:6"];
    assert_eq!(stacks, [first, second, first]);
    assert_eq!(events(&profile), [("samples", 7, 7), ("wall", 3, 40)]);
    assert_eq!(default_event(&profile), Some("wall"));
    let threads = profile.threads.iter().map(|thread| (profile.string(thread.comm), thread.pid, thread.tid));
    assert_eq!(threads.collect::<Vec<_>>(), [("worker-1", None, None), ("", Some(12), Some(7))]);
}

#[test]
fn locations_without_lines_are_positions_in_their_file() {
    let mut written = Written::new(&[("cycles_sample", "count"), ("cycles_event", "count")]);
    written.mapping(1, [0x5500_0000, 0x5500_2000, 0x3000], "/opt/shop", "00ff");
    written.mapping(2, [0xffff_ffff_8000_0000, u64::MAX, 0], "[kernel.kallsyms]", "");
    written.location(1, 1, 0x5500_0010, &[]);
    written.location(2, 2, 0xffff_ffff_8000_0100, &[]);
    written.sample(
        &[2, 1],
        &[2, 2_000_000],
        &[("comm", Ok("shop")), ("thread_comm", Ok("io")), ("tid", Err(9))],
    );
    let Input::Text(profile) = written.read().unwrap() else { panic!("it names no function") };
    let frames: Vec<u64> = profile.frames.iter().map(|frame| frame.addr.unwrap().0).collect();
    assert_eq!(frames, [0x3010, 0xffff_ffff_8000_0100]);
    let mapping = &profile.mappings[..];
    assert_eq!(mapping.len(), 1);
    assert_eq!((mapping[0].start.0, mapping[0].offset.0, mapping[0].len), (0x3000, 0x3000, 0x2000));
    assert_eq!(events(&profile), [("cycles_sample", 2, 2), ("cycles", 2, 2_000_000)]);
    assert_eq!(default_event(&profile), None, "events of perf are chosen as in perf's own recordings");
    let thread = &profile.threads[0];
    assert_eq!((profile.string(thread.comm), thread.tid), ("io", Some(9)));
}

#[test]
fn the_profile_says_which_event_comes_first() {
    let check = |types: &[(&str, &str)], wanted: &str, expected: Option<&str>| {
        let mut written = Written::new(types);
        let wanted = written.text(wanted);
        written.fields.push(Number(14, wanted));
        written.function(1, "f", "", "");
        written.location(1, 0, 0, &[(1, 0)]);
        written.sample(&[1], &vec![5; types.len()], &[]);
        let (profile, _) = named(written.read().unwrap());
        assert_eq!(default_event(&profile), expected, "{types:?} {wanted}");
    };
    let heap = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_space", "bytes")];
    check(&heap, "alloc_space", Some("alloc_space"));
    check(&heap, "", Some("inuse_space"));
    check(&[("samples", "count"), ("cpu", "nanoseconds"), ("wall", "nanoseconds")], "", Some("cpu"));
    check(&[("cpu", "count"), ("cpu", "nanoseconds")], "", Some("cpu:nanoseconds"));
    check(&[("cpu", "count")], "", Some("cpu:count"));
}

#[test]
fn what_cannot_be_read_is_said_in_one_line() {
    let check = |written: &Written, expected: &str| {
        let message = written.read().unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("hint:"), "{message}");
        assert_eq!(message.lines().count(), 1);
    };
    let cpu = || Written::new(&[("cpu", "nanoseconds")]);
    let mut of_two = cpu();
    of_two.location(1, 0, 7, &[]);
    of_two.sample(&[1], &[-5_i64 as u64], &[]);
    check(&of_two, "has negative values");
    check(&cpu(), "has no samples");
    let mut zero = cpu();
    zero.location(1, 0, 7, &[]);
    zero.sample(&[1], &[0], &[]);
    check(&zero, "has no samples");
    let mut no_location = cpu();
    no_location.sample(&[1], &[5], &[]);
    check(&no_location, "refers to a location that it does not have");
    let mut no_function = cpu();
    no_function.location(1, 0, 7, &[(4, 1)]);
    no_function.sample(&[1], &[5], &[]);
    check(&no_function, "refers to a function that it does not have");
    let mut values = cpu();
    values.location(1, 0, 7, &[]);
    values.sample(&[1], &[5, 6], &[]);
    check(&values, "more or fewer values than there are sample types");
    let mut twice = cpu();
    twice.location(1, 0, 7, &[]);
    twice.location(1, 0, 8, &[]);
    check(&twice, "two of its locations have the same number");
    check(&Written::new(&[("cpu", "ns"), ("cpu", "ns")]), "two of its sample types have the same name");
    let timed = ReadOptions { time: TimeWindow::parse("1,2").unwrap(), ..ReadOptions::new() };
    let source = Source::Bytes { name: "x.pb".into(), bytes: Arc::from(fixture("before.pb.gz")) };
    assert!(matches!(read_input(&source, &timed), Err(Error::NoTimes { .. })));
}

#[test]
fn odd_samples_are_noted() {
    let mut written = Written::new(&[("cpu", "nanoseconds")]);
    written.function(1, "f", "", "");
    written.location(1, 0, 0, &[(1, 0)]);
    written.sample(&[], &[5], &[]);
    written.sample(&[1; 5000], &[6], &[]);
    let (profile, _) = named(written.read().unwrap());
    assert_eq!(events(&profile), [("cpu", 2, 11)]);
    assert_eq!(profile.notes.get(NoteKind::NoFrames).unwrap().count, 1);
    assert_eq!(profile.notes.get(NoteKind::StackTooDeep).unwrap().count, 1);
    assert!(profile.stacks.iter().any(|stack| stack.len() == 4096));
}

/// Reads damaged bytes: an answer or an error of one line, and what is read is conserved.
fn stands(bytes: &[u8]) -> bool {
    match read(bytes) {
        Ok(input) => {
            let profile = input.profile();
            for (event, id) in profile.events.iter().zip((0..).map(pdiff_profile::EventId)) {
                let weight: u64 = profile.cells_of(id).iter().map(|cell| cell.weight.0).sum();
                assert_eq!(weight, event.weight.0);
            }
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert_eq!(message.lines().count(), 1, "{message}");
            false
        }
    }
}

#[test]
fn a_profile_cut_at_any_byte_is_read_or_refused() {
    let whole = fixture("allocs.pb");
    let read = (0..whole.len()).filter(|len| stands(&whole[..*len])).count();
    assert!(read < whole.len() / 10, "{read} of {} cuts are between fields at the end", whole.len());
    let damaged = |error: &Error| matches!(error, Error::Pprof { source: PprofError::Damaged(_), .. });
    let cut = read_input(
        &Source::Bytes { name: "x.pb".into(), bytes: Arc::from(&whole[..whole.len() / 2]) },
        &ReadOptions::new(),
    );
    assert!(damaged(&cut.unwrap_err()));
}

#[test]
fn mutated_profiles_are_read_or_refused() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let wholes = [fixture("allocs.pb"), fixture("before.pb.gz")];
    let mut read = 0;
    for case in 0..2000 {
        let mut bytes = wholes[case % 2].clone();
        for _ in 0..=random(6) {
            let at = random(bytes.len());
            match random(4) {
                0 => bytes[at] ^= 1 << random(8),
                1 => bytes[at] = random(256) as u8,
                2 => drop(bytes.drain(at..(at + random(40)).min(bytes.len()))),
                _ => drop(bytes.splice(at..at, vec![random(256) as u8; random(9)])),
            }
        }
        read += usize::from(stands(&bytes));
    }
    assert!((100..1900).contains(&read), "{read} of 2000 were read");
}

/// Writes one event of what was read.
fn rewritten(profile: &Profile, resolutions: &Resolutions, event: u32) -> Vec<u8> {
    let event = EventId(event);
    let mut writer = PprofWriter::new(&profile.events[event.index()], profile.span.map(|span| span.last_ns));
    for cell in profile.cells_of(event) {
        let mut stack = Vec::new();
        for id in profile.stacks.get(cell.stack) {
            let frame = &profile.frames[id.index()];
            let mapping = writer.mapping(&profile.objects[frame.object.index()], None);
            let Some(Resolution::Resolved(chain)) = resolutions.get(*id, Lookup::Exact) else {
                panic!("{frame:?}")
            };
            stack.push(writer.location(mapping, frame.addr, chain.frames()));
        }
        let thread = &profile.threads[cell.thread.index()];
        let thread = PprofThread { name: profile.string(thread.comm), pid: thread.pid, tid: thread.tid };
        writer.sample(&stack, thread, PprofSide::Profile, [u64::from(cell.samples), cell.weight.0]);
    }
    writer.finish().unwrap()
}

#[test]
fn what_is_written_is_read_as_it_was() {
    let mut written = Written::new(&[("samples", "count"), ("cpu", "nanoseconds")]);
    written.mapping(1, [0x1000, 0x9000, 0x1000], "/opt/shop", "00ff");
    written.mapping(2, [0, 0, 0], "[kernel.kallsyms]", "");
    written.function(1, "inner", "", "a.c");
    written.function(2, "vec::push<int>", "_ZN3vec4pushIiEEvv", "b.cc");
    written.function(3, "malloc", "__libc_malloc", "");
    written.location(1, 1, 0x1010, &[(1, 7), (2, 8)]);
    written.location(2, 1, 0x1020, &[(3, 9)]);
    written.location(3, 2, u64::MAX - 5, &[(1, 0)]);
    written.sample(&[3, 1, 2], &[3, 30], &[("comm", Ok("io")), ("tid", Err(7)), ("pid", Err(5))]);
    written.sample(&[1, 2, 2], &[1, 11], &[]);
    for (profile, resolutions) in
        [named(written.read().unwrap()), named(read(&fixture("before.pb.gz")).unwrap())]
    {
        let (again, of_again) = named(read(&rewritten(&profile, &resolutions, 1)).unwrap());
        assert_eq!(events(&again), events(&profile));
        assert_eq!(again.span.map(|span| span.last_ns), profile.span.map(|span| span.last_ns));
        assert_eq!(again.default_event(), profile.default_event());
        let all = |profile: &Profile, resolutions: &Resolutions| {
            let cell = |cell: &Cell| {
                let thread = &profile.threads[cell.thread.index()];
                let frames = profile.stacks.get(cell.stack).iter().map(|id| {
                    let frame = &profile.frames[id.index()];
                    let object = &profile.objects[frame.object.index()];
                    let of_frame = resolutions.get(*id, Lookup::Exact).cloned();
                    (frame.addr, object.path.clone(), object.build_id.clone(), of_frame)
                });
                let thread = (profile.string(thread.comm).to_owned(), thread.pid, thread.tid);
                (cell.samples, cell.weight, thread, frames.collect::<Vec<_>>())
            };
            let mut cells: Vec<String> =
                profile.cells_of(EventId(1)).iter().map(|of| format!("{:?}", cell(of))).collect();
            cells.sort();
            cells
        };
        assert_eq!(all(&again, &of_again), all(&profile, &resolutions));
    }
}

#[test]
fn a_difference_has_negative_values_and_a_mark() {
    let event = Event { name: "cycles".into(), samples: 3, weight: Weight(30), has_period: true };
    let mut writer = PprofWriter::new(&event, None);
    let nowhere = writer.mapping(&Object::unknown(), None);
    let name = InlineFrame { name: "f".into(), linkage_name: None, file: None, line: None, inlined: false };
    let f = writer.location(nowhere, None, &[name]);
    for (side, weight) in [(PprofSide::Base, 7), (PprofSide::Profile, 9), (PprofSide::Base, 1)] {
        writer.sample(&[f], PprofThread::default(), side, [1, weight]);
    }
    let bytes = writer.finish().unwrap();
    assert!(matches!(read(&bytes), Err(Error::Pprof { source: PprofError::Negative, .. })));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut unpacked).unwrap();
    assert!(String::from_utf8_lossy(&unpacked).contains("pprof::base"));
    let minus = |number: i64| packed(&[number as u64]);
    let values = [minus(-2), minus(-8)].concat();
    assert!(unpacked.windows(values.len()).any(|window| window == values));
    let mut heavy = PprofWriter::new(&event, None);
    heavy.sample(&[], PprofThread::default(), PprofSide::Profile, [1, u64::MAX]);
    assert_eq!(heavy.finish(), Err(PprofError::TooHeavy));
}
