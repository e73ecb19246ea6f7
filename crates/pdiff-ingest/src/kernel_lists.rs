//! Lists of a kernel's functions: `/proc/kallsyms`, or a copy.
//!
//! ```text
//! line = address " " kind " " name [tab "[" module "]"]         "ffffffff81000000 T _text"
//! ```

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::digits;

/// The most bytes of a list.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// One function. A list has a hundred thousand of them, of which a recording asks for a few thousand: names are read then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub(crate) addr: u64,
    /// Where its name begins in the list.
    name: u32,
}

/// The functions of a list by address.
#[derive(Debug)]
pub(crate) struct List {
    text: Vec<u8>,
    pub(crate) symbols: Vec<Symbol>,
}

/// Lists of kernels' functions that were read: recordings of one machine mostly share theirs, and some megabytes of text take a
/// while. They stay as long as this does.
#[derive(Debug, Default)]
pub struct KernelLists {
    by_path: Mutex<Vec<(PathBuf, Option<Arc<List>>)>>,
}

impl KernelLists {
    /// The list in a file; who comes while it is read waits for it.
    pub(crate) fn read(&self, path: &Path) -> Option<Arc<List>> {
        let mut by_path = self.by_path.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, list)) = by_path.iter().find(|(known, _)| known == path) {
            return list.clone();
        }
        let list = List::read(path).map(Arc::new);
        by_path.push((path.to_owned(), list.clone()));
        list
    }
}

impl List {
    fn read(path: &Path) -> Option<Self> {
        use std::io::Read as _;
        let file = std::fs::File::open(path).ok()?;
        // Some MB: to grow by doubling would copy it several times. The kernel's own list says it has no bytes.
        let bytes = file.metadata().map_or(0, |data| data.len()).min(MAX_LIST_BYTES);
        let mut text = Vec::with_capacity(usize::try_from(bytes).unwrap_or(0) + 1);
        file.take(MAX_LIST_BYTES).read_to_end(&mut text).ok()?;
        Self::parse(text)
    }

    /// The functions of a list; `None` if it has none, as where the kernel hides addresses.
    pub(crate) fn parse(text: Vec<u8>) -> Option<Self> {
        let mut symbols = Vec::with_capacity(text.len() / 48);
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &text).chain([text.len()]) {
            symbols.extend(parse_line(text.get(start..end).unwrap_or(&[]), start));
            start = end + 1;
        }
        // Of several at one address perf takes the last.
        if !symbols.is_sorted_by_key(|symbol: &Symbol| symbol.addr) {
            symbols.sort_by_key(|symbol| symbol.addr);
        }
        symbols.dedup_by(|next, kept| {
            let is_same = next.addr == kept.addr;
            if is_same {
                *kept = *next;
            }
            is_same
        });
        let is_hidden = symbols.iter().all(|symbol| symbol.addr == 0);
        (!is_hidden).then_some(Self { text, symbols })
    }

    /// The address of the last symbol of a name.
    pub(crate) fn find(&self, name: &[u8]) -> Option<u64> {
        // From front to back, which is many times faster than back to front.
        let found = memchr::memmem::find_iter(&self.text, name).filter_map(|at| {
            let start = memchr::memrchr(b'\n', self.text.get(..at)?).map_or(0, |end| end + 1);
            let rest = self.text.get(start..)?;
            let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
            let symbol = parse_line(line, start)?;
            (symbol.name as usize == at && self.read_name(&symbol).0 == name).then_some(symbol.addr)
        });
        found.last()
    }

    /// The name of a function, and whether it is in a module.
    pub(crate) fn read_name(&self, symbol: &Symbol) -> (&[u8], bool) {
        let rest = self.text.get(symbol.name as usize..).unwrap_or(&[]);
        match memchr::memchr2(b'\t', b'\n', rest) {
            Some(end) => (rest.get(..end).unwrap_or(rest), rest.get(end) == Some(&b'\t')),
            None => (rest, false),
        }
    }
}

/// A line that begins at `start` of its list, if it is of something that may run.
fn parse_line(line: &[u8], start: usize) -> Option<Symbol> {
    let (addr, rest) = line.split_at_checked(memchr::memchr(b' ', line)?)?;
    let [b' ', kind, b' ', rest @ ..] = rest else { return None };
    // As in perf: data are taken too, for some code has symbols that say so.
    if !matches!(kind, b'T' | b't' | b'W' | b'w' | b'D' | b'd' | b'B' | b'b') || rest.first() == Some(&b'$') {
        return None;
    }
    let name = u32::try_from(start + line.len() - rest.len()).ok()?;
    Some(Symbol { addr: digits::hexadecimal(addr)?, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_a_whole_and_the_last_of_two() {
        let text = b"1000 T _text\n2000 T my_text\n3000 T _text_end\n4000 a _text\n5000 t next\t[mod]\n6000 t next\n".to_vec();
        let list = List::parse(text).expect("it has functions");
        let found = [&b"_text"[..], b"next", b"text", b"_text_end", b"1000"].map(|name| list.find(name));
        assert_eq!(found, [Some(0x1000), Some(0x6000), None, Some(0x3000), None]);
    }

    #[test]
    fn a_list_is_read_once() {
        let path = std::env::temp_dir().join(format!("pdiff-kernel-list-{}", std::process::id()));
        std::fs::write(&path, "1000 T _text\n").expect("the folder is writable");
        let lists = KernelLists::default();
        let first = lists.read(&path).expect("it has functions");
        std::fs::remove_file(&path).expect("it is there");
        assert!(lists.read(&path).is_some_and(|again| Arc::ptr_eq(&first, &again)));
        assert!(KernelLists::default().read(&path).is_none());
    }

    #[test]
    fn hidden_addresses_are_no_list() {
        assert!(List::parse(b"0 T _text\n0 t work\n".to_vec()).is_none());
    }
}
