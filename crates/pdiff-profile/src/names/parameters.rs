//! Where a function's parameters begin in the text of its name.
//!
//! In: a name in its one spelling. Out: the name without return type, and the same without parameters and trailing
//! qualifiers. Parameters inside template arguments, lambdas and the names of enclosing functions
//! (`f(int)::{lambda()#1}::operator()`) are part of a name. So are those of thunks, which perf keeps.

use super::brackets::{group_end, is_word_byte, token_end};
use super::operator_symbol::starts_conversion;
use super::spelled::Spelled;

/// The text before the name of the entity that a special symbol belongs to.
const SPECIAL_PREFIXES: [&str; 14] = [
    "non-virtual thunk to ",
    "virtual thunk to ",
    "covariant return thunk to ",
    "vtable for ",
    "VTT for ",
    "construction vtable for ",
    "typeinfo for ",
    "typeinfo name for ",
    "guard variable for ",
    "TLS init function for ",
    "TLS wrapper function for ",
    "reference temporary #",
    "global constructors keyed to ",
    "global destructors keyed to ",
];

/// A name split by what belongs to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Split<'a> {
    /// The name with parameters, without return type.
    pub(super) signature: &'a str,
    /// The name without parameters.
    pub(super) qualified: &'a str,
}

/// The length of the prefix of a special symbol, 0 for a plain function.
pub(super) fn special_prefix_length(text: &str) -> usize {
    let is_special = |prefix: &&&str| text.starts_with(**prefix);
    SPECIAL_PREFIXES.iter().find(is_special).map_or(0, |prefix| prefix.len())
}

/// Finds the parameter list. `None` when the text has none.
pub(super) fn split_parameters(text: &str) -> Option<Split<'_>> {
    split(text, |open| group_end(text, open))
}

/// The same for a name whose brackets were matched when it was spelled.
pub(super) fn split_spelled<'s>(name: &'s Spelled<'_>) -> Option<Split<'s>> {
    let Some(groups) = &name.groups else { return split_parameters(&name.text) };
    split(&name.text, |open| {
        let found = groups.binary_search_by_key(&open, |group| group.start).ok()?;
        groups.get(found).map(|group| group.end)
    })
}

fn split(text: &str, group_end: impl Fn(usize) -> Option<usize>) -> Option<Split<'_>> {
    if special_prefix_length(text) > 0 {
        return Some(Split { signature: text, qualified: text });
    }
    let (start, list) = find_parameters(text, group_end)?;
    let qualified = text.get(start..list).filter(|name| !name.is_empty())?;
    Some(Split { signature: text.get(start..)?, qualified })
}

/// The start of the name and of its parameter list; `group_end` gives the end of the bracket group at a place.
fn find_parameters(text: &str, group_end: impl Fn(usize) -> Option<usize>) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let (mut at, mut start) = (0, 0);
    let (mut in_conversion, mut after_pointer) = (false, false);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'(' => {
                let end = group_end(at)?;
                let is_pointer = in_conversion && text.get(at..end).is_some_and(is_declarator);
                // A conversion to a pointer to a function has that function's parameters in its name.
                let is_type = std::mem::replace(&mut after_pointer, is_pointer) || is_pointer;
                if !is_type && at > start && is_qualifiers(text.get(end..)?) {
                    let returns = bytes.get(at.wrapping_sub(1)) == Some(&b'>');
                    return Some((if returns { start } else { 0 }, at));
                }
                at = end;
            }
            b'<' | b'[' | b'{' => at = group_end(at)?,
            b' ' => {
                at += 1;
                if !in_conversion && !is_enclosing_qualifier(text.get(at..)?) {
                    start = at;
                }
            }
            _ if is_word_byte(byte) => {
                let end = token_end(text, at);
                in_conversion |= text.get(at..end) == Some("operator") && starts_conversion(text.get(end..)?);
                at = end;
                // The space of `operator new` and of `operator< <int>` begins no name.
                if text.get(..end).is_some_and(ends_operator) && bytes.get(end) == Some(&b' ') {
                    at += 1;
                }
            }
            _ => at += 1,
        }
    }
    None
}

fn ends_operator(head: &str) -> bool {
    head.ends_with("operator") || head.ends_with('<')
}

/// Whether a group is the middle of a type, `(*)` or `(A::*)`. A conversion operator has no parameters of its own.
fn is_declarator(group: &str) -> bool {
    group.ends_with("*)") || group.ends_with("&)")
}

/// Whether only what may follow a parameter list is left.
fn is_qualifiers(rest: &str) -> bool {
    let mut rest = rest;
    loop {
        rest = rest.trim_start_matches([' ', '&']);
        let Some(tail) = ["const", "volatile", "noexcept"].iter().find_map(|word| rest.strip_prefix(word))
        else {
            return rest.is_empty() || rest.starts_with("requires ");
        };
        rest = tail;
    }
}

/// Whether `rest` continues with the qualifiers of an enclosing function: `f() const::{lambda()#1}`.
fn is_enclosing_qualifier(rest: &str) -> bool {
    let tail =
        rest.trim_start_matches("const").trim_start_matches(" volatile").trim_start_matches(['&', ' ']);
    tail.starts_with("::")
}
