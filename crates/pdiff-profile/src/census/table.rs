//! [`Census`]: the facts of one build, by function.

use super::body::Body;
use super::edge::CallEdge;
use super::function_facts::{FunctionFacts, FunctionId};
use super::index::{Grouping, Starts};
use super::late_names::LateNames;
use super::left_out::LeftOut;
use super::producer::{Producer, ProducerId};
use super::site::InlineSite;
use super::text::{TextId, TextTable};

/// How much of a build the file lets us see.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Visibility {
    /// Only exported functions: the file is stripped. A function that is absent here may still be in the build.
    DynamicSymbols,
    /// All functions with code, but no inlining.
    Symbols,
    /// All functions, inlined or not.
    DebugInfo,
}

impl Visibility {
    pub(super) const ALL: [Self; 3] = [Self::DynamicSymbols, Self::Symbols, Self::DebugInfo];
}

/// How much of the file was read, and what could not be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Coverage {
    /// Compilation units in the debug information.
    pub units: u64,
    /// Units among them that are damaged or of an unknown version; their contents are missing.
    pub unreadable_units: u64,
    /// Units among them whose contents lie in another file (split debug information).
    pub split_units: u64,
    /// Bodies whose instructions were not decoded: no code in the file, or an unknown processor.
    pub undecoded_bodies: u64,
}

/// The inlined instances of one function in the code of another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InlinedInto {
    /// The out-of-line function whose code contains them.
    pub caller: FunctionId,
    /// How many.
    pub sites: u64,
}

/// The facts of one build.
///
/// ```
/// use pdiff_profile::ObjectAddr;
/// use pdiff_profile::census::{Body, CensusBuilder, FunctionFacts, InlineSite, Visibility};
///
/// let mut builder = CensusBuilder::new(Visibility::DebugInfo);
/// let [main, leaf] = ["main", "leaf"].map(|name| {
///     let name = builder.text(name);
///     builder.function(FunctionFacts::named(name))
/// });
/// builder.body(main, Body::at(ObjectAddr(0x1000), 64));
/// builder.site(InlineSite { callee: leaf, caller: main, file: None, line: 7, count: 2 });
/// let census = builder.finish();
///
/// let leaf = census.find("leaf").next().unwrap();
/// assert_eq!((leaf.out_of_line(), leaf.inlined_instances()), (0, 2));
/// let caller = census.inlined_into(leaf.id()).next().unwrap().caller;
/// assert_eq!(census.function(caller).unwrap().name(), "main");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    pub(super) visibility: Visibility,
    pub(super) coverage: Coverage,
    pub(super) texts: TextTable,
    pub(super) producers: Vec<Producer>,
    /// Sorted by name, parameters and file; those of which only the linkage name is kept come last.
    pub(super) functions: Vec<FunctionFacts>,
    pub(super) late_names: LateNames,
    /// Sorted by function and address.
    pub(super) bodies: Vec<Body>,
    pub(super) body_functions: Vec<FunctionId>,
    /// Sorted by [`InlineSite::key`].
    pub(super) sites: Vec<InlineSite>,
    /// Sorted by [`CallEdge::key`].
    pub(super) edges: Vec<CallEdge>,
    /// The names that a part leaves out; empty for a whole census.
    pub(super) left_out: LeftOut,
    pub(super) index: Index,
}

/// Indexes that can be rebuilt from the rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Index {
    pub(super) body_starts: Starts,
    pub(super) site_starts: Starts,
    pub(super) edge_starts: Starts,
    pub(super) sites_by_caller: Grouping,
    pub(super) edges_by_callee: Grouping,
}

impl Census {
    /// How much of the build could be seen.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        self.visibility
    }

    /// How much of the file was read.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// Whether inlined instances can be seen at all.
    #[must_use]
    pub fn sees_inlines(&self) -> bool {
        self.visibility == Visibility::DebugInfo
    }

    /// The text of an id of this census.
    #[must_use]
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id)
    }

    /// Who compiled the build, most units first.
    #[must_use]
    pub fn producers(&self) -> &[Producer] {
        &self.producers
    }

    /// One of them.
    pub(super) fn producer(&self, id: ProducerId) -> Option<&Producer> {
        self.producers.get(id.0 as usize)
    }

    /// Whether functions were left out when it was packed ([`Census::to_packed_bytes`]).
    #[must_use]
    pub fn is_part(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Whether the build contains functions of a qualified name that this part of its census leaves out. These have no
    /// out-of-line code and are only inlined. Of the names that the build does not contain, one in 50,000 is wrongly
    /// reported as left out.
    #[must_use]
    pub fn leaves_out(&self, name: &str) -> bool {
        self.left_out.contains(name)
    }

    /// The machine code of a function, by address.
    pub(super) fn bodies_of(&self, function: FunctionId) -> &[Body] {
        self.bodies.get(self.index.body_starts.slice(&self.bodies, function)).unwrap_or(&[])
    }

    /// Where a function was inlined, by caller, file and line.
    #[must_use]
    pub fn sites_of(&self, callee: FunctionId) -> &[InlineSite] {
        self.sites.get(self.index.site_starts.slice(&self.sites, callee)).unwrap_or(&[])
    }

    /// Where a function was inlined, added up per caller.
    pub fn inlined_into(&self, callee: FunctionId) -> impl Iterator<Item = InlinedInto> {
        let sum = |sites: &[InlineSite]| {
            let caller = sites.first()?.caller;
            Some(InlinedInto { caller, sites: sites.iter().map(|site| u64::from(site.count)).sum() })
        };
        self.sites_of(callee).chunk_by(|a, b| a.caller == b.caller).filter_map(sum)
    }

    /// The instances of `callee` in the code of `caller`.
    #[must_use]
    pub fn sites_in(&self, callee: FunctionId, caller: FunctionId) -> &[InlineSite] {
        let sites = self.sites_of(callee);
        let first = sites.partition_point(|site| site.caller < caller);
        let rest = sites.get(first..).unwrap_or(&[]);
        rest.get(..rest.partition_point(|site| site.caller == caller)).unwrap_or(&[])
    }

    /// The functions inlined into the code of a function.
    pub fn sites_by_caller(&self, caller: FunctionId) -> impl Iterator<Item = &InlineSite> {
        let rows = self.index.sites_by_caller.rows_of(caller);
        rows.iter().filter_map(|row| self.sites.get(*row as usize))
    }

    /// The direct calls in a function's code, by callee.
    #[must_use]
    pub fn calls_from(&self, caller: FunctionId) -> &[CallEdge] {
        self.edges.get(self.index.edge_starts.slice(&self.edges, caller)).unwrap_or(&[])
    }

    /// The direct calls to a function, by caller.
    pub fn calls_to(&self, callee: FunctionId) -> impl Iterator<Item = &CallEdge> {
        let rows = self.index.edges_by_callee.rows_of(callee);
        rows.iter().filter_map(|row| self.edges.get(*row as usize))
    }

    /// The direct calls from one function to another.
    #[must_use]
    pub fn call(&self, caller: FunctionId, callee: FunctionId) -> Option<&CallEdge> {
        let edges = self.calls_from(caller);
        edges.binary_search_by_key(&callee, |edge| edge.callee).ok().and_then(|found| edges.get(found))
    }

    /// All inlined instances.
    #[must_use]
    pub fn inlined_instances(&self) -> u64 {
        self.sites.iter().map(|site| u64::from(site.count)).sum()
    }
}
