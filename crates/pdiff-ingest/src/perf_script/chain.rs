//! From the lines of a sample to a stack: the one place where perf's order, leaf first, is turned to root first.
//!
//! Lines are parsed once each, whatever number of stacks they stand in.
//!
//! - An `(inlined)` frame has no object of its own: it gets that of the first frame above it that has one.
//! - Where perf expands inlined functions it prints some frames twice (same address, same symbol, one above the other).
//!   The second is dropped if the recording has `(inlined)` frames at all; otherwise two such frames are a recursion.
//! - `  t.c:8` under a frame is its source position, and ends in ` (inlined)` for inlined frames.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use pdiff_profile::{Frame, FrameId, Object, ObjectIndex, ProfileBuilder, RawAddr, StringId};

use super::blocks::MAX_LINE_BYTES;
use super::frame_line;

/// A frame line, parsed and interned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ParsedFrame {
    addr: RawAddr,
    symbol: Option<StringId>,
    offset: Option<u64>,
    object: Option<ObjectIndex>,
    source: Option<StringId>,
    inlined: bool,
}

/// The frames of a text, leaf first, and what was imperfect in it.
#[derive(Clone, Default, Debug)]
pub(super) struct ParsedText {
    frames: Vec<ParsedFrame>,
    /// The text begins with the source position of a frame before it.
    source_before: Option<SourceLine>,
    /// What to note for each sample with this text.
    pub(super) flaws: Flaws,
}

/// Imperfections, counted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
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

#[derive(Clone, Copy)]
enum ParsedLine {
    Frame(ParsedFrame),
    Source(SourceLine),
    /// Source code, which is not kept.
    Code,
    Unparsed,
}

/// Parses the lines of stacks.
#[derive(Default)]
pub(super) struct ChainParser<'t> {
    lines: HashMap<&'t [u8], (ParsedLine, Flaws), FixedState>,
    has_inlined: bool,
}

impl<'t> ChainParser<'t> {
    /// Parses the lines of a text, leaf first.
    pub(super) fn parse(&mut self, text: &'t [u8], builder: &mut ProfileBuilder) -> ParsedText {
        let mut parsed = ParsedText::default();
        let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        for line in lines {
            let (line, flaws) = *self.lines.entry(line).or_insert_with(|| parse_line(line, builder));
            parsed.flaws.add(flaws);
            match line {
                ParsedLine::Frame(frame) => parsed.frames.push(frame),
                ParsedLine::Source(source) => match parsed.frames.last_mut() {
                    Some(frame) => frame.set_source(source),
                    None => parsed.source_before = Some(source),
                },
                ParsedLine::Code | ParsedLine::Unparsed => {}
            }
        }
        let is_inlined_before = parsed.source_before.is_some_and(|source| source.inlined);
        self.has_inlined |= is_inlined_before || parsed.frames.iter().any(|frame| frame.inlined);
        parsed
    }

    /// Puts the stack of a leaf and its callers into `stack`, root first, and returns its flaws. All texts must have been
    /// parsed before the first call.
    pub(super) fn assemble(
        &self,
        leaf: &ParsedText,
        tail: &ParsedText,
        builder: &mut ProfileBuilder,
        stack: &mut Vec<FrameId>,
    ) -> Flaws {
        let mut flaws = leaf.flaws;
        flaws.add(tail.flaws);
        let mut frames = leaf.frames.clone();
        if let (Some(frame), Some(source)) = (frames.last_mut(), tail.source_before) {
            frame.set_source(source);
        }
        frames.extend_from_slice(&tail.frames);
        if self.has_inlined {
            flaws.doubled += drop_doubled(&mut frames);
        }
        stack.clear();
        let mut object = None;
        for frame in frames.iter().rev() {
            object = frame.object.or(object.filter(|_| frame.inlined));
            let frame = frame.finish(object, builder);
            stack.push(builder.frame(frame));
        }
        flaws
    }
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

impl ParsedFrame {
    fn set_source(&mut self, source: SourceLine) {
        self.source = source.source;
        self.inlined |= source.inlined;
    }

    fn finish(self, object: Option<ObjectIndex>, builder: &mut ProfileBuilder) -> Frame {
        Frame {
            addr: Some(self.addr),
            symbol: self.symbol,
            symbol_offset: self.offset,
            object: object.unwrap_or_else(|| builder.object(Object::unknown())),
            source: self.source,
            inlined: self.inlined,
        }
    }
}

/// Drops the second of two frames of one function at one address; of a marked and an unmarked one, the unmarked stays.
fn drop_doubled(frames: &mut Vec<ParsedFrame>) -> u32 {
    let before = frames.len();
    frames.dedup_by(|outer, inner| {
        let is_same = outer.addr == inner.addr && outer.symbol.is_some() && outer.symbol == inner.symbol;
        if is_same && inner.inlined && !outer.inlined {
            *inner = ParsedFrame { source: inner.source.or(outer.source), ..*outer };
        }
        is_same
    });
    u32::try_from(before - frames.len()).unwrap_or(u32::MAX)
}

fn parse_line(line: &[u8], builder: &mut ProfileBuilder) -> (ParsedLine, Flaws) {
    let mut flaws = Flaws::default();
    let line = match line.get(..MAX_LINE_BYTES) {
        Some(kept) if line.len() > MAX_LINE_BYTES => {
            flaws.too_long = 1;
            kept
        }
        _ => line,
    };
    let text = String::from_utf8_lossy(line);
    flaws.not_utf8 = u32::from(matches!(text, std::borrow::Cow::Owned(_)));
    if line.starts_with(b"|") {
        return (ParsedLine::Code, Flaws { skipped: 1, ..flaws });
    }
    if line.starts_with(b"  ") && line.get(2) != Some(&b' ') {
        return (ParsedLine::Source(parse_source(&text, builder)), flaws);
    }
    let Some(frame) = frame_line::parse(line) else {
        return (ParsedLine::Unparsed, Flaws { unparsed: 1, ..flaws });
    };
    flaws.skipped = u32::from(frame.has_skipped);
    let frame = ParsedFrame {
        addr: RawAddr(frame.addr),
        symbol: frame.symbol.map(|symbol| builder.string(&String::from_utf8_lossy(symbol))),
        offset: frame.offset,
        object: frame
            .object
            .map(|object| builder.object(Object::from_text(&String::from_utf8_lossy(object)))),
        source: None,
        inlined: frame.inlined,
    };
    (ParsedLine::Frame(frame), flaws)
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
