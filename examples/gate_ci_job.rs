//! Ends with status 1 if a function became slower than a gate allows: for a job that must not let it pass.
//!
//! ```text
//! cargo run --example gate_ci_job -- main.perf branch.perf 'delta_self_pp > 0.5'
//! ```

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;
use std::process::ExitCode;

use pdiff::{
    CompareSettings, Gate, GateOutcome, ReadOptions, RunInput, SideInput, Sides, Source, choose_events,
    compare, read_profile,
};

fn judge(before: &str, after: &str, gate: &str) -> Result<GateOutcome, Box<dyn Error>> {
    let gate: Gate = gate.parse()?;
    let read = |path: &str| read_profile(&Source::Path(path.into()), &ReadOptions::new());
    let profiles = [(before.to_owned(), &read(before)?), (after.to_owned(), &read(after)?)];
    let events = choose_events(&profiles, None)?;
    let side = |at: usize| {
        let (path, profile) = &profiles[at];
        SideInput::new(path, vec![RunInput::new(path, profile, events[at])])
    };
    let sides = Sides { before: side(0), after: side(1) };
    Ok(gate.evaluate(&compare(&sides, &CompareSettings::default())))
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, after, gate] = arguments.as_slice() else {
        eprintln!("give two recordings and a gate");
        return ExitCode::from(2);
    };
    match judge(before, after, gate) {
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
        // What is not known trips no gate, and must not pass for a good result.
        Ok(outcome) if outcome.in_scope > 0 && outcome.with_value == 0 => {
            eprintln!("nothing has the value that the gate asks for");
            ExitCode::from(2)
        }
        Ok(outcome) => {
            outcome.tripped.iter().for_each(|trip| println!("{} {}: {gate}", trip.name, trip.object));
            ExitCode::from(u8::from(!outcome.tripped.is_empty()))
        }
    }
}
