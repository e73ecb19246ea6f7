//! Which runs of a store are meant: `build=5.7 host=db1 host=db2`.
//!
//! Values of one column are alternatives; all columns that are named have to match.

use crate::stored_run::StoredRun;

/// The columns that runs are chosen by.
const COLUMNS: [&str; 8] = ["service", "build", "host", "day", "run", "kernel", "cpu_model", "recording"];

/// Which runs are meant; all of them if nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    terms: Vec<(&'static str, String)>,
}

/// A word that chooses no runs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("'{word}' does not choose runs; hint: write COLUMN=VALUE, with one of {}", COLUMNS.join(", "))]
pub struct SelectionError {
    /// The word.
    pub word: String,
}

impl Selection {
    /// With what a word says, as `build=5.7`.
    ///
    /// # Errors
    /// Returns an error if it is not a column of runs, an equals sign and a value.
    pub fn with_word(self, word: &str) -> Result<Self, SelectionError> {
        let term = word.split_once('=').filter(|(_, value)| !value.is_empty());
        let known =
            term.and_then(|(column, value)| Some((*COLUMNS.iter().find(|known| **known == column)?, value)));
        match known {
            Some((column, value)) => Ok(self.with(column, value)),
            None => Err(SelectionError { word: word.to_owned() }),
        }
    }

    fn with(mut self, column: &'static str, value: &str) -> Self {
        self.terms.push((column, value.to_owned()));
        self
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.terms.extend(other.terms.iter().cloned());
        self
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The values of a column that are meant.
    #[must_use]
    pub fn values(&self, column: &str) -> Vec<&str> {
        self.terms.iter().filter(|(of, _)| *of == column).map(|(_, value)| value.as_str()).collect()
    }

    /// The words as they were given.
    #[must_use]
    pub fn words(&self) -> String {
        self.terms.iter().map(|(column, value)| format!("{column}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// Whether a run with this value may be meant.
    pub(crate) fn may_match(&self, column: &str, value: &str) -> bool {
        let values = self.values(column);
        values.is_empty() || values.contains(&value)
    }

    /// Whether a run is meant.
    #[must_use]
    pub fn matches(&self, run: &StoredRun) -> bool {
        let key = run.key();
        let id = run.id().to_string();
        COLUMNS.iter().all(|column| {
            let is = |value: &str| match *column {
                "service" => value == key.service(),
                "build" => value == key.build(),
                "host" => value == key.host(),
                "day" => value == key.day(),
                "kernel" => Some(value) == run.kernel(),
                "cpu_model" => Some(value) == run.cpu_model(),
                "recording" => value == run.recording(),
                // An identifier may be cut short.
                _ => id.starts_with(value),
            };
            let values = self.values(column);
            values.is_empty() || values.into_iter().any(is)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_a_column_and_a_value() {
        let check = |word: &str| Selection::default().with_word(word).map(|selection| selection.words());
        assert_eq!(check("build=5.7=x").unwrap(), "build=5.7=x");
        for word in ["build", "build=", "colour=red", "=5", ""] {
            let error = check(word).unwrap_err().to_string();
            assert!(error.contains("COLUMN=VALUE, with one of service, build"), "{error}");
        }
    }
}
