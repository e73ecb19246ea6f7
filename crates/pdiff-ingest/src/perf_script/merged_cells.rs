//! The cells of all workers, put into the profile in its order.
//!
//! Each worker's cells come by the second. So a second is gathered from all of them and sorted, which is little to sort at
//! a time. Some seconds are sorted at once, by as many workers as there are, and the memory of those before is free again.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use pdiff_profile::{EventId, NoteKind, ProfileBuilder, StackId, ThreadId, Weight};

use super::chain::Flaws;
use super::counts::{Chain, LocalCell};
use super::merged_stacks::FoundStacks;
use super::note_log::NoteLog;
use super::position::Position;
use super::shares::work_on_all;

/// From this many cells on (1.5 MB) they are sorted and put into the profile.
const GATHERED_CELLS: usize = 1 << 16;

/// An event and a thread.
type Lane = (EventId, ThreadId);

/// What one worker counted, and what its numbers are in the profile.
pub(super) struct CountedPart {
    /// By lane of the cells.
    pub(super) lanes: Vec<Lane>,
    /// By chain of the cells.
    pub(super) stacks: FoundStacks,
    pub(super) chains: Vec<Chain>,
    /// By second.
    pub(super) chunks: Vec<Vec<LocalCell>>,
}

/// Adds the cells of all parts.
pub(super) fn merge_cells(mut parts: Vec<CountedPart>, builder: &mut ProfileBuilder, log: &mut NoteLog) {
    builder.reserve_cells(parts.iter().flat_map(|part| &part.chunks).map(Vec::len).sum());
    let (lanes, firsts) = (all_lanes(&parts), first_flaws(&parts));
    let cells_of = |part: &mut CountedPart| std::mem::take(&mut part.chunks).into_iter().flatten().peekable();
    let mut cells: Vec<_> = parts.iter_mut().map(cells_of).collect();
    let ranks_of = |part: &CountedPart| part.lanes.iter().map(|lane| rank(*lane, &lanes)).collect();
    let ranks: Vec<Vec<u32>> = parts.iter().map(ranks_of).collect();
    let workers = parts.len();
    let mut gathered = Gathered::default();
    while let Some(block) = cells.iter_mut().filter_map(|cells| cells.peek()).map(|cell| cell.block).min() {
        let mut second = Vec::new();
        for ((part, ranks), cells) in parts.iter().zip(&ranks).zip(&mut cells) {
            while let Some(mut cell) = cells.next_if(|cell| cell.block == block) {
                let numbers = ranks.get(cell.lane as usize).zip(part.stacks.ids.get(cell.chain as usize));
                let Some((rank, stack)) = numbers else { continue };
                if let Some(flaws) = part.stacks.flaws_of(cell.chain) {
                    note_flaws(flaws, &cell, firsts.get(&(*stack, flaws)).copied(), log);
                }
                (cell.lane, cell.chain) = (*rank, stack.0);
                second.push(cell);
            }
        }
        gathered.push(second);
        if gathered.cells >= GATHERED_CELLS {
            gathered.empty(workers, &lanes, builder);
        }
    }
    gathered.empty(workers, &lanes, builder);
}

/// Whole seconds, their cells in the profile's numbers.
#[derive(Default)]
struct Gathered {
    seconds: Vec<Vec<LocalCell>>,
    cells: usize,
}

impl Gathered {
    fn push(&mut self, second: Vec<LocalCell>) {
        self.cells += second.len();
        self.seconds.push(second);
    }

    /// Puts them into the profile in its order.
    fn empty(&mut self, workers: usize, lanes: &[Lane], builder: &mut ProfileBuilder) {
        let add_up = |second: &mut Vec<LocalCell>| {
            second.sort_unstable_by_key(LocalCell::key);
            second.dedup_by(|next, kept| kept.absorb(next));
        };
        let share = self.seconds.len().div_ceil(workers).max(1);
        work_on_all(self.seconds.chunks_mut(share).collect(), |seconds| seconds.iter_mut().for_each(add_up));
        for LocalCell { chain, lane, block, samples, weight } in self.seconds.drain(..).flatten() {
            let Some((event, thread)) = lanes.get(lane as usize) else { continue };
            builder.count(*event, block, *thread, StackId(chain), samples, Weight(weight));
        }
        self.cells = 0;
    }
}

/// The lanes of all parts in the order of the profile.
fn all_lanes(parts: &[CountedPart]) -> Vec<Lane> {
    let mut lanes: Vec<Lane> = parts.iter().flat_map(|part| &part.lanes).copied().collect();
    lanes.sort_unstable();
    lanes.dedup();
    lanes
}

fn rank(lane: Lane, lanes: &[Lane]) -> u32 {
    u32::try_from(lanes.partition_point(|known| *known < lane)).expect("fewer than 2^32 lanes fit in memory")
}

/// Where each flawed stack stands first in the text, whichever worker met it there.
type FirstFlaws = HashMap<(StackId, Flaws), Position, FixedState>;

fn first_flaws(parts: &[CountedPart]) -> FirstFlaws {
    let mut firsts = FirstFlaws::default();
    for part in parts {
        for (chain, flaws) in &part.stacks.flaws {
            let place = *chain as usize;
            let Some((chain, stack)) = part.chains.get(place).zip(part.stacks.ids.get(place)) else {
                continue;
            };
            let first = firsts.entry((*stack, *flaws)).or_insert(chain.first);
            *first = chain.first.min(*first);
        }
    }
    firsts
}

#[cold]
fn note_flaws(flaws: Flaws, cell: &LocalCell, first: Option<Position>, log: &mut NoteLog) {
    let Some(first) = first else { return };
    let kinds = [
        (NoteKind::UnparsedLine, flaws.unparsed),
        (NoteKind::LineTooLong, flaws.too_long),
        (NoteKind::NotUtf8, flaws.not_utf8),
        (NoteKind::SkippedField, flaws.skipped),
        (NoteKind::DoubledFrame, flaws.doubled),
    ];
    for (kind, per_sample) in kinds.into_iter().filter(|(_, per_sample)| *per_sample > 0) {
        let count = u64::from(per_sample).saturating_mul(u64::from(cell.samples));
        log.add_many(kind, count, cell.weight, first, || "in the stack of this sample".into());
    }
}
