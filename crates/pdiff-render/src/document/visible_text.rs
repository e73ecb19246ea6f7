//! Makes text of unknown origin safe to show: control sequences and invisible characters are spelled out.
//!
//! Names come from files that others made. An escape sequence in a symbol must not move the cursor, and a character without
//! width must not make two names look alike.

use std::borrow::Cow;
use std::fmt::Write as _;

use pdiff_profile::is_printable_ascii;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The mark of what was left out.
pub(crate) const CUT: &str = "..";

/// The text with every character that has no width, or that breaks lines, as `\x1b` or `\u{202e}`.
///
/// ```
/// assert_eq!(pdiff_render::visible("a\u{1b}[2Jb"), "a\\x1b[2Jb");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_printable_ascii(text) || !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        let code = u32::from(c);
        // Writing to a String cannot fail.
        let _ = match (is_hidden(c), code < 0x100) {
            (true, true) => write!(shown, "\\x{code:02x}"),
            (true, false) => write!(shown, "\\u{{{code:x}}}"),
            (false, _) => shown.write_char(c),
        };
    }
    Cow::Owned(shown)
}

/// Whether a character has no width, breaks lines or is obeyed by a terminal.
pub(crate) fn is_hidden(c: char) -> bool {
    c.width().is_none_or(|width| width == 0) || matches!(c, '\u{ad}' | '\u{2028}' | '\u{2029}')
}

/// Terminal columns that the text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text in at most `max` columns; what is cut is in the middle, and the end keeps the larger part.
pub(crate) fn cut_middle(text: &str, max: usize) -> Cow<'_, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    let room = max.saturating_sub(CUT.len());
    let head = fitting(text.chars(), room * 2 / 5);
    let tail = fitting(text.chars().rev(), room - room * 2 / 5);
    let head: String = text.chars().take(head).collect();
    let tail_from = text.chars().count() - tail;
    let tail: String = text.chars().skip(tail_from).collect();
    Cow::Owned(format!("{}{CUT}{}", head.trim_end_matches('.'), tail.trim_start_matches('.')))
}

/// The text in at most `max` columns; what is cut is at the end.
pub(crate) fn cut_end(text: &str, max: usize) -> Cow<'_, str> {
    if width(text) <= max {
        return Cow::Borrowed(text);
    }
    let kept = fitting(text.chars(), max.saturating_sub(CUT.len()));
    Cow::Owned(text.chars().take(kept).chain(CUT.chars()).collect())
}

/// How many of the characters fit into `room` columns.
fn fitting(chars: impl Iterator<Item = char>, room: usize) -> usize {
    let mut used = 0;
    chars
        .take_while(|c| {
            used += c.width().unwrap_or(0);
            used <= room
        })
        .count()
}

/// The text broken at spaces into lines of at most `max` columns; a longer word gets its own line, but `%` never does.
pub(crate) fn wrap(text: &str, max: usize) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for part in text.split(' ') {
        match words.last_mut() {
            Some(word) if part.starts_with('%') => join(word, part),
            _ => words.push(part.to_owned()),
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&word) <= max => join(line, &word),
            _ => lines.push(word),
        }
    }
    lines
}

fn join(line: &mut String, word: &str) {
    line.push(' ');
    line.push_str(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(visible("a\x1b[31mb\nc\u{9b}d"), "a\\x1b[31mb\\x0ac\\x9bd");
        assert_eq!(visible("a\u{202e}b\u{200b}c\u{2028}"), "a\\u{202e}b\\u{200b}c\\u{2028}");
        assert_eq!(visible("Größe<日本>"), "Größe<日本>");
    }

    #[test]
    fn a_cut_keeps_both_ends_and_the_width() {
        assert_eq!(cut_middle("abcdefghijklmnop", 12), "abcd..klmnop");
        assert_eq!(cut_middle("short", 5), "short");
        assert_eq!(cut_middle("abcd<..>::efghij", 12), "abcd..efghij");
        assert_eq!(cut_end("abcdefgh", 6), "abcd..");
        for max in 2..20 {
            assert!(width(&cut_middle("日本語日本語日本語", max)) <= max);
        }
    }

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("aaaaaaa bb", 5), ["aaaaaaa", "bb"]);
        assert_eq!(wrap("only 5 % left", 7), ["only", "5 %", "left"]);
    }
}
