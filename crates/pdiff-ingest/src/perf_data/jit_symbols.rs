//! Functions that a program made at run time: the `perf-PID.map` that its runtime wrote.
//!
//! ```text
//! line = start " " size " " name            "7f0c2c0040 1a LazyCompile:~add /srv/app.js:3", numbers in hexadecimal
//! ```

use std::io::Read as _;
use std::path::Path;

use crate::digits;

/// The most bytes of a list.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// The functions by address.
#[derive(Debug)]
pub(super) struct JitSymbols {
    /// Start, size and name. If several functions used one address, the last of them is the one at the end of the recording.
    functions: Vec<(u64, u64, Box<str>)>,
}

impl JitSymbols {
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut list = Vec::new();
        std::fs::File::open(path).ok()?.take(MAX_LIST_BYTES).read_to_end(&mut list).ok()?;
        Some(Self::parse(&list))
    }

    fn parse(list: &[u8]) -> Self {
        let line = |line: &[u8]| {
            let mut parts = line.splitn(3, |byte| *byte == b' ');
            let mut number = || {
                let digits = parts.next()?;
                digits::hexadecimal(digits.strip_prefix(b"0x").unwrap_or(digits))
            };
            let (start, size) = (number()?, number()?);
            let name = String::from_utf8_lossy(parts.next()?.trim_ascii_end()).into_owned().into_boxed_str();
            Some((start, size, name))
        };
        let mut functions: Vec<_> = list.split(|byte| *byte == b'\n').filter_map(line).collect();
        functions.sort_by_key(|(start, ..)| *start);
        functions.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                std::mem::swap(next, kept);
            }
            is_same
        });
        Self { functions }
    }

    /// The function at an address, and how far into it that is.
    pub(super) fn name(&self, addr: u64) -> Option<(&str, u64)> {
        let next = self.functions.partition_point(|(start, ..)| *start <= addr);
        let (start, size, name) = self.functions.get(next.checked_sub(1)?)?;
        (addr - start < *size).then_some((&**name, addr - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_function_at_an_address_counts() {
        let symbols = JitSymbols::parse(
            b"2000 10 LazyCompile:~add a.js:3\n1000 20 old\n1000 20 new one\nnonsense\n0x3000 0x8 x\n",
        );
        assert_eq!(symbols.name(0x1004), Some(("new one", 4)));
        assert_eq!(symbols.name(0x1020), None);
        assert_eq!(symbols.name(0x200f), Some(("LazyCompile:~add a.js:3", 15)));
        assert_eq!(symbols.name(0x3000), Some(("x", 0)));
        assert_eq!(symbols.name(0xfff), None);
    }
}
