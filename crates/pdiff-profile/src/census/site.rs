//! Inlined instances, counted per call site.

use super::function_facts::FunctionId;
use super::text::TextId;

/// Inlined instances of one function from one call line inside the code of one out-of-line function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InlineSite {
    /// The function whose body was copied.
    pub callee: FunctionId,
    /// The out-of-line function whose code contains the copy, at any depth of inlining; clones count as their function.
    pub caller: FunctionId,
    /// The file that the call is written in.
    pub file: Option<TextId>,
    /// The line of the call; 0 where not known.
    pub line: u32,
    /// How many instances.
    pub count: u32,
}

impl InlineSite {
    /// The key that identifies and orders rows: callee, caller, file and line as one number, for one comparison.
    #[must_use]
    pub fn key(&self) -> u128 {
        let parts = [self.callee.0, self.caller.0, TextId::to_raw(self.file), self.line];
        parts.into_iter().fold(0, |key, part| key << 32 | u128::from(part))
    }
}
