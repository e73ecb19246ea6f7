//! How strictly functions of two builds are matched.
//!
//! In and out: the level and its word on the command line and in reports. [`FunctionName`](super::FunctionName) gives the
//! name at a level.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// How strictly functions of two builds are identified; orders strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchLevel {
    /// The same linkage (mangled) name.
    Linkage,
    /// The same qualified name, template arguments and parameters.
    Signature,
    /// The same qualified name and template arguments; overloads merge.
    Qualified,
    /// The same qualified name; instances of one template merge.
    Loose,
}

impl MatchLevel {
    /// Every level, strictest first.
    pub const ALL: [Self; 4] = [Self::Linkage, Self::Signature, Self::Qualified, Self::Loose];

    /// The level's word, as `FromStr` reads it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Linkage => "linkage",
            Self::Signature => "signature",
            Self::Qualified => "qualified",
            Self::Loose => "loose",
        }
    }
}

impl fmt::Display for MatchLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that names no match level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown match level `{word}`; hint: use linkage, signature, qualified or loose")]
pub struct ParseMatchLevelError {
    /// The word as given.
    pub word: String,
}

impl FromStr for MatchLevel {
    type Err = ParseMatchLevelError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|level| level.as_str() == word)
            .ok_or_else(|| ParseMatchLevelError { word: word.to_owned() })
    }
}
