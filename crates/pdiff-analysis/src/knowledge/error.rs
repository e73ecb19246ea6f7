//! Errors in a file of knowledge.

use crate::pattern::PatternError;

/// Why a file of knowledge could not be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// Not TOML, or not of the documented form.
    #[error("line {line}: {message}; hint: docs/knowledge.md shows the form")]
    Form {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A setting's default has no version that could be compared.
    #[error("setting '{setting}': '{version}' is not a version; hint: write 8.0 or 8.0.27")]
    Version {
        /// The setting.
        setting: String,
        /// What is there.
        version: String,
    },
    /// More rules than a file may have.
    #[error(
        "{rules} rules, but a file may have at most {MOST_RULES}; hint: join patterns with the same name"
    )]
    TooManyRules {
        /// How many there are.
        rules: usize,
    },
    /// A pattern that does not parse.
    #[error(transparent)]
    Pattern(#[from] PatternError),
}

/// Rules of one file. Each has an automaton of its own, which is asked of every name.
pub(super) const MOST_RULES: usize = 300;

/// Refuses a file with so many rules that every comparison would take minutes.
pub(super) fn check_rules<T>(rules: &[T]) -> Result<(), KnowledgeError> {
    if rules.len() > MOST_RULES { Err(KnowledgeError::TooManyRules { rules: rules.len() }) } else { Ok(()) }
}

/// Reads TOML into the form that a file has.
pub(super) fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, KnowledgeError> {
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let before = text.get(..at).unwrap_or_default();
        KnowledgeError::Form {
            line: before.matches('\n').count() + 1,
            message: error.message().lines().next().unwrap_or_default().to_owned(),
        }
    })
}
