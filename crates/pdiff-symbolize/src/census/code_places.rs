//! Where code lies and who says so, before it is known which function it is: so that it can be decoded while functions are
//! merged.
//!
//! Code belongs to the function that debug information says, else to the first symbol at its address.

use std::ops::Range;

use pdiff_profile::census::BodyPart;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::symbols::{Symbol, Symbols};
use super::unit::{Root, UnitFacts, Units};
use crate::binary::ranges::{disjoint, range_at};

/// Whose code it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Owner {
    /// A function of a unit.
    OfUnit { unit: usize, function: u32 },
    /// The function of a symbol.
    OfSymbol,
}

/// A piece of code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CodePlace {
    pub(super) addr: u64,
    pub(super) bytes: u64,
    pub(super) owner: Owner,
    pub(super) part: BodyPart,
    pub(super) described: bool,
}

/// The code of a file.
pub(super) struct CodePlaces {
    /// By address, one piece at each.
    pub(super) places: Vec<CodePlace>,
    /// By unit: the symbols where its functions begin, as places in the table, by function.
    pub(super) root_symbols: Vec<FxHashMap<usize, usize>>,
}

impl CodePlaces {
    /// What units and symbols tell of code.
    pub(super) fn find(units: &Units, symbols: &Symbols<'_>) -> Self {
        let root_symbols = units.units.par_iter().map(|unit| root_symbols(unit, symbols)).collect();
        Self { places: places(units, symbols), root_symbols }
    }
}

/// The symbols where a unit's functions begin, by function.
fn root_symbols(unit: &UnitFacts, symbols: &Symbols<'_>) -> FxHashMap<usize, usize> {
    let mut found = FxHashMap::default();
    for root in &unit.roots {
        let Some(function) = unit.functions.get(root.function as usize) else { continue };
        let own_name = function.name.as_deref().unwrap_or("").rsplit("::").next().unwrap_or("");
        if let Some(symbol) = root_symbol(root, own_name, symbols) {
            found.insert(root.function as usize, symbol);
        }
    }
    found
}

/// The symbol at the entry of a root: the one that reads like `own_name`, else the first.
fn root_symbol(root: &Root, own_name: &str, symbols: &Symbols<'_>) -> Option<usize> {
    let entry = root.ranges.first()?.start;
    let first = symbols.first_at(entry)?;
    let here = symbols.at(entry);
    let chosen = match here {
        [] | [_] => None,
        _ if own_name.is_empty() => None,
        _ => here.iter().position(|symbol| symbol.base() == own_name),
    };
    Some(first + chosen.unwrap_or(0))
}

/// All code by address.
fn places(units: &Units, symbols: &Symbols<'_>) -> Vec<CodePlace> {
    let numbered = units.units.iter().enumerate();
    let of_units =
        numbered.flat_map(|(number, unit)| unit.roots.iter().map(move |root| (number, unit, root)));
    let mut places: Vec<CodePlace> =
        of_units.flat_map(|(number, unit, root)| places_of_root(number, unit, root, symbols)).collect();
    let covered = disjoint(units.units.iter().flat_map(|unit| &unit.covered).cloned().collect());
    let at_symbols = symbols.functions.chunk_by(|a, b| a.addr == b.addr);
    places.extend(at_symbols.filter_map(|here| place_of_symbols(here, &covered)));
    // The sort keeps the order of those at one address: debug information comes first.
    places.sort_by_key(|place| place.addr);
    places.dedup_by_key(|place| place.addr);
    places
}

/// The code that debug information describes as that of a root.
fn places_of_root(
    number: usize,
    unit: &UnitFacts,
    root: &Root,
    symbols: &Symbols<'_>,
) -> impl Iterator<Item = CodePlace> {
    let is_known = unit.functions.get(root.function as usize).is_some();
    let ranges = if is_known { root.ranges.as_slice() } else { &[] };
    let owner = Owner::OfUnit { unit: number, function: root.function };
    ranges.iter().enumerate().filter_map(move |(index, range)| {
        let unnamed = if index == 0 { BodyPart::Whole } else { BodyPart::Cold };
        let (bytes, part) = match symbols.at(range.start) {
            [] if symbols.is_inside(range.start) => return None,
            [] => (range.end - range.start, unnamed),
            here => (size_of(here), here.iter().map(part_of).min().unwrap_or(unnamed)),
        };
        Some(CodePlace { addr: range.start, bytes, owner, part, described: true })
    })
}

/// The code at the address of symbols. Units may say that it is theirs, and no more of it.
fn place_of_symbols(here: &[Symbol<'_>], covered: &[Range<u64>]) -> Option<CodePlace> {
    let first = here.first()?;
    Some(CodePlace {
        addr: first.addr,
        bytes: size_of(here),
        owner: Owner::OfSymbol,
        part: part_of(first),
        described: range_at(covered, first.addr).is_some(),
    })
}

/// The size of the symbols at one address.
fn size_of(here: &[Symbol<'_>]) -> u64 {
    here.iter().map(|symbol| symbol.size).max().unwrap_or(0)
}

/// What a symbol's clone suffix says of its code.
fn part_of(symbol: &Symbol<'_>) -> BodyPart {
    match symbol.clone_suffix() {
        "" => BodyPart::Whole,
        suffix if suffix.contains("cold") || suffix.contains("unlikely") => BodyPart::Cold,
        suffix if suffix.contains("part") || suffix.contains("_omp_fn") => BodyPart::Part,
        _ => BodyPart::Clone,
    }
}
