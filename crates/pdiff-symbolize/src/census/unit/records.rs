//! What the walk through a unit notes down, as it stands in the file.

use std::ops::Range;

use super::super::raw_text::RawText;

/// Where an entry refers to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Target {
    /// An offset in the same unit.
    Here(usize),
    /// An offset in `.debug_info`.
    Elsewhere(u64),
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
    pub(super) offset: usize,
    /// The scope it stands in, an index.
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
        offset: 0,
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

/// A namespace, a class or a function around others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'a> {
    pub(super) offset: usize,
    pub(super) parent: Option<u32>,
    pub(super) kind: ScopeKind,
    pub(super) name: RawText<'a>,
    /// Of a class: its number among the unnamed ones of its parent.
    pub(super) number: u32,
    /// The declaration that has the name, where this has none.
    pub(super) declaration: Option<usize>,
}

/// What a scope without a name is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScopeKind {
    Namespace,
    Class,
    Function,
}

/// A function with code: the place in its unit's list of functions, and its stretches, the entry first.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    pub(crate) function: u32,
    pub(crate) ranges: Vec<Range<u64>>,
}

/// Inlined instances of a function in the code of a root.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct InlineRow {
    /// In the unit's list of functions.
    pub(crate) callee: u32,
    /// In the unit's list of roots.
    pub(crate) root: u32,
    /// In the unit's list of paths, plus one; 0 where there is none.
    pub(crate) path: u32,
    pub(crate) line: u32,
    pub(crate) count: u32,
}

/// Call sites of a function in the code of a root.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct CallSiteRow {
    pub(crate) callee: u32,
    pub(crate) root: u32,
    pub(crate) is_tail: bool,
    pub(crate) count: u32,
}

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

/// All that a walk notes down; subprograms and scopes by offset.
#[derive(Debug)]
pub(super) struct Records<'a> {
    pub(super) producer: RawText<'a>,
    /// The code that the unit says is its own.
    pub(super) covered: Vec<Range<u64>>,
    pub(super) is_split: bool,
    pub(super) subprograms: Vec<Subprogram<'a>>,
    pub(super) scopes: Vec<Scope<'a>>,
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
            is_split: false,
            subprograms: Vec::new(),
            scopes: Vec::new(),
            roots: Vec::new(),
            sites: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// The index of the subprogram at an offset.
    pub(super) fn subprogram_at(&self, offset: usize) -> Option<usize> {
        self.subprograms.binary_search_by_key(&offset, |subprogram| subprogram.offset).ok()
    }

    /// The scope at an offset.
    pub(super) fn scope_at(&self, offset: usize) -> Option<&Scope<'a>> {
        let found = self.scopes.binary_search_by_key(&offset, |scope| scope.offset).ok()?;
        self.scopes.get(found)
    }
}
