//! The compilation units of a file: which unit has an address, and access to any of them by offset.
//!
//! Units are found by the ranges of their root entry, or else by `.debug_aranges`, or else by their functions. Units are
//! opened on demand, because opening all 1,878 of 8.0.33 takes 70 ms.

use std::ops::Range;
use std::sync::OnceLock;

use gimli::{DebugInfoOffset, UnitHeader};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Dwarf, Slice, Unit};
use crate::binary::unit_root::{MAX_RANGES, is_skeleton, own_ranges, root_ranges};

/// Most units that claim one address and are asked in turn.
const MAX_CLAIMS: usize = 8;

/// The units of one `.debug_info` section, in order.
pub(crate) struct Units<'a> {
    headers: Vec<UnitHeader<Slice<'a>>>,
    /// Whether a damaged header hides those after it.
    is_cut_off: bool,
    parsed: Vec<OnceLock<Option<Unit<'a>>>>,
    budget: Budget,
}

/// Which units claim which addresses.
#[derive(Debug)]
pub(crate) struct UnitRanges {
    /// By unit, sorted by start.
    by_unit: Vec<Vec<Range<u64>>>,
    /// Of all units, sorted by start.
    ranges: Vec<ClaimedRange>,
    /// Units that claim nothing themselves and have to be asked.
    unclaimed: Vec<usize>,
    /// Whether there is a unit that cannot be asked either, so that any address may be its.
    has_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
struct ClaimedRange {
    start: u64,
    end: u64,
    /// The greatest end of this and all ranges before.
    max_end: u64,
    unit: usize,
}

impl<'a> Units<'a> {
    /// The units up to the first damaged header.
    pub(crate) fn read(dwarf: &Dwarf<'a>, budget: Budget) -> Self {
        let mut headers = Vec::new();
        let mut iter = dwarf.units();
        let is_cut_off = loop {
            match iter.next() {
                Ok(Some(header)) => headers.push(header),
                Ok(None) => break false,
                Err(_) => break true,
            }
        };
        let parsed = headers.iter().map(|_| OnceLock::new()).collect();
        Self { headers, is_cut_off, parsed, budget }
    }

    /// A single unit, already read.
    pub(crate) fn from_unit(unit: Unit<'a>, budget: Budget) -> Self {
        Self {
            headers: vec![unit.header],
            is_cut_off: false,
            parsed: vec![OnceLock::from(Some(unit))],
            budget,
        }
    }

    /// What may still be made of the units.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn len(&self) -> usize {
        self.headers.len()
    }

    /// Whether there are units behind these that cannot be found: a header is damaged.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Whether entries of any unit lie in a split file.
    pub(crate) fn has_split(&self, dwarf: &Dwarf<'a>) -> bool {
        self.headers.iter().any(|header| is_skeleton(dwarf, *header))
    }

    /// A unit by its place, for one reading; `None` if it is damaged.
    pub(crate) fn open(&self, dwarf: &Dwarf<'a>, index: usize) -> Option<Unit<'a>> {
        dwarf.unit(*self.headers.get(index)?).ok()
    }

    /// A unit by its place, kept open; `None` if it is damaged.
    pub(crate) fn get(&self, dwarf: &Dwarf<'a>, index: usize) -> Option<&Unit<'a>> {
        let cell = self.parsed.get(index)?;
        cell.get_or_init(|| self.open(dwarf, index)).as_ref()
    }

    /// What the root entry of a unit claims.
    fn own_ranges(&self, dwarf: &Dwarf<'a>, index: usize) -> Vec<Range<u64>> {
        let is_open = self.parsed.get(index).is_some_and(|cell| cell.get().is_some());
        let header = self.headers.get(index).filter(|_| !is_open);
        let by_root = header.and_then(|header| root_ranges(dwarf, *header, &self.budget));
        let by_unit = || self.get(dwarf, index).map(|unit| own_ranges(dwarf, unit, &self.budget));
        by_root.or_else(by_unit).unwrap_or_default()
    }

    /// Where the unit begins in `.debug_info`.
    pub(crate) fn offset(&self, index: usize) -> usize {
        self.headers.get(index).and_then(UnitHeader::debug_info_offset).map_or(usize::MAX, |offset| offset.0)
    }

    /// The unit that contains an offset of `.debug_info`.
    pub(crate) fn holding(&self, offset: DebugInfoOffset) -> Option<usize> {
        let starts_after = |header: &UnitHeader<Slice<'a>>| {
            header.debug_info_offset().is_none_or(|start| start.0 > offset.0)
        };
        self.headers.partition_point(|header| !starts_after(header)).checked_sub(1)
    }
}

impl UnitRanges {
    /// Reads what the units claim.
    pub(crate) fn read<'a>(dwarf: &Dwarf<'a>, units: &Units<'a>) -> Self {
        let aranges = OnceLock::new();
        let by_unit: Vec<Vec<Range<u64>>> = (0..units.len())
            .into_par_iter()
            .map(|index| {
                let own = units.own_ranges(dwarf, index);
                // Most files have a unit without code or none that leaves its code to this table.
                let others = || aranges.get_or_init(|| Aranges::read(dwarf)).of(units.offset(index));
                let mut ranges = if own.is_empty() { others() } else { own };
                ranges.sort_unstable_by_key(|range| range.start);
                ranges
            })
            .collect();
        let claims_nothing = by_unit.iter().enumerate().filter(|(_, ranges)| ranges.is_empty());
        let (unclaimed, unreadable): (Vec<usize>, Vec<usize>) =
            claims_nothing.map(|(unit, _)| unit).partition(|unit| units.get(dwarf, *unit).is_some());
        let has_unknown = units.is_cut_off() || !unreadable.is_empty();
        Self { ranges: all_ranges(&by_unit), by_unit, unclaimed, has_unknown }
    }

    /// The units that claim an address, in order of their offset, at most [`MAX_CLAIMS`].
    pub(crate) fn claiming(&self, addr: u64) -> Vec<usize> {
        let to = self.ranges.partition_point(|range| range.start <= addr);
        let before = self.ranges.get(..to).unwrap_or(&[]).iter().rev();
        let mut units: Vec<usize> = before
            .take_while(|range| range.max_end > addr)
            .filter(|range| range.end > addr)
            .map(|range| range.unit)
            .collect();
        units.sort_unstable();
        units.dedup();
        units.truncate(MAX_CLAIMS);
        units
    }

    /// Units of which nothing says what they hold.
    pub(crate) fn unclaimed(&self) -> &[usize] {
        &self.unclaimed
    }

    /// Whether code that no unit claims may belong to one that cannot be read.
    pub(crate) fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// What one unit claims, sorted by start.
    pub(crate) fn of_unit(&self, unit: usize) -> &[Range<u64>] {
        self.by_unit.get(unit).map_or(&[], Vec::as_slice)
    }
}

/// What all units claim, sorted by start.
fn all_ranges(by_unit: &[Vec<Range<u64>>]) -> Vec<ClaimedRange> {
    let of_unit = |(unit, ranges): (usize, &Vec<Range<u64>>)| -> Vec<ClaimedRange> {
        ranges
            .iter()
            .map(|range| ClaimedRange { start: range.start, end: range.end, max_end: 0, unit })
            .collect()
    };
    let mut ranges: Vec<ClaimedRange> = by_unit.par_iter().enumerate().flat_map_iter(of_unit).collect();
    ranges.par_sort_unstable_by_key(|range| (range.start, range.unit));
    let mut max_end = 0;
    for range in &mut ranges {
        max_end = max_end.max(range.end);
        range.max_end = max_end;
    }
    ranges
}

/// `.debug_aranges` by unit.
struct Aranges {
    by_unit: FxHashMap<usize, Vec<Range<u64>>>,
}

impl Aranges {
    fn read(dwarf: &Dwarf<'_>) -> Self {
        let mut by_unit: FxHashMap<usize, Vec<Range<u64>>> = FxHashMap::default();
        let mut headers = dwarf.debug_aranges.headers();
        while let Ok(Some(header)) = headers.next() {
            let ranges = by_unit.entry(header.debug_info_offset().0).or_default();
            let mut entries = header.entries();
            while let Ok(Some(entry)) = entries.next() {
                let range = entry.range();
                if range.begin < range.end && ranges.len() < MAX_RANGES {
                    ranges.push(range.begin..range.end);
                }
            }
        }
        Self { by_unit }
    }

    fn of(&self, offset: usize) -> Vec<Range<u64>> {
        self.by_unit.get(&offset).cloned().unwrap_or_default()
    }
}
