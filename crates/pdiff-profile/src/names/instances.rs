//! One name for all instances of a template, a generic function or a function with type parameters.
//!
//! In: a name in its one spelling. Out: the same name with `<..>` for every list of template arguments and `[...]` for Go's
//! type parameters, which is how Go itself writes them. Parameters behind such a list may depend on it and become `(..)`:
//! those of a lambda in a template function, or of a method at the level of signatures. Everything else stays, unlike in
//! `loose`: lambda numbers, the types of `<T as Trait>`, and brackets that are not argument lists (`<init>`, `<locals>`).

use super::brackets::{group_end, is_word_byte, token_end};
use super::operator_symbol::starts_conversion;

/// The name that all instances share; `None` where `name` is the name of no instance.
///
/// ```
/// use pdiff_profile::names::collapse_instances;
///
/// assert_eq!(collapse_instances("std::vector<int>::push_back").as_deref(), Some("std::vector<..>::push_back"));
/// assert_eq!(collapse_instances("main.Map[go.shape.int]").as_deref(), Some("main.Map[...]"));
/// assert_eq!(collapse_instances("A::operator<"), None);
/// ```
pub fn collapse_instances(name: &str) -> Option<String> {
    if !name.bytes().any(|byte| matches!(byte, b'<' | b'[')) {
        return None;
    }
    let mut collapser = Collapser { out: String::with_capacity(name.len()), is_instance: false };
    collapser.collapse(name);
    (collapser.out != name).then_some(collapser.out)
}

struct Collapser {
    out: String,
    /// A list of arguments was passed, so parameters may depend on them.
    is_instance: bool,
}

impl Collapser {
    /// Bracket groups are entered one within the other, at most as deep as [`group_end`] follows them.
    fn collapse(&mut self, text: &str) {
        let (mut at, mut in_conversion) = (0, false);
        let mut previous = "";
        while let Some(&byte) = text.as_bytes().get(at) {
            let end = match byte {
                b'<' | b'[' | b'(' | b'{' => group_end(text, at),
                _ if is_word_byte(byte) => Some(token_end(text, at)),
                _ => Some(at + 1),
            };
            // What nothing closes is not a list.
            let Some(token) = end.and_then(|end| text.get(at..end)) else {
                return self.out.push_str(text.get(at..).unwrap_or(""));
            };
            let rest = text.get(at + token.len()..).unwrap_or("");
            match byte {
                b'<' if is_template_list(token, previous) => self.list("<..>"),
                b'[' if is_type_list(token, previous) => self.list("[...]"),
                b'(' if self.is_instance && at > 0 && !in_conversion && !is_part_of_name(token) => {
                    self.out.push_str("(..)");
                }
                b'<' | b'(' | b'{' => self.inside(token),
                _ => self.out.push_str(token),
            }
            in_conversion |= token == "operator" && starts_conversion(rest);
            // `operator< <int>` has a space before its list.
            if byte != b' ' || !previous.starts_with("operator") {
                previous = token;
            }
            at += token.len();
        }
    }

    fn list(&mut self, collapsed: &str) {
        self.out.push_str(collapsed);
        self.is_instance = true;
    }

    fn inside(&mut self, group: &str) {
        let last = group.len().saturating_sub(1);
        let parts = group.get(..1).zip(group.get(1..last)).zip(group.get(last..));
        let Some(((open, inner), close)) = parts else { return self.out.push_str(group) };
        self.out.push_str(open);
        let is_instance = self.is_instance;
        self.collapse(inner);
        // A parameter that is an instance makes no instance of the function.
        self.is_instance = is_instance || (self.is_instance && open == "<");
        self.out.push_str(close);
    }
}

/// `(anonymous namespace)`, the pointer in Go's `main.(*T).Method`, and an empty list.
fn is_part_of_name(group: &str) -> bool {
    group == "()" || group.starts_with("(anonymous ") || group.starts_with("(*")
}

/// Whether a list belongs to the word, the operator or the closed group before it. Behind a dot there are names:
/// `Map.<init>` of Java, `outer.<locals>.inner` of Python.
fn is_template_list(group: &str, previous: &str) -> bool {
    let is_named = previous.starts_with("operator") || previous.bytes().last().is_some_and(is_word_byte);
    let is_path =
        previous == ":" && !["<impl ", "<lambda", "<unnamed"].iter().any(|word| group.starts_with(word));
    group != "<>" && (is_named || is_path || previous.ends_with('}'))
}

/// Whether a group is a list of Go's type parameters; `[abi:cxx11]` is a tag, and `f[]` no list.
fn is_type_list(group: &str, previous: &str) -> bool {
    previous.bytes().last().is_some_and(is_word_byte) && group != "[]" && !group.starts_with("[abi:")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::FunctionName;

    #[test]
    fn instances_of_one_template_have_one_name() {
        let cases = [
            ("std::vector<int, std::allocator<int> >::push_back", "std::vector<..>::push_back"),
            ("std::vector<std::vector<long>>::push_back", "std::vector<..>::push_back"),
            ("std::function<void (int)>::operator()", "std::function<..>::operator()"),
            ("A<(1>0), void (*)(int)>::f", "A<..>::f"),
            ("A<int>::B<long>::f<char>", "A<..>::B<..>::f<..>"),
            // Operators have brackets that are not lists, and lists behind those.
            ("A<int>::operator<", "A<..>::operator<"),
            ("A<int>::operator<<", "A<..>::operator<<"),
            ("A<int>::operator<=>", "A<..>::operator<=>"),
            ("A<int>::operator->", "A<..>::operator->"),
            ("A<int>::operator[]", "A<..>::operator[]"),
            ("operator<< <char>", "operator<< <..>"),
            ("operator< <int, long>", "operator< <..>"),
            ("A::operator()<int>", "A::operator()<..>"),
            ("A<int>::operator std::vector<int>*", "A<..>::operator std::vector<..>*"),
            ("A<int>::operator void (*)(int)", "A<..>::operator void (*)(int)"),
            // A lambda keeps its number; its parameters go only where they may depend on the instance.
            ("f(int)::{lambda(int)#2}::operator()", "f(int)::{lambda(int)#2}::operator()"),
            ("f<int>(int)::{lambda(int)#2}::operator()", "f<..>(..)::{lambda(..)#2}::operator()"),
            ("f<int>()::{lambda()#1}::operator()", "f<..>()::{lambda()#1}::operator()"),
            ("g(A<int>)::{lambda(A<int>)#1}::operator()", "g(A<..>)::{lambda(A<..>)#1}::operator()"),
            ("A::{lambda(auto:1)#1}::operator()<int>", "A::{lambda(auto:1)#1}::operator()<..>"),
            ("(anonymous namespace)::f<int>", "(anonymous namespace)::f<..>"),
            ("A<int>::(anonymous namespace)::f", "A<..>::(anonymous namespace)::f"),
            // Rust, both manglings, and types that are not arguments.
            ("alloc::vec::Vec<T,A>::push", "alloc::vec::Vec<..>::push"),
            ("<alloc::vec::Vec<u32>>::push", "<alloc::vec::Vec<..>>::push"),
            ("core::iter::fold::<u32, &mut [u8]>::{closure#0}", "core::iter::fold::<..>::{closure#0}"),
            ("<Vec<T> as core::ops::Drop>::drop", "<Vec<..> as core::ops::Drop>::drop"),
            ("<u32 as core::fmt::Debug>::fmt", "<u32 as core::fmt::Debug>::fmt"),
            (
                "core::num::<impl core::fmt::Debug for Vec<u8>>::fmt",
                "core::num::<impl core::fmt::Debug for Vec<..>>::fmt",
            ),
            // Go.
            ("main.Map[go.shape.int,go.shape.string]", "main.Map[...]"),
            ("main.(*Stack[go.shape.int]).Push", "main.(*Stack[...]).Push"),
            ("main.Map[...]", "main.Map[...]"),
            ("main.Map[...].func1", "main.Map[...].func1"),
            // Brackets of other languages, and what nothing closes.
            ("java/util/HashMap.<init>", "java/util/HashMap.<init>"),
            ("outer.<locals>.inner", "outer.<locals>.inner"),
            ("<module>", "<module>"),
            ("Array#[]", "Array#[]"),
            ("[unknown]", "[unknown]"),
            ("f<", "f<"),
            ("f<int", "f<int"),
            ("<", "<"),
            ("main", "main"),
        ];
        for (symbol, expected) in cases {
            let name = FunctionName::parse(symbol);
            let collapsed =
                collapse_instances(name.qualified()).unwrap_or_else(|| name.qualified().to_owned());
            assert_eq!(collapsed, expected, "`{symbol}`");
            assert_eq!(collapse_instances(&collapsed), None, "`{collapsed}` is collapsed already");
        }
        let signature = |symbol| collapse_instances(FunctionName::parse(symbol).signature().unwrap());
        assert_eq!(signature("_ZN1AIiE1fEi"), signature("_ZN1AIlE1fEl"));
    }
}
