//! From the lines of a sample to a stack: the one place where perf's order, leaf first, is turned to root first.
//!
//! A line is read once for each worker that met it, whatever number of stacks it stands in, and without the profile in the
//! making ([`ReadLine`]), so that the lines of several workers are read at once.
//!
//! - An `(inlined)` frame has no object of its own: it gets that of the first frame above it that has one.
//! - Where perf expands inlined functions it prints some frames twice (same address, same symbol, one above the other).
//!   The second is dropped if the recording has `(inlined)` frames at all; otherwise two such frames are a recursion.
//! - `  t.c:8` under a frame is its source position, and ends in ` (inlined)` for inlined frames.

use std::borrow::Cow;
use std::ops::Range;

use pdiff_profile::{Frame, FrameId, Object, ObjectIndex, ProfileBuilder, RawAddr, StringId};
use rustc_hash::FxHashMap;

use super::blocks::MAX_LINE_BYTES;
use super::frame_line;

/// What a frame is in a stack, beside the frames themselves: stacks are put together of these alone.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// [`NO_OBJECT`] if its line has none.
    object: ObjectIndex,
    /// Its number in the profile, once it is known.
    id: Option<FrameId>,
}

/// Place of a frame in [`ChainParser::frames`].
type FrameIndex = u32;

/// The frames of a text and what was imperfect in it. There are many, so it is small.
#[derive(Clone, Default, Debug)]
pub(super) struct ParsedText {
    /// Where its frames stand in [`ChainParser::texts`], leaf first.
    frames: Range<u32>,
    /// The text begins with the source position of a frame before it.
    source_before: Option<SourceLine>,
    /// What to note for each sample with this text: a place in [`ChainParser::flaws`] plus one; 0 if nothing.
    flaws: u32,
}

/// Imperfections of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct LineFlaws {
    is_unparsed: bool,
    is_too_long: bool,
    is_not_utf8: bool,
    has_skipped: bool,
}

/// Imperfections, counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Flaws {
    /// Lines that are no frame.
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SourceLine {
    source: Option<StringId>,
    inlined: bool,
}

/// What a line of a stack says, in its own text.
#[derive(Clone, Debug)]
pub(super) struct ReadLine<'t> {
    text: LineText<'t>,
    flaws: LineFlaws,
}

#[derive(Clone, Debug)]
enum LineText<'t> {
    Frame(FrameText<'t>),
    Source(Cow<'t, str>),
    /// Source code, which is not kept.
    Code,
    Unparsed,
}

/// A frame line whose texts are whole.
#[derive(Clone, Debug)]
struct FrameText<'t> {
    addr: RawAddr,
    symbol: Option<Cow<'t, str>>,
    symbol_offset: Option<u64>,
    object: Option<Cow<'t, str>>,
    inlined: bool,
}

impl<'t> ReadLine<'t> {
    /// Reads one line.
    pub(super) fn of(line: &'t [u8]) -> Self {
        let mut flaws = LineFlaws::default();
        let line = match line.get(..MAX_LINE_BYTES) {
            Some(kept) if line.len() > MAX_LINE_BYTES => {
                flaws.is_too_long = true;
                kept
            }
            _ => line,
        };
        let text = lossy(line);
        flaws.is_not_utf8 = matches!(text, Cow::Owned(_));
        if line.starts_with(b"|") {
            return Self { text: LineText::Code, flaws: LineFlaws { has_skipped: true, ..flaws } };
        }
        if line.starts_with(b"  ") && line.get(2) != Some(&b' ') {
            return Self { text: LineText::Source(text), flaws };
        }
        let Some(frame) = frame_line::parse(line) else {
            return Self { text: LineText::Unparsed, flaws: LineFlaws { is_unparsed: true, ..flaws } };
        };
        flaws.has_skipped = frame.has_skipped;
        let frame = FrameText {
            addr: RawAddr(frame.addr),
            symbol: frame.symbol.map(lossy),
            symbol_offset: frame.offset,
            object: frame.object.map(lossy),
            inlined: frame.inlined,
        };
        Self { text: LineText::Frame(frame), flaws }
    }
}

/// A line of a stack in the profile's numbers, and what was imperfect in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParsedLine {
    says: LineFacts,
    flaws: LineFlaws,
}

#[derive(Clone, Copy, Debug)]
enum LineFacts {
    Frame(FrameIndex),
    Source(SourceLine),
    Nothing,
}

/// Parses the lines of stacks.
#[derive(Default)]
pub(super) struct ChainParser {
    /// As they stand in the profile; the object is [`NO_OBJECT`] if the line has none.
    frames: Vec<Frame>,
    /// By frame.
    placed: Vec<Placed>,
    /// The frames of all texts, one after the other.
    texts: Vec<FrameIndex>,
    /// Of the texts that have any.
    flaws: Vec<Flaws>,
    has_inlined: bool,
    /// By the text that names it.
    objects: FxHashMap<Box<str>, ObjectIndex>,
    /// Kept for its memory.
    leaf_first: Vec<FrameIndex>,
}

impl ChainParser {
    /// Parses one line.
    pub(super) fn line(&mut self, line: &ReadLine<'_>, builder: &mut ProfileBuilder) -> ParsedLine {
        let says = match &line.text {
            LineText::Frame(frame) => LineFacts::Frame(self.frame_of(frame, builder)),
            LineText::Source(text) => LineFacts::Source(parse_source(text, builder)),
            LineText::Code | LineText::Unparsed => LineFacts::Nothing,
        };
        ParsedLine { says, flaws: line.flaws }
    }

    /// Puts the lines of a text together, leaf first.
    pub(super) fn text(&mut self, lines: impl Iterator<Item = ParsedLine>) -> ParsedText {
        let start = self.texts.len();
        let (mut source_before, mut flaws) = (None, Flaws::default());
        for line in lines {
            flaws.add_line(line.flaws);
            match line.says {
                LineFacts::Frame(frame) => self.texts.push(frame),
                LineFacts::Source(source) if self.texts.len() == start => source_before = Some(source),
                LineFacts::Source(source) => {
                    let frame = self.texts.pop().map(|frame| self.with_source(frame, source));
                    self.texts.extend(frame);
                }
                LineFacts::Nothing => {}
            }
        }
        self.has_inlined |= source_before.is_some_and(|source| source.inlined);
        if !flaws.is_empty() {
            self.flaws.push(flaws);
        }
        let number = |count| u32::try_from(count).expect("fewer than 2^32 frames fit in memory");
        ParsedText {
            frames: number(start)..number(self.texts.len()),
            source_before,
            flaws: if flaws.is_empty() { 0 } else { number(self.flaws.len()) },
        }
    }

    fn frames_of(&self, text: &ParsedText) -> &[FrameIndex] {
        self.texts.get(text.frames.start as usize..text.frames.end as usize).unwrap_or(&[])
    }

    fn flaws_of(&self, text: &ParsedText) -> Flaws {
        let place = text.flaws.checked_sub(1);
        place.and_then(|place| self.flaws.get(place as usize)).copied().unwrap_or_default()
    }

    /// How many frames were parsed; the profile has no more, but for those that borrow the object of another.
    pub(super) fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Puts the stack of a leaf and its callers into `stack`, root first, and returns its flaws. All texts must have been
    /// parsed before the first call.
    pub(super) fn assemble(
        &mut self,
        leaf: &ParsedText,
        tail: &ParsedText,
        builder: &mut ProfileBuilder,
        stack: &mut Vec<FrameId>,
    ) -> Flaws {
        let mut flaws = self.flaws_of(leaf);
        flaws.add(self.flaws_of(tail));
        let mut frames = std::mem::take(&mut self.leaf_first);
        frames.clear();
        frames.extend_from_slice(self.frames_of(leaf));
        if let (Some(frame), Some(source)) = (frames.last_mut(), tail.source_before) {
            *frame = self.with_source(*frame, source);
        }
        frames.extend_from_slice(self.frames_of(tail));
        if self.has_inlined {
            flaws.doubled += self.drop_doubled(&mut frames);
        }
        self.turn_root_first(&frames, builder, stack);
        self.leaf_first = frames;
        flaws
    }

    fn frame_of(&mut self, text: &FrameText<'_>, builder: &mut ProfileBuilder) -> FrameIndex {
        let object = text.object.as_ref().map_or(NO_OBJECT, |object| self.object(object, builder));
        self.push(Frame {
            addr: Some(text.addr),
            symbol: text.symbol.as_ref().map(|symbol| builder.string(symbol)),
            symbol_offset: text.symbol_offset,
            object,
            source: None,
            inlined: text.inlined,
        })
    }

    fn object(&mut self, text: &str, builder: &mut ProfileBuilder) -> ObjectIndex {
        if let Some(index) = self.objects.get(text) {
            return *index;
        }
        let index = builder.object(Object::from_text(text));
        self.objects.insert(text.into(), index);
        index
    }

    /// Makes room for the frames of so many lines at once.
    pub(super) fn reserve(&mut self, lines: usize) {
        self.frames.reserve(lines);
        self.placed.reserve(lines);
    }

    fn push(&mut self, frame: Frame) -> FrameIndex {
        self.has_inlined |= frame.inlined;
        let index = FrameIndex::try_from(self.frames.len()).expect("fewer than 2^32 frames fit in memory");
        self.frames.push(frame);
        self.placed.push(Placed { object: frame.object, id: None });
        index
    }

    fn frame(&self, index: FrameIndex) -> Option<Frame> {
        self.frames.get(index as usize).copied()
    }

    /// The frame of another one at a source position.
    fn with_source(&mut self, index: FrameIndex, line: SourceLine) -> FrameIndex {
        let with_source =
            |frame: Frame| Frame { source: line.source, inlined: frame.inlined | line.inlined, ..frame };
        self.frame(index).map_or(index, |frame| self.push(with_source(frame)))
    }

    /// Drops the second of two frames of one function at one address; of a marked and an unmarked one, the unmarked
    /// stays.
    fn drop_doubled(&self, frames: &mut Vec<FrameIndex>) -> u32 {
        let before = frames.len();
        frames.dedup_by(|outer, inner| {
            let Some((outer_frame, inner_frame)) = self.frame(*outer).zip(self.frame(*inner)) else {
                return false;
            };
            let is_same = outer_frame.addr == inner_frame.addr
                && outer_frame.symbol.is_some()
                && outer_frame.symbol == inner_frame.symbol;
            if is_same && inner_frame.inlined && !outer_frame.inlined {
                *inner = *outer;
            }
            is_same
        });
        u32::try_from(before - frames.len()).unwrap_or(u32::MAX)
    }

    /// From leaf first to root first; on the way, inlined frames get the object of the frame that holds them.
    fn turn_root_first(
        &mut self,
        leaf_first: &[FrameIndex],
        builder: &mut ProfileBuilder,
        stack: &mut Vec<FrameId>,
    ) {
        stack.clear();
        let mut object = NO_OBJECT;
        for index in leaf_first.iter().rev() {
            let place = *index as usize;
            let Some(placed) = self.placed.get_mut(place) else { continue };
            if let Some(id) = placed.id {
                object = placed.object;
                stack.push(id);
                continue;
            }
            let Some(mut frame) = self.frames.get(place).copied() else { continue };
            let is_borrowed = frame.object == NO_OBJECT;
            if is_borrowed && frame.inlined {
                frame.object = object;
            }
            object = frame.object;
            frame = known_object(frame, builder);
            let id = builder.frame(frame);
            placed.id = (!is_borrowed).then_some(id);
            stack.push(id);
        }
    }
}

/// What an object's number is never.
const NO_OBJECT: ObjectIndex = ObjectIndex(u32::MAX);

fn known_object(mut frame: Frame, builder: &mut ProfileBuilder) -> Frame {
    if frame.object == NO_OBJECT {
        frame.object = builder.object(Object::unknown());
    }
    frame
}

impl Flaws {
    fn add_line(&mut self, line: LineFlaws) {
        self.unparsed += u32::from(line.is_unparsed);
        self.too_long += u32::from(line.is_too_long);
        self.not_utf8 += u32::from(line.is_not_utf8);
        self.skipped += u32::from(line.has_skipped);
    }

    fn add(&mut self, other: Self) {
        self.unparsed += other.unparsed;
        self.too_long += other.too_long;
        self.not_utf8 += other.not_utf8;
        self.skipped += other.skipped;
        self.doubled += other.doubled;
    }

    /// Whether there are none.
    pub(super) fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// As [`String::from_utf8_lossy`], which goes byte by byte through what is whole, too.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// `  t.c:8`, `  t.c:8 (inlined)`; perf prints `??:0` or `object[address]` where it does not know.
fn parse_source(text: &str, builder: &mut ProfileBuilder) -> SourceLine {
    let text = text.trim();
    let (text, inlined) = match text.strip_suffix("(inlined)") {
        Some(text) => (text.trim_end(), true),
        None => (text, false),
    };
    let is_known = !text.ends_with(']') && !text.starts_with("??");
    SourceLine { source: is_known.then(|| builder.string(text)), inlined }
}
