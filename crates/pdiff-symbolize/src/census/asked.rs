//! Library functions that a census is asked for, by their names, and their mangled names.
//!
//! In: qualified names. Out: whether a mangled name is that of a library function, and of one that is asked for. Only those
//! are demangled that contain all words of a name asked for, and whose last part, where debug information tells it, is that
//! of one.

use std::borrow::Cow;

use pdiff_profile::names::{SymbolWords, loose_name};
use rustc_hash::FxHashSet;

use super::identity::Name;

/// The namespaces of library code, as names begin and as mangled names do.
const LIBRARIES: [(&str, &[&str]); 5] = [
    ("std::", &["St", "Sa", "Ss", "Sb"]),
    ("__gnu_cxx::", &["9__gnu_cxx"]),
    ("boost::", &["5boost"]),
    ("google::", &["6google"]),
    ("rapidjson::", &["9rapidjson"]),
];

/// Library functions by name. Of those that are only inlined no others are in a census that is made for them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct AskedNames {
    /// Qualified names, sorted.
    names: Vec<Box<str>>,
    words: SymbolWords,
    /// Their last parts, without template arguments.
    last_parts: FxHashSet<Box<str>>,
    has_operator: bool,
    /// Whether there is another name whose last part debug information may write in another way.
    has_odd: bool,
}

impl AskedNames {
    /// Of the names those of library functions; all others are in every census.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let is_library = |name: &&str| LIBRARIES.iter().any(|(namespace, _)| name.starts_with(namespace));
        let mut asked = Self { names: names.filter(is_library).map(Box::from).collect(), ..Self::default() };
        asked.names.sort_unstable();
        asked.names.dedup();
        asked.words = SymbolWords::new(asked.names());
        for name in &asked.names {
            let loose = loose_name(name).map_or(Cow::Borrowed(&**name), Cow::Owned);
            let is_operator = loose.contains("operator");
            let last = plain_last_part(&loose);
            asked.has_operator |= is_operator;
            asked.has_odd |= !is_operator && last.is_none();
            asked.last_parts.extend(last.map(Box::from));
        }
        asked
    }

    /// The names, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// Whether all names of `other` are among these.
    pub(crate) fn contains_all(&self, other: &Self) -> bool {
        other.names().all(|name| self.contains(name))
    }

    fn contains(&self, name: &str) -> bool {
        self.names.binary_search_by(|own| (**own).cmp(name)).is_ok()
    }

    /// Whether a function that debug information calls so, without scope, may be asked for.
    pub(super) fn may_be_called(&self, name: &str) -> bool {
        let plain = name.split('<').next().unwrap_or("");
        // A class may be written by its short name, and so its constructors: `std::string::string`.
        let may_be_short = || plain.trim_start_matches('~').starts_with("basic_");
        plain.is_empty()
            || self.has_odd
            || self.has_operator && plain.starts_with("operator")
            || self.last_parts.contains(plain)
            || may_be_short()
    }

    /// Whether the function of a mangled name of a library is asked for.
    pub(super) fn asks_for(&self, symbol: &str) -> bool {
        self.words.may_be_of(symbol) && self.contains(&Name::of_symbol(symbol).qualified)
    }
}

/// The last part of a loose name, without its ABI tag or that of a stub (`@plt`); none where it is not a plain one.
fn plain_last_part(loose: &str) -> Option<&str> {
    let (_, last) = loose.rsplit_once("::")?;
    let (plain, _) = last.split_once(['[', '@']).unwrap_or((last, ""));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_~$".contains(&byte);
    Some(plain).filter(|plain| !plain.is_empty() && plain.bytes().all(is_plain))
}

/// Whether a mangled name is that of a function in a namespace of a library.
pub(super) fn is_library(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("_Z") else { return false };
    let begins = |name: &str| {
        let of_all = LIBRARIES.iter().flat_map(|(_, mangled)| *mangled);
        of_all.into_iter().any(|mangled| name.starts_with(mangled))
    };
    match name.strip_prefix('N') {
        Some(nested) => begins(nested.strip_prefix('K').unwrap_or(nested)),
        None => name.starts_with("St"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INLINED: [&str; 9] = [
        "_ZNSt6vectorIiSaIiEE9push_backERKi",
        "_ZNSt6vectorIiSaIiEED2Ev",
        "_ZNKSt10unique_ptrI3fooSt14default_deleteIS0_EEdeEv",
        "_ZNSaIcEC2Ev",
        "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4sizeEv",
        "_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_",
        "_ZStltIcEbRKSt6vectorIT_S1_E",
        "_ZN9__gnu_cxx5__ops15_Iter_less_iter4callILm16EEEvv",
        "_ZN5boost4funcEv",
    ];

    #[test]
    fn a_function_is_asked_for_by_its_qualified_name_alone() {
        for symbol in INLINED {
            let name = Name::of_symbol(symbol).qualified;
            let asked = AskedNames::new(std::iter::once(&*name));
            let found: Vec<&str> = INLINED.into_iter().filter(|other| asked.asks_for(other)).collect();
            assert_eq!(found, [symbol], "{name}");
        }
    }

    #[test]
    fn a_function_may_be_called_as_the_last_part_of_a_name_that_is_asked_for() {
        let called = [
            "push_back",
            "~vector",
            "operator*",
            "allocator",
            "size",
            "move<int&>",
            "operator< <int>",
            "call<16>",
            "func",
        ];
        for (symbol, own) in INLINED.into_iter().zip(called) {
            let name = Name::of_symbol(symbol).qualified;
            let asked = AskedNames::new(std::iter::once(&*name));
            let found: Vec<&str> = called.into_iter().filter(|called| asked.may_be_called(called)).collect();
            let operators = called.into_iter().filter(|called| called.starts_with("operator"));
            let expected = if own.starts_with("operator") { operators.collect() } else { vec![own] };
            assert_eq!(found, expected, "{name}");
            assert!(asked.may_be_called("") && asked.may_be_called("basic_string"), "{name}");
        }
        let stub = AskedNames::new(["std::chrono::system_clock::now@plt"].into_iter());
        assert_eq!(["now", "push_back"].map(|called| stub.may_be_called(called)), [true, false]);
        let odd = AskedNames::new(["std::f(int)::{lambda()#1}"].into_iter());
        assert!(odd.may_be_called("main"));
    }

    #[test]
    fn names_of_libraries_are_told_from_those_of_the_program() {
        assert!(INLINED.iter().all(|symbol| is_library(symbol)));
        let own = [
            "main",
            "_Z3foov",
            "_ZN3foo3barEv",
            "_ZN7boosted1fEv",
            "_ZN10googleplus1fEv",
            "_ZThn16_NSo3fooEv",
        ];
        assert_eq!(own.map(is_library), [false; 6]);
        assert_eq!(AskedNames::new(["main", "boosted::f"].into_iter()), AskedNames::default());
    }
}
