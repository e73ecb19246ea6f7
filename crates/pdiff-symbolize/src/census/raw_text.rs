//! Strings of the debug information, read when they are needed.
//!
//! The entries of one function in a thousand units point to one string: linkers keep each text once in `.debug_str`.
//! So a string is compared by where it lies, and its bytes, somewhere in tens of megabytes, are read once. (Where a
//! linker was told not to merge strings, file-local functions of different units that have no linkage name are not
//! recognised as one.)

use gimli::{AttributeValue, DebugStr, DebugStrOffset, Dwarf, LittleEndian, Unit};

use super::digest::Digest;
use super::sections::Slice;

/// A string that may not have been read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum RawText<'a> {
    /// There is none.
    Absent,
    /// An offset in `.debug_str`.
    Shared(usize),
    /// It stands in the entry, or in another section.
    Own(&'a [u8]),
}

impl<'a> RawText<'a> {
    /// The string of an attribute.
    pub(super) fn of(
        dwarf: &Dwarf<Slice<'a>>,
        unit: &Unit<Slice<'a>>,
        value: AttributeValue<Slice<'a>>,
    ) -> Self {
        match value {
            AttributeValue::DebugStrRef(offset) => Self::Shared(offset.0),
            AttributeValue::DebugStrOffsetsIndex(index) => {
                let (format, base) = (unit.header.format(), unit.str_offsets_base);
                let offset = dwarf.debug_str_offsets.get_str_offset(format, base, index);
                offset.map_or(Self::Absent, |offset| Self::Shared(offset.0))
            }
            value => dwarf.attr_string(unit, value).map_or(Self::Absent, |text| Self::Own(text.slice())),
        }
    }

    pub(super) fn is_absent(self) -> bool {
        self == Self::Absent
    }

    /// This, or `other` where this is absent.
    pub(super) fn or(self, other: Self) -> Self {
        if self.is_absent() { other } else { self }
    }

    /// Adds what is equal for equal strings.
    pub(super) fn digest(self, digest: &mut Digest) {
        match self {
            Self::Absent => digest.number(0),
            Self::Shared(offset) => digest.number(offset as u64 + 1),
            Self::Own(bytes) => digest.bytes(bytes),
        }
    }
}

/// A string kept beyond the sections other than `.debug_str`, which are the larger part of the debug information.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum KeptText {
    Absent,
    /// An offset in `.debug_str`.
    Shared(usize),
    /// A copy.
    Own(Box<[u8]>),
}

impl KeptText {
    pub(super) fn of(text: RawText<'_>) -> Self {
        match text {
            RawText::Absent => Self::Absent,
            RawText::Shared(offset) => Self::Shared(offset),
            RawText::Own(bytes) => Self::Own(bytes.into()),
        }
    }

    pub(super) fn as_raw(&self) -> RawText<'_> {
        match self {
            Self::Absent => RawText::Absent,
            Self::Shared(offset) => RawText::Shared(*offset),
            Self::Own(bytes) => RawText::Own(bytes),
        }
    }
}

/// Where shared strings lie.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strings<'a>(pub(super) DebugStr<Slice<'a>>);

impl<'a> Strings<'a> {
    /// The strings of `.debug_str`.
    pub(super) fn new(section: &'a [u8]) -> Self {
        Self(DebugStr::new(section, LittleEndian))
    }

    /// The text; names that are not UTF-8 are no names.
    pub(super) fn get(&self, text: RawText<'a>) -> &'a str {
        let bytes = match text {
            RawText::Absent => b"",
            RawText::Shared(offset) => {
                self.0.get_str(DebugStrOffset(offset)).map_or(&b""[..], |text| text.slice())
            }
            RawText::Own(bytes) => bytes,
        };
        std::str::from_utf8(bytes).unwrap_or("")
    }
}
