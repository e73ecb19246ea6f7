//! Matches functions of both sides whose names changed.
//!
//! Equal names at the policy's level need no matching: they are one key. Here known renames join the keys of names
//! that only one side's profile has, and so do names inferred for unnamed functions, and namespaces that differ in the version that they
//! carry. Nothing else is guessed.

use pdiff_profile::{PerSide, Side};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::knowledge::Aliases;
use crate::matching::{VersionedScopes, file_stem};
use crate::normalize::{KeyId, Keys};

/// Which key represents which, after renames.
#[derive(Debug, Default)]
pub(super) struct Renames {
    canonical: FxHashMap<KeyId, KeyId>,
    befores: FxHashMap<KeyId, Vec<KeyId>>,
    afters: FxHashMap<KeyId, Vec<KeyId>>,
}

impl Renames {
    /// Joins keys seen only on one side with those seen on the other, by aliases. A name that both sides have is left
    /// alone. A base build may be the newer one: then After has the old names.
    pub(super) fn new(keys: &Keys, seen: &PerSide<FxHashSet<KeyId>>, aliases: &Aliases) -> Self {
        let PerSide { before: seen_before, after: seen_after } = seen;
        let mut renames = Self::default();
        let versioned = of_other_versions(keys, seen_before, seen_after);
        for (before, after) in pairs(keys, seen_before, seen_after, aliases).into_iter().chain(versioned) {
            if renames.canonical.insert(before, after).is_some() {
                continue;
            }
            let own = seen_before.contains(&after).then_some(after);
            renames.befores.entry(after).or_insert_with(|| own.into_iter().collect()).push(before);
        }
        for (after, before) in pairs(keys, seen_after, seen_before, aliases) {
            if renames.befores.contains_key(&after) {
                continue;
            }
            let heir = renames.canonical(before);
            if keys.get(after).unnamed.is_some() {
                // The row is called by the name, whichever side has it.
                let own = seen_after.contains(&heir).then_some(heir);
                renames.canonical.insert(after, heir);
                renames.afters.entry(heir).or_insert_with(|| own.into_iter().collect()).push(after);
            } else if heir == before && !seen_after.contains(&before) {
                renames.canonical.insert(before, after);
                renames.befores.entry(after).or_default().push(before);
            } else {
                renames.canonical.insert(after, heir);
                renames.afters.entry(heir).or_insert_with(|| vec![heir]).push(after);
            }
        }
        renames
    }

    /// The key that represents `key` in rows.
    pub(super) fn canonical(&self, key: KeyId) -> KeyId {
        self.canonical.get(&key).copied().unwrap_or(key)
    }

    /// The keys of a side that are in the row of `key`, where a rename joined any.
    pub(super) fn joined_with(&self, key: KeyId, side: Side) -> &[KeyId] {
        let joined = match side {
            Side::Before => &self.befores,
            Side::After => &self.afters,
        };
        joined.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// Keys of Before whose name After has with another version of a namespace, each with that one.
fn of_other_versions(
    keys: &Keys,
    seen_before: &FxHashSet<KeyId>,
    seen_after: &FxHashSet<KeyId>,
) -> Vec<(KeyId, KeyId)> {
    let named = |seen: &FxHashSet<KeyId>| {
        let keys = keys.iter().filter(|(id, _)| seen.contains(id));
        keys.map(|(_, key)| &*key.name).collect::<Vec<&str>>()
    };
    let names = PerSide::new(named(seen_before), named(seen_after));
    let scopes = VersionedScopes::new(&names);
    if scopes.is_empty() {
        return Vec::new();
    }
    let mut heirs: FxHashMap<(&str, &str), Vec<KeyId>> = FxHashMap::default();
    for (id, key) in keys.iter().filter(|(id, _)| seen_after.contains(id) && !seen_before.contains(id)) {
        heirs.entry((&key.name, &key.object)).or_default().push(id);
    }
    let stem = |key: KeyId, side: Side| keys.get(key).files[side].as_deref().map(file_stem);
    let only_before = keys.iter().filter(|(id, _)| seen_before.contains(id) && !seen_after.contains(id));
    let renamed = only_before.filter_map(|(id, key)| {
        let name = scopes.of_after(&key.name)?;
        match &**heirs.get(&(&*name, &*key.object))? {
            [heir] => Some((id, *heir)),
            // Several files have one of this name.
            several => {
                let file = stem(id, Side::Before)?;
                let mut same = several.iter().filter(|heir| stem(**heir, Side::After) == Some(file));
                same.next().filter(|_| same.next().is_none()).map(|heir| (id, *heir))
            }
        }
    });
    renamed.collect()
}

/// Keys that only the side `seen` has, each with what the other side calls it by now.
fn pairs(
    keys: &Keys,
    seen: &FxHashSet<KeyId>,
    seen_other: &FxHashSet<KeyId>,
    aliases: &Aliases,
) -> Vec<(KeyId, KeyId)> {
    let mut other_by_name: FxHashMap<(&str, &str), KeyId> = FxHashMap::default();
    for (id, key) in keys.iter().filter(|(id, _)| seen_other.contains(id)) {
        other_by_name.entry((&key.qualified, &key.object)).or_insert(id);
    }
    let only_here = keys.iter().filter(|(id, _)| seen.contains(id) && !seen_other.contains(id));
    let renamed = only_here.filter_map(|(id, key)| {
        let names = aliases.after_names(&key.qualified);
        let heir = names.iter().find_map(|name| other_by_name.get(&(name.as_str(), &*key.object)))?;
        Some((id, *heir))
    });
    renamed.collect()
}

/// Keys that represent several functions of one side: at the policy's level, or in several files.
pub(super) fn is_ambiguous(keys: &Keys, key: KeyId, renames: &Renames) -> bool {
    let variants = Side::BOTH.iter().any(|side| keys.variants(key, *side) > 1);
    let is_mixed = variants || keys.get(key).is_mixed;
    is_mixed || Side::BOTH.iter().any(|side| renames.joined_with(key, *side).len() > 1)
}
