//! The different lines of stacks of all workers, read.

use std::borrow::Cow;

use super::memo::Memo;
use super::read_line::{FrameText, LineSays, NameIndex, ReadLine, SourceText};

/// Number of a line among those of all workers.
pub(super) type LineIndex = u32;

/// The lines that one worker read, and the names in them.
#[derive(Default)]
pub(super) struct PartLines {
    /// The number of the first.
    first: LineIndex,
    lines: Vec<ReadLine>,
    /// By line, see [`ReadLine::is_plain`].
    plain: Vec<bool>,
    names: Memo,
    has_inlined: bool,
}

impl PartLines {
    /// Lines that are numbered from `first` on. The numbers below are those of other workers' lines, who may need fewer.
    pub(super) fn numbered_from(first: LineIndex) -> Self {
        Self { first, ..Self::default() }
    }

    /// Makes room for so many lines.
    pub(super) fn reserve(&mut self, lines: usize) {
        self.lines.reserve(lines);
        self.plain.reserve(lines);
    }

    /// Reads a line, and tells its number. The empty line is that of no frame.
    pub(super) fn read(&mut self, line: &[u8]) -> LineIndex {
        let number =
            self.first + u32::try_from(self.lines.len()).expect("fewer than 2^32 lines fit in memory");
        let line = if line.is_empty() { ReadLine::default() } else { ReadLine::of(line, &mut self.names) };
        self.has_inlined |= line.is_inlined();
        self.plain.push(line.is_plain());
        self.lines.push(line);
        number
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
        let first_name = u32::try_from(self.name_count).expect("fewer than 2^32 names fit in memory");
        // Numbers that are not used are those of lines that say nothing.
        self.plain.resize(part.first as usize, false);
        self.plain.extend_from_slice(&part.plain);
        self.has_inlined |= part.has_inlined;
        self.name_count += part.names.texts().len();
        self.parts.push(Part { first_line: part.first, lines: part.lines, first_name, names: part.names });
    }

    /// How many numbers of lines there are.
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

    /// The contents of a line that is a frame.
    pub(super) fn frame(&self, line: LineIndex) -> Option<FrameText> {
        if let LineSays::Frame(frame) = self.get(line).says { Some(frame) } else { None }
    }

    /// The contents of a line that is a source position.
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
