//! What the walk through a unit notes down, as it is in the file.

use std::ops::Range;

use gimli::UnitOffset;

use super::facts::Place;
use crate::binary::scopes::Scopes;
use crate::binary::strings::RawText;

/// Where an entry refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Target {
    /// An entry of the same unit.
    Here(UnitOffset),
    /// One of another unit.
    Elsewhere(Place),
}

/// Where a subprogram takes what it does not say itself from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    None,
    /// `DW_AT_abstract_origin`: this is code of that function.
    Abstract(Target),
    /// `DW_AT_specification`: this defines what that declares.
    Declaration(Target),
}

/// A `DW_TAG_subprogram`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subprogram<'a> {
    pub(super) offset: UnitOffset,
    /// The scope it is in, an index.
    pub(super) scope: Option<u32>,
    pub(super) name: RawText<'a>,
    pub(super) linkage_name: RawText<'a>,
    pub(super) file: u64,
    pub(super) line: u32,
    pub(super) inline: Option<u64>,
    pub(super) is_external: bool,
    pub(super) link: Link,
}

impl Subprogram<'_> {
    /// One that says nothing.
    pub(super) const NOTHING: Self = Self {
        offset: UnitOffset(0),
        scope: None,
        name: RawText::Absent,
        linkage_name: RawText::Absent,
        file: NO_FILE,
        line: 0,
        inline: None,
        is_external: false,
        link: Link::None,
    };
}

/// The file index of what names no file; 0 is a file in DWARF 5.
pub(super) const NO_FILE: u64 = u64::MAX;

/// An inlined instance as it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSite {
    pub(super) origin: Target,
    pub(super) root: u32,
    pub(super) file: u64,
    pub(super) line: u32,
}

/// A call site as it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawCall {
    pub(super) origin: Target,
    pub(super) root: u32,
    pub(super) is_tail: bool,
}

/// All that a walk notes down; subprograms by offset.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) producer: RawText<'a>,
    /// The code that the unit says is its own.
    pub(super) covered: Vec<Range<u64>>,
    pub(super) subprograms: Vec<Subprogram<'a>>,
    /// Their offsets, which are looked up for every copy, close together.
    offsets: Vec<UnitOffset>,
    pub(super) scopes: Scopes<'a>,
    /// The subprogram of each root, an index, and its code.
    pub(super) roots: Vec<(usize, Vec<Range<u64>>)>,
    pub(super) sites: Vec<RawSite>,
    pub(super) calls: Vec<RawCall>,
}

impl<'a> Records<'a> {
    pub(super) fn new() -> Self {
        Self {
            producer: RawText::Absent,
            covered: Vec::new(),
            subprograms: Vec::new(),
            offsets: Vec::new(),
            scopes: Scopes::default(),
            roots: Vec::new(),
            sites: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The index of the subprogram at an offset.
    pub(super) fn subprogram_at(&self, offset: UnitOffset) -> Option<usize> {
        self.offsets.binary_search(&offset).ok()
    }

    /// Takes in a subprogram: its index.
    pub(super) fn add_subprogram(&mut self, subprogram: Subprogram<'a>) -> usize {
        self.offsets.push(subprogram.offset);
        self.subprograms.push(subprogram);
        self.subprograms.len() - 1
    }
}
