//! What units say, as it is kept: without references to the sections but for strings.

use std::ops::Range;

use gimli::DebugInfoOffset;
use pdiff_profile::census::InlineAttribute;
use rustc_hash::FxHashMap;

use crate::binary::strings::{KeptText, RawText};

/// Most units that one reference leads through.
pub(crate) const MAX_ROUNDS: usize = 8;

/// Where an entry stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Place {
    /// In the file with the debug information.
    Own(DebugInfoOffset),
    /// In the one that several debug files share.
    Shared(DebugInfoOffset),
}

/// What is equal for the entries of one function in all units: qualified name, file and line, digested.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SourcePlace(pub(crate) u64);

/// What is kept of a function that is no part of the census: others may be declared at the same place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeftOut {
    pub(crate) place: SourcePlace,
    /// Equal for equal linkage names.
    pub(crate) name: u64,
}

/// A function as one unit tells of it.
#[derive(Clone, Debug)]
pub(crate) struct UnitFunction {
    pub(crate) linkage_name: KeptText,
    /// The qualified name, where there is no linkage name.
    pub(crate) name: Option<Box<str>>,
    pub(crate) place: SourcePlace,
    /// In the unit's list of paths, plus one; 0 where there is none.
    pub(crate) path: u32,
    pub(crate) line: u32,
    pub(crate) inline: InlineAttribute,
    pub(crate) is_external: bool,
    /// The entry in another unit that tells the rest.
    pub(crate) elsewhere: Option<Place>,
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

/// What one unit says.
pub(crate) struct UnitFacts {
    /// The compiler's text.
    pub(crate) producer: Box<str>,
    /// The code that it says is its own. Clang at `-g1` has no entry for a function without inlined instances and calls to
    /// tell of, so that code in here without an entry is code without inlined instances.
    pub(crate) covered: Vec<Range<u64>>,
    /// Paths of the files named here.
    pub(crate) paths: Vec<Box<str>>,
    /// Functions with code or inlined instances here, or that are called; then those that were inlined and left no instance.
    pub(crate) functions: Vec<UnitFunction>,
    /// How many of them, from the first on, have code, instances or calls here.
    pub(crate) with_instances: usize,
    /// Functions with code here.
    pub(crate) roots: Vec<Root>,
    /// Inlined instances, sorted and added up.
    pub(crate) sites: Vec<InlineRow>,
    /// Call sites that name their function, sorted and added up.
    pub(crate) call_sites: Vec<CallSiteRow>,
    /// Functions that were left out.
    pub(crate) left_out: Vec<LeftOut>,
}

/// What all units say.
pub(crate) struct Units {
    /// In the order of the file.
    pub(crate) units: Vec<UnitFacts>,
    /// Functions that lie in another unit than their instances.
    pub(crate) foreign: FxHashMap<Place, ForeignFunction>,
    /// Units that could not be read.
    pub(crate) unreadable: u64,
    /// Units whose contents lie in another file, which was not found.
    pub(crate) split: u64,
}

/// A function that another unit refers to; its path is spelled out, because its unit's paths are not at hand.
pub(crate) struct ForeignFunction {
    pub(crate) function: UnitFunction,
    pub(crate) path: Option<Box<str>>,
}

/// What is recorded about a function in its unit and in those that it refers to.
#[derive(Clone, Copy)]
pub(crate) struct Told<'t> {
    pub(crate) linkage_name: RawText<'t>,
    /// The qualified name, where there is no linkage name.
    pub(crate) name: &'t str,
    pub(crate) place: SourcePlace,
    pub(crate) path: Option<&'t str>,
    pub(crate) line: u32,
    pub(crate) inline: InlineAttribute,
    pub(crate) is_external: bool,
}

impl Units {
    /// All that is recorded about a function of a unit.
    pub(crate) fn told<'t>(&'t self, unit: &'t UnitFacts, function: &'t UnitFunction) -> Told<'t> {
        let path = (function.path as usize).checked_sub(1).and_then(|index| unit.paths.get(index));
        let mut told = told_by(function, path.map(|path| &**path));
        let mut next = function.elsewhere;
        for _ in 0..MAX_ROUNDS {
            let Some(foreign) = next.and_then(|offset| self.foreign.get(&offset)) else { break };
            told = told.or(told_by(&foreign.function, foreign.path.as_deref()));
            next = foreign.function.elsewhere;
        }
        told
    }
}

fn told_by<'t>(function: &'t UnitFunction, path: Option<&'t str>) -> Told<'t> {
    Told {
        linkage_name: function.linkage_name.as_raw(),
        name: function.name.as_deref().unwrap_or(""),
        place: function.place,
        path,
        line: function.line,
        inline: function.inline,
        is_external: function.is_external,
    }
}

impl Told<'_> {
    /// This, and what it leaves open from `other`.
    fn or(self, other: Self) -> Self {
        let is_named = !self.linkage_name.is_absent() || !self.name.is_empty();
        Self {
            linkage_name: self.linkage_name.or(other.linkage_name),
            name: if is_named { self.name } else { other.name },
            place: if is_named { self.place } else { other.place },
            path: self.path.or(other.path),
            line: if self.line == 0 { other.line } else { self.line },
            inline: self.inline.max(other.inline),
            is_external: self.is_external || other.is_external,
        }
    }
}
