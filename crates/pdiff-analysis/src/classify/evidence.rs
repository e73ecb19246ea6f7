//! One checked fact, and the side it is of.

use pdiff_profile::Side;

use super::evidence_kind::EvidenceKind;
use super::fact::Fact;

/// One fact.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    /// The side it is of; `None` for both.
    pub side: Option<Side>,
    /// What was checked.
    pub fact: Fact,
}

impl Evidence {
    /// What it is about.
    #[must_use]
    pub fn kind(&self) -> EvidenceKind {
        self.fact.kind()
    }

    /// A fact of one side.
    pub(super) fn of(side: Side, fact: Fact) -> Self {
        Self { side: Some(side), fact }
    }
}

impl From<Fact> for Evidence {
    fn from(fact: Fact) -> Self {
        Self { side: None, fact }
    }
}
