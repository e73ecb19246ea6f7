//! What a worker notes while it reads: counts by kind, and the first examples with their places.

use std::collections::BTreeMap;

use pdiff_profile::{NoteKind, Notes, Weight};

use super::excerpt;
use super::position::{LineNumbers, Position};

/// The notes of one worker; several are merged in the order of the text.
#[derive(Debug, Default)]
pub(super) struct NoteLog {
    kinds: BTreeMap<NoteKind, Entry>,
}

#[derive(Debug, Default)]
struct Entry {
    count: u64,
    weight: u64,
    examples: Vec<(Position, String)>,
}

impl NoteLog {
    /// Counts one more of `kind`, with the line as its example.
    pub(super) fn add(&mut self, kind: NoteKind, weight: u64, position: Position, line: &[u8]) {
        self.add_many(kind, 1, weight, position, || excerpt(line));
    }

    /// Counts several of `kind`, of which `position` is the first.
    pub(super) fn add_many(
        &mut self,
        kind: NoteKind,
        count: u64,
        weight: u64,
        position: Position,
        example: impl FnOnce() -> String,
    ) {
        let entry = self.kinds.entry(kind).or_default();
        entry.count = entry.count.saturating_add(count);
        entry.weight = entry.weight.saturating_add(weight);
        let is_early = entry.examples.last().is_none_or(|(last, _)| position < *last);
        if entry.examples.len() < Notes::MAX_EXAMPLES || is_early {
            entry.examples.push((position, example()));
            entry.keep_first_examples();
        }
    }

    /// Adds all of `other`.
    pub(super) fn merge(&mut self, other: Self) {
        for (kind, entry) in other.kinds {
            let mine = self.kinds.entry(kind).or_default();
            mine.count = mine.count.saturating_add(entry.count);
            mine.weight = mine.weight.saturating_add(entry.weight);
            mine.examples.extend(entry.examples);
            mine.keep_first_examples();
        }
    }

    /// How often `kind` was met.
    pub(super) fn count(&self, kind: NoteKind) -> u64 {
        self.kinds.get(&kind).map_or(0, |entry| entry.count)
    }

    /// The first examples of `kind`, with line numbers.
    pub(super) fn examples(&self, kind: NoteKind, numbers: &LineNumbers) -> Vec<Box<str>> {
        let examples = self.kinds.get(&kind).map_or([].as_slice(), |entry| &entry.examples);
        examples.iter().map(|(position, text)| example(*position, text, numbers).into()).collect()
    }

    /// The notes, with line numbers.
    pub(super) fn into_notes(self, numbers: &LineNumbers) -> Notes {
        let mut notes = Notes::new();
        for (kind, entry) in self.kinds {
            notes.add(kind, entry.count, Weight(entry.weight), String::new);
            for (position, text) in &entry.examples {
                notes.add(kind, 0, Weight::ZERO, || example(*position, text, numbers));
            }
        }
        notes
    }
}

impl Entry {
    fn keep_first_examples(&mut self) {
        self.examples.sort();
        self.examples.dedup();
        self.examples.truncate(Notes::MAX_EXAMPLES);
    }
}

fn example(position: Position, text: &str, numbers: &LineNumbers) -> String {
    format!("line {}: {text}", numbers.line_number(position))
}
