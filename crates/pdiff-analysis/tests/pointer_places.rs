//! From how many places in a caller's code a function was called through a pointer, as the stacks show.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use pdiff_analysis::{PreparedSides, RunInput, SideInput, Sides};
use pdiff_profile::{
    Call, EventId, Frame, Object, PerSide, Profile, ProfileBuilder, Resolutions, Span, Thread, Weight,
};
use support::settings;

#[allow(dead_code, reason = "one module for many tests")]
mod support;

/// Samples of `compare` below `merge` by the offset of the call in `merge`; what calls through a pointer is known. The rest is `main`'s.
fn recorded(calls: &[(u64, u32)]) -> (Profile, Resolutions) {
    let mut builder = ProfileBuilder::new();
    let event = builder.event("cpu-clock");
    let object = builder.object(Object::from_text("/bin/app"));
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: Some(1), tid: None });
    let frame = |builder: &mut ProfileBuilder, symbol: &str, offset: u64| {
        let symbol = Some(builder.string(symbol));
        let symbol_offset = Some(offset);
        builder.frame(Frame { addr: None, symbol, symbol_offset, object, source: None, inlined: false })
    };
    let (main, compare) = (frame(&mut builder, "main", 9), frame(&mut builder, "compare", 3));
    let mut through_pointers = Vec::new();
    let count = |builder: &mut ProfileBuilder, frames: &[_], samples: u32| {
        let stack = builder.stack(frames);
        (0..10).for_each(|second| {
            builder.count(event, second, thread, stack, samples, Weight(samples.into()));
        });
    };
    for (offset, samples) in calls {
        let merge = frame(&mut builder, "merge", *offset);
        through_pointers.push((merge, Call::Pointer));
        count(&mut builder, &[main, merge, compare], *samples);
    }
    count(&mut builder, &[main], 1000 - calls.iter().map(|(_, samples)| samples).sum::<u32>());
    builder.span = Some(Span { first_ns: 0, last_ns: 10_000_000_000 });
    let profile = builder.finish().unwrap();
    let mut resolutions = Resolutions::new(profile.frames.len());
    resolutions.set_calls(through_pointers.into_iter().collect());
    (profile, resolutions)
}

type Run = (Profile, Resolutions);

/// The places of the runs of each side.
fn places(before: &[&[(u64, u32)]], after: &[&[(u64, u32)]]) -> PerSide<u32> {
    let recorded = PerSide::new(before, after)
        .map(|runs| runs.iter().map(|calls| recorded(calls)).collect::<Vec<Run>>());
    let input = |(profile, resolutions): &'static Run| RunInput {
        resolutions: Some(resolutions),
        ..RunInput::new("x", profile, EventId(0))
    };
    let side = |runs: Vec<Run>| {
        let runs: &'static [Run] = runs.leak();
        SideInput::new("x", runs.iter().map(input).collect())
    };
    let sides = Sides { before: side(recorded.before), after: side(recorded.after) };
    let settings = settings();
    let prepared = PreparedSides::new(&sides, &settings);
    let calls = prepared.calls(&sides, &prepared.compare(&sides, &settings)).calls;
    calls.iter().find(|call| call.callee == "compare").unwrap().pointer_places
}

#[test]
fn places_are_counted_over_all_runs_of_a_side() {
    assert_eq!(places(&[&[(40, 100)]], &[&[(40, 150), (60, 160)]]), PerSide::new(1, 2));
    let runs: [&[(u64, u32)]; 2] = [&[(40, 300)], &[(60, 300)]];
    assert_eq!(places(&[&[(40, 100)], &[(40, 100)]], &runs), PerSide::new(1, 2));
}

#[test]
fn a_place_with_hardly_a_sample_does_not_count() {
    assert_eq!(places(&[&[(40, 100)]], &[&[(40, 300), (60, 10)]]), PerSide::new(1, 1));
    assert_eq!(places(&[&[]], &[&[(40, 300)]]), PerSide::new(0, 1));
}
