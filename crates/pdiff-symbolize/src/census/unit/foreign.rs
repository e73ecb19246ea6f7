//! Functions that units refer to in other units, of the same file or of the shared one.
//!
//! Ordinary compilations have none; link-time optimisation and dwz do. Each unit that is referred to is walked once
//! more per round, so the cost is that of the units concerned.

use gimli::UnitOffset;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::facts::{ForeignFunction, MAX_ROUNDS, Place, UnitFacts};
use super::records::Records;
use super::source::Source;
use super::{function, walk};
use crate::binary::strings::Strings;

/// All functions that `units` refer to in other units. `sources` are the file itself and the shared one.
pub(super) fn resolve<'a>(
    sources: (Source<'_, 'a>, Option<Source<'_, 'a>>),
    strings: Strings<'a>,
    units: &[UnitFacts],
) -> FxHashMap<Place, ForeignFunction> {
    let mut known = FxHashMap::default();
    let asked = units.iter().flat_map(|unit| &unit.functions).filter_map(|function| function.elsewhere);
    let mut open: Vec<Place> = asked.collect();
    for _ in 0..MAX_ROUNDS {
        open.sort_unstable();
        open.dedup();
        open.retain(|place| !known.contains_key(place));
        if open.is_empty() {
            break;
        }
        let found = functions_at(sources, strings, &open);
        open = found.iter().filter_map(|(_, foreign)| foreign.function.elsewhere).collect();
        known.extend(found);
    }
    known
}

/// The functions at sorted places.
fn functions_at<'a>(
    (own, shared): (Source<'_, 'a>, Option<Source<'_, 'a>>),
    strings: Strings<'a>,
    places: &[Place],
) -> Vec<(Place, ForeignFunction)> {
    let source_of = |place: &Place| match place {
        Place::Own(_) => Some(own),
        Place::Shared(_) => shared,
    };
    let unit_of = |place: &Place| source_of(place).and_then(|source| source.unit_of(*place));
    let is_own = |place: &Place| matches!(place, Place::Own(_));
    let same_unit = |a: &Place, b: &Place| is_own(a) == is_own(b) && unit_of(a) == unit_of(b);
    let groups: Vec<&[Place]> = places.chunk_by(same_unit).collect();
    let read = |group: &&[Place]| functions_of_unit(group, source_of, strings).unwrap_or_default();
    groups.par_iter().with_max_len(1).flat_map_iter(read).collect()
}

/// The functions at places of one unit.
fn functions_of_unit<'r, 'a: 'r>(
    places: &[Place],
    source_of: impl Fn(&Place) -> Option<Source<'r, 'a>>,
    strings: Strings<'a>,
) -> Option<Vec<(Place, ForeignFunction)>> {
    let first = places.first()?;
    let source = source_of(first)?;
    let unit = source.units.open(source.dwarf, source.unit_of(*first)?)?;
    let mut records = Records::new();
    walk::walk(&source, &unit, &mut records).ok()?;
    let by_offset: FxHashMap<UnitOffset, Place> =
        places.iter().filter_map(|place| Some((source.offset_in(&unit, *place)?, *place))).collect();
    let mut offsets: Vec<UnitOffset> = by_offset.keys().copied().collect();
    offsets.sort_unstable();
    let found = function::functions_at(&source, strings, &unit, &records, &offsets);
    Some(found.into_iter().filter_map(|(at, foreign)| Some((*by_offset.get(&at)?, foreign))).collect())
}
