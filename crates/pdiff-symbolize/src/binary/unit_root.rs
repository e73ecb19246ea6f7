//! What a unit's root entry claims, read without the unit: its ranges.
//!
//! To open a unit is to parse all its abbreviations and the header of its line table. A profile hits one unit in ten, and
//! the root entries show which ones, so only these entries are read: the root's abbreviation is usually the first of its
//! table, and only that one is parsed. If it is not the first, there is no answer here, and the unit must be opened.

use std::ops::Range;
use std::sync::Arc;

use gimli::{
    Abbreviations, AttributeValue, DebugAbbrev, DebugAddrBase, DebugLocListsBase, DebugRngListsBase,
    DebugStrOffsetsBase, Section, UnitHeader, UnitType,
};

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Dwarf, Slice, Unit};

/// Most ranges read of one entry; beyond that the file is damaged or hostile.
pub(crate) const MAX_RANGES: usize = 1 << 16;

/// The ranges of a unit's root entry; `None` if they cannot be known without the whole unit.
pub(crate) fn root_ranges<'a>(
    dwarf: &Dwarf<'a>,
    header: UnitHeader<Slice<'a>>,
    budget: &Budget,
) -> Option<Vec<Range<u64>>> {
    let abbreviations = first_abbreviation(dwarf, header.debug_abbrev_offset().0)?;
    let mut unit = Unit {
        header,
        abbreviations: Arc::new(abbreviations),
        name: None,
        comp_dir: None,
        low_pc: 0,
        str_offsets_base: DebugStrOffsetsBase(0),
        addr_base: DebugAddrBase(0),
        loclists_base: DebugLocListsBase(0),
        rnglists_base: DebugRngListsBase(0),
        line_program: None,
        dwo_id: None,
    };
    let mut low_pc = None;
    let mut entries = header.entries_raw(&unit.abbreviations, None).ok()?;
    let abbreviation = entries.read_abbreviation().ok()??;
    for spec in abbreviation.attributes() {
        let attribute = entries.read_attribute(*spec).ok()?;
        match (attribute.name(), attribute.value()) {
            (gimli::DW_AT_low_pc, value) => low_pc = Some(value),
            (_, AttributeValue::DebugAddrBase(base)) => unit.addr_base = base,
            (_, AttributeValue::DebugRngListsBase(base)) => unit.rnglists_base = base,
            _ => {}
        }
    }
    if let Some(low_pc) = low_pc {
        unit.low_pc = dwarf.attr_address(&unit, low_pc).ok()?.unwrap_or(0);
    }
    Some(own_ranges(dwarf, &unit, budget))
}

/// The ranges of a unit's root entry.
pub(crate) fn own_ranges<'a>(dwarf: &Dwarf<'a>, unit: &Unit<'a>, budget: &Budget) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    if let Ok(mut iter) = dwarf.unit_ranges(unit) {
        while let (Ok(Some(range)), Ok(())) = (iter.next(), budget.take(1)) {
            if range.begin < range.end && ranges.len() < MAX_RANGES {
                ranges.push(range.begin..range.end);
            }
        }
    }
    ranges
}

/// Whether the entries of a unit lie in a split file, as far as its root says so.
pub(crate) fn is_skeleton<'a>(dwarf: &Dwarf<'a>, header: UnitHeader<Slice<'a>>) -> bool {
    if matches!(header.type_(), UnitType::Skeleton(_)) {
        return true;
    }
    let names_file = || {
        let abbreviations = first_abbreviation(dwarf, header.debug_abbrev_offset().0)?;
        let mut entries = header.entries_raw(&abbreviations, None).ok()?;
        let root = entries.read_abbreviation().ok()??;
        Some(root.attributes().iter().any(|spec| spec.name() == gimli::DW_AT_GNU_dwo_name))
    };
    header.version() < 5 && names_file().unwrap_or(false)
}

/// The first abbreviation of a table.
fn first_abbreviation(dwarf: &Dwarf<'_>, offset: usize) -> Option<Abbreviations> {
    let table = dwarf.debug_abbrev.reader().slice().get(offset..)?;
    let len = abbreviation_len(table)?;
    let only =
        DebugAbbrev::from(Slice::new(table.get(..len)?, gimli::Reader::endian(dwarf.debug_abbrev.reader())));
    only.abbreviations(gimli::DebugAbbrevOffset(0)).ok()
}

/// The bytes of the abbreviation that a table begins with: code, tag, whether there are children, pairs of attribute and
/// form up to a pair of zeros. One form has its value after it.
fn abbreviation_len(table: &[u8]) -> Option<usize> {
    let mut at = skip_leb128(table, skip_leb128(table, 0)?)? + 1;
    loop {
        let form_at = skip_leb128(table, at)?;
        let end = skip_leb128(table, form_at)?;
        if table.get(at..end)? == [0, 0] {
            return Some(end);
        }
        let has_value = table.get(form_at..end)? == [gimli::DW_FORM_implicit_const.0 as u8];
        at = if has_value { skip_leb128(table, end)? } else { end };
    }
}

/// Where the number at `at` ends.
fn skip_leb128(bytes: &[u8], at: usize) -> Option<usize> {
    let last = bytes.get(at..)?.iter().position(|byte| byte & 0x80 == 0)?;
    Some(at + last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_abbreviation_ends_at_its_pair_of_zeros() {
        let check = |table: &[u8], expected| assert_eq!(abbreviation_len(table), expected, "{table:x?}");
        // Code 1, compile_unit, children, low_pc as addr; then another one.
        check(&[1, 0x11, 1, 0x11, 1, 0, 0, 2, 0x2e, 0, 0, 0, 0], Some(7));
        // A value of two bytes behind DW_FORM_implicit_const, which reads like a pair of zeros otherwise.
        check(&[1, 0x11, 1, 0x13, 0x21, 0x80, 0, 0x11, 1, 0, 0, 9, 9], Some(11));
        check(&[1, 0x11, 1, 0x13, 0x21, 0, 0, 0, 7], Some(8));
        // Numbers of two bytes.
        check(&[0x81, 1, 0x11, 1, 0xb0, 0x42, 0x17, 0, 0, 5], Some(9));
        check(&[1, 0x11, 1, 0x11, 1, 0], None);
        check(&[0x80], None);
        check(&[], None);
    }
}
