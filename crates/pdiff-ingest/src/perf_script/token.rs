//! The words of a line, which are parted by blanks.

/// A word of a line, with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// The word.
    pub(super) text: &'a [u8],
    /// Where it begins.
    pub(super) start: usize,
    /// Its length and that of the blanks before it.
    pub(super) columns: usize,
    /// What follows it.
    pub(super) after: &'a [u8],
}

impl<'a> Token<'a> {
    /// The first word of `text` from a place on.
    pub(super) fn at(text: &'a [u8], from: usize) -> Option<Self> {
        let rest = text.get(from..)?;
        let blanks = rest.iter().position(|byte| *byte != b' ')?;
        let word = rest.get(blanks..)?;
        let len = memchr::memchr(b' ', word).unwrap_or(word.len());
        let (text, after) = word.split_at(len);
        Some(Self { text, start: from + blanks, columns: blanks + len, after })
    }

    /// The event's name, if this is a name with a colon after it.
    pub(super) fn event(&self) -> Option<&'a [u8]> {
        self.text.strip_suffix(b":").filter(|name| !name.is_empty())
    }
}

/// The words of a line.
pub(super) fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let token = Token::at(text, from)?;
        from = token.start + token.text.len();
        Some(token)
    })
}
