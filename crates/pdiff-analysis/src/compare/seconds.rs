//! How steady the recordings are: the weight of each second, as a whole and of some functions.
//!
//! The first and the last second of a run are left out, because the recording begins and ends somewhere inside them. Long
//! runs have [`MOST_POINTS`] points, each of as many seconds as that takes. A function's share is that of all stacks that
//! contain it, each counted once.
//!
//! Cost: unique stacks x depth, and cells x chosen functions in their stacks.

use pdiff_profile::{Cell, PerSide, StackId};
use rustc_hash::FxHashMap;

use super::prepare::{Prepared, PreparedRun};

/// Points of a run.
const MOST_POINTS: usize = 60;

/// Seconds at each end of a run that are recorded in part.
const PARTIAL: usize = 1;

/// A run over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunSeconds {
    /// The whole seconds that one point covers; the last point may cover fewer.
    pub step: usize,
    /// By point: weight per second.
    pub per_second: Vec<f64>,
    /// By function and point: its share of the weight there, in percent.
    pub share_pct: Vec<Vec<f64>>,
}

/// The recordings over time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Seconds {
    /// The functions, each by name and object.
    pub functions: Vec<(String, String)>,
    /// The runs of each side, base first; runs that tell no times, or are too short, are left out.
    pub runs: PerSide<Vec<RunSeconds>>,
}

pub(super) fn seconds(prepared: &Prepared<'_>, functions: &[(String, String)]) -> Seconds {
    let numbers: FxHashMap<(&str, &str), usize> = functions
        .iter()
        .enumerate()
        .map(|(at, (name, object))| ((name.as_str(), object.as_str()), at))
        .collect();
    // By function of the stacks: its number, if it is chosen.
    let chosen: Vec<Option<usize>> = prepared
        .keys
        .iter()
        .map(|(id, _)| {
            let key = prepared.keys.get(prepared.heir(id));
            numbers.get(&(&*key.name, &*key.object)).copied()
        })
        .collect();
    let runs = PerSide::from_fn(|side| {
        let runs = prepared.runs.iter().filter(|run| run.side == side);
        runs.filter_map(|run| run_seconds(run, &chosen, functions.len())).collect()
    });
    Seconds { functions: functions.to_vec(), runs }
}

fn run_seconds(run: &PreparedRun<'_>, chosen: &[Option<usize>], functions: usize) -> Option<RunSeconds> {
    let blocks = || run.cells.iter().map(|cell| cell.block);
    let (first, last) = (blocks().min()?, blocks().max()?);
    let whole = (last - first) as usize + 1;
    let inside = whole.checked_sub(2 * PARTIAL).filter(|seconds| *seconds > 1)?;
    let step = inside.div_ceil(MOST_POINTS);
    let points = inside.div_ceil(step);
    let place = |cell: &Cell| {
        let second = ((cell.block - first) as usize).checked_sub(PARTIAL)?;
        (second < inside).then_some(second / step)
    };
    let mut weights = vec![0.0; points];
    let mut of_functions = vec![vec![0.0; points]; functions];
    let mut contained: FxHashMap<StackId, Vec<usize>> = FxHashMap::default();
    for (cell, at) in run.cells.iter().filter_map(|cell| Some((cell, place(cell)?))) {
        let weight = cell.weight.as_f64();
        add(&mut weights, at, weight);
        let of_stack = contained.entry(cell.stack).or_insert_with(|| functions_of(run, cell.stack, chosen));
        for function in of_stack.iter() {
            of_functions.get_mut(*function).into_iter().for_each(|of| add(of, at, weight));
        }
    }
    let share = |of: Vec<f64>| {
        let pct = |(part, whole): (&f64, &f64)| if *whole > 0.0 { 100.0 * part / whole } else { 0.0 };
        of.iter().zip(&weights).map(pct).collect()
    };
    let share_pct = of_functions.into_iter().map(share).collect();
    let covered = |at: usize| step.min(inside - at * step) as f64;
    let per_second = weights.iter().enumerate().map(|(at, weight)| weight / covered(at)).collect();
    Some(RunSeconds { step, per_second, share_pct })
}

fn add(sums: &mut [f64], at: usize, weight: f64) {
    if let Some(sum) = sums.get_mut(at) {
        *sum += weight;
    }
}

/// The chosen functions of a stack, each once.
fn functions_of(run: &PreparedRun<'_>, stack: StackId, chosen: &[Option<usize>]) -> Vec<usize> {
    let levels = run.stacks.get(stack).iter();
    let mut found: Vec<usize> =
        levels.filter_map(|level| chosen.get(level.key.0 as usize).copied().flatten()).collect();
    found.sort_unstable();
    found.dedup();
    found
}
