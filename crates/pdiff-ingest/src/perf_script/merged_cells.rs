//! The cells of all workers, put into the profile in its order.
//!
//! Each worker's cells are sorted by second. So a second is gathered from all of them and sorted, which is little to sort at
//! a time. This is done by the places of chains in the text, while their stacks are put together; stacks come in the
//! order of their chains, so the cells are in the profile's order then.

use pdiff_profile::{EventId, NoteKind, ProfileBuilder, StackId, ThreadId, Weight};

use super::chain::Flaws;
use super::counts::LocalCell;
use super::merged_stacks::{ChainPlaces, ChainStacks};
use super::note_log::NoteLog;
use super::position::Position;
use super::shares::work_on_all;

/// An event and a thread.
pub(super) type Lane = (EventId, ThreadId);

/// What one worker counted.
pub(super) struct CountedPart {
    /// By lane of the cells: its place among the lanes of all workers.
    pub(super) lanes: Vec<u32>,
    /// By second.
    pub(super) chunks: Vec<Vec<LocalCell>>,
}

/// The cells of all parts by second, each in the order of lanes and chains, of which they have the places; `workers` sort
/// them.
pub(super) fn gather_cells(
    parts: Vec<CountedPart>,
    places: &ChainPlaces,
    workers: usize,
) -> Vec<Vec<LocalCell>> {
    let (lanes, cells): (Vec<_>, Vec<_>) = parts.into_iter().map(|part| (part.lanes, part.chunks)).unzip();
    let mut cells: Vec<_> = cells.into_iter().map(|chunks| chunks.into_iter().flatten().peekable()).collect();
    let mut seconds = Vec::new();
    while let Some(block) = cells.iter_mut().filter_map(|cells| cells.peek()).map(|cell| cell.block).min() {
        let mut second = Vec::new();
        for ((places, lanes), cells) in places.iter().zip(&lanes).zip(&mut cells) {
            while let Some(mut cell) = cells.next_if(|cell| cell.block == block) {
                let of_all = lanes.get(cell.lane as usize).zip(places.get(cell.chain as usize));
                let Some((lane, place)) = of_all else { continue };
                (cell.lane, cell.chain) = (*lane, *place);
                second.push(cell);
            }
        }
        second.shrink_to_fit();
        seconds.push(second);
    }
    let share = seconds.len().div_ceil(workers.max(1)).max(1);
    work_on_all(seconds.chunks_mut(share).collect(), |seconds| seconds.iter_mut().for_each(add_up));
    seconds
}

/// Puts the cells of a second in order, and adds up those that are of one lane and chain.
fn add_up(second: &mut Vec<LocalCell>) {
    second.sort_unstable_by_key(LocalCell::key);
    second.dedup_by(|next, kept| kept.absorb(next));
}

/// Counts the samples of gathered cells; `lanes` are those of all workers in order.
pub(super) fn count_cells(
    seconds: Vec<Vec<LocalCell>>,
    lanes: &[Lane],
    stacks: &ChainStacks,
    builder: &mut ProfileBuilder,
    log: &mut NoteLog,
) {
    builder.reserve_cells(seconds.iter().map(Vec::len).sum());
    for mut second in seconds {
        for cell in &mut second {
            if let Some((flaws, first)) = stacks.flaws_of(cell.chain) {
                note_flaws(flaws, cell, first, log);
            }
            cell.chain = stacks.ids.get(cell.chain as usize).map_or(0, |stack| stack.0);
        }
        // They are in order still, unless chains have the same stack.
        add_up(&mut second);
        for LocalCell { chain, lane, block, samples, weight } in second {
            let Some((event, thread)) = lanes.get(lane as usize) else { continue };
            builder.count(*event, block, *thread, StackId(chain), samples, Weight(weight));
        }
    }
}

#[cold]
fn note_flaws(flaws: Flaws, cell: &LocalCell, first: Position, log: &mut NoteLog) {
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
