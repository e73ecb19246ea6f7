//! Functions of both sides that share a key.
//!
//! A large program has a hundred thousand groups, nearly all of one function a side, so no group has a list of its own:
//! functions are numbered by their group and laid out group after group.

use std::hash::{BuildHasher as _, Hash, Hasher};

use pdiff_profile::census::FunctionId;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A key with its hash: keys are long, and hashed on all cores before they are looked up one by one.
#[derive(PartialEq, Eq)]
pub(super) struct Hashed<K> {
    hash: u64,
    key: K,
}

impl<K: Hash> Hashed<K> {
    pub(super) fn new(key: K) -> Self {
        Self { hash: FxBuildHasher.hash_one(&key), key }
    }
}

impl<K> Hash for Hashed<K> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The functions of both sides by key, those of keys that Before has.
pub(super) struct Groups {
    before: Members,
    after: Members,
}

/// The functions of one side, by group.
struct Members {
    /// Where each group ends.
    ends: Vec<usize>,
    functions: Vec<FunctionId>,
}

impl Groups {
    /// Members of a group stay in their order.
    pub(super) fn new<K: Eq>(before: &[(Hashed<K>, FunctionId)], after: &[(Hashed<K>, FunctionId)]) -> Self {
        let mut groups: FxHashMap<&Hashed<K>, usize> = FxHashMap::default();
        groups.reserve(before.len());
        let mut of_before = Vec::with_capacity(before.len());
        for (key, function) in before {
            let next = groups.len();
            of_before.push((*groups.entry(key).or_insert(next), *function));
        }
        let in_group = |(key, function): &(Hashed<K>, FunctionId)| Some((*groups.get(key)?, *function));
        let of_after: Vec<(usize, FunctionId)> = after.iter().filter_map(in_group).collect();
        Self { before: Members::new(&of_before, groups.len()), after: Members::new(&of_after, groups.len()) }
    }

    /// The members on both sides of the groups that have some on both.
    pub(super) fn of_both(&self) -> Vec<(&[FunctionId], &[FunctionId])> {
        let all = (0..self.before.ends.len()).map(|group| (self.before.get(group), self.after.get(group)));
        all.filter(|(_, after)| !after.is_empty()).collect()
    }
}

impl Members {
    /// By counting sort.
    fn new(functions: &[(usize, FunctionId)], groups: usize) -> Self {
        let mut ends = vec![0; groups];
        for (group, _) in functions {
            ends.get_mut(*group).into_iter().for_each(|count| *count += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            let count = std::mem::replace(end, sum);
            sum += count;
        }
        let mut laid_out = vec![FunctionId(0); functions.len()];
        for (group, function) in functions {
            let Some(end) = ends.get_mut(*group) else { continue };
            laid_out.get_mut(*end).into_iter().for_each(|place| *place = *function);
            *end += 1;
        }
        Self { ends, functions: laid_out }
    }

    fn get(&self, group: usize) -> &[FunctionId] {
        let end_of = |group: usize| self.ends.get(group).copied().unwrap_or(0);
        let start = group.checked_sub(1).map_or(0, end_of);
        self.functions.get(start..end_of(group)).unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_members_on_both_sides_in_order() {
        let keyed = |list: &[(&'static str, u32)]| -> Vec<(Hashed<&str>, FunctionId)> {
            list.iter().map(|(key, id)| (Hashed::new(*key), FunctionId(*id))).collect()
        };
        let before = keyed(&[("b", 1), ("a", 2), ("b", 3), ("only here", 4)]);
        let after = keyed(&[("a", 7), ("only there", 8), ("b", 5), ("a", 6)]);
        let groups = Groups::new(&before, &after);
        let [b1, a2, b3, b5, a6, a7] = [1, 2, 3, 5, 6, 7].map(FunctionId);
        assert_eq!(groups.of_both(), [(&[b1, b3][..], &[b5][..]), (&[a2], &[a7, a6])]);
    }
}
