//! The one spelling of each integer type.
//!
//! In: text that begins with a word of an integer type (`long unsigned int`, GCC's debug information). Out: the spelling
//! that demanglers use (`unsigned long`) and how many bytes of the text it replaces.

/// Most words of one integer type: `unsigned long long int`.
const MAX_WORDS: usize = 4;

/// The words of integer types' names.
pub(super) const INTEGER_WORDS: [&str; 7] =
    ["unsigned", "signed", "long", "short", "int", "char", "__int128"];

/// Whether `word` may be part of an integer type's name.
pub(super) fn is_integer_word(word: &str) -> bool {
    INTEGER_WORDS.contains(&word)
}

/// Reads the integer type at the start of `text`: its one spelling and its length in `text`. `None` for text that only
/// looks like one (`long double`).
pub(super) fn read_integer_type(text: &str) -> Option<(&'static str, usize)> {
    let mut seen = Words::default();
    let mut length = 0;
    for _ in 0..=MAX_WORDS {
        let rest = text.get(length..)?;
        let spaces = rest.len() - rest.trim_start_matches(' ').len();
        let body = rest.get(spaces..)?;
        let end = body.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_')).unwrap_or(body.len());
        let word = body.get(..end)?;
        if word == "double" {
            return None;
        }
        if !seen.add(word) {
            return seen.spelling().map(|spelling| (spelling, length));
        }
        length += spaces + end;
    }
    None
}

/// The words of one integer type, in any order.
#[derive(Default)]
struct Words {
    unsigned: bool,
    signed: bool,
    long: u8,
    base: Option<Base>,
    int: bool,
}

#[derive(Clone, Copy)]
enum Base {
    Char,
    Short,
    Int128,
}

impl Words {
    /// Takes one more word; false when it belongs to no integer type.
    fn add(&mut self, word: &str) -> bool {
        match word {
            "unsigned" => self.unsigned = true,
            "signed" => self.signed = true,
            "long" => self.long = self.long.saturating_add(1),
            "int" => self.int = true,
            "char" => self.base = Some(Base::Char),
            "short" => self.base = Some(Base::Short),
            "__int128" => self.base = Some(Base::Int128),
            _ => return false,
        }
        true
    }

    fn spelling(&self) -> Option<&'static str> {
        Some(match (self.base, self.unsigned, self.long) {
            (Some(Base::Char), true, 0) => "unsigned char",
            (Some(Base::Char), false, 0) if self.signed => "signed char",
            (Some(Base::Char), false, 0) => "char",
            (Some(Base::Short), true, 0) => "unsigned short",
            (Some(Base::Short), false, 0) => "short",
            (Some(Base::Int128), true, 0) => "unsigned __int128",
            (Some(Base::Int128), false, 0) => "__int128",
            (None, true, 0) => "unsigned int",
            (None, false, 0) if self.int || self.signed => "int",
            (None, true, 1) => "unsigned long",
            (None, false, 1) => "long",
            (None, true, 2) => "unsigned long long",
            (None, false, 2) => "long long",
            _ => return None,
        })
    }
}
