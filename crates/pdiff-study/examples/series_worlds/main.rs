//! How often `pdiff series` is right in simulated series of builds whose truth is known: one line a kind of series.
//!
//! ```text
//! cargo run --release -p pdiff-study --example series_worlds -- [--series 300] [--seed 1] [--only TEXT]
//! ```
//!
//! Builds are recorded on machines that are noisy in the ways of `pdiff-analysis`'s own worlds, and compared by the library.
//! A rate of p in n series has a standard error of sqrt(p (1 - p) / n).

#[path = "../../../pdiff-analysis/tests/support/random.rs"]
mod random;
#[expect(dead_code, reason = "the worlds of comparisons change in more ways than a series does")]
#[path = "../../../pdiff-analysis/tests/support/world.rs"]
mod world;

mod changes;
mod planted;
mod record;
mod steps;

use std::io::Write as _;
use std::process::ExitCode;

/// What was asked for.
struct Arguments {
    series: u64,
    seed: u64,
    only: String,
}

fn main() -> ExitCode {
    let Err(error) = arguments().and_then(|arguments| run(&arguments)) else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "series_worlds: {error}");
    ExitCode::from(2)
}

fn arguments() -> Result<Arguments, String> {
    let mut read = Arguments { series: 100, seed: 1, only: String::new() };
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let value = given.next().ok_or_else(|| format!("{name} needs a value"))?;
        let number = || value.parse().map_err(|_| format!("{name} {value}: not a number"));
        match name.as_str() {
            "--series" => read.series = number()?,
            "--seed" => read.seed = number()?,
            "--only" => read.only = value,
            _ => return Err(format!("{name}: options are --series, --seed and --only")),
        }
    }
    Ok(read)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    say(&format!("{} series a line, seed {}", arguments.series, arguments.seed))?;
    changes::run(arguments)?;
    planted::run(arguments)?;
    steps::run(arguments)
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}

/// A part of a whole.
#[derive(Default)]
struct Part {
    hits: f64,
    of: f64,
}

impl Part {
    fn add(&mut self, hit: bool) {
        self.hits += f64::from(u8::from(hit));
        self.of += 1.0;
    }

    /// In percent, with its standard error.
    fn percent(&self) -> String {
        if self.of == 0.0 {
            return "-".to_owned();
        }
        let part = self.hits / self.of;
        format!("{:.1} ± {:.1}", 100.0 * part, 100.0 * (part * (1.0 - part) / self.of).sqrt())
    }
}
