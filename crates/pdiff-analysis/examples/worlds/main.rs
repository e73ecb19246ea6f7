//! How often pdiff is right in simulated worlds whose truth is known: one line a world, design and change.
//!
//! ```text
//! cargo run --release -p pdiff-analysis --example worlds -- [--worlds 300] [--seed 1] [--only TEXT] [--how WAY]
//! ```
//!
//! Recordings are compared by the library. With `--how shares` only their shares are, which takes a fraction of the time. With
//! `--how PROGRAM` they are written as text of `perf script`, and the program is run on them from the command line. Worlds are compared at the same time, as RAYON_NUM_THREADS says. A rate of p in n worlds has a standard error of sqrt(p (1 - p) / n).

#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/support/world.rs"]
mod world;

mod cells;
mod command_line;
mod in_process;
mod score;
mod shares;
mod truth;

use std::io::Write as _;
use std::process::ExitCode;

use cells::{CELLS, Cell};
use pdiff_analysis::CompareSettings;
use rayon::prelude::*;
use score::{Score, Seen};
use truth::Truth;

/// What was asked for.
struct Arguments {
    worlds: u64,
    seed: u64,
    only: String,
    how: How,
}

/// By what worlds are compared.
enum How {
    Library,
    Shares,
    Program(String),
}

fn main() -> ExitCode {
    let Err(error) = arguments().and_then(|arguments| run(&arguments)) else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "worlds: {error}");
    ExitCode::from(2)
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments { worlds: 100, seed: 1, only: String::new(), how: How::Library };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "--worlds" => read.worlds = number()?,
            "--seed" => read.seed = number()?,
            "--only" => read.only = value,
            "--how" if value == "shares" => read.how = How::Shares,
            "--how" => read.how = How::Program(value),
            _ => return Err(format!("{name}: options are --worlds, --seed, --only and --how")),
        }
    }
    Ok(read)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    say(&format!("{} worlds a line, seed {}", arguments.worlds, arguments.seed))?;
    say(&format!("| world | change | runs | {} |", Score::HEADINGS.join(" | ")))?;
    say(&format!("|---|---|---|{}", "---|".repeat(Score::HEADINGS.len())))?;
    for cell in CELLS {
        let [before, after] = cell.runs;
        let (world, look) = (cell.name, cell.look.name());
        let line = format!("| {world}{look} | {} | {before} + {after} |", cell.change.name());
        if !line.contains(&arguments.only) {
            continue;
        }
        let settings = in_process::settings(cell.look);
        let worlds = (0..arguments.worlds).into_par_iter();
        let worlds = worlds.map(|world| compare(cell, world, arguments, &settings));
        let mut score = Score::default();
        for (truth, seen) in worlds.collect::<Result<Vec<_>, String>>()? {
            score.add(&truth, &seen);
        }
        say(&format!("{line} {} |", score.columns().join(" | ")))?;
    }
    Ok(())
}

fn compare(
    cell: &Cell,
    world: u64,
    arguments: &Arguments,
    settings: &CompareSettings,
) -> Result<(Truth, Seen), String> {
    let recorded = cell.record(arguments.seed * 1_000_003 + world);
    let seen = match &arguments.how {
        How::Program(program) => command_line::compare(program, &recorded, cell.look, world)?,
        How::Shares => shares::compare(&recorded, cell.look),
        How::Library => in_process::compare(&recorded, cell.look, settings),
    };
    Ok((recorded.truth, seen))
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}
