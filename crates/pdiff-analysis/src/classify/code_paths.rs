//! The ways through a function's code: asked for where a verdict rests on them.

use std::fmt::Debug;
use std::ops::Range;

use pdiff_profile::{CodeChange, PerSide, Side};

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
    /// The length of the code on such ways, in bytes...
    pub around_bytes: u64,
    /// ...and of the function's.
    pub own_bytes: u64,
    /// The leaf samples on such ways outside of loops, and the length of that code...
    pub around_once: SampledCode,
    /// ...and all of the function's outside of loops.
    pub own_once: SampledCode,
    /// Whether every such way leads through code that has hardly any samples, in comparison with what each call runs.
    pub is_hardly_taken: bool,
}

/// The samples in some code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct SampledCode {
    /// The samples.
    pub samples: u64,
    /// The length of the code, in bytes.
    pub bytes: u64,
}

/// The samples in a function's own code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SamplesOnce {
    /// Those in code that runs at most once in a call: outside of loops.
    pub once: u64,
    /// Those in code that every call which returns runs exactly once; `None` if the ways are not known.
    pub in_every_call: Option<SampledCode>,
    /// All of them.
    pub own: u64,
    /// All of the side.
    pub all: u64,
}

/// How the samples in a function's own code lie on its instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SamplesAtOne {
    /// Those at the instruction that has most.
    pub most: u64,
    /// All of them.
    pub own: u64,
}

/// A condition under which a function leaves a way to a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct ConditionAround {
    /// What is compared, and how, without registers and places on the stack.
    pub asks: Box<str>,
    /// The samples in code that only this condition leads to, with those in what is called there...
    pub samples: u64,
    /// ...and the length of that code, in bytes.
    pub bytes: u64,
    /// The samples in code that only the other way of its jump leads to, up to the calls, and the length of that code.
    pub other_way: SampledCode,
    /// The samples in that code itself, as far as it is in no loop, and its length.
    pub other_way_once: SampledCode,
}

/// What is gone of the ways through a function without a certain call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FewerWays {
    /// The number of conditions that lead to such ways.
    pub conditions: PerSide<usize>,
    /// What those ask that are gone.
    pub asks: Vec<String>,
    /// The base side's samples in code that only these lead to...
    pub taken: u64,
    /// ...or, if several of them may lead to the same code, in that of all ways without the call.
    pub is_of_all_ways: bool,
    /// All samples of that side.
    pub all: u64,
}

/// The turns of a loop without a certain call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnsAround {
    /// Whether the code has such turns.
    pub can_skip: bool,
    /// Whether a turn may make several calls.
    pub makes_several: bool,
    /// The samples in code that only these run, in what is called there, too.
    pub taken: u64,
    /// The length of that code, in bytes.
    pub bytes: u64,
    /// The samples in the loop's own code that is in no loop within it...
    pub own: u64,
    /// ...and the length of that code, in bytes.
    pub own_bytes: u64,
    /// What is asked where the loop may be left, each once, in order.
    pub exits: Vec<Box<str>>,
    /// How many other calls the loop has.
    pub other_calls: usize,
    /// All samples of the side.
    pub all: u64,
}

/// Answers about the code of both builds.
pub trait CodePaths: Debug + Sync {
    /// Reads what the first answer would have to wait for, if it takes long.
    fn look_ahead(&self) {}

    /// Whether the files of both builds can be read.
    fn has_files(&self) -> bool;

    /// Whether there is a way through a function of a side's build without a call of one that begins at one of the addresses
    /// `callees`. The function is entered where the first of its `bodies` begins. `None` where that is not known, and where no
    /// way leads to such a call.
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// How many such calls every way through such a function makes at least; `None` where the ways are not known, or none leads out.
    fn least_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<u32>;

    /// The conditions under which such a function leaves a way to such a call, sorted by what they ask, with the samples of a side
    /// there. `None` where [`Self::samples_around`] has no answer, and where it is not known what a jump asks.
    fn conditions_around(
        &self,
        side: Side,
        bodies: &[Range<u64>],
        callees: &[u64],
    ) -> Option<Vec<ConditionAround>>;

    /// What all conditional jumps in the code of a function ask, sorted; `None` if that is not known.
    fn conditions(&self, side: Side, bodies: &[Range<u64>]) -> Option<Vec<Box<str>>>;

    /// Of each condition in the code of a function that asks one of these: what it asks, and the samples of a side on the less taken of its
    /// two ways, in code that the other one does not lead to. `None` if the ways are not known, or addresses were not recorded.
    fn samples_beside(
        &self,
        side: Side,
        bodies: &[Range<u64>],
        asks: &[String],
    ) -> Option<Vec<ConditionAround>>;

    /// The samples of a side on the ways through such a function without such a call. `None` where these are not known, and where
    /// addresses were not recorded.
    fn samples_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<SamplesAround>;

    /// The turns of the innermost loop around all such calls that go on with the next turn without one, and the samples of a side there.
    /// `None` if there is no such loop, its ways are not known, or addresses were not recorded.
    fn turns_around(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<TurnsAround>;

    /// The samples of a side under each such call in the code of such a function; a callee without a frame hides its caller, so that there
    /// are none. `None` if its code is not known, or addresses were not recorded.
    fn samples_under_calls(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<Vec<u64>>;

    /// How many of such calls in the code of such a function lead to another one, soon and with no jump backwards. `None` if its code is not
    /// known.
    fn calls_in_a_row(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<usize>;

    /// Whether a loop of such a function says how many such calls there are; `None` where the ways through it are not known. A loop whose
    /// calls have no sample under them did not run, where the function's other calls have.
    fn repeats(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// Whether such a call is in a loop of such a function, so that it may be made again at the same place. Otherwise as [`Self::repeats`],
    /// which is also the case where one call follows another.
    fn calls_in_loop(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool>;

    /// The samples of a side in a function's code that runs at most once in a call, and in all of its code; `None` if the ways through it
    /// are not known, or addresses were not recorded.
    fn samples_once(&self, side: Side, bodies: &[Range<u64>]) -> Option<SamplesOnce>;

    /// The most samples of a side that one instruction of a function's code has, and those in all of its code; `None` if addresses
    /// were not recorded.
    fn samples_at_one(&self, side: Side, bodies: &[Range<u64>]) -> Option<SamplesAtOne>;

    /// Whether a function of a side's build jumps backwards; `None` if that is not known.
    fn has_loop(&self, side: Side, bodies: &[Range<u64>]) -> Option<bool>;

    /// How many bytes of the stack a function takes for itself; `None` if that is not known.
    fn frame_bytes(&self, side: Side, bodies: &[Range<u64>]) -> Option<u64>;

    /// How the code of a function differs between the builds; `None` if that is not known.
    fn change(&self, bodies: PerSide<&[Range<u64>]>) -> Option<CodeChange>;

    /// The addresses of the linker's stubs and slots by which the program of a side's build calls a function of a library.
    fn ways_to(&self, side: Side, function: &str) -> Vec<u64>;
}
