//! Function names shortened to fit: first template arguments go, the innermost first, then parameters, then the middle of
//! what is left.
//!
//! `PolicyMutex<TTASEventMutex<GenericPolicy>>::enter` becomes `PolicyMutex<TTASEventMutex<..>>::enter`, then
//! `PolicyMutex<..>::enter`, then `Policy..>::enter`.

use std::borrow::Cow;

use crate::document::visible_text::{CUT, cut_middle, width};

/// Operators whose names hold brackets that enclose nothing, longest first.
const BRACKET_OPERATORS: [&str; 11] = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"];

/// The name in at most `max` columns.
pub(crate) fn shorten(name: &str, max: usize) -> Cow<'_, str> {
    if width(name) <= max {
        return Cow::Borrowed(name);
    }
    let brackets = Brackets::new(name);
    let mut shorter = name.to_owned();
    // What stands so deep has too many brackets around it to fit.
    let most_depth = brackets.deepest().min(max / 2);
    for kept_depth in (0..most_depth).rev() {
        shorter = brackets.collapse(kept_depth);
        if width(&shorter) <= max {
            return Cow::Owned(shorter);
        }
    }
    let shorter = without_parameters(&shorter).unwrap_or(shorter);
    Cow::Owned(cut_middle(&shorter, max).into_owned())
}

/// A name that several functions of one object have, with the end of the path of its file: `flush [storage/log.cc]`.
pub(crate) fn with_file<'n>(name: &'n str, file: Option<&str>) -> Cow<'n, str> {
    let Some(file) = file else { return Cow::Borrowed(name) };
    let end = file.rmatch_indices('/').nth(1).map_or(file, |(at, _)| file.get(at + 1..).unwrap_or(file));
    Cow::Owned(format!("{name} [{end}]"))
}

/// The name with `(..)` for its parameters; `None` if it does not end with any.
fn without_parameters(name: &str) -> Option<String> {
    let (name, suffix) = name.strip_suffix(" const").map_or((name, ""), |name| (name, " const"));
    let inner = name.strip_suffix(')')?;
    let mut depth = 1_usize;
    let open = inner.rfind(|c| {
        depth = match c {
            ')' => depth + 1,
            '(' => depth - 1,
            _ => depth,
        };
        depth == 0
    })?;
    let is_list = open > 0 && !name.get(..open)?.ends_with([' ', ':']);
    (is_list && name.get(open + 1..) != Some(")"))
        .then(|| format!("{}({CUT}){suffix}", name.get(..open).unwrap_or_default()))
}

/// The template brackets of a name: where each stands, and at which depth.
struct Brackets<'a> {
    name: &'a str,
    /// Byte, depth, and whether it opens; empty if they do not pair up.
    found: Vec<(usize, usize, bool)>,
}

impl<'a> Brackets<'a> {
    fn new(name: &'a str) -> Self {
        let mut found = Vec::new();
        let mut depth = 0_usize;
        let mut at = 0;
        while let Some(rest) = name.get(at..).filter(|rest| !rest.is_empty()) {
            at += match rest.as_bytes().first() {
                Some(b'<') if operator_len(name, at) == 0 => {
                    found.push((at, depth, true));
                    depth += 1;
                    1
                }
                Some(b'>') if operator_len(name, at) == 0 => {
                    let Some(outer) = depth.checked_sub(1) else { return Self { name, found: Vec::new() } };
                    depth = outer;
                    found.push((at, depth, false));
                    1
                }
                Some(b'-') if rest.starts_with("->") => 2,
                _ => operator_len(name, at).max(rest.chars().next().map_or(1, char::len_utf8)),
            };
        }
        Self { name, found: if depth == 0 { found } else { Vec::new() } }
    }

    fn deepest(&self) -> usize {
        self.found.iter().map(|(_, depth, _)| depth + 1).max().unwrap_or(0)
    }

    /// The name with what stands deeper than `kept_depth` left out.
    fn collapse(&self, kept_depth: usize) -> String {
        let mut shorter = String::new();
        let mut from = 0;
        for &(at, _, opens) in self.found.iter().filter(|(_, depth, _)| *depth == kept_depth) {
            if opens {
                shorter.push_str(self.name.get(from..=at).unwrap_or_default());
                shorter.push_str(CUT);
            } else {
                from = at;
            }
        }
        shorter.push_str(self.name.get(from..).unwrap_or_default());
        shorter
    }
}

/// How long the operator's sign at `at` is, if `operator` is before it.
fn operator_len(name: &str, at: usize) -> usize {
    let (Some(before), Some(rest)) = (name.get(..at), name.get(at..)) else { return 0 };
    let is_operator = before
        .strip_suffix("operator")
        .is_some_and(|before| !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_'));
    let sign = BRACKET_OPERATORS.iter().find(|sign| is_operator && rest.starts_with(**sign));
    sign.map_or(0, |sign| sign.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_arguments_go_first_and_the_innermost_before_the_outer() {
        let check =
            |name: &str, max, expected: &str| assert_eq!(shorten(name, max), expected, "{name} in {max}");
        let mutex = "PolicyMutex<TTASEventMutex<GenericPolicy>>::enter";
        check(mutex, 49, mutex);
        check(mutex, 48, "PolicyMutex<TTASEventMutex<..>>::enter");
        check(mutex, 30, "PolicyMutex<..>::enter");
        check(mutex, 15, "Polic..>::enter");
        check("a<bb<ccc>, dd<eee>>::f", 21, "a<bb<..>, dd<..>>::f");
        check("a<bb<ccc>, dd<eee>>::f", 19, "a<..>::f");
    }

    #[test]
    fn parameters_go_after_template_arguments() {
        let check =
            |name: &str, max, expected: &str| assert_eq!(shorten(name, max), expected, "{name} in {max}");
        check("row_search(long long, std::vector<int>) const", 23, "row_search(..) const");
        check("f<a>::operator()(int, void (*)(log_t*))", 24, "f<..>::operator()(..)");
        check("f::(anonymous namespace)", 12, "f::(..space)");
        check("abcdefghijklmnop::f()", 12, "abcd..p::f()");
    }

    #[test]
    fn operators_are_no_brackets() {
        let check =
            |name: &str, max, expected: &str| assert_eq!(shorten(name, max), expected, "{name} in {max}");
        check("Big<Argument>::operator<<", 20, "Big<..>::operator<<");
        check("Big<Argument>::operator->", 20, "Big<..>::operator->");
        check("std::less<long_type_name>::operator<=>", 26, "std::less<..>::operator<=>");
        check("broken<name>>::with_too_many", 12, "brok..o_many");
        check("cooperator<abcdefgh>::f", 18, "cooperator<..>::f");
    }

    #[test]
    fn a_name_of_brackets_alone_is_short_at_once() {
        let name = format!("f{}{}", "<".repeat(200_000), ">".repeat(200_000));
        assert_eq!(shorten(&name, 20), "f<<<<<<<<..>>>>>>>>");
    }

    #[test]
    fn no_name_takes_more_room_than_there_is() {
        for name in [
            "x",
            "f<a>",
            "<<<<<<<<<<<<",
            ">>>>>>>>>>>>",
            "operator<",
            "日本<語語語語語>::日本",
            "->->->->->->",
        ] {
            for max in 4..24 {
                assert!(width(&shorten(name, max)) <= max.max(2), "{name} in {max}");
            }
        }
    }
}
