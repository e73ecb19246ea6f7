//! The kinds of files that a run has.

use crate::content_id::ContentId;

/// A kind of file that each run has one of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// Weights by block, thread, event and stack.
    Samples,
    /// The frames of stacks, root first.
    Stacks,
    /// The function, file and line of frames.
    Frames,
    /// The names of functions.
    Functions,
    /// Packs: not a table, but the run as pdiff reads it.
    Packs,
    /// What is known of a run, and its sums.
    Runs,
}

impl Table {
    /// All of them in the order in which they are written: a run is there when its last file is.
    pub const ALL: [Self; 6] =
        [Self::Functions, Self::Frames, Self::Stacks, Self::Samples, Self::Packs, Self::Runs];

    /// The name of its directory.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Stacks => "stacks",
            Self::Frames => "frames",
            Self::Functions => "functions",
            Self::Packs => "packs",
            Self::Runs => "runs",
        }
    }

    pub(crate) fn file_name(self, id: ContentId) -> String {
        format!("run-{id}.{}", self.extension())
    }

    fn extension(self) -> &'static str {
        if self == Self::Packs { "pdiff" } else { "parquet" }
    }

    /// The run whose file this is, by its name.
    pub(crate) fn id_of(self, file_name: &str) -> Option<ContentId> {
        let stem = file_name.strip_prefix("run-")?.strip_suffix(self.extension())?.strip_suffix('.')?;
        ContentId::from_text(stem)
    }
}
