//! Bracket groups in the text of a name.
//!
//! In: text and the place of an opening bracket. Out: the place behind its closing one. Brackets in operator names
//! (`operator<`) and arrows are no brackets; a `<` that a closing `)` leaves open was a comparison.

use super::operator_symbol::leading_operator;

/// Deepest nesting that is followed; a group with more has no end here.
pub(super) const MAX_DEPTH: usize = 256;

/// Whether a byte belongs to a word: an identifier, a number, or text beyond ASCII.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
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

/// The place behind the bracket that closes the one at `open`; `None` when there is none.
pub(super) fn group_end(text: &str, open: usize) -> Option<usize> {
    let mut stack = Vec::with_capacity(16);
    let mut at = open;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'<' | b'(' | b'[' | b'{' if stack.len() < MAX_DEPTH => stack.push(byte),
            b'<' | b'(' | b'[' | b'{' => return None,
            b'-' if text.as_bytes().get(at + 1) == Some(&b'>') => at += 1,
            b'>' if stack.last() == Some(&b'<') => stack.truncate(stack.len() - 1),
            b')' | b']' | b'}' => close(&mut stack, byte),
            _ if is_word_byte(byte) => {
                at = token_end(text, at);
                continue;
            }
            _ => {}
        }
        at += 1;
        if stack.is_empty() {
            return Some(at);
        }
    }
    None
}

/// Closes the innermost group that `bracket` can close, with all that it leaves open.
fn close(stack: &mut Vec<u8>, bracket: u8) {
    if let Some(depth) = stack.iter().rposition(|&open| closing(open) == bracket) {
        stack.truncate(depth);
    }
}

/// The end of a word, or of an operator's name with its symbol.
pub(super) fn token_end(text: &str, at: usize) -> usize {
    match text.get(at..).and_then(leading_operator) {
        Some(length) => at + length,
        None => word_end(text, at).max(at + 1),
    }
}
