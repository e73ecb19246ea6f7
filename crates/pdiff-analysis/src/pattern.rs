//! A regular expression as the user wrote it.

mod beginning;
mod set;

use std::fmt;
use std::str::FromStr;

pub(crate) use set::PatternSet;

/// A regular expression; it matches where it is found, so anchor it with `^` and `$` for a whole name.
#[derive(Clone, Debug)]
pub struct Pattern(regex::Regex);

/// A regular expression that does not parse.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is not a regular expression: {reason}")]
pub struct PatternError {
    /// The text.
    pub text: String,
    /// The error, in one line.
    pub reason: String,
}

impl Pattern {
    /// Whether the pattern is found in `text`.
    #[must_use]
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        regex::RegexBuilder::new(text).size_limit(MOST_BYTES).build().map(Self).map_err(|error| {
            PatternError {
                text: text.to_owned(),
                reason: error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ")
                    .to_owned(),
            }
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Size of an automaton: of one pattern, and of several together.
const MOST_BYTES: usize = 2 << 20;
