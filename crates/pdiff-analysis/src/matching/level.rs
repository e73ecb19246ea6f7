//! How a pair of functions was found.

use std::fmt;

/// How a pair was found, strictest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FoundBy {
    /// The same linkage name.
    Linkage,
    /// The same qualified name, template arguments and parameters.
    Signature,
    /// The same qualified name and template arguments.
    Qualified,
    /// The same last part of the name, in the same source file, if one build does not give the scope: GCC's `-g1` names no
    /// namespaces, and a static function that is only inlined has no linkage name.
    Unscoped,
    /// A known rename.
    Alias,
    /// The same name without template arguments and namespaces.
    Loose,
    /// The same last part of the name, or the same name with its scope written in another way (`x_t::y`, `x_y`).
    Unqualified,
    /// One build has no name for it, and its code, texts, constants and calls are those of one function of the other.
    Structure,
    /// A rename to an unlike name: the same code and calls in one source file.
    Code,
    /// Like names, neighbours and sizes: a rename, with a score.
    Fuzzy,
}

impl FoundBy {
    pub(super) const ALL: [Self; 10] = [
        Self::Linkage,
        Self::Signature,
        Self::Qualified,
        Self::Unscoped,
        Self::Alias,
        Self::Loose,
        Self::Unqualified,
        Self::Structure,
        Self::Code,
        Self::Fuzzy,
    ];

    /// The stable text, in kebab case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Alias => "alias",
            Self::Linkage => "linkage",
            Self::Signature => "signature",
            Self::Qualified => "qualified",
            Self::Unscoped => "unscoped",
            Self::Loose => "loose",
            Self::Unqualified => "unqualified",
            Self::Structure => "structure",
            Self::Code => "code",
            Self::Fuzzy => "fuzzy",
        }
    }

    /// Whether a claim on such a pair may be called proved.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self <= Self::Alias
    }
}

impl fmt::Display for FoundBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
