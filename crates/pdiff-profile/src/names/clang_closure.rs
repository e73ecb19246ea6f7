//! Lambdas that Clang numbers through the whole source file, named by their parameters.
//!
//! In: a demangled name. Out: the same with `f(int)::$_5::operator()(long) const` as
//! `f(int)::{lambda(long)}::operator()(long) const`, or nothing if it has no such part. The number of `$_5` counts the
//! lambdas of all functions above it, so one more anywhere in the file gives it to another lambda. Lambdas of one function
//! with the same parameters share a name. Where the name tells no parameters (a template argument), the number stays.

use super::brackets::group_end;

/// How the class of such a lambda begins; digits follow.
const CLOSURE: &str = "$_";

/// What is called, behind the class.
const CALL: &str = "::operator()";

/// The name with the parameters of its lambdas instead of their numbers; `None` if there are none to replace.
pub(super) fn named_by_parameters(text: &str) -> Option<String> {
    let mut named = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find(CLOSURE) {
        let start = at + found;
        let rest = text.get(start + CLOSURE.len()..)?;
        let end = text.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        at = end;
        let is_class = start == 0 || text.get(..start)?.ends_with("::");
        if let Some(parameters) = parameters(text, end).filter(|_| is_class) {
            named.push_str(text.get(kept..start)?);
            named.push_str("{lambda");
            named.push_str(parameters);
            named.push('}');
            kept = end;
        }
    }
    named.push_str(text.get(kept..)?);
    (kept > 0).then_some(named)
}

/// The parameters in brackets of the call operator that follows a class, past its template arguments.
fn parameters(text: &str, class_end: usize) -> Option<&str> {
    text.get(class_end..)?.strip_prefix(CALL)?;
    let mut open = class_end + CALL.len();
    if text.as_bytes().get(open) == Some(&b'<') {
        open = group_end(text, open)?;
    }
    let is_list = text.as_bytes().get(open) == Some(&b'(');
    text.get(open..group_end(text, open).filter(|_| is_list)?)
}

#[cfg(test)]
mod tests {
    use super::super::FunctionName;
    use super::*;

    #[test]
    fn lambdas_are_named_by_their_parameters() {
        let cases = [
            ("f(int)::$_5::operator()(long) const", Some("f(int)::{lambda(long)}::operator()(long) const")),
            ("$_0::operator()() const", Some("{lambda()}::operator()() const")),
            (
                "f()::$_0::operator()<int>(int) const::$_12::operator()(bool)",
                Some("f()::{lambda(int)}::operator()<int>(int) const::{lambda(bool)}::operator()(bool)"),
            ),
            ("long run<f(long)::$_5>(f(long)::$_5, long)", None),
            ("f()::$_0::operator()", None),
            ("a$_0::operator()(int)", None),
            ("f(int)::{lambda(int)#1}::operator()(int) const", None),
        ];
        for (text, expected) in cases {
            assert_eq!(named_by_parameters(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn linkage_names_and_perf_spell_one_lambda_alike() {
        let expected = "helper(long)::{lambda(double)}::operator()";
        for name in ["_ZZL6helperlENK3$_8clEd", "helper(long)::$_3::operator()(double) const"] {
            assert_eq!(FunctionName::parse(name).qualified(), expected);
        }
        assert_eq!(FunctionName::parse("_ZNK3$_2clEl").qualified(), "{lambda(long)}::operator()");
    }
}
