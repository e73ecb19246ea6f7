//! The functions of all units and symbols, merged.
//!
//! What makes two entries one function, in this order:
//!
//! 1. The linkage name of the entry, or the symbol where its code begins: equal signatures are one function, for
//!    file-local functions within one source file.
//! 2. Without either (a `static inline` that has no code in this unit): the function of case 1 that another unit
//!    declares at the same place (qualified name, file, line); if there is none, the place itself.
//!
//! `code_places` decides which code belongs to which function. Other symbols at its address are aliases.

use pdiff_profile::census::{InlineAttribute, Linkage};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::binary::symbol_entries::Binding;

use super::code_places::{CodePlaces, Owner};
use super::identity::{Identity, Name, NameId, Names};
use super::symbols::{Symbol, Symbols};
use super::unit::{SourcePlace, Told, UnitFacts, Units};

/// The id of functions that are left out: none has it.
const LEFT_OUT: u32 = u32::MAX;

/// A merged function.
#[derive(Clone, Debug)]
pub(super) struct Merged<'a> {
    pub(super) name: NameId,
    pub(super) path: Option<&'a str>,
    pub(super) line: u32,
    pub(super) inline: InlineAttribute,
    pub(super) linkage: Linkage,
    /// The unit that tells of it: the one with its code, if any has.
    pub(super) unit: Option<usize>,
    has_code: bool,
    pub(super) alias_of: Option<u32>,
}

/// All functions of a file; ids are indexes.
pub(super) struct Functions<'a> {
    names: Vec<Name>,
    pub(super) merged: Vec<Merged<'a>>,
    /// By unit and function of the unit; [`LEFT_OUT`] for those that are no part of the census.
    pub(super) of_units: Vec<Vec<u32>>,
    /// The function whose code begins at an address, stubs included.
    pub(super) starts: FxHashMap<u64, u32>,
}

impl<'a> Functions<'a> {
    /// Merges what units and symbols tell.
    pub(super) fn merge(
        units: &'a Units,
        symbols: &'a Symbols<'_>,
        names: Names<'a>,
        code: &CodePlaces,
    ) -> Self {
        let mut merger = Merger::new(units, symbols, names);
        merger.merge_named(code);
        merger.merge_unnamed();
        merger.add_described_code(code);
        merger.add_symbol_code();
        merger.add_imports();
        merger.finish()
    }

    /// Frees the names, once their texts are in the census.
    pub(super) fn free_names(&mut self) {
        self.names = Vec::new();
    }

    /// The name of a merged function.
    pub(super) fn name(&self, merged: &Merged<'_>) -> Option<&Name> {
        self.names.get(merged.name.index())
    }
}

/// The only function that is declared at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtPlace {
    Function(u32),
    /// It is left out; the number is that of its linkage name.
    LeftOut(u64),
}

struct Merger<'a> {
    units: &'a Units,
    symbols: &'a Symbols<'a>,
    names: Names<'a>,
    merged: Vec<Merged<'a>>,
    of_units: Vec<Vec<Option<u32>>>,
    by_key: FxHashMap<(Identity, Option<&'a str>), u32>,
    /// The external function of each name.
    external: Vec<Option<u32>>,
    /// The first function of each signature.
    by_identity: FxHashMap<Identity, u32>,
    /// `None` where several functions are at one place.
    by_place: FxHashMap<SourcePlace, Option<AtPlace>>,
    functions_with_code: FxHashSet<u32>,
    starts: FxHashMap<u64, u32>,
}

impl<'a> Merger<'a> {
    /// Room for all that may come is made at once: tables that grow are hashed again each time.
    fn new(units: &'a Units, symbols: &'a Symbols<'a>, names: Names<'a>) -> Self {
        let (functions, addresses) = (names.len(), symbols.functions.len());
        Self {
            units,
            symbols,
            external: vec![None; functions],
            names,
            merged: Vec::with_capacity(functions),
            of_units: units.units.iter().map(|unit| vec![None; unit.functions.len()]).collect(),
            by_key: FxHashMap::with_capacity_and_hasher(functions, FxBuildHasher),
            by_identity: FxHashMap::with_capacity_and_hasher(functions, FxBuildHasher),
            by_place: FxHashMap::default(),
            functions_with_code: FxHashSet::with_capacity_and_hasher(addresses, FxBuildHasher),
            starts: FxHashMap::with_capacity_and_hasher(addresses, FxBuildHasher),
        }
    }

    /// Case 1: functions with a linkage name or a symbol.
    fn merge_named(&mut self, code: &CodePlaces) {
        let wanted = self.wanted_places();
        for (number, (unit, symbols)) in self.units.units.iter().zip(&code.root_symbols).enumerate() {
            for (index, function) in unit.functions.iter().enumerate() {
                let of_symbol = || self.names.of_symbol(*symbols.get(&index)?);
                let Some(name) = self.names.of_unit(number, index).or_else(of_symbol) else { continue };
                let told = self.units.told(unit, function);
                let id = self.named(name, &told);
                self.tell(id, &told, number, symbols.contains_key(&index));
                self.assign(number, index, id);
                // What left no instance here stands for no instance elsewhere.
                if index < unit.with_instances {
                    self.add_place(told.place, AtPlace::Function(id), &wanted);
                }
            }
            for left_out in &unit.left_out {
                self.add_place(left_out.place, AtPlace::LeftOut(left_out.name), &wanted);
            }
        }
    }

    fn add_place(&mut self, place: SourcePlace, function: AtPlace, wanted: &FxHashSet<SourcePlace>) {
        if wanted.contains(&place) {
            let at_place = self.by_place.entry(place).or_insert(Some(function));
            *at_place = at_place.filter(|known| *known == function);
        }
    }

    /// The places of functions that may be in case 2.
    fn wanted_places(&self) -> FxHashSet<SourcePlace> {
        let units = self.units.units.iter();
        let unnamed = units.flat_map(|unit| unit.functions.iter().map(move |function| (unit, function)));
        unnamed
            .filter(|(_, function)| function.linkage_name.as_raw().is_absent())
            .map(|(unit, function)| self.units.told(unit, function).place)
            .collect()
    }

    /// Case 2: functions known by their place only.
    fn merge_unnamed(&mut self) {
        for (number, unit) in self.units.units.iter().enumerate() {
            for (index, function) in unit.functions.iter().enumerate() {
                if self.of_units.get(number).and_then(|ids| ids.get(index)).is_none_or(Option::is_some) {
                    continue;
                }
                let told = self.units.told(unit, function);
                let id = match self.by_place.get(&told.place) {
                    Some(Some(AtPlace::Function(id))) => *id,
                    Some(Some(AtPlace::LeftOut(_))) if !has_code(unit, index) => continue,
                    _ => {
                        let linkage = if told.is_external { Linkage::External } else { Linkage::Local };
                        let name = self.names.push(Name::of_qualified(told.name));
                        let id = self.add(name, told.path, linkage);
                        self.by_place.insert(told.place, Some(AtPlace::Function(id)));
                        id
                    }
                };
                self.tell(id, &told, number, false);
                self.assign(number, index, id);
            }
        }
    }

    fn assign(&mut self, unit: usize, function: usize, id: u32) {
        if let Some(slot) = self.of_units.get_mut(unit).and_then(|ids| ids.get_mut(function)) {
            *slot = Some(id);
        }
    }

    /// The function of a name.
    fn named(&mut self, name_id: NameId, told: &Told<'a>) -> u32 {
        if told.is_external
            && let Some(Some(id)) = self.external.get(name_id.index())
        {
            return *id;
        }
        let id = self.named_by_key(name_id, told);
        if told.is_external
            && let Some(slot) = self.external.get_mut(name_id.index())
        {
            *slot = Some(id);
        }
        id
    }

    fn named_by_key(&mut self, name: NameId, told: &Told<'a>) -> u32 {
        let identity = self.names.identity(name);
        let file = if told.is_external { None } else { told.path };
        if let Some(id) = self.by_key.get(&(identity, file)) {
            return *id;
        }
        let linkage = if told.is_external { Linkage::External } else { Linkage::Local };
        let id = self.add(name, told.path, linkage);
        self.by_key.insert((identity, file), id);
        id
    }

    fn add(&mut self, name: NameId, path: Option<&'a str>, linkage: Linkage) -> u32 {
        let id = u32::try_from(self.merged.len()).expect("fewer functions than bytes of the file");
        self.by_identity.entry(self.names.identity(name)).or_insert(id);
        self.merged.push(Merged {
            name,
            path,
            line: 0,
            inline: InlineAttribute::Absent,
            linkage,
            unit: None,
            has_code: false,
            alias_of: None,
        });
        id
    }

    /// Takes over what a unit tells of a function. The unit with its code is right on where it stands.
    fn tell(&mut self, id: u32, told: &Told<'a>, unit: usize, has_code: bool) {
        let Some(merged) = self.merged.get_mut(id as usize) else { return };
        merged.inline = merged.inline.max(told.inline);
        let is_better = merged.unit.is_none() || (has_code && !merged.has_code);
        if is_better && (told.path.is_some() || merged.path.is_none()) {
            (merged.path, merged.line, merged.unit) = (told.path, told.line, Some(unit));
            merged.has_code |= has_code;
        }
    }

    /// Code that debug information describes.
    fn add_described_code(&mut self, code: &CodePlaces) {
        for place in &code.places {
            let Owner::OfUnit { unit, function } = place.owner else { continue };
            let ids = self.of_units.get(unit);
            let id = ids.and_then(|ids| ids.get(function as usize)).copied().flatten();
            if let Some(id) = id {
                self.begin_at(place.addr, id);
            }
        }
    }

    fn begin_at(&mut self, addr: u64, function: u32) {
        self.starts.insert(addr, function);
        self.functions_with_code.insert(function);
    }

    /// Code that only symbols tell of, and further names of any code.
    fn add_symbol_code(&mut self) {
        for (number, symbol) in self.symbols.functions.iter().enumerate() {
            self.add_symbol(number, symbol);
        }
    }

    fn add_symbol(&mut self, number: usize, symbol: &Symbol<'_>) {
        let Some(name) = self.names.of_symbol(number) else { return };
        let owner = self.starts.get(&symbol.addr).copied();
        let known = self.by_identity.get(&self.names.identity(name)).copied();
        match (owner, known) {
            (Some(_), Some(_)) => {}
            (Some(owner), None) => {
                let id = self.add(name, None, linkage_of(symbol));
                if let Some(alias) = self.merged.get_mut(id as usize) {
                    alias.alias_of = Some(owner);
                }
            }
            (None, known) => {
                let function = known.unwrap_or_else(|| self.add(name, None, linkage_of(symbol)));
                self.begin_at(symbol.addr, function);
            }
        }
    }

    fn add_imports(&mut self) {
        for (addr, symbol) in &self.symbols.imports {
            // A shared library reaches its own exported functions by stubs too.
            let own = self.by_identity.get(&self.names.spell(symbol).identity).copied();
            if let Some(own) = own.filter(|id| self.has_code(*id)) {
                self.starts.entry(*addr).or_insert(own);
                continue;
            }
            let name = Name::of_symbol(&format!("{symbol}@plt"));
            let id = match self.by_identity.get(&name.identity) {
                Some(id) => *id,
                None => {
                    let name = self.names.push(name);
                    self.add(name, None, Linkage::Imported)
                }
            };
            self.starts.entry(*addr).or_insert(id);
        }
    }

    fn has_code(&self, function: u32) -> bool {
        self.functions_with_code.contains(&function)
    }

    fn finish(self) -> Functions<'a> {
        let of_units = self
            .of_units
            .into_iter()
            .map(|ids| ids.into_iter().map(|id| id.unwrap_or(LEFT_OUT)).collect())
            .collect();
        Functions { names: self.names.into_names(), merged: self.merged, of_units, starts: self.starts }
    }
}

/// Whether a function of a unit has code there.
fn has_code(unit: &UnitFacts, function: usize) -> bool {
    unit.roots.iter().any(|root| root.function as usize == function)
}

/// A clone of a global function is a local symbol, so only names without suffix tell.
fn linkage_of(symbol: &Symbol<'_>) -> Linkage {
    match symbol.binding {
        Binding::Local if symbol.clone_suffix().is_empty() => Linkage::Local,
        _ => Linkage::External,
    }
}
