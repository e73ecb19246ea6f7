//! What the walk through a unit notes down, as it is in the file.

use std::ops::Range;

use gimli::UnitOffset;
use rustc_hash::FxHashMap;

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

/// An inlined instance as it stands. There are millions, so it is small.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSite {
    /// In [`Records::origins`].
    pub(super) origin: u32,
    pub(super) root: u32,
    /// [`NO_SITE_FILE`] where it names none.
    pub(super) file: u32,
    pub(super) line: u32,
}

/// The file index of an inlined instance that names no file.
pub(super) const NO_SITE_FILE: u32 = u32::MAX;

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
    /// What was inlined, each once, in the order of the first instances.
    pub(super) origins: Vec<Target>,
    origin_numbers: FxHashMap<Target, u32>,
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
            origins: Vec::new(),
            origin_numbers: FxHashMap::default(),
            calls: Vec::new(),
        }
    }

    /// Forgets everything and keeps the memory, for the next unit.
    pub(super) fn clear(&mut self) {
        self.producer = RawText::Absent;
        self.covered.clear();
        self.subprograms.clear();
        self.offsets.clear();
        self.scopes.clear();
        self.roots.clear();
        self.sites.clear();
        self.origins.clear();
        self.origin_numbers.clear();
        self.calls.clear();
    }

    /// The index of the subprogram at an offset.
    pub(super) fn subprogram_at(&self, offset: UnitOffset) -> Option<usize> {
        self.offsets.binary_search(&offset).ok()
    }

    /// Takes in an inlined instance.
    pub(super) fn add_site(&mut self, origin: Target, root: u32, file: u32, line: u32) {
        let next = self.origins.len() as u32;
        let origin_number = *self.origin_numbers.entry(origin).or_insert(next);
        if origin_number == next {
            self.origins.push(origin);
        }
        self.sites.push(RawSite { origin: origin_number, root, file, line });
    }

    /// Takes in a subprogram: its index.
    pub(super) fn add_subprogram(&mut self, subprogram: Subprogram<'a>) -> usize {
        self.offsets.push(subprogram.offset);
        self.subprograms.push(subprogram);
        self.subprograms.len() - 1
    }
}
