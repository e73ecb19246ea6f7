//! Gates judged, by one rule for all commands: 0 all passed, 1 one failed, 3 one cannot be judged. Trouble is 2.

use anyhow::{Result, anyhow};
use pdiff::profile::Side;
use pdiff::render::{GateResult, GateStatus, SideFactWords};
use pdiff::{Comparison, Gate, Trip};

use crate::cli::{GateArgs, Inconclusive};
use crate::exit::Outcome;

/// Rows named of those that trip one gate; the others are counted.
const MOST_TRIPS: usize = 10;

/// The gates of a command, and how it ends where one cannot be judged.
pub(crate) struct Gates {
    gates: Vec<Gate>,
    inconclusive: Option<Inconclusive>,
}

impl Gates {
    /// Parses the gates.
    pub(crate) fn new(args: &GateArgs) -> Result<Self> {
        Ok(Self { gates: parse("--fail-on", &args.fail_on)?, inconclusive: args.inconclusive })
    }

    /// Judges all gates, prints the result of each on standard error, and returns how the command ends.
    pub(crate) fn judge(&self, comparison: &Comparison) -> Outcome {
        let results: Vec<GateResult> =
            self.gates.iter().map(|gate| judge(gate, comparison, Hidden::Inconclusive)).collect();
        results.iter().for_each(say);
        outcome(&results, self.inconclusive)
    }
}

/// Gates as an option gives them.
pub(crate) fn parse(option: &str, gates: &[String]) -> Result<Vec<Gate>> {
    let parse = |gate: &String| gate.parse().map_err(|error| anyhow!("{option} '{gate}': {error}"));
    gates.iter().map(parse).collect()
}

/// How a command ends whose gates found this.
pub(crate) fn outcome<'r>(
    results: impl IntoIterator<Item = &'r GateResult>,
    inconclusive: Option<Inconclusive>,
) -> Outcome {
    let statuses: Vec<GateStatus> = results.into_iter().map(|result| result.status).collect();
    if statuses.contains(&GateStatus::Failed) {
        return Outcome::GateTripped;
    }
    match (statuses.contains(&GateStatus::Inconclusive), inconclusive) {
        (false, _) | (true, Some(Inconclusive::Pass)) => Outcome::Ran,
        (true, Some(Inconclusive::Fail)) => Outcome::GateTripped,
        (true, None) => Outcome::Inconclusive,
    }
}

/// How a gate treats rows whose noise hides changes as large as the gate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// It cannot be judged.
    Inconclusive,
    /// It passes, and says so: noise was measured, and is not to stop anybody.
    Passes,
}

/// What one gate finds.
pub(crate) fn judge(gate: &Gate, comparison: &Comparison, hidden: Hidden) -> GateResult {
    let of = |status, why: Option<String>, trips: Vec<Trip>| GateResult {
        gate: gate.to_string(),
        is_warning: false,
        status,
        why,
        trips,
    };
    let inconclusive = |why: String| of(GateStatus::Inconclusive, Some(why), Vec::new());
    if !comparison.coverage.is_even() {
        let causes = Side::BOTH.into_iter().flat_map(|side| {
            comparison.coverage.causes(side).into_iter().map(move |cause| format!("{cause} ({side})"))
        });
        let causes = causes.collect::<Vec<_>>().join("; ");
        return inconclusive(format!("debug information differs between the sides: {causes}"));
    }
    // What is only partly known never trips a gate.
    if let Some(fact) = comparison.incomparable().or_else(|| comparison.cut_recordings()) {
        let SideFactWords { name, remark, .. } = SideFactWords::new(fact);
        return inconclusive(format!("{name}: {remark}"));
    }
    if gate.is_on_cost() && comparison.cost.as_ref().is_some_and(|cost| cost.lacks_cpu) {
        return inconclusive(
            "the samples do not hold all CPU of the operations; hint: --cpu-seconds-before and --cpu-seconds-after scale costs"
                .to_owned(),
        );
    }
    let found = gate.evaluate(comparison);
    if found.in_scope == 0 {
        let why = "nothing has that name here".to_owned();
        return of(GateStatus::MetNothing, Some(why), Vec::new());
    }
    if found.with_value == 0 {
        return match without_value(gate, comparison) {
            Ok(why) => of(GateStatus::Passed, Some(why), Vec::new()),
            Err(why) => inconclusive(why),
        };
    }
    match found.undecided.first() {
        _ if !found.tripped.is_empty() => of(GateStatus::Failed, None, found.tripped),
        Some(first) => {
            let why = undecided(gate, first, found.undecided.len());
            match hidden {
                Hidden::Inconclusive => inconclusive(why),
                Hidden::Passes => of(GateStatus::Passed, Some(why), Vec::new()),
            }
        }
        None => of(GateStatus::Passed, None, Vec::new()),
    }
}

/// Why a gate on something that no row has a value for passes, or else why it cannot be judged. Without a significant gap
/// there is none to have a share of.
fn without_value(gate: &Gate, comparison: &Comparison) -> Result<String, String> {
    let gap = comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref());
    match gap {
        Some(gap) if gate.is_on_gap_shares() => {
            Ok(format!("the gap of {:+.2} % is not significant, so no row has a share of it", gap.gap_pct))
        }
        None if gate.is_on_gap_shares() => {
            Err("the throughput is not known; hint: give --tps-before and --tps-after".to_owned())
        }
        _ if comparison.cost.is_some() => {
            Err("no row has that value; hint: changes of cost need several recordings of each build"
                .to_owned())
        }
        _ => Err("no row has that value; hint: some need operations, see --tps-before".to_owned()),
    }
}

fn undecided(gate: &Gate, first: &Trip, rows: usize) -> String {
    if gate.is_on_whole() {
        return format!(
            "noise hides a change of that size: one of {:.1} % would be detected; hint: give more recordings of each build",
            first.value
        );
    }
    format!(
        "noise hides changes of that size in {rows} row(s); {} would have to change by {:.2} points to be detected; hint: give more \
         recordings of each build",
        first.name, first.value
    )
}

/// Says on standard error what a gate found.
fn say(result: &GateResult) {
    let gate = &result.gate;
    let why = result.why.as_deref().unwrap_or_default();
    match result.status {
        GateStatus::Inconclusive => {
            crate::complain(&format!("pdiff: gate '{gate}' is inconclusive: {why}"));
        }
        GateStatus::MetNothing => {
            crate::complain(&format!("pdiff: warning: gate '{gate}' matched no row: {why}"));
        }
        GateStatus::Passed if !why.is_empty() => {
            crate::complain(&format!("pdiff: note: gate '{gate}' passes: {why}"));
        }
        GateStatus::Passed => {}
        GateStatus::Failed => say_tripped(result),
    }
}

fn say_tripped(result: &GateResult) {
    let gate = &result.gate;
    for trip in result.trips.iter().take(MOST_TRIPS) {
        let object = if trip.object.is_empty() { String::new() } else { format!(" ({})", trip.object) };
        crate::complain(&format!("pdiff: gate '{gate}' tripped by {}{object}: {:.4}", trip.name, trip.value));
    }
    if result.trips.len() > MOST_TRIPS {
        let more = result.trips.len() - MOST_TRIPS;
        crate::complain(&format!("pdiff: gate '{gate}' tripped by {more} more rows"));
    }
}
