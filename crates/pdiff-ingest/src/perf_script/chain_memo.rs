//! The frames under a header as two numbers: the text of the leaf line, and the text of the lines above it.
//!
//! Where a chain ends with a blank line, as all do unless columns like `iregs` are printed, the text up to the next blank
//! line is looked up as a whole. What is not known is gone through line by line, once.

use memchr::memmem::Finder;
use pdiff_profile::NoteKind;

use super::cursor::Cursor;
use super::header_line;
use super::memo::{Memo, TextId};
use super::note_log::NoteLog;
use super::position::Position;
use super::tail_memo::TailMemo;

/// How far the blank line that ends a chain is looked for before the chain is read line by line.
const TAIL_WINDOW_BYTES: usize = 256 << 10;

/// The text of no leaf or no callers.
pub(super) const NO_TEXT: TextId = 0;

/// The sample whose chain is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its header line.
    pub(super) position: Position,
    /// Its weight.
    pub(super) weight: u64,
    /// The block is the end of the input, and not one cut off in a line.
    pub(super) is_end_whole: bool,
}

/// The texts of leaves and of their callers.
#[derive(Default)]
pub(super) struct ChainTexts {
    /// Leaf lines; the first is that of samples without frames.
    pub(super) leaves: Memo,
    /// The lines above a leaf; the first is that of none.
    pub(super) tails: TailMemo,
}

/// The texts of leaves and of their callers while they are read.
pub(super) struct ChainMemo {
    texts: ChainTexts,
    blank_line: Finder<'static>,
    /// Whether the last chain ended with a blank line (and not with columns to skip).
    ends_blank: bool,
}

impl ChainMemo {
    /// Knows only [`NO_TEXT`].
    pub(super) fn new() -> Self {
        let mut texts = ChainTexts::default();
        texts.leaves.intern(b"");
        texts.tails.intern(b"");
        Self { texts, blank_line: Finder::new(b"\n\n"), ends_blank: true }
    }

    /// The texts.
    pub(super) fn into_texts(self) -> ChainTexts {
        self.texts
    }

    /// The frames of a chain, and the one line that ends it: blank, or columns to skip.
    #[inline]
    pub(super) fn read_chain(
        &mut self,
        cursor: &mut Cursor<'_>,
        place: Place,
        log: &mut NoteLog,
    ) -> (TextId, TextId) {
        let leaf = cursor.next_line().unwrap_or(b"");
        let leaf = self.texts.leaves.intern(leaf).0;
        let known = if self.ends_blank { self.known_tail(cursor) } else { None };
        if let Some(tail) = known {
            return (leaf, tail);
        }
        let tail = self.tail_by_lines(cursor, place, log);
        self.end_of_chain(cursor, place, log);
        (leaf, tail)
    }

    /// The lines up to the next blank line, if they are those of a known chain.
    #[inline]
    fn known_tail(&self, cursor: &mut Cursor<'_>) -> Option<TextId> {
        if cursor.rest.first() == Some(&b'\n') {
            cursor.take(1, 1);
            return Some(NO_TEXT);
        }
        let window = cursor.rest.get(..TAIL_WINDOW_BYTES).unwrap_or(cursor.rest);
        let end = self.blank_line.find(window)? + 1;
        let (tail, lines) = self.texts.tails.find(cursor.rest.get(..end)?)?;
        cursor.take(end + 1, lines + 1);
        Some(tail)
    }

    fn tail_by_lines(&mut self, cursor: &mut Cursor<'_>, place: Place, log: &mut NoteLog) -> TextId {
        let extent = cursor.chain_extent();
        if extent.kept_bytes < extent.bytes {
            log.add(NoteKind::StackTooDeep, place.weight, place.position, b"a stack of a sample");
        }
        let text = cursor.take(extent.bytes, extent.lines);
        self.texts.tails.intern(text.get(..extent.kept_bytes).unwrap_or(text))
    }

    fn end_of_chain(&mut self, cursor: &mut Cursor<'_>, place: Place, log: &mut NoteLog) {
        self.ends_blank = false;
        match cursor.peek_line() {
            Some(line) if line.trim_ascii().is_empty() => {
                self.ends_blank = line.is_empty();
                cursor.next_line();
            }
            Some([b' ', ..]) => {
                log.add(NoteKind::SkippedField, place.weight, place.position, b"columns after the frames");
                cursor.next_line();
            }
            None if place.is_end_whole => {
                let example = b"the last sample lacks the blank line that ends it";
                log.add(NoteKind::TruncatedSample, place.weight, place.position, example);
            }
            _ => {}
        }
    }

    /// The frame of a sample without a call chain, and the source lines below it. A source line starts with two spaces, and what
    /// follows does not look like a sample.
    #[inline]
    pub(super) fn read_flat(&mut self, frame: &[u8], cursor: &mut Cursor<'_>) -> (TextId, TextId) {
        (self.texts.leaves.intern(frame).0, self.source_of_flat(cursor))
    }

    #[inline]
    fn source_of_flat(&mut self, cursor: &mut Cursor<'_>) -> TextId {
        let is_source = match cursor.rest {
            [b'|', ..] => true,
            [b' ', b' ', byte, ..] if *byte != b' ' => {
                let line = cursor.peek_line().unwrap_or(b"");
                header_line::parse(line).is_none_or(|header| header.needs_frames)
            }
            _ => false,
        };
        if !is_source {
            return NO_TEXT;
        }
        self.texts.tails.intern(cursor.take_source_lines())
    }
}
