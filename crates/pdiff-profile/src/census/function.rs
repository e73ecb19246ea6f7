//! [`Function`]: a function seen through its census, and how a census gives it out.
//!
//! A function is one per qualified name and parameters; file-local ones are one per file as well. Its clones, split-off
//! parts and constructor variants are folded into it.

use std::cmp::Ordering;
use std::fmt;

use super::body::{Body, BodyPart, Spin};
use super::function_facts::{FunctionFacts, FunctionId, InlineAttribute, Linkage};
use super::late_names::LateName;
use super::producer::Producer;
use super::table::Census;

/// A function seen through its census.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    pub(super) census: &'a Census,
    pub(super) facts: &'a FunctionFacts,
    pub(super) id: FunctionId,
}

impl<'a> Function<'a> {
    /// Its id.
    #[must_use]
    pub fn id(self) -> FunctionId {
        self.id
    }

    /// Qualified name with template arguments, without parameters.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.late_name().map_or_else(|| self.census.text(self.facts.name), |name| &name.qualified)
    }

    /// Whether the census keeps only its linkage name: its other names are made when they are asked for.
    #[must_use]
    pub fn is_mangled(self) -> bool {
        self.facts.is_mangled
    }

    fn late_name(self) -> Option<&'a LateName> {
        let linkage = || self.linkage_name().unwrap_or("");
        if self.facts.is_mangled { self.census.late_names.get(self.id, linkage()) } else { None }
    }

    /// Parameters and qualifiers, `(int) const`, where known.
    #[must_use]
    pub fn parameters(self) -> Option<&'a str> {
        match self.late_name() {
            Some(name) => name.parameters.as_deref(),
            None => self.facts.parameters.map(|id| self.census.text(id)),
        }
    }

    /// Name and parameters, where these are known.
    #[must_use]
    pub fn signature(self) -> Option<String> {
        self.parameters().map(|parameters| format!("{}{parameters}", self.name()))
    }

    /// The linkage name, without clone suffix and version.
    #[must_use]
    pub fn linkage_name(self) -> Option<&'a str> {
        self.facts.linkage_name.map(|id| self.census.text(id))
    }

    /// The source file that declares it.
    #[must_use]
    pub fn file(self) -> Option<&'a str> {
        self.facts.file.map(|id| self.census.text(id))
    }

    /// The line there.
    #[must_use]
    pub fn line(self) -> Option<u32> {
        Some(self.facts.line).filter(|line| *line > 0)
    }

    /// Declared inline or not.
    #[must_use]
    pub fn inline_attribute(self) -> InlineAttribute {
        self.facts.inline
    }

    /// Who can see it.
    #[must_use]
    pub fn linkage(self) -> Linkage {
        self.facts.linkage
    }

    /// Who compiled it, where debug information says so.
    #[must_use]
    pub fn producer(self) -> Option<&'a Producer> {
        self.facts.producer.and_then(|id| self.census.producer(id))
    }

    /// The function whose code has this name too.
    #[must_use]
    pub fn alias_of(self) -> Option<FunctionId> {
        self.facts.alias_of
    }

    /// The function with the facts: itself, or the function that it is an alias of.
    #[must_use]
    pub fn target(self) -> FunctionId {
        self.facts.alias_of.unwrap_or(self.id)
    }

    /// Its machine code, by address.
    #[must_use]
    pub fn bodies(self) -> &'a [Body] {
        self.census.bodies_of(self.target())
    }

    /// How many bodies calls can enter: clones and split-off parts count, cold parts do not.
    #[must_use]
    pub fn out_of_line(self) -> usize {
        self.bodies().iter().filter(|body| body.part.is_instance()).count()
    }

    /// The bytes of all its bodies.
    #[must_use]
    pub fn code_bytes(self) -> u64 {
        self.bodies().iter().fold(0, |sum, body| sum.saturating_add(body.bytes))
    }

    /// The first sign of busy waiting in its bodies.
    #[must_use]
    pub fn spin(self) -> Option<Spin> {
        self.bodies().iter().filter_map(|body| body.spin).min()
    }

    /// Whether debug information describes all its code, so its inlined functions are known.
    #[must_use]
    pub fn is_described(self) -> bool {
        !self.bodies().is_empty()
            && self.bodies().iter().all(|body| body.described || body.part == BodyPart::Cold)
    }

    /// How many inlined instances it has.
    #[must_use]
    pub fn inlined_instances(self) -> u64 {
        self.census.sites_of(self.target()).iter().map(|site| u64::from(site.count)).sum()
    }

    /// Whether the build contains it in any form.
    #[must_use]
    pub fn is_present(self) -> bool {
        !self.bodies().is_empty() || !self.census.sites_of(self.target()).is_empty()
    }

    /// Whether the compiler inlined it and left no instance: its source is in the build, and nothing shows where its work is
    /// done.
    #[must_use]
    pub fn is_inlined_without_instance(self) -> bool {
        !self.is_present() && self.inline_attribute().is_inlined()
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name(), self.parameters().unwrap_or(""))
    }
}

impl Census {
    /// One function.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> Option<Function<'_>> {
        self.functions.get(id.index()).map(|facts| Function { census: self, facts, id })
    }

    /// All functions, by name; those of which only the linkage name is kept come last.
    pub fn functions(&self) -> impl ExactSizeIterator<Item = Function<'_>> {
        self.functions.iter().enumerate().map(|(index, facts)| {
            let id = FunctionId(u32::try_from(index).expect("the builder gives out 32-bit ids"));
            Function { census: self, facts, id }
        })
    }

    /// Whether it keeps the linkage name alone of some functions: their other names are made when they are asked for.
    #[must_use]
    pub fn has_late_names(&self) -> bool {
        self.late_names.named() < self.functions.len()
    }

    /// The order of two functions by name, then by id, without the names of those that ids order already.
    #[must_use]
    pub fn name_order(&self, a: FunctionId, b: FunctionId) -> Ordering {
        let named = self.late_names.named();
        let by_name = || {
            let name = |id| self.function(id).map_or("", Function::name);
            name(a).cmp(name(b))
        };
        if a.index().max(b.index()) < named { a.cmp(&b) } else { by_name().then(a.cmp(&b)) }
    }

    /// The functions of one qualified name: overloads and file-local namesakes. Those of which only the linkage name is kept
    /// are not found.
    pub fn find(&self, name: &str) -> impl Iterator<Item = Function<'_>> {
        let named = self.functions.get(..self.late_names.named()).unwrap_or(&[]);
        let first = named.partition_point(|facts| self.text(facts.name) < name);
        let rest = named.get(first..).unwrap_or(&[]);
        let count = rest.partition_point(|facts| self.text(facts.name) == name);
        (first..first + count).filter_map(|index| self.function(FunctionId(u32::try_from(index).ok()?)))
    }

    /// Whether a function of this build has the same code as one of another: `None` where that cannot be said (not
    /// decoded, or different compilers).
    #[must_use]
    pub fn same_code(&self, function: FunctionId, other: &Self, in_other: FunctionId) -> Option<bool> {
        let (ours, theirs) = (self.function(function)?, other.function(in_other)?);
        let same_compiler = match (ours.producer(), theirs.producer()) {
            (Some(a), Some(b)) => a.same_compiler(b),
            _ => false,
        };
        let hashes = |function: Function<'_>| {
            let of = |body: &Body| body.hash.map(|hash| (body.part, hash));
            let mut hashes = function.bodies().iter().map(of).collect::<Option<Vec<_>>>()?;
            hashes.sort_unstable();
            Some(hashes).filter(|hashes| !hashes.is_empty())
        };
        same_compiler.then_some(())?;
        Some(hashes(ours)? == hashes(theirs)?)
    }
}
