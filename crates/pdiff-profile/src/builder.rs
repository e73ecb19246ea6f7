//! Making a [`Profile`]: interning, counting, and the order in which it all ends up.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::id::{EventId, FrameId, ObjectIndex, StackId, StringId, ThreadId};
use crate::interner::Interner;
use crate::notes::Notes;
use crate::object::Object;
use crate::profile::{Cell, Event, Frame, Mapping, Profile, Span, Thread};
use crate::stack::StackTable;
use crate::texts::TextInterner;
use crate::weight::Weight;

/// Why a profile could not be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The periods add up to more than 2^64.
    #[error(
        "the periods of event '{event}' add up to more than a 64-bit number can hold; hint: a damaged period is likely"
    )]
    WeightOverflow {
        /// The event's name.
        event: Box<str>,
    },
}

/// Interns the parts of a profile and counts its samples.
///
/// ```
/// use pdiff_profile::{Frame, Object, ProfileBuilder, Thread, Weight};
///
/// let mut builder = ProfileBuilder::new();
/// let object = builder.object(Object::from_text("/bin/x"));
/// let main = builder.string("main");
/// let frame =
///     Frame { addr: None, symbol: Some(main), symbol_offset: None, object, source: None, inlined: false };
/// let frame = builder.frame(frame);
/// let stack = builder.stack(&[frame]);
/// let comm = builder.string("x");
/// let thread = builder.thread(Thread { comm, pid: None, tid: Some(1) });
/// let event = builder.event("cycles");
/// builder.count(event, 0, thread, stack, 2, Weight(20));
/// let profile = builder.finish()?;
/// assert_eq!(profile.events[0].weight, Weight(20));
/// # Ok::<(), pdiff_profile::BuildError>(())
/// ```
#[derive(Debug, Default)]
pub struct ProfileBuilder {
    strings: TextInterner,
    objects: Interner<Box<str>>,
    object_values: Vec<Object>,
    frames: Interner<Frame>,
    /// The first stack of each hash; the few others of the same hash are in `more_stack_ids`.
    stack_ids: FxHashMap<u64, StackId>,
    more_stack_ids: FxHashMap<Box<[FrameId]>, StackId>,
    stacks: StackTable,
    threads: Interner<Thread>,
    events: Interner<Box<str>>,
    without_period: FxHashSet<EventId>,
    cells: Vec<Cell>,
    /// By stack: the cell of its last sample, for [`Self::count_sample`].
    last_cells: Vec<u32>,
    /// Where objects were mapped; public because they are only collected.
    pub mappings: Vec<Mapping>,
    /// Header lines; public because they are only collected.
    pub header: Vec<(Box<str>, Box<str>)>,
    /// Imperfections; public because they are only collected.
    pub notes: Notes,
    /// First and last time.
    pub span: Option<Span>,
}

impl ProfileBuilder {
    /// From this many cells on they are merged before the array grows, so that memory follows unique cells.
    const MERGE_EVERY: usize = 1 << 18;

    /// An empty profile in the making.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of a string.
    pub fn string(&mut self, text: &str) -> StringId {
        StringId(self.strings.intern(text))
    }

    /// The id of an object, by its path.
    pub fn object(&mut self, object: Object) -> ObjectIndex {
        let index = self.objects.intern_by(&*object.path, || object.path.clone());
        match self.object_values.get_mut(index as usize) {
            Some(known) => known.build_id = known.build_id.take().or(object.build_id),
            None => self.object_values.push(object),
        }
        ObjectIndex(index)
    }

    /// The id of a frame.
    pub fn frame(&mut self, frame: Frame) -> FrameId {
        FrameId(self.frames.intern_by(&frame, || frame))
    }

    /// The id of a stack, root first.
    pub fn stack(&mut self, root_first: &[FrameId]) -> StackId {
        let hash = FxBuildHasher.hash_one(root_first);
        let first = self.stack_ids.get(&hash).copied();
        if let Some(id) = first.filter(|id| self.stacks.get(*id) == root_first) {
            return id;
        }
        if let Some(id) = self.more_stack_ids.get(root_first) {
            return *id;
        }
        let id = self.stacks.push(root_first.iter().copied());
        match first {
            None => drop(self.stack_ids.insert(hash, id)),
            Some(_) => drop(self.more_stack_ids.insert(root_first.into(), id)),
        }
        id
    }

    /// The id of a thread.
    pub fn thread(&mut self, thread: Thread) -> ThreadId {
        ThreadId(self.threads.intern_by(&thread, || thread))
    }

    /// The id of an event, by its name.
    pub fn event(&mut self, name: &str) -> EventId {
        EventId(self.events.intern_by(name, || name.into()))
    }

    /// Says that samples of an event came without period, so that their weight is their number.
    pub fn without_period(&mut self, event: EventId) {
        self.without_period.insert(event);
    }

    /// Reserves space for this number of frames and stacks, because a table that grows is rehashed each time.
    pub fn reserve_stacks(&mut self, frames: usize, stacks: usize) {
        self.frames.reserve(frames);
        self.stack_ids.reserve(stacks);
    }

    /// Makes room for so many cells at once, so that memory does not grow by doubling.
    pub fn reserve_cells(&mut self, cells: usize) {
        self.cells.reserve_exact(cells);
    }

    /// Counts `samples` samples of `weight` together. `block` is the second of the recorder's clock.
    pub fn count(
        &mut self,
        event: EventId,
        block: u32,
        thread: ThreadId,
        stack: StackId,
        samples: u32,
        weight: Weight,
    ) {
        self.cells.push(Cell { event, block, thread, stack, samples, weight });
        if self.cells.len() >= Self::MERGE_EVERY && self.cells.len() == self.cells.capacity() {
            merge_cells(&mut self.cells);
            self.cells.reserve(self.cells.len());
        }
    }

    /// Counts one sample. If the last sample of its stack was of the same event, second and thread, both are one cell from the
    /// start, so that there are fewer to sort at the end.
    #[inline]
    pub fn count_sample(
        &mut self,
        event: EventId,
        block: u32,
        thread: ThreadId,
        stack: StackId,
        weight: Weight,
    ) {
        let here = Cell { event, block, thread, stack, samples: 1, weight };
        let last = self.last_cells.get(stack.index()).and_then(|at| self.cells.get_mut(*at as usize));
        if last.is_some_and(|last| last.add(&here)) {
            return;
        }
        if self.last_cells.len() <= stack.index() {
            self.last_cells.resize(self.stacks.len(), u32::MAX);
        }
        if let (Some(last), Ok(at)) =
            (self.last_cells.get_mut(stack.index()), u32::try_from(self.cells.len()))
        {
            *last = at;
        }
        self.count(event, block, thread, stack, 1, weight);
    }

    /// The weights counted so far, in the order of their first count unless stacks were merged.
    pub fn weights(&self) -> impl Iterator<Item = Weight> {
        self.cells.iter().map(|cell| cell.weight)
    }

    /// Divides `samples` among all that was counted, by weight, so that they sum to that number; `None` gives each count one.
    pub fn divide_samples(&mut self, samples: Option<u128>) {
        let total: u128 = self.cells.iter().map(|cell| u128::from(cell.weight.0)).sum();
        let (mut weight, mut given) = (0_u128, 0_u128);
        for cell in &mut self.cells {
            weight += u128::from(cell.weight.0);
            let until_here = samples.map_or(given + 1, |samples| divided(samples, weight, total));
            cell.samples = u32::try_from(until_here.saturating_sub(given)).unwrap_or(u32::MAX);
            given = until_here;
        }
    }

    /// The finished profile.
    ///
    /// # Errors
    /// [`BuildError::WeightOverflow`] if the weight of an event does not fit in 64 bits.
    pub fn finish(mut self) -> Result<Profile, BuildError> {
        let events = self.sum_events()?;
        merge_cells(&mut self.cells);
        self.cells.shrink_to_fit();
        self.stacks.shrink_to_fit();
        let has_callchains = self.stacks.iter().any(|stack| stack.len() > 1);
        Ok(Profile {
            strings: self.strings.into_texts(),
            objects: self.object_values,
            frames: self.frames.into_values(),
            stacks: self.stacks,
            threads: self.threads.into_values(),
            events,
            cells: self.cells,
            mappings: self.mappings,
            header: self.header,
            span: self.span,
            has_callchains,
            notes: self.notes,
        })
    }

    fn sum_events(&self) -> Result<Vec<Event>, BuildError> {
        let names = self.events.values();
        let mut sums = vec![(0_u64, 0_u128); names.len()];
        for cell in &self.cells {
            if let Some((samples, weight)) = sums.get_mut(cell.event.index()) {
                *samples += u64::from(cell.samples);
                *weight += u128::from(cell.weight.0);
            }
        }
        let finish = |(id, (name, (samples, weight))): (u32, (&str, (u64, u128)))| {
            let overflow = |_| BuildError::WeightOverflow { event: name.into() };
            let weight = Weight(u64::try_from(weight).map_err(overflow)?);
            let has_period = !self.without_period.contains(&EventId(id));
            Ok(Event { name: name.into(), samples, weight, has_period })
        };
        (0..).zip(names.iter().map(|name| &**name).zip(sums)).map(finish).collect()
    }
}

/// The part of `samples` that `weight` of `total` has, rounded to the nearest.
fn divided(samples: u128, weight: u128, total: u128) -> u128 {
    let exact = samples.checked_mul(weight).and_then(|product| product.checked_add(total / 2));
    match exact {
        Some(product) => product.checked_div(total).unwrap_or(0),
        None => (samples as f64 * (weight as f64 / total as f64)).round() as u128,
    }
}

/// Sorts cells by key and adds up those of one key.
fn merge_cells(cells: &mut Vec<Cell>) {
    let time = |cell: &Cell| (cell.event, cell.block);
    if cells.is_sorted_by_key(time) {
        // Samples mostly come in the order of time: then the cells of each second are sorted alone.
        let seconds = cells.chunk_by_mut(|a, b| time(a) == time(b));
        // One number is compared faster than two.
        let place = |cell: &Cell| u64::from(cell.thread.0) << u32::BITS | u64::from(cell.stack.0);
        seconds.for_each(|cells| cells.sort_unstable_by_key(place));
    } else {
        cells.sort_unstable_by_key(Cell::order);
    }
    cells.dedup_by(|next, kept| kept.add(next));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_one_stack_second_and_thread_are_one_cell_from_the_start() {
        let mut builder = ProfileBuilder::new();
        let comm = builder.string("x");
        let object = builder.object(Object::from_text("/bin/x"));
        let no_name =
            Frame { addr: None, symbol: None, symbol_offset: None, object, source: None, inlined: false };
        let frames = [Some(comm), None].map(|symbol| builder.frame(Frame { symbol, ..no_name }));
        let [a, b] = frames.map(|frame| builder.stack(&[frame]));
        let threads = [1, 2].map(|tid| builder.thread(Thread { comm, pid: None, tid: Some(tid) }));
        let [cycles, faults] = ["cycles", "faults"].map(|name| builder.event(name));
        let samples = [
            (cycles, 7, threads[0], a, 5),
            (cycles, 7, threads[0], b, 1),
            (cycles, 7, threads[0], a, 6),
            (cycles, 7, threads[1], a, 7),
            (faults, 7, threads[1], a, 8),
            (faults, 8, threads[1], a, 9),
            (cycles, 7, threads[0], a, 10),
            (cycles, 7, threads[0], b, u64::MAX - 60),
            (cycles, 7, threads[0], b, 5),
        ];
        for (event, block, thread, stack, weight) in samples {
            builder.count_sample(event, block, thread, stack, Weight(weight));
        }
        assert_eq!(builder.cells.len(), 6, "the two of the same key in a row are one, as are the last two");
        let profile = builder.finish().expect("the sum fits");
        let cells: Vec<_> =
            profile.cells.iter().map(|cell| (cell.block, cell.stack, cell.samples, cell.weight.0)).collect();
        let expected = [(7, a, 3, 21), (7, b, 3, u64::MAX - 54), (7, a, 1, 7), (7, a, 1, 8), (8, a, 1, 9)];
        assert_eq!(cells, expected);
    }
}
