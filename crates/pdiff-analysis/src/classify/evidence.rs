//! One checked fact with its numbers.

use std::fmt;

use pdiff_profile::Side;

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EvidenceKind {
    /// Shares and their intervals.
    Weight,
    /// What a build holds of the function.
    Code,
    /// Where it is inlined.
    Inlined,
    /// Who calls it in the code.
    Call,
    /// A caller in which it is inlined on one side and called on the other.
    Flip,
    /// Who calls it, or what it calls, in the sampled stacks.
    Sampled,
    /// How it was found on both sides.
    Match,
    /// What moved inside its family, and what is real.
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

/// One fact.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    /// What it is about.
    pub kind: EvidenceKind,
    /// The side it is of; `None` for both.
    pub side: Option<Side>,
    /// In words.
    pub text: String,
    /// Its numbers, by name.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Evidence {
    /// A fact of both sides.
    pub(super) fn new(kind: EvidenceKind, text: impl Into<String>) -> Self {
        Self { kind, side: None, text: text.into(), numbers: Vec::new() }
    }

    /// The fact as one of a side.
    pub(super) fn of(mut self, side: Side) -> Self {
        self.side = Some(side);
        self
    }

    /// The fact with numbers; what is not finite is left out.
    pub(super) fn with(mut self, numbers: &[(&'static str, f64)]) -> Self {
        self.numbers.extend(numbers.iter().filter(|(_, value)| value.is_finite()));
        self
    }
}
