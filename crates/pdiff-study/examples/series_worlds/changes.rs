//! Change points of the cost of an operation: how often the right build is found, and how often one where nothing changed.
//!
//! A build's cost is the mean of its runs, whose logarithms vary by the coefficient of variation (CV) given.

use pdiff_study::series::{COST_CHANGE_POINT_RATE, ChangePoint, change_points};

use crate::random::Rng;
use crate::{Arguments, Part, say};

/// Series of costs are cheap: this many for each one asked for.
const SERIES: u64 = 10;

/// The planted change has this many builds at least on both sides.
const LEAST_ASIDE: usize = 4;

struct Cell {
    builds: usize,
    runs: usize,
    cv: f64,
    noise: Noise,
    /// By how much the cost grows; 0 where nothing changes.
    growth_pct: f64,
}

#[derive(Clone, Copy)]
enum Noise {
    Normal,
    /// Student's t with three degrees of freedom.
    HeavyTails,
    /// Every second build has a third of the runs.
    RunsDiffer,
}

use Noise::{HeavyTails, Normal, RunsDiffer};

const fn cell(builds: usize, runs: usize, cv: f64, noise: Noise, growth_pct: f64) -> Cell {
    Cell { builds, runs, cv, noise, growth_pct }
}

const CELLS: &[Cell] = &[
    cell(10, 3, 0.05, Normal, 0.0),
    cell(30, 1, 0.05, Normal, 0.0),
    cell(30, 3, 0.05, Normal, 0.0),
    cell(100, 3, 0.05, Normal, 0.0),
    cell(30, 3, 0.05, HeavyTails, 0.0),
    cell(30, 3, 0.05, RunsDiffer, 0.0),
    cell(30, 3, 0.05, Normal, 5.0),
    cell(30, 3, 0.05, Normal, 10.0),
    cell(30, 3, 0.05, Normal, 12.0),
    cell(30, 3, 0.05, Normal, 14.0),
    cell(30, 3, 0.05, HeavyTails, 10.0),
    cell(30, 1, 0.05, Normal, 10.0),
    cell(30, 1, 0.05, Normal, 20.0),
    cell(30, 1, 0.05, Normal, 25.0),
    cell(10, 3, 0.05, Normal, 10.0),
    cell(10, 3, 0.05, Normal, 14.0),
];

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    say(
        "| cost grows by | builds | runs | noise | exactly there % | within one build % | best that can be % | its interval holds % | size held % | any other % |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|")?;
    for cell in CELLS {
        let noise = match cell.noise {
            Normal => "CV 5 %",
            HeavyTails => "CV 5 %, heavy tails",
            RunsDiffer => "CV 5 %, runs differ",
        };
        let line = format!("| {} % | {} | {} | {noise} |", cell.growth_pct, cell.builds, cell.runs);
        if !line.contains(&arguments.only) {
            continue;
        }
        let mut score = Score::default();
        for series in 0..arguments.series * SERIES {
            score.add(cell, &mut Rng::new(arguments.seed * 1_000_003 + series));
        }
        say(&format!("{line} {} |", score.columns().join(" | ")))?;
    }
    Ok(())
}

#[derive(Default)]
struct Score {
    exact: Part,
    near: Part,
    best: Part,
    place: Part,
    size: Part,
    any_false: Part,
}

impl Score {
    fn add(&mut self, cell: &Cell, rng: &mut Rng) {
        let span = cell.builds + 1 - 2 * LEAST_ASIDE;
        let planted = LEAST_ASIDE + (rng.uniform() * span as f64) as usize;
        let growth = (cell.growth_pct / 100.0).ln_1p();
        let level = |build: usize| if build >= planted { growth } else { 0.0 };
        let logs: Vec<f64> = (0..cell.builds).map(|build| level(build) + cell.noise(build, rng)).collect();
        let costs: Vec<f64> = logs.iter().map(|log| 1e5 * log.exp()).collect();
        let found = change_points(&[&costs], COST_CHANGE_POINT_RATE).pop().unwrap_or_default();
        if cell.growth_pct == 0.0 {
            self.any_false.add(!found.is_empty());
            return;
        }
        let nearest = found.iter().min_by_key(|change| change.at.abs_diff(planted));
        let is_near = |change: &&ChangePoint| change.at.abs_diff(planted) <= 1;
        self.exact.add(nearest.is_some_and(|change| change.at == planted));
        self.near.add(nearest.as_ref().is_some_and(is_near));
        self.best.add(likeliest(&logs, growth) == planted);
        self.any_false.add(found.iter().any(|change| !is_near(&change)) || found.len() > 1);
        if let Some(change) = nearest {
            self.place.add(change.interval.0 <= planted && planted <= change.interval.1);
            let (_, [low, high]) = change.change_pct.unwrap_or_default();
            self.size.add(low <= cell.growth_pct && cell.growth_pct <= high);
        }
    }

    fn columns(&self) -> [String; 6] {
        [&self.exact, &self.near, &self.best, &self.place, &self.size, &self.any_false].map(Part::percent)
    }
}

impl Cell {
    fn noise(&self, build: usize, rng: &mut Rng) -> f64 {
        let runs = match self.noise {
            RunsDiffer if build % 2 == 1 => self.runs / 3,
            _ => self.runs,
        };
        let one = |rng: &mut Rng| match self.noise {
            HeavyTails => rng.student_3(),
            Normal | RunsDiffer => rng.normal(),
        };
        (0..runs).map(|_| self.cv * one(rng)).sum::<f64>() / runs as f64
    }
}

/// Where the change most likely is, for someone who knows that there is one, its size and both levels: no method finds the
/// right build more often in normal noise.
fn likeliest(logs: &[f64], growth: f64) -> usize {
    // The sum over builds before the change of how much less likely the higher level is.
    let evidence = logs.iter().scan(0.0, |sum, log| {
        *sum += growth / 2.0 - log;
        Some(*sum)
    });
    let places = (1..).zip(evidence).skip(LEAST_ASIDE - 1).take(logs.len() + 1 - 2 * LEAST_ASIDE);
    places.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
}
