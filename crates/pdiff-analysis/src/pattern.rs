//! A regular expression as the user wrote it.

use std::fmt;
use std::str::FromStr;

use regex_automata::MatchKind;
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;

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

/// Many patterns of which any may match; one automaton, so that a long list costs what one pattern does.
///
/// It is asked of some thousand short names, so it does without what takes longer to build than that saves: prefilters,
/// one-pass automata and captures.
#[derive(Clone, Debug)]
pub(crate) struct PatternSet(meta::Regex);

/// Size of an automaton: of one pattern, and of all patterns of a set together.
const MOST_BYTES: usize = 2 << 20;

/// Patterns of a set; more are asked one by one of every name, which takes minutes.
const MOST_PATTERNS: usize = 1000;

impl PatternSet {
    pub(crate) fn new(patterns: &[String]) -> Result<Self, PatternError> {
        if patterns.len() > MOST_PATTERNS {
            return Err(PatternError {
                text: format!("a list of {} patterns", patterns.len()),
                reason: format!("at most {MOST_PATTERNS} can be used together"),
            });
        }
        let plain = meta::Config::new()
            .match_kind(MatchKind::All)
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(MOST_BYTES))
            .auto_prefilter(false)
            .onepass(false);
        meta::Builder::new().configure(plain).build_many(patterns).map(Self).map_err(|error| {
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
