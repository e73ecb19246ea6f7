//! From the lines of a sample to a stack: the one place where perf's order, leaf first, is turned to root first.
//!
//! A line is parsed once for each worker that met it, whatever number of stacks it stands in.
//!
//! - An `(inlined)` frame has no object of its own: it gets that of the first frame above it that has one.
//! - Where perf expands inlined functions it prints some frames twice (same address, same symbol, one above the other).
//!   The second is dropped if the recording has `(inlined)` frames at all; otherwise two such frames are a recursion.
//! - `  t.c:8` under a frame is its source position, and ends in ` (inlined)` for inlined frames.

use std::borrow::Cow;
use std::ops::Range;

use pdiff_profile::{Frame, FrameId, Object, ObjectIndex, ProfileBuilder, RawAddr, StringId};

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

/// The frames of a text and what was imperfect in it.
#[derive(Clone, Default, Debug)]
pub(super) struct ParsedText {
    /// Where its frames stand in [`ChainParser::texts`], leaf first.
    frames: Range<usize>,
    /// The text begins with the source position of a frame before it.
    source_before: Option<SourceLine>,
    /// What to note for each sample with this text.
    flaws: Flaws,
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

/// A line of a stack, and what was imperfect in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParsedLine {
    says: LineFacts,
    flaws: Flaws,
}

#[derive(Clone, Copy, Debug)]
enum LineFacts {
    Frame(FrameIndex),
    Source(SourceLine),
    /// Source code, which is not kept.
    Code,
    Unparsed,
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
    has_inlined: bool,
    /// The object that was named last: most lines name the one before.
    last_object: Option<(Box<[u8]>, ObjectIndex)>,
    /// Kept for its memory.
    leaf_first: Vec<FrameIndex>,
}

impl ChainParser {
    /// Parses one line.
    pub(super) fn line(&mut self, line: &[u8], builder: &mut ProfileBuilder) -> ParsedLine {
        let (text, flaws) = self.parse_line(line, builder);
        let says = match text {
            LineText::Frame(frame) => LineFacts::Frame(self.push(frame)),
            LineText::Source(source) => LineFacts::Source(source),
            LineText::Code => LineFacts::Code,
            LineText::Unparsed => LineFacts::Unparsed,
        };
        ParsedLine { says, flaws }
    }

    /// Puts the lines of a text together, leaf first.
    pub(super) fn text(&mut self, lines: impl Iterator<Item = ParsedLine>) -> ParsedText {
        let start = self.texts.len();
        let mut parsed = ParsedText::default();
        for line in lines {
            parsed.flaws.add(line.flaws);
            match line.says {
                LineFacts::Frame(frame) => self.texts.push(frame),
                LineFacts::Source(source) if self.texts.len() == start => parsed.source_before = Some(source),
                LineFacts::Source(source) => {
                    let frame = self.texts.pop().map(|frame| self.with_source(frame, source));
                    self.texts.extend(frame);
                }
                LineFacts::Code | LineFacts::Unparsed => {}
            }
        }
        self.has_inlined |= parsed.source_before.is_some_and(|source| source.inlined);
        ParsedText { frames: start..self.texts.len(), ..parsed }
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
        let mut flaws = leaf.flaws;
        flaws.add(tail.flaws);
        let mut frames = std::mem::take(&mut self.leaf_first);
        frames.clear();
        frames.extend_from_slice(self.texts.get(leaf.frames.clone()).unwrap_or(&[]));
        if let (Some(frame), Some(source)) = (frames.last_mut(), tail.source_before) {
            *frame = self.with_source(*frame, source);
        }
        frames.extend_from_slice(self.texts.get(tail.frames.clone()).unwrap_or(&[]));
        if self.has_inlined {
            flaws.doubled += self.drop_doubled(&mut frames);
        }
        self.turn_root_first(&frames, builder, stack);
        self.leaf_first = frames;
        flaws
    }

    fn parse_line(&mut self, line: &[u8], builder: &mut ProfileBuilder) -> (LineText, Flaws) {
        let mut flaws = Flaws::default();
        let line = match line.get(..MAX_LINE_BYTES) {
            Some(kept) if line.len() > MAX_LINE_BYTES => {
                flaws.too_long = 1;
                kept
            }
            _ => line,
        };
        let text = lossy(line);
        flaws.not_utf8 = u32::from(matches!(text, Cow::Owned(_)));
        if line.starts_with(b"|") {
            return (LineText::Code, Flaws { skipped: 1, ..flaws });
        }
        if line.starts_with(b"  ") && line.get(2) != Some(&b' ') {
            return (LineText::Source(parse_source(&text, builder)), flaws);
        }
        let Some(frame) = frame_line::parse(line) else {
            return (LineText::Unparsed, Flaws { unparsed: 1, ..flaws });
        };
        flaws.skipped = u32::from(frame.has_skipped);
        let object = frame.object.map_or(NO_OBJECT, |object| self.object(object, builder));
        let frame = Frame {
            addr: Some(RawAddr(frame.addr)),
            symbol: frame.symbol.map(|symbol| builder.string(&lossy(symbol))),
            symbol_offset: frame.offset,
            object,
            source: None,
            inlined: frame.inlined,
        };
        (LineText::Frame(frame), flaws)
    }

    fn object(&mut self, text: &[u8], builder: &mut ProfileBuilder) -> ObjectIndex {
        if let Some((_, index)) = self.last_object.as_ref().filter(|(last, _)| **last == *text) {
            return *index;
        }
        let index = builder.object(Object::from_text(&lossy(text)));
        self.last_object = Some((text.into(), index));
        index
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

enum LineText {
    Frame(Frame),
    Source(SourceLine),
    Code,
    Unparsed,
}

impl Flaws {
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
