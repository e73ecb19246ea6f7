//! Where a file was mapped, told by names alone: for text without `symbol+offset` and without mapping lines.
//!
//! An address of a sample lies in the function that perf named, so `address + bias` lies between that symbol's begin and end
//! in the file, and a bias is a whole number of pages. Each address leaves few biases; the one that nearly all share is
//! right, as long as they come from several functions and no other bias comes near it. Else nothing is said.
//!
//! ```text
//! perf    5571cb855236 leaf           a page-aligned bias brings it into ...
//! file    1220..1260 leaf             ... this: -5571cb854000
//! ```

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::binary::elf_file::ElfFile;
use crate::binary::function_name::display_name;
use crate::binary::symbol_table::{Symbol, SymbolTable};
use crate::resolve::address_map::{AddressMap, Ballot, MAX_MAPS, PAGE, Witness, choose_witnesses, kind_of};

/// A name that more functions have (overloads, local functions) places nothing.
const MAX_SAME_NAME: usize = 4;
/// A function of more pages leaves too many biases.
const MAX_PAGES: u64 = 16;
/// Least functions that bear a bias out.
const MIN_FUNCTIONS: usize = 4;

/// Lets the witnesses find the biases; no map if they do not agree.
pub(crate) fn vote_by_name(witnesses: Vec<Witness<'_>>, file: &ElfFile, symbols: &SymbolTable) -> Ballot {
    let places = places_of(&witnesses, symbols);
    let placed = witnesses.into_iter().filter(|witness| places.contains_key(witness.symbol)).collect();
    let witnesses = choose_witnesses(placed);
    let mut ballot = Ballot { checked: witnesses.len(), ..Ballot::default() };
    let mut left = witnesses;
    while ballot.maps.len() < MAX_MAPS {
        let Some((map, others)) = best_map(&left, &places, file) else { break };
        ballot.agree += left.len() - others.len();
        ballot.maps.push(map);
        left = others;
    }
    // Of ten, nine must be explained: the rest are names that two functions share.
    if ballot.agree * 10 < ballot.checked * 9 {
        ballot.maps.clear();
    }
    ballot
}

type Places<'s> = FxHashMap<&'s str, Vec<&'s Symbol>>;

/// The symbols of the names asked for, as they are in the table and as perf shows them.
fn places_of<'w>(witnesses: &[Witness<'w>], symbols: &'w SymbolTable) -> Places<'w> {
    let wanted: FxHashSet<&str> = witnesses.iter().map(|witness| witness.symbol).collect();
    let name = |symbol: &'w Symbol| {
        let raw = symbol.name();
        let shown = || wanted.get(&*display_name(&raw)).copied();
        Some((wanted.get(&*raw).copied().or_else(shown)?, symbol))
    };
    let named: Vec<(&str, &Symbol)> = symbols.symbols().par_iter().filter_map(name).collect();
    let mut places: Places<'_> = FxHashMap::default();
    for (name, symbol) in named {
        places.entry(name).or_default().push(symbol);
    }
    let is_small = |symbol: &&Symbol| symbol.end - symbol.start <= MAX_PAGES * PAGE;
    places.retain(|_, symbols| symbols.len() <= MAX_SAME_NAME && symbols.iter().all(is_small));
    places
}

/// The biases that bring a witness into a function of its name.
fn biases<'a>(witness: &Witness<'_>, places: &'a Places<'_>) -> impl Iterator<Item = u64> + use<'a> {
    let addr = witness.addr;
    let symbols = places.get(witness.symbol).into_iter().flatten();
    symbols.flat_map(move |symbol| {
        // The least bias not below `start - addr` that is a whole number of pages.
        let least = symbol.start.wrapping_sub(addr);
        let to_page = least.wrapping_neg() % PAGE;
        let steps = (symbol.end - symbol.start).saturating_sub(to_page).div_ceil(PAGE);
        (0..steps).map(move |step| least.wrapping_add(to_page).wrapping_add(step * PAGE))
    })
}

/// The bias that most witnesses leave open, if none of the others comes near it; and the witnesses it does not explain.
fn best_map<'w>(
    witnesses: &[Witness<'w>],
    places: &Places<'_>,
    file: &ElfFile,
) -> Option<(AddressMap, Vec<Witness<'w>>)> {
    let counts = |witnesses: &[Witness<'_>]| {
        let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
        for bias in witnesses.iter().flat_map(|witness| biases(witness, places)) {
            *counts.entry(bias).or_default() += 1;
        }
        counts
    };
    let possible = counts(witnesses).into_iter().filter(|(bias, _)| kind_of(file, *bias).is_some());
    let (bias, _) = possible.max_by_key(|(bias, count)| (*count, std::cmp::Reverse(*bias)))?;
    let (agree, others): (Vec<Witness<'_>>, Vec<Witness<'_>>) =
        witnesses.iter().copied().partition(|witness| biases(witness, places).any(|other| other == bias));
    let functions: FxHashSet<&str> = agree.iter().map(|witness| witness.symbol).collect();
    let next = counts(&agree).into_iter().filter(|(other, _)| *other != bias).map(|(_, count)| count).max();
    if functions.len() < MIN_FUNCTIONS || next.unwrap_or(0) * 2 > agree.len() {
        return None;
    }
    let (kind, first, last) = (kind_of(file, bias)?, agree.first()?.addr, agree.last()?.addr);
    let votes = u32::try_from(agree.len()).unwrap_or(u32::MAX);
    Some((AddressMap { kind, bias, votes, first, last }, others))
}
