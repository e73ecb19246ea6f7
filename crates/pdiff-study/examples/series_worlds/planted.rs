//! Series in which functions change in one build: how often that is found, and how often intervals of what arrived hold the truth.

use pdiff_study::series::Arrived;

use crate::record::{Found, Recorded};
use crate::steps::{DIFFERING, varying};
use crate::world::{Change, Nature, World, function_name};
use crate::{Arguments, Part, say};

struct Cell {
    name: &'static str,
    builds: usize,
    runs: usize,
    change: Change,
    nature: Nature,
}

const CELLS: &[Cell] = &[
    cell("CV 8 %", varying(0.08), Change::Twenty, 5, 3),
    cell("CV differs", DIFFERING, Change::Twenty, 5, 3),
    cell("CV 5 %", varying(0.05), Change::OneHeavy, 30, 3),
    cell("CV 5 %", varying(0.05), Change::OneHeavy, 30, 1),
    cell("CV 8 %", varying(0.08), Change::Twenty, 30, 3),
];

const fn cell(name: &'static str, nature: Nature, change: Change, builds: usize, runs: usize) -> Cell {
    Cell { name, builds, runs, change, nature }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), String> {
    say(
        "| change | noise | builds | runs | arrivals shown | in the right build % | what they brought held % | change points shown | in the right build % | within one % | any of an unchanged function % |",
    )?;
    say("|---|---|---|---|---|---|---|---|---|---|---|")?;
    for cell in CELLS {
        let change = if cell.change == Change::Twenty { "20 functions" } else { "30 % costs 20 % more" };
        let line = format!("| {change} | {} | {} | {} |", cell.name, cell.builds, cell.runs);
        if !line.contains(&arguments.only) {
            continue;
        }
        let mut score = Score::default();
        for series in 0..arguments.series {
            score.add(cell, arguments.seed * 1_000_003 + series);
        }
        say(&format!("{line} {} |", score.columns().join(" | ")))?;
    }
    Ok(())
}

#[derive(Default)]
struct Score {
    arrived: Part,
    brought: Part,
    exact: Part,
    near: Part,
    any_false: Part,
}

impl Score {
    fn add(&mut self, cell: &Cell, seed: u64) {
        let mut world = World::new(seed, cell.nature, cell.change);
        let (before, after) = (world.before.clone(), world.after.clone());
        let planted = cell.builds / 2;
        let build = |at: usize| {
            let costs = if at < planted { &before } else { &after };
            Recorded::new(&mut world, costs, cell.runs)
        };
        let found = Found::new(&(0..cell.builds).map(build).collect::<Vec<_>>());
        let mut any_false = false;
        for row in &found.functions {
            let is_it = |function: &usize| function_name(*function) == row.name;
            let Some(function) = (0..before.len()).find(is_it) else { continue };
            let truth = after[function] - before[function];
            if let Some(brought) = row.brought {
                self.arrived.add(truth != 0.0 && row.arrived == Arrived::In(planted));
                // What arrived in another build than the planted one brought nothing.
                let truth = if row.arrived == Arrived::In(planted) { truth } else { 0.0 };
                if let Some(half) = brought.half {
                    self.brought.add((brought.growth - truth).abs() <= half);
                }
            }
            any_false |= truth == 0.0 && !row.change_points.is_empty();
            for change in row.change_points.iter().filter(|_| truth != 0.0) {
                self.exact.add(change.at == planted);
                self.near.add(change.at.abs_diff(planted) <= 1);
            }
        }
        self.any_false.add(any_false);
    }

    fn columns(&self) -> [String; 7] {
        let shown = |part: &Part| format!("{:.1}", part.of / self.any_false.of);
        [
            shown(&self.arrived),
            self.arrived.percent(),
            self.brought.percent(),
            shown(&self.exact),
            self.exact.percent(),
            self.near.percent(),
            self.any_false.percent(),
        ]
    }
}
