//! A row costs little memory: recordings of large fleets have hundreds of thousands of functions.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use pdiff_analysis::{CompareSettings, RunInput, SideInput, Sides, compare};
use pdiff_profile::{EventId, Frame, Object, Profile, ProfileBuilder, Thread, Weight};

/// The most that comparing may allocate for a function that both sides have, the profiles of both included: by the samples of each
/// function. Of a wide profile most functions have few, and are not tested.
const BYTES_PER_ROW: [(u32, usize); 2] = [(3, 1_500), (40, 1_600)];

const ROWS: usize = 10_000;

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "the only way to count what is allocated")]
// SAFETY: all calls go on to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A function for each row, of which each has one stack with so many samples.
fn profile(weight: u64, samples: u32) -> Profile {
    let mut builder = ProfileBuilder::new();
    let object = builder.object(Object::from_text("/bin/app"));
    let comm = builder.string("app");
    let thread = builder.thread(Thread { comm, pid: None, tid: Some(1) });
    let event = builder.event("cycles");
    for row in 0..ROWS as u64 {
        let symbol = Some(builder.string(&format!("ns::Class{}::method_{row}(int)", row / 50)));
        let frame = Frame { addr: None, symbol, symbol_offset: None, object, source: None, inlined: false };
        let frame = builder.frame(frame);
        let stack = builder.stack(&[frame]);
        builder.count(event, (row % 20) as u32, thread, stack, samples, Weight(40 * weight + row % 7));
    }
    builder.finish().unwrap()
}

/// The peak of memory for a row of a comparison whose functions have so many samples on each side.
fn bytes_per_row(samples: u32) -> usize {
    let begin = NOW.load(Ordering::Relaxed);
    let profiles = [profile(10, samples), profile(11, samples)];
    MOST.store(0, Ordering::Relaxed);
    let [before, after] = profiles
        .each_ref()
        .map(|profile| SideInput::new("", vec![RunInput::new("run", profile, EventId(0))]));
    let sides = Sides { before, after };
    let comparison = compare(&sides, &CompareSettings::default());
    let peak = MOST.load(Ordering::Relaxed) - begin;
    assert_eq!(comparison.rows.len(), ROWS);
    peak / ROWS
}

#[test]
fn a_row_costs_little_memory() {
    for (samples, most) in BYTES_PER_ROW {
        let bytes = bytes_per_row(samples);
        assert!(bytes <= most, "{bytes} bytes a row with {samples} samples");
    }
}
