//! Busy waiting and idling by function name.

use serde::Deserialize;

use super::error::{KnowledgeError, parse};
use crate::pattern::PatternSet;

/// The list that comes with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/spin.toml");

/// Functions in which a CPU busy-waits, and the kernel's idle task.
#[derive(Clone, Debug)]
pub struct SpinList {
    spin: PatternSet,
    idle: PatternSet,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    functions: Vec<String>,
    #[serde(default)]
    idle: Vec<String>,
}

impl SpinList {
    /// A list of one file: `functions` and `idle`, patterns on qualified names.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        Ok(Self { spin: PatternSet::new(&file.functions)?, idle: PatternSet::new(&file.idle)? })
    }

    /// The built-in list.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn builtin() -> Self {
        Self::parse(MYSQLD).expect("the built-in spin list is checked by a test")
    }

    /// Whether the function busy-waits.
    #[must_use]
    pub fn is_spin(&self, function: &str) -> bool {
        self.spin.is_match(function)
    }

    /// Whether the function is the kernel's idle task.
    #[must_use]
    pub fn is_idle(&self, function: &str) -> bool {
        self.idle.is_match(function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_knows_ut_delay_and_the_idle_task() {
        let list = SpinList::builtin();
        assert!(list.is_spin("ut_delay") && !list.is_spin("ut_delayed"));
        assert!(list.is_idle("default_idle") && !list.is_idle("ut_delay"));
    }
}
