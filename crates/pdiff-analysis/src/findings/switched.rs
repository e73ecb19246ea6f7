//! The part of each side's samples that experiments would switch: stacks sorted by the factors whose code they are in.
//!
//! A stack is *in* a factor's code where any function of it is the factor's. It is *of* the factor's code if that function
//! is the last one of the program, with only library or kernel code below. Switching a factor certainly removes its own
//! code, and perhaps also the code that it calls.

use pdiff_profile::{PerSide, Side};

use super::code::CodeKinds;
use super::input::{Input, RunOfStacks};
use crate::noise::{Denominator, NoiseSettings, Row, RowNoise, RowRun, RunBlocks, judge};
use crate::normalize::KeyId;
use rustc_hash::FxHashMap;

/// The most factors: they are kept as bits.
pub(crate) const MOST_SWITCHES: usize = 8;

/// Functions in which a thread goes to sleep or waits for a disk, by how their names begin.
const SLEEPS: &[&str] =
    &["schedule", "__schedule", "io_schedule", "do_fsync", "fsync", "fdatasync", "vfs_fsync"];

/// The functions of one factor, by key.
pub(crate) struct SwitchedCode {
    pub(crate) functions: Vec<bool>,
    /// Whether the factor can be switched on a side.
    pub(crate) on: PerSide<bool>,
}

/// Samples of one side that the same factors would switch.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct SwitchedPart {
    /// Factors in whose code they are, one bit each.
    pub(crate) within: u32,
    /// Factors of which the last function of the program is.
    pub(crate) own: u32,
    /// They go to sleep.
    pub(crate) sleeps: bool,
    /// Part of the side's weight.
    pub(crate) share: f64,
}

/// Both sides' samples, by the factors that would switch them.
pub(crate) struct Switched {
    pub(crate) sides: PerSide<Vec<SwitchedPart>>,
    /// By factor: how sure the shares of its code are.
    pub(crate) noise: Vec<RowNoise>,
}

/// Sorts both sides' samples by the factors that would switch them.
pub(crate) fn switched(input: &Input<'_>, factors: &[SwitchedCode], noise: &NoiseSettings) -> Switched {
    let codes = CodeKinds::new(input);
    let of_runs: Vec<Vec<(u32, u32, bool)>> =
        input.runs.iter().map(|run| stacks_of(input, run, factors, &codes)).collect();
    let sides = PerSide::from_fn(|side| {
        let runs = input.runs.iter().zip(&of_runs).filter(|(run, _)| run.side == side);
        parts(runs)
    });
    let rows = |factor: usize| {
        let PerSide { before, after } = PerSide::from_fn(|side| row_runs(input, &of_runs, side, factor));
        Row { denominator: 0, before, after }
    };
    let rows: Vec<Row> = (0..factors.len()).map(rows).collect();
    let PerSide { before, after } = PerSide::from_fn(|side| denominators(input, side));
    let noise = judge(std::slice::from_ref(&Denominator { before, after }), &rows, noise).rows;
    Switched { sides, noise }
}

/// By stack of a run: factors in whose code it is, factors whose own code it is, and whether it sleeps.
fn stacks_of(
    input: &Input<'_>,
    run: &RunOfStacks<'_>,
    factors: &[SwitchedCode],
    codes: &CodeKinds,
) -> Vec<(u32, u32, bool)> {
    let bits: Vec<u32> = (0..input.keys.len()).map(|key| bits_of(key, run.side, factors)).collect();
    let sleeps: Vec<bool> = input
        .keys
        .iter()
        .map(|(key, function)| {
            !codes.get(key).is_own_object() && SLEEPS.iter().any(|name| function.qualified.starts_with(name))
        })
        .collect();
    let stacks = (0..run.stacks.len()).map(|stack| pdiff_profile::StackId(stack as u32));
    let of_stack = |stack| {
        let keys: Vec<KeyId> = run.stacks.get(stack).iter().map(|level| level.key).collect();
        let bits_at = |key: &KeyId| bits.get(key.0 as usize).copied().unwrap_or(0);
        let within = keys.iter().map(bits_at).fold(0, |all, bits| all | bits);
        let last = keys.iter().rev().find(|key| codes.get(**key).is_own_object());
        let is_asleep = keys.iter().any(|key| sleeps.get(key.0 as usize).copied().unwrap_or(false));
        (within, last.map_or(0, bits_at), is_asleep)
    };
    stacks.map(of_stack).collect()
}

fn bits_of(key: usize, side: Side, factors: &[SwitchedCode]) -> u32 {
    let is_of =
        |factor: &SwitchedCode| factor.on[side] && factor.functions.get(key).copied().unwrap_or(false);
    let numbered = factors.iter().enumerate().take(MOST_SWITCHES);
    numbered.filter(|(_, factor)| is_of(factor)).map(|(at, _)| 1 << at).sum()
}

fn parts<'a>(
    runs: impl Iterator<Item = (&'a RunOfStacks<'a>, &'a Vec<(u32, u32, bool)>)>,
) -> Vec<SwitchedPart> {
    let mut weights: FxHashMap<(u32, u32, bool), f64> = FxHashMap::default();
    let mut total = 0.0;
    for (run, of_stacks) in runs {
        for cell in run.cells {
            let of_stack = of_stacks.get(cell.stack.index()).copied().unwrap_or_default();
            *weights.entry(of_stack).or_default() += cell.weight.as_f64();
            total += cell.weight.as_f64();
        }
    }
    let mut parts: Vec<((u32, u32, bool), f64)> = weights.into_iter().collect();
    parts.sort_by_key(|(of, _)| *of);
    let part = |((within, own, sleeps), weight): ((u32, u32, bool), f64)| SwitchedPart {
        within,
        own,
        sleeps,
        share: if total > 0.0 { weight / total } else { 0.0 },
    };
    parts.into_iter().map(part).collect()
}

fn row_runs(input: &Input<'_>, of_runs: &[Vec<(u32, u32, bool)>], side: Side, factor: usize) -> Vec<RowRun> {
    let runs = input.runs.iter().zip(of_runs).filter(|(run, _)| run.side == side);
    let row = |(run, of_stacks): (&RunOfStacks<'_>, &Vec<(u32, u32, bool)>)| {
        let (mut weights, mut all, mut samples) = (Vec::new(), Vec::new(), 0);
        for cells in run.cells.chunk_by(|a, b| a.block == b.block) {
            let (mut weight, mut of_all) = (0.0, 0.0);
            for cell in cells {
                of_all += cell.weight.as_f64();
                let (within, ..) = of_stacks.get(cell.stack.index()).copied().unwrap_or_default();
                if within & (1 << factor) != 0 {
                    weight += cell.weight.as_f64();
                    samples += u64::from(cell.samples);
                }
            }
            weights.push(weight);
            all.push(of_all);
        }
        RowRun::from_blocks(&weights, &all, samples)
    };
    runs.map(row).collect()
}

fn denominators(input: &Input<'_>, side: Side) -> Vec<RunBlocks> {
    let runs = input.runs.iter().filter(|run| run.side == side);
    let blocks = |run: &RunOfStacks<'_>| {
        let (mut all, mut samples) = (Vec::new(), 0);
        for cells in run.cells.chunk_by(|a, b| a.block == b.block) {
            all.push(cells.iter().map(|cell| cell.weight.as_f64()).sum());
            samples += cells.iter().map(|cell| u64::from(cell.samples)).sum::<u64>();
        }
        RunBlocks { host: run.host, ..RunBlocks::from_blocks(&all, samples) }
    };
    runs.map(blocks).collect()
}
