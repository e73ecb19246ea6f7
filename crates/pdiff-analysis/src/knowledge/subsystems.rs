//! Which part of a program a function belongs to.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::error::{KnowledgeError, check_rules, parse};
use crate::pattern::{Pattern, PatternError, PatternSet};

/// The rules that come with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/subsystems.toml");

/// Rules that name a function's subsystem, by source file first, by name otherwise.
#[derive(Clone, Debug, Default)]
pub struct Subsystems {
    rules: Vec<Rule>,
    thread_starts: Vec<PatternSet>,
}

#[derive(Clone, Debug)]
struct Rule {
    name: Arc<str>,
    objects: ObjectRule,
    files: Option<PatternSet>,
    functions: Option<PatternSet>,
    is_of_callers: bool,
}

/// The part of a program that a function belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Subsystem {
    /// Its name; `other (OBJECT)` if no rule applies.
    pub name: Arc<str>,
    /// Whether copies inlined into other functions belong to those.
    pub is_of_callers: bool,
}

/// The rules that apply to one object.
pub(crate) struct ObjectSubsystems<'a> {
    /// The name of the group for functions to which no rule applies.
    other: Arc<str>,
    rules: Vec<&'a Rule>,
    /// By source file: the rule for all functions in it.
    by_file: FxHashMap<&'a str, &'a Rule>,
}

#[derive(Clone, Debug)]
enum ObjectRule {
    Any,
    Program(Pattern),
    Listed(PatternSet),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    object: Option<String>,
    #[serde(default)]
    thread_starts: Vec<String>,
    subsystem: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    files: Option<Vec<String>>,
    functions: Option<Vec<String>>,
    objects: Option<Vec<String>>,
    #[serde(default)]
    inlined_is_of_callers: bool,
}

/// Where a function stands, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct FunctionPlace<'a> {
    /// Qualified name.
    pub name: &'a str,
    /// File name of the object.
    pub object: &'a str,
    /// Source file.
    pub file: Option<&'a str>,
}

/// Makes a set of patterns: those that come with pdiff are known to be right.
type MakeSet = fn(&[String]) -> Result<PatternSet, PatternError>;

impl Subsystems {
    /// The rules of one file: `object`, `thread_starts`, and tables `[[subsystem]]` with `name` and any of `files`,
    /// `functions`, `objects`, `inlined_is_of_callers`.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        Self::read(text, PatternSet::new)
    }

    fn read(text: &str, set: MakeSet) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        check_rules(&file.subsystem)?;
        let program = file.object.as_deref().map(str::parse::<Pattern>).transpose()?;
        let rules = file.subsystem.into_par_iter().map(|entry| Rule::new(entry, program.as_ref(), set));
        // Of several wrong rules the first is told, whichever thread came to it first.
        let rules: Vec<Result<Rule, KnowledgeError>> = rules.collect();
        Ok(Self {
            rules: rules.into_iter().collect::<Result<_, _>>()?,
            thread_starts: vec![set(&file.thread_starts)?],
        })
    }

    /// The built-in rules: mysqld, the kernel and the C and C++ libraries.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn builtin() -> Self {
        Self::read(MYSQLD, PatternSet::unchecked).expect("the built-in subsystems are checked by a test")
    }

    /// The rules of `self`, and those of `other` where none of them holds.
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.rules.extend(other.rules);
        self.thread_starts.extend(other.thread_starts);
        self
    }

    /// Whether a function is where threads begin: it has the work of others below it and no part in it.
    #[must_use]
    pub fn is_thread_start(&self, name: &str) -> bool {
        self.thread_starts.iter().any(|starts| starts.is_match(name))
    }

    /// The subsystem of a function.
    #[must_use]
    pub fn subsystem(&self, place: FunctionPlace<'_>) -> Subsystem {
        let files = place.file.into_iter().collect();
        self.of_object(place.object, &files).subsystem(place.name, place.file)
    }

    /// The rules for the functions of one object, of which there are many in each of its source files.
    pub(crate) fn of_object<'a>(
        &'a self,
        object: &'a str,
        files: &FxHashSet<&'a str>,
    ) -> ObjectSubsystems<'a> {
        let rules: Vec<&Rule> = self.rules.iter().filter(|rule| rule.speaks_of(object)).collect();
        let is_of = |rule: &Rule, file| rule.files.as_ref().is_some_and(|set| set.is_match(file));
        let by_file = |file: &&'a str| {
            let rule = rules.iter().find(|rule| is_of(rule, file))?;
            Some((*file, *rule))
        };
        let other = format!("other ({object})").into();
        ObjectSubsystems { other, by_file: files.par_iter().filter_map(by_file).collect(), rules }
    }
}

impl ObjectSubsystems<'_> {
    /// The subsystem of a function of the object, by its qualified name and its source file, which is one of those given.
    pub(crate) fn subsystem(&self, name: &str, file: Option<&str>) -> Subsystem {
        let by_file = file.and_then(|file| self.by_file.get(file).copied());
        let by_name = || self.rules.iter().copied().find(|rule| rule.holds_by_name(name));
        let found = by_file.or_else(by_name);
        Subsystem {
            name: Arc::clone(found.map_or(&self.other, |rule| &rule.name)),
            is_of_callers: found.is_some_and(|rule| rule.is_of_callers),
        }
    }
}

impl Rule {
    fn new(entry: Entry, program: Option<&Pattern>, set: MakeSet) -> Result<Self, KnowledgeError> {
        let objects = match (&entry.objects, program) {
            (Some(listed), _) => ObjectRule::Listed(set(listed)?),
            (None, Some(program)) => ObjectRule::Program(program.clone()),
            (None, None) => ObjectRule::Any,
        };
        let list = |patterns: &Option<Vec<String>>| patterns.as_deref().map(set).transpose();
        Ok(Self {
            objects,
            files: list(&entry.files)?,
            functions: list(&entry.functions)?,
            is_of_callers: entry.inlined_is_of_callers,
            name: entry.name.into(),
        })
    }

    fn speaks_of(&self, object: &str) -> bool {
        match &self.objects {
            ObjectRule::Any => true,
            ObjectRule::Program(program) => program.is_match(object),
            ObjectRule::Listed(listed) => listed.is_match(object),
        }
    }

    /// A rule with neither files nor functions holds for everything in its objects.
    fn holds_by_name(&self, name: &str) -> bool {
        match (&self.functions, &self.files) {
            (Some(functions), _) => functions.is_match(name),
            (None, files) => files.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_file_decides_before_the_name() {
        let rules = "object='^x$'\n[[subsystem]]\nname='log'\nfiles=['log/']\nfunctions=['^log_']\n\
                     [[subsystem]]\nname='btr'\nfiles=['btr/']\nfunctions=['^btr_']\n\
                     [[subsystem]]\nname='libc'\nobjects=['^libc']\n";
        let rules = Subsystems::parse(rules).unwrap();
        let check = |name, object, file, expected: &str| {
            assert_eq!(rules.subsystem(FunctionPlace { name, object, file }).name, expected.into());
        };
        check("log_write", "x", Some("src/btr/a.cc"), "btr");
        check("log_write", "x", None, "log");
        check("btr_x", "x", Some("src/unknown.cc"), "btr");
        check("main", "x", None, "other (x)");
        check("memcpy", "libc.so.6", None, "libc");
        check("log_write", "y", None, "other (y)");
    }

    #[test]
    fn the_built_in_patterns_are_right() {
        Subsystems::parse(MYSQLD).unwrap();
    }

    #[test]
    fn the_built_in_rules_know_the_redo_log() {
        let place = FunctionPlace { name: "log_writer", object: "mysqld", file: None };
        assert_eq!(Subsystems::builtin().subsystem(place).name, "redo log".into());
    }

    #[test]
    fn the_built_in_rules_know_what_is_of_callers_and_where_threads_begin() {
        let rules = Subsystems::builtin();
        let is_of_callers =
            |name| rules.subsystem(FunctionPlace { name, object: "mysqld", file: None }).is_of_callers;
        assert!(is_of_callers("std::vector<int>::push_back") && !is_of_callers("log_writer"));
        let starts = ["pfs_spawn_thread", "start_thread", "__clone3", "clone", "_start", "__libc_start_main"];
        assert!(starts.iter().all(|name| rules.is_thread_start(name)));
        assert!(rules.is_thread_start("std::thread::_State_impl<x>::_M_run"));
        assert!(!["handle_connection", "clone_begin", "main"].iter().any(|name| rules.is_thread_start(name)));
    }
}
