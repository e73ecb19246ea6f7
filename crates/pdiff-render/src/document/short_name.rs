//! Function names shortened to fit: first template arguments go, the innermost first, then parameters, then the middle of
//! what is left.
//!
//! `PolicyMutex<TTASEventMutex<GenericPolicy>>::enter` becomes `PolicyMutex<TTASEventMutex<..>>::enter`, then
//! `PolicyMutex<..>::enter`, then `Policy..>::enter`.
//!
//! A method that Rust names by its type and trait keeps them, without paths: `<md::parse::Parser<F> as core::iter::Iterator>::next`
//! becomes `<Parser as Iterator>::next`, then `Parser::next`.

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
        if let Some(forms) = brackets.without_paths().filter(|_| kept_depth == 0) {
            for form in forms {
                if width(&form) <= max {
                    return Cow::Owned(form);
                }
                shorter = form;
            }
            break;
        }
        shorter = brackets.collapse(kept_depth);
        if width(&shorter) <= max {
            return Cow::Owned(shorter);
        }
    }
    let shorter = without_parameters(&shorter).unwrap_or(shorter);
    Cow::Owned(cut_middle(&shorter, max).into_owned())
}

/// Whether a page with little room shows a name as `shown`.
#[must_use]
pub fn is_shown_as(name: &str, shown: &str) -> bool {
    name != shown && shorten(name, width(shown)) == shown
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

/// The last part of a type's path, without what is in brackets; all of it, where it is no path.
fn type_name(path: &str) -> &str {
    let brackets = Brackets::new(path);
    if let Some(end) = brackets.end_of_first() {
        // `<T as Trait>::Item`
        return path.get(end + 1..).filter(|rest| !rest.is_empty()).map_or(path, type_name);
    }
    let end = path.find(['<', '(', '[']).unwrap_or(path.len());
    let name = path.get(..end).unwrap_or(path).trim_end_matches("::");
    match name.rsplit([':', ' ', '&']).next() {
        Some(last) if !last.is_empty() => last,
        _ => path,
    }
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

    /// Where the bracket closes that the name begins with.
    fn end_of_first(&self) -> Option<usize> {
        self.found.first().filter(|first| **first == (0, 0, true))?;
        self.found.iter().find(|(_, depth, opens)| *depth == 0 && !opens).map(|(at, ..)| *at)
    }

    /// `<Type as Trait>::method` and `Type::method` without the paths, if the name is of that form.
    fn without_paths(&self) -> Option<[String; 2]> {
        let end = self.end_of_first()?;
        let (inner, rest) = (self.name.get(1..end)?, self.name.get(end + 1..)?);
        let is_outside = |at: &usize| {
            let depth = self.found.iter().take_while(|(found, ..)| *found <= at + 1);
            depth.map(|(_, _, opens)| if *opens { 1 } else { -1 }).sum::<i32>() == 1
        };
        let at = inner.match_indices(" as ").map(|(at, _)| at).find(is_outside)?;
        let (of, by) = (type_name(inner.get(..at)?), type_name(inner.get(at + " as ".len()..)?));
        let rest = Brackets::new(rest).collapse(0);
        rest.starts_with("::").then(|| [format!("<{of} as {by}>{rest}"), format!("{of}{rest}")])
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
    fn methods_that_are_named_by_type_and_trait_lose_paths_before_both() {
        let check =
            |name: &str, max, expected: &str| assert_eq!(shorten(name, max), expected, "{name} in {max}");
        let next = "<md::parse::Parser<Filter> as core::iter::Iterator>::next";
        check(next, 56, "<md::parse::Parser<..> as core::iter::Iterator>::next");
        check(next, 52, "<Parser as Iterator>::next");
        check(next, 25, "Parser::next");
        check(next, 10, "Par..:next");
        let nested =
            "<<app::Rows as data::Table>::Row<'_> as core::cmp::PartialOrd<app::Row>>::lt::{{closure}}";
        check(nested, 60, "<Row as PartialOrd>::lt::{{closure}}");
        check(
            "<&mut [app::Column] as app::Visit>::visit_all",
            44,
            "<&mut [app::Column] as Visit>::visit_all",
        );
        check("<(app::Column, u8) as app::Visit>::visit_all", 30, "(app::Column, u8)::visit_all");
        check(
            "<&app::Column as app::Visit>::visit_all::<app::Row>",
            40,
            "<Column as Visit>::visit_all::<..>",
        );
        // Without a trait there is nothing but the type.
        check("<app::column::Column>::visit", 20, "<..>::visit");
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
