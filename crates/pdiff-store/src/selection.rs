//! Which runs of a store are meant: `build=5.7 host=db1 host=db2`.
//!
//! Values of one column are alternatives; all columns that are named have to match.

use std::collections::BTreeSet;

use crate::stored_run::StoredRun;

/// The columns that runs are chosen by.
const COLUMNS: [&str; 8] = ["service", "build", "host", "day", "run", "kernel", "cpu_model", "recording"];

/// Which runs are meant; all of them if nothing is said.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Each of them has to match.
    choices: Vec<Choice>,
}

/// Columns with the values that were given together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Choice {
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
        let term = (column, value.to_owned());
        match self.choices.last_mut() {
            Some(choice) => choice.terms.push(term),
            None => self.choices.push(Choice { terms: vec![term] }),
        }
        self
    }

    /// The runs that both choose: a value of one is no alternative to a value of the other.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.choices.extend(other.choices.iter().cloned());
        self
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty()
    }

    /// The words as they were given.
    #[must_use]
    pub fn words(&self) -> String {
        self.choices.iter().map(Choice::words).collect::<Vec<_>>().join(" and ")
    }

    /// The first column that is named with values that none of these runs has, and the values that they have, sorted; `None` if the
    /// runs have each value, but no run all of them.
    #[must_use]
    pub fn unknown(&self, runs: &[StoredRun]) -> Option<(&'static str, BTreeSet<String>)> {
        let is_unknown = |(column, value): &(&'static str, String)| {
            let alone = Self::default().with(column, value);
            !runs.iter().any(|run| alone.matches(run))
        };
        let (column, _) =
            self.choices.iter().flat_map(|choice| &choice.terms).find(|term| is_unknown(term))?;
        Some((*column, runs.iter().filter_map(|run| value(run, column)).collect()))
    }

    /// Whether a run with this value may be meant.
    pub(crate) fn may_match(&self, column: &str, value: &str) -> bool {
        self.choices.iter().all(|choice| choice.allows(column, |wanted| wanted == value))
    }

    /// Whether a run is meant.
    #[must_use]
    pub fn matches(&self, run: &StoredRun) -> bool {
        self.choices.iter().all(|choice| choice.matches(run))
    }
}

impl Choice {
    fn words(&self) -> String {
        self.terms.iter().map(|(column, value)| format!("{column}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// Whether a column has one of the values that were given, or none was.
    fn allows(&self, column: &str, is: impl Fn(&str) -> bool) -> bool {
        let mut values = self.terms.iter().filter(|(of, _)| *of == column).map(|(_, value)| value).peekable();
        values.peek().is_none() || values.any(|value| is(value))
    }

    fn matches(&self, run: &StoredRun) -> bool {
        COLUMNS.iter().all(|column| {
            let of_run = value(run, column);
            // An identifier may be cut short.
            let is = |of_run: &str, wanted: &str| match *column {
                "run" => of_run.starts_with(wanted),
                _ => of_run == wanted,
            };
            self.allows(column, |wanted| of_run.as_deref().is_some_and(|of_run| is(of_run, wanted)))
        })
    }
}

/// What a run has in a column.
fn value(run: &StoredRun, column: &str) -> Option<String> {
    let key = run.key();
    let text = match column {
        "service" => Some(key.service()),
        "build" => Some(key.build()),
        "host" => Some(key.host()),
        "day" => Some(key.day()),
        "kernel" => run.kernel(),
        "cpu_model" => run.cpu_model(),
        "recording" => Some(run.recording()),
        _ => return Some(run.id().to_string()),
    };
    text.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_given_together_are_alternatives_and_another_choice_narrows_them() {
        let of = |words: &[&str]| {
            words.iter().fold(Selection::default(), |selection, word| selection.with_word(word).unwrap())
        };
        let check = |selection: &Selection, host: &str| selection.may_match("host", host);
        let both = of(&["host=db1", "host=db2", "build=5.7"]);
        let one = both.clone().and(&of(&["host=db2"]));
        assert_eq!((check(&both, "db1"), check(&both, "db2"), check(&both, "db3")), (true, true, false));
        assert_eq!((check(&one, "db1"), check(&one, "db2")), (false, true));
        assert_eq!(one.words(), "host=db1 host=db2 build=5.7 and host=db2");
        assert!(!check(&of(&["host=db1"]).and(&of(&["host=db2"])), "db2"));
        assert!(check(&both.and(&Selection::default()), "db1") && Selection::default().is_empty());
    }

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
