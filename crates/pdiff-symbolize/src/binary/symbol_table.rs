//! The functions of an ELF file by symbol, PLT stubs among them: ranges of addresses that do not overlap, each with the
//! best of the names that are there.
//!
//! A symbol with a size covers exactly that size; code that no symbol covers has no symbol. Symbols without size
//! (hand-written assembly) reach to the next symbol or the end of their section, but not in a stripped file, where the next
//! symbol is not the next function.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::binary::elf_file::ElfFile;
use crate::binary::function_name::display_name;
use crate::binary::plt::{Stub, plt_stubs};
use crate::binary::symbol_entries::{Binding, SymbolEntries, SymbolEntry, TableKind};
use crate::binary::symbol_name::SymbolName;

/// A function by symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    /// First address.
    pub(crate) start: u64,
    /// The address after the last.
    pub(crate) end: u64,
    /// Where the function begins: before `start` where another symbol is inside it.
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

impl SymbolTable {
    /// The functions of `file` among `entries`.
    pub(crate) fn new(file: &ElfFile, entries: &SymbolEntries) -> Self {
        Self::with_preference(file, entries, Preference::Readers)
    }

    /// The same with the names that perf chooses.
    pub(crate) fn as_perf(file: &ElfFile, entries: &SymbolEntries) -> Self {
        Self::with_preference(file, entries, Preference::Perf)
    }

    fn with_preference(file: &ElfFile, entries: &SymbolEntries, preference: Preference) -> Self {
        let mut symbols = best_by_address(file, entries, preference);
        let stubs = file.object().map(|object| plt_stubs(&object)).unwrap_or_default();
        symbols.extend(stubs.into_iter().map(Symbol::from));
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

    /// What perf may call the functions: as they are in the table and demangled.
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

/// Whose choice it is among the names of one address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preference {
    /// What a reader would call it.
    Readers,
    /// What `perf script` prints: perf's `choose_best_symbol`.
    Perf,
}

/// The best name for each address, with its range.
fn best_by_address(file: &ElfFile, found: &SymbolEntries, preference: Preference) -> Vec<Symbol> {
    let names = &found.names;
    let by_name = |a: &SymbolEntry, b: &SymbolEntry| {
        let [a, b] = [a, b].map(|entry| names.get(entry.name));
        let underscores = |name: &[u8]| name.iter().take_while(|byte| **byte == b'_').count();
        (a.is_empty(), underscores(a), a).cmp(&(b.is_empty(), underscores(b), b))
    };
    let rank = |entry: &SymbolEntry| (entry.kind, entry.size == 0, entry.binding);
    let by_reader = |a: &SymbolEntry, b: &SymbolEntry| rank(a).cmp(&rank(b)).then_with(|| by_name(a, b));
    let by_perf = |a: &SymbolEntry, b: &SymbolEntry| {
        let [a, b] = [a, b].map(|entry| {
            let name = names.get(entry.name);
            let underscores = name.iter().take_while(|byte| **byte == b'_').count();
            let (is_weak, is_local) = (entry.binding == Binding::Weak, entry.binding != Binding::Global);
            (entry.size == 0, is_weak, is_local, underscores, Reverse(name.len()))
        });
        a.cmp(&b)
    };
    let by_rank = |a: &&SymbolEntry, b: &&SymbolEntry| match preference {
        Preference::Readers => by_reader(a, b),
        Preference::Perf => by_perf(a, b),
    };
    let mut entries = found.entries.clone();
    // Of names that are as good the first in the table is taken.
    entries.sort_by_key(|entry| entry.addr);
    let of_one_address = entries.chunk_by(|a, b| a.addr == b.addr);
    let best: Vec<SymbolEntry> =
        of_one_address.filter_map(|chunk| chunk.iter().min_by(by_rank).copied()).collect();
    let starts: Vec<u64> = best.iter().map(|entry| entry.addr).collect();
    let is_stripped = found.table == TableKind::Dynamic;
    let reach = |index: usize, start: u64| {
        let next = starts.get(index + 1).copied().unwrap_or(u64::MAX);
        let code_end = file.code_at(start).map_or(start, |range| range.end);
        if is_stripped { start } else { next.min(code_end) }
    };
    let symbol = |(index, entry): (usize, &SymbolEntry)| Symbol {
        start: entry.addr,
        end: match entry.size {
            0 => reach(index, entry.addr),
            size => entry.addr.saturating_add(size),
        },
        entry: entry.addr,
        name: SymbolName::in_table(names, entry.name),
    };
    best.iter().enumerate().map(symbol).filter(|symbol| symbol.start < symbol.end).collect()
}

/// Cuts symbols that overlap: where one is inside another, the inner one is taken and the outer one continues after.
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
