//! What a linkage name stands for.

/// A linkage name brought back to the source's names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demangled {
    /// Qualified name with template arguments, without parameters.
    pub qualified: String,
    /// The qualified name with parameters and qualifiers, without return type.
    pub signature: String,
}
