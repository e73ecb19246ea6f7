//! Identifiers that are hashes of content, so that hosts write without asking each other.
//!
//! XXH3 with 128 bits: it is part of the tree already (polars), has the same result on every machine, and a billion
//! different stacks share an identifier with a chance of 1e-21. It guards against chance, not against malice.

use std::fmt;

use xxhash_rust::xxh3::Xxh3;

/// A hash of content; as text 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ContentId(u128);

impl ContentId {
    /// Digits of the text form.
    pub(crate) const TEXT_LEN: usize = 32;

    /// The identifier of some parts of one kind of thing. Parts are told apart, `ab, c` is not `a, bc`.
    pub(crate) fn new<'p>(kind: &'p str, parts: impl IntoIterator<Item = &'p [u8]>) -> Self {
        let mut hasher = Xxh3::new();
        for part in std::iter::once(kind.as_bytes()).chain(parts) {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.digest128())
    }

    /// The identifier that this text spells; `None` if it is not 32 hexadecimal digits in lower case.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_id = text.len() == Self::TEXT_LEN && text.bytes().all(is_digit);
        is_id.then(|| u128::from_str_radix(text, 16).ok().map(Self)).flatten()
    }

    /// The bytes of the hash.
    pub(crate) fn bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }
}

impl fmt::Display for ContentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// The hash of a file's bytes.
pub(crate) fn file_hash(bytes: &[u8]) -> ContentId {
    ContentId::new("file", [bytes])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        let id = |parts: &[&str]| ContentId::new("x", parts.iter().map(|part| part.as_bytes()));
        assert_ne!(id(&["ab", "c"]), id(&["a", "bc"]));
        assert_ne!(id(&["ab"]), id(&["ab", ""]));
        assert_eq!(id(&["ab", "c"]), id(&["ab", "c"]));
    }

    #[test]
    fn an_identifier_is_the_same_on_every_machine() {
        // Stored runs are named by it, so it may never change.
        let id = ContentId::new("function", ["main".as_bytes()]);
        assert_eq!(ContentId::from_text(&id.to_string()), Some(id));
        assert_eq!(id.to_string(), "8a0a621a4c609cfc93d902f2467b06e6");
    }

    #[test]
    fn only_its_own_text_is_an_identifier() {
        for text in [
            "",
            "12",
            "../../etc/passwd",
            "0123456789ABCDEF0123456789abcdef",
            "+123456789abcdef0123456789abcdef",
        ] {
            assert_eq!(ContentId::from_text(text), None, "{text}");
        }
    }
}
