//! Library functions that a census is asked for, by their names, and their mangled names.
//!
//! In: qualified names. Out: whether a mangled name is that of a library function, and of one that is asked for. Only those
//! are demangled that contain the words of a name asked for: its last part, and the longest word in it.

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

/// Words of names that the mangled name need not contain: the ABI abbreviates them, or the word is no name.
const NOT_IN_SYMBOL: [&str; 61] = [
    "std",
    "allocator",
    "string",
    "basic_string",
    "istream",
    "basic_istream",
    "ostream",
    "basic_ostream",
    "iostream",
    "basic_iostream",
    "char_traits",
    "unsigned",
    "signed",
    "short",
    "long",
    "int",
    "double",
    "float",
    "bool",
    "char",
    "wchar_t",
    "char8_t",
    "char16_t",
    "char32_t",
    "nullptr_t",
    "void",
    "auto",
    "const",
    "volatile",
    "restrict",
    "true",
    "false",
    "lambda",
    "unnamed",
    "type",
    "default",
    "arg",
    "parm",
    "operator",
    "decltype",
    "anonymous",
    "namespace",
    "sizeof",
    "alignof",
    "noexcept",
    "new",
    "delete",
    "throw",
    "typeid",
    "static_cast",
    "dynamic_cast",
    "const_cast",
    "reinterpret_cast",
    "typename",
    "template",
    "class",
    "struct",
    "union",
    "enum",
    "this",
    "requires",
];

/// The beginnings of the names of members of classes that the ABI abbreviates.
const ABBREVIATED: [&str; 8] = [
    "Sa",
    "Ss",
    "Sb",
    "St9allocator",
    "St12basic_string",
    "St7__cxx1112basic_string",
    "St13basic_",
    "St14basic_iostream",
];

/// A piece of a mangled name.
type Word = Box<[u8]>;

/// Library functions by name. Of those that are only inlined no others are in a census that is made for them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct AskedNames {
    /// Qualified names, sorted.
    names: Vec<Box<str>>,
    /// The longest word of each name that its mangled form contains, with the word of its last part where that contains one.
    words: FxHashMap<Word, Vec<Option<Word>>>,
    /// Whether there is a name without such words.
    has_wordless: bool,
}

impl AskedNames {
    /// Of the names those of library functions; all others are in every census.
    pub(crate) fn new<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let is_library = |name: &&str| LIBRARIES.iter().any(|(namespace, _)| name.starts_with(namespace));
        let mut asked = Self { names: names.filter(is_library).map(Box::from).collect(), ..Self::default() };
        asked.names.sort_unstable();
        asked.names.dedup();
        for name in &asked.names {
            let Some(longest) = longest_word(name) else {
                asked.has_wordless = true;
                continue;
            };
            let own = own_word(name).map(|word| word.as_bytes().into());
            let owns = asked.words.entry(longest.as_bytes().into()).or_default();
            if !owns.contains(&own) {
                owns.push(own);
            }
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

    /// Whether the function of a mangled name of a library is asked for.
    pub(super) fn asks_for(&self, symbol: &str) -> bool {
        self.may_be_asked(symbol) && self.contains(&Name::of_symbol(symbol).qualified)
    }

    /// Whether a mangled name contains the words of a name.
    fn may_be_asked(&self, symbol: &str) -> bool {
        if self.has_wordless && may_be_wordless(symbol) {
            return true;
        }
        let contains = |own: &[u8]| words(symbol.as_bytes()).any(|word| word == own);
        words(symbol.as_bytes())
            .filter_map(|word| self.words.get(word))
            .any(|owns| owns.iter().any(|own| own.as_deref().is_none_or(contains)))
    }
}

/// Whether a mangled name may be that of a name without a word: an operator, or a member of an abbreviated class.
fn may_be_wordless(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("_Z") else { return false };
    match name.strip_prefix('N') {
        Some(nested) => {
            let nested = nested.strip_prefix('K').unwrap_or(nested);
            ABBREVIATED.iter().any(|class| nested.starts_with(class))
        }
        None => name.as_bytes().get(2).is_some_and(u8::is_ascii_lowercase),
    }
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

/// Whether a word of a name stands in the mangled name.
fn is_in_symbol(word: &str) -> bool {
    let begins = word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_number_type =
        ["__int", "__float", "_Float", "_BitInt", "__bf16"].iter().any(|of| word.starts_with(of));
    begins && !is_number_type && !NOT_IN_SYMBOL.contains(&word)
}

/// The longest word of a qualified name, template arguments included, that its mangled form contains.
fn longest_word(name: &str) -> Option<&str> {
    let words = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| is_in_symbol(word)).max_by_key(|word| word.len())
}

/// The word of the last part of a qualified name, where its mangled form contains it; operators have none.
fn own_word(name: &str) -> Option<&str> {
    let mut depth = 0_u32;
    let mut start = 0;
    for (at, byte) in name.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && name.get(at..at + 2) == Some("::") => start = at + 2,
            _ => {}
        }
    }
    let part = name.get(start..)?;
    let part = part.strip_prefix('~').unwrap_or(part);
    let end = part.find(['<', '(', '[', '{', ' ']).unwrap_or(part.len());
    let word = part.get(..end)?;
    let is_word = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_word && is_in_symbol(word) && !name.contains("operator")).then_some(word)
}

/// What may be a word of a mangled name: as many bytes as a number before them says. What follows a number that says
/// something else is among them, too.
fn words(symbol: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += symbol.get(at..)?.iter().position(u8::is_ascii_digit)?;
            let mut length = 0_usize;
            while let Some(digit) = symbol.get(at).filter(|byte| byte.is_ascii_digit()) {
                length = length.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                at += 1;
            }
            if let Some(word) = at.checked_add(length).and_then(|end| symbol.get(at..end)) {
                return Some(word);
            }
        }
    })
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
    fn the_words_of_a_name_are_in_its_symbol() {
        let check = |name: &str, longest: Option<&str>, own: Option<&str>| {
            assert_eq!((longest_word(name), own_word(name)), (longest, own), "{name}");
        };
        check("std::vector<dd::Column_statistics*>::size", Some("Column_statistics"), Some("size"));
        check("std::vector<int>::~vector", Some("vector"), Some("vector"));
        check("std::move<int&>", Some("move"), Some("move"));
        check("std::string::operator=", None, None);
        check("std::allocator<unsigned long>::allocator", None, None);
        check("std::operator== <char>", None, None);
        check("std::unique_ptr<foo>::operator*", Some("unique_ptr"), None);
        check("std::f<(ns::kind)2>", Some("kind"), Some("f"));
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
