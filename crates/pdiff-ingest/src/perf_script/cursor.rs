//! Going through a block line by line, with the line count.

use pdiff_profile::StackTable;

/// The rest of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    /// What has not been read.
    pub(super) rest: &'a [u8],
    /// Lines read.
    pub(super) line: u32,
}

/// Lines that belong to a call chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ChainExtent {
    /// Their bytes, the last line's end included.
    pub(super) bytes: usize,
    /// Their number.
    pub(super) lines: u32,
    /// The bytes of as many of them as are kept of a stack above its leaf.
    pub(super) kept_bytes: usize,
}

impl<'a> Cursor<'a> {
    /// At the start of a block.
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text, line: 0 }
    }

    /// The next line without its end.
    #[inline]
    pub(super) fn next_line(&mut self) -> Option<&'a [u8]> {
        let line = self.peek_line()?;
        self.rest = self.rest.get(line.len() + 1..).unwrap_or(b"");
        self.line += 1;
        Some(line)
    }

    /// The next line without its end, not taken.
    #[inline]
    pub(super) fn peek_line(&self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let len = memchr::memchr(b'\n', self.rest).unwrap_or(self.rest.len());
        self.rest.get(..len)
    }

    /// Whether the next line is a frame of a chain.
    #[inline]
    pub(super) fn is_at_frame(&self) -> bool {
        self.rest.first() == Some(&b'\t')
    }

    /// Takes `bytes` bytes that hold `lines` lines.
    #[inline]
    pub(super) fn take(&mut self, bytes: usize, lines: u32) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, b""));
        self.rest = rest;
        self.line += lines;
        taken
    }

    /// The lines from here on that belong to a chain.
    pub(super) fn chain_extent(&self) -> ChainExtent {
        let mut rest = *self;
        let mut extent = ChainExtent { bytes: 0, lines: 0, kept_bytes: 0 };
        while is_chain_line(rest.rest) && rest.next_line().is_some() {
            extent.lines += 1;
            extent.bytes = self.rest.len() - rest.rest.len();
            if (extent.lines as usize) < StackTable::MAX_DEPTH {
                extent.kept_bytes = extent.bytes;
            }
        }
        extent
    }

    /// Takes this line and the source text (`|8    text`) after it, if there is some.
    pub(super) fn take_source_lines(&mut self) -> &'a [u8] {
        let mut end = *self;
        end.next_line();
        while end.rest.first() == Some(&b'|') {
            end.next_line();
        }
        self.take(self.rest.len() - end.rest.len(), end.line - self.line)
    }
}

/// Whether a line is a frame, or says where in the source the frame before it is.
fn is_chain_line(line: &[u8]) -> bool {
    line.first() == Some(&b'\t') || is_source_line(line)
}

/// `  t.c:8` of the `srcline` field, `|8    text` of `srccode`.
fn is_source_line(line: &[u8]) -> bool {
    matches!(line, [b' ', b' ', byte, ..] if !byte.is_ascii_whitespace()) || line.first() == Some(&b'|')
}
