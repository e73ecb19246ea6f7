//! How often pdiff is right in simulated worlds whose truth is known: one line a world, design and change.
//!
//! ```text
//! cargo run --release -p pdiff-analysis --example worlds -- [--worlds 300] [--seed 1] [--only TEXT] [--pdiff PROGRAM]
//! ```
//!
//! Without `--pdiff` recordings are compared in process; with it they are written as text of `perf script`, and the program
//! is run on them from the command line. A rate of p in n worlds has a standard error of sqrt(p (1 - p) / n).

#[path = "../../tests/support/random.rs"]
mod random;
#[path = "../../tests/support/world.rs"]
mod world;

mod cells;
mod command_line;
mod in_process;
mod score;

use std::io::Write as _;
use std::process::ExitCode;

use cells::CELLS;
use score::Score;

/// What was asked for.
struct Arguments {
    worlds: u64,
    seed: u64,
    only: String,
    pdiff: Option<String>,
}

fn main() -> ExitCode {
    let Err(error) = arguments().and_then(|arguments| run(&arguments)) else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "worlds: {error}");
    ExitCode::from(2)
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments { worlds: 100, seed: 1, only: String::new(), pdiff: None };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "--worlds" => read.worlds = number()?,
            "--seed" => read.seed = number()?,
            "--only" => read.only = value,
            "--pdiff" => read.pdiff = Some(value),
            _ => return Err(format!("{name}: options are --worlds, --seed, --only and --pdiff")),
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
        let line = format!("| {} | {} | {before} + {after} |", cell.name, cell.change.name());
        if !line.contains(&arguments.only) {
            continue;
        }
        let mut score = Score::default();
        for world in 0..arguments.worlds {
            let recorded = cell.record(arguments.seed * 1_000_003 + world);
            let seen = match &arguments.pdiff {
                Some(program) => command_line::compare(program, &recorded)?,
                None => in_process::compare(&recorded),
            };
            score.add(&recorded.truth, &seen);
        }
        say(&format!("{line} {} |", score.columns().join(" | ")))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}
