//! What the builds tell of functions that the samples of one side alone hold: renamed, or not in the other build.
//! `match_counterparts` finds it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::normalize::KeyId;

/// What the builds tell of functions that the samples of one side alone hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Counterparts {
    /// Of Before's functions: those that After's build holds under another name.
    pub(super) renamed: FxHashMap<KeyId, KeyId>,
    /// Functions that the other side's build does not hold under their name.
    pub(super) absent: FxHashSet<KeyId>,
}

impl Counterparts {
    /// What After calls a function of Before that was renamed; else the function.
    pub(super) fn heir(&self, key: KeyId) -> KeyId {
        self.renamed.get(&key).copied().unwrap_or(key)
    }

    /// Makes known that a function was renamed, unless something else is known of one of both names.
    pub(super) fn add(&mut self, before: KeyId, after: KeyId) {
        let is_known = self.renamed.contains_key(&before) || self.renamed.values().any(|heir| *heir == after);
        if !is_known {
            self.renamed.insert(before, after);
        }
    }

    /// Whether a function that the samples of one side alone hold is known not to be in the other side's build.
    pub(super) fn is_absent(&self, key: KeyId) -> bool {
        self.absent.contains(&key)
    }
}
