//! Many short texts, one after the other in one piece of memory.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Texts by number, in the order in which they came. A text costs its bytes and where it ends.
///
/// ```
/// let texts: pdiff_profile::Texts = ["main", "", "run"].into_iter().collect();
/// assert_eq!((texts.get(0), texts.get(1), texts.get(2), texts.get(3)), (Some("main"), Some(""), Some("run"), None));
/// assert!(texts.iter().eq(["main", "", "run"]));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    /// The text of a number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&str> {
        let end = *self.ends.get(number)?;
        let start = number.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.text.get(start..end)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|number| self.get(number).unwrap_or(""))
    }

    /// Adds a text and gives its number.
    pub(crate) fn push(&mut self, text: &str) -> u32 {
        let number = u32::try_from(self.len()).expect("fewer than 2^32 strings fit in memory");
        self.text.push_str(text);
        self.ends.push(self.text.len());
        number
    }

    fn shrink_to_fit(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.push(text);
        }
        all.shrink_to_fit();
        all
    }
}

/// Texts, each once, with their numbers. Hashes are kept, so that a growing table does not read all texts again.
#[derive(Debug, Default)]
pub(crate) struct TextInterner {
    numbers: HashTable<(u64, u32)>,
    texts: Texts,
}

impl TextInterner {
    /// The number of a text, which is added if it is not known yet.
    pub(crate) fn intern(&mut self, text: &str) -> u32 {
        let hash = FxBuildHasher.hash_one(text);
        let texts = &self.texts;
        let is_text =
            |(known, number): &(u64, u32)| *known == hash && texts.get(*number as usize) == Some(text);
        if let Some((_, number)) = self.numbers.find(hash, is_text) {
            return *number;
        }
        let number = self.texts.push(text);
        self.numbers.insert_unique(hash, (hash, number), |(hash, _)| *hash);
        number
    }

    /// The texts, by number.
    pub(crate) fn into_texts(mut self) -> Texts {
        self.texts.shrink_to_fit();
        self.texts
    }
}
