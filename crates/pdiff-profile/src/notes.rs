//! Notes: the counted imperfections of a stage, so that nothing is lost in silence.

use std::collections::BTreeMap;
use std::fmt;

use crate::weight::Weight;

/// The kind of imperfection. The text is stable, because JSON contains it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum NoteKind {
    /// A line that fits no known form.
    UnparsedLine,
    /// A sample at the end of input that lacks its frames or its last line.
    TruncatedSample,
    /// A column that `perf script -F` can print and pdiff has no use for.
    SkippedField,
    /// Bytes that are not UTF-8, replaced by U+FFFD.
    NotUtf8,
    /// A frame that perf printed twice (an inlined frame's outer symbol), dropped.
    DoubledFrame,
    /// A sample without a period: counted as one.
    NoPeriod,
    /// A sample without a time: it belongs to no time block.
    NoTime,
    /// A sample without any frame.
    NoFrames,
    /// Time stamps that go backwards by more than a second.
    TimeBackwards,
    /// Lost samples that perf reported (`PERF_RECORD_LOST`).
    LostSamples,
    /// Samples of other events in the same file, ignored.
    OtherEvent,
    /// Samples taken away by a filter.
    FilteredOut,
    /// A stack cut at the greatest depth kept.
    StackTooDeep,
    /// A line cut at the greatest length kept.
    LineTooLong,
    /// Debug information that could not be found or read.
    NoDebugInfo,
    /// An address that its object does not contain.
    AddressOutside,
    /// A cache file that was damaged and was recreated.
    CacheRebuilt,
    /// Function names matched by an alias or a looser level.
    LooseMatch,
    /// Several functions that share one name, or several candidates for one match.
    AmbiguousMatch,
    /// Two objects of different names taken for the two builds of one object.
    PairedObjects,
    /// An operation count that had to be rescaled.
    Rescaled,
    /// A record of a recording that is damaged or says what cannot be.
    DamagedRecord,
    /// A recording that ends before its end.
    CutRecording,
    /// Times when the kernel throttled sampling.
    Throttled,
    /// A recording without the build-ids of the binaries that ran.
    NoBuildIds,
    /// Kernel frames without a list of the kernel's functions.
    NoKernelSymbols,
    /// A file of code made at run time that could not be used.
    NoJitSymbols,
    /// Stacks that could not be unwound to their root.
    PartlyUnwound,
    /// A binary that neither a build-id nor the recording's own symbols confirm as the one that ran.
    IdentityNotVerified,
    /// Frames of a flame graph that were too narrow to draw.
    NarrowFrames,
    /// Samples whose chains hide a caller that the code shows; it was put back.
    CallersPutBack,
    /// Switches of threads that left the CPU twice without getting it back in between: the recording lost the return.
    LostReturns,
    /// Counts of folded or drawn stacks that cannot be numbers of samples.
    CountsNotSamples,
}

impl NoteKind {
    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnparsedLine => "unparsed-line",
            Self::TruncatedSample => "truncated-sample",
            Self::SkippedField => "skipped-field",
            Self::NotUtf8 => "not-utf8",
            Self::DoubledFrame => "doubled-frame",
            Self::NoPeriod => "no-period",
            Self::NoTime => "no-time",
            Self::NoFrames => "no-frames",
            Self::TimeBackwards => "time-backwards",
            Self::LostSamples => "lost-samples",
            Self::OtherEvent => "other-event",
            Self::FilteredOut => "filtered-out",
            Self::StackTooDeep => "stack-too-deep",
            Self::LineTooLong => "line-too-long",
            Self::NoDebugInfo => "no-debug-info",
            Self::AddressOutside => "address-outside",
            Self::CacheRebuilt => "cache-rebuilt",
            Self::LooseMatch => "loose-match",
            Self::AmbiguousMatch => "ambiguous-match",
            Self::PairedObjects => "paired-objects",
            Self::Rescaled => "rescaled",
            Self::DamagedRecord => "damaged-record",
            Self::CutRecording => "cut-recording",
            Self::Throttled => "throttled",
            Self::NoBuildIds => "no-build-ids",
            Self::NoKernelSymbols => "no-kernel-symbols",
            Self::NoJitSymbols => "no-jit-symbols",
            Self::PartlyUnwound => "partly-unwound",
            Self::IdentityNotVerified => "identity-not-verified",
            Self::NarrowFrames => "narrow-frames",
            Self::CallersPutBack => "callers-put-back",
            Self::LostReturns => "lost-returns",
            Self::CountsNotSamples => "counts-not-samples",
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One kind of imperfection: how often, how much weight it touches, and the first examples.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The kind.
    pub kind: NoteKind,
    /// How often it was met.
    pub count: u64,
    /// The sample weight it touches; zero if that is unknown.
    pub weight: Weight,
    /// The first examples with their place (`line 12: ...`), at most [`Notes::MAX_EXAMPLES`].
    pub examples: Vec<Box<str>>,
}

/// The notes of one stage, one entry per kind, in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notes {
    by_kind: BTreeMap<NoteKind, Note>,
}

impl Notes {
    /// How many examples a kind keeps.
    pub const MAX_EXAMPLES: usize = 3;

    /// No notes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts `count` more of `kind`; the example is made only while there is room for it.
    pub fn add(&mut self, kind: NoteKind, count: u64, weight: Weight, example: impl FnOnce() -> String) {
        let note = self.by_kind.entry(kind).or_insert_with(|| Note {
            kind,
            count: 0,
            weight: Weight::ZERO,
            examples: Vec::new(),
        });
        note.count = note.count.saturating_add(count);
        note.weight = note.weight.saturating_add(weight);
        if note.examples.len() < Self::MAX_EXAMPLES {
            let example = example().into_boxed_str();
            if !example.is_empty() && !note.examples.contains(&example) {
                note.examples.push(example);
            }
        }
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Self) {
        for note in other.iter() {
            self.add(note.kind, note.count, note.weight, String::new);
            for example in &note.examples {
                self.add(note.kind, 0, Weight::ZERO, || example.to_string());
            }
        }
    }

    /// The note of one kind, if it was met.
    #[must_use]
    pub fn get(&self, kind: NoteKind) -> Option<&Note> {
        self.by_kind.get(&kind)
    }

    /// All notes, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = &Note> {
        self.by_kind.values()
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_kind.is_empty()
    }
}

/// Notes of one kind each; if a kind occurs twice, the later note is kept.
impl FromIterator<Note> for Notes {
    fn from_iter<I: IntoIterator<Item = Note>>(notes: I) -> Self {
        Self { by_kind: notes.into_iter().map(|note| (note.kind, note)).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_notes_keep_the_first_examples_each_once() {
        let notes = |examples: &[&str]| {
            let mut notes = Notes::new();
            examples.iter().for_each(|text| notes.add(NoteKind::NoTime, 1, Weight(2), || text.to_string()));
            notes
        };
        let mut merged = notes(&["a", "b"]);
        merged.merge(&notes(&["b", "c", "d"]));
        let note = merged.get(NoteKind::NoTime).unwrap();
        assert_eq!((note.count, note.weight), (5, Weight(10)));
        assert_eq!(note.examples, ["a".into(), "b".into(), "c".into()]);
    }
}
