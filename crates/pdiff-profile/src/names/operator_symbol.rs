//! The symbols of C++ operator functions, whose bracket characters do not open groups.
//!
//! In: the text after the word `operator`. Out: the length of the symbol. Operators that are words (`new`, `delete`,
//! conversions) have no symbol.

/// Longest first, so that the first match is the right one.
const SYMBOLS: [&str; 44] = [
    "->*", "<=>", "<<=", ">>=", "\"\"", "()", "[]", "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "^=", "&=", "|=", "+", "-", "*", "/", "%", "^", "&", "|", "~",
    "!", "=", "<", ">", ",", ".*", "?:", "?", "::",
];

/// The operator symbol at the start of `text`, which follows the word `operator`.
pub(super) fn leading_symbol(text: &str) -> Option<&'static str> {
    SYMBOLS.into_iter().find(|symbol| text.starts_with(symbol)).filter(|symbol| *symbol != "::")
}

/// If `text` begins with the word `operator`, the length of the word and its symbol.
pub(super) fn leading_operator(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("operator")?;
    if let Some(symbol) = leading_symbol(rest) {
        return Some(text.len() - rest.len() + symbol.len());
    }
    rest.starts_with(' ').then_some(text.len() - rest.len())
}

/// Whether the text after the word `operator` is a type that the operator converts to, `operator bool`.
pub(super) fn starts_conversion(rest: &str) -> bool {
    let Some(word) = rest.strip_prefix(' ') else { return false };
    let is_word = |name: &&str| {
        let tail = word.strip_prefix(*name);
        tail.is_some_and(|tail| !tail.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_'))
    };
    !["new", "delete", "co_await"].iter().any(is_word)
}
