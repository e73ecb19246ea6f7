//! From the lines of samples to stacks.
//!
//! Stacks are put together of the numbers of their lines, without the profile in the making, so that this is done by as many
//! workers as there are.
//!
//! - An `(inlined)` frame has no object of its own: it gets that of the first frame above it that has one.
//! - Where perf expands inlined functions it prints some frames twice (same address, same symbol, one above the other).
//!   The second is dropped if the recording has `(inlined)` frames at all; otherwise two such frames are a recursion.
//! - A line with a source position says where the frame before it stands.

use rustc_hash::FxHashMap;

use super::lines::{LineIndex, Lines};
use super::read_line::{LineFlaws, LineSays, NameIndex};

/// Imperfections, counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Flaws {
    /// Lines that are not frames.
    pub(super) unparsed: u32,
    /// Lines that are too long.
    pub(super) too_long: u32,
    /// Lines that are not UTF-8.
    pub(super) not_utf8: u32,
    /// Lines with columns that were skipped.
    pub(super) skipped: u32,
    /// Frames printed twice.
    pub(super) doubled: u32,
}

/// A frame of which its own line does not say all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PlacedFrame {
    pub(super) line: LineIndex,
    /// The line of its source position.
    pub(super) source: Option<LineIndex>,
    /// The object that it has from a frame above it.
    pub(super) object: Option<NameIndex>,
}

/// A frame of stacks in the making: the number of its line, or for [`PlacedFrame`]s a number from that of lines on.
pub(super) type FrameRef = u32;

/// Stacks, root first, and what was imperfect in them.
pub(super) struct StackList<F> {
    /// The frames of all stacks.
    frames: Vec<F>,
    /// Where each stack ends in `frames`; it begins where the one before ends.
    ends: Vec<usize>,
    /// By the place of the stack; only where something was.
    flaws: FxHashMap<usize, Flaws>,
}

impl<F> StackList<F> {
    /// The same with other frames.
    pub(super) fn map<T>(self, frame: impl FnMut(F) -> T) -> StackList<T> {
        let frames = self.frames.into_iter().map(frame).collect();
        StackList { frames, ends: self.ends, flaws: self.flaws }
    }

    /// All stacks.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&[F], Flaws)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).enumerate().map(|(place, (start, end))| {
            let flaws = if self.flaws.is_empty() { None } else { self.flaws.get(&place) };
            (self.frames.get(start..*end).unwrap_or(&[]), flaws.copied().unwrap_or_default())
        })
    }
}

/// Puts stacks together of lines.
pub(super) struct Assembler<'l> {
    lines: &'l Lines,
    /// The stacks so far.
    pub(super) stacks: StackList<FrameRef>,
    /// The frames that are more than their line.
    placed: Vec<PlacedFrame>,
    placed_refs: FxHashMap<PlacedFrame, FrameRef>,
    /// Each frame of the stacks once, by the first stack that has it, and in that the frame nearest to the leaf first.
    pub(super) firsts: Vec<FrameRef>,
    /// Whether a frame is in `firsts`.
    seen: Vec<bool>,
    /// Kept for its memory.
    leaf_first: Vec<FrameRef>,
}

impl<'l> Assembler<'l> {
    /// No stacks yet, of these lines.
    pub(super) fn new(lines: &'l Lines) -> Self {
        Self {
            lines,
            stacks: StackList { frames: Vec::new(), ends: Vec::new(), flaws: FxHashMap::default() },
            placed: Vec::new(),
            placed_refs: FxHashMap::default(),
            firsts: Vec::new(),
            seen: vec![false; lines.len()],
            leaf_first: Vec::new(),
        }
    }

    /// Puts a stack together of its lines, which `put_lines` puts into a list, leaf first.
    pub(super) fn push(&mut self, put_lines: impl FnOnce(&mut Vec<LineIndex>)) {
        let mut frames = std::mem::take(&mut self.leaf_first);
        frames.clear();
        put_lines(&mut frames);
        let is_plain = !self.lines.has_inlined && frames.iter().all(|line| self.lines.is_plain(*line));
        if !is_plain {
            let flaws = self.place(&mut frames);
            if !flaws.is_empty() {
                self.stacks.flaws.insert(self.stacks.ends.len(), flaws);
            }
        }
        for frame in &frames {
            if let Some(seen @ false) = self.seen.get_mut(*frame as usize) {
                *seen = true;
                self.firsts.push(*frame);
            }
        }
        self.stacks.frames.extend(frames.iter().rev());
        self.stacks.ends.push(self.stacks.frames.len());
        self.leaf_first = frames;
    }

    /// Makes frames of the lines of a stack, and tells what is imperfect in them.
    fn place(&mut self, leaf_first: &mut Vec<FrameRef>) -> Flaws {
        let lines: Vec<LineIndex> = std::mem::take(leaf_first);
        let mut frames: Vec<FrameRef> = Vec::with_capacity(lines.len());
        let mut flaws = Flaws::default();
        for index in lines {
            let line = self.lines.get(index);
            flaws.add_line(line.flaws);
            match (line.says, frames.last_mut()) {
                (LineSays::Frame(_), _) => frames.push(index),
                (LineSays::Source(_), Some(frame)) => *frame = self.with_source(*frame, index),
                (LineSays::Source(_), None) | (LineSays::Nothing, _) => {}
            }
        }
        if self.lines.has_inlined {
            flaws.doubled += self.drop_doubled(&mut frames);
        }
        self.borrow_objects(&mut frames);
        *leaf_first = frames;
        flaws
    }

    /// All that its lines say of a frame.
    pub(super) fn placed(&self, frame: FrameRef) -> PlacedFrame {
        let only_line = PlacedFrame { line: frame, source: None, object: None };
        let place = (frame as usize).checked_sub(self.lines.len());
        place.and_then(|place| self.placed.get(place)).copied().unwrap_or(only_line)
    }

    /// How many frames there are that are more than their line.
    pub(super) fn placed_count(&self) -> usize {
        self.placed.len()
    }

    fn refer(&mut self, placed: PlacedFrame) -> FrameRef {
        let next = self.lines.len() + self.placed.len();
        *self.placed_refs.entry(placed).or_insert_with(|| {
            self.placed.push(placed);
            self.seen.push(false);
            FrameRef::try_from(next).expect("fewer than 2^32 frames fit in memory")
        })
    }

    /// The frame of another one at a source position.
    fn with_source(&mut self, frame: FrameRef, source: LineIndex) -> FrameRef {
        let placed = self.placed(frame);
        self.refer(PlacedFrame { source: Some(source), ..placed })
    }

    /// Drops the second of two frames of one function at one address; of a marked and an unmarked one, the unmarked
    /// stays.
    fn drop_doubled(&self, frames: &mut Vec<FrameRef>) -> u32 {
        let before = frames.len();
        frames.dedup_by(|outer, inner| {
            let is_same = self.is_same_call(*outer, *inner);
            if is_same && self.is_inlined(*inner) && !self.is_inlined(*outer) {
                *inner = *outer;
            }
            is_same
        });
        u32::try_from(before - frames.len()).unwrap_or(u32::MAX)
    }

    /// Whether two frames are of one function at one address.
    fn is_same_call(&self, one: FrameRef, other: FrameRef) -> bool {
        let lines = self.lines;
        let frame = |frame| lines.frame(self.placed(frame).line);
        let (Some(one), Some(other)) = (frame(one), frame(other)) else { return false };
        let symbols = one.symbol.zip(other.symbol);
        let is_same = |(one, other)| one == other || lines.name(one) == lines.name(other);
        one.addr == other.addr && symbols.is_some_and(is_same)
    }

    /// Whether the line of a frame or that of its source position is marked so.
    fn is_inlined(&self, frame: FrameRef) -> bool {
        let placed = self.placed(frame);
        let is_inlined = |line| self.lines.get(line).is_inlined();
        is_inlined(placed.line) || placed.source.is_some_and(is_inlined)
    }

    /// Gives inlined frames without an object that of the frame that contains them.
    fn borrow_objects(&mut self, frames: &mut [FrameRef]) {
        let mut above = None;
        for frame in frames.iter_mut().rev() {
            let placed = self.placed(*frame);
            let own = self.lines.frame(placed.line).and_then(|frame| frame.object);
            if own.is_none() && self.is_inlined(*frame) {
                *frame = self.refer(PlacedFrame { object: above, ..placed });
            } else {
                above = own;
            }
        }
    }
}

impl Flaws {
    fn add_line(&mut self, line: LineFlaws) {
        self.unparsed += u32::from(line.is_unparsed);
        self.too_long += u32::from(line.is_too_long);
        self.not_utf8 += u32::from(line.is_not_utf8);
        self.skipped += u32::from(line.has_skipped);
    }

    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}
