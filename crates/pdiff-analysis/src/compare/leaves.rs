//! The leaf frames of functions by symbol: where in their machine code the samples are, for those who know the addresses of
//! frames.
//!
//! Law: the weights of a side's leaf frames sum to the function's self by symbol.

use pdiff_profile::{FrameId, PerSide, Side, StackId};
use rustc_hash::FxHashMap;

use super::hot_lines::{RowFunction, is_function, sums_by_stack};
use super::prepare::{Prepared, PreparedRun};
use super::sampled::Sampled;

/// The samples of one leaf frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafFrame {
    /// The run, by its place among those of its side.
    pub run: usize,
    /// The frame in the run's profile; `None` for samples without frames.
    pub frame: Option<FrameId>,
    /// The samples.
    pub sampled: Sampled,
}

/// The leaf frames of some functions, by run and frame.
///
/// Cost: unique stacks a function.
pub(super) fn leaves(prepared: &Prepared<'_>, functions: &[RowFunction]) -> Vec<PerSide<Vec<LeafFrame>>> {
    let sums: Vec<_> = prepared.runs.iter().map(sums_by_stack).collect();
    let of_side = |of: &RowFunction, side: Side| {
        let is_it = is_function(prepared, of);
        let runs = prepared.runs.iter().zip(&sums).filter(|(run, _)| run.side == side);
        let of_run = |(at, (run, sums)): (usize, (&PreparedRun<'_>, &FxHashMap<StackId, Sampled>))| {
            let mut frames: FxHashMap<Option<FrameId>, Sampled> = FxHashMap::default();
            for (stack, sampled) in sums {
                let levels = run.stacks.get(*stack);
                let machine = levels.iter().rfind(|level| !level.inlined).or(levels.last());
                if machine.is_some_and(&is_it) {
                    let leaf = run.input.profile.stacks.get(*stack).last().copied();
                    frames.entry(leaf).or_default().add(*sampled);
                }
            }
            let mut frames: Vec<LeafFrame> =
                frames.into_iter().map(|(frame, sampled)| LeafFrame { run: at, frame, sampled }).collect();
            frames.sort_by_key(|leaf| leaf.frame);
            frames
        };
        runs.enumerate().flat_map(of_run).collect()
    };
    functions.iter().map(|of| PerSide::from_fn(|side| of_side(of, side))).collect()
}
