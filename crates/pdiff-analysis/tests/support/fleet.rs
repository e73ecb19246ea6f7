//! Simulated machines that run a program before and after a change: on each machine, and in each run, some functions
//! cost more than in others.

use pdiff_analysis::noise::{Denominator, Row, RowRun, RunBlocks};

use crate::random::Rng;

/// Functions of the program, and how their costs are spread: a standard deviation of the logarithm.
const FUNCTIONS: usize = 400;
const COST_SD: f64 = 1.7;

/// Blocks of a run.
const BLOCKS: usize = 12;

/// The share of the function that may change, the first.
const CHANGED_SHARE: f64 = 0.01;

/// Machines and what they do to functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    /// Of each side.
    pub(crate) hosts: u32,
    pub(crate) runs_of_host: usize,
    /// Machines that are on both sides.
    pub(crate) hosts_on_both: u32,
    /// Samples of a run.
    pub(crate) samples: f64,
    /// Coefficients of variation of a function from machine to machine and from run to run.
    pub(crate) host_cv: f64,
    pub(crate) run_cv: f64,
    /// Between the functions' own ones: a standard deviation of the logarithm.
    pub(crate) cv_differs: f64,
    /// The factor of the first function's cost.
    pub(crate) change: f64,
}

impl Fleet {
    /// Records all runs.
    pub(crate) fn record(self, seed: u64) -> (Denominator, Vec<Row>) {
        let mut rng = Rng::new(seed);
        let mut costs: Vec<f64> = (0..FUNCTIONS).map(|_| (COST_SD * rng.normal()).exp()).collect();
        let rest: f64 = costs.iter().skip(1).sum();
        costs[0] = rest * CHANGED_SHARE / (1.0 - CHANGED_SHARE);
        let factors: Vec<f64> = costs.iter().map(|_| (self.cv_differs * rng.normal()).exp()).collect();
        let hosts_in_all = 2 * self.hosts - self.hosts_on_both;
        let effect = |rng: &mut Rng, cv: f64| {
            factors.iter().map(|factor| rng.log_normal(cv * factor)).collect::<Vec<f64>>()
        };
        let of_hosts: Vec<Vec<f64>> = (0..hosts_in_all).map(|_| effect(&mut rng, self.host_cv)).collect();
        let mut denominator = Denominator::default();
        let mut rows = vec![Row::default(); FUNCTIONS];
        for is_after in [false, true] {
            let first = if is_after { self.hosts - self.hosts_on_both } else { 0 };
            for host in first..first + self.hosts {
                for _ in 0..self.runs_of_host {
                    let of_run = effect(&mut rng, self.run_cv);
                    let cost = |function: usize| {
                        let change = if is_after && function == 0 { self.change } else { 1.0 };
                        change * costs[function] * of_hosts[host as usize][function] * of_run[function]
                    };
                    let sum: f64 = (0..FUNCTIONS).map(cost).sum();
                    let in_block = self.samples / BLOCKS as f64;
                    let drawn: Vec<Vec<f64>> = (0..FUNCTIONS)
                        .map(|function| {
                            (0..BLOCKS).map(|_| rng.poisson(in_block * cost(function) / sum)).collect()
                        })
                        .collect();
                    let all: Vec<f64> =
                        (0..BLOCKS).map(|block| drawn.iter().map(|of| of[block]).sum()).collect();
                    let samples: f64 = all.iter().sum();
                    let run = RunBlocks { host: Some(host), ..RunBlocks::from_blocks(&all, samples as u64) };
                    if is_after {
                        denominator.after.push(run)
                    } else {
                        denominator.before.push(run)
                    }
                    for (row, drawn) in rows.iter_mut().zip(&drawn) {
                        let samples: f64 = drawn.iter().sum();
                        let run = RowRun::from_blocks(drawn, &all, samples as u64);
                        if is_after { row.after.push(run) } else { row.before.push(run) }
                    }
                }
            }
        }
        (denominator, rows)
    }
}
