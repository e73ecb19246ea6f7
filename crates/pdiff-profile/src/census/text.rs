//! The text table of a census: each name and path once, named by a [`TextId`].

use std::hash::BuildHasher as _;
use std::num::NonZeroU32;

use rustc_hash::{FxBuildHasher, FxHashMap};

/// A text of one census. Four bytes, also inside an `Option`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TextId(NonZeroU32);

impl TextId {
    /// The id for `raw`; `None` for zero.
    pub(super) fn from_raw(raw: u32) -> Option<Self> {
        NonZeroU32::new(raw).map(Self)
    }

    /// The number after an optional id; zero is none.
    pub(super) fn to_raw(id: Option<Self>) -> u32 {
        id.map_or(0, |id| id.0.get())
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// All texts of a census, back to back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct TextTable {
    text: String,
    /// Where each text ends.
    ends: Vec<u32>,
}

impl TextTable {
    /// The table of texts that end at `ends`; `None` if these are not increasing character boundaries that cover
    /// `text`.
    pub(super) fn from_parts(text: String, ends: Vec<u32>) -> Option<Self> {
        let mut start = 0;
        for end in ends.iter().map(|end| *end as usize) {
            if end < start || !text.is_char_boundary(end) {
                return None;
            }
            start = end;
        }
        (start == text.len()).then_some(Self { text, ends })
    }

    pub(super) fn as_parts(&self) -> (&str, &[u32]) {
        (&self.text, &self.ends)
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text; empty for an id of another census.
    pub(super) fn get(&self, id: TextId) -> &str {
        let index = id.index();
        let end = self.ends.get(index).copied().unwrap_or(0) as usize;
        let start =
            index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or("")
    }

    /// Adds a text without looking whether it is there already.
    pub(super) fn push(&mut self, text: &str) -> TextId {
        self.text.push_str(text);
        let end = u32::try_from(self.text.len()).expect("the names of one binary are fewer than 4 GiB");
        self.ends.push(end);
        let raw = u32::try_from(self.ends.len()).expect("fewer texts than bytes of text");
        TextId::from_raw(raw).expect("there is at least one text")
    }
}

/// A [`TextTable`] under construction.
///
/// Texts are found by their hash and compared in place, so each is in memory once: names of a large server take 100 MB. If
/// two texts have the same hash, both are kept.
#[derive(Debug, Default)]
pub(super) struct TextInterner {
    table: TextTable,
    ids: FxHashMap<u64, TextId>,
}

impl TextInterner {
    pub(super) fn intern(&mut self, text: &str) -> TextId {
        let hash = FxBuildHasher.hash_one(text);
        if let Some(id) = self.ids.get(&hash).filter(|id| self.table.get(**id) == text) {
            return *id;
        }
        let id = self.table.push(text);
        self.ids.insert(hash, id);
        id
    }

    /// Adds a text that is not looked for, now or later.
    pub(super) fn push(&mut self, text: &str) -> TextId {
        self.table.push(text)
    }

    pub(super) fn reserve(&mut self, texts: usize, bytes: usize) {
        self.table.text.reserve(bytes);
        self.table.ends.reserve(texts);
        self.ids.reserve(texts);
    }

    pub(super) fn into_table(self) -> TextTable {
        self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_one_id() {
        let mut texts = TextInterner::default();
        let (a, b, c) = (texts.intern("a"), texts.intern("bc"), texts.intern("a"));
        assert_eq!(a, c);
        let table = texts.into_table();
        assert_eq!((table.get(a), table.get(b), table.len()), ("a", "bc", 2));
    }

    #[test]
    fn damaged_parts_make_no_table() {
        let parts = |ends: &[u32]| TextTable::from_parts("aé".into(), ends.to_vec());
        assert!(parts(&[1, 3]).is_some());
        assert!(parts(&[2, 3]).is_none(), "inside a character");
        assert!(parts(&[3, 1]).is_none(), "decreasing");
        assert!(parts(&[1]).is_none(), "text left over");
        assert!(parts(&[9]).is_none(), "past the end");
    }
}
