//! All entries of a unit, in the order of the file; most of them are skipped, and of the others a few attributes are read.
//!
//! Most attributes have forms of a fixed size. So the abbreviation gives what is between those whose size is in the entry
//! itself (strings, blocks, numbers), and where the wanted ones are; both are computed once per abbreviation.

use gimli::{
    Abbreviation, AttributeSpecification, AttributeValue, DebugStrOffset, DwAt, DwTag, Encoding, EntriesRaw,
    Format, Reader, RunTimeEndian, UnitOffset,
};

use crate::binary::budget::Budget;
use crate::binary::call_fields::{CallField, InlinedCall, call_fields, read_call};
use crate::binary::dwarf::{Slice, Unit};

/// Abbreviations with greater codes are summed up each time; compilers number them from 1.
const MAX_KNOWN: usize = 1 << 12;

/// So many entries are paid for at once: threads that share a budget wait for each other.
const PAID_AT_ONCE: usize = 256;

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
    /// Entries that are paid for and not read yet.
    paid: usize,
    layouts: Vec<Layout>,
    /// Where entries that were read say that the next one beside them begins, with their depth.
    siblings: Vec<(isize, UnitOffset)>,
}

/// What is known about the attributes of an abbreviation.
#[derive(Clone, Default)]
struct Layout {
    size: Size,
    /// The attributes that are wanted of entries with it, and where they begin; `None` as long as none was read.
    wanted: Option<Box<[(usize, AttributeSpecification)]>>,
    /// Where the numbers of an inlined call are; `None` as long as none was read, or if they are left to [`Entries::read`].
    call: Option<Option<Box<[CallField]>>>,
}

/// The bytes of the attributes of an abbreviation.
#[derive(Clone, Default)]
enum Size {
    #[default]
    Unknown,
    Fixed(usize),
    /// Of some the entry tells the size: each attribute's.
    Steps(Box<[Step]>),
    /// An entry tells forms.
    Varies,
}

/// How an attribute is passed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// So many bytes.
    Fixed(usize),
    /// Text that ends with a zero.
    Text,
    /// A number whose last byte is less than 128.
    Number,
    /// Bytes with their number before them, in one byte.
    Block1,
    /// The same, as a [`Step::Number`].
    Block,
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
        let (layouts, siblings) = (Vec::new(), Vec::new());
        Ok(Self { unit, budget, rest, end, depth: 0, open: None, paid: 0, layouts, siblings })
    }

    /// The next entry; `None` after the last one.
    pub(crate) fn next(&mut self) -> gimli::Result<Option<Entry<'r>>> {
        if let Some(abbreviation) = self.open.take() {
            self.pass(abbreviation)?;
        }
        while !self.rest.is_empty() {
            let offset = UnitOffset(self.end - self.rest.len());
            let code = self.read_code()?;
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

    /// The code of an abbreviation, which is nearly always one byte.
    #[inline]
    fn read_code(&mut self) -> gimli::Result<u64> {
        match self.rest.slice().first() {
            Some(byte) if *byte < 0x80 => {
                self.rest.skip(1)?;
                Ok(u64::from(*byte))
            }
            _ => self.rest.read_uleb128(),
        }
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

    /// The attributes of the entry that was told last whose names are `wanted`, with their values as they are in the file.
    /// Entries with the same tag must be asked for the same names.
    pub(crate) fn read(
        &mut self,
        wanted: impl Fn(DwAt) -> bool,
        mut each: impl FnMut(DwAt, AttributeValue<Slice<'a>>) -> gimli::Result<()>,
    ) -> gimli::Result<()> {
        let Some(abbreviation) = self.open.take() else { return Ok(()) };
        self.pay()?;
        let is_told = |name| name == gimli::DW_AT_sibling || wanted(name);
        let Some(Layout { size: Size::Fixed(size), wanted: places, .. }) =
            layout_of(&mut self.layouts, abbreviation, self.unit)
        else {
            return self.read_varying(abbreviation, &is_told, &wanted, &mut each);
        };
        let depth = self.depth - isize::from(abbreviation.has_children());
        let places = places.get_or_insert_with(|| places_of(abbreviation, self.unit, is_told));
        let mut entry = self.rest;
        entry.truncate(*size)?;
        for (place, spec) in places {
            let value = match usual_value(entry, *place, spec, self.unit.header.encoding()) {
                Some(value) => value,
                None => value_at(self.unit, entry, *place, spec)?,
            };
            if let (gimli::DW_AT_sibling, AttributeValue::UnitRef(offset)) = (spec.name(), &value) {
                self.siblings.push((depth, *offset));
                if !wanted(spec.name()) {
                    continue;
                }
            }
            each(spec.name(), value)?;
        }
        self.rest.skip(*size)
    }

    /// The same, of an entry of which some attributes tell their size.
    #[inline(never)]
    fn read_varying(
        &mut self,
        abbreviation: &'r Abbreviation,
        is_told: &dyn Fn(DwAt) -> bool,
        wanted: &dyn Fn(DwAt) -> bool,
        each: &mut dyn FnMut(DwAt, AttributeValue<Slice<'a>>) -> gimli::Result<()>,
    ) -> gimli::Result<()> {
        let mut raw = self.raw();
        let depth = self.depth - isize::from(abbreviation.has_children());
        let siblings = &mut self.siblings;
        let mut tell = |name: DwAt, value: AttributeValue<Slice<'a>>| {
            if let (gimli::DW_AT_sibling, AttributeValue::UnitRef(offset)) = (name, &value) {
                siblings.push((depth, *offset));
            }
            if wanted(name) { each(name, value) } else { Ok(()) }
        };
        let layout = layout_of(&mut self.layouts, abbreviation, self.unit);
        if let Some(Layout { size: Size::Steps(steps), .. }) = layout {
            let mut place = 0;
            for (spec, step) in abbreviation.attributes().iter().zip(steps) {
                if is_told(spec.name()) {
                    let usual = usual_value(self.rest, place, spec, self.unit.header.encoding());
                    tell(
                        spec.name(),
                        usual.map_or_else(|| value_at(self.unit, self.rest, place, spec), Ok)?,
                    )?;
                }
                place = step.end(self.rest.slice(), place)?;
            }
            return self.rest.skip(place);
        }
        for spec in abbreviation.attributes() {
            tell(spec.name(), raw.read_attribute_inline(*spec)?.raw_value())?;
        }
        self.go_on_after(&raw)
    }

    /// What the entry that was told last says as an inlined call; `None` if it is left to [`Entries::read`].
    pub(crate) fn read_call(&mut self) -> gimli::Result<Option<InlinedCall>> {
        let Some(abbreviation) = self.open else { return Ok(None) };
        let Some(Layout { size: Size::Fixed(size), call, .. }) =
            layout_of(&mut self.layouts, abbreviation, self.unit)
        else {
            return Ok(None);
        };
        let is_usual = self.rest.endian() == RunTimeEndian::Little;
        let fields = || if is_usual { call_fields(abbreviation, self.unit) } else { None };
        let Some(fields) = call.get_or_insert_with(fields) else { return Ok(None) };
        let mut entry = self.rest;
        entry.truncate(*size)?;
        let Some(call) = read_call(entry.slice(), fields) else { return Ok(None) };
        self.rest.skip(*size)?;
        self.open = None;
        self.pay()?;
        let depth = self.depth - isize::from(abbreviation.has_children());
        self.siblings.extend(call.sibling.map(|sibling| (depth, sibling)));
        Ok(Some(call))
    }

    /// Counts an entry that is read.
    fn pay(&mut self) -> gimli::Result<()> {
        if self.paid == 0 {
            self.paid = self.budget.take_up_to(PAID_AT_ONCE)?;
        }
        self.paid -= 1;
        Ok(())
    }

    fn pass(&mut self, abbreviation: &Abbreviation) -> gimli::Result<()> {
        match layout_of(&mut self.layouts, abbreviation, self.unit).map(|layout| &layout.size) {
            Some(Size::Fixed(bytes)) => self.rest.skip(*bytes),
            Some(Size::Steps(steps)) => {
                let bytes = self.rest.slice();
                let end = steps.iter().try_fold(0, |place, step| step.end(bytes, place))?;
                self.rest.skip(end)
            }
            _ => {
                let mut raw = self.raw();
                raw.skip_attributes(abbreviation.attributes())?;
                self.go_on_after(&raw)
            }
        }
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

impl Drop for Entries<'_, '_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid);
    }
}

impl Step {
    /// How attributes of a form are passed over; `None` where the entry tells the form.
    fn of(spec: &AttributeSpecification, unit: &Unit<'_>) -> Option<Self> {
        if let Some(bytes) = spec.size(&unit.header) {
            return Some(Self::Fixed(bytes));
        }
        match spec.form() {
            gimli::DW_FORM_string => Some(Self::Text),
            gimli::DW_FORM_block1 => Some(Self::Block1),
            gimli::DW_FORM_block | gimli::DW_FORM_exprloc => Some(Self::Block),
            gimli::DW_FORM_udata
            | gimli::DW_FORM_sdata
            | gimli::DW_FORM_ref_udata
            | gimli::DW_FORM_strx
            | gimli::DW_FORM_addrx
            | gimli::DW_FORM_loclistx
            | gimli::DW_FORM_rnglistx => Some(Self::Number),
            _ => None,
        }
    }

    /// Where in an entry an attribute at `place` ends, which may be beyond its end.
    #[inline]
    fn end(self, entry: &[u8], place: usize) -> gimli::Result<usize> {
        let cut_off = gimli::Error::UnexpectedEof(gimli::ReaderOffsetId(0));
        let rest = || entry.get(place..).ok_or(cut_off);
        let after = |is_last: fn(&u8) -> bool| {
            rest()?.iter().position(is_last).map(|last| place + last + 1).ok_or(cut_off)
        };
        match self {
            Self::Fixed(bytes) => Ok(place.saturating_add(bytes)),
            Self::Text => after(|byte| *byte == 0),
            Self::Number => after(|byte| *byte < 0x80),
            Self::Block1 => rest()?.first().map(|size| place + 1 + usize::from(*size)).ok_or(cut_off),
            Self::Block => {
                let mut block = Slice::new(rest()?, RunTimeEndian::Little);
                let size = usize::try_from(block.read_uleb128()?).map_err(|_| cut_off)?;
                let start = entry.len() - block.len();
                start.checked_add(size).ok_or(cut_off)
            }
        }
    }
}

/// What is known about an abbreviation; `None` for those with great codes.
fn layout_of<'l>(
    layouts: &'l mut Vec<Layout>,
    abbreviation: &Abbreviation,
    unit: &Unit<'_>,
) -> Option<&'l mut Layout> {
    let at = usize::try_from(abbreviation.code()).ok().filter(|code| *code < MAX_KNOWN)?;
    if layouts.len() <= at {
        layouts.resize(at + 1, Layout::default());
    }
    let layout = layouts.get_mut(at)?;
    if matches!(layout.size, Size::Unknown) {
        layout.size = size_of(abbreviation, unit);
    }
    Some(layout)
}

fn size_of(abbreviation: &Abbreviation, unit: &Unit<'_>) -> Size {
    let specs = abbreviation.attributes();
    let fixed = specs.iter().map(|spec| spec.size(&unit.header)).sum::<Option<usize>>();
    let steps = || specs.iter().map(|spec| Step::of(spec, unit)).collect::<Option<_>>();
    fixed.map(Size::Fixed).or_else(|| steps().map(Size::Steps)).unwrap_or(Size::Varies)
}

/// Where the attributes that are `wanted` begin, all of a fixed size.
fn places_of(
    abbreviation: &Abbreviation,
    unit: &Unit<'_>,
    wanted: impl Fn(DwAt) -> bool,
) -> Box<[(usize, AttributeSpecification)]> {
    let mut at = 0;
    let place = |spec: &AttributeSpecification| {
        let start = at;
        at += spec.size(&unit.header).unwrap_or(0);
        (start, *spec)
    };
    let places = abbreviation.attributes().iter().map(place);
    places.filter(|(_, spec)| wanted(spec.name())).collect()
}

/// The value at a place as gimli reads it.
#[inline(never)]
fn value_at<'a>(
    unit: &Unit<'a>,
    mut entry: Slice<'a>,
    place: usize,
    spec: &AttributeSpecification,
) -> gimli::Result<AttributeValue<Slice<'a>>> {
    entry.skip(place)?;
    let mut raw = EntriesRaw::new(entry, unit.header.encoding(), &unit.abbreviations, UnitOffset(0));
    Ok(raw.read_attribute_inline(*spec)?.raw_value())
}

/// The value at a place, of the forms that most attributes have; others are left to gimli, which has to look at more to know
/// them.
#[inline]
fn usual_value<'a>(
    fields: Slice<'a>,
    place: usize,
    spec: &AttributeSpecification,
    encoding: Encoding,
) -> Option<AttributeValue<Slice<'a>>> {
    let field = fields.slice().get(place..)?;
    match spec.form() {
        gimli::DW_FORM_data1 => return field.first().map(|byte| AttributeValue::Data1(*byte)),
        gimli::DW_FORM_flag => return field.first().map(|byte| AttributeValue::Flag(*byte != 0)),
        gimli::DW_FORM_flag_present => return Some(AttributeValue::Flag(true)),
        _ => {}
    }
    if fields.endian() == RunTimeEndian::Big || encoding.format != Format::Dwarf32 {
        return None;
    }
    let four = || field.first_chunk().map(|four| u32::from_le_bytes(*four));
    let eight = || field.first_chunk().map(|eight| u64::from_le_bytes(*eight));
    match spec.form() {
        gimli::DW_FORM_data2 => {
            field.first_chunk().map(|two| AttributeValue::Data2(u16::from_le_bytes(*two)))
        }
        gimli::DW_FORM_ref4 => four().map(|offset| AttributeValue::UnitRef(UnitOffset(offset as usize))),
        gimli::DW_FORM_strp => {
            four().map(|offset| AttributeValue::DebugStrRef(DebugStrOffset(offset as usize)))
        }
        gimli::DW_FORM_sec_offset => four().map(|offset| AttributeValue::SecOffset(offset as usize)),
        gimli::DW_FORM_addr if encoding.address_size == 8 => eight().map(AttributeValue::Addr),
        // Before version 4, such numbers may be offsets.
        gimli::DW_FORM_data4 if encoding.version >= 4 => four().map(AttributeValue::Data4),
        gimli::DW_FORM_data8 if encoding.version >= 4 => eight().map(AttributeValue::Data8),
        _ => None,
    }
}

/// Whether a tag is one of DWARF 5, or in the range that producers use for their own.
fn is_known(tag: DwTag) -> bool {
    tag.0 <= gimli::DW_TAG_immutable_type.0 || tag.0 >= gimli::DW_TAG_lo_user.0
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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

    /// The attributes of all entries of a unit as gimli reads them.
    fn attributes<'a>(unit: &Unit<'a>) -> Vec<(DwAt, AttributeValue<Slice<'a>>)> {
        let mut entries = unit.entries_raw(None).unwrap();
        let mut all = Vec::new();
        while !entries.is_empty() {
            let Some(abbreviation) = entries.read_abbreviation().unwrap() else { continue };
            for spec in abbreviation.attributes() {
                let attribute = entries.read_attribute(*spec).unwrap();
                all.push((attribute.name(), attribute.raw_value()));
            }
        }
        all
    }

    /// Looks at all units of a file, whose budget has no limit.
    fn each_unit(path: &Path, mut look: impl FnMut(&Unit<'_>, &Budget)) {
        let file = ElfFile::open(path).unwrap();
        let sections = DebugSections::load(&file, None, None, |_| ());
        let dwarf = sections.dwarf();
        let units = Units::read(&dwarf, Budget::new(u64::MAX));
        for unit in (0..units.len()).filter_map(|index| units.get(&dwarf, index)) {
            look(unit, units.budget());
        }
    }

    #[test]
    fn values_are_those_that_gimli_reads() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/census/tiny.elf");
        for path in [std::env::current_exe().unwrap(), fixtures] {
            let mut all = 0;
            each_unit(&path, |unit, budget| {
                let mut entries = Entries::of(unit, budget).unwrap();
                let mut read = Vec::new();
                while entries.next().unwrap().is_some() {
                    let each = |name, value| {
                        read.push((name, value));
                        Ok(())
                    };
                    entries.read(|_| true, each).unwrap();
                }
                assert_eq!(read, attributes(unit));
                all += read.len();
            });
            assert!(all > 100, "{}: {all}", path.display());
        }
    }

    #[test]
    fn inlined_calls_say_the_same_in_both_ways() {
        let mut all = 0;
        each_unit(&std::env::current_exe().unwrap(), |unit, budget| {
            let mut fast = Entries::of(unit, budget).unwrap();
            let mut entries = Entries::of(unit, budget).unwrap();
            while let Some(entry) = entries.next().unwrap() {
                assert_eq!(fast.next().unwrap().unwrap().offset, entry.offset);
                if entry.tag() != gimli::DW_TAG_inlined_subroutine {
                    continue;
                }
                let mut expected = InlinedCall::default();
                let each = |name, value: AttributeValue<Slice<'_>>| {
                    match (name, &value) {
                        (gimli::DW_AT_abstract_origin, AttributeValue::UnitRef(to)) => {
                            expected.origin = Some(*to)
                        }
                        (gimli::DW_AT_sibling, AttributeValue::UnitRef(to)) => expected.sibling = Some(*to),
                        (gimli::DW_AT_call_file, value) => expected.file = value.udata_value(),
                        (gimli::DW_AT_call_line, value) => expected.line = value.udata_value(),
                        _ => {}
                    }
                    Ok(())
                };
                entries.read(|_| true, each).unwrap();
                let call = fast.read_call().unwrap();
                assert!(call.is_none_or(|call| call == expected), "{call:?} {expected:?}");
                all += usize::from(call.is_some());
            }
            assert!(fast.next().unwrap().is_none());
        });
        assert!(all > 100, "{all}");
    }

    #[test]
    fn what_is_passed_over_and_what_is_read_end_at_the_same_place() {
        let mut all = 0;
        each_unit(&std::env::current_exe().unwrap(), |unit, budget| {
            let expected = expected(unit);
            for read_each in [usize::MAX, 3, 1] {
                let mut entries = Entries::of(unit, budget).unwrap();
                for (at, (offset, depth, tag, attributes)) in expected.iter().enumerate() {
                    let entry = entries.next().unwrap().unwrap();
                    assert_eq!((entry.offset, entry.depth, entry.tag()), (*offset, *depth, *tag));
                    let mut read = 0;
                    if at % read_each == 0 {
                        let count = |_, _| {
                            read += 1;
                            Ok(())
                        };
                        entries.read(|_| true, count).unwrap();
                        assert_eq!(read, *attributes);
                    }
                }
                assert!(entries.next().unwrap().is_none());
            }
            all += expected.len();
        });
        assert!(all > 1000, "{all}");
    }
}
