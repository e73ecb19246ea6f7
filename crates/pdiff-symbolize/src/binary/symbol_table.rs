//! The functions of an ELF file by its symbol table: `.symtab`, else `.dynsym`, and the PLT stubs.
//!
//! Out: ranges of addresses that do not overlap, each with the best of the names that stand there. A symbol with a size
//! covers that and no more: what no symbol covers has none. Symbols without size (hand-written assembly) reach to the
//! next symbol or the end of their section, but not in a stripped file, where the next symbol is not the next function.
//!
//! 8.0.33 has 364,740 entries, of which 116,000 are functions: 25 ms.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use object::elf::{SHN_UNDEF, STB_GLOBAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE};
use object::read::elf::{ElfFile as ElfReader, FileHeader, SectionHeader as _, Sym as _};
use pdiff_profile::names::is_marker_symbol;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::binary::elf_file::ElfFile;
use crate::binary::function_name::display_name;
use crate::binary::plt::{Stub, plt_stubs};
use crate::binary::ranges::range_at;
use crate::binary::symbol_name::{NameTable, SymbolName};

/// A function by symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    /// First address.
    pub(crate) start: u64,
    /// The address after the last.
    pub(crate) end: u64,
    /// Where the function begins: before `start` where another symbol stands inside it.
    pub(crate) entry: u64,
    /// The name as the table has it; for PLT stubs with `@plt`.
    pub(crate) name: SymbolName,
}

impl Symbol {
    /// The name as text.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        self.name.text()
    }
}

impl From<Stub> for Symbol {
    fn from(Stub { start, end, function }: Stub) -> Self {
        Self { start, end, entry: start, name: format!("{function}@plt").into() }
    }
}

/// The functions of a file by symbol, sorted, not overlapping.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolTable {
    symbols: Vec<Symbol>,
}

/// A symbol table's entry that may be a function.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    start: u64,
    size: u64,
    rank: Rank,
    /// Where its name begins in the table of names.
    name: u32,
}

/// The candidates of one symbol table, and their names.
struct Candidates {
    candidates: Vec<Candidate>,
    names: Arc<NameTable>,
}

/// Which of a file's symbol tables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    All,
    Dynamic,
}

/// How good a name is among those of one address; the least is taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rank {
    is_untyped: bool,
    is_unsized: bool,
    binding: u8,
}

impl SymbolTable {
    /// Reads the table of `file`, and of `debug_file` where the symbols were moved there.
    pub(crate) fn read(file: &ElfFile, debug_file: Option<&ElfFile>) -> Self {
        let Some(object) = file.object() else { return Self::default() };
        let all = debug_file
            .and_then(|debug_file| Candidates::read(debug_file, Kind::All, file))
            .or_else(|| Candidates::read(file, Kind::All, file));
        let is_stripped = all.is_none();
        let candidates = all.or_else(|| Candidates::read(file, Kind::Dynamic, file));
        let mut symbols = candidates.map_or_else(Vec::new, |found| found.choose(file, is_stripped));
        symbols.extend(plt_stubs(&object).into_iter().map(Symbol::from));
        Self { symbols: flatten(symbols) }
    }

    /// The function at an address.
    pub(crate) fn find(&self, addr: u64) -> Option<&Symbol> {
        let at = self.symbols.partition_point(|symbol| symbol.end <= addr);
        self.symbols.get(at).filter(|symbol| symbol.start <= addr)
    }

    /// The functions that have addresses in a range.
    pub(crate) fn within(&self, range: Range<u64>) -> &[Symbol] {
        let from = self.symbols.partition_point(|symbol| symbol.end <= range.start);
        let to = self.symbols.partition_point(|symbol| symbol.start < range.end);
        self.symbols.get(from..to).unwrap_or(&[])
    }

    /// What perf may call the functions: as they stand in the table and demangled.
    pub(crate) fn names(&self) -> FxHashSet<Box<str>> {
        let shown: Vec<Box<str>> =
            self.symbols.par_iter().map(|symbol| display_name(&symbol.name())).collect();
        let raw = self.symbols.iter().map(|symbol| symbol.name().into());
        raw.chain(shown).collect()
    }

    /// All functions, sorted.
    pub(crate) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
}

impl Candidates {
    /// Reads a table of `file`, of symbols in the code of `program`; `None` if there is no such table.
    fn read(file: &ElfFile, kind: Kind, program: &ElfFile) -> Option<Self> {
        match file.object()? {
            object::File::Elf32(elf) => Self::collect(file, &elf, kind, program),
            object::File::Elf64(elf) => Self::collect(file, &elf, kind, program),
            _ => None,
        }
    }

    fn collect<Elf: FileHeader>(
        file: &ElfFile,
        elf: &ElfReader<'_, Elf>,
        kind: Kind,
        program: &ElfFile,
    ) -> Option<Self> {
        let endian = elf.endian();
        let table = match kind {
            Kind::All => elf.elf_symbol_table(),
            Kind::Dynamic => elf.elf_dynamic_symbol_table(),
        };
        if table.is_empty() {
            return None;
        }
        let strings = elf.elf_section_table().section(table.string_section()).ok()?;
        let names = NameTable::new(file.shared_bytes(), strings.file_range(endian)?);
        let mut candidates = Vec::new();
        for symbol in table.iter() {
            let is_function = [STT_FUNC, STT_GNU_IFUNC].contains(&symbol.st_type());
            let (addr, size): (u64, u64) = (symbol.st_value(endian).into(), symbol.st_size(endian).into());
            let is_label = symbol.st_type() == STT_NOTYPE && (size > 0 || symbol.st_bind() == STB_GLOBAL);
            let is_defined = symbol.st_shndx(endian) != SHN_UNDEF && !symbol.is_common(endian);
            let name = symbol.st_name(endian);
            if !(is_function || is_label) || !is_defined || name == 0 || !program.is_code(addr) {
                continue;
            }
            // The names of functions, most of all, are read when they are asked for: they lie all over 30 MB.
            if is_label && !is_label_of_code(names.get(name)) {
                continue;
            }
            let binding = match symbol.st_bind() {
                STB_GLOBAL => 0,
                STB_WEAK => 1,
                _ => 2,
            };
            let rank = Rank { is_untyped: !is_function, is_unsized: size == 0, binding };
            candidates.push(Candidate { start: addr, size, rank, name });
        }
        Some(Self { candidates, names: Arc::new(names) })
    }

    /// The best name for each address, with its range.
    fn choose(mut self, file: &ElfFile, is_stripped: bool) -> Vec<Symbol> {
        let names = &self.names;
        let by_name = |a: &Candidate, b: &Candidate| {
            let [a, b] = [a, b].map(|candidate| names.get(candidate.name));
            let underscores = |name: &[u8]| name.iter().take_while(|byte| **byte == b'_').count();
            (a.is_empty(), underscores(a), a).cmp(&(b.is_empty(), underscores(b), b))
        };
        self.candidates.sort_unstable_by_key(|candidate| candidate.start);
        let by_rank = |a: &&Candidate, b: &&Candidate| a.rank.cmp(&b.rank).then_with(|| by_name(a, b));
        let of_one_address = self.candidates.chunk_by(|a, b| a.start == b.start);
        let best: Vec<Candidate> =
            of_one_address.filter_map(|chunk| chunk.iter().min_by(by_rank).copied()).collect();
        let starts: Vec<u64> = best.iter().map(|candidate| candidate.start).collect();
        let reach = |index: usize, start: u64| {
            let next = starts.get(index + 1).copied().unwrap_or(u64::MAX);
            let code_end = range_at(file.code(), start).map_or(start, |range| range.end);
            if is_stripped { start } else { next.min(code_end) }
        };
        let symbol = |(index, candidate): (usize, &Candidate)| Symbol {
            start: candidate.start,
            end: match candidate.size {
                0 => reach(index, candidate.start),
                size => candidate.start.saturating_add(size),
            },
            entry: candidate.start,
            name: SymbolName::in_table(&self.names, candidate.name),
        };
        best.iter().enumerate().map(symbol).filter(|symbol| symbol.start < symbol.end).collect()
    }
}

/// Markers of annotation plugins and of instruction sets, and labels inside functions, are no functions.
fn is_label_of_code(name: &[u8]) -> bool {
    !name.is_empty()
        && !name.starts_with(b"$")
        && !name.starts_with(b".")
        && std::str::from_utf8(name).is_ok_and(|name| !is_marker_symbol(name))
}

/// Cuts symbols that overlap: where one stands inside another, the inner one is taken and the outer one goes on after.
fn flatten(mut symbols: Vec<Symbol>) -> Vec<Symbol> {
    symbols.sort_by_key(|symbol| symbol.start);
    let mut flat: Vec<Symbol> = Vec::with_capacity(symbols.len());
    let mut open: Vec<Symbol> = Vec::new();
    for symbol in symbols {
        close_until(&mut open, symbol.start, &mut flat);
        open.push(symbol);
    }
    close_until(&mut open, u64::MAX, &mut flat);
    flat
}

/// Emits what the open symbols (outer ones first) cover before `limit`.
fn close_until(open: &mut Vec<Symbol>, limit: u64, flat: &mut Vec<Symbol>) {
    let mut at = flat.last().map_or(0, |symbol| symbol.end);
    while let Some(mut top) = open.pop() {
        let start = top.start.max(at);
        if top.end > limit {
            if start < limit {
                flat.push(Symbol { start, end: limit, ..top.clone() });
            }
            top.start = top.start.max(limit);
            open.push(top);
            return;
        }
        if start < top.end {
            at = top.end;
            flat.push(Symbol { start, ..top });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(symbols: &[(u64, u64, &str)], expected: &[(u64, u64, &str)]) {
        let symbols = symbols
            .iter()
            .map(|(start, end, name)| Symbol {
                start: *start,
                end: *end,
                entry: *start,
                name: SymbolName::from((*name).to_owned()),
            })
            .collect();
        let table = SymbolTable { symbols: flatten(symbols) };
        let got: Vec<_> = table.symbols.iter().map(|s| (s.start, s.end, s.name())).collect();
        let expected: Vec<_> =
            expected.iter().map(|(start, end, name)| (*start, *end, (*name).into())).collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn a_symbol_inside_another_covers_its_own_part() {
        check(&[(0, 10, "a"), (20, 30, "b")], &[(0, 10, "a"), (20, 30, "b")]);
        check(&[(0, 30, "a"), (10, 20, "b")], &[(0, 10, "a"), (10, 20, "b"), (20, 30, "a")]);
        check(&[(0, 20, "a"), (10, 30, "b")], &[(0, 10, "a"), (10, 30, "b")]);
        check(
            &[(0, 20, "a"), (5, 10, "b"), (10, 15, "c")],
            &[(0, 5, "a"), (5, 10, "b"), (10, 15, "c"), (15, 20, "a")],
        );
    }
}
