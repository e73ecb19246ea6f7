//! What a worker found beside samples: notes, maps, comments, times.

use pdiff_profile::NoteKind;

use super::note_log::NoteLog;
use super::position::Position;
use super::record_line::MapLine;

/// How far time may go backwards from one sample to the next before it is noted: perf sorts what its buffers hold.
pub(super) const BACKWARDS_NS: u64 = 1_000_000_000;

/// A worker's results, apart from the counts.
#[derive(Default)]
pub(super) struct Findings {
    /// Notes.
    pub(super) log: NoteLog,
    /// Maps of code, with their places and build-ids in hexadecimal.
    pub(super) maps: Vec<(Position, OwnedMap)>,
    /// `# key : value` lines.
    pub(super) comments: Vec<(Position, Box<[u8]>)>,
    /// Number and lines of each block.
    pub(super) lines_of_blocks: Vec<(u32, u32)>,
    /// Place of the first time, first and last time of each block that has times.
    pub(super) times_of_blocks: Vec<(Position, u64, u64)>,
    /// Earliest and latest time of the samples kept.
    pub(super) span: Option<(u64, u64)>,
    /// Earliest and latest time of all samples.
    pub(super) seen_span: Option<(u64, u64)>,
    /// Whether a sample was counted.
    pub(super) has_samples: bool,
    /// Whether a sample's CPU was met, where CPUs are chosen.
    pub(super) has_cpus: bool,
}

/// A [`MapLine`] that outlives its block.
pub(super) struct OwnedMap {
    /// Process id; `None` for the kernel.
    pub(super) pid: Option<u32>,
    /// First address.
    pub(super) start: u64,
    /// Length in bytes.
    pub(super) len: u64,
    /// Place in the file.
    pub(super) offset: u64,
    /// Build-id in hexadecimal.
    pub(super) build_id: Option<Box<[u8]>>,
    /// Object.
    pub(super) path: Box<[u8]>,
}

impl From<&MapLine<'_>> for OwnedMap {
    fn from(map: &MapLine<'_>) -> Self {
        let MapLine { pid, start, len, offset, build_id, path } = *map;
        Self { pid, start, len, offset, build_id: build_id.map(Into::into), path: path.into() }
    }
}

impl Findings {
    /// Adds what another worker found.
    pub(super) fn merge(&mut self, other: Self) {
        self.log.merge(other.log);
        self.maps.extend(other.maps);
        self.comments.extend(other.comments);
        self.lines_of_blocks.extend(other.lines_of_blocks);
        self.times_of_blocks.extend(other.times_of_blocks);
        self.has_samples |= other.has_samples;
        self.has_cpus |= other.has_cpus;
        self.span = join(self.span, other.span);
        self.seen_span = join(self.seen_span, other.seen_span);
    }

    /// Notes times that go backwards from one block to the next, once all workers' findings are here.
    pub(super) fn note_times_between_blocks(&mut self) {
        self.times_of_blocks.sort_unstable();
        for pair in self.times_of_blocks.windows(2) {
            let [(_, _, before), (position, after, _)] = pair else { continue };
            if is_backwards(*before, *after) {
                self.log.add_many(NoteKind::TimeBackwards, 1, 0, *position, || format!("{after} ns"));
            }
        }
    }
}

fn join(one: Option<(u64, u64)>, other: Option<(u64, u64)>) -> Option<(u64, u64)> {
    match (one, other) {
        (Some((first, last)), Some((from, to))) => Some((first.min(from), last.max(to))),
        _ => one.or(other),
    }
}

/// Makes a span contain a time.
pub(super) fn widen(span: &mut Option<(u64, u64)>, time_ns: u64) {
    let (first, last) = span.unwrap_or((time_ns, time_ns));
    *span = Some((first.min(time_ns), last.max(time_ns)));
}

/// Whether time goes backwards by more than is normal.
pub(super) fn is_backwards(before_ns: u64, after_ns: u64) -> bool {
    after_ns.saturating_add(BACKWARDS_NS) < before_ns
}
