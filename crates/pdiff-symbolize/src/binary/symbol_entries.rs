//! The symbol tables of a file: what may be a function, as it is there.
//!
//! `.symtab` of the file with the debug information, else of the program, else `.dynsym`. Markers, sections, data and
//! undefined symbols are left out, and so are symbols outside of code.
//!
//! 8.0.33 has 364,740 entries, of which 116,000 are functions: 25 ms.

use std::sync::Arc;

use object::elf::{SHN_UNDEF, STB_GLOBAL, STB_GNU_UNIQUE, STB_LOCAL, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE};
use object::read::elf::{ElfFile as ElfReader, FileHeader, SectionHeader as _, Sym as _};
use pdiff_profile::names::is_marker_symbol;
use rustc_hash::FxHashSet;

use crate::binary::elf_file::ElfFile;
use crate::binary::symbol_name::NameTable;

/// How long all names together may be, however small the table of names.
const FREE_NAME_BYTES: u64 = 1 << 20;
/// What a byte of that table allows on top; linkers share the ends of names, which makes them a tenth longer.
const NAME_BYTES_PER_BYTE: u64 = 4;

/// An entry that may be a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SymbolEntry {
    pub(crate) addr: u64,
    /// 0 where the table has none: hand-written assembly.
    pub(crate) size: u64,
    pub(crate) kind: SymbolKind,
    pub(crate) binding: Binding,
    /// Where its name begins in the table of names.
    pub(crate) name: u32,
}

/// What the table says of an entry. Orders: what is preferred among names of one address comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum SymbolKind {
    Function,
    /// A name in code without a type.
    Label,
}

/// Who sees a symbol. Orders: what is preferred among names of one address comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Binding {
    Global,
    Weak,
    Local,
}

/// Which symbol table was read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TableKind {
    /// All symbols.
    All,
    /// Only those that other objects see: the file is stripped.
    Dynamic,
}

/// The entries of one symbol table, and their names.
#[derive(Debug)]
pub(crate) struct SymbolEntries {
    pub(crate) entries: Vec<SymbolEntry>,
    pub(crate) names: Arc<NameTable>,
    pub(crate) table: TableKind,
}

impl SymbolEntries {
    /// Reads the table of `debug_file`, where the symbols were moved there, else that of `file`.
    pub(crate) fn read(file: &ElfFile, debug_file: Option<&ElfFile>) -> Self {
        Self::read_some(file, debug_file, &|entries| entries)
    }

    /// The same with only those that decide which functions some addresses are in: a recording has addresses in a few thousand
    /// of a hundred thousand functions. `addrs` are sorted.
    pub(crate) fn read_at(file: &ElfFile, debug_file: Option<&ElfFile>, addrs: &[u64]) -> Self {
        Self::read_some(file, debug_file, &|entries| entries_at(&entries, addrs))
    }

    fn read_some(file: &ElfFile, debug_file: Option<&ElfFile>, choose: Choice<'_>) -> Self {
        let all = |from: &ElfFile| read_table(from, TableKind::All, file, choose);
        let found = debug_file.and_then(all).or_else(|| all(file));
        found.or_else(|| read_table(file, TableKind::Dynamic, file, choose)).unwrap_or_else(|| Self {
            entries: Vec::new(),
            names: Arc::new(NameTable::new(file.shared_bytes(), (0, 0))),
            table: TableKind::Dynamic,
        })
    }
}

/// Which of all entries are kept.
type Choice<'a> = &'a dyn Fn(Vec<SymbolEntry>) -> Vec<SymbolEntry>;

/// Reads a table of `file`, of symbols in the code of `program`; `None` if there is none with a function in it.
fn read_table(
    file: &ElfFile,
    kind: TableKind,
    program: &ElfFile,
    choose: Choice<'_>,
) -> Option<SymbolEntries> {
    match file.object()? {
        object::File::Elf32(elf) => collect(file, &elf, kind, program, choose),
        object::File::Elf64(elf) => collect(file, &elf, kind, program, choose),
        _ => None,
    }
}

fn collect<Elf: FileHeader>(
    file: &ElfFile,
    elf: &ElfReader<'_, Elf>,
    kind: TableKind,
    program: &ElfFile,
    choose: Choice<'_>,
) -> Option<SymbolEntries> {
    let endian = elf.endian();
    let table = match kind {
        TableKind::All => elf.elf_symbol_table(),
        TableKind::Dynamic => elf.elf_dynamic_symbol_table(),
    };
    if table.is_empty() {
        return None;
    }
    let strings = elf.elf_section_table().section(table.string_section()).ok()?;
    let names = NameTable::new(file.shared_bytes(), strings.file_range(endian)?);
    let entry = |symbol: &Elf::Sym| {
        let is_function = [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_type());
        let (addr, size): (u64, u64) = (symbol.st_value(endian).into(), symbol.st_size(endian).into());
        let is_label = symbol.st_type() == STT_NOTYPE && (size > 0 || symbol.st_bind() == STB_GLOBAL);
        let is_defined = symbol.st_shndx(endian) != SHN_UNDEF && !symbol.is_common(endian);
        let name = symbol.st_name(endian);
        if !(is_function || is_label) || !is_defined || name == 0 || !program.is_code(addr) {
            return None;
        }
        // The names of functions, most of all, are read when they are asked for: they lie all over 30 MB.
        if is_label && !is_label_of_code(names.get(name)) {
            return None;
        }
        let kind = if is_function { SymbolKind::Function } else { SymbolKind::Label };
        let binding = match symbol.st_bind() {
            STB_GLOBAL | STB_GNU_UNIQUE => Binding::Global,
            STB_LOCAL => Binding::Local,
            _ => Binding::Weak,
        };
        Some(SymbolEntry { addr, size, kind, binding, name })
    };
    // Names may be the ends of one another, and all of them together many times as long as the table.
    // The length is what the file claims.
    let mut left = FREE_NAME_BYTES.saturating_add(NAME_BYTES_PER_BYTE.saturating_mul(names.len()));
    let fits = |entry: &SymbolEntry| {
        let length = names.get(entry.name).len() as u64;
        let fits = length <= left;
        left = left.saturating_sub(length);
        fits
    };
    let all: Vec<SymbolEntry> = table.iter().filter_map(entry).collect();
    let entries: Vec<SymbolEntry> = choose(all).into_iter().take_while(fits).collect();
    (!entries.is_empty()).then(|| SymbolEntries { entries, names: Arc::new(names), table: kind })
}

/// Markers of annotation plugins and of instruction sets, and labels inside functions, are not functions.
fn is_label_of_code(name: &[u8]) -> bool {
    !name.is_empty()
        && !name.starts_with(b"$")
        && !name.starts_with(b".")
        && std::str::from_utf8(name).is_ok_and(|name| !is_marker_symbol(name))
}

/// The entries that decide which functions the addresses are in: those that cover one of them, and those that begin last before and
/// first after one, for a function without a size ends where the next begins; each with all others that begin at the same
/// address, in the order of the table.
fn entries_at(entries: &[SymbolEntry], addrs: &[u64]) -> Vec<SymbolEntry> {
    // By the number of addresses below a start: where an entry begins first and last between two of them.
    let mut first = vec![u64::MAX; addrs.len() + 1];
    let mut last: Vec<Option<u64>> = vec![None; addrs.len() + 1];
    let mut starts: FxHashSet<u64> = FxHashSet::default();
    for entry in entries {
        let below = addrs.partition_point(|addr| *addr < entry.addr);
        if let (Some(first), Some(last)) = (first.get_mut(below), last.get_mut(below)) {
            *first = entry.addr.min(*first);
            *last = Some(entry.addr).max(*last);
        }
        let next = addrs.get(below).copied();
        if next.is_some_and(|addr| addr - entry.addr < entry.size) {
            starts.insert(entry.addr);
        }
    }
    starts.extend(first);
    starts.extend(last.into_iter().flatten());
    entries.iter().filter(|entry| starts.contains(&entry.addr)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_at_some_addresses_are_those_that_decide() {
        let entry = |addr, size| SymbolEntry {
            addr,
            size,
            kind: SymbolKind::Function,
            binding: Binding::Global,
            name: addr as u32,
        };
        let entries = [(5, 0), (10, 100), (20, 5), (40, 0), (50, 0), (60, 10), (10, 3), (200, 9), (300, 1)];
        let entries = entries.map(|(addr, size)| entry(addr, size));
        let check = |addrs: &[u64], expected: &[(u64, u64)]| {
            let found: Vec<(u64, u64)> =
                entries_at(&entries, addrs).iter().map(|entry| (entry.addr, entry.size)).collect();
            assert_eq!(found, expected, "{addrs:?}");
        };
        // 45 is in the function of 10, in that of 40 without a size, and before that of 50.
        check(&[45], &[(5, 0), (10, 100), (40, 0), (50, 0), (10, 3), (300, 1)]);
        check(&[22, 205], &[(5, 0), (10, 100), (20, 5), (40, 0), (10, 3), (200, 9), (300, 1)]);
        check(&[], &[(5, 0), (300, 1)]);
    }
}
