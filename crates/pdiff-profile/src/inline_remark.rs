//! A compiler's remark on one call: inlined, or the reason why not.

use crate::names::FunctionName;

/// A line of a compiler's report on inlining.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlineRemark {
    /// The function that contains the call.
    pub caller: RemarkName,
    /// The function called.
    pub callee: RemarkName,
    /// Where the call is written.
    pub place: RemarkPlace,
    /// Whether the call was inlined.
    pub is_inlined: bool,
    /// An early pass said so; a later one decides.
    pub is_early: bool,
    /// The compiler's reason, in its own words.
    pub words: Box<str>,
    /// The cost that the compiler computed, where it says so.
    pub cost: Option<i64>,
    /// The cost up to which it inlines.
    pub threshold: Option<i64>,
}

/// A function as a compiler's report names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RemarkName {
    /// The name; its parameters are known if it has a signature.
    pub name: FunctionName,
    /// GCC names a clone (`less.isra`) without its scope.
    pub lacks_scope: bool,
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RemarkPlace {
    /// The file as the compiler was given it.
    pub file: Box<str>,
    /// Its line, from 1.
    pub line: u32,
    /// Its column, from 1.
    pub column: u32,
}
