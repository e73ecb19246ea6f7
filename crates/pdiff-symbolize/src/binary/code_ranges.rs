//! Where the code of an entry lies: `DW_AT_low_pc`, `DW_AT_high_pc`, `DW_AT_ranges`.

use std::ops::Range;

use gimli::{AttributeValue, DwAt};

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Dwarf, Slice, Unit};

/// The attributes that place code.
#[derive(Clone, Copy, Default)]
pub(crate) struct CodeAttributes<'a> {
    low: Option<AttributeValue<Slice<'a>>>,
    high: Option<AttributeValue<Slice<'a>>>,
    ranges: Option<AttributeValue<Slice<'a>>>,
}

impl<'a> CodeAttributes<'a> {
    /// Whether attributes of a name place code.
    pub(crate) fn is_one(name: DwAt) -> bool {
        matches!(name, gimli::DW_AT_low_pc | gimli::DW_AT_high_pc | gimli::DW_AT_ranges)
    }

    /// Takes an attribute over, if it places code.
    pub(crate) fn add(&mut self, name: DwAt, value: AttributeValue<Slice<'a>>) {
        match name {
            gimli::DW_AT_low_pc => self.low = Some(value),
            gimli::DW_AT_high_pc => self.high = Some(value),
            gimli::DW_AT_ranges => self.ranges = Some(value),
            _ => {}
        }
    }

    /// The ranges that are not empty, in the order of the file, at most `most`.
    ///
    /// # Errors
    /// If an address or a list of ranges cannot be read, a list has no entry at all (compilers write none for code that is not
    /// there, so it was overwritten), or the budget of the file is spent.
    pub(crate) fn read(
        &self,
        dwarf: &Dwarf<'a>,
        unit: &Unit<'a>,
        most: usize,
        budget: &Budget,
    ) -> gimli::Result<Vec<Range<u64>>> {
        let list = match self.ranges {
            // DWARF 2 and 3 have no form of their own for it.
            Some(AttributeValue::SecOffset(offset)) => {
                Some(AttributeValue::RangeListsRef(gimli::RawRangeListsOffset(offset)))
            }
            list => list,
        };
        let Some(list) = list else { return Ok(self.only_range(dwarf, unit)?.into_iter().collect()) };
        let mut ranges = Vec::new();
        if let Some(offset) = dwarf.attr_ranges_offset(unit, list)? {
            if dwarf.raw_ranges(unit, offset)?.next()?.is_none() {
                return Err(gimli::Error::UnknownRangeListsEntry(gimli::DW_RLE_end_of_list));
            }
            let mut list = dwarf.ranges(unit, offset)?;
            while let Some(range) = list.next()? {
                budget.take(1)?;
                if range.begin < range.end && ranges.len() < most {
                    ranges.push(range.begin..range.end);
                }
            }
        }
        Ok(ranges)
    }

    fn only_range(&self, dwarf: &Dwarf<'a>, unit: &Unit<'a>) -> gimli::Result<Option<Range<u64>>> {
        let (Some(low), Some(high)) = (self.low, self.high) else { return Ok(None) };
        let Some(start) = dwarf.attr_address(unit, low)? else { return Ok(None) };
        let end = match high.udata_value() {
            Some(size) => start.checked_add(size),
            None => dwarf.attr_address(unit, high)?,
        };
        Ok(end.filter(|end| *end > start).map(|end| start..end))
    }
}
