//! Values by number, each once, in the order in which they came.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Values by id and ids by value. A value is kept once, together with its hash, so that a growing table does not read all
/// values again.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    ids: HashTable<(u64, u32)>,
    values: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { ids: HashTable::new(), values: Vec::new() }
    }
}

impl<T> Interner<T> {
    /// The id of the value for `key`; the value is created if it is not known yet.
    pub(crate) fn intern_by<Q>(&mut self, key: &Q, value: impl FnOnce() -> T) -> u32
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = FxBuildHasher.hash_one(key);
        let values = &self.values;
        let is_key = |id: u32| values.get(id as usize).is_some_and(|value| value.borrow() == key);
        if let Some((_, id)) = self.ids.find(hash, |(known, id)| *known == hash && is_key(*id)) {
            return *id;
        }
        let id = u32::try_from(self.values.len()).expect("fewer than 2^32 unique values fit in memory");
        self.values.push(value());
        self.ids.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    /// Makes room for so many more values at once.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.ids.reserve(more, |(hash, _)| *hash);
        self.values.reserve(more);
    }

    /// The values, by id.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The values, by id.
    pub(crate) fn into_values(mut self) -> Vec<T> {
        self.values.shrink_to_fit();
        self.values
    }
}
