//! The requests that a program serves: the functions that its dispatcher calls, by kind of request.

use serde::Deserialize;

use super::error::{KnowledgeError, check_rules, parse};
use crate::pattern::PatternSet;

/// The kinds that come with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/requests.toml");

/// Kinds of requests, each with the functions that serve it.
#[derive(Clone, Debug)]
pub struct Requests {
    names: Vec<Box<str>>,
    sets: Vec<PatternSet>,
    /// All patterns, so that a function that serves no request costs one search.
    any: PatternSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    request: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    functions: Vec<String>,
}

impl Requests {
    /// The kinds of one file: tables `[[request]]` with `name` and `functions` (patterns on qualified names).
    ///
    /// # Errors
    /// Returns an error if the text has another form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        check_rules(&file.request)?;
        let all: Vec<String> =
            file.request.iter().flat_map(|entry| entry.functions.iter().cloned()).collect();
        let sets = file.request.iter().map(|entry| PatternSet::new(&entry.functions));
        Ok(Self {
            sets: sets.collect::<Result<_, _>>()?,
            names: file.request.into_iter().map(|entry| entry.name.into()).collect(),
            any: PatternSet::new(&all)?,
        })
    }

    /// The built-in kinds of mysqld.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn builtin() -> Self {
        Self::parse(MYSQLD).expect("the built-in requests are checked by a test")
    }

    /// The number of the kind that a function serves.
    #[must_use]
    pub fn kind(&self, function: &str) -> Option<usize> {
        let kind = || self.sets.iter().position(|set| set.is_match(function));
        self.any.is_match(function).then(kind)?
    }

    /// The name of a kind.
    #[must_use]
    pub fn name(&self, kind: usize) -> &str {
        self.names.get(kind).map_or("", |name| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_all_versions_are_known() {
        let requests = Requests::builtin();
        let name = |function: &str| requests.kind(function).map(|kind| requests.name(kind));
        for function in ["mysql_update", "Sql_cmd_update::execute", "Sql_cmd_update::update_single_table"] {
            assert_eq!(name(function), Some("UPDATE"), "{function}");
        }
        assert_eq!(name("Sql_cmd_insert_values::execute_inner"), Some("INSERT"));
        assert_eq!(name("handle_query"), Some("SELECT"));
        assert_eq!(name("Sql_cmd_dml::execute"), None);
        assert_eq!(name("mysql_execute_command"), None);
    }
}
