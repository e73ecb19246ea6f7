//! Functions that units refer to in other units.
//!
//! Ordinary compilations have none; link-time optimisation and dwz do. Each unit that is referred to is walked once
//! more per round, so the cost is that of the units concerned.

use gimli::{Dwarf, UnitHeader};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::super::sections::Slice;
use super::{ForeignFunction, UnitFacts, function, unit_of, walk};

/// Most units that one reference leads through.
pub(super) const MAX_ROUNDS: usize = 8;

/// All functions that `units` refer to in other units, by offset in `.debug_info`.
pub(super) fn resolve<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    headers: &[UnitHeader<Slice<'a>>],
    units: &[UnitFacts],
) -> FxHashMap<u64, ForeignFunction> {
    let mut known = FxHashMap::default();
    let asked = units.iter().flat_map(|unit| &unit.functions).filter_map(|function| function.elsewhere);
    let mut open: Vec<u64> = asked.collect();
    for _ in 0..MAX_ROUNDS {
        open.sort_unstable();
        open.dedup();
        open.retain(|offset| !known.contains_key(offset));
        if open.is_empty() {
            break;
        }
        let found = functions_at(dwarf, headers, &open);
        open = found.iter().filter_map(|(_, foreign)| foreign.function.elsewhere).collect();
        known.extend(found);
    }
    known
}

/// The functions at sorted offsets of `.debug_info`.
fn functions_at<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    headers: &[UnitHeader<Slice<'a>>],
    offsets: &[u64],
) -> Vec<(u64, ForeignFunction)> {
    let start_of =
        |offset: &u64| unit_of(headers, *offset).and_then(UnitHeader::debug_info_offset).map(|start| start.0);
    let groups: Vec<&[u64]> = offsets.chunk_by(|a, b| start_of(a) == start_of(b)).collect();
    let read = |group: &&[u64]| {
        let Some(header) = group.first().and_then(|offset| unit_of(headers, *offset)) else {
            return Vec::new();
        };
        let Some(start) = header.debug_info_offset().map(|start| start.0) else { return Vec::new() };
        let Ok(unit) = dwarf.unit(*header) else { return Vec::new() };
        let Ok(records) = walk::walk(dwarf, &unit) else { return Vec::new() };
        let inside: Vec<usize> =
            group.iter().filter_map(|at| usize::try_from(*at).ok()?.checked_sub(start)).collect();
        let found = function::functions_at(dwarf, &unit, &records, &inside);
        found.into_iter().map(|(at, foreign)| ((at + start) as u64, foreign)).collect()
    };
    groups.par_iter().with_max_len(1).flat_map_iter(read).collect()
}
