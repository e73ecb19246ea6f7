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
        let all = |from: &ElfFile| read_table(from, TableKind::All, file);
        let found = debug_file.and_then(all).or_else(|| all(file));
        found.or_else(|| read_table(file, TableKind::Dynamic, file)).unwrap_or_else(|| Self {
            entries: Vec::new(),
            names: Arc::new(NameTable::new(file.shared_bytes(), (0, 0))),
            table: TableKind::Dynamic,
        })
    }
}

/// Reads a table of `file`, of symbols in the code of `program`; `None` if there is none with a function in it.
fn read_table(file: &ElfFile, kind: TableKind, program: &ElfFile) -> Option<SymbolEntries> {
    match file.object()? {
        object::File::Elf32(elf) => collect(file, &elf, kind, program),
        object::File::Elf64(elf) => collect(file, &elf, kind, program),
        _ => None,
    }
}

fn collect<Elf: FileHeader>(
    file: &ElfFile,
    elf: &ElfReader<'_, Elf>,
    kind: TableKind,
    program: &ElfFile,
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
    let entries: Vec<SymbolEntry> = table.iter().filter_map(entry).take_while(fits).collect();
    (!entries.is_empty()).then(|| SymbolEntries { entries, names: Arc::new(names), table: kind })
}

/// Markers of annotation plugins and of instruction sets, and labels inside functions, are not functions.
fn is_label_of_code(name: &[u8]) -> bool {
    !name.is_empty()
        && !name.starts_with(b"$")
        && !name.starts_with(b".")
        && std::str::from_utf8(name).is_ok_and(|name| !is_marker_symbol(name))
}
