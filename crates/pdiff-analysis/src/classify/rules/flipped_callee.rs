//! [`FlippedCallee`]: one function that a change of inlining moved between rows.

use pdiff_profile::Side;

/// A function that a change of inlining took out of a caller, or put into it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct FlippedCallee {
    /// Its row, by number.
    pub(crate) row: usize,
    /// The side that contains the copies.
    pub(crate) inlined_on: Side,
    /// Change of its self by symbol, in points.
    pub(crate) delta_booked_pp: f64,
    /// Whether it is known to be called now: it has no copy there and no body on the other side, or code or return addresses show the
    /// caller calling it.
    pub(crate) is_seen_called: bool,
}
