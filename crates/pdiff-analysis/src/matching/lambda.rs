//! The spellings of lambdas that distinguish those of one function: by their parameters, or by their number.
//!
//! GCC numbers the lambdas of a function, `f(int)::{lambda(long)#2}`, and names one that only debug information knows
//! `f::{lambda#2}`. Clang's have parameters and no number, `f(int)::{lambda(long)}`.

use pdiff_profile::names::loose_name;

/// How the class of a lambda begins.
pub(super) const LAMBDA: &str = "{lambda";

/// The name without the numbers of its lambdas, if all of them have their parameters.
pub(super) fn without_lambda_number(name: &str) -> Option<String> {
    if !may_be_of_lambda(name) {
        return None;
    }
    let mut parts = name.split(LAMBDA);
    let mut spelled = parts.next()?.to_owned();
    let mut is_lambda = false;
    for part in parts.filter(|part| !part.is_empty()) {
        is_lambda = true;
        let (class, rest) = part.split_at(end_of_class(part)?);
        let (parameters, _) = class.rsplit_once('#').unwrap_or((class, ""));
        spelled.push_str(LAMBDA);
        spelled.push_str(parameters.starts_with('(').then_some(parameters)?);
        spelled.push_str(rest);
    }
    is_lambda.then_some(spelled)
}

/// The loose name with the numbers of its lambdas, if all of them have one.
pub(super) fn without_lambda_parameters(name: &str) -> Option<String> {
    if !may_be_of_lambda(name) {
        return None;
    }
    let mut numbers = Vec::new();
    for part in name.split(LAMBDA).skip(1) {
        let (_, number) = part.get(..end_of_class(part)?)?.rsplit_once('#')?;
        numbers.push(number);
    }
    if numbers.is_empty() {
        return None;
    }
    let loose = loose_name(name)?;
    let mut parts = loose.split(LAMBDA);
    let mut spelled = parts.next()?.to_owned();
    for (part, number) in parts.zip(numbers) {
        spelled.push_str(LAMBDA);
        spelled.push('#');
        spelled.push_str(number);
        spelled.push_str(part);
    }
    Some(spelled)
}

/// Few names have such a bracket, and to look for it is cheap.
fn may_be_of_lambda(name: &str) -> bool {
    name.contains('{')
}

/// Where the class of a lambda ends, behind the word.
fn end_of_class(part: &str) -> Option<usize> {
    let mut depth = 1_usize;
    part.bytes().position(|byte| {
        depth = match byte {
            b'{' => depth + 1,
            b'}' => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lambdas_are_spelled_without_numbers_or_without_parameters() {
        let gcc = "f(int)::{lambda(long)#2}::operator()";
        assert_eq!(without_lambda_number(gcc).as_deref(), Some("f(int)::{lambda(long)}::operator()"));
        assert_eq!(without_lambda_parameters(gcc).as_deref(), Some("f::{lambda#2}::operator()"));
        let clang = "f(int)::{lambda(long)}::operator()";
        assert_eq!(without_lambda_number(clang).as_deref(), Some(clang));
        assert_eq!(without_lambda_parameters(clang), None);
        let inlined = "f::{lambda#2}::operator()";
        assert_eq!(without_lambda_number(inlined), None);
        assert_eq!(without_lambda_parameters(inlined).as_deref(), Some(inlined));
        assert_eq!(without_lambda_number("f"), None);
        assert_eq!(without_lambda_parameters("f<int>"), None);
        assert_eq!(without_lambda_number("f::{lambda(int"), None);
    }
}
