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
    entries: HashTable<Entry>,
}

/// A text beside its hash and number, so that a hit touches the table and the text, and nothing else.
#[derive(Debug)]
struct Entry {
    hash: u64,
    text: Box<[u8]>,
    id: TextId,
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
        self.entries.find(hash, |entry| entry.hash == hash && &*entry.text == text).map(|entry| entry.id)
    }

    #[cold]
    fn insert(&mut self, hash: u64, text: &[u8]) -> TextId {
        let id = TextId::try_from(self.entries.len()).expect("fewer than 2^32 texts fit in memory");
        self.entries.insert_unique(hash, Entry { hash, text: text.into(), id }, |entry| entry.hash);
        id
    }

    /// All texts, by number.
    pub(super) fn into_texts(self) -> Vec<Box<[u8]>> {
        let mut texts = vec![Box::default(); self.entries.len()];
        for entry in self.entries {
            if let Some(slot) = texts.get_mut(entry.id as usize) {
                *slot = entry.text;
            }
        }
        texts
    }
}

/// The hash of a text.
#[inline]
pub(super) fn hash(text: &[u8]) -> u64 {
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
        assert_eq!(memo.into_texts(), [Box::from(*b"a"), Box::from(*b"b")]);
    }
}
