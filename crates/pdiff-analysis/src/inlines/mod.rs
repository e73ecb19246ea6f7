//! Changes of inlining between two builds, without any profile.
//!
//! In: the census of each build and which function is which ([`Matching`](crate::matching::Matching)). Out: one row per
//! function of either build with its [`Change`], and the callers for which the change is confirmed: there the function
//! was inlined on one side, and on the other it is called from the code and no copy is left.
//!
//! A build whose debug information is missing never makes a function "new", "gone" or "lost": what it cannot show is
//! reported as not visible.

mod change;
mod comparison;
mod flip;
mod reasons;

pub use change::Change;
pub(crate) use comparison::confirmed_flips;
pub use comparison::{FunctionComparison, InlineComparison, compare_inlines};
pub use flip::Flip;
pub use reasons::{InlineReason, InlineReasons};

#[cfg(test)]
mod tests;
