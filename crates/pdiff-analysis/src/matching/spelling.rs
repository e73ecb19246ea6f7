//! The spellings of a name at the looser levels, and the words in it.

use std::borrow::Cow;
use std::hash::Hasher as _;
use std::sync::OnceLock;

use pdiff_profile::census::{Census, Function, FunctionId};
use pdiff_profile::names::{FunctionName, loose_name};
use rustc_hash::FxHasher;

/// Ends of names that say how a function is built, not what it does.
const BUILD_SUFFIXES: [&str; 3] = ["_func", "_low", "_impl"];
/// Shortest last part that may match on its own; shorter ones are everywhere.
const MIN_UNQUALIFIED_BYTES: usize = 5;
/// Words that say nothing.
const STOP_WORDS: [&str; 6] = ["t", "st", "func", "low", "impl", "std"];

/// Namespaces of libraries that both builds bring along.
pub(crate) const LIBRARIES: [&str; 5] = ["std::", "__gnu_cxx::", "boost::", "google::", "rapidjson::"];

/// The libraries of Rust, of whose types programs implement nothing but their own traits.
const RUST_LIBRARIES: [&str; 4] = ["core::", "alloc::", "std::", "hashbrown::"];

/// The spellings of a build's functions, each made when it is first asked for: most functions find their partner by
/// stricter levels, and half of a large C++ program is library code, which looser ones leave alone.
#[derive(Debug)]
pub(super) struct Spellings<'a> {
    census: &'a Census,
    made: Vec<OnceLock<Spelling<'a>>>,
}

impl<'a> Spellings<'a> {
    pub(super) fn new(census: &'a Census) -> Self {
        Self { census, made: census.functions().map(|_| OnceLock::new()).collect() }
    }

    /// The spellings of one of the build's functions.
    pub(super) fn get(&self, id: FunctionId) -> Option<&Spelling<'a>> {
        let make = || Spelling::of_qualified(self.census.function(id).map_or("", Function::name));
        self.made.get(id.index()).map(|spelling| spelling.get_or_init(make))
    }

    /// Whether one of the build's functions is library code.
    pub(super) fn is_library(&self, id: FunctionId) -> bool {
        self.census.function(id).is_some_and(is_library_function)
    }
}

/// The spellings of one function that matching compares.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Spelling<'a> {
    /// Without template arguments.
    pub(super) loose: Cow<'a, str>,
    /// Where the last part of it begins.
    last_start: usize,
    /// Whether the name is of a library that both builds bring along: such code is not renamed, but replaced.
    pub(super) is_library: bool,
}

impl<'a> Spelling<'a> {
    /// Of a name as anybody writes it.
    pub(super) fn of(name: &str) -> Self {
        Self::of_loose(FunctionName::parse(name).loose().to_owned().into())
    }

    /// Of a name as a census has it.
    fn of_qualified(name: &'a str) -> Self {
        Self::of_loose(loose_name(name).map_or(Cow::Borrowed(name), Cow::Owned))
    }

    fn of_loose(loose: Cow<'a, str>) -> Self {
        let is_library = is_library_spelling(&loose);
        let last_start = loose.len() - last_part(&loose).len();
        Self { loose, last_start, is_library }
    }

    /// The last part, unchanged.
    pub(super) fn last(&self) -> &str {
        self.loose.get(self.last_start..).unwrap_or("")
    }

    /// The parts before the last one.
    fn scopes(&self) -> Parts<'_> {
        let scopes = self.last_start.checked_sub("::".len()).and_then(|end| self.loose.get(..end));
        Parts { rest: scopes }
    }

    /// Without namespaces: scopes in lower case that do not end in `_t`, the way most code writes them.
    /// Library code has none such: its namespace is what tells it from others.
    pub(super) fn without_namespaces(&self) -> Option<Cow<'_, str>> {
        if self.is_library {
            return None;
        }
        if let Some(of) = RustMethod::of(&self.loose) {
            return Some(of.without_namespaces().into());
        }
        let is_namespace = |part: &&str| {
            part.starts_with(|c: char| c.is_ascii_lowercase()) && !part.ends_with("_t")
                || part.starts_with("(anonymous")
        };
        let namespaces = self.scopes().take_while(is_namespace);
        self.loose.get(namespaces.map(|part| part.len() + "::".len()).sum()..).map(Cow::from)
    }

    /// The class and the last part, if a namespace is before them: classes move between namespaces.
    pub(super) fn of_class(&self) -> Option<&str> {
        let scopes = self.loose.get(..self.last_start.checked_sub("::".len())?)?;
        let class_start = scopes.len() - last_part(scopes).len();
        let is_class = scopes.get(class_start..)?.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_plain = !self.loose.contains(['<', '(', '{']);
        (class_start > 0 && is_class && is_plain).then(|| self.loose.get(class_start..)).flatten()
    }

    /// The last part, if it can represent the whole.
    pub(super) fn unqualified(&self) -> Option<&str> {
        let last = self.last();
        let is_name =
            last.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_') && !last.starts_with("operator");
        (is_name && last.len() >= MIN_UNQUALIFIED_BYTES).then_some(last)
    }

    /// Scope and name in one: `x_t::y` and `x_y_func` are `x_y`.
    pub(super) fn flattened(&self) -> Option<String> {
        let last = self.last();
        if last.starts_with(['~', '(', '{']) || last.starts_with("operator") {
            return None;
        }
        let mut name = String::with_capacity(self.loose.len());
        for scope in self.scopes().filter(|scope| !scope.starts_with(['(', '{'])) {
            name.push_str(scope.strip_suffix("_t").unwrap_or(scope));
            name.push('_');
        }
        name.push_str(last);
        let base = BUILD_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name);
        let length = base.len();
        name.truncate(length);
        name.make_ascii_lowercase();
        (name.len() >= MIN_UNQUALIFIED_BYTES).then_some(name)
    }

    /// The hashes of the words in the name, sorted, each once.
    pub(super) fn words(&self) -> Vec<u64> {
        let mut hashes: Vec<u64> = words(&self.loose).map(hash_ignoring_case).collect();
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }

    /// Whether two names that have a word in common have one [`beside_scope`], too.
    pub(super) fn shares_own_word(&self, other: &Self) -> bool {
        let (ours, theirs) = beside_scope(&self.loose, &other.loose);
        if ours.len() == self.loose.len() {
            return true;
        }
        let theirs: Vec<u64> = words(theirs).map(hash_ignoring_case).collect();
        words(ours).any(|word| theirs.contains(&hash_ignoring_case(word)))
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
    if let Some(method) = RustMethod::of(name) {
        return method.is_of_library();
    }
    let is_unnamed = name.starts_with('(') && !name.starts_with("(anonymous");
    is_unnamed
        || LIBRARIES.iter().chain(&["operator", "__", "<", "_GLOBAL_"]).any(|prefix| name.starts_with(prefix))
        || name.contains('{') && name.contains("{lambda")
}

/// A name that begins with a type, and maybe the trait that it is from: `<regex::Error as core::fmt::Debug>::fmt`.
struct RustMethod<'a> {
    of: &'a str,
    of_trait: Option<&'a str>,
    /// From the colons on.
    rest: &'a str,
}

impl<'a> RustMethod<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let (inside, rest) = name.strip_prefix('<')?.split_once(">::")?;
        let rest = name.get(name.len() - rest.len() - "::".len()..)?;
        let (of, of_trait) = inside.split_once(" as ").map_or((inside, None), |(of, from)| (of, Some(from)));
        Some(Self { of, of_trait, rest })
    }

    /// Whether both builds bring it along. What is generic is from where its trait is.
    fn is_of_library(&self) -> bool {
        let path = |text: &'a str| text.trim_start_matches(|first: char| !first.is_ascii_alphabetic());
        let of = path(self.of);
        let of =
            ["mut ", "const ", "dyn "].iter().fold(of, |of, word| path(of.strip_prefix(word).unwrap_or(of)));
        let whose = if of.contains("::") { of } else { self.of_trait.map_or(of, path) };
        !whose.contains("::") || RUST_LIBRARIES.iter().any(|library| whose.starts_with(library))
    }

    fn without_namespaces(&self) -> String {
        let last = |path: &'a str| path.rsplit("::").next().unwrap_or(path);
        match self.of_trait {
            Some(of_trait) => format!("<{} as {}>{}", last(self.of), last(of_trait), self.rest),
            None => format!("<{}>{}", last(self.of), self.rest),
        }
    }
}

/// Whether a name is of a library however the rest of it is spelled: it begins with the library's namespace, and no
/// parameters end it, so that what is before its last blank is not a return type.
pub(super) fn is_plainly_library(name: &str) -> bool {
    let in_namespace = LIBRARIES
        .iter()
        .find_map(|namespace| name.strip_prefix(namespace))
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphabetic()));
    let may_end_parameters = [")", "const", "volatile", "noexcept", "&", " "];
    in_namespace && !may_end_parameters.iter().any(|end| name.ends_with(end)) && !name.contains("requires ")
}

/// Whether a function of a build comes from a library that both builds bring along.
pub(crate) fn is_library_function(function: Function<'_>) -> bool {
    function.is_mangled() || is_library_name(function.name())
}

/// The same by a name as a census has it.
fn is_library_name(name: &str) -> bool {
    // The loose name lacks template arguments, which changes the answer only for those in the first scope or with a lambda.
    let first_scope = name.split("::").next().unwrap_or("");
    let is_changed = first_scope.contains('<') || name.contains("{lambda");
    if is_changed { Spelling::of_qualified(name).is_library } else { is_library_spelling(name) }
}

/// Whether a function of this name comes from a library that both builds bring along.
pub(crate) fn is_library(name: &str) -> bool {
    is_plainly_library(name) || Spelling::of(name).is_library
}

/// Two names without the scope that both begin with: what a namespace or a class is called says nothing about its members.
pub(crate) fn beside_scope<'n>(a: &'n str, b: &'n str) -> (&'n str, &'n str) {
    // Mostly there is none, which a look at how the names begin shows.
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b);
    if !same.map(|(byte, _)| byte).any(|byte| byte == b':') {
        return (a, b);
    }
    let (mut ours, mut theirs) = (Parts { rest: Some(a) }, Parts { rest: Some(b) });
    let mut length = 0;
    while let (Some(our), Some(their)) = (ours.next(), theirs.next()) {
        // The last part of a name is no scope.
        if our != their || ours.rest.is_none() || theirs.rest.is_none() {
            break;
        }
        length += our.len() + "::".len();
    }
    (a.get(length..).unwrap_or(a), b.get(length..).unwrap_or(b))
}

/// The parts of a name between `::`, those inside of brackets left whole.
struct Parts<'a> {
    /// What no part was taken of; none after the last part.
    rest: Option<&'a str>,
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let bytes = rest.as_bytes();
        let mut depth = 0_u32;
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'(' | b'{' => depth += 1,
                b')' | b'}' => depth = depth.saturating_sub(1),
                b':' if depth == 0 && bytes.get(at + 1) == Some(&b':') => {
                    self.rest = rest.get(at + 2..);
                    return rest.get(..at);
                }
                _ => {}
            }
        }
        Some(rest)
    }
}

/// The last of the [`Parts`] of a name.
fn last_part(name: &str) -> &str {
    let bytes = name.as_bytes();
    let is_odd = |byte: &u8| matches!(byte, b'(' | b')' | b'{' | b'}');
    let Some(colon) = bytes.iter().rposition(|byte| *byte == b':') else { return name };
    let is_colon = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b':');
    let is_plain = is_colon(colon.checked_sub(1)) && !is_colon(colon.checked_sub(2));
    match is_plain && !bytes.iter().any(is_odd) {
        true => name.get(colon + 1..).unwrap_or(name),
        false => Parts { rest: Some(name) }.last().unwrap_or(name),
    }
}

/// The words that say something: `Policy` and `Mutex` of `PolicyMutex`, `THD` and `Init` of `THDInit`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let says_something = |word: &&str| !STOP_WORDS.iter().any(|stop| stop.eq_ignore_ascii_case(word));
    Words(name).filter(says_something)
}

fn hash_ignoring_case(word: &str) -> u64 {
    let mut hasher = FxHasher::default();
    word.bytes().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
    hasher.finish()
}

/// The words of a name: letters and digits, and each capital begins another word.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.0.as_bytes();
        let start = bytes.iter().position(u8::is_ascii_alphanumeric)?;
        let (mut end, mut after_capital) = (start, false);
        while let Some(byte) = bytes.get(end).filter(|byte| byte.is_ascii_alphanumeric()) {
            let is_capital = byte.is_ascii_uppercase();
            let before_small = || bytes.get(end + 1).is_some_and(u8::is_ascii_lowercase);
            if is_capital && end > start && (!after_capital || before_small()) {
                break;
            }
            after_capital = is_capital;
            end += 1;
        }
        let word = self.0.get(start..end);
        self.0 = self.0.get(end..)?;
        word
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
    fn a_method_of_a_trait_is_from_where_its_type_is() {
        let check = |name: &str, is_library: bool| {
            assert_eq!(Spelling::of(name).is_library, is_library, "{name}");
        };
        check("<md::Parser<F> as core::iter::Iterator>::next", false);
        check("<&mut md::Parser as core::fmt::Debug>::fmt", false);
        check("<md::Parser>::new", false);
        check("<&mut W as md::Write>::write_str", false);
        check("<&mut W as core::fmt::Write>::write_str", true);
        check("<alloc::vec::Vec<md::Item> as core::ops::Drop>::drop", true);
        check("<[T] as core::fmt::Debug>::fmt", true);
        check("<str>::len", true);
    }

    #[test]
    fn a_library_is_told_by_a_name_as_by_its_loose_form() {
        for name in [
            "std::vector<int>::size",
            "google<int>::f",
            "boost::f<int>::{lambda(int)#1}::operator()",
            "ns::f<ns::{lambda()#1}>",
            "f<int>::{lambda()#1}::operator()",
            "virtual thunk to std::ostream::~ostream",
            "(anonymous namespace)::f<int>",
            "<alloc::vec::Vec<T> as core::ops::Drop>::drop",
            "<regex::Captures<'t> as core::ops::Index<usize>>::index",
            "operator< <int>",
            "THD::query<std::string>",
            "__libc_start_main",
        ] {
            assert_eq!(is_library_name(name), Spelling::of_qualified(name).is_library, "{name}");
        }
    }

    #[test]
    fn the_last_part_is_the_last_of_all() {
        for name in
            ["a::b", "a", "", "a::", "a:::b", "a::::b", "::", "a::(b::c)", "a::{lambda}::b", "a)::b", "a:b"]
        {
            assert_eq!(Some(last_part(name)), Parts { rest: Some(name) }.last(), "{name}");
        }
    }

    #[test]
    fn the_scope_that_both_begin_with_is_left_out() {
        let check = |a, b, expected| assert_eq!(beside_scope(a, b), expected, "{a} {b}");
        check("a::b::c", "a::b::d", ("c", "d"));
        check("a::b", "a::b::c", ("b", "b::c"));
        check("a::b", "x::b", ("a::b", "x::b"));
        check("ab::c", "abc::c", ("ab::c", "abc::c"));
        check("a:b", "a:c", ("a:b", "a:c"));
        check("(a::b)::c", "(a::b)::d", ("c", "d"));
        check("f", "f", ("f", "f"));
    }

    #[test]
    fn names_fall_into_words() {
        let check = |name: &str, expected: &[&str]| {
            let spelling = Spelling::of(name);
            assert_eq!(words(&spelling.loose).collect::<Vec<_>>(), expected, "{name}");
        };
        check("PolicyMutex<TTASMutex>::enter_func", &["Policy", "Mutex", "enter"]);
        check("THDInit::log2Redo", &["THD", "Init", "log2", "Redo"]);
        check("xA::bC2D_t__ABc", &["x", "A", "b", "C2", "D", "A", "Bc"]);
        let hashes = |name: &str| Spelling::of(name).words();
        assert_eq!(hashes("mutex_enter"), hashes("Enter::mutexMUTEX"));
        assert_ne!(hashes("mutex_enter"), hashes("mutex_exit"));
    }

    #[test]
    fn namespaces_are_dropped_and_classes_kept() {
        let check = |name: &str, expected: &str| {
            assert_eq!(Spelling::of(name).without_namespaces().as_deref(), Some(expected));
        };
        check("<md::parse::Parser<F> as core::iter::Iterator>::next", "<Parser as Iterator>::next");
        check("<W as md::html::Write>::write", "<W as Write>::write");
        check("dd::cache::Element::lock", "Element::lock");
        check("(anonymous namespace)::f", "f");
        check("mtr_t::commit", "mtr_t::commit");
    }
}
