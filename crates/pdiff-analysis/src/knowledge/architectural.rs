//! Costs of design: functions that are slower for a reason, and the reason.

use serde::Deserialize;

use super::error::{KnowledgeError, check_rules, parse};
use crate::pattern::PatternSet;

/// The rules that come with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/architectural.toml");

/// Rules that name costs of design.
#[derive(Clone, Debug, Default)]
pub struct Architectural {
    rules: Vec<ArchitecturalRule>,
}

/// One cost of design.
#[derive(Clone, Debug)]
pub struct ArchitecturalRule {
    name: String,
    reason: String,
    functions: PatternSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    name: String,
    functions: Vec<String>,
    reason: String,
}

impl ArchitecturalRule {
    /// What the design is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why it costs.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl Architectural {
    /// The rules of one file: tables `[[rule]]` with `name`, `functions` (patterns on qualified names) and `reason`.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        check_rules(&file.rule)?;
        let rule = |rule: Rule| -> Result<ArchitecturalRule, KnowledgeError> {
            let functions = PatternSet::new(&rule.functions)?;
            Ok(ArchitecturalRule { name: rule.name, reason: rule.reason, functions })
        };
        Ok(Self { rules: file.rule.into_iter().map(rule).collect::<Result<_, _>>()? })
    }

    /// The built-in rules of mysqld.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn mysqld() -> Self {
        Self::parse(MYSQLD).expect("the built-in rules are checked by a test")
    }

    /// The first rule that names a function.
    #[must_use]
    pub fn rule(&self, function: &str) -> Option<&ArchitecturalRule> {
        self.rules.iter().find(|rule| rule.functions.is_match(function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_rules_name_the_lock_system() {
        let rules = Architectural::mysqld();
        let rule = rules.rule("locksys::Global_shared_latch_guard::Global_shared_latch_guard");
        assert_eq!(rule.map(ArchitecturalRule::name), Some("sharded lock-sys latches"));
        assert!(rules.rule("cmp_data").is_none());
    }
}
