//! From a file and its debug information to the bytes of an index, for some addresses or for all.
//!
//! For some addresses: the units that claim them are read, first the first claimant of each, then, for what that one
//! has no function for, the next; then those that claim nothing. What no unit has, the symbol table may have.

use std::ops::Range;
use std::sync::OnceLock;

use gimli::SectionId;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::address_index::builder::{Extent, Names, build};
use crate::address_index::function_tree::Wanted;
use crate::address_index::index::AddressIndex;
use crate::address_index::label::LabelSource;
use crate::address_index::unit_index::{UnitContext, UnitFunction, UnitIndex};
use crate::binary::budget::Budget;
use crate::binary::elf_file::ElfFile;
use crate::binary::gap::Gap;
use crate::binary::object_files::ObjectFiles;
use crate::binary::ranges::{disjoint, range_at, without};
use crate::binary::sections::DebugSections;
use crate::binary::symbol_table::Symbol;
use crate::binary::units::{UnitRanges, Units};

/// Code whose debug information could not be read.
pub(crate) type Gaps = Vec<(Range<u64>, Gap)>;

/// The bytes of an index of `wanted` (sorted addresses, or all) beside what `old` knows, and what could not be read.
pub(crate) fn index_bytes(
    files: &ObjectFiles,
    wanted: Wanted<'_>,
    old: &AddressIndex<'_>,
    names: Names,
) -> (Vec<u8>, Gaps) {
    let ranges = OnceLock::new();
    let own_budget = || Budget::new(files.with_dwarf().size());
    let sections =
        DebugSections::load(files.with_dwarf(), files.shared.as_ref(), files.kept.as_ref(), |sections| {
            files.symbols();
            if let Some(dwarf) = sections.without_strings() {
                ranges.get_or_init(|| UnitRanges::read(&dwarf, &Units::read(&dwarf, own_budget())));
            }
        });
    let is_cut = sections.damaged().any(|section| section == SectionId::DebugInfo.name());
    let Answers { units, nothing, gaps } = with_units(files, &sections, &ranges, |context, ranges| {
        let claims = Claims { ranges, has_unknown: is_cut || ranges.has_unknown() };
        match wanted {
            Wanted::All => all_units(context, claims, files),
            Wanted::Addrs(addrs) => some_units(context, claims, addrs),
        }
    });
    let extent = if matches!(wanted, Wanted::All) { Extent::Whole } else { Extent::Part };
    // The sections go while the index is made: they are some 200 MB of a large server, and to free them takes 15 ms.
    files.give_back();
    (rayon::join(|| drop(sections), || build(old, units, &nothing, extent, names)).1, gaps)
}

/// What units and symbols say.
struct Answers {
    units: Vec<UnitIndex>,
    /// Addresses that none knows.
    nothing: Vec<u64>,
    gaps: Gaps,
}

/// Which unit says that it has which code.
#[derive(Clone, Copy)]
struct Claims<'r> {
    ranges: &'r UnitRanges,
    /// Whether code that no unit claims may belong to one that cannot be read.
    has_unknown: bool,
}

impl Claims<'_> {
    /// The code of units that could not be read whole; false beside them if one did not say which code is its.
    fn gaps_of<'i>(&self, units: impl Iterator<Item = (usize, &'i UnitIndex)>) -> (Gaps, bool) {
        let (mut gaps, mut has_unknown) = (Gaps::new(), self.has_unknown);
        for (unit, gap) in units.filter_map(|(unit, index)| Some((unit, index.gap.as_ref()?))) {
            let claimed = self.ranges.of_unit(unit);
            has_unknown |= claimed.is_empty();
            gaps.extend(claimed.iter().map(|range| (range.clone(), gap.clone())));
        }
        (gaps, has_unknown)
    }
}

/// What is read of a file's units.
fn with_units<T>(
    files: &ObjectFiles,
    sections: &DebugSections<'_>,
    ranges: &OnceLock<UnitRanges>,
    read: impl FnOnce(&UnitContext<'_, '_>, &UnitRanges) -> T,
) -> T {
    let dwarf = sections.dwarf();
    let units = Units::read(&dwarf, Budget::new(files.with_dwarf().size()));
    let shared_bytes = files.shared.as_ref().map_or(0, ElfFile::size);
    let shared_units = dwarf.sup().map(|dwarf| Units::read(dwarf, Budget::new(shared_bytes)));
    let shared =
        dwarf.sup().zip(shared_units.as_ref()).map(|(sup, units)| LabelSource::new(sup, units, None));
    let source = LabelSource::new(&dwarf, &units, shared);
    let split = files.split_files();
    let is_code = |addr: u64| files.file.is_code(addr);
    let context = UnitContext { source: &source, symbols: files.symbols(), split: &split, is_code: &is_code };
    read(&context, ranges.get_or_init(|| UnitRanges::read(&dwarf, &units)))
}

/// All that all units say, and the symbols after them.
fn all_units(context: &UnitContext<'_, '_>, claims: Claims<'_>, files: &ObjectFiles) -> Answers {
    let read = |unit: usize| UnitIndex::read(context, unit, Wanted::All, claims.ranges.of_unit(unit));
    let read_all = || (0..context.source.units.len()).into_par_iter().with_max_len(1).map(read).collect();
    let by_symbol = || UnitIndex::from_symbols(context.symbols.symbols().iter());
    let (mut units, by_symbol): (Vec<UnitIndex>, UnitIndex) = rayon::join(read_all, by_symbol);
    let (mut gaps, has_unknown) = claims.gaps_of(units.iter().enumerate());
    if has_unknown {
        let claimed = ranges_of(units.iter(), |function| !function.is_symbol);
        let unclaimed = files.file.code().iter().flat_map(|code| without(code, &claimed));
        gaps.extend(unclaimed.map(|range| (range, Gap::Damaged)));
    }
    units.push(by_symbol);
    Answers { units, nothing: Vec::new(), gaps }
}

/// What units and symbols say about some addresses, and the addresses that none knows.
fn some_units(context: &UnitContext<'_, '_>, claims: Claims<'_>, addrs: &[u64]) -> Answers {
    let ranges = claims.ranges;
    let claimants = |addr: &u64| (*addr, ranges.claiming(*addr));
    let mut open: Vec<(u64, Vec<usize>)> = addrs.par_iter().map(claimants).collect();
    let read = |unit: usize, addrs: &[u64]| {
        (unit, UnitIndex::read(context, unit, Wanted::Addrs(addrs), ranges.of_unit(unit)))
    };
    let mut units: Vec<(usize, UnitIndex)> = Vec::new();
    let mut round = 0;
    while open.iter().any(|(_, claimants)| claimants.len() > round) {
        let asked = by_claimant(&open, round);
        let found: Vec<_> =
            asked.par_iter().with_max_len(1).map(|(unit, addrs)| read(*unit, addrs)).collect();
        close(&mut open, &found);
        units.extend(found);
        round += 1;
    }
    // Units of types alone claim nothing either, and there may be thousands: all are asked at once.
    let left: Vec<u64> = open.iter().map(|(addr, _)| *addr).collect();
    let unclaimed = if left.is_empty() { &[][..] } else { ranges.unclaimed() };
    let found: Vec<_> = unclaimed.par_iter().with_max_len(1).map(|unit| read(*unit, &left)).collect();
    close(&mut open, &found);
    units.extend(found);
    units.sort_by_key(|(unit, _)| *unit);
    let (mut gaps, has_unknown) = claims.gaps_of(units.iter().map(|(unit, index)| (*unit, index)));
    if has_unknown {
        let unclaimed = open.iter().filter(|(_, claimants)| claimants.is_empty());
        gaps.extend(unclaimed.map(|(addr, _)| (*addr..addr.saturating_add(1), Gap::Damaged)));
    }
    let mut units: Vec<UnitIndex> = units.into_iter().map(|(_, index)| index).collect();
    // What is open now has no function of a unit; a symbol may have it.
    let mut by_symbol: Vec<&Symbol> =
        open.iter().filter_map(|(addr, _)| context.symbols.find(*addr)).collect();
    by_symbol.dedup_by_key(|symbol| symbol.start);
    units.push(UnitIndex::from_symbols(by_symbol.into_iter()));
    let symbols = ranges_of(units.iter(), |function| function.is_symbol);
    let open = open.into_iter().map(|(addr, _)| addr);
    let nothing = open.filter(|addr| range_at(&symbols, *addr).is_none()).collect();
    Answers { units, nothing, gaps }
}

/// Takes out the addresses that units have functions for.
fn close(open: &mut Vec<(u64, Vec<usize>)>, found: &[(usize, UnitIndex)]) {
    let functions = ranges_of(found.iter().map(|(_, index)| index), |function| !function.is_symbol);
    open.retain(|(addr, _)| range_at(&functions, *addr).is_none());
}

/// Which addresses each unit is asked for in one round, the unit with most of them first.
fn by_claimant(open: &[(u64, Vec<usize>)], round: usize) -> Vec<(usize, Vec<u64>)> {
    let mut by_unit: FxHashMap<usize, Vec<u64>> = FxHashMap::default();
    for (addr, claimants) in open {
        if let Some(unit) = claimants.get(round) {
            by_unit.entry(*unit).or_default().push(*addr);
        }
    }
    let mut asked: Vec<_> = by_unit.into_iter().collect();
    // Large shares first, so that no thread ends with one alone.
    asked.sort_unstable_by_key(|(unit, addrs)| (std::cmp::Reverse(addrs.len()), *unit));
    asked
}

/// The code of those functions.
fn ranges_of<'i>(
    indexes: impl Iterator<Item = &'i UnitIndex>,
    is_counted: impl Fn(&UnitFunction) -> bool,
) -> Vec<Range<u64>> {
    let functions = indexes.flat_map(|index| &index.functions).filter(|function| is_counted(function));
    disjoint(functions.flat_map(|function| &function.ranges).cloned().collect())
}
