//! Library functions that a census is asked for, by their names, and their mangled names.
//!
//! In: qualified names. Out: whether a mangled name is that of a library function, and of one that is asked for. Only those
//! are demangled that contain all words of a name asked for, and of one with their last part where debug information tells
//! it.

use std::borrow::Cow;

use pdiff_profile::names::{SymbolWords, loose_name};
use rustc_hash::FxHashMap;

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
    /// Their words by last part, without template arguments; of operators see [`operator_in`].
    words_by_last: FxHashMap<Box<str>, SymbolWords>,
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
        let mut by_last: FxHashMap<Box<str>, Vec<&str>> = FxHashMap::default();
        for name in &asked.names {
            let loose = loose_name(name).map_or(Cow::Borrowed(&**name), Cow::Owned);
            // A conversion to a type ends with the name of the type.
            let operator = loose.match_indices("::").find_map(|(at, _)| operator_in(loose.get(at + 2..)?));
            let last_parts = [operator, plain_last_part(&loose)].into_iter().flatten();
            last_parts.for_each(|last| by_last.entry(last.into()).or_default().push(name));
            asked.has_odd |= operator.is_none() && plain_last_part(&loose).is_none();
        }
        let words = |(last, names): (_, Vec<&str>)| (last, SymbolWords::new(names));
        asked.words_by_last = by_last.into_iter().map(words).collect();
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

    /// Whether the function of a mangled name of a library, which debug information calls `name` without scope, is asked for.
    pub(super) fn asks_for_called(&self, symbol: &str, name: &str) -> bool {
        let plain = operator_in(name).or_else(|| name.split('<').next()).unwrap_or("");
        // A class may be written by its short name, and so its constructors: `std::string::string`.
        let may_be_short = || plain.trim_start_matches('~').starts_with("basic_");
        // An inherited constructor (`CI`) is called as the class that inherits it.
        if plain.is_empty() || self.has_odd || may_be_short() || symbol.contains("CI") {
            return self.asks_for(symbol);
        }
        let words = self.words_by_last.get(plain);
        words.is_some_and(|words| words.may_be_of(symbol)) && self.has_name_of(symbol)
    }

    /// Whether the function of a mangled name of a library is asked for.
    pub(super) fn asks_for(&self, symbol: &str) -> bool {
        self.words.may_be_of(symbol) && self.has_name_of(symbol)
    }

    fn has_name_of(&self, symbol: &str) -> bool {
        self.contains(&Name::of_symbol(symbol).qualified)
    }
}

/// The operator that a name begins with, without what it may be written with in more than one way: `operator++`, and
/// `operator` of those that are words (conversions) or may have template arguments in them (`operator<<`).
fn operator_in(name: &str) -> Option<&str> {
    const WORD: &str = "operator";
    let rest = name.strip_prefix(WORD)?;
    let is_sign = |byte: &u8| b"+-*/%^&|~!=>,()[]".contains(byte);
    let is_other_name = rest.starts_with(|first: char| first.is_ascii_alphanumeric() || "_$".contains(first));
    // An ABI tag is written in brackets too.
    let signs = rest.split("[abi").next().unwrap_or("").bytes().take_while(|byte| is_sign(byte)).count();
    name.get(..WORD.len() + signs).filter(|_| !is_other_name)
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
    fn a_function_is_asked_for_by_what_debug_information_calls_it() {
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
            let found: Vec<&str> =
                called.into_iter().filter(|called| asked.asks_for_called(symbol, called)).collect();
            assert_eq!(found, [own], "{name}");
            assert!(["", "basic_string"].iter().all(|name| asked.asks_for_called(symbol, name)), "{name}");
            assert!(!asked.asks_for_called("_ZNSt6vectorIiSaIiEE3endEv", ""), "{name}");
        }
        let now = "_ZNSt6chrono3_V212system_clock3nowEv";
        let stub = AskedNames::new(["std::chrono::system_clock::now@plt"].into_iter());
        assert!(stub.words_by_last.contains_key("now") && !stub.asks_for_called(now, "push_back"));
        let odd =
            AskedNames::new(["std::f(int)::{lambda()#1}", "std::chrono::system_clock::now"].into_iter());
        assert!(odd.asks_for_called(now, "main"));
    }

    #[test]
    fn an_operator_is_told_from_others_however_it_is_written() {
        for (name, expected) in [
            ("operator==", Some("operator==")),
            ("operator==<char>", Some("operator==")),
            ("operator== <char>", Some("operator==")),
            ("operator==[abi:cxx11]", Some("operator==")),
            ("operator->", Some("operator->")),
            ("operator()<, void>", Some("operator()")),
            ("operator[]", Some("operator[]")),
            ("operator[][abi:ne180100]", Some("operator[]")),
            ("operator<< <char>", Some("operator")),
            ("operator<=>", Some("operator")),
            ("operator unsigned long", Some("operator")),
            ("operator new[]", Some("operator")),
            ("operators", None),
            ("operator_of", None),
            ("my_operator==", None),
        ] {
            assert_eq!(operator_in(name), expected, "{name}");
        }
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
