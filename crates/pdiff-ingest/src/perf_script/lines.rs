//! The different lines of stacks of all workers, read.

use std::borrow::Cow;

use super::memo::Memo;
use super::read_line::{FrameText, LineSays, NameIndex, ReadLine, SourceText};

/// Number of a line among those of all workers.
pub(super) type LineIndex = u32;

/// The lines that one worker read, and the names in them.
#[derive(Default)]
pub(super) struct PartLines {
    lines: Vec<ReadLine>,
    /// By line, see [`ReadLine::is_plain`].
    plain: Vec<bool>,
    names: Memo,
    has_inlined: bool,
}

impl PartLines {
    /// Makes room for so many lines.
    pub(super) fn with_capacity(lines: usize) -> Self {
        Self { lines: Vec::with_capacity(lines), plain: Vec::with_capacity(lines), ..Self::default() }
    }

    /// Reads a line.
    pub(super) fn read(&mut self, line: &[u8]) {
        let line = ReadLine::of(line, &mut self.names);
        self.has_inlined |= line.is_inlined();
        self.push(line);
    }

    /// Leaves the place of a line empty: it is that of no frame, or another worker read it.
    pub(super) fn leave_out(&mut self) {
        self.push(ReadLine::default());
    }

    fn push(&mut self, line: ReadLine) {
        self.plain.push(line.is_plain());
        self.lines.push(line);
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }
}

/// The lines of all workers, one worker's after the other's.
#[derive(Default)]
pub(super) struct Lines {
    parts: Vec<Part>,
    /// By line, see [`ReadLine::is_plain`]; apart, so that it stays in the cache.
    plain: Vec<bool>,
    name_count: usize,
    /// Whether any is marked `(inlined)`.
    pub(super) has_inlined: bool,
}

/// The lines and names of a worker, and the numbers of the first of each.
struct Part {
    first_line: LineIndex,
    lines: Vec<ReadLine>,
    first_name: NameIndex,
    names: Memo,
}

impl Lines {
    /// Adds the lines of the next worker.
    pub(super) fn add(&mut self, part: PartLines) {
        let number = |count| u32::try_from(count).expect("fewer than 2^32 lines fit in memory");
        let (first_line, first_name) = (number(self.plain.len()), number(self.name_count));
        self.plain.extend_from_slice(&part.plain);
        self.has_inlined |= part.has_inlined;
        self.name_count += part.names.texts().len();
        self.parts.push(Part { first_line, lines: part.lines, first_name, names: part.names });
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.plain.len()
    }

    /// Whether a line is a flawless frame with an object of its own.
    #[inline]
    pub(super) fn is_plain(&self, line: LineIndex) -> bool {
        self.plain.get(line as usize).is_some_and(|is_plain| *is_plain)
    }

    /// A line; one that says nothing if there is none of that number.
    pub(super) fn get(&self, line: LineIndex) -> ReadLine {
        let after = self.parts.partition_point(|part| part.first_line <= line);
        let part = after.checked_sub(1).and_then(|part| self.parts.get(part));
        let read = part.and_then(|part| {
            let read = part.lines.get((line - part.first_line) as usize)?;
            Some(read.with_names_from(part.first_name))
        });
        read.unwrap_or_default()
    }

    /// What a line says if it is a frame.
    pub(super) fn frame(&self, line: LineIndex) -> Option<FrameText> {
        if let LineSays::Frame(frame) = self.get(line).says { Some(frame) } else { None }
    }

    /// What a line says if it is a source position.
    pub(super) fn source(&self, line: LineIndex) -> Option<SourceText> {
        if let LineSays::Source(source) = self.get(line).says { Some(source) } else { None }
    }

    /// How many names there are.
    pub(super) fn name_count(&self) -> usize {
        self.name_count
    }

    /// A name.
    pub(super) fn name(&self, name: NameIndex) -> Cow<'_, str> {
        let after = self.parts.partition_point(|part| part.first_name <= name);
        let part = after.checked_sub(1).and_then(|part| self.parts.get(part));
        part.map_or(Cow::Borrowed(""), |part| {
            String::from_utf8_lossy(part.names.text(name - part.first_name))
        })
    }
}
