//! Counting samples: per (thread, event, leaf text, tail text) within a second, then as cells.
//!
//! The table of the running second is small and stays in the cache; when the second changes it is emptied into cells of
//! 24 bytes, so memory follows cells, not samples. Where time runs backwards (several recordings in one file) a second may
//! come again, so its cells are added up from time to time.

use rustc_hash::FxHashMap;

use super::memo::TextId;
use super::position::Position;

/// The samples of one second, thread, event and chain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct CellKey {
    /// Thread and event of the worker.
    pub(super) thread: u32,
    /// Event of the worker.
    pub(super) event: u32,
    /// Text of the leaf line.
    pub(super) leaf: TextId,
    /// Text of the lines above it.
    pub(super) tail: TextId,
}

/// A leaf and its callers, as texts of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Chain {
    /// Text of the leaf line.
    pub(super) leaf: TextId,
    /// Text of the lines above it.
    pub(super) tail: TextId,
    /// The first sample with it.
    pub(super) first: Position,
}

/// Samples counted together, by ids of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LocalCell {
    /// Place in [`Counts::chains`].
    pub(super) chain: u32,
    /// Place in [`Counts::lanes`].
    pub(super) lane: u32,
    /// Second.
    pub(super) block: u32,
    /// Number of samples.
    pub(super) samples: u32,
    /// Sum of periods.
    pub(super) weight: u64,
}

impl LocalCell {
    /// The key that identifies and orders cells of one second: one number, for one comparison.
    pub(super) fn key(&self) -> u64 {
        u64::from(self.lane) << 32 | u64::from(self.chain)
    }

    /// Takes over the samples of a cell of the same second, lane and chain; not if there are too many for one cell.
    pub(super) fn absorb(&mut self, other: &Self) -> bool {
        let is_same = self.block == other.block && self.key() == other.key();
        let sums = self.samples.checked_add(other.samples).zip(self.weight.checked_add(other.weight));
        match sums.filter(|_| is_same) {
            Some(sums) => {
                (self.samples, self.weight) = sums;
                true
            }
            None => false,
        }
    }
}

/// From this many chunks on (6 MB) cells are added up, if they can be.
const MERGE_CHUNKS: usize = 16;
/// How many cells one chunk holds; chunks are freed one by one as they are merged.
const CHUNK_CELLS: usize = 1 << 14;

/// The counts of one worker.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The running second.
    block: u32,
    running: FxHashMap<CellKey, Running>,
    chain_ids: FxHashMap<(TextId, TextId), u32>,
    lane_ids: FxHashMap<(u32, u32), u32>,
    /// Leaf and callers of the cells.
    pub(super) chains: Vec<Chain>,
    /// Thread and event of the cells.
    pub(super) lanes: Vec<(u32, u32)>,
    /// The cells, by second once counting is finished.
    pub(super) chunks: Vec<Vec<LocalCell>>,
    /// The latest second so far, and whether an earlier one came after it.
    latest: u32,
    is_backwards: bool,
    /// How many chunks there were when cells were last added up.
    merged_chunks: usize,
}

#[derive(Debug)]
struct Running {
    samples: u32,
    weight: u64,
    first: Position,
}

impl Counts {
    /// Counts one sample.
    #[inline]
    pub(super) fn add(&mut self, block: u32, key: CellKey, weight: u64, position: Position) {
        if block != self.block {
            self.next_block(block);
        }
        let running = self.running.entry(key).or_insert(Running { samples: 0, weight: 0, first: position });
        match (running.samples.checked_add(1), running.weight.checked_add(weight)) {
            (Some(samples), Some(sum)) => (running.samples, running.weight) = (samples, sum),
            _ => {
                let full = std::mem::replace(running, Running { samples: 1, weight, first: position });
                self.push(key, &full);
            }
        }
    }

    #[cold]
    fn next_block(&mut self, block: u32) {
        self.close_block();
        self.block = block;
        self.is_backwards |= block < self.latest;
        self.latest = self.latest.max(block);
        let is_full = self.chunks.len() >= MERGE_CHUNKS.max(2 * self.merged_chunks);
        if self.is_backwards && is_full {
            self.merge_cells();
        }
    }

    /// Adds up the cells of one second, thread, event and chain.
    fn merge_cells(&mut self) {
        let mut cells = Vec::with_capacity(self.chunks.iter().map(Vec::len).sum());
        self.chunks.drain(..).for_each(|chunk| cells.extend(chunk));
        // Seconds are in order but for the few places where time ran backwards, which this sort makes use of.
        cells.sort_by_key(|cell| cell.block);
        let seconds = cells.chunk_by_mut(|cell, next| cell.block == next.block);
        seconds.for_each(|second| second.sort_unstable_by_key(LocalCell::key));
        cells.dedup_by(|next, kept| kept.absorb(next));
        // Half of them may be gone; given back before the rest is copied, that is a tenth of the peak.
        cells.shrink_to_fit();
        self.chunks.extend(cells.chunks(CHUNK_CELLS).map(|chunk| {
            let mut kept = Vec::with_capacity(CHUNK_CELLS);
            kept.extend_from_slice(chunk);
            kept
        }));
        self.merged_chunks = self.chunks.len();
    }

    /// Closes the last second. What seconds that came again counted twice is added up, so that it takes no memory when
    /// the workers' counts become one profile.
    pub(super) fn finish(&mut self) {
        self.close_block();
        if self.is_backwards {
            self.merge_cells();
        }
    }

    /// Empties the table of the running second into cells. Its memory is kept unless most of it is idle: emptying costs as
    /// much as it could hold, and seconds may change with each sample.
    fn close_block(&mut self) {
        let mut running = std::mem::take(&mut self.running);
        let is_idle = running.capacity() / 16 > running.len().max(64);
        for (key, counted) in running.drain() {
            self.push(key, &counted);
        }
        if !is_idle {
            self.running = running;
        }
    }

    /// The place of a chain, if it was counted.
    pub(super) fn chain_of(&self, leaf: TextId, tail: TextId) -> Option<u32> {
        self.chain_ids.get(&(leaf, tail)).copied()
    }

    fn push(&mut self, key: CellKey, counted: &Running) {
        let lane = next_id(&mut self.lane_ids, (key.thread, key.event), self.lanes.len());
        if lane as usize == self.lanes.len() {
            self.lanes.push((key.thread, key.event));
        }
        let chain = next_id(&mut self.chain_ids, (key.leaf, key.tail), self.chains.len());
        match self.chains.get_mut(chain as usize) {
            Some(known) => known.first = known.first.min(counted.first),
            None => self.chains.push(Chain { leaf: key.leaf, tail: key.tail, first: counted.first }),
        }
        let cell =
            LocalCell { chain, lane, block: self.block, samples: counted.samples, weight: counted.weight };
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_CELLS => chunk.push(cell),
            _ => {
                let mut chunk = Vec::with_capacity(CHUNK_CELLS);
                chunk.push(cell);
                self.chunks.push(chunk);
            }
        }
    }
}

fn next_id<K: std::hash::Hash + Eq>(ids: &mut FxHashMap<K, u32>, key: K, next: usize) -> u32 {
    *ids.entry(key)
        .or_insert_with(|| u32::try_from(next).expect("fewer than 2^32 unique values fit in memory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What 100 samples a second on three threads come to.
    struct Counted {
        samples: u64,
        weight: u64,
        cells: usize,
        most_chunks: usize,
    }

    fn counted(seconds: impl Iterator<Item = u32>) -> Counted {
        let mut counts = Counts::default();
        let mut most_chunks = 0;
        for (line, second) in (0..).zip(seconds) {
            for leaf in 0..100 {
                let key = CellKey { thread: leaf % 3, event: 0, leaf, tail: 0 };
                counts.add(second, key, 7, Position { block: 0, line });
            }
            most_chunks = most_chunks.max(counts.chunks.len());
        }
        counts.finish();
        let cells: Vec<LocalCell> = counts.chunks.concat();
        let samples = cells.iter().map(|cell| u64::from(cell.samples)).sum();
        let weight = cells.iter().map(|cell| cell.weight).sum();
        Counted { samples, weight, cells: cells.len(), most_chunks }
    }

    #[test]
    fn memory_follows_unique_cells_where_seconds_come_again() {
        let counted = counted((0..20_000).map(|second| second % 50));
        assert_eq!((counted.samples, counted.weight, counted.cells), (2_000_000, 14_000_000, 5_000));
        assert!(
            counted.most_chunks <= MERGE_CHUNKS + 1,
            "{} chunks of 5000 unique cells",
            counted.most_chunks
        );
    }

    #[test]
    fn one_full_second_makes_no_other_one_slow() {
        let mut counts = Counts::default();
        let key = |leaf| CellKey { thread: 0, event: 0, leaf, tail: 0 };
        let mut add = |second, leaf| counts.add(second, key(leaf), 1, Position { block: 0, line: 0 });
        (0..50_000).for_each(|leaf| add(0, leaf));
        (1..4).for_each(|second| add(second, 0));
        assert!(counts.running.capacity() < 1000, "{}", counts.running.capacity());
    }

    #[test]
    fn seconds_that_come_once_stay_apart() {
        let counted = counted(0..4000);
        assert_eq!((counted.samples, counted.weight, counted.cells), (400_000, 2_800_000, 400_000));
    }
}
