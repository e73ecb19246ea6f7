//! Functions of one side and the same functions of the other, where names changed.
//!
//! Equal names at the policy's level need no matching: they are one key. Here known renames join the keys of names
//! that only one side's profile has. Nothing is guessed.

use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::knowledge::Aliases;
use crate::normalize::{KeyId, Keys};

/// Which key stands for which, after renames.
#[derive(Debug, Default)]
pub(super) struct Renames {
    canonical: FxHashMap<KeyId, KeyId>,
    befores: FxHashMap<KeyId, Vec<KeyId>>,
}

impl Renames {
    /// Joins keys seen only before with those seen after, by aliases. A name that both sides have is left alone.
    pub(super) fn new(keys: &Keys, seen: &[FxHashSet<KeyId>; 2], aliases: &Aliases) -> Self {
        let [seen_before, seen_after] = seen;
        let mut after_by_name: FxHashMap<(&str, &str), KeyId> = FxHashMap::default();
        for (id, key) in keys.iter().filter(|(id, _)| seen_after.contains(id)) {
            after_by_name.entry((&key.qualified, &key.object)).or_insert(id);
        }
        let mut renames = Self::default();
        for (id, key) in keys.iter().filter(|(id, _)| seen_before.contains(id) && !seen_after.contains(id)) {
            let candidates = aliases.after_names(&key.qualified);
            let mut found =
                candidates.iter().filter_map(|name| after_by_name.get(&(name.as_str(), &*key.object)));
            if let Some(&after) = found.next() {
                renames.canonical.insert(id, after);
                renames.befores.entry(after).or_default().push(id);
            }
        }
        renames
    }

    /// The key that stands for `key` in rows.
    pub(super) fn canonical(&self, key: KeyId) -> KeyId {
        self.canonical.get(&key).copied().unwrap_or(key)
    }

    /// The keys of the base side that were renamed to `key`.
    pub(super) fn renamed_to(&self, key: KeyId) -> &[KeyId] {
        self.befores.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// Keys that stand for several functions of one side at the policy's level.
pub(super) fn is_ambiguous(keys: &Keys, key: KeyId, renames: &Renames) -> bool {
    let variants = Side::BOTH.iter().any(|side| keys.variants(key, *side) > 1);
    variants || renames.renamed_to(key).len() > 1
}
