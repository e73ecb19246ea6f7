//! Strings of an index, each once.

use rustc_hash::FxHashMap;

use crate::address_index::NONE;

/// Strings, each once.
#[derive(Default)]
pub(super) struct Strings {
    pub(super) ids: FxHashMap<Box<str>, u32>,
    pub(super) ends: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl Strings {
    /// The number of a string.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return *id;
        }
        let (Ok(id), Ok(end)) =
            (u32::try_from(self.ends.len()), u32::try_from(self.bytes.len() + text.len()))
        else {
            return NONE;
        };
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(end);
        self.ids.insert(text.into(), id);
        id
    }
}
