//! The subject of a fact: [`EvidenceKind`].

use std::fmt;

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EvidenceKind {
    /// Shares and their intervals.
    Weight,
    /// A build's code of the function.
    Code,
    /// What differs in the code of both builds, by their files.
    Diff,
    /// Where it is inlined.
    Inlined,
    /// Its callers in the code.
    Call,
    /// A caller in which it is inlined on one side and called on the other.
    Flip,
    /// Callers or callees of it in the sampled stacks.
    Sampled,
    /// How it was found on both sides.
    Match,
    /// Weight that moved inside its family, and the real change.
    Family,
    /// Source file.
    Source,
    /// Compilers.
    Compiler,
    /// Call counts.
    Counts,
    /// Busy waiting.
    Spin,
    /// A setting that is not the same on both sides.
    Settings,
    /// A rule of the user's.
    Rule,
    /// What is missing.
    Missing,
}

impl EvidenceKind {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Weight => "weight",
            Self::Code => "code",
            Self::Diff => "diff",
            Self::Inlined => "inlined",
            Self::Call => "call",
            Self::Flip => "flip",
            Self::Sampled => "sampled",
            Self::Match => "match",
            Self::Family => "family",
            Self::Source => "source",
            Self::Compiler => "compiler",
            Self::Counts => "counts",
            Self::Spin => "spin",
            Self::Settings => "settings",
            Self::Rule => "rule",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
