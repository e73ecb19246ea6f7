//! One spelling for what demanglers, compilers and perf print in many.
//!
//! In: a demangled name, with or without parameters. Out: the same name with the spelling of GNU demanglers, except:
//! closing brackets are not spaced (`>>`), ABI tags and the inline namespaces of standard libraries are gone, integer
//! literals have no suffix, the default instances of strings and streams have their short names. From compilers'
//! spelling come back: `const char*` to `char const*`, `long unsigned int` to `unsigned long`, `<lambda()>` to
//! `{lambda()}`. It is one pass over the text and drops no part of the name but the numbers of lambdas that
//! `clang_closure` names; see `parameters` and `loose` for that.

use std::borrow::Cow;
use std::ops::Range;

use super::brackets::{MAX_DEPTH, closing, group_end, is_word_byte, word_end};
use super::clang_closure::named_by_parameters;
use super::integer_type::{is_integer_word, read_integer_type};
use super::operator_symbol::leading_symbol;
use super::parameters::split_parameters;
use super::plain_words::plain_end;
use super::spelled::Spelled;

/// Default template instances by their short names, in this module's spelling.
const SHORT_NAMES: [(&str, &str); 9] = [
    ("decltype(nullptr)", "std::nullptr_t"),
    ("std::basic_string<char, std::char_traits<char>, std::allocator<char>>", "std::string"),
    ("std::basic_ostream<char, std::char_traits<char>>", "std::ostream"),
    ("std::basic_istream<char, std::char_traits<char>>", "std::istream"),
    ("std::basic_iostream<char, std::char_traits<char>>", "std::iostream"),
    ("std::basic_string<char>", "std::string"),
    ("std::basic_ostream<char>", "std::ostream"),
    ("std::basic_istream<char>", "std::istream"),
    ("std::basic_iostream<char>", "std::iostream"),
];

/// The name in its one spelling. Names nested deeper than a limit are returned unchanged.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    spell(text).text
}

/// The same, and where its bracket groups were found.
pub(super) fn spell(text: &str) -> Spelled<'_> {
    let Some(named) = named_by_parameters(text) else { return spell_in_one(text) };
    let spelled = spell_in_one(&named);
    Spelled { text: Cow::Owned(spelled.text.into_owned()), groups: spelled.groups }
}

fn spell_in_one(text: &str) -> Spelled<'_> {
    let as_is = Spelled { text: Cow::Borrowed(text), groups: None };
    // Go has one spelling, with no space after the comma of type arguments.
    if !text.bytes().any(|byte| matches!(byte, b':' | b'<' | b'(' | b'[' | b' '))
        || text.contains("[go.shape.")
    {
        return as_is;
    }
    let speller = Speller {
        text,
        at: 0,
        out: String::with_capacity(text.len()),
        groups: Vec::with_capacity(8),
        outer: Group::new(0, 0),
        outermost: Vec::new(),
        closed: 0..0,
        spaced: false,
    };
    speller.run().unwrap_or(as_is)
}

/// An open bracket, and the qualifiers that wait for the end of the type that they preceded.
struct Group {
    close: u8,
    is_const: bool,
    is_volatile: bool,
    /// The position of the bracket in the output.
    start: usize,
    /// Where, in the output, the name of a function begins whose address is the argument being read.
    address: Option<usize>,
}

impl Group {
    fn new(close: u8, start: usize) -> Self {
        Self { close, is_const: false, is_volatile: false, start, address: None }
    }
}

struct Speller<'a> {
    text: &'a str,
    at: usize,
    out: String,
    groups: Vec<Group>,
    outer: Group,
    /// The outermost groups, in the output.
    outermost: Vec<Range<usize>>,
    /// The position of the group that was closed last, in the output.
    closed: Range<usize>,
    /// A space was read and not yet written.
    spaced: bool,
}

impl<'a> Speller<'a> {
    fn run(mut self) -> Option<Spelled<'a>> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b' ' => self.space(),
                b'<' | b'(' | b'[' | b'{' => self.open(byte)?,
                b'>' | b')' | b']' | b'}' => self.close(byte),
                b',' => self.comma(),
                b'*' | b'&' => self.pointer(byte),
                b'-' if self.rest().starts_with("->") => self.symbol("->"),
                b':' if self.rest().starts_with("::*)") => self.member_pointer(),
                b':' if self.rest().starts_with("::") => self.symbol("::"),
                _ if is_word_byte(byte) => self.word(),
                _ => self.other(byte),
            }
        }
        self.end_type();
        Some(Spelled { text: Cow::Owned(self.out), groups: Some(self.outermost) })
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn space(&mut self) {
        self.spaced = true;
        self.at += 1;
    }

    /// Writes the space that was read, unless the tokens around it want none.
    fn glue(&mut self, next: u8) {
        if !std::mem::take(&mut self.spaced) || matches!(next, b'>' | b')' | b']' | b'}' | b',') {
            return;
        }
        if !matches!(self.out.bytes().next_back(), None | Some(b'<' | b'(' | b'[' | b'{' | b' ')) {
            self.out.push(' ');
        }
    }

    fn symbol(&mut self, symbol: &str) {
        self.glue(symbol.bytes().next().unwrap_or(b' '));
        self.out.push_str(symbol);
        self.at += symbol.len();
    }

    fn other(&mut self, byte: u8) {
        self.glue(byte);
        self.out.push(char::from(byte));
        self.at += 1;
    }

    fn open(&mut self, bracket: u8) -> Option<()> {
        if self.groups.len() >= MAX_DEPTH {
            return None;
        }
        if let Some(length) = tag_length(self.rest()) {
            self.at += length;
            return Some(());
        }
        if let Some(length) = integer_cast_length(self.rest()) {
            self.at += length;
            return Some(());
        }
        if matches!(bracket, b'(' | b'[') {
            self.before_list();
        }
        let is_lambda = self.rest().starts_with("<lambda(");
        self.glue(bracket);
        let close = if is_lambda { b'}' } else { closing(bracket) };
        self.groups.push(Group::new(close, self.out.len()));
        self.out.push(if is_lambda { '{' } else { char::from(bracket) });
        self.at += 1;
        Some(())
    }

    /// A list ends the type before it, but for the operand of `decltype` and similar. Both follow unspaced,
    /// `bool(int)`; a pointer to a function keeps its space, `bool (*)(int)`.
    fn before_list(&mut self) {
        let is_operand =
            ["decltype", "sizeof", "alignof", "noexcept"].iter().any(|word| self.out.ends_with(word));
        if !is_operand {
            self.end_type();
        }
        let is_pointer = matches!(self.text.as_bytes().get(self.at + 1), Some(b'*' | b'&'));
        if is_operand || !(self.groups.is_empty() || is_pointer || self.follows_rust_word()) {
            self.spaced = false;
        }
    }

    fn close(&mut self, bracket: u8) {
        let closes = |group: &Group| group.close == bracket || (bracket == b'>' && group.close == b'}');
        let found = match bracket {
            // A `>` that does not close the innermost group compares.
            b'>' => self.groups.last().is_some_and(closes).then(|| self.groups.len() - 1),
            _ => self.groups.iter().rposition(closes),
        };
        let Some(depth) = found else { return self.other(bracket) };
        self.end_argument();
        let (close, start) = self.groups.get(depth).map_or((bracket, 0), |group| (group.close, group.start));
        self.groups.truncate(depth);
        self.spaced = false;
        self.drop_empty_argument(close);
        self.out.push(char::from(close));
        self.closed = start..self.out.len();
        self.at += 1;
        if matches!(close, b'>' | b')') {
            self.shorten();
        }
        if depth == 0 && start < self.out.len() {
            self.outermost.push(start..self.out.len());
        }
    }

    /// Takes back the comma in front of an empty argument pack, `f<int, >`; that of a Rust tuple `(T,)` stays.
    fn drop_empty_argument(&mut self, close: u8) {
        if self.out.ends_with(", ") {
            let length = self.out.len() - if close == b'>' { 2 } else { 1 };
            self.out.truncate(length);
        }
    }

    /// Replaces a default instance that has just been closed by its short name.
    fn shorten(&mut self) {
        if let Some((start, short)) = short_name(&self.out) {
            self.out.truncate(start);
            self.out.push_str(short);
        }
    }

    /// Writes `(Class(int)::*)`, as one demangler prints a pointer to a member function that returns one, the way
    /// the others do: `(Class::*(int))`.
    fn member_pointer(&mut self) {
        self.spaced = false;
        let is_list = self.closed.end == self.out.len() && self.out.ends_with(')');
        let list = if is_list { self.out.split_off(self.closed.start) } else { String::new() };
        self.out.push_str("::*");
        self.out.push_str(&list);
        self.at += "::*".len();
        let moved = self.outermost.last_mut().filter(|group| !list.is_empty() && **group == self.closed);
        if let Some(group) = moved {
            *group = group.start + "::*".len()..self.out.len();
        }
    }

    /// Drops the parameters of a function whose address is a template argument, and the parentheses around it.
    fn end_argument(&mut self) {
        self.end_type();
        let Some(start) = self.groups.last_mut().and_then(|group| group.address.take()) else { return };
        let name = self.out.split_off(start);
        let inside = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let bare = inside.filter(|_| group_end(&name, 0) == Some(name.len())).unwrap_or(&name);
        self.out.push_str(split_parameters(bare).map_or(bare, |split| split.qualified));
    }

    fn comma(&mut self) {
        self.end_argument();
        self.spaced = false;
        self.out.push_str(", ");
        self.at += 1;
    }

    fn pointer(&mut self, byte: u8) {
        self.end_type();
        if byte == b'&' && self.starts_type() {
            let start = self.out.len() + 1;
            if let Some(group) = self.groups.last_mut() {
                group.address = Some(start);
            }
        }
        if !self.follows_rust_word() {
            self.spaced = false;
        }
        self.other(byte);
    }

    /// Whether a type of Rust follows, `Trait for &T`, `as (A, B)`, which keeps its space.
    fn follows_rust_word(&self) -> bool {
        ["for", "as", "mut", "dyn", "->"].iter().any(|word| self.out.ends_with(word))
    }

    /// Writes the qualifiers that preceded the type that ends here.
    fn end_type(&mut self) {
        let group = self.groups.last_mut().unwrap_or(&mut self.outer);
        if std::mem::take(&mut group.is_const) {
            self.out.push_str(" const");
        }
        if std::mem::take(&mut group.is_volatile) {
            self.out.push_str(" volatile");
        }
    }

    /// Writes a word, or a run of words with one spelling; every word checked here is known to [`plain_end`].
    fn word(&mut self) {
        let text = self.text;
        let plain = plain_end(text, self.at);
        if plain > self.at {
            self.glue(b'a');
            self.out.push_str(text.get(self.at..plain).unwrap_or(""));
            self.at = plain;
            return;
        }
        let end = word_end(text, self.at);
        let word = text.get(self.at..end).unwrap_or("");
        match word {
            "operator" => return self.operator(),
            "const" | "volatile" if self.hold_qualifier(word, end) => return,
            "__cxx11" | "_V2" | "__1" | "__ndk1" if self.skip_inline_namespace(word, end) => return,
            _ if is_integer_word(word) => {
                if let Some((spelling, length)) = read_integer_type(self.rest()) {
                    self.glue(b'a');
                    self.out.push_str(spelling);
                    self.at += length;
                    return;
                }
            }
            _ => {}
        }
        self.glue(b'a');
        let spelling = self.short_constructor(word).unwrap_or_else(|| without_literal_suffix(word));
        self.out.push_str(spelling);
        self.at = end;
    }

    /// The constructor of a class that has a short name has that name too: `std::string::string`.
    fn short_constructor<'w>(&self, word: &'w str) -> Option<&'w str> {
        let short = word.strip_prefix("basic_")?;
        let class = self.out.strip_suffix('~').unwrap_or(&self.out).strip_suffix("::")?;
        class.strip_suffix(short)?.ends_with("std::").then_some(short)
    }

    /// Whether a type begins here: an argument, or what a conversion operator converts to.
    fn starts_type(&self) -> bool {
        let in_list = self.out.ends_with(['<', '(']) || self.out.ends_with(", ");
        (in_list && !self.groups.is_empty()) || (self.spaced && self.out.ends_with("operator"))
    }

    /// Stores a qualifier that precedes its type; false if it follows the type, where it belongs.
    fn hold_qualifier(&mut self, word: &str, end: usize) -> bool {
        let is_before = self.starts_type() && self.text.as_bytes().get(end) == Some(&b' ');
        if !is_before {
            return false;
        }
        let group = self.groups.last_mut().unwrap_or(&mut self.outer);
        match word {
            "const" => group.is_const = true,
            _ => group.is_volatile = true,
        }
        self.at = end + 1;
        true
    }

    /// Leaves out a namespace that only marks the version of a standard library's ABI.
    fn skip_inline_namespace(&mut self, word: &str, end: usize) -> bool {
        let before = if matches!(word, "__cxx11" | "_V2") { "::" } else { "std::" };
        let is_inside =
            self.out.ends_with(before) && self.text.get(end..).is_some_and(|rest| rest.starts_with("::"));
        if is_inside {
            self.at = end + "::".len();
        }
        is_inside
    }

    fn operator(&mut self) {
        self.glue(b'o');
        self.out.push_str("operator");
        self.at += "operator".len();
        let spaces = self.rest().len() - self.rest().trim_start_matches(' ').len();
        let Some(symbol) = leading_symbol(self.rest().trim_start_matches(' ')) else { return };
        self.out.push_str(symbol);
        self.at += spaces + symbol.len();
        let rest = self.rest().trim_start_matches(' ');
        let is_template = symbol.ends_with('<') && rest.starts_with('<');
        if is_template || symbol == "\"\"" {
            self.at = self.text.len() - rest.len();
        }
        if is_template {
            self.out.push(' ');
        }
    }
}

/// Where the default instance begins that `text` ends with, and its short name.
pub(super) fn short_name(text: &str) -> Option<(usize, &'static str)> {
    // Most brackets close something else.
    if !["char>", "char>>", "nullptr)"].iter().any(|end| text.ends_with(end)) {
        return None;
    }
    let long = SHORT_NAMES.iter().find_map(|(long, short)| Some((text.strip_suffix(long)?, *short)));
    let (head, short) = long?;
    let begins = !head.bytes().next_back().is_some_and(|byte| is_word_byte(byte) || byte == b':');
    begins.then_some((head.len(), short))
}

/// The length of an ABI tag, `[abi:cxx11]`, or of the hash of a Rust crate, `core[c1f1a4ba060b9bfa]::ptr`.
fn tag_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let is_abi = inside.starts_with("abi:");
    let is_end = |byte: u8| if is_abi { byte == b']' } else { !byte.is_ascii_hexdigit() };
    let end = inside.bytes().position(is_end)?;
    let is_hash = end > 0 && inside.get(end..).is_some_and(|rest| rest.starts_with("]::"));
    (is_abi || is_hash).then_some(end + "[]".len())
}

/// The length of the cast in `(unsigned long)16`. Demanglers differ in which literals they cast; a cast to an enum
/// stays.
fn integer_cast_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('(')?;
    let (_, length) = read_integer_type(inside)?;
    let value = inside.get(length..)?.strip_prefix(')')?;
    value.starts_with(|first: char| first.is_ascii_digit() || first == '-').then_some(length + "()".len())
}

/// `16ul` as `16`.
fn without_literal_suffix(word: &str) -> &str {
    if !word.starts_with(|first: char| first.is_ascii_digit()) {
        return word;
    }
    let digits = word.trim_end_matches(['u', 'l', 'U', 'L']);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) { digits } else { word }
}
