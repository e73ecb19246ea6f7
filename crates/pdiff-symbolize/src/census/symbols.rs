//! The functions that symbol tables name, by address.

use std::ops::Range;
use std::sync::Arc;

use pdiff_profile::census::Visibility;
use pdiff_profile::names::split_clone_suffix;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::binary::call_targets::ways_out;
use crate::binary::elf_file::ElfFile;
use crate::binary::symbol_entries::{Binding, SymbolEntries, SymbolEntry, SymbolKind, TableKind};
use crate::binary::symbol_name::NameTable;

/// A function in a symbol table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) addr: u64,
    pub(super) size: u64,
    pub(super) binding: Binding,
    pub(super) name: &'a str,
    /// The bytes of its name before a clone suffix.
    base_bytes: u32,
}

impl<'a> Symbol<'a> {
    /// The name without a clone suffix.
    pub(super) fn base(&self) -> &'a str {
        self.name.get(..self.base_bytes as usize).unwrap_or(self.name)
    }

    /// The clone suffix; empty if there is none.
    pub(super) fn clone_suffix(&self) -> &'a str {
        self.name.get(self.base_bytes as usize..).unwrap_or("")
    }
}

/// The functions of a file by address, and its stubs for functions of other files.
pub(super) struct Symbols<'a> {
    /// By address, then binding and name.
    pub(super) functions: Vec<Symbol<'a>>,
    /// Where the functions at each address stand: looking that up is most of what joins code with names.
    places: FxHashMap<u64, Range<u32>>,
    /// Addresses of stubs and slots, and the functions they lead to.
    pub(super) imports: Vec<(u64, Arc<str>)>,
    /// What the tables show: all functions or only exported ones.
    pub(super) visibility: Visibility,
}

impl<'a> Symbols<'a> {
    /// The functions among `entries`, which are in the code of `file`; stubs from `file`.
    pub(super) fn read(file: &ElfFile, entries: &'a SymbolEntries) -> Self {
        let mut functions: Vec<Symbol<'a>> =
            entries.entries.iter().filter_map(|entry| function_of(entry, &entries.names)).collect();
        let visibility = match entries.table {
            TableKind::All if !functions.is_empty() => Visibility::Symbols,
            _ => Visibility::DynamicSymbols,
        };
        functions.sort_unstable_by_key(|symbol| (symbol.addr, symbol.binding, symbol.name));
        functions.dedup_by_key(|symbol| (symbol.addr, symbol.name));
        bound_sizes(&mut functions, file);
        add_labels(&mut functions, entries);
        bound_sizes(&mut functions, file);
        let mut places = FxHashMap::with_capacity_and_hasher(functions.len(), FxBuildHasher);
        for (place, symbol) in (0..).zip(&functions) {
            places.entry(symbol.addr).or_insert(place..place).end = place + 1;
        }
        Self { functions, places, imports: imports(file), visibility }
    }

    /// The symbols at an address.
    pub(super) fn at(&self, addr: u64) -> &[Symbol<'a>] {
        let places = self.places.get(&addr).map(|places| places.start as usize..places.end as usize);
        places.and_then(|places| self.functions.get(places)).unwrap_or(&[])
    }

    /// Whether `addr` lies after the start of the symbol before it.
    pub(super) fn is_inside(&self, addr: u64) -> bool {
        let after = self.functions.partition_point(|symbol| symbol.addr <= addr);
        let before = after.checked_sub(1).and_then(|last| self.functions.get(last));
        before.is_some_and(|symbol| addr - symbol.addr < symbol.size)
    }

    /// The place of the first symbol at an address.
    pub(super) fn first_at(&self, addr: u64) -> Option<usize> {
        self.places.get(&addr).map(|places| places.start as usize)
    }
}

/// A function; labels, and those whose names are not UTF-8, are none.
fn function_of<'a>(entry: &SymbolEntry, names: &'a NameTable) -> Option<Symbol<'a>> {
    symbol_of(entry, names).filter(|_| entry.kind == SymbolKind::Function)
}

fn symbol_of<'a>(entry: &SymbolEntry, names: &'a NameTable) -> Option<Symbol<'a>> {
    let name = std::str::from_utf8(names.get(entry.name)).ok()?;
    let SymbolEntry { addr, size, binding, .. } = *entry;
    let base_bytes = u32::try_from(split_clone_suffix(name).0.len()).ok()?;
    let symbol = Symbol { addr, size, binding, name, base_bytes };
    (!name.is_empty()).then_some(symbol)
}

/// Adds the labels that name code which no function does: functions written in assembly without a type, which samples are in.
fn add_labels<'a>(functions: &mut Vec<Symbol<'a>>, entries: &'a SymbolEntries) {
    // Functions may be inside others.
    let mut end = 0;
    let ends: Vec<(u64, u64)> = functions
        .iter()
        .map(|symbol| {
            end = symbol.addr.saturating_add(symbol.size).max(end);
            (symbol.addr, end)
        })
        .collect();
    let is_named = |addr: u64| {
        let after = ends.partition_point(|(start, _)| *start <= addr);
        after
            .checked_sub(1)
            .and_then(|last| ends.get(last))
            .is_some_and(|(start, end)| *start == addr || addr < *end)
    };
    let labels =
        entries.entries.iter().filter(|entry| entry.kind == SymbolKind::Label && !is_named(entry.addr));
    let labels: Vec<Symbol<'a>> = labels.filter_map(|entry| symbol_of(entry, &entries.names)).collect();
    if !labels.is_empty() {
        functions.extend(labels);
        functions.sort_unstable_by_key(|symbol| (symbol.addr, symbol.binding, symbol.name));
        functions.dedup_by_key(|symbol| (symbol.addr, symbol.name));
    }
}

/// Functions without a size (assembly) end where the next begins, and none goes past its section.
fn bound_sizes(functions: &mut [Symbol<'_>], file: &ElfFile) {
    let mut next = u64::MAX;
    let mut here = u64::MAX;
    for symbol in functions.iter_mut().rev() {
        if symbol.addr < here {
            (next, here) = (here, symbol.addr);
        }
        let section_end = file.code_at(symbol.addr).map_or(symbol.addr, |code| code.end);
        let room = section_end - symbol.addr;
        symbol.size = if symbol.size == 0 { room.min(next - symbol.addr) } else { symbol.size.min(room) };
    }
}

/// The stubs and slots of a file: where each is, and the function of another object it leads to.
fn imports(file: &ElfFile) -> Vec<(u64, Arc<str>)> {
    ways_out(file).into_iter().map(|way| (way.start, way.function)).collect()
}
