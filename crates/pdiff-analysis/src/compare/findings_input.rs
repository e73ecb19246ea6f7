//! Both sides' stacks in the form that findings need.

use rayon::prelude::*;

use super::comparison::Cost;
use super::prepare::Prepared;
use crate::findings::{Amount, Input, RunOfStacks};
use crate::noise::NoiseSettings;

/// Both sides' stacks as findings want them.
pub(super) fn stacks_of_both<'a>(
    prepared: &'a Prepared<'_>,
    cost: Option<&'a Cost>,
    noise: NoiseSettings,
) -> Input<'a> {
    let runs = prepared.runs.par_iter().map(|run| RunOfStacks {
        side: run.side,
        host: run.host,
        profile: run.input.profile,
        stacks: run.stacks,
        cells: run.cells,
        polls: prepared.spins(run),
        amounts: Amount::of_stacks(run.stacks.len(), run.cells),
    });
    Input {
        keys: prepared.keys,
        canonical: prepared.keys.iter().map(|(key, _)| prepared.heir(key)).collect(),
        runs: runs.collect(),
        subsystems: prepared.keys.iter().map(|(key, _)| prepared.facts.subsystem(key)).collect(),
        cost,
        noise,
    }
}
