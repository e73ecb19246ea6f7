//! Byte forms come back as they were; what is cut, changed or made up is refused without a panic.

use std::sync::Arc;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::{
    BuildId, FileOffset, Frame, FrameId, InlineChain, InlineFrame, Lookup, Mapping, NoteKind, Notes, Object,
    Profile, ProfileBuilder, RawAddr, Reason, Resolution, Resolutions, RuntimeAddr, Span, Thread, Weight,
};

/// Address, symbol, offset, object, source, inlined.
type FrameSeed = (Option<u64>, Option<u8>, Option<u64>, u8, Option<u8>, bool);
/// Event, block, thread, stack, samples, weight.
type SampleSeed = (u8, u32, (u8, Option<u32>), Vec<FrameSeed>, u32, u64);

fn frame_seed() -> impl Strategy<Value = FrameSeed> {
    (
        option::of(any::<u64>()),
        option::of(0..9_u8),
        option::of(0..300_u64),
        0..4_u8,
        option::of(0..3_u8),
        any::<bool>(),
    )
}

fn sample_seed() -> impl Strategy<Value = SampleSeed> {
    let thread = (0..3_u8, option::of(any::<u32>()));
    (0..3_u8, 0..5_u32, thread, vec(frame_seed(), 0..9), 1..4_u32, prop_oneof![Just(7_u64), 0..u64::MAX >> 9])
}

fn frame(builder: &mut ProfileBuilder, seed: FrameSeed) -> FrameId {
    let (addr, symbol, symbol_offset, object, source, inlined) = seed;
    let object = Object {
        build_id: BuildId::from_bytes(&[object; 20]).filter(|_| object > 1),
        ..Object::from_text(["[kernel.kallsyms]", "/bin/x", "/lib/ä b", "[unknown]"][usize::from(object)])
    };
    let object = builder.object(object);
    let symbol = symbol.map(|symbol| builder.string(&format!("symbol{symbol}")));
    let source = source.map(|source| builder.string(&format!("file.cc:{source}")));
    builder.frame(Frame { addr: addr.map(RawAddr), symbol, symbol_offset, object, source, inlined })
}

fn profile(samples: Vec<SampleSeed>) -> Profile {
    let mut builder = ProfileBuilder::new();
    for (event, block, (comm, tid), frames, samples, weight) in samples {
        let frames: Vec<FrameId> = frames.into_iter().map(|seed| frame(&mut builder, seed)).collect();
        let stack = builder.stack(&frames);
        let comm = builder.string(&format!("comm{comm}"));
        let thread = builder.thread(Thread { comm, pid: tid.map(|tid| tid / 2), tid });
        let event = builder.event(&format!("event{event}"));
        builder.count(event, block, thread, stack, samples, Weight(weight));
    }
    let object = builder.object(Object::from_text("/bin/x"));
    let (start, offset) = (RuntimeAddr(0x40_0000), FileOffset(0x1000));
    builder.mappings.push(Mapping { pid: Some(1), start, len: 0x1000, offset, object });
    builder.mappings.push(Mapping { pid: None, start: RuntimeAddr(u64::MAX), len: 9, offset, object });
    builder.header.push(("hostname".into(), "db 1".into()));
    builder.span = Some(Span { first_ns: 5, last_ns: u64::MAX });
    builder.notes.add(NoteKind::NoTime, 3, Weight(9), || "line 7: ü".into());
    builder.finish().unwrap()
}

fn chain() -> impl Strategy<Value = Resolution> {
    let text = |stem: &'static str| option::of((0..5_u8).prop_map(move |n| Arc::from(format!("{stem}{n}"))));
    let frame = (0..9_u8, text("_ZN"), text("/src/f"), option::of(any::<u32>()), any::<bool>());
    let frame = frame.prop_map(|(name, linkage_name, file, line, inlined)| InlineFrame {
        name: format!("f{name}<int>").into(),
        linkage_name,
        file,
        line,
        inlined,
    });
    vec(frame, 0..5).prop_map(|frames| {
        let reason = Resolution::Unresolved(Reason::NoSymbol);
        InlineChain::new(frames).map_or(reason, Resolution::Resolved)
    })
}

fn resolutions() -> impl Strategy<Value = Resolutions> {
    let uses = vec((0..30_u32, any::<bool>(), any::<proptest::sample::Index>()), 0..40);
    (vec(chain(), 1..20), uses).prop_map(|(chains, uses)| {
        let mut resolutions = Resolutions::new(30);
        let numbers: Vec<u32> = chains.into_iter().map(|chain| resolutions.add(chain)).collect();
        for (frame, is_exact, number) in uses {
            let lookup = if is_exact { Lookup::Exact } else { Lookup::MinusOne };
            resolutions.set(FrameId(frame), lookup, *number.get(&numbers));
        }
        resolutions
    })
}

/// Every beginning is refused, and so is a byte too many; any changed byte is refused or read, without a panic.
fn check_damage<T>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<T, CodecError>) {
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
    }
    let mut damaged = bytes.to_vec();
    damaged.push(0);
    assert!(read(&damaged).is_err());
    damaged.pop();
    for at in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            damaged[at] ^= change;
            drop(read(&damaged));
            damaged[at] ^= change;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn profiles_come_back(samples in vec(sample_seed(), 0..60)) {
        let profile = profile(samples);
        let bytes = profile.to_bytes();
        let back = Profile::from_bytes(&bytes).unwrap();
        prop_assert_eq!(back.to_bytes(), bytes);
        prop_assert_eq!(back, profile);
    }

    #[test]
    fn damaged_profiles_do_not_panic(samples in vec(sample_seed(), 0..6)) {
        check_damage(&profile(samples).to_bytes(), Profile::from_bytes);
    }

    #[test]
    fn resolutions_come_back(resolutions in resolutions()) {
        let bytes = resolutions.to_bytes();
        let back = Resolutions::from_bytes(&bytes).unwrap();
        prop_assert_eq!(back.to_bytes(), bytes);
        prop_assert_eq!(back, resolutions);
    }

    #[test]
    fn damaged_resolutions_do_not_panic(resolutions in resolutions()) {
        check_damage(&resolutions.to_bytes(), Resolutions::from_bytes);
    }

    #[test]
    fn made_up_bytes_do_not_panic(bytes in vec(prop_oneof![Just(0_u8), Just(1), any::<u8>()], 0..200)) {
        let bytes: Vec<u8> = [1].into_iter().chain(bytes).collect();
        drop((Profile::from_bytes(&bytes), Resolutions::from_bytes(&bytes), Notes::from_bytes(&bytes)));
    }
}

#[test]
fn an_empty_profile_comes_back() {
    let profile = ProfileBuilder::new().finish().unwrap();
    assert_eq!(Profile::from_bytes(&profile.to_bytes()), Ok(profile));
    assert_eq!(Resolutions::from_bytes(&Resolutions::new(0).to_bytes()), Ok(Resolutions::new(0)));
}

#[test]
fn other_versions_are_told() {
    let mut bytes = Resolutions::new(0).to_bytes();
    bytes[0] = 2;
    let other = CodecError::OtherVersion { found: 2, expected: 1 };
    assert_eq!(Resolutions::from_bytes(&bytes), Err(other));
}

#[test]
fn stacks_deeper_than_are_kept_are_refused() {
    let read = |depth: usize| {
        let mut table = crate::StackTable::default();
        table.push(std::iter::repeat_n(FrameId(0), depth));
        let mut out = ByteWriter::new();
        stacks::write_stacks(&mut out, &table);
        stacks::read_stacks(&mut ByteReader::new(&out.into_bytes()))
    };
    assert!(read(crate::StackTable::MAX_DEPTH).is_some());
    assert_eq!(read(crate::StackTable::MAX_DEPTH + 1), None);
}

#[test]
fn stacks_that_share_their_roots_cost_a_few_bytes() {
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::unknown());
    let frame = |addr| Frame {
        addr: Some(RawAddr(addr)),
        symbol: None,
        symbol_offset: None,
        object,
        source: None,
        inlined: false,
    };
    let roots: Vec<FrameId> = (0..50).map(|addr| builder.frame(frame(addr))).collect();
    let mut table = crate::StackTable::default();
    for leaf in 0..100 {
        let leaf = builder.frame(frame(1000 + leaf));
        table.push(roots.iter().copied().chain([leaf]));
    }
    let mut out = ByteWriter::new();
    stacks::write_stacks(&mut out, &table);
    let bytes = out.into_bytes();
    assert!(bytes.len() < 50 + 100 * 5, "{}", bytes.len());
    assert_eq!(stacks::read_stacks(&mut ByteReader::new(&bytes)), Some(table));
}
