//! Text of unknown origin on the page: never markup, and never longer than a page can bear.

use std::borrow::Cow;

/// Characters of a name or a label in a sentence.
const MOST_OF_A_NAME: usize = 400;

/// The text, its end cut off if it has more characters than `most`.
pub(super) fn cut(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}..", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The text as content of an element or an attribute, cut if it has more characters than `most`.
pub(super) fn escaped_within(text: &str, most: usize) -> String {
    crate::flame::escaped(&cut(text, most))
}

/// A name or a label, as content of an element or an attribute.
pub(super) fn escaped(text: &str) -> String {
    escaped_within(text, MOST_OF_A_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_before_they_are_escaped() {
        assert_eq!(escaped_within("a<b>", 4), "a&lt;b&gt;");
        assert_eq!(escaped_within("é<b>", 2), "é&lt;..");
        assert!(escaped(&"<".repeat(100_000)).len() < 2000);
    }
}
