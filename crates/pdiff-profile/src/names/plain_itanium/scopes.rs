//! The names of functions and types in their scopes.

use super::codes::{INLINE_NAMESPACES, is_keyword, is_unnamed_namespace, operator_symbol};
use super::{Home, Last, Reader};

impl Reader<'_> {
    /// The name of the function; whether it is a `const` method.
    pub(super) fn function_name(&mut self) -> Option<(Last, bool)> {
        if self.peek() == b'N' {
            return self.nested(true);
        }
        let start = self.out.len();
        if self.peek() == b'S' {
            if self.next_but(1) != b't' {
                return None;
            }
            self.at += 2;
            self.out.push_str("std::");
        }
        let leaf = self.unqualified()?;
        if self.peek() != b'I' {
            return Some((Last::Name, false));
        }
        self.know_template(start, leaf);
        self.template_arguments(true)?;
        Some((Last::Arguments, false))
    }

    /// An identifier or an operator.
    pub(super) fn unqualified(&mut self) -> Option<Option<(usize, usize)>> {
        match self.peek() {
            b'0'..=b'9' => self.identifier().map(Some),
            b'L' if self.next_but(1).is_ascii_digit() => {
                self.at += 1;
                self.identifier().map(Some)
            }
            b'a'..=b'z' => self.operator().map(|()| None),
            _ => None,
        }
    }

    /// Writes an identifier; where it stands.
    pub(super) fn identifier(&mut self) -> Option<(usize, usize)> {
        let range = self.identifier_range()?;
        let word = self.bytes.get(range.0..range.1)?;
        if INLINE_NAMESPACES.iter().any(|(namespace, _)| *namespace == word) {
            return None;
        }
        if is_unnamed_namespace(word) {
            self.out.push_str("(anonymous namespace)");
        } else {
            self.word(range)?;
        }
        self.tags()?;
        Some(range)
    }

    /// An identifier, unless its spelling depends on more.
    pub(super) fn word(&mut self, (start, end): (usize, usize)) -> Option<()> {
        let word = std::str::from_utf8(self.bytes.get(start..end)?).ok()?;
        let short = word.strip_prefix("basic_").filter(|short| {
            let scope = self.out.strip_suffix('~').unwrap_or(&self.out).strip_suffix("::");
            scope.and_then(|class| class.strip_suffix(*short)).is_some_and(|head| head.ends_with("std::"))
        });
        self.out.push_str(short.unwrap_or(word));
        Some(())
    }

    pub(super) fn identifier_range(&mut self) -> Option<(usize, usize)> {
        if self.peek() == b'0' {
            return None;
        }
        let length = self.number()?;
        let start = self.at;
        let end = start.checked_add(length)?;
        let word = self.bytes.get(start..end)?;
        if !word.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
            || is_keyword(word)
        {
            return None;
        }
        self.at = end;
        Some((start, end))
    }

    /// Tags of the ABI, which have no part in the spelling.
    pub(super) fn tags(&mut self) -> Option<()> {
        while self.peek() == b'B' {
            self.at += 1;
            self.identifier_range()?;
        }
        Some(())
    }

    pub(super) fn operator(&mut self) -> Option<()> {
        let code = [self.peek(), self.next_but(1)];
        let symbol = operator_symbol(code)?;
        self.at += 2;
        self.out.push_str("operator");
        self.out.push_str(symbol);
        self.tags()
    }

    /// A name in scopes, from its `N` to its `E`.
    pub(super) fn nested(&mut self, of_function: bool) -> Option<(Last, bool)> {
        self.at += 1;
        let is_const = self.peek() == b'K';
        if is_const {
            if !of_function {
                return None;
            }
            self.at += 1;
        }
        let start = self.out.len();
        let (mut leaf, mut last, mut is_member_of_type) = (None, Last::Nothing, false);
        let is_pointed = self.is_pointed;
        loop {
            let byte = self.peek();
            let mut is_namespace = false;
            match byte {
                b'E' => break,
                b'S' if last == Last::Nothing => {
                    if self.next_but(1) == b't' {
                        self.at += 2;
                        self.out.push_str("std");
                        last = Last::Std;
                    } else {
                        leaf = self.reference(true)?;
                        is_member_of_type = !of_function && self.last_reference_is_type;
                        last = Last::Reference;
                    }
                    continue;
                }
                b'I' => {
                    last = match last {
                        Last::Name | Last::Reference => Last::Arguments,
                        Last::Special => Last::SpecialArguments,
                        _ => return None,
                    };
                    self.template_arguments(of_function)?;
                }
                b'C' | b'D' => {
                    let is_known = match byte {
                        b'C' => matches!(self.next_but(1), b'1' | b'2' | b'4'),
                        _ => matches!(self.next_but(1), b'0' | b'1' | b'2' | b'4'),
                    };
                    if !is_known || !of_function {
                        return None;
                    }
                    if self.next_but(2) == b'I' && self.constructor != Some(self.at) {
                        return None;
                    }
                    self.at += 2;
                    self.out.push_str(if byte == b'C' { "::" } else { "::~" });
                    self.word(leaf?)?;
                    self.tags()?;
                    last = Last::Special;
                }
                _ => {
                    let inline = self.inline_namespace();
                    if let Some(range) = inline {
                        let is_inside =
                            !matches!(last, Last::Nothing) && !matches!(self.peek(), b'E' | b'I' | b'B');
                        leaf = Some(range).filter(|_| is_inside && self.peek().is_ascii_alphanumeric());
                        leaf?;
                        is_namespace = true;
                    } else {
                        if last != Last::Nothing {
                            self.out.push_str("::");
                        }
                        leaf = self.unqualified()?;
                    }
                    // An operator is no scope.
                    if leaf.is_none() && !(of_function && matches!(self.peek(), b'E' | b'I')) {
                        return None;
                    }
                    last = Last::Name;
                }
            }
            if self.peek() != b'E' {
                // A constructor is no scope.
                if last == Last::SpecialArguments || last == Last::Special && self.peek() != b'I' {
                    return None;
                }
                self.know_template(start, leaf);
                if let Some(part) = self.known.last_mut() {
                    part.is_type = false;
                    part.home = if is_namespace { Home::Namespace } else { part.home };
                }
            }
        }
        self.at += 1;
        if matches!(last, Last::Nothing | Last::Std | Last::Reference) {
            return None;
        }
        if is_member_of_type && is_pointed {
            return None;
        }
        if !of_function {
            self.know(start, leaf);
            self.mark_member(is_member_of_type);
        }
        Some((last, is_const))
    }

    /// Passes over an inline namespace that has no part in the spelling.
    pub(super) fn inline_namespace(&mut self) -> Option<(usize, usize)> {
        let before = self.at;
        let range = if self.peek().is_ascii_digit() { self.identifier_range() } else { None };
        let word = range.and_then(|(start, end)| self.bytes.get(start..end));
        let is_inline = word.is_some_and(|word| {
            INLINE_NAMESPACES.iter().any(|(namespace, scope)| *namespace == word && self.out.ends_with(scope))
        });
        if !is_inline {
            self.at = before;
        }
        range.filter(|_| is_inline)
    }
}
