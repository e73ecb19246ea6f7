//! Which mangled names may be those of some functions, told without demangling: a mangled name contains the words of the
//! name that it is demangled to.
//!
//! In: qualified names. Out: whether a mangled name contains all words of one of them.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

/// Words of names that the mangled name need not contain: the ABI abbreviates them, or the word is no name.
const NOT_IN_SYMBOL: [&str; 73] = [
    "abi",
    "half",
    "parm",
    "nullptr",
    "decimal32",
    "decimal64",
    "decimal128",
    "_Complex",
    "_Imaginary",
    "__restrict",
    "__vector",
    "__attribute__",
    "vector_size",
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
const ABBREVIATED: [&str; 11] = [
    "Sa",
    "Ss",
    "Sb",
    "Si",
    "So",
    "Sd",
    "St9allocator",
    "St12basic_string",
    "St7__cxx1112basic_string",
    "St13basic_",
    "St14basic_iostream",
];

/// A piece of a mangled name.
type Word = Box<[u8]>;

/// The words of some names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolWords {
    /// The longest word of each name that its mangled form contains, with the others that it contains.
    words: FxHashMap<Word, Vec<Box<[Word]>>>,
    /// Whether there is a name without such words.
    has_wordless: bool,
    /// Whether the names lack template arguments, which their mangled forms may have.
    are_loose: bool,
}

impl SymbolWords {
    /// The words of qualified names, template arguments included.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = Self::default();
        for name in names {
            let mut words = words_of(name);
            let Some(longest) = words.pop() else {
                all.has_wordless = true;
                continue;
            };
            let others: Box<[Word]> = words.into_iter().map(|word| word.as_bytes().into()).collect();
            let known = all.words.entry(longest.as_bytes().into()).or_default();
            if !known.contains(&others) {
                known.push(others);
            }
        }
        all
    }

    /// The words of names without template arguments: mangled names of all instances may be theirs.
    pub fn of_templates<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self { are_loose: true, ..Self::new(names) }
    }

    /// Whether a mangled name may be that of one of the names.
    ///
    /// ```
    /// use pdiff_profile::names::SymbolWords;
    ///
    /// let words = SymbolWords::new(["std::vector<row_t>::size"]);
    /// assert!(words.may_be_of("_ZNKSt6vectorI5row_tSaIS0_EE4sizeEv"));
    /// assert!(!words.may_be_of("_ZNKSt6vectorI5row_tSaIS0_EE5emptyEv"));
    /// ```
    #[must_use]
    pub fn may_be_of(&self, symbol: &str) -> bool {
        let own = OnceCell::new();
        // A name has no other words than these: two functions of one template differ in the types that they are made for.
        let are_all = |longest: &[u8], others: &[Word]| {
            let own = own.get_or_init(|| own_words(symbol.as_bytes()));
            self.are_loose
                || own.iter().all(|word| *word == longest || others.iter().any(|other| **other == **word))
        };
        if self.has_wordless && may_be_wordless(symbol) && are_all(b"", &[]) {
            return true;
        }
        let words: Vec<&[u8]> = words(symbol.as_bytes()).collect();
        words.iter().any(|longest| {
            let mut known = self.words.get(*longest).into_iter().flatten();
            known.any(|others| {
                others.iter().all(|other| words.contains(&&**other)) && are_all(longest, others)
            })
        })
    }
}

/// Whether a mangled name may be that of a name without a word: an operator, or a member of an abbreviated class.
fn may_be_wordless(symbol: &str) -> bool {
    let Some(name) = symbol.strip_prefix("_Z") else { return false };
    match name.strip_prefix('N') {
        Some(nested) => {
            let nested = nested.strip_prefix('K').unwrap_or(nested);
            let operator = nested.strip_prefix("St7__cxx11").and_then(|name| name.bytes().next());
            operator.is_some_and(|first| first.is_ascii_lowercase())
                || ABBREVIATED.iter().any(|class| nested.starts_with(class))
        }
        None => name.as_bytes().get(2).is_some_and(u8::is_ascii_lowercase),
    }
}

/// Whether a word of a name stands in the mangled name.
fn is_in_symbol(word: &str) -> bool {
    let begins = word.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let is_number_type =
        ["__int", "__float", "_Float", "_BitInt", "__bf16"].iter().any(|of| word.starts_with(of));
    begins && !is_number_type && !NOT_IN_SYMBOL.contains(&word)
}

/// The words of a qualified name, template arguments included, that its mangled form contains; each once, the longest last.
fn words_of(name: &str) -> Vec<&str> {
    let words = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let mut words: Vec<&str> = words.filter(|word| is_in_symbol(word)).collect();
    words.sort_unstable_by_key(|word| (word.len(), *word));
    words.dedup();
    words
}

/// What may be a word of a mangled name: as many bytes as a number before them says. What follows a number that says
/// something else is among them, too, and so is what follows the end of one: a word that ends in a digit stands before some.
fn words(symbol: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            start += symbol.get(start..)?.iter().position(u8::is_ascii_digit)?;
            let (mut at, mut length) = (start, 0_usize);
            while let Some(digit) = symbol.get(at).filter(|byte| byte.is_ascii_digit()) {
                length = length.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                at += 1;
            }
            start += 1;
            if let Some(word) = at.checked_add(length).and_then(|end| symbol.get(at..end)) {
                return Some(word);
            }
        }
    })
}

/// Words of the name itself, without its parameters, that are certain to be in the qualified name: of a nested name (`N`..`E`)
/// those before anything that is not read here, such as the value of a template argument. What the standard library names with
/// an underscore may be left out of a name (`std::__cxx11`).
fn own_words(symbol: &[u8]) -> Vec<&[u8]> {
    let mut words = Vec::new();
    let Some(mut rest) = symbol.strip_prefix(b"_ZN") else { return words };
    let mut depth = 1_u32;
    while let [first, after @ ..] = rest {
        rest = match first {
            b'0'..=b'9' => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (number, tail) = rest.split_at(digits);
                let length = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
                let Some((word, tail)) = length.and_then(|length| tail.split_at_checked(length)) else {
                    break;
                };
                let is_told = |word: &str| !word.starts_with('_') && is_in_symbol(word);
                if std::str::from_utf8(word).is_ok_and(is_told) {
                    words.push(word);
                }
                tail
            }
            b'I' | b'N' | b'J' => {
                depth += 1;
                after
            }
            b'E' if depth == 1 => break,
            b'E' => {
                depth -= 1;
                after
            }
            // Abbreviated classes and what was there before: `St`, `S_`, `S1A_`, `T_`, `T0_`.
            b'S' if after.first().is_some_and(u8::is_ascii_lowercase) => after.get(1..).unwrap_or(&[]),
            b'S' | b'T' => match after.iter().position(|byte| *byte == b'_') {
                Some(end) => after.get(end + 1..).unwrap_or(&[]),
                None => break,
            },
            // Constructors and destructors.
            b'C' | b'D' if after.first().is_some_and(u8::is_ascii_digit) => after.get(1..).unwrap_or(&[]),
            // Types, operators and qualifiers.
            b'a'..=b'z' | b'K' | b'V' | b'P' | b'R' | b'O' => after,
            _ => break,
        };
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_name_are_in_its_symbol() {
        let check = |name: &str, expected: &[&str]| assert_eq!(words_of(name), expected, "{name}");
        check("std::vector<dd::Column_statistics*>::size", &["dd", "size", "vector", "Column_statistics"]);
        check("std::vector<int>::~vector", &["vector"]);
        check("std::move<int&>", &["move"]);
        check("std::string::operator=", &[]);
        check("std::allocator<unsigned long>::allocator", &[]);
        check("std::operator== <char>", &[]);
        check("std::unique_ptr<foo>::operator*", &["foo", "unique_ptr"]);
        check("std::f<(ns::kind)2>", &["f", "ns", "kind"]);
        check("std::f[abi:cxx11]", &["f", "cxx11"]);
    }

    #[test]
    fn a_function_made_for_other_types_is_another_one() {
        let of_numbers = SymbolWords::new(["std::vector<int>::push_back", "std::allocator<char>::allocator"]);
        for (symbol, may_be) in [
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", true),
            ("_ZNSt6vectorIiSaIiEE9push_backERK3row", true),
            ("_ZNSt6vectorI3rowSaIS0_EE9push_backERKS0_", false),
            ("_ZNSaIcEC2Ev", true),
            ("_ZNSaI3rowEC2Ev", false),
            // What comes after a number is not read.
            ("_ZNSt6vectorISt5arrayILm3EE3rowE9push_backEv", false),
            ("_ZNSt6vectorILm3E3rowE9push_backEv", true),
        ] {
            assert_eq!(of_numbers.may_be_of(symbol), may_be, "{symbol}");
        }
        let of_all = SymbolWords::of_templates(["std::vector::push_back"]);
        assert!(of_all.may_be_of("_ZNSt6vectorI3rowSaIS0_EE9push_backERKS0_"));
    }

    #[test]
    fn names_without_words_are_found() {
        for symbol in
            ["_ZNSolsEb", "_ZNSiC4Ev", "_ZNSt7__cxx11eqIPKcEEbRKNS_9sub_matchIT_EES7_", "_ZNSaIcEC2Ev"]
        {
            let name = super::super::demangle(symbol).unwrap().qualified;
            assert!(words_of(&name).is_empty() && SymbolWords::new([&*name]).may_be_of(symbol), "{name}");
        }
    }

    #[test]
    fn a_word_may_follow_one_that_ends_in_a_digit() {
        let symbol = "_ZNSt6vectorIN12_GLOBAL__N_116schema_key_equalESaIS1_EE5beginEv";
        let is_word = |word: &str| words(symbol.as_bytes()).any(|of| of == word.as_bytes());
        assert!(["vector", "schema_key_equal", "begin"].into_iter().all(is_word));
        let name = super::super::demangle(symbol).unwrap().qualified;
        assert!(SymbolWords::new([&*name]).may_be_of(symbol), "{name}");
    }
}
