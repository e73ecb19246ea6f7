//! Text that does not grow past the longest name.
//!
//! In: the output of a demangler. Out: the text, or an error as soon as it is too long, because a short symbol can expand
//! to gigabytes through repeated substitutions.

use std::fmt::{self, Write};

/// Longest name that is read or made. The longest of a large server is a third of it; longer ones are cut, so two that
/// differ only after the cut become one.
pub(super) const MAX_NAME_BYTES: usize = 64 * 1024;

/// Text that refuses to grow past [`MAX_NAME_BYTES`].
#[derive(Default)]
pub(super) struct BoundedText(String);

impl BoundedText {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self(String::with_capacity(bytes.min(MAX_NAME_BYTES)))
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}
