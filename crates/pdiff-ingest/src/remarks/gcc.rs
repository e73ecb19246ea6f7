//! GCC's `-fopt-info-inline-missed` and `-fopt-info-inline-optimized-missed`.
//!
//! ```text
//! a.cc:8:58: missed:   will not early inline: int f(int)/19->int helper(int)/15, call is cold and code would grow at least by 8
//! a.cc:10:52: missed:   not inlinable: int main(int, char**)/21 -> int g(int)/20, call is unlikely and code size would grow
//! a.cc:8:58: optimized:  Inlined int helper(int)/30 into int f(int)/19 which now has time 186.847856 and size 30, net change of +8.
//! ```
//!
//! A function is written as its declaration and a number. Lines of other passes, and lines that name no two functions, are
//! left out.

use pdiff_profile::names::{FunctionName, split_clone_suffix};
use pdiff_profile::{InlineRemark, RemarkName, RemarkPlace};

/// What is after the place.
const MISSED: &str = ": missed: ";
const OPTIMIZED: &str = ": optimized: ";

/// Lines looked at to recognise the format.
const LOOKED_AT: usize = 2_000;

pub(super) fn is_format(text: &str) -> bool {
    text.lines().take(LOOKED_AT).any(|line| split(line).is_some())
}

pub(super) fn parse(text: &str) -> Vec<InlineRemark> {
    text.lines().filter_map(remark).collect()
}

fn remark(line: &str) -> Option<InlineRemark> {
    let (place, is_inlined, said) = split(line)?;
    let is_early = said.contains("early inline") || said.starts_with("Inlining ");
    let (caller, callee, words) = if is_inlined { inlined(said)? } else { missed(said)? };
    Some(InlineRemark {
        caller: name(caller)?,
        callee: name(callee)?,
        place,
        is_inlined,
        is_early,
        words: words.trim().into(),
        cost: None,
        threshold: None,
    })
}

/// The place, whether it is about a call that was inlined, and the rest.
fn split(line: &str) -> Option<(RemarkPlace, bool, &str)> {
    let (place, is_inlined, said) = match (line.split_once(MISSED), line.split_once(OPTIMIZED)) {
        (Some((place, said)), _) => (place, false, said),
        (None, Some((place, said))) => (place, true, said),
        (None, None) => return None,
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (file, number) = rest.rsplit_once(':')?;
    let place = RemarkPlace { file: file.into(), line: number.parse().ok()?, column: column.parse().ok()? };
    Some((place, is_inlined, said.trim()))
}

/// `pass: caller/1 -> callee/2, why`: the caller, the callee, why.
fn missed(said: &str) -> Option<(&str, &str, &str)> {
    let (names, _) = arrow(said)?;
    let (caller, behind) = (said.get(..names)?, said.get(names..)?);
    // No name contains a colon and a space; the words before one do.
    let caller = caller.rsplit_once(": ").map_or(caller, |(_, caller)| caller);
    let behind = behind.trim_start_matches(digit).trim_start().strip_prefix("->")?.trim_start();
    let (callee, behind) = numbered(behind)?;
    Some((caller.strip_suffix('/')?, callee, behind.trim_start_matches([',', ' '])))
}

/// `Inlined callee/1 into caller/2 which now has ...`.
fn inlined(said: &str) -> Option<(&str, &str, &str)> {
    let rest = ["Inlined ", "Inlining "].iter().find_map(|verb| said.strip_prefix(verb))?;
    let (callee, rest) = numbered(rest)?;
    let (caller, words) = numbered(rest.trim_start().strip_prefix("into ")?)?;
    Some((caller, callee, words.trim_end_matches('.')))
}

fn digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// A name with its number, and what is behind.
fn numbered(text: &str) -> Option<(&str, &str)> {
    let is_number = |at: &usize| text.get(at + 1..).is_some_and(|rest| rest.starts_with(digit));
    let at = text.match_indices('/').map(|(at, _)| at).find(is_number)?;
    Some((text.get(..at)?, text.get(at + 1..)?.trim_start_matches(digit)))
}

/// Where the number of the caller begins: the digits after a slash and before an arrow, and where they end.
fn arrow(text: &str) -> Option<(usize, usize)> {
    let numbers = text.match_indices('/').map(|(at, _)| at + 1);
    numbers.into_iter().find_map(|at| {
        let rest = text.get(at..)?;
        let behind = rest.trim_start_matches(digit);
        let has_arrow = behind.len() < rest.len() && behind.trim_start().starts_with("->");
        has_arrow.then_some((at, at + rest.len() - behind.len()))
    })
}

/// The function of a declaration such as `int db::Cmp::less(T, int) [with T = int]`.
fn name(declaration: &str) -> Option<RemarkName> {
    let (declared, arguments) = match declaration.split_once(" [with ") {
        Some((declared, arguments)) => (declared, arguments.trim_end().strip_suffix(']')),
        None => (declaration, None),
    };
    let declared = declared.trim();
    let declarator = declared.get(return_type_length(declared)..)?;
    if declarator.is_empty() {
        return None;
    }
    let (base, suffix) = split_clone_suffix(declarator);
    let name = FunctionName::parse(declarator);
    let name = match arguments {
        // The parameters of a template are not those of its instance.
        Some(arguments) => FunctionName::parse(&instance(name.qualified(), arguments)),
        None => name,
    };
    Some(RemarkName { name, lacks_scope: !suffix.is_empty() && !base.contains("::") })
}

/// A template's name with its arguments: `less` and `T = int` give `less<int>`, `List<T>::add` gives `List<int>::add`.
fn instance(name: &str, arguments: &str) -> String {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut full = String::with_capacity(name.len() + arguments.len());
    let mut own = Vec::new();
    let pairs: Vec<(&str, &str)> = arguments.split("; ").filter_map(|pair| pair.split_once(" = ")).collect();
    // Names of types inside a class (`List<T>::value_type = int`) are not parameters.
    let parameters = || pairs.iter().filter(|(parameter, _)| parameter.chars().all(is_word));
    let mut rest = name;
    while !rest.is_empty() {
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        let taken = word.max(rest.chars().next().map_or(1, char::len_utf8));
        let (piece, behind) = rest.split_at(taken);
        let value = parameters().find(|(parameter, _)| *parameter == piece);
        full.push_str(value.map_or(piece, |(_, value)| value));
        own.extend(value.map(|(parameter, _)| *parameter));
        rest = behind;
    }
    let of_function: Vec<&str> =
        parameters().filter(|(parameter, _)| !own.contains(parameter)).map(|(_, value)| *value).collect();
    if !of_function.is_empty() {
        full.push_str(&format!("<{}>", of_function.join(", ")));
    }
    full
}

/// How much of a declaration is before the function's name.
fn return_type_length(declared: &str) -> usize {
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in declared.bytes().enumerate() {
        match byte {
            b'(' if depth == 0 && at > start => return start,
            b'(' | b'<' | b'[' => depth += 1,
            b')' | b'>' | b']' => depth = depth.saturating_sub(1),
            b' ' if depth == 0 => {
                let behind = declared.get(at + 1..).unwrap_or("");
                start = at + 1;
                if is_operator(behind) {
                    return start;
                }
            }
            _ if depth == 0 && at == start && is_operator(declared.get(at..).unwrap_or("")) => return start,
            _ => {}
        }
    }
    start
}

/// Whether a name begins here whose last part is an operator: `db::Cmp::operator<(`.
fn is_operator(text: &str) -> bool {
    let word = text.split([' ', '(']).next().unwrap_or("");
    let last = word.rsplit("::").next().unwrap_or("");
    last.strip_prefix("operator")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}
