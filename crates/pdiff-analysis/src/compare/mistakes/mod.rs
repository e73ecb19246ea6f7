//! Mistakes of those who compare: two programs, another workload, sides swapped, one recording twice, two builds as replicates of one, chains
//! unwound in two ways. Each is a fact that is said before anything else.

mod other_program;
mod program;
mod unwinding;
mod workload;

use pdiff_profile::Side;

use super::comparison::{Fact, Severity};
use super::input::{SideInput, Sides};
use super::prepare::Prepared;
use crate::knowledge::Requests;

pub use program::{PROGRAM, is_other_version};
pub(super) use unwinding::{Unwinding, unwinding};

/// The mistakes found, and always the fact about the program of each side, if there is one.
pub(super) fn mistakes(sides: &Sides<'_>, prepared: &Prepared<'_>, requests: &Requests) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(other_program::other_program(sides, prepared));
    facts.extend(workload::workload(sides, prepared, requests));
    facts.extend(replicates(sides, prepared));
    facts.extend(same_recording(sides));
    facts.extend(program::program(sides));
    facts
}

fn fact(name: &'static str, [before, after]: [String; 2], severity: Severity, remark: String) -> Fact {
    Fact { name, before, after, severity, remark }
}

/// A recording that is on both sides differs from itself in nothing.
fn same_recording(sides: &Sides<'_>) -> Option<Fact> {
    let (before, after) = sides.before.runs.iter().find_map(|before| {
        let same = sides.after.runs.iter().find(|after| {
            std::ptr::eq(before.profile, after.profile)
                || (before.profile.events == after.profile.events && before.profile == after.profile)
        });
        same.filter(|_| !before.profile.cells.is_empty()).map(|after| (before, after))
    })?;
    let remark = "the same recording is on both sides, so nothing can differ; check the file names";
    let paths = [before.path.clone(), after.path.clone()];
    Some(fact("recordings", paths, Severity::Suspect, remark.to_owned()))
}

/// Weight in functions that no other run of the side has, above which a run is of another build, in percent. Replicates of one
/// build have up to 5 %: rare functions.
const OWN_FUNCTIONS_PCT: f64 = 15.0;

/// Samples below which most functions of a run are rare.
const LEAST_SAMPLES: u64 = 2000;

/// Runs of one side that are of two builds: by version or build-id of the program, else by the functions that they have.
fn replicates(sides: &Sides<'_>, prepared: &Prepared<'_>) -> Option<Fact> {
    let of = |side: Side| {
        let input = sides.get(side);
        program::builds(input).or_else(|| own_functions(input, side, prepared))
    };
    let [before, after] = Side::BOTH.map(of);
    if before.is_none() && after.is_none() {
        return None;
    }
    let remark = "replicates must be runs of one build: their differences are treated as noise";
    let text = |builds: Option<String>| builds.unwrap_or_else(|| "one build".to_owned());
    Some(fact("replicates", [text(before), text(after)], Severity::Incomparable, remark.to_owned()))
}

/// The run with the most weight in functions that no other run of its side has, if that is more than replicates have.
fn own_functions(input: &SideInput<'_>, side: Side, prepared: &Prepared<'_>) -> Option<String> {
    let runs: Vec<_> = prepared.runs.iter().filter(|run| run.side == side).collect();
    let is_small = |run: &&super::prepare::PreparedRun<'_>| {
        run.cells.iter().map(|cell| u64::from(cell.samples)).sum::<u64>() < LEAST_SAMPLES
    };
    if runs.len() < 2 || runs.iter().any(is_small) {
        return None;
    }
    let of_runs: Vec<_> = runs.iter().map(|run| run.leaf_functions()).collect();
    let own = of_runs.iter().enumerate().map(|(at, mine)| {
        let others = || of_runs.iter().enumerate().filter(|(other, _)| *other != at);
        let is_own = |key| others().all(|(_, functions)| !functions.contains_key(key));
        let own: f64 = mine.iter().filter(|(key, _)| is_own(key)).map(|(_, weight)| *weight as f64).sum();
        let all: f64 = mine.values().map(|weight| *weight as f64).sum();
        if all > 0.0 { 100.0 * own / all } else { 0.0 }
    });
    let (at, pct) = own.enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let path = input.runs.get(at).map_or("", |run| &run.path);
    (pct > OWN_FUNCTIONS_PCT)
        .then(|| format!("two builds, {path} has {pct:.0} % in functions that no other run has"))
}
