//! The functions that symbol tables name, by address.
//!
//! `.symtab` where it is there, else `.dynsym`. Markers (annobin), sections, data and undefined symbols are left out;
//! so are symbols outside of code.

use std::ops::Range;

use object::LittleEndian;
use object::elf::{SHN_UNDEF, STB_GLOBAL, STB_GNU_UNIQUE, STB_LOCAL, STT_FUNC, STT_GNU_IFUNC};
use object::read::elf::{Sym as _, SymbolTable};
use pdiff_profile::census::Visibility;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::image::Image;
use crate::binary::plt::plt_stubs;

/// Who sees a symbol. Orders: what is preferred among names of one address comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Binding {
    Global,
    Weak,
    Local,
}

/// A function in a symbol table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Symbol<'a> {
    pub(super) addr: u64,
    pub(super) size: u64,
    pub(super) binding: Binding,
    pub(super) name: &'a str,
}

/// The functions of a file by address, and its stubs for functions of other files.
pub(super) struct Symbols<'a> {
    /// By address, then binding and name.
    pub(super) functions: Vec<Symbol<'a>>,
    /// Where the functions at each address stand: looking that up is most of what joins code with names.
    places: FxHashMap<u64, Range<usize>>,
    /// Stub addresses and the functions they jump to.
    pub(super) imports: Vec<(u64, Box<str>)>,
    /// What the tables show: all functions or only exported ones.
    pub(super) visibility: Visibility,
}

impl<'a> Symbols<'a> {
    /// The symbols of `described`, or of `image` where that has none; stubs from `image`.
    pub(super) fn read(image: &Image<'a>, described: &Image<'a>) -> Self {
        let mut functions = functions_of(described.file.elf_symbol_table(), image);
        let mut visibility = Visibility::Symbols;
        if functions.is_empty() {
            functions = functions_of(image.file.elf_symbol_table(), image);
        }
        if functions.is_empty() {
            functions = functions_of(image.file.elf_dynamic_symbol_table(), image);
            visibility = Visibility::DynamicSymbols;
        }
        functions.sort_unstable_by_key(|symbol| (symbol.addr, symbol.binding, symbol.name));
        functions.dedup_by_key(|symbol| (symbol.addr, symbol.name));
        bound_sizes(&mut functions, image);
        let mut places = FxHashMap::with_capacity_and_hasher(functions.len(), FxBuildHasher);
        for (place, symbol) in functions.iter().enumerate() {
            places.entry(symbol.addr).or_insert(place..place).end = place + 1;
        }
        Self { functions, places, imports: stubs(image), visibility }
    }

    /// The symbols at an address.
    pub(super) fn at(&self, addr: u64) -> &[Symbol<'a>] {
        self.places.get(&addr).and_then(|places| self.functions.get(places.clone())).unwrap_or(&[])
    }

    /// Whether `addr` lies behind the start of the symbol before it.
    pub(super) fn is_inside(&self, addr: u64) -> bool {
        let after = self.functions.partition_point(|symbol| symbol.addr <= addr);
        let before = after.checked_sub(1).and_then(|last| self.functions.get(last));
        before.is_some_and(|symbol| addr - symbol.addr < symbol.size)
    }

    /// The place of the first symbol at an address.
    pub(super) fn first_at(&self, addr: u64) -> Option<usize> {
        self.places.get(&addr).map(|places| places.start)
    }
}

fn functions_of<'a>(
    table: &SymbolTable<'a, object::elf::FileHeader64<LittleEndian>>,
    image: &Image<'_>,
) -> Vec<Symbol<'a>> {
    let strings = table.strings();
    let symbol_of = |symbol: &object::elf::Sym64<LittleEndian>| {
        let is_function = matches!(symbol.st_type(), STT_FUNC | STT_GNU_IFUNC);
        let is_defined = symbol.st_shndx(LittleEndian) != SHN_UNDEF;
        let addr = symbol.st_value(LittleEndian);
        if !is_function || !is_defined || image.stretch_of(addr).is_none() {
            return None;
        }
        let binding = match symbol.st_bind() {
            STB_GLOBAL | STB_GNU_UNIQUE => Binding::Global,
            STB_LOCAL => Binding::Local,
            _ => Binding::Weak,
        };
        let name = std::str::from_utf8(symbol.name(LittleEndian, strings).ok()?).ok()?;
        Some(Symbol { addr, size: symbol.st_size(LittleEndian), binding, name }).filter(|_| !name.is_empty())
    };
    table.iter().filter_map(symbol_of).collect()
}

/// Functions without a size (assembly) end where the next begins, and none goes past its section.
fn bound_sizes(functions: &mut [Symbol<'_>], image: &Image<'_>) {
    let mut next = u64::MAX;
    let mut here = u64::MAX;
    for symbol in functions.iter_mut().rev() {
        if symbol.addr < here {
            (next, here) = (here, symbol.addr);
        }
        let section_end = image.stretch_of(symbol.addr).map_or(symbol.addr, |stretch| stretch.end);
        let room = section_end - symbol.addr;
        symbol.size = if symbol.size == 0 { room.min(next - symbol.addr) } else { symbol.size.min(room) };
    }
}

/// The stubs of a file: where each is, and the function of another object it jumps to.
fn stubs(image: &Image<'_>) -> Vec<(u64, Box<str>)> {
    let Ok(file) = object::File::parse(image.bytes) else { return Vec::new() };
    plt_stubs(&file).into_iter().map(|stub| (stub.start, stub.function)).collect()
}
