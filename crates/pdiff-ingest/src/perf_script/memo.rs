//! Texts by number: the same text met again costs a hash and a comparison instead of parsing.
//!
//! A hit is decided by comparing the whole text, so a weak or attacked hash costs time, never a wrong count.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Number of a text in its memo.
pub(super) type TextId = u32;

/// Texts and their numbers, counted from zero.
#[derive(Debug, Default)]
pub(super) struct Memo {
    ids: HashTable<(u64, TextId)>,
    texts: Vec<Box<[u8]>>,
}

impl Memo {
    /// The number of `text`, if it is known.
    #[inline]
    pub(super) fn find(&self, text: &[u8]) -> Option<TextId> {
        self.find_hashed(hash(text), text)
    }

    /// The number of `text`, and whether it is a new one.
    #[inline]
    pub(super) fn intern(&mut self, text: &[u8]) -> (TextId, bool) {
        let hash = hash(text);
        match self.find_hashed(hash, text) {
            Some(id) => (id, false),
            None => (self.insert(hash, text), true),
        }
    }

    #[inline]
    fn find_hashed(&self, hash: u64, text: &[u8]) -> Option<TextId> {
        let is_same = |(known, id): &(u64, TextId)| *known == hash && self.text(*id) == text;
        self.ids.find(hash, is_same).map(|(_, id)| *id)
    }

    #[cold]
    fn insert(&mut self, hash: u64, text: &[u8]) -> TextId {
        let id = TextId::try_from(self.texts.len()).expect("fewer than 2^32 texts fit in memory");
        self.texts.push(text.into());
        self.ids.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    /// The text of a number.
    #[inline]
    pub(super) fn text(&self, id: TextId) -> &[u8] {
        self.texts.get(id as usize).map_or(b"", |text| text)
    }

    /// All texts, by number.
    pub(super) fn into_texts(self) -> Vec<Box<[u8]>> {
        self.texts
    }
}

#[inline]
fn hash(text: &[u8]) -> u64 {
    /// Any number; fixed, so that runs repeat.
    const SEED: u64 = 0x70_64_69_66_66;
    let mut hasher = FixedState::with_seed(SEED).build_hasher();
    hasher.write(text);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_number() {
        let mut memo = Memo::default();
        assert_eq!(memo.intern(b"a"), (0, true));
        assert_eq!(memo.intern(b"b"), (1, true));
        assert_eq!(memo.intern(b"a"), (0, false));
        assert_eq!((memo.find(b"b"), memo.find(b"")), (Some(1), None));
        assert_eq!(memo.text(1), b"b");
    }
}
