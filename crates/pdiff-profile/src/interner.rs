//! Values by number, each once, in the order in which they came.

use std::borrow::Borrow;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Values by id and ids by value.
#[derive(Debug)]
pub(crate) struct Interner<T> {
    ids: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { ids: FxHashMap::default(), values: Vec::new() }
    }
}

impl<T: Hash + Eq + Clone> Interner<T> {
    /// The id of the value that `key` stands for; it is made where it is not known yet.
    pub(crate) fn intern_by<Q>(&mut self, key: &Q, value: impl FnOnce() -> T) -> u32
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(id) = self.ids.get(key) {
            return *id;
        }
        let id = u32::try_from(self.values.len()).expect("fewer than 2^32 unique values fit in memory");
        let value = value();
        self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    /// The values, by id.
    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    /// The values, by id.
    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }
}
