//! Types, template arguments and parameters.

use super::codes::builtin_type;
use super::{Home, MAX_BYTES, Part, Reader};

/// Deepest nesting of types that is followed here: far less than what the general demangler follows.
const MAX_DEPTH: u32 = 32;

impl Reader<'_> {
    /// `<` to `>`; those of the function itself are kept for its types.
    pub(super) fn template_arguments(&mut self, of_function: bool) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || self.out.len() > MAX_BYTES {
            return None;
        }
        self.at += 1;
        self.is_pointed = false;
        let is_outermost = of_function && self.depth == 1;
        if is_outermost {
            self.arguments.clear();
        }
        self.out.push_str(if self.out.ends_with('<') { " <" } else { "<" });
        let mut is_first = true;
        while self.peek() != b'E' {
            let is_pack = self.peek() == b'J';
            if is_pack {
                self.at += 1;
                // An empty one is left out, with the comma before it.
                if self.peek() == b'E' {
                    self.at += 1;
                    if self.peek() != b'E' {
                        return None;
                    }
                    if is_outermost {
                        self.arguments.push(Part::NOWHERE);
                    }
                    break;
                }
            }
            if !is_first {
                self.out.push_str(", ");
            }
            is_first = false;
            let start = self.out.len();
            self.refers_to_member = false;
            self.argument()?;
            if is_pack {
                while self.peek() != b'E' {
                    self.out.push_str(", ");
                    self.argument()?;
                }
                self.at += 1;
            }
            if is_outermost {
                let known = self
                    .known
                    .last()
                    .copied()
                    .filter(|part| (part.start, part.end) == (start, self.out.len()));
                let is_member_of_type =
                    self.refers_to_member || known.is_some_and(|part| part.is_member_of_type);
                let part = Part {
                    start,
                    end: self.out.len(),
                    home: Home::Out,
                    leaf: None,
                    is_type: true,
                    is_member_of_type,
                };
                self.arguments.push(if is_pack { Part::NOWHERE } else { part });
            }
        }
        if is_first {
            return None;
        }
        self.at += 1;
        self.out.push('>');
        self.shorten();
        self.depth -= 1;
        Some(())
    }

    pub(super) fn argument(&mut self) -> Option<()> {
        if self.peek() == b'L' { self.literal() } else { self.any_type() }
    }

    /// A number, a truth value or a value of an enumeration.
    pub(super) fn literal(&mut self) -> Option<()> {
        self.at += 1;
        match self.peek() {
            b'b' => {
                self.at += 1;
                let value = match self.peek() {
                    b'0' => "false",
                    b'1' => "true",
                    _ => return None,
                };
                self.at += 1;
                self.out.push_str(value);
            }
            b'a' | b'c' | b'h' | b's' | b't' | b'i' | b'j' | b'l' | b'm' | b'x' | b'y' => {
                self.at += 1;
                self.value()?;
            }
            b'N' | b'0'..=b'9' | b'S' => {
                self.out.push('(');
                self.any_type()?;
                self.out.push(')');
                self.value()?;
            }
            _ => return None,
        }
        self.expect(b'E')
    }

    pub(super) fn value(&mut self) -> Option<()> {
        if self.peek() == b'n' {
            self.at += 1;
            self.out.push('-');
        }
        let start = self.at;
        self.number()?;
        self.out.push_str(std::str::from_utf8(self.bytes.get(start..self.at)?).ok()?);
        Some(())
    }

    /// Parameters up to `end`, or to the end of the name.
    pub(super) fn parameters(&mut self, end: Option<u8>) -> Option<()> {
        let is_end = |reader: &Self| match end {
            Some(end) => reader.peek() == end,
            None => reader.at >= reader.bytes.len(),
        };
        self.out.push('(');
        if self.peek() == b'v' {
            self.at += 1;
            if !is_end(self) {
                return None;
            }
        } else {
            self.any_type()?;
            while !is_end(self) {
                if self.peek() == b'v' {
                    return None;
                }
                self.out.push_str(", ");
                self.any_type()?;
            }
        }
        self.out.push(')');
        Some(())
    }

    pub(super) fn any_type(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH || self.out.len() > MAX_BYTES {
            return None;
        }
        let start = self.out.len();
        match self.peek() {
            b'a'..=b'z' => self.builtin()?,
            b'D' => self.newer_builtin()?,
            b'K' => self.constant(start)?,
            b'P' | b'R' | b'O' => self.pointer(start)?,
            b'N' => {
                self.nested(false)?;
            }
            b'S' if self.next_but(1) == b't' => {
                self.at += 2;
                self.out.push_str("std::");
                self.class(start)?;
            }
            b'S' => {
                let leaf = self.reference(false)?;
                if self.peek() == b'I' {
                    self.template_arguments(false)?;
                    self.know(start, leaf);
                }
            }
            b'0'..=b'9' => self.class(start)?,
            b'T' => {
                self.at += 1;
                let number = self.sequence_number()?;
                let part = self.arguments.get(number).copied().filter(|_| self.has_arguments)?;
                if self.peek() == b'I' {
                    return None;
                }
                self.write(part, false)?;
                self.know(start, None);
                self.mark_member(part.is_member_of_type);
            }
            b'F' => {
                self.function_type("", start)?;
            }
            _ => return None,
        }
        self.depth -= 1;
        Some(())
    }

    /// A class or enumeration, with template arguments or without.
    pub(super) fn class(&mut self, start: usize) -> Option<()> {
        if !self.peek().is_ascii_digit() {
            return None;
        }
        let leaf = self.identifier()?;
        self.know(start, Some(leaf));
        if self.peek() == b'I' {
            self.template_arguments(false)?;
            self.know(start, Some(leaf));
        }
        Some(())
    }

    pub(super) fn builtin(&mut self) -> Option<()> {
        let name = builtin_type(self.peek())?;
        self.at += 1;
        self.out.push_str(name);
        Some(())
    }

    pub(super) fn newer_builtin(&mut self) -> Option<()> {
        let name = match self.next_but(1) {
            b'n' => "std::nullptr_t",
            b'i' => "char32_t",
            b's' => "char16_t",
            _ => return None,
        };
        self.at += 2;
        self.out.push_str(name);
        Some(())
    }

    pub(super) fn constant(&mut self, start: usize) -> Option<()> {
        self.at += 1;
        if matches!(self.peek(), b'F' | b'R' | b'O' | b'K') {
            return None;
        }
        let is_pointed = std::mem::replace(&mut self.is_pointed, true);
        self.any_type()?;
        self.is_pointed = is_pointed;
        let is_member =
            self.known.last().is_some_and(|part| part.is_member_of_type && part.end == self.out.len());
        if [" const", "&", ")", "..."].iter().any(|end| self.out.ends_with(end)) {
            return None;
        }
        self.out.push_str(" const");
        self.know(start, None);
        self.mark_member(is_member);
        Some(())
    }

    /// A pointer or reference, to functions too.
    pub(super) fn pointer(&mut self, start: usize) -> Option<()> {
        let symbol = match self.peek() {
            b'P' => "*",
            b'R' => "&",
            _ => "&&",
        };
        self.at += 1;
        if self.peek() == b'F' {
            self.function_type(symbol, start)?;
        } else {
            self.is_pointed = true;
            self.any_type()?;
            self.is_pointed = false;
            if ["&", ")", "..."].iter().any(|end| self.out.ends_with(end)) {
                return None;
            }
            self.out.push_str(symbol);
        }
        self.know(start, None);
        Some(())
    }

    /// A function's type, or where `symbol` is not empty a pointer to it.
    pub(super) fn function_type(&mut self, symbol: &str, start: usize) -> Option<()> {
        self.at += 1;
        self.any_type()?;
        if self.out.ends_with(')') {
            return None;
        }
        if !symbol.is_empty() {
            self.out.push_str(" (");
            self.out.push_str(symbol);
            self.out.push(')');
        }
        self.parameters(Some(b'E'))?;
        self.at += 1;
        self.know(start, None);
        if let Some(part) = self.known.last_mut().filter(|_| !symbol.is_empty()) {
            part.home = Home::Nowhere;
        }
        Some(())
    }
}
