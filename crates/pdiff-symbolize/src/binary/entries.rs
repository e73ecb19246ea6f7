//! All entries of a unit, in the order of the file; most of them are skipped.
//!
//! A walk needs only a few entries of a unit in full. For the others, the abbreviation gives the size if all its forms have
//! a fixed size, which is so for nearly all that compilers write; this sum is computed once per abbreviation.

use gimli::{Abbreviation, Attribute, AttributeValue, DwTag, EntriesRaw, Reader, UnitOffset};

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Slice, Unit};

/// Abbreviations with greater codes are summed up each time; compilers number them from 1.
const MAX_KNOWN: usize = 1 << 12;

/// A walk over the entries of a unit.
pub(crate) struct Entries<'r, 'a> {
    unit: &'r Unit<'a>,
    /// Of the file: entries that are read count.
    budget: &'r Budget,
    /// From the next entry on.
    rest: Slice<'a>,
    /// The offset after the last entry.
    end: usize,
    depth: isize,
    /// The entry that was told last and is not read.
    open: Option<&'r Abbreviation>,
    sizes: Vec<Size>,
    /// Where entries that were read say that the next one beside them begins, with their depth.
    siblings: Vec<(isize, UnitOffset)>,
}

/// The bytes of the attributes of an abbreviation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Unknown,
    Fixed(usize),
    Varies,
}

/// One entry, its attributes unread.
pub(crate) struct Entry<'r> {
    pub(crate) offset: UnitOffset,
    /// Below the root, which has 0.
    pub(crate) depth: isize,
    pub(crate) abbreviation: &'r Abbreviation,
}

impl Entry<'_> {
    pub(crate) fn tag(&self) -> DwTag {
        self.abbreviation.tag()
    }
}

impl<'r, 'a> Entries<'r, 'a> {
    /// The entries of a unit, its root first.
    pub(crate) fn of(unit: &'r Unit<'a>, budget: &'r Budget) -> gimli::Result<Self> {
        let root = unit.header.root_offset();
        let rest = unit.header.range_from(root..)?;
        let end = root.0 + rest.len();
        Ok(Self { unit, budget, rest, end, depth: 0, open: None, sizes: Vec::new(), siblings: Vec::new() })
    }

    /// The next entry; `None` after the last one.
    pub(crate) fn next(&mut self) -> gimli::Result<Option<Entry<'r>>> {
        if let Some(abbreviation) = self.open.take() {
            self.pass(abbreviation)?;
        }
        while !self.rest.is_empty() {
            let offset = UnitOffset(self.end - self.rest.len());
            let code = self.rest.read_uleb128()?;
            if code == 0 {
                self.depth -= 1;
                continue;
            }
            let unknown = gimli::Error::InvalidAbbreviationCode(code);
            let abbreviation = self.unit.abbreviations.get(code).ok_or(unknown)?;
            if !is_known(abbreviation.tag()) {
                return Err(unknown);
            }
            let entry = Entry { offset, depth: self.depth, abbreviation };
            self.check_place(&entry)?;
            self.depth += isize::from(abbreviation.has_children());
            self.open = Some(abbreviation);
            return Ok(Some(entry));
        }
        // An entry's children end with a zero, so what is left open was cut off.
        if self.depth > 0 { Err(gimli::Error::UnexpectedEof(gimli::ReaderOffsetId(0))) } else { Ok(None) }
    }

    /// Damage often shows only in that entries are at other places than others say: beside the root, or not where the next
    /// sibling of one should.
    fn check_place(&mut self, entry: &Entry<'_>) -> gimli::Result<()> {
        let is_beside_root = entry.depth <= 0 && entry.offset != self.unit.header.root_offset();
        let mut is_misplaced = false;
        while let Some((depth, sibling)) = self.siblings.last().copied().filter(|last| last.0 >= entry.depth)
        {
            self.siblings.pop();
            is_misplaced |= depth > entry.depth || sibling != entry.offset;
        }
        if is_beside_root || is_misplaced { Err(gimli::Error::OffsetOutOfBounds(0)) } else { Ok(()) }
    }

    /// The attributes of the entry that was told last.
    pub(crate) fn read(
        &mut self,
        mut each: impl FnMut(&Attribute<Slice<'a>>) -> gimli::Result<()>,
    ) -> gimli::Result<()> {
        let Some(abbreviation) = self.open.take() else { return Ok(()) };
        self.budget.take(1)?;
        let mut raw = self.raw();
        let depth = self.depth - isize::from(abbreviation.has_children());
        for spec in abbreviation.attributes() {
            let attribute = raw.read_attribute_inline(*spec)?;
            if let (gimli::DW_AT_sibling, AttributeValue::UnitRef(offset)) =
                (attribute.name(), attribute.raw_value())
            {
                self.siblings.push((depth, offset));
            }
            each(&attribute)?;
        }
        self.go_on_after(&raw)
    }

    fn pass(&mut self, abbreviation: &Abbreviation) -> gimli::Result<()> {
        match self.size(abbreviation) {
            Size::Fixed(bytes) => self.rest.skip(bytes),
            _ => {
                let mut raw = self.raw();
                raw.skip_attributes(abbreviation.attributes())?;
                self.go_on_after(&raw)
            }
        }
    }

    fn size(&mut self, abbreviation: &Abbreviation) -> Size {
        let Some(at) = usize::try_from(abbreviation.code()).ok().filter(|code| *code < MAX_KNOWN) else {
            return Size::Varies;
        };
        if self.sizes.len() <= at {
            self.sizes.resize(at + 1, Size::Unknown);
        }
        let Some(size) = self.sizes.get_mut(at) else { return Size::Varies };
        if *size == Size::Unknown {
            let sizes = abbreviation.attributes().iter().map(|spec| spec.size(&self.unit.header));
            *size = sizes.sum::<Option<usize>>().map_or(Size::Varies, Size::Fixed);
        }
        *size
    }

    fn raw(&self) -> EntriesRaw<'r, Slice<'a>> {
        let at = UnitOffset(self.end - self.rest.len());
        EntriesRaw::new(self.rest, self.unit.header.encoding(), &self.unit.abbreviations, at)
    }

    fn go_on_after(&mut self, raw: &EntriesRaw<'r, Slice<'a>>) -> gimli::Result<()> {
        let at = self.end - self.rest.len();
        self.rest.skip(raw.next_offset().0 - at)
    }
}

/// Whether a tag is one of DWARF 5, or in the range that producers use for their own.
fn is_known(tag: DwTag) -> bool {
    tag.0 <= gimli::DW_TAG_immutable_type.0 || tag.0 >= gimli::DW_TAG_lo_user.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::elf_file::ElfFile;
    use crate::binary::sections::DebugSections;
    use crate::binary::units::Units;

    /// All entries of a unit as gimli walks them.
    fn expected(unit: &Unit<'_>) -> Vec<(UnitOffset, isize, DwTag, usize)> {
        let mut entries = unit.entries_raw(None).unwrap();
        let mut all = Vec::new();
        while !entries.is_empty() {
            let (offset, depth) = (entries.next_offset(), entries.next_depth());
            if let Some(abbreviation) = entries.read_abbreviation().unwrap() {
                entries.skip_attributes(abbreviation.attributes()).unwrap();
                all.push((offset, depth, abbreviation.tag(), abbreviation.attributes().len()));
            }
        }
        all
    }

    #[test]
    fn what_is_passed_over_and_what_is_read_end_at_the_same_place() {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        let sections = DebugSections::load(&file, None, |_| ());
        let dwarf = sections.dwarf();
        let units = Units::read(&dwarf, Budget::new(u64::MAX));
        let mut all = 0;
        for unit in (0..units.len()).filter_map(|index| units.get(&dwarf, index)) {
            let expected = expected(unit);
            for read_each in [usize::MAX, 3, 1] {
                let mut entries = Entries::of(unit, units.budget()).unwrap();
                for (at, (offset, depth, tag, attributes)) in expected.iter().enumerate() {
                    let entry = entries.next().unwrap().unwrap();
                    assert_eq!((entry.offset, entry.depth, entry.tag()), (*offset, *depth, *tag));
                    let mut read = 0;
                    if at % read_each == 0 {
                        let count = |_: &_| {
                            read += 1;
                            Ok(())
                        };
                        entries.read(count).unwrap();
                        assert_eq!(read, *attributes);
                    }
                }
                assert!(entries.next().unwrap().is_none());
            }
            all += expected.len();
        }
        assert!(all > 1000, "{all}");
    }
}
