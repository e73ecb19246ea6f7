//! Ends with status 1 if a function became slower than a gate allows: for a job that must not let it pass.
//!
//! ```text
//! cargo run --example gate_ci_job -- main.perf main/server branch.perf branch/server 'delta_self_pp > 0.5'
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;
use std::process::ExitCode;

use pdiff::{Build, By, Comparer, Gate, GateOutcome};

fn judge(before: Build, after: Build, gate: &str) -> Result<GateOutcome, Box<dyn Error>> {
    let gate: Gate = gate.parse()?;
    let outcome =
        gate.evaluate(&Comparer::new().before(before).after(after).prepare()?.compare(By::Function));
    // What is not known trips no gate, and must not pass for a good result.
    match outcome.in_scope > 0 && outcome.with_value == 0 {
        true => Err("nothing has the value that the gate asks for".into()),
        false => Ok(outcome),
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, old, after, new, gate] = arguments.as_slice() else {
        eprintln!("give a recording and a binary of two builds, and a gate");
        return ExitCode::from(2);
    };
    let (before, after) = (Build::recordings([before]).binary(old), Build::recordings([after]).binary(new));
    match judge(before, after, gate) {
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
        Ok(outcome) => {
            outcome.tripped.iter().for_each(|trip| println!("{} {}: {gate}", trip.name, trip.object));
            ExitCode::from(u8::from(!outcome.tripped.is_empty()))
        }
    }
}
