//! Who compiled: family, version and flags, from `DW_AT_producer` or the `.comment` section.

use std::fmt;

/// A compiler family. Code of different families is never compared byte by byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Compiler {
    /// GCC and its front ends.
    Gcc,
    /// Clang and its descendants.
    Clang,
    /// rustc.
    Rustc,
    /// Go's own.
    Go,
    /// An assembler.
    Assembler,
    /// Any other.
    Other,
}

/// A producer of one census.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProducerId(pub u32);

/// One compiler with its flags.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Producer {
    /// The text as the compiler wrote it.
    pub text: Box<str>,
    /// The family.
    pub compiler: Compiler,
    /// The version, such as `12.1.1`; empty where none is found.
    pub version: Box<str>,
    /// The flags, as far as the compiler recorded them.
    pub flags: Box<str>,
    /// How many compilation units it made; 0 where the text comes from `.comment`.
    pub units: u32,
}

impl Producer {
    /// Splits a producer text.
    ///
    /// ```
    /// use pdiff_profile::census::{Compiler, Producer};
    ///
    /// let producer = Producer::from_text("GNU C++17 12.1.1 20220628 (Red Hat 12.1.1-3) -m64 -g1 -O2", 1);
    /// assert_eq!(producer.compiler, Compiler::Gcc);
    /// assert_eq!((&*producer.version, &*producer.flags), ("12.1.1", "-m64 -g1 -O2"));
    /// ```
    #[must_use]
    pub fn from_text(text: &str, units: u32) -> Self {
        let flags = text.find(" -").map_or("", |at| text.get(at..).unwrap_or("")).trim_start();
        let head = text.get(..text.len().saturating_sub(flags.len())).unwrap_or(text);
        Self {
            text: text.into(),
            compiler: compiler_of(head),
            version: version_of(head).into(),
            flags: flags.into(),
            units,
        }
    }

    /// Whether code of both can be compared byte by byte: same family and same version; of families that are not known, the same
    /// text.
    #[must_use]
    pub fn same_compiler(&self, other: &Self) -> bool {
        let is_known = self.compiler != Compiler::Other;
        let is_same_text = !self.text.is_empty() && self.text == other.text;
        self.compiler == other.compiler && self.version == other.version && (is_known || is_same_text)
    }
}

impl fmt::Display for Producer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn compiler_of(head: &str) -> Compiler {
    if head.contains("rustc") {
        Compiler::Rustc
    } else if head.contains("clang") {
        Compiler::Clang
    } else if head.starts_with("Go cmd/compile") {
        Compiler::Go
    } else if head.starts_with("GNU AS") || head.starts_with("Go cmd/asm") {
        Compiler::Assembler
    } else if head.starts_with("GNU ") || head.starts_with("GCC") {
        Compiler::Gcc
    } else {
        Compiler::Other
    }
}

/// The first word that looks like `4.1.2`, or like `go1.26.8`.
fn version_of(head: &str) -> &str {
    let is_version = |word: &&str| {
        word.contains('.')
            && word.starts_with(|c: char| c.is_ascii_digit())
            && word.bytes().all(|c| c.is_ascii_digit() || c == b'.')
    };
    let mut words =
        head.split([' ', '(', ')', '-', ',', ';']).map(|word| word.strip_prefix("go").unwrap_or(word));
    words.find(is_version).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_producers_are_split() {
        let check = |text: &str, compiler, version: &str, flags: &str| {
            let producer = Producer::from_text(text, 1);
            assert_eq!((producer.compiler, &*producer.version, &*producer.flags), (compiler, version, flags));
        };
        check("GNU C++ 4.1.2 20080704 (Red Hat 4.1.2-48)", Compiler::Gcc, "4.1.2", "");
        check("GCC: (GNU) 4.4.7 20120313 (Red Hat 4.4.7-16)", Compiler::Gcc, "4.4.7", "");
        check("GNU C17 12.2.0 -mtune=generic -O2 -g", Compiler::Gcc, "12.2.0", "-mtune=generic -O2 -g");
        check("GNU AS 2.40", Compiler::Assembler, "2.40", "");
        check("Debian clang version 14.0.6", Compiler::Clang, "14.0.6", "");
        check("clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", Compiler::Rustc, "1.95.0", "");
        check("Go cmd/compile go1.26.8; regabi", Compiler::Go, "1.26.8", "");
        check("Go cmd/asm go1.26.8", Compiler::Assembler, "1.26.8", "");
        check("", Compiler::Other, "", "");
    }

    #[test]
    fn of_unknown_compilers_the_text_tells() {
        let same = |a: &str, b: &str| Producer::from_text(a, 1).same_compiler(&Producer::from_text(b, 7));
        assert!(same("zig 0.11.0", "zig 0.11.0") && !same("zig 0.11.0", "zig 0.12.0") && !same("", ""));
        assert!(same("GNU C17 12.2.0 -O2", "GNU C17 12.2.0 -Os") && !same("GNU C17 12.2.0", "GNU C17 4.1.2"));
        let (old, new) = ("Go cmd/compile go1.21.0; regabi", "Go cmd/compile go1.26.8; regabi");
        assert!(same(new, new) && !same(old, new));
    }
}
