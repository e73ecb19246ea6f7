//! What one line of a stack says: a frame, or the source position of the frame before it.
//!
//! A line is read once, or by each worker that met it where the first did not, whatever number of stacks it is in, and
//! without the profile in the making, so that the lines of several workers are read at once. `  t.c:8` under a frame is its
//! source position, and ends in ` (inlined)` for inlined frames.

use pdiff_profile::RawAddr;

use super::blocks::MAX_LINE_BYTES;
use super::frame_line;
use super::memo::Memo;

/// Number of a name: of a symbol, an object or a source position.
pub(super) type NameIndex = u32;

/// The contents of a line of a stack.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct ReadLine {
    pub(super) says: LineSays,
    pub(super) flaws: LineFlaws,
}

/// What a line says.
#[derive(Clone, Copy, Default, Debug)]
pub(super) enum LineSays {
    /// A frame.
    Frame(FrameText),
    /// Where the frame before it is in the source.
    Source(SourceText),
    /// Source code, which is not kept, or nothing that is known.
    #[default]
    Nothing,
}

/// A frame line.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameText {
    pub(super) addr: RawAddr,
    pub(super) symbol: Option<NameIndex>,
    pub(super) symbol_offset: Option<u64>,
    pub(super) object: Option<NameIndex>,
    pub(super) inlined: bool,
}

/// A source position; perf does not always know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceText {
    pub(super) source: Option<NameIndex>,
    pub(super) inlined: bool,
}

/// Imperfections of a line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct LineFlaws {
    pub(super) is_unparsed: bool,
    pub(super) is_too_long: bool,
    pub(super) is_not_utf8: bool,
    pub(super) has_skipped: bool,
}

impl ReadLine {
    /// Reads one line; its names are numbered by `names`.
    pub(super) fn of(line: &[u8], names: &mut Memo) -> Self {
        let mut flaws = LineFlaws::default();
        let line = match line.get(..MAX_LINE_BYTES) {
            Some(kept) if line.len() > MAX_LINE_BYTES => {
                flaws.is_too_long = true;
                kept
            }
            _ => line,
        };
        flaws.is_not_utf8 = std::str::from_utf8(line).is_err();
        if line.starts_with(b"|") {
            return Self { says: LineSays::Nothing, flaws: LineFlaws { has_skipped: true, ..flaws } };
        }
        if line.starts_with(b"  ") && line.get(2) != Some(&b' ') {
            let source = read_source(&String::from_utf8_lossy(line), names);
            return Self { says: LineSays::Source(source), flaws };
        }
        let Some(frame) = frame_line::parse(line) else {
            return Self { says: LineSays::Nothing, flaws: LineFlaws { is_unparsed: true, ..flaws } };
        };
        flaws.has_skipped = frame.has_skipped;
        let mut name = |text| names.intern(text).0;
        let frame = FrameText {
            addr: RawAddr(frame.addr),
            symbol: frame.symbol.map(&mut name),
            symbol_offset: frame.offset,
            object: frame.object.map(&mut name),
            inlined: frame.inlined,
        };
        Self { says: LineSays::Frame(frame), flaws }
    }

    /// The same where the first name has the number `first`.
    pub(super) fn with_names_from(mut self, first: NameIndex) -> Self {
        let names = match &mut self.says {
            LineSays::Frame(frame) => [frame.symbol.as_mut(), frame.object.as_mut()],
            LineSays::Source(source) => [source.source.as_mut(), None],
            LineSays::Nothing => [None, None],
        };
        names.into_iter().flatten().for_each(|name| *name += first);
        self
    }

    /// Whether perf marked it `(inlined)`.
    pub(super) fn is_inlined(&self) -> bool {
        match self.says {
            LineSays::Frame(frame) => frame.inlined,
            LineSays::Source(source) => source.inlined,
            LineSays::Nothing => false,
        }
    }

    /// Whether it is a flawless frame with an object of its own: as nearly all are.
    pub(super) fn is_plain(&self) -> bool {
        let is_whole = matches!(self.says, LineSays::Frame(FrameText { object: Some(_), .. }));
        is_whole && self.flaws == LineFlaws::default()
    }
}

/// `  t.c:8`, `  t.c:8 (inlined)`; perf prints `??:0` or `object[address]` where it does not know.
fn read_source(text: &str, names: &mut Memo) -> SourceText {
    let text = text.trim();
    let (text, inlined) = match text.strip_suffix("(inlined)") {
        Some(text) => (text.trim_end(), true),
        None => (text, false),
    };
    let is_known = !text.ends_with(']') && !text.starts_with("??");
    SourceText { source: is_known.then(|| names.intern(text.as_bytes()).0), inlined }
}
