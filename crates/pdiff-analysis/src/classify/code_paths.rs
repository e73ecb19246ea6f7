//! The ways through a function's code: asked for where a verdict rests on them.

use std::fmt::Debug;
use std::ops::Range;

use pdiff_profile::Side;

/// Answers about the code of both builds.
pub trait CodePaths: Debug + Sync {
    /// Whether there is a way through a function of a side's build without a call of one that begins at one of the addresses
    /// `callees`. The function is entered where the first of its `bodies` begins. `None` where that is not known, and where no
    /// way leads to such a call.
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// The addresses of the linker's stubs and slots by which the program of a side's build calls a function of a library.
    fn ways_to(&self, side: Side, function: &str) -> Vec<u64>;
}
