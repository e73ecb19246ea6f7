//! [`Matching`]: the pairs of functions of two builds.

use pdiff_profile::Side;
use pdiff_profile::census::FunctionId;

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
    /// Whether other pairs match as well.
    pub is_ambiguous: bool,
    /// Their similarity, from 0 to 1, if it was measured.
    pub score: Option<f64>,
}

/// The pairs of functions of two builds; each function is in one at most.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Matching {
    matches: Vec<Match>,
    of_before: Places,
    of_after: Places,
}

/// By function of one side: the place of its pair, plus one; 0 where it has none.
#[derive(Clone, PartialEq, Debug, Default)]
struct Places(Vec<u32>);

impl Places {
    fn get(&self, function: FunctionId) -> Option<usize> {
        let place = self.0.get(function.index()).copied()?;
        place.checked_sub(1).map(|place| place as usize)
    }

    fn set(&mut self, function: FunctionId, place: usize) {
        if self.0.len() <= function.index() {
            self.0.resize(function.index() + 1, 0);
        }
        let place = u32::try_from(place + 1).expect("fewer pairs than functions, which have 32-bit ids");
        self.0.get_mut(function.index()).into_iter().for_each(|slot| *slot = place);
    }
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
        self.of_before.get(before).and_then(|place| self.matches.get(place))
    }

    /// The pair of a function of After.
    #[must_use]
    pub fn before_of(&self, after: FunctionId) -> Option<&Match> {
        self.of_after.get(after).and_then(|place| self.matches.get(place))
    }

    /// Whether a function of a side has a partner.
    pub(super) fn has(&self, side: Side, function: FunctionId) -> bool {
        match side {
            Side::Before => self.of_before.get(function).is_some(),
            Side::After => self.of_after.get(function).is_some(),
        }
    }

    /// Takes in a pair, unless one of both has a partner already.
    pub(super) fn push(&mut self, found: Match) {
        if self.has(Side::Before, found.before) || self.has(Side::After, found.after) {
            return;
        }
        self.of_before.set(found.before, self.matches.len());
        self.of_after.set(found.after, self.matches.len());
        self.matches.push(found);
    }
}
