//! The name that all instances of a template share.
//!
//! In: a qualified name in its one spelling. Out: the name without template arguments, without the numbers and
//! parameters of lambdas and without the parameters of enclosing functions; namespaces stay. A Rust path that begins
//! with a type (`<T as Trait>::method`) keeps that type, loosened.

use super::brackets::{group_end, is_word_byte, token_end};
use super::operator_symbol::starts_conversion;
use super::parameters::special_prefix_length;

/// The loose form of `qualified`, empty only if that is empty.
pub(super) fn loosen(qualified: &str) -> String {
    let prefix = special_prefix_length(qualified);
    let mut loose = Loosener {
        text: qualified,
        at: prefix,
        out: String::with_capacity(qualified.len()),
        in_conversion: false,
    };
    loose.out.push_str(qualified.get(..prefix).unwrap_or(""));
    loose.run();
    let kept = loose.out.trim_end();
    if kept.len() <= prefix { qualified.to_owned() } else { kept.to_owned() }
}

struct Loosener<'a> {
    text: &'a str,
    at: usize,
    out: String,
    in_conversion: bool,
}

impl Loosener<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            match byte {
                b'<' => self.template(),
                b'(' if !self.in_conversion => self.parentheses(),
                b'{' => self.braces(),
                _ if is_word_byte(byte) => self.keep_to(token_end(self.text, self.at)),
                _ => self.keep_to(self.at + 1),
            }
        }
    }

    fn keep_to(&mut self, end: usize) {
        let kept = self.text.get(self.at..end).unwrap_or("");
        self.out.push_str(kept);
        self.at = end;
        self.in_conversion |= kept == "operator" && starts_conversion(self.rest());
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The end of the group that opens here, or of the text if the group is never closed.
    fn group_end(&self) -> usize {
        group_end(self.text, self.at).unwrap_or(self.text.len())
    }

    fn template(&mut self) {
        let end = self.group_end();
        let is_type = self.at == 0 || self.rest().starts_with("<impl ");
        if is_type && end < self.text.len() {
            let inside = self.text.get(self.at + 1..end.saturating_sub(1)).unwrap_or("");
            self.out.push('<');
            self.out.push_str(&loosen_once(inside));
            self.out.push('>');
        } else {
            // `operator< <int>` leaves its space, a Rust `f::<u8>` its colons.
            let length = self.out.trim_end_matches([' ', ':']).len();
            self.out.truncate(length);
        }
        self.at = end;
    }

    fn parentheses(&mut self) {
        let end = self.group_end();
        // `(anonymous namespace)`, a type before the name, and Go's `main.(*T).Method` are not parameters.
        if self.rest().starts_with("(anonymous ") || self.rest().starts_with("(*") || self.at == 0 {
            return self.keep_to(end);
        }
        self.at = end;
        // The qualifiers of an enclosing function go with its parameters.
        let tail =
            self.rest().trim_start_matches(" const").trim_start_matches(" volatile").trim_start_matches('&');
        if tail.is_empty() || tail.starts_with("::") {
            self.at = self.text.len() - tail.len();
        }
    }

    /// `{lambda(int)#2}` as `{lambda}`, `{{closure}}` and `{closure#0}` as `{closure}`.
    fn braces(&mut self) {
        let end = self.group_end();
        let inside = self.text.get(self.at..end).unwrap_or("").trim_matches(['{', '}']);
        let word = inside.split(['(', '#', '<']).next().unwrap_or("");
        self.out.push('{');
        self.out.push_str(word);
        self.out.push('}');
        self.at = end;
    }
}

/// Drops the generic arguments inside a Rust type, one level; deeper ones go with them.
fn loosen_once(inside: &str) -> String {
    let mut out = String::with_capacity(inside.len());
    let mut at = 0;
    while let Some(open) = inside.get(at..).and_then(|rest| rest.find('<')).map(|found| at + found) {
        out.push_str(inside.get(at..open).unwrap_or(""));
        at = group_end(inside, open).unwrap_or(inside.len());
    }
    out.push_str(inside.get(at..).unwrap_or(""));
    out
}
