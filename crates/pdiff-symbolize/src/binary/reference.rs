//! Where an entry refers to: within its unit, within its file, or into the file that several debug files share.

use gimli::{AttributeValue, DebugInfoOffset, UnitOffset};

use crate::binary::dwarf::Slice;

/// The place of an entry, as an attribute of another one gives it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Reference {
    /// In the same unit.
    Unit(UnitOffset),
    /// In another unit of the same section.
    Info(DebugInfoOffset),
    /// In the file that several debug files share.
    Shared(DebugInfoOffset),
}

impl Reference {
    /// What an attribute refers to; `None` if it is not a reference to an entry.
    pub(crate) fn from_value(value: &AttributeValue<Slice<'_>>) -> Option<Self> {
        match value {
            AttributeValue::UnitRef(offset) => Some(Self::Unit(*offset)),
            AttributeValue::DebugInfoRef(offset) => Some(Self::Info(*offset)),
            AttributeValue::DebugInfoRefSup(offset) => Some(Self::Shared(*offset)),
            _ => None,
        }
    }
}
