//! [`Matching`]: the pairs of functions of two builds.

use pdiff_profile::Side;
use pdiff_profile::census::FunctionId;
use rustc_hash::FxHashMap;

use super::level::FoundBy;

/// A function of Before and the same of After.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Match {
    /// In Before's census.
    pub before: FunctionId,
    /// In After's census.
    pub after: FunctionId,
    /// How the pair was found.
    pub level: FoundBy,
    /// Whether others would have done as well.
    pub is_ambiguous: bool,
    /// How alike they are, of 1, where that was measured.
    pub score: Option<f64>,
}

/// The pairs of functions of two builds; each function is in one at most.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Matching {
    matches: Vec<Match>,
    of_before: FxHashMap<FunctionId, usize>,
    of_after: FxHashMap<FunctionId, usize>,
}

impl Matching {
    /// All pairs, strictest level first.
    #[must_use]
    pub fn matches(&self) -> &[Match] {
        &self.matches
    }

    /// The pair of a function of Before.
    #[must_use]
    pub fn after_of(&self, before: FunctionId) -> Option<&Match> {
        self.of_before.get(&before).and_then(|index| self.matches.get(*index))
    }

    /// The pair of a function of After.
    #[must_use]
    pub fn before_of(&self, after: FunctionId) -> Option<&Match> {
        self.of_after.get(&after).and_then(|index| self.matches.get(*index))
    }

    /// Whether a function of a side has a partner.
    pub(super) fn has(&self, side: Side, function: FunctionId) -> bool {
        match side {
            Side::Before => self.of_before.contains_key(&function),
            Side::After => self.of_after.contains_key(&function),
        }
    }

    /// Takes in a pair, unless one of both has a partner already.
    pub(super) fn push(&mut self, found: Match) {
        if self.of_before.contains_key(&found.before) || self.of_after.contains_key(&found.after) {
            return;
        }
        self.of_before.insert(found.before, self.matches.len());
        self.of_after.insert(found.after, self.matches.len());
        self.matches.push(found);
    }
}
