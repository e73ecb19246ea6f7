//! The spellings of a name at the looser levels, and the words in it.

use std::sync::OnceLock;

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::names::{FunctionName, loose_name};

/// Ends of names that say how a function is built, not what it does.
const BUILD_SUFFIXES: [&str; 3] = ["_func", "_low", "_impl"];
/// Shortest last part that may match on its own; shorter ones are everywhere.
const MIN_UNQUALIFIED_BYTES: usize = 5;
/// Words that say nothing.
const STOP_WORDS: [&str; 6] = ["t", "st", "func", "low", "impl", "std"];

/// Namespaces of libraries that both builds bring along.
pub(super) const LIBRARIES: [&str; 5] = ["std::", "__gnu_cxx::", "boost::", "google::", "rapidjson::"];

/// The spellings of a build's functions, each made when it is first asked for: most functions find their partner by
/// stricter levels, and half of a large C++ program is library code, which looser ones leave alone.
#[derive(Debug)]
pub(super) struct Spellings<'a> {
    census: &'a Census,
    made: Vec<OnceLock<Spelling>>,
}

impl<'a> Spellings<'a> {
    pub(super) fn new(census: &'a Census) -> Self {
        Self { census, made: census.functions().map(|_| OnceLock::new()).collect() }
    }

    /// The spellings of one of the build's functions.
    pub(super) fn get(&self, id: FunctionId) -> Option<&Spelling> {
        let make = || Spelling::of_qualified(self.census.function(id).map_or("", Function::name));
        self.made.get(id.index()).map(|spelling| spelling.get_or_init(make))
    }

    /// Whether one of the build's functions is library code.
    pub(super) fn is_library(&self, id: FunctionId) -> bool {
        let name = self.census.function(id).map_or("", Function::name);
        is_plainly_library(name) || self.get(id).is_some_and(|spelling| spelling.is_library)
    }
}

/// The spellings of one function that matching compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spelling {
    /// Without template arguments.
    pub(super) loose: Box<str>,
    /// Whether the name is of a library that both builds bring along: such code is not renamed, but replaced.
    pub(super) is_library: bool,
}

impl Spelling {
    /// Of a name as anybody writes it.
    pub(super) fn of(name: &str) -> Self {
        Self::of_loose(FunctionName::parse(name).loose().into())
    }

    /// Of a name as a census has it.
    fn of_qualified(name: &str) -> Self {
        Self::of_loose(loose_name(name).map_or_else(|| name.into(), Into::into))
    }

    fn of_loose(loose: Box<str>) -> Self {
        let is_library = is_library_spelling(&loose);
        Self { loose, is_library }
    }

    /// The last part, as it is.
    pub(super) fn last(&self) -> &str {
        parts(&self.loose).pop().unwrap_or(&self.loose)
    }

    /// Without namespaces: scopes in lower case that do not end in `_t`, the way most code writes them.
    /// Library code has none such: its namespace is what tells it from others.
    pub(super) fn without_namespaces(&self) -> Option<String> {
        if self.is_library {
            return None;
        }
        let parts = parts(&self.loose);
        let is_namespace = |part: &&str| {
            part.starts_with(|c: char| c.is_ascii_lowercase()) && !part.ends_with("_t")
                || part.starts_with("(anonymous")
        };
        let (last, scopes) = parts.split_last()?;
        let kept: Vec<&str> = scopes.iter().copied().skip_while(is_namespace).chain([*last]).collect();
        Some(kept.join("::"))
    }

    /// The last part, if it can stand for the whole.
    pub(super) fn unqualified(&self) -> Option<&str> {
        let last = parts(&self.loose).pop()?;
        let is_name =
            last.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') && !last.starts_with("operator");
        (is_name && last.len() >= MIN_UNQUALIFIED_BYTES).then_some(last)
    }

    /// Scope and name in one: `x_t::y` and `x_y_func` are `x_y`.
    pub(super) fn flattened(&self) -> Option<String> {
        let parts = parts(&self.loose);
        let (last, scopes) = parts.split_last()?;
        if last.starts_with(['~', '(', '{']) || last.starts_with("operator") {
            return None;
        }
        let mut name = String::new();
        for scope in scopes.iter().filter(|scope| !scope.starts_with(['(', '{'])) {
            name.push_str(scope.strip_suffix("_t").unwrap_or(scope));
            name.push('_');
        }
        name.push_str(last);
        let base = BUILD_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name);
        (base.len() >= MIN_UNQUALIFIED_BYTES).then(|| base.to_ascii_lowercase())
    }

    /// The words in the name, sorted, each once.
    pub(super) fn words(&self) -> Vec<Box<str>> {
        let mut words = Vec::new();
        for piece in self.loose.split(|c: char| !c.is_ascii_alphanumeric()) {
            split_camel(piece, &mut words);
        }
        words.retain(|word| !STOP_WORDS.contains(&&**word));
        words.sort_unstable();
        words.dedup();
        words
    }
}

/// Whether a loose spelling is of a library.
fn is_library_spelling(loose: &str) -> bool {
    let mut name = loose;
    for thunk in ["non-virtual thunk to ", "virtual thunk to "] {
        while let Some(rest) = name.strip_prefix(thunk) {
            name = rest;
        }
    }
    let is_unnamed = name.starts_with('(') && !name.starts_with("(anonymous");
    is_unnamed
        || LIBRARIES.iter().chain(&["operator", "__", "<", "_GLOBAL_"]).any(|prefix| name.starts_with(prefix))
        || name.contains("{lambda")
}

/// Whether a name is of a library however the rest of it is spelled: it begins with the library's namespace, and no
/// parameters end it, so that what stands before its last blank is no return type.
pub(super) fn is_plainly_library(name: &str) -> bool {
    let in_namespace = LIBRARIES
        .iter()
        .find_map(|namespace| name.strip_prefix(namespace))
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()));
    let may_end_parameters = [")", "const", "volatile", "noexcept", "&", " "];
    in_namespace && !may_end_parameters.iter().any(|end| name.ends_with(end)) && !name.contains("requires ")
}

/// Whether a function of this name comes from a library that both builds bring along.
pub(crate) fn is_library(name: &str) -> bool {
    is_plainly_library(name) || Spelling::of(name).is_library
}

/// The parts of a name between `::`, those inside of brackets left whole.
fn parts(name: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    let bytes = name.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && at >= start && bytes.get(at + 1) == Some(&b':') => {
                parts.extend(name.get(start..at));
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.extend(name.get(start..));
    parts
}

/// Splits `PolicyMutex` into `policy` and `mutex`, `THDInit` into `thd` and `init`.
fn split_camel(piece: &str, words: &mut Vec<Box<str>>) {
    let bytes = piece.as_bytes();
    let mut start = 0;
    for at in 1..=bytes.len() {
        let ends = match (bytes.get(at - 1), bytes.get(at), bytes.get(at + 1)) {
            (_, None, _) => true,
            (Some(a), Some(b), _) if !a.is_ascii_uppercase() && b.is_ascii_uppercase() => true,
            (Some(a), Some(b), Some(c)) => {
                a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase()
            }
            _ => false,
        };
        if ends && at > start {
            words.extend(piece.get(start..at).map(|word| word.to_ascii_lowercase().into()));
            start = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_flattened() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(Spelling::of(name).flattened().as_deref(), expected, "{name}");
        };
        check("mtr_t::commit", Some("mtr_commit"));
        check("mtr_commit", Some("mtr_commit"));
        check("mem_heap_create_func", Some("mem_heap_create"));
        check("btr_pcur_t::store_position", Some("btr_pcur_store_position"));
        check("A::~A", None);
        check("f", None);
    }

    #[test]
    fn a_library_is_told_by_the_head_only_where_the_whole_agrees() {
        let check = |name: &str, is_plain: bool, is_library: bool| {
            assert_eq!(
                (is_plainly_library(name), Spelling::of(name).is_library),
                (is_plain, is_library),
                "{name}"
            );
        };
        check("std::vector<int>::size", true, true);
        check("std::function<void (int)>::operator bool", true, true);
        check("boost::f<std::string const&>", true, true);
        check("std::vector<int> f<int>(int)", false, false);
        check("std::vector<int> f<int>() const", false, false);
        check("std::vector<int>::operator()", false, true);
        check("f(int)::{lambda()#1}::operator()", false, true);
        check("virtual thunk to std::ostream::~ostream", false, true);
        check("stdio::read", false, false);
    }

    #[test]
    fn names_fall_into_words() {
        let words = |name: &str| Spelling::of(name).words().join(" ");
        assert_eq!(words("PolicyMutex<TTASMutex>::enter_func"), "enter mutex policy");
        assert_eq!(words("THDInit::log2Redo"), "init log2 redo thd");
    }

    #[test]
    fn namespaces_are_dropped_and_classes_kept() {
        let check = |name: &str, expected: &str| {
            assert_eq!(Spelling::of(name).without_namespaces().as_deref(), Some(expected));
        };
        check("dd::cache::Element::lock", "Element::lock");
        check("(anonymous namespace)::f", "f");
        check("mtr_t::commit", "mtr_t::commit");
    }
}
