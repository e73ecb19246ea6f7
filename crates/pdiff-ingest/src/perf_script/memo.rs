//! Texts by number: the same text met again costs a hash and a comparison instead of parsing.
//!
//! A hit is decided by comparing the whole text, so a weak or attacked hash costs time, never a wrong count.

use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Number of a text in its memo.
pub(super) type TextId = u32;

/// Texts and their numbers, counted from zero; all texts are in one piece.
#[derive(Debug, Default)]
pub(super) struct Memo {
    entries: HashTable<Entry>,
    bytes: Vec<u8>,
    /// Where each text ends in `bytes`; it begins where the one before ends.
    ends: Vec<usize>,
}

/// Where a text lies, beside its hash and number, so that a hit touches the table and the text, and nothing else.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    start: usize,
    len: u32,
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
        let bytes = |entry: &Entry| self.bytes.get(entry.start..entry.start + entry.len as usize);
        let is_text =
            |entry: &Entry| entry.hash == hash && bytes(entry).is_some_and(|known| is_same(known, text));
        self.entries.find(hash, is_text).map(|entry| entry.id)
    }

    #[cold]
    fn insert(&mut self, hash: u64, text: &[u8]) -> TextId {
        let id = TextId::try_from(self.ends.len()).expect("fewer than 2^32 texts fit in memory");
        let len = u32::try_from(text.len()).expect("a line is shorter than a block");
        let entry = Entry { hash, start: self.bytes.len(), len, id };
        self.bytes.extend_from_slice(text);
        self.ends.push(self.bytes.len());
        self.entries.insert_unique(hash, entry, |entry| entry.hash);
        id
    }

    /// A text; empty if there is none of that number.
    #[inline]
    pub(super) fn text(&self, id: TextId) -> &[u8] {
        let place = id as usize;
        let end = self.ends.get(place).copied().unwrap_or(0);
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.bytes.get(start..end).unwrap_or(b"")
    }

    /// All texts, by number.
    pub(super) fn texts(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.ends.len()).map(|id| self.text(id as TextId))
    }
}

/// Whether two texts are equal. musl, which the static program has, compares byte by byte: steps of 16 bytes take it two thirds of the
/// time to read a text. The usual C library is faster than these steps, by a tenth of the same time.
#[inline]
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if cfg!(target_env = "musl") { is_same_by_steps(one, other) } else { one == other }
}

#[inline]
fn is_same_by_steps(one: &[u8], other: &[u8]) -> bool {
    const STEP: usize = 16;
    if one.len() != other.len() {
        return false;
    }
    match (one.last_chunk::<STEP>(), other.last_chunk::<STEP>()) {
        (Some(end), Some(other_end)) => {
            let mut steps = one.as_chunks::<STEP>().0.iter().zip(other.as_chunks::<STEP>().0);
            let is_equal =
                |(a, b): (&[u8; STEP], &[u8; STEP])| u128::from_ne_bytes(*a) == u128::from_ne_bytes(*b);
            steps.all(is_equal) && is_equal((end, other_end))
        }
        _ => one.iter().eq(other),
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
        assert_eq!(memo.texts().collect::<Vec<_>>(), [b"a", b"b"]);
    }

    #[test]
    fn texts_are_equal_if_every_byte_is() {
        let text: Vec<u8> = (0..100).collect();
        for len in 0..text.len() {
            assert!(is_same_by_steps(&text[..len], &text.clone()[..len]), "{len}");
            assert!(!is_same_by_steps(&text[..len], &text[..=len]), "{len}");
            for at in 0..len {
                let mut other = text[..len].to_vec();
                other[at] ^= 1;
                assert!(!is_same_by_steps(&text[..len], &other), "{len} {at}");
            }
        }
    }
}
