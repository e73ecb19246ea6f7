//! Whether a mangled name is well formed, for names of one kind: nested templates over types, as expression templates are.
//!
//! One pass without going back, and so in time that grows with the name. What it does not know (expressions, lambdas, local names)
//! it refuses. Substitutions are counted as the ABI says, for a reference to one that does not exist makes a name ill-formed.

/// Whether the name is one of this kind, and well formed.
pub(super) fn is_nested_template(mangled: &str) -> bool {
    let Some(name) = mangled.strip_prefix("_Z") else { return false };
    Reader { rest: name.as_bytes(), substitutions: 0, depth: 0 }.encoding().is_some()
}

/// Deepest nesting of types.
const MAX_DEPTH: usize = 150;

struct Reader<'a> {
    rest: &'a [u8],
    substitutions: usize,
    depth: usize,
}

/// What a part of a nested name is.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    /// A reference to something before.
    Known,
    /// Something that can be referred to.
    New,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        self.rest = self.rest.strip_prefix(&[byte])?;
        Some(())
    }

    fn is_next(&self, text: &[u8]) -> bool {
        self.rest.starts_with(text)
    }

    fn encoding(mut self) -> Option<()> {
        match self.peek()? {
            // The table of virtual functions of a type, or what describes it.
            b'T' if matches!(self.rest.get(1)?, b'V' | b'T' | b'I' | b'S') => {
                self.rest = &self.rest[2..];
                return self.typed().filter(|()| self.rest.is_empty());
            }
            b'N' => self.nested(false)?,
            _ => self.unscoped()?,
        }
        while self.peek().is_some() {
            self.typed()?;
        }
        Some(())
    }

    fn number(&mut self) -> Option<usize> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    fn source_name(&mut self) -> Option<()> {
        let length = self.number().filter(|length| *length > 0)?;
        self.rest = self.rest.get(length..)?;
        while self.peek() == Some(b'B') {
            self.take(b'B')?;
            let length = self.number()?;
            self.rest = self.rest.get(length..)?;
        }
        Some(())
    }

    /// A name outside classes and namespaces but `std`, with its template's arguments.
    fn unscoped(&mut self) -> Option<()> {
        if self.is_next(b"St") {
            self.rest = &self.rest[2..];
        }
        self.source_name()?;
        if self.peek() == Some(b'I') {
            self.substitutions += 1;
            self.arguments()?;
        }
        Some(())
    }

    /// `N .. E`; each part can be referred to later, the last one if it is a type.
    fn nested(&mut self, is_type: bool) -> Option<()> {
        self.take(b'N')?;
        while matches!(self.peek()?, b'r' | b'V' | b'K' | b'R' | b'O') {
            self.rest = &self.rest[1..];
        }
        let mut last = None;
        while self.peek()? != b'E' {
            let part = self.part(last.is_none())?;
            self.substitutions += usize::from(part == Part::New);
            last = Some(part);
        }
        self.take(b'E')?;
        if last? == Part::New && !is_type {
            self.substitutions -= 1;
        }
        Some(())
    }

    fn part(&mut self, is_first: bool) -> Option<Part> {
        match self.peek()? {
            b'S' if is_first => self.substitution()?,
            b'I' if !is_first => self.arguments().map(|()| Part::New)?,
            b'C' | b'D' if !is_first && self.rest.get(1)?.is_ascii_digit() => {
                self.rest = &self.rest[2..];
                Part::New
            }
            b'L' => {
                self.take(b'L')?;
                self.source_name().map(|()| Part::New)?
            }
            b'0'..=b'9' => self.source_name().map(|()| Part::New)?,
            _ => return None,
        }
        .into()
    }

    /// `St`, `Sa`, `S_`, `S1A_`.
    fn substitution(&mut self) -> Option<Part> {
        self.take(b'S')?;
        if matches!(self.peek()?, b't' | b'a' | b's' | b'b' | b'i' | b'o' | b'd') {
            self.rest = &self.rest[1..];
            return Some(Part::Known);
        }
        let mut number = None;
        while self.peek()? != b'_' {
            let digit = (self.peek()? as char).to_digit(36).filter(|_| !self.rest[0].is_ascii_lowercase())?;
            number = Some(number.unwrap_or(0_usize).checked_mul(36)?.checked_add(digit as usize)?);
            self.rest = &self.rest[1..];
        }
        self.take(b'_')?;
        let index = number.map_or(Some(0), |number| number.checked_add(1))?;
        (index < self.substitutions).then_some(Part::Known)
    }

    fn arguments(&mut self) -> Option<()> {
        self.take(b'I')?;
        self.arguments_to_end()
    }

    fn arguments_to_end(&mut self) -> Option<()> {
        while self.peek()? != b'E' {
            match self.peek()? {
                b'J' => {
                    self.take(b'J')?;
                    self.arguments_to_end()?;
                }
                b'L' => self.literal()?,
                _ => self.typed()?,
            }
        }
        self.take(b'E')
    }

    /// `Lb1E`, `LN1a1bE2E`.
    fn literal(&mut self) -> Option<()> {
        self.take(b'L')?;
        self.typed()?;
        if self.peek() == Some(b'n') {
            self.take(b'n')?;
        }
        self.number()?;
        self.take(b'E')
    }

    fn typed(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())?;
        self.any_type()?;
        self.depth -= 1;
        Some(())
    }

    fn any_type(&mut self) -> Option<()> {
        match self.peek()? {
            b'r' | b'V' | b'K' => {
                while matches!(self.peek()?, b'r' | b'V' | b'K') {
                    self.rest = &self.rest[1..];
                }
                self.typed()?;
            }
            b'P' | b'R' | b'O' => {
                self.rest = &self.rest[1..];
                self.typed()?;
            }
            b'F' => {
                self.take(b'F')?;
                while self.peek()? != b'E' {
                    self.typed()?;
                }
                self.take(b'E')?;
            }
            b'A' => {
                self.take(b'A')?;
                self.number()?;
                self.take(b'_')?;
                self.typed()?;
            }
            b'N' => return self.nested(true),
            b'T' => {
                self.take(b'T')?;
                if self.peek()? != b'_' {
                    self.number()?;
                }
                self.take(b'_')?;
            }
            b'S' => {
                let is_scope = self.is_next(b"St");
                self.substitution()?;
                if is_scope {
                    self.source_name()?;
                    self.substitutions += 1;
                }
                return if self.peek() == Some(b'I') {
                    self.arguments().map(|()| self.substitutions += 1)
                } else {
                    Some(())
                };
            }
            b'0'..=b'9' => {
                self.source_name()?;
                if self.peek() == Some(b'I') {
                    self.substitutions += 1;
                    self.arguments()?;
                }
            }
            byte if b"vwbcahstijlmxynofdegz".contains(&byte) => {
                self.rest = &self.rest[1..];
                return Some(());
            }
            _ => return None,
        }
        self.substitutions += 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{demangle::demangle, forks};
    use super::*;

    #[test]
    fn names_of_one_kind_are_told_from_ill_formed_ones() {
        for name in [
            "_Z1fv",
            "_ZNSt6vectorIiSaIiEE9push_backERKi",
            "_ZN3fooILN2ns4EnumE1EE3barILi5ELb1EEEvv",
            "_ZN1aIS_IS_IS_IiEEEE1bEv",
            "_ZTIN1a1bIRA8_KcFviEEE",
            "_ZSt4sortIPiEvT_S1_",
        ] {
            assert!(is_nested_template(name), "{name}");
        }
        for name in ["_ZN1aIS_", "_ZN1aIS5_E1bEv", "_Z1fIXadL_Z1gvEEEvv", "_Z1f?", "_ZN1aE1", "main", "_Z"] {
            assert!(!is_nested_template(name), "{name}");
        }
    }

    #[test]
    fn a_well_formed_name_is_demangled_whatever_it_nests() {
        let nested =
            |innermost: &str| format!("_ZN1aI{}{innermost}{}E1bEv", "S_I".repeat(14), "E".repeat(14));
        let name = nested("i");
        assert!(!forks::are_few(&name) && is_nested_template(&name), "{name}");
        assert!(demangle(&name).is_some(), "{name}");
        // The same with a reference to nothing would take seconds.
        let hostile = nested("S9_");
        assert!(!is_nested_template(&hostile));
        assert!(demangle(&hostile).is_none(), "{hostile}");
    }
}
