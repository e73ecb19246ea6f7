//! What a recording claims costs no memory: room is made for what is there.

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use pdiff_ingest::{ReadOptions, Source, read_profile};

/// The most bytes of memory that a byte of a file may cost.
const BYTES_PER_BYTE: usize = 4;
/// What any file may cost: buffers, and tables that do not grow.
const BYTES_OF_ANY: usize = 3 << 20;

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

/// The peak of what reading allocates, beside the bytes themselves.
fn peak(bytes: &[u8]) -> usize {
    let source = Source::Bytes { name: "hostile".into(), bytes: bytes.into() };
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let _ = read_profile(&source, &ReadOptions { lenient: true, ..ReadOptions::new() });
    MOST.load(Ordering::Relaxed) - before
}

/// Places at which numbers stand: all near the head and the end, where sizes and counts of everything are, and some of the records.
fn places(len: usize) -> impl Iterator<Item = usize> {
    const ENDS: usize = 640;
    (0..len.saturating_sub(8)).step_by(8).filter(move |at| *at < ENDS || len - at < ENDS || at % 208 == 0)
}

#[test]
fn numbers_that_claim_much_cost_no_memory() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/perf-data");
    let mut read = 0;
    for name in ["fp", "packed", "stream", "group", "cgroups", "dwarf"] {
        let whole = std::fs::read(fixtures.join(format!("{name}.data"))).unwrap();
        let most = BYTES_PER_BYTE * whole.len() + BYTES_OF_ANY;
        for claim in [u64::MAX, 1 << 40] {
            for at in places(whole.len()) {
                let mut bytes = whole.clone();
                bytes[at..at + 8].copy_from_slice(&claim.to_le_bytes());
                let peak = peak(&bytes);
                assert!(peak <= most, "{name}: {claim:x} at {at} costs {peak} bytes, at most {most}");
                read += 1;
            }
        }
    }
    assert!(read > 1000, "{read}");
}
