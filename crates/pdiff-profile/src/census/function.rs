//! The functions of a census: what is written about each ([`FunctionFacts`]) and the view that readers get
//! ([`Function`]).
//!
//! A function is one per qualified name and parameters; file-local ones are one per file as well. Its clones, split-off
//! parts and constructor variants are folded into it.

use std::fmt;

use super::body::{Body, BodyPart, Spin};
use super::producer::{Producer, ProducerId};
use super::table::Census;
use super::text::TextId;

/// A function of one census. Ids follow the order of names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FunctionId(pub u32);

impl FunctionId {
    /// As an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What the source and the compiler said on inlining (`DW_AT_inline`). Compilers omit it for a `static inline`
/// function that was never inlined: it is a hint, not evidence.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InlineAttribute {
    /// Nothing is said.
    Absent,
    /// Neither declared inline nor inlined.
    NotInlined,
    /// Not declared inline, but inlined: the compiler chose.
    CompilerChose,
    /// Declared inline, but not inlined.
    DeclaredNotInlined,
    /// Declared inline and inlined.
    DeclaredInlined,
}

impl InlineAttribute {
    pub(super) const ALL: [Self; 5] = [
        Self::Absent,
        Self::NotInlined,
        Self::CompilerChose,
        Self::DeclaredNotInlined,
        Self::DeclaredInlined,
    ];

    /// The attribute's DWARF value; anything unknown is [`Self::Absent`].
    #[must_use]
    pub fn from_dwarf(value: u64) -> Self {
        match value {
            0 => Self::NotInlined,
            1 => Self::CompilerChose,
            2 => Self::DeclaredNotInlined,
            3 => Self::DeclaredInlined,
            _ => Self::Absent,
        }
    }
}

/// Who can see a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Linkage {
    /// Every unit.
    External,
    /// One file only.
    Local,
    /// It lies in another object: a stub of the procedure linkage table, named `sym@plt`.
    Imported,
}

impl Linkage {
    pub(super) const ALL: [Self; 3] = [Self::External, Self::Local, Self::Imported];
}

/// What is written about a function; texts are of the same census.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionFacts {
    /// Qualified name with template arguments, without parameters.
    pub name: TextId,
    /// What follows the name in the signature: parameters and qualifiers, `(int) const`.
    pub parameters: Option<TextId>,
    /// The linkage name, without clone suffix and version.
    pub linkage_name: Option<TextId>,
    /// The source file that declares it, `..` folded.
    pub file: Option<TextId>,
    /// The line there; 0 where not known.
    pub line: u32,
    /// Declared inline or not, as the debug information says.
    pub inline: InlineAttribute,
    /// Who can see it.
    pub linkage: Linkage,
    /// Who compiled it.
    pub producer: Option<ProducerId>,
    /// The function whose code this name stands for too (folded or aliased symbols); its own facts are empty then.
    pub alias_of: Option<FunctionId>,
}

impl FunctionFacts {
    /// An external function of which only the name is known.
    #[must_use]
    pub fn named(name: TextId) -> Self {
        Self {
            name,
            parameters: None,
            linkage_name: None,
            file: None,
            line: 0,
            inline: InlineAttribute::Absent,
            linkage: Linkage::External,
            producer: None,
            alias_of: None,
        }
    }
}

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
        self.census.text(self.facts.name)
    }

    /// Parameters and qualifiers, `(int) const`, where known.
    #[must_use]
    pub fn parameters(self) -> Option<&'a str> {
        self.facts.parameters.map(|id| self.census.text(id))
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

    /// The function whose code this name stands for too.
    #[must_use]
    pub fn alias_of(self) -> Option<FunctionId> {
        self.facts.alias_of
    }

    /// The function that holds the facts: itself, or what it is an alias of.
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

    /// Whether debug information describes all its code, so that what was inlined into it is known.
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

    /// Whether the build holds it in any form.
    #[must_use]
    pub fn is_present(self) -> bool {
        !self.bodies().is_empty() || !self.census.sites_of(self.target()).is_empty()
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name(), self.parameters().unwrap_or(""))
    }
}
