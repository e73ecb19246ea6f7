//! Known renames between builds.

use std::hash::{Hash, Hasher};
use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::error::{KnowledgeError, parse};
use crate::matching::LIBRARIES;

/// The renames that come with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/aliases.toml");

/// Renames: a name of the base build and what the other build calls it.
#[derive(Clone, Debug, Default)]
pub struct Aliases {
    names: FxHashMap<Box<str>, Vec<Box<str>>>,
    prefixes: Vec<(Box<str>, Box<str>)>,
}

/// The same renames have the same hash, in whatever order the map has them.
impl Hash for Aliases {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut names: Vec<_> = self.names.iter().collect();
        names.sort_unstable();
        (names, &self.prefixes).hash(state);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    alias: Vec<Rename>,
    #[serde(default)]
    prefix: Vec<Rename>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    before: String,
    after: String,
}

impl Aliases {
    /// The renames of one file: tables `[[alias]]` and `[[prefix]]` with `before` and `after`.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        let mut names: FxHashMap<Box<str>, Vec<Box<str>>> = FxHashMap::default();
        for rename in file.alias {
            names.entry(rename.before.into()).or_default().push(rename.after.into());
        }
        let prefixes =
            file.prefix.into_iter().map(|rename| (rename.before.into(), rename.after.into())).collect();
        Ok(Self { names, prefixes })
    }

    /// The built-in renames of mysqld.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn mysqld() -> Self {
        static PARSED: LazyLock<Aliases> =
            LazyLock::new(|| Aliases::parse(MYSQLD).expect("the built-in aliases are checked by a test"));
        PARSED.clone()
    }

    /// All renames of both; those of `other` come first.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        for (before, mut after) in other.names {
            let known = self.names.entry(before).or_default();
            after.append(known);
            *known = after;
        }
        let own = std::mem::replace(&mut self.prefixes, other.prefixes);
        self.prefixes.extend(own);
        self
    }

    /// Takes in one more rename, before those of the same name.
    pub fn insert(&mut self, before: &str, after: &str) {
        self.names.entry(before.into()).or_default().insert(0, after.into());
    }

    /// Whether there may be a rename of a name that begins with `head`.
    pub(crate) fn may_begin_with(&self, head: &str) -> bool {
        self.names.keys().any(|name| name.starts_with(head))
            || self.prefixes.iter().any(|(from, _)| from.starts_with(head) || head.starts_with(&**from))
    }

    /// Whether there may be renames of library functions, or to such.
    #[must_use]
    pub fn concern_libraries(&self) -> bool {
        let new = self.names.values().flatten().chain(self.prefixes.iter().map(|(_, to)| to));
        let is_new = |namespace: &str| {
            new.clone().any(|name| name.starts_with(namespace) || namespace.starts_with(&**name))
        };
        LIBRARIES.iter().any(|namespace| self.may_begin_with(namespace) || is_new(namespace))
    }

    /// The names that a name of the base build may have in the other build, best guess first.
    pub fn after_names(&self, before: &str) -> Vec<String> {
        let exact = self.names.get(before).into_iter().flatten().map(|after| after.to_string());
        // Most names begin as no prefix does.
        let first = before.bytes().next();
        let may_begin = |from: &str| from.bytes().next().is_none_or(|byte| Some(byte) == first);
        let prefixes = self.prefixes.iter().filter(|(from, _)| may_begin(from));
        let renamed =
            prefixes.filter_map(|(from, to)| before.strip_prefix(&**from).map(|rest| format!("{to}{rest}")));
        exact.chain(renamed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_is_found_by_name_then_by_prefix() {
        let aliases = Aliases::parse(
            "[[alias]]\nbefore='st_x::f'\nafter='X::g'\n[[prefix]]\nbefore='st_x::'\nafter='X::'\n",
        );
        assert_eq!(aliases.unwrap().after_names("st_x::f"), ["X::g", "X::f"]);
    }

    #[test]
    fn renames_of_library_functions_are_known_by_their_namespaces() {
        let concerns = |before: &str, after: &str| {
            let text = format!("[[prefix]]\nbefore='{before}'\nafter='{after}'\n");
            Aliases::parse(&text).unwrap().concern_libraries()
        };
        assert!(
            concerns("os_atomic_", "std::atomic::") && concerns("boost::", "own::") && concerns("s", "x::")
        );
        assert!(!concerns("st_x::", "X::") && !Aliases::mysqld().concern_libraries());
    }

    #[test]
    fn a_misspelt_key_is_told_with_its_line() {
        let error = Aliases::parse("[[alias]]\nbefore='a'\nafther='b'\n").unwrap_err();
        assert!(matches!(error, KnowledgeError::Form { line: 3, .. }), "{error}");
    }

    #[test]
    fn the_built_in_renames_are_of_the_documented_form() {
        assert_eq!(Aliases::mysqld().after_names("mtr_commit"), ["mtr_t::commit"]);
    }
}
