//! Sets of functions that took each other's place, by row. `succession` finds them.

use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

/// Functions that took each other's place, as rows.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Succession {
    /// The functions that had the weight before, heaviest first.
    pub(super) before: Vec<usize>,
    /// Those that have it after.
    pub(super) after: Vec<usize>,
}

impl Succession {
    /// Its functions of one side.
    pub(super) fn of(&self, side: Side) -> &[usize] {
        if side == Side::Before { &self.before } else { &self.after }
    }
}

/// All sets, by row.
#[derive(Default)]
pub(super) struct Successions {
    pub(super) sets: Vec<Succession>,
    pub(super) of_row: FxHashMap<usize, usize>,
    pub(super) doubtful: FxHashSet<usize>,
    /// Functions that only changed their names.
    pub(super) named: Vec<Succession>,
    pub(super) named_of_row: FxHashMap<usize, usize>,
}

impl Successions {
    /// Whether kin of a row lost as much as it has, though not so that they are one set for sure.
    pub(super) fn is_doubtful(&self, row: usize) -> bool {
        self.doubtful.contains(&row)
    }

    /// The set of a row.
    pub(super) fn of_row(&self, row: usize) -> Option<&Succession> {
        self.of_row.get(&row).and_then(|set| self.sets.get(*set))
    }

    /// The pair of a row's two names.
    pub(super) fn by_name(&self, row: usize) -> Option<&Succession> {
        self.named_of_row.get(&row).and_then(|pair| self.named.get(*pair))
    }
}
