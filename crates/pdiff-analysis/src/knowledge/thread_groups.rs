//! The job of a thread: by its name, else by the root functions in its samples.

use serde::Deserialize;

use super::error::{KnowledgeError, check_rules, parse};
use crate::pattern::PatternSet;

/// The groups that come with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/threads.toml");

/// Rules that name a thread's group.
#[derive(Clone, Debug, Default)]
pub struct ThreadGroups {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    name: Box<str>,
    comms: PatternSet,
    roots: PatternSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    group: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    #[serde(default)]
    comms: Vec<String>,
    #[serde(default)]
    roots: Vec<String>,
}

impl ThreadGroups {
    /// The groups of one file: tables `[[group]]` with `name`, `comms`, `roots`.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        check_rules(&file.group)?;
        let rule = |entry: Entry| -> Result<Rule, KnowledgeError> {
            let (comms, roots) = (PatternSet::new(&entry.comms)?, PatternSet::new(&entry.roots)?);
            Ok(Rule { name: entry.name.into(), comms, roots })
        };
        Ok(Self { rules: file.group.into_iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// The built-in groups of mysqld.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn builtin() -> Self {
        Self::parse(MYSQLD).expect("the built-in thread groups are checked by a test")
    }

    /// The number of the group that a thread's name tells.
    #[must_use]
    pub fn by_comm(&self, comm: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.comms.is_match(comm))
    }

    /// The number of the group that a function in a thread's stacks tells.
    #[must_use]
    pub fn by_root(&self, function: &str) -> Option<usize> {
        self.rules.iter().position(|rule| rule.roots.is_match(function))
    }

    /// The name of a group.
    #[must_use]
    pub fn name(&self, group: usize) -> &str {
        self.rules.get(group).map_or("", |rule| &rule.name)
    }

    /// How many groups there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no group.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_groups_know_connections_by_name_and_by_root() {
        let groups = ThreadGroups::builtin();
        assert_eq!(groups.by_comm("connection").map(|g| groups.name(g)), Some("connections"));
        assert_eq!(groups.by_root("handle_connection").map(|g| groups.name(g)), Some("connections"));
        assert_eq!(groups.by_comm("mysqld"), None);
    }
}
