//! The runs of a table as a mixed model sees them, and when it is used: where the analysis of variance would have to leave runs
//! out, or to call builds equally noisy that are not.

use std::collections::BTreeMap;

use pdiff_profile::Side;

use crate::{BenchmarkRun, Setting};

use super::mixed::{Fit, ModelRun, Shared, fit};
use super::strata::Rest;

/// Rounds of taking out the means of cells and repeats in turn. Complete tables need one.
const ROUNDS: usize = 100;

/// One run, with its places.
#[derive(Clone, Copy)]
pub(super) struct Observed {
    pub(super) build: usize,
    pub(super) setting: Setting,
    cell: usize,
    repeat: usize,
    value: f64,
}

/// The runs, each with the index of its cell.
pub(super) fn observed(
    runs: &[&BenchmarkRun],
    values: &[f64],
    index: &BTreeMap<(Side, Setting), usize>,
    of: &impl Fn(&BenchmarkRun) -> Side,
) -> Vec<Observed> {
    let mut repeats: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        let next = repeats.len();
        repeats.entry(run.replicate.as_deref().unwrap_or("")).or_insert(next);
    }
    let one = |(run, value): (&&BenchmarkRun, &f64)| {
        let (build, setting) = (of(run), run.setting);
        let repeat = *repeats.get(run.replicate.as_deref().unwrap_or(""))?;
        Some(Observed {
            build: build.index(),
            setting,
            cell: *index.get(&(build, setting))?,
            repeat,
            value: *value,
        })
    };
    runs.iter().zip(values).filter_map(one).collect()
}

/// What the means of cells, and of repeats on each build, leave of the runs.
pub(super) fn rests(runs: &[Observed]) -> Vec<Rest> {
    let mut rests: Vec<Rest> = runs
        .iter()
        .map(|run| Rest { build: run.build, setting: run.setting, repeat: run.repeat, value: run.value })
        .collect();
    for _ in 0..ROUNDS {
        let of_cells = take_out_means(&mut rests, |rest| (rest.build, rest.setting.0 as usize));
        let of_repeats = take_out_means(&mut rests, |rest| (rest.build, rest.repeat));
        if of_cells.max(of_repeats) < 1e-12 {
            break;
        }
    }
    rests
}

/// Takes the mean of each group out of its values, and gives the largest one.
fn take_out_means(rests: &mut [Rest], group: impl Fn(&Rest) -> (usize, usize)) -> f64 {
    let mut sums: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
    for rest in rests.iter() {
        let sum = sums.entry(group(rest)).or_default();
        *sum = (sum.0 + rest.value, sum.1 + 1.0);
    }
    let mean = |rest: &Rest| sums.get(&group(rest)).map_or(0.0, |(sum, count)| sum / count);
    let means: Vec<f64> = rests.iter().map(mean).collect();
    rests.iter_mut().zip(&means).for_each(|(rest, mean)| rest.value -= mean);
    means.into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// Fits the runs. `restart` are factors that change by restart only; `unequal` gives each build a variance.
pub(super) fn weighted(runs: &[Observed], restart: Setting, unequal: bool) -> Option<Fit> {
    let mut plots: BTreeMap<(usize, Setting, usize), usize> = BTreeMap::new();
    let model: Vec<ModelRun> = runs
        .iter()
        .map(|run| {
            let next = plots.len();
            let plot =
                *plots.entry((run.build, run.setting.intersection(restart), run.repeat)).or_insert(next);
            let stratum = if unequal { run.build } else { 0 };
            ModelRun { cell: run.cell, repeat: run.repeat, plot, stratum, value: run.value }
        })
        .collect();
    let shared = Shared { repeats_are_fixed: is_connected(runs), plots: restart != Setting::BASELINE };
    fit(&model, shared)
}

/// Whether runs join all cells and repeats: else blocks cannot be distinguished from what they hold.
fn is_connected(runs: &[Observed]) -> bool {
    let Some(first) = runs.first() else { return true };
    let mut cells = vec![first.cell];
    let mut repeats: Vec<usize> = Vec::new();
    loop {
        let known = cells.len() + repeats.len();
        for run in runs {
            match (cells.contains(&run.cell), repeats.contains(&run.repeat)) {
                (true, false) => repeats.push(run.repeat),
                (false, true) => cells.push(run.cell),
                _ => {}
            }
        }
        if cells.len() + repeats.len() == known {
            return runs.iter().all(|run| cells.contains(&run.cell));
        }
    }
}
