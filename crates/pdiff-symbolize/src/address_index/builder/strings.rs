//! Strings of an index, each once.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::address_index::index::NONE;

/// Strings, each once.
#[derive(Default)]
pub(super) struct Strings {
    /// With the hash of the text.
    ids: HashTable<(u64, u32)>,
    pub(super) ends: Vec<u32>,
    pub(super) bytes: Vec<u8>,
}

impl Strings {
    /// The number of a string.
    pub(super) fn add(&mut self, text: &str) -> u32 {
        let hash = FxBuildHasher.hash_one(text.as_bytes());
        let is_text = |id: u32| string(&self.ends, &self.bytes, id) == text.as_bytes();
        if let Some((_, id)) = self.ids.find(hash, |(known, id)| *known == hash && is_text(*id)) {
            return *id;
        }
        let (Ok(id), Ok(end)) =
            (u32::try_from(self.ends.len()), u32::try_from(self.bytes.len() + text.len()))
        else {
            return NONE;
        };
        self.bytes.extend_from_slice(text.as_bytes());
        self.ends.push(end);
        self.ids.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }
}

fn string<'b>(ends: &[u32], bytes: &'b [u8], id: u32) -> &'b [u8] {
    let at = id as usize;
    let end = |at: usize| ends.get(at).map_or(0, |end| *end as usize);
    let start = at.checked_sub(1).map_or(0, end);
    bytes.get(start..end(at)).unwrap_or(&[])
}
