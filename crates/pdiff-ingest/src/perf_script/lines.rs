//! The different lines of stacks of all workers, read.

use std::borrow::Cow;

use super::memo::Memo;
use super::read_line::{FrameText, LineSays, NameIndex, ReadLine, SourceText};

/// Number of a line among those of all workers.
pub(super) type LineIndex = u32;

/// The lines that one worker read, and the names in them.
#[derive(Default)]
pub(super) struct PartLines {
    /// With nothing in the places of those that another worker read.
    pub(super) lines: Vec<ReadLine>,
    pub(super) names: Memo,
}

/// The lines of all workers, one worker's after the other's.
#[derive(Default)]
pub(super) struct Lines {
    lines: Vec<ReadLine>,
    /// By line, see [`ReadLine::is_plain`]; apart, so that it stays in the cache.
    plain: Vec<bool>,
    /// By part; the first name of each has the number that stands beside it.
    names: Vec<(NameIndex, Memo)>,
    name_count: usize,
    /// Whether any is marked `(inlined)`.
    pub(super) has_inlined: bool,
}

impl Lines {
    /// Adds the lines of the next worker.
    pub(super) fn add(&mut self, mut part: PartLines) {
        let first = NameIndex::try_from(self.name_count).expect("fewer than 2^32 names fit in memory");
        if first > 0 {
            part.lines.iter_mut().for_each(|line| line.shift_names(first));
        }
        self.plain.extend(part.lines.iter().map(ReadLine::is_plain));
        self.has_inlined |= part.lines.iter().any(ReadLine::is_inlined);
        match self.lines.is_empty() {
            true => self.lines = part.lines,
            false => self.lines.append(&mut part.lines),
        }
        self.name_count += part.names.texts().len();
        self.names.push((first, part.names));
    }

    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether a line is a flawless frame with an object of its own.
    #[inline]
    pub(super) fn is_plain(&self, line: LineIndex) -> bool {
        self.plain.get(line as usize).is_some_and(|is_plain| *is_plain)
    }

    /// A line; one that says nothing if there is none of that number.
    pub(super) fn get(&self, line: LineIndex) -> ReadLine {
        self.lines.get(line as usize).copied().unwrap_or_default()
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
        let after = self.names.partition_point(|(first, _)| *first <= name);
        let of_part = after.checked_sub(1).and_then(|part| self.names.get(part));
        of_part.map_or(Cow::Borrowed(""), |(first, names)| String::from_utf8_lossy(names.text(name - first)))
    }
}
