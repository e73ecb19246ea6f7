//! The ways through a function's code: asked for where a verdict rests on them.

use std::fmt::Debug;
use std::ops::Range;

use pdiff_profile::Side;

/// The samples on ways through a function without a certain call. A sample counts by the frame of the function that is nearest to the
/// leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SamplesAround {
    /// Those on such ways, in what the function calls there, too.
    pub around: u64,
    /// Those in the function's own code.
    pub own: u64,
    /// All of the side.
    pub all: u64,
    /// Whether every such way leads through code that has hardly any samples, in comparison with what each call runs.
    pub is_hardly_taken: bool,
}

/// Answers about the code of both builds.
pub trait CodePaths: Debug + Sync {
    /// Whether there is a way through a function of a side's build without a call of one that begins at one of the addresses
    /// `callees`. The function is entered where the first of its `bodies` begins. `None` where that is not known, and where no
    /// way leads to such a call.
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// What such a function asks where it may leave a way to such a call, sorted: the comparisons of its jumps, without registers and
    /// places. `None` where [`Self::can_skip`] has no answer.
    fn conditions_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<Box<str>>>;

    /// The samples of a side on the ways through such a function without such a call. `None` where these are not known, and where
    /// addresses were not recorded.
    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround>;

    /// Whether a function of a side's build jumps backwards; `None` if that is not known.
    fn has_loop(&self, side: Side, bodies: &[Range<u64>]) -> Option<bool>;

    /// The addresses of the linker's stubs and slots by which the program of a side's build calls a function of a library.
    fn ways_to(&self, side: Side, function: &str) -> Vec<u64>;
}
