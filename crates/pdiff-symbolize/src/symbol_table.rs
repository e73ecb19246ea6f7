//! The functions of an ELF file by its symbol table: `.symtab`, else `.dynsym`, and the PLT stubs.
//!
//! Out: ranges of addresses that do not overlap, each with the best of the names that stand there. A symbol with a size
//! covers that and no more: what no symbol covers has none. Symbols without size (hand-written assembly) reach to the
//! next symbol or the end of their section, but not in a stripped file, where the next symbol is not the next function.
//!
//! 8.0.33 has 364,740 entries, of which 116,000 are functions: 25 ms.

use std::ops::Range;

use object::elf::{STB_GLOBAL, STB_WEAK, STT_FUNC, STT_GNU_IFUNC, STT_NOTYPE};
use object::{Object, ObjectSymbol, ObjectSymbolTable, SymbolFlags};
use pdiff_profile::names::is_marker_symbol;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::elf_file::ElfFile;
use crate::function_name::display_name;
use crate::plt::plt_symbols;

/// A function by symbol.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    /// First address.
    pub(crate) start: u64,
    /// The address after the last.
    pub(crate) end: u64,
    /// Where the function begins: before `start` where another symbol stands inside it.
    pub(crate) entry: u64,
    /// The name as the table has it; for PLT stubs with `@plt`.
    pub(crate) name: Box<str>,
}

/// The functions of a file by symbol, sorted, not overlapping.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SymbolTable {
    symbols: Vec<Symbol>,
}

/// A symbol table's entry that may be a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) rank: Rank,
    pub(crate) name: &'a [u8],
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
        let debug_object = debug_file.and_then(ElfFile::object);
        let mut candidates = Vec::new();
        let mut is_stripped = false;
        if let Some(table) = debug_object.as_ref().and_then(|object| object.symbol_table()) {
            collect(&table, file, &mut candidates);
        } else if let Some(table) = object.symbol_table() {
            collect(&table, file, &mut candidates);
        } else if let Some(table) = object.dynamic_symbol_table() {
            is_stripped = true;
            collect(&table, file, &mut candidates);
        }
        let stubs = plt_symbols(&object);
        let mut symbols = choose(candidates, file, is_stripped);
        symbols.extend(stubs);
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
        let shown: Vec<Box<str>> = self.symbols.par_iter().map(|symbol| display_name(&symbol.name)).collect();
        let raw = self.symbols.iter().map(|symbol| symbol.name.clone());
        raw.chain(shown).collect()
    }

    /// All functions, sorted.
    pub(crate) fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
}

fn collect<'data, T: ObjectSymbolTable<'data>>(table: &T, file: &ElfFile, out: &mut Vec<Candidate<'data>>) {
    for symbol in table.symbols() {
        let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { continue };
        let kind = st_info.st_type();
        let is_function = kind == STT_FUNC || kind == STT_GNU_IFUNC;
        let is_label = kind == STT_NOTYPE && (symbol.size() > 0 || st_info.st_bind() == STB_GLOBAL);
        if !(is_function || is_label) || symbol.is_undefined() || !file.is_code(symbol.address()) {
            continue;
        }
        let Ok(name) = symbol.name_bytes() else { continue };
        if name.is_empty() || is_label && !is_label_of_code(name) {
            continue;
        }
        let binding = match st_info.st_bind() {
            STB_GLOBAL => 0,
            STB_WEAK => 1,
            _ => 2,
        };
        let rank = Rank { is_untyped: !is_function, is_unsized: symbol.size() == 0, binding };
        out.push(Candidate { start: symbol.address(), size: symbol.size(), rank, name });
    }
}

/// Markers of annotation plugins and of instruction sets, and labels inside functions, are no functions.
fn is_label_of_code(name: &[u8]) -> bool {
    !name.starts_with(b"$")
        && !name.starts_with(b".")
        && std::str::from_utf8(name).is_ok_and(|name| !is_marker_symbol(name))
}

/// The best name for each address, with its range.
fn choose(mut candidates: Vec<Candidate<'_>>, file: &ElfFile, is_stripped: bool) -> Vec<Symbol> {
    let order = |c: &Candidate<'_>| (c.start, c.rank, c.name.iter().take_while(|b| **b == b'_').count());
    candidates.sort_unstable_by(|a, b| order(a).cmp(&order(b)).then_with(|| a.name.cmp(b.name)));
    candidates.dedup_by_key(|candidate| candidate.start);
    let starts: Vec<u64> = candidates.iter().map(|candidate| candidate.start).collect();
    let reach = |index: usize, start: u64| {
        let next = starts.get(index + 1).copied().unwrap_or(u64::MAX);
        let code_end = file.code().iter().find(|range| range.contains(&start)).map_or(start, |r| r.end);
        if is_stripped { start } else { next.min(code_end) }
    };
    let symbol = |(index, candidate): (usize, &Candidate<'_>)| Symbol {
        start: candidate.start,
        end: match candidate.size {
            0 => reach(index, candidate.start),
            size => candidate.start.saturating_add(size),
        },
        entry: candidate.start,
        name: String::from_utf8_lossy(candidate.name).into(),
    };
    candidates.iter().enumerate().map(symbol).filter(|symbol| symbol.start < symbol.end).collect()
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
    while let Some(top) = open.last_mut() {
        let start = top.start.max(at);
        let end = top.end.min(limit);
        if start < end {
            flat.push(Symbol { start, end, ..top.clone() });
            at = end;
        }
        if top.end > limit {
            top.start = top.start.max(limit);
            return;
        }
        open.pop();
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
                name: (*name).into(),
            })
            .collect();
        let table = SymbolTable { symbols: flatten(symbols) };
        let got: Vec<_> = table.symbols.iter().map(|s| (s.start, s.end, &*s.name)).collect();
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
