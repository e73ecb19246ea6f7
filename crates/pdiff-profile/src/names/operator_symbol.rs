//! The symbols of C++ operator functions, whose brackets are no brackets.
//!
//! In: the text behind the word `operator`. Out: the length of the symbol. Operators that are words (`new`,
//! `delete`, conversions) have no symbol.

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
