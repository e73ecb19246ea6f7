//! A name in its one spelling, with what was found while spelling it.

use std::borrow::Cow;
use std::ops::Range;

/// A name in its one spelling.
pub(super) struct Spelled<'a> {
    pub(super) text: Cow<'a, str>,
    /// Its outermost bracket groups, in order; `None` where they are not known.
    pub(super) groups: Option<Vec<Range<usize>>>,
}
