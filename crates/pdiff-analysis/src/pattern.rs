//! A regular expression as the user wrote it.

use std::fmt;
use std::str::FromStr;

/// A regular expression; it matches where it is found, so anchor it with `^` and `$` for a whole name.
#[derive(Clone, Debug)]
pub struct Pattern(regex::Regex);

/// A regular expression that does not parse.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{text}' is not a regular expression: {reason}")]
pub struct PatternError {
    /// The text.
    pub text: String,
    /// What is wrong with it, in one line.
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
        regex::Regex::new(text).map(Self).map_err(|error| PatternError {
            text: text.to_owned(),
            reason: error
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .trim_start_matches("error: ")
                .to_owned(),
        })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Many patterns of which any may match; one automaton, so that a long list costs what one pattern does.
#[derive(Clone, Debug)]
pub(crate) struct PatternSet(regex::RegexSet);

impl PatternSet {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, PatternError> {
        regex::RegexSet::new(patterns).map(Self).map_err(|error| {
            let wrong = patterns.iter().find_map(|pattern| pattern.parse::<Pattern>().err());
            wrong.unwrap_or_else(|| PatternError {
                text: "the patterns together".to_owned(),
                reason: error.to_string(),
            })
        })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}
