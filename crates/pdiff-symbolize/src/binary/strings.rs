//! Strings of the debug information, read when they are needed.
//!
//! The entries of one function in a thousand units point to one string: linkers keep each text once in `.debug_str`.
//! So a string is compared by where it lies, and its bytes, somewhere in tens of megabytes, are read once. (Where a
//! linker was told not to merge strings, file-local functions of different units that have no linkage name are not
//! recognised as one.) Where there are several tables (split units, a shared file) the same text lies in each of them, so
//! there its bytes are compared.

use gimli::{AttributeValue, DebugStr, DebugStrOffset, RunTimeEndian};

use crate::binary::content_hash::ContentHash;
use crate::binary::dwarf::{Dwarf, Slice, Unit};
use crate::binary::elf_file::SectionBytes;

/// The file whose `.debug_str` the strings of a unit lie in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StringHome {
    /// The file with the debug information.
    Own,
    /// The one that several debug files share.
    Shared,
    /// Any other: strings are taken as bytes. Split files are closed when their unit was read.
    Apart,
}

/// A string that may not have been read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RawText<'a> {
    /// There is none.
    Absent,
    /// An offset in `.debug_str`.
    InTable(usize),
    /// An offset in `.debug_str` of the shared file.
    InShared(usize),
    /// It is in the entry, or in another section.
    Bytes(&'a [u8]),
}

impl<'a> RawText<'a> {
    /// The string of an attribute.
    ///
    /// # Errors
    /// If it lies outside of its section.
    pub(crate) fn read(
        home: StringHome,
        dwarf: &Dwarf<'a>,
        unit: &Unit<'a>,
        value: AttributeValue<Slice<'a>>,
    ) -> gimli::Result<Self> {
        let offset = match value {
            AttributeValue::DebugStrRefSup(offset) => return Ok(Self::InShared(offset.0)),
            AttributeValue::DebugStrRef(offset) if home != StringHome::Apart => offset,
            AttributeValue::DebugStrOffsetsIndex(index) if home != StringHome::Apart => {
                let (format, base) = (unit.header.format(), unit.str_offsets_base);
                dwarf.debug_str_offsets.get_str_offset(format, base, index)?
            }
            value => return Ok(Self::Bytes(dwarf.attr_string(unit, value)?.slice())),
        };
        Ok(match home {
            StringHome::Shared => Self::InShared(offset.0),
            _ => Self::InTable(offset.0),
        })
    }

    pub(crate) fn is_absent(self) -> bool {
        self == Self::Absent
    }

    /// This, or `other` where this is absent.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.is_absent() { other } else { self }
    }
}

/// A string kept beyond the sections other than `.debug_str`, which are the larger part of the debug information.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum KeptText {
    Absent,
    /// An offset in `.debug_str`.
    InTable(usize),
    /// An offset in `.debug_str` of the shared file.
    InShared(usize),
    /// A copy.
    Bytes(Box<[u8]>),
}

impl KeptText {
    pub(crate) fn of(text: RawText<'_>) -> Self {
        match text {
            RawText::Absent => Self::Absent,
            RawText::InTable(offset) => Self::InTable(offset),
            RawText::InShared(offset) => Self::InShared(offset),
            RawText::Bytes(bytes) => Self::Bytes(bytes.into()),
        }
    }

    pub(crate) fn as_raw(&self) -> RawText<'_> {
        match self {
            Self::Absent => RawText::Absent,
            Self::InTable(offset) => RawText::InTable(*offset),
            Self::InShared(offset) => RawText::InShared(*offset),
            Self::Bytes(bytes) => RawText::Bytes(bytes),
        }
    }
}

/// The tables of strings of one object, for as long as strings are read.
#[derive(Debug, Default)]
pub(crate) struct StringTables<'f> {
    pub(crate) own: SectionBytes<'f>,
    pub(crate) shared: SectionBytes<'f>,
}

impl StringTables<'_> {
    /// The strings in these tables.
    pub(crate) fn strings(&self) -> Strings<'_> {
        let table = |bytes| DebugStr::from(Slice::new(bytes, RunTimeEndian::Little));
        Strings { own: table(&self.own), shared: table(&self.shared), is_one_table: true }
    }
}

/// Where the strings of one object lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strings<'a> {
    own: DebugStr<Slice<'a>>,
    shared: DebugStr<Slice<'a>>,
    /// Whether equal strings lie at one place.
    is_one_table: bool,
}

impl<'a> Strings<'a> {
    /// The strings of a file and of the one it shares parts with; `has_split` where units lie in split files.
    pub(crate) fn new(dwarf: &Dwarf<'a>, shared: Option<&Dwarf<'a>>, has_split: bool) -> Self {
        let nothing = DebugStr::from(Slice::new(&[], RunTimeEndian::Little));
        let is_one_table = shared.is_none() && !has_split;
        Self { own: dwarf.debug_str, shared: shared.map_or(nothing, |shared| shared.debug_str), is_one_table }
    }

    /// The text; names that are not UTF-8 are not names.
    pub(crate) fn get(&self, text: RawText<'a>) -> &'a str {
        std::str::from_utf8(self.bytes(text)).unwrap_or("")
    }

    fn bytes(&self, text: RawText<'a>) -> &'a [u8] {
        let in_table = |table: DebugStr<Slice<'a>>, offset| {
            table.get_str(DebugStrOffset(offset)).map_or(&b""[..], |text| text.slice())
        };
        match text {
            RawText::Absent => b"",
            RawText::InTable(offset) => in_table(self.own, offset),
            RawText::InShared(offset) => in_table(self.shared, offset),
            RawText::Bytes(bytes) => bytes,
        }
    }

    /// Adds to a hash what is equal for equal strings.
    pub(crate) fn hash(&self, text: RawText<'a>, hash: &mut ContentHash) {
        match text {
            RawText::Absent => hash.number(0),
            RawText::InTable(offset) if self.is_one_table => hash.number(offset as u64 + 1),
            text => hash.bytes(self.bytes(text)),
        }
    }
}
