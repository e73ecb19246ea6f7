//! Rates of false and true findings in simulated runs of rows, and how often a planted change is found.
//!
//! ```text
//! cargo run --release -p pdiff-analysis --example simulated_runs -- [WORLDS]
//! ```
//!
//! 200 rows with log-normal shares, a variation between runs that differs by row (a third), bursts of 10 %, Poisson counts in 15
//! blocks, 20 thousand samples a run. "Changed" are 20 rows, in pairs of which one gains what the other loses, so that the rest keeps
//! its share. A mean of n rates has a standard error of at most sqrt(0.25 / n).

#[path = "../tests/support/random.rs"]
#[allow(dead_code, reason = "each program takes what it needs of it")]
mod random;

use std::io::Write as _;
use std::process::ExitCode;

use pdiff_analysis::noise::{Denominator, Judgement, NoiseSettings, Row, RowRun, RunBlocks, judge};
use random::Rng;

const ROWS: usize = 200;
const BLOCKS: usize = 15;
const SAMPLES: f64 = 20_000.0;
const DESIGNS: [[usize; 2]; 4] = [[3, 3], [2, 2], [2, 1], [1, 1]];

/// Variation between runs.
const CVS: [f64; 4] = [0.02, 0.05, 0.08, 0.12];

/// Shares of the rows in which a change is planted, and the sizes of the changes over the printed detectable effect.
const PLANTED_SHARES: [f64; 3] = [0.002, 0.01, 0.05];
const PLANTED_SIZES: [f64; 2] = [1.3, 0.5];
const PLANTED_CV: f64 = 0.05;

fn main() -> ExitCode {
    let worlds = std::env::args().nth(1).map_or(Ok(100), |worlds| worlds.parse());
    let told = worlds.map_err(|error| format!("WORLDS: {error}")).and_then(tables);
    let Err(error) = told else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "simulated_runs: {error}");
    ExitCode::from(2)
}

fn tables(worlds: u64) -> Result<(), String> {
    say(&format!("{worlds} comparisons a cell"))?;
    say(
        "| runs | CV | any false, nothing changed | false part, 20 changed | found of 20 |\n|---|---|---|---|---|",
    )?;
    for runs in DESIGNS {
        for cv in CVS {
            let (unchanged, changed) = (rates(cv, runs, false, worlds), rates(cv, runs, true, worlds));
            say(&format!(
                "| {} + {} | {:.0} % | {:.1} % | {:.1} % | {:.1} |",
                runs[0],
                runs[1],
                100.0 * cv,
                100.0 * unchanged.0,
                100.0 * changed.0,
                changed.1
            ))?;
        }
    }
    say("| runs | share | planted | found | nominal power |\n|---|---|---|---|---|")?;
    for runs in DESIGNS {
        for share in PLANTED_SHARES {
            for size in PLANTED_SIZES {
                let (found, nominal) = planted(share, size, runs, worlds);
                say(&format!(
                    "| {} + {} | {} % | {size} | {:.0} % | {:.0} % |",
                    runs[0],
                    runs[1],
                    100.0 * share,
                    100.0 * found,
                    100.0 * nominal
                ))?;
            }
        }
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}

/// Mean false part of the rows found, and the mean number of true ones.
fn rates(cv: f64, runs: [usize; 2], is_changed: bool, worlds: u64) -> (f64, f64) {
    let (mut false_part, mut found) = (0.0, 0.0);
    for seed in 0..worlds {
        let mut world = World::new(1000 + seed, cv);
        let after = if is_changed { swap_some(&world.shares) } else { world.shares.clone() };
        let judgement = world.compare(&after, runs);
        let hits = || (0..ROWS).filter(|row| judgement.rows[*row].significant);
        let wrong = hits().filter(|row| after[*row] == world.shares[*row]).count() as f64;
        false_part += wrong / hits().count().max(1) as f64;
        found += hits().count() as f64 - wrong;
    }
    (false_part / worlds as f64, found / worlds as f64)
}

/// How often a growth of `size` times the effect that another comparison of the same world printed is found, and how often it
/// should be.
fn planted(share: f64, size: f64, runs: [usize; 2], worlds: u64) -> (f64, f64) {
    let (mut found, mut nominal, mut tried) = (0.0, 0.0, 0.0);
    for seed in 0..worlds {
        let mut world = World::new(5000 + seed, PLANTED_CV);
        // The row is as heavy as asked for.
        world.shares[0] = share;
        let mut after = world.shares.clone();
        let unchanged = world.compare(&after, runs);
        let Some(effect_pp) = unchanged.detectable_pp(0) else { continue };
        nominal += unchanged.sensitivities[0].power(100.0 * share, size * effect_pp);
        after[0] += size * effect_pp / 100.0;
        found += f64::from(u8::from(world.compare(&after, runs).rows[0].significant));
        tried += 1.0;
    }
    (found / tried, nominal / tried)
}

struct World {
    rng: Rng,
    shares: Vec<f64>,
    cvs: Vec<f64>,
}

impl World {
    fn new(seed: u64, cv: f64) -> Self {
        let mut rng = Rng::new(seed);
        let raw: Vec<f64> = (0..ROWS).map(|_| (1.5 * rng.normal()).exp()).collect();
        let sum: f64 = raw.iter().sum();
        let cvs = (0..ROWS).map(|_| cv * rng.log_normal(0.3)).collect();
        Self { shares: raw.iter().map(|share| share / sum).collect(), cvs, rng }
    }

    fn compare(&mut self, after: &[f64], [runs_before, runs_after]: [usize; 2]) -> Judgement {
        let before = self.shares.clone();
        let mut denominator = Denominator::default();
        let mut rows = vec![Row::default(); ROWS];
        for _ in 0..runs_before {
            denominator.before.push(self.record(&before, rows.iter_mut().map(|row| &mut row.before)));
        }
        for _ in 0..runs_after {
            denominator.after.push(self.record(after, rows.iter_mut().map(|row| &mut row.after)));
        }
        judge(&[denominator], &rows, &NoiseSettings::default())
    }

    fn record<'a>(&mut self, shares: &[f64], rows: impl Iterator<Item = &'a mut Vec<RowRun>>) -> RunBlocks {
        let mut weights = Vec::with_capacity(ROWS);
        for (share, cv) in shares.iter().zip(&self.cvs) {
            let mean = share * self.rng.log_normal(*cv) * SAMPLES / BLOCKS as f64;
            let block = |rng: &mut Rng| {
                let burst = rng.log_normal(0.1);
                rng.poisson(mean * burst)
            };
            weights.push((0..BLOCKS).map(|_| block(&mut self.rng)).collect::<Vec<f64>>());
        }
        let all: Vec<f64> = (0..BLOCKS).map(|block| weights.iter().map(|row| row[block]).sum()).collect();
        for (runs, w) in rows.zip(&weights) {
            runs.push(RowRun::from_blocks(w, &all, w.iter().sum::<f64>() as u64));
        }
        RunBlocks::from_blocks(&all, all.iter().sum::<f64>() as u64)
    }
}

/// Every tenth pair of neighbours in size: one gains 60 % of the lighter one's share, which the other loses.
fn swap_some(shares: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..ROWS).collect();
    order.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    let mut after = shares.to_vec();
    for pair in order.chunks_exact(2).step_by(ROWS / 20) {
        let moved = 0.6 * shares[pair[0]];
        after[pair[0]] -= moved;
        after[pair[1]] += moved;
    }
    after
}
