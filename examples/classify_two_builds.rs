//! Two recordings and their binaries to causes: why each function costs more.
//!
//! ```text
//! cargo run --example classify_two_builds -- before.perf before/server after.perf after/server
//! ```

#![expect(clippy::print_stdout, reason = "an example prints")]

use pdiff::classify::Cause;
use pdiff::{Build, Comparer, render::reason_text};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, old, after, new] = arguments.as_slice() else { return Err("give four files".into()) };
    let (before, after) = (Build::recordings([before]).binary(old), Build::recordings([after]).binary(new));
    let prepared = Comparer::new().before(before).after(after).prepare()?;
    let verdicts = prepared.verdicts()?;
    for verdict in verdicts.classify().verdicts.iter().filter(|verdict| verdict.cause != Cause::Noise) {
        let reason = reason_text(&verdict.reason);
        println!("{} ({}): {}: {reason}", verdict.cause, verdict.confidence, verdict.function);
    }
    Ok(())
}
