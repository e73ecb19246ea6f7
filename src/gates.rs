//! Gates judged, by one rule for all commands: 0 all passed, 1 one failed, 3 one cannot be judged. Trouble is 2.

use anyhow::{Result, anyhow};
use pdiff::profile::Side;
use pdiff::{Comparison, Gate, GateOutcome, Trip};

use crate::cli::{GateArgs, Inconclusive};
use crate::exit::Outcome;

/// Rows named of those that trip one gate; the others are counted.
const MOST_TRIPS: usize = 10;

/// The gates of a command, and how it ends where one cannot be judged.
pub(crate) struct Gates {
    gates: Vec<Gate>,
    inconclusive: Option<Inconclusive>,
}

/// The outcome of one gate.
enum Judged {
    Passed,
    Failed,
    Inconclusive(String),
}

impl Gates {
    /// Parses the gates.
    pub(crate) fn new(args: &GateArgs) -> Result<Self> {
        let parse = |gate: &String| gate.parse().map_err(|error| anyhow!("--fail-on '{gate}': {error}"));
        let gates = args.fail_on.iter().map(parse).collect::<Result<_>>()?;
        Ok(Self { gates, inconclusive: args.inconclusive })
    }

    /// Judges all gates, says on standard error what each found, and how the command ends.
    pub(crate) fn judge(&self, comparison: &Comparison) -> Outcome {
        let judged: Vec<Judged> = self.gates.iter().map(|gate| judge(gate, comparison)).collect();
        for (gate, judged) in self.gates.iter().zip(&judged) {
            if let Judged::Inconclusive(why) = judged {
                crate::complain(&format!("pdiff: gate '{gate}' is inconclusive: {why}"));
            }
        }
        if judged.iter().any(|judged| matches!(judged, Judged::Failed)) {
            return Outcome::GateTripped;
        }
        match (judged.iter().any(|judged| matches!(judged, Judged::Inconclusive(_))), self.inconclusive) {
            (false, _) | (true, Some(Inconclusive::Pass)) => Outcome::Ran,
            (true, Some(Inconclusive::Fail)) => Outcome::GateTripped,
            (true, None) => Outcome::Inconclusive,
        }
    }
}

fn judge(gate: &Gate, comparison: &Comparison) -> Judged {
    if !comparison.coverage.is_even() {
        let causes = Side::BOTH.into_iter().flat_map(|side| {
            comparison.coverage.causes(side).into_iter().map(move |cause| format!("{cause} ({side})"))
        });
        let causes = causes.collect::<Vec<_>>().join("; ");
        return Judged::Inconclusive(format!("debug information differs between the sides: {causes}"));
    }
    if let Some(fact) = comparison.incomparable() {
        return Judged::Inconclusive(format!("{}: {}", fact.name, fact.remark));
    }
    let outcome = gate.evaluate(comparison);
    if outcome.in_scope == 0 {
        crate::complain(&format!("pdiff: warning: gate '{gate}' met no row: nothing has that name here"));
        return Judged::Passed;
    }
    if outcome.with_value == 0 {
        return without_value(gate, comparison);
    }
    say_tripped(gate, &outcome);
    match outcome.undecided.first() {
        _ if !outcome.tripped.is_empty() => Judged::Failed,
        Some(first) => Judged::Inconclusive(undecided(first, outcome.undecided.len())),
        None => Judged::Passed,
    }
}

/// A gate on something that no row has a value for. Without a significant gap there is none to have a share of.
fn without_value(gate: &Gate, comparison: &Comparison) -> Judged {
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    match gap {
        Some(gap) if gate.is_on_gap_shares() => {
            crate::complain(&format!(
                "pdiff: note: gate '{gate}' passes: the gap of {:+.2} % is not significant, so no row has a share of it",
                gap.gap_pct
            ));
            Judged::Passed
        }
        None if gate.is_on_gap_shares() => Judged::Inconclusive(
            "the throughput is not known; hint: give --tps-before and --tps-after".to_owned(),
        ),
        _ => Judged::Inconclusive(
            "no row has that value; hint: some need operations, see --tps-before".to_owned(),
        ),
    }
}

fn undecided(first: &Trip, rows: usize) -> String {
    format!(
        "noise hides changes of that size in {rows} row(s); {} would have to change by {:.2} points to be found; hint: give more \
         recordings of each build",
        first.name, first.value
    )
}

fn say_tripped(gate: &Gate, outcome: &GateOutcome) {
    for trip in outcome.tripped.iter().take(MOST_TRIPS) {
        let object = if trip.object.is_empty() { String::new() } else { format!(" ({})", trip.object) };
        crate::complain(&format!("pdiff: gate '{gate}' tripped by {}{object}: {:.4}", trip.name, trip.value));
    }
    if outcome.tripped.len() > MOST_TRIPS {
        let more = outcome.tripped.len() - MOST_TRIPS;
        crate::complain(&format!("pdiff: gate '{gate}' tripped by {more} more rows"));
    }
}
