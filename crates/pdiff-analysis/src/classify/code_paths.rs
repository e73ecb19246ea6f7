//! The ways through a function's code: asked for where a verdict rests on them.

use std::fmt::Debug;
use std::ops::Range;

use pdiff_profile::Side;

/// Samples with an address in the code of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SamplesAround {
    /// Those on ways without a certain call.
    pub around: u64,
    /// All.
    pub all: u64,
}

/// Answers about the code of both builds.
pub trait CodePaths: Debug + Sync {
    /// Whether there is a way through a function of a side's build without a call of one that begins at one of the addresses
    /// `callees`. The function is entered where the first of its `bodies` begins. `None` where that is not known, and where no
    /// way leads to such a call.
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// How the samples of a side lie in such a function: of all in it, how many where no such call was made and none follows. `None` as
    /// above, and where addresses were not recorded.
    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround>;

    /// The addresses of the linker's stubs and slots by which the program of a side's build calls a function of a library.
    fn ways_to(&self, side: Side, function: &str) -> Vec<u64>;
}
