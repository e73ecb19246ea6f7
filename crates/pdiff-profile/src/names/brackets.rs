//! Bracket groups in the text of a name.
//!
//! In: text and the place of an opening bracket. Out: the place after its closing one. Brackets in operator names
//! (`operator<`) and arrows do not count as brackets; a `<` that is still open at a closing `)` was a comparison.

use super::operator_symbol::leading_operator;

/// Deepest nesting that is followed; a group with more has no end here.
pub(super) const MAX_DEPTH: usize = 256;

/// By byte: whether it belongs to a word, that is an identifier, a number, or text beyond ASCII. The names of a large
/// server are 100 MB, read byte by byte.
const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0_usize;
    while byte < 256 {
        let ascii = byte as u8;
        is_word[byte] = ascii.is_ascii_alphanumeric() || ascii == b'_' || ascii == b'$' || byte >= 0x80;
        byte += 1;
    }
    is_word
};

/// Whether a byte belongs to a word.
pub(super) fn is_word_byte(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

/// The end of the word that starts at `at`.
pub(super) fn word_end(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| !is_word_byte(byte)).unwrap_or(rest.len())
}

/// The bracket that closes `open`.
pub(super) fn closing(open: u8) -> u8 {
    match open {
        b'<' => b'>',
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

/// The place after the bracket that closes the one at `open`; `None` when there is none.
pub(super) fn group_end(text: &str, open: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut stack = OpenBrackets { brackets: [0; MAX_DEPTH], depth: 0 };
    let mut at = open;
    while let Some(&byte) = bytes.get(at) {
        if is_word_byte(byte) {
            at = token_end(text, at);
            continue;
        }
        match byte {
            b'<' | b'(' | b'[' | b'{' => stack.open(byte)?,
            b'-' if bytes.get(at + 1) == Some(&b'>') => at += 1,
            b'>' if stack.innermost() == Some(b'<') => stack.depth -= 1,
            b')' | b']' | b'}' => stack.close(byte),
            _ => {}
        }
        at += 1;
        if stack.depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The brackets that are open, outermost first.
struct OpenBrackets {
    brackets: [u8; MAX_DEPTH],
    depth: usize,
}

impl OpenBrackets {
    /// `None` where there are too many.
    fn open(&mut self, bracket: u8) -> Option<()> {
        *self.brackets.get_mut(self.depth)? = bracket;
        self.depth += 1;
        Some(())
    }

    fn innermost(&self) -> Option<u8> {
        self.brackets.get(self.depth.checked_sub(1)?).copied()
    }

    /// Closes the innermost group that `bracket` can close, with all that it leaves open.
    fn close(&mut self, bracket: u8) {
        let open = self.brackets.get(..self.depth).unwrap_or_default();
        self.depth = open.iter().rposition(|&open| closing(open) == bracket).unwrap_or(self.depth);
    }
}

/// The end of a word, or of an operator's name with its symbol.
pub(super) fn token_end(text: &str, at: usize) -> usize {
    let may_be_operator = text.as_bytes().get(at) == Some(&b'o');
    match text.get(at..).filter(|_| may_be_operator).and_then(leading_operator) {
        Some(length) => at + length,
        None => word_end(text, at).max(at + 1),
    }
}
