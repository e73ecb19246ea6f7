//! Namespaces that carry a version (`absl::lts_20260526`, `fmt::v12`): two builds have them under different names, and so all functions
//! in them, and all that have a type of them as template argument.
//!
//! In: the names of both builds. Out: which namespace of Before is which of After, and names with Before's namespaces called as in
//! After. Two namespaces are one if only digits and underscores of their names differ, each build has but one of them, and
//! several functions of several scopes have equal names then.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashSet;

/// So many names must be equal when the namespace is called alike: fewer are by chance.
const LEAST_EQUAL: usize = 5;

/// They must be in so many scopes of the namespace: the methods of two classes may have equal names (`Sha256`, `Sha512`).
const LEAST_SCOPES: usize = 2;

/// The namespaces that both builds have under different names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct VersionedScopes {
    renamed: Vec<PerSide<Scope>>,
}

/// A namespace of one build.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Scope {
    /// With all that it is in: `absl::lts_20260526::`.
    path: String,
    /// Its own part as linkage names spell it: `12lts_20260526`.
    in_symbols: String,
}

impl Scope {
    fn new(path: &str) -> Self {
        let own = path.rsplit("::").next().unwrap_or(path);
        Self { path: format!("{path}::"), in_symbols: format!("{}{own}", own.len()) }
    }
}

impl VersionedScopes {
    /// The namespaces of two lists of names, without parameters.
    pub(crate) fn new(names: &PerSide<Vec<&str>>) -> Self {
        let scopes = names
            .as_ref()
            .map(|names| names.iter().flat_map(|name| versioned(name)).collect::<FxHashSet<&str>>());
        let mut alike: BTreeMap<(&str, String), PerSide<Vec<&str>>> = BTreeMap::new();
        for side in Side::BOTH {
            for path in scopes[side].difference(&scopes[side.other()]) {
                let (parent, own) = path.rsplit_once("::").unwrap_or(("", path));
                let letters = own.replace(|c: char| c == '_' || c.is_ascii_digit(), "");
                alike.entry((parent, letters)).or_default()[side].push(path);
            }
        }
        let lone = alike.into_values().filter_map(|paths| match (&*paths.before, &*paths.after) {
            ([before], [after]) => Some(PerSide::new(Scope::new(before), Scope::new(after))),
            _ => None,
        });
        let renamed = lone.filter(|scope| {
            let rest = PerSide::from_fn(|side| -> BTreeSet<&str> {
                names[side].iter().filter_map(|name| name.strip_prefix(&*scope[side].path)).collect()
            });
            let equal: Vec<&&str> = rest.before.intersection(&rest.after).collect();
            let inner = equal.iter().filter_map(|name| Some(name.split_once("::")?.0));
            equal.len() >= LEAST_EQUAL && inner.collect::<BTreeSet<&str>>().len() >= LEAST_SCOPES
        });
        Self { renamed: renamed.collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.renamed.is_empty()
    }

    /// A name, with or without parameters, as After calls it; `None` if it has none of the namespaces.
    pub(crate) fn of_after<'a>(&self, name: &'a str) -> Option<Cow<'a, str>> {
        let follows_name = |head: &str| head.ends_with(|c: char| c == '_' || c == ':' || c.is_alphanumeric());
        self.replaced(name, |scope| &scope.path, follows_name)
    }

    /// The same of a linkage name.
    pub(crate) fn symbol_of_after<'a>(&self, symbol: &'a str) -> Option<Cow<'a, str>> {
        self.replaced(symbol, |scope| &scope.in_symbols, |head| head.ends_with(|c: char| c.is_ascii_digit()))
    }

    fn replaced<'a>(
        &self,
        name: &'a str,
        text: impl Fn(&Scope) -> &str,
        is_inside: impl Fn(&str) -> bool,
    ) -> Option<Cow<'a, str>> {
        let mut found: Option<Cow<'a, str>> = None;
        for scope in &self.renamed {
            let (before, after) = (text(&scope.before), text(&scope.after));
            let known = found.as_deref().unwrap_or(name);
            if known.contains(before) {
                found = Some(Cow::Owned(replace(known, before, after, &is_inside)));
            } else if found.is_none() && name.contains(after) {
                found = Some(Cow::Borrowed(name));
            }
        }
        found
    }
}

/// A text with one part replaced, wherever the text ahead of it does not say that it is inside a longer one.
fn replace(text: &str, from: &str, to: &str, is_inside: impl Fn(&str) -> bool) -> String {
    let mut made = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(from) {
        let (head, tail) = (text.get(..at).unwrap_or(""), at + from.len());
        made.push_str(text.get(done..at).unwrap_or(""));
        made.push_str(if is_inside(head) { from } else { to });
        done = tail;
    }
    made.push_str(text.get(done..).unwrap_or(""));
    made
}

/// The scopes of a name whose own part has letters and digits, from the outermost on, up to the first that is more than a word.
fn versioned(name: &str) -> impl Iterator<Item = &str> {
    let is_plain = |part: &str| part.chars().all(|c| c == '_' || c.is_alphanumeric());
    let mut start = 0;
    let ends = std::iter::from_fn(move || {
        let rest = name.get(start..)?;
        let length = rest.find("::")?;
        let part = rest.get(..length)?;
        start += length + "::".len();
        is_plain(part).then_some((part, start - "::".len()))
    });
    let carries = |part: &str| {
        part.contains(|c: char| c.is_ascii_digit()) && part.contains(|c: char| c.is_ascii_alphabetic())
    };
    ends.filter(move |(part, _)| carries(part)).filter_map(|(_, end)| name.get(..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(before: &[&str], after: &[&str]) -> VersionedScopes {
        VersionedScopes::new(&PerSide::new(before.to_vec(), after.to_vec()))
    }

    fn of(scope: &str) -> Vec<String> {
        let inner = ["Cord::Append", "Cord::Find", "Map<int>::insert", "Hash::Mix", "join"];
        inner.iter().map(|rest| format!("{scope}::{rest}")).collect()
    }

    fn between(before: &str, after: &str) -> VersionedScopes {
        let names = [of(before), of(after)];
        let [before, after] =
            names.each_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
        scopes(&before, &after)
    }

    #[test]
    fn a_namespace_of_another_version_is_the_same() {
        let scopes = between("absl::lts_2020_09_23", "absl::lts_20260526");
        let name = |name| scopes.of_after(name).map(Cow::into_owned);
        assert_eq!(
            name("std::vector<absl::lts_2020_09_23::Cord, absl::lts_2020_09_23::A>::at").unwrap(),
            "std::vector<absl::lts_20260526::Cord, absl::lts_20260526::A>::at"
        );
        assert_eq!(name("absl::lts_20260526::Cord::Find").unwrap(), "absl::lts_20260526::Cord::Find");
        assert_eq!(name("other::absl::lts_2020_09_23::f").unwrap(), "other::absl::lts_2020_09_23::f");
        assert_eq!(name("main"), None);
        assert_eq!(
            scopes.symbol_of_after("_ZN4absl14lts_2020_09_234Cord6AppendEv").unwrap(),
            "_ZN4absl12lts_202605264Cord6AppendEv"
        );
    }

    #[test]
    fn other_letters_other_parents_and_few_names_are_no_version() {
        assert!(between("absl::lts_1", "absl::dev_2").is_empty());
        assert!(between("a::v1", "b::v2").is_empty());
        assert!(between("fmt::v1", "fmt::v1").is_empty());
        assert!(scopes(&["fmt::v1::A::f", "fmt::v1::B::g"], &["fmt::v2::A::f", "fmt::v2::B::g"]).is_empty());
        // Methods of two classes.
        let of = |class: &str| ["a", "b", "c", "d", "e"].map(|method| format!("{class}::{method}"));
        let (before, after) = (of("Sha256"), of("Sha512"));
        assert!(scopes(&before.each_ref().map(|n| &**n), &after.each_ref().map(|n| &**n)).is_empty());
    }

    #[test]
    fn versions_that_one_build_has_side_by_side_are_different_namespaces() {
        let both = [of("fmt::v1"), of("fmt::v2")].concat();
        let (both, third) = (both, of("fmt::v3"));
        let [both, third] = [&both, &third].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(scopes(&both, &third).is_empty());
    }
}
