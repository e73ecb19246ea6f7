//! The stored facts about a function of a census: [`FunctionFacts`], with texts and other functions as ids.

use super::producer::ProducerId;
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

/// What the source and the compiler declared about inlining (`DW_AT_inline`). Compilers omit it for a `static inline`
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

    /// Whether the compiler inlined it somewhere.
    #[must_use]
    pub fn is_inlined(self) -> bool {
        matches!(self, Self::CompilerChose | Self::DeclaredInlined)
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

/// The stored facts about a function; texts are from the same census.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionFacts {
    /// Qualified name with template arguments, without parameters; of a [mangled](Self::is_mangled) one the linkage name.
    pub name: TextId,
    /// Whether only the linkage name is kept, and the others are made of it when they are asked for: so it is with functions
    /// that nobody looks for by name.
    pub is_mangled: bool,
    /// Whether name and parameters are what demangling the linkage name gives.
    pub is_demangled: bool,
    /// The part of the signature after the name: parameters and qualifiers, `(int) const`.
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
    /// The function whose code has this name too (folded or aliased symbols); its own facts are then empty.
    pub alias_of: Option<FunctionId>,
}

impl FunctionFacts {
    /// An external function with only its name known.
    #[must_use]
    pub fn named(name: TextId) -> Self {
        Self {
            name,
            is_mangled: false,
            is_demangled: false,
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
