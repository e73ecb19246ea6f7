//! Mistakes of those who compare: two programs, another workload, sides swapped, one recording twice, two builds as replicates of one, chains
//! unwound in two ways. Each is a fact that is said before anything else.

mod other_program;
mod program;
mod unwinding;
mod workload;

use pdiff_profile::{PerSide, Side};

use super::input::{SideInput, Sides};
use super::prepare::Prepared;
use super::side_fact::{Concern, SeveralBuilds, Severity, SideFact, Subject};
use crate::knowledge::Requests;

use program::Program;
pub use program::is_other_version;
pub(super) use unwinding::{cut_off_pct, unwinding};

/// The mistakes found, and always the fact about the program of each side, if there is one.
pub(super) fn mistakes(sides: &Sides<'_>, prepared: &Prepared<'_>, requests: &Requests) -> Vec<SideFact> {
    let programs = program::programs(sides, prepared);
    let (other_program, workload) = rayon::join(
        || other_program::other_program(&programs, prepared),
        || workload::workload(sides, prepared, requests),
    );
    let mut facts = Vec::new();
    facts.extend(other_program);
    facts.extend(workload);
    facts.extend(replicates(sides, &programs, prepared));
    facts.extend(same_recording(sides));
    facts.extend(program::program(sides, &programs, prepared));
    facts
}

/// A recording that is on both sides differs from itself in nothing.
fn same_recording(sides: &Sides<'_>) -> Option<SideFact> {
    let (before, after) = sides.before.runs.iter().find_map(|before| {
        let same = sides.after.runs.iter().find(|after| {
            std::ptr::eq(before.profile, after.profile)
                || (before.profile.events == after.profile.events && before.profile == after.profile)
        });
        same.filter(|_| !before.profile.cells.is_empty()).map(|after| (before, after))
    })?;
    let paths = PerSide::new(before, after).map(|run| run.path.clone());
    Some(SideFact::new(Subject::Recordings(paths), Severity::Suspect, Concern::SameRecording))
}

/// Weight in functions that no other run of the side has, above which a run is of another build, in percent. Replicates of one
/// build have up to 5 %: rare functions.
const OWN_FUNCTIONS_PCT: f64 = 15.0;

/// Samples below which most functions of a run are rare.
const LEAST_SAMPLES: u64 = 2000;

/// Runs of one side that are of two builds: by version or build-id of the program, else by the functions that they have.
fn replicates(
    sides: &Sides<'_>,
    programs: &PerSide<Vec<Program<'_>>>,
    prepared: &Prepared<'_>,
) -> Option<SideFact> {
    let builds = PerSide::from_fn(|side| {
        program::builds(&programs[side]).or_else(|| own_functions(sides.get(side), side, prepared))
    });
    let is_several = builds.before.is_some() || builds.after.is_some();
    let subject = Subject::Replicates(builds);
    is_several.then(|| SideFact::new(subject, Severity::Incomparable, Concern::ReplicatesOfSeveralBuilds))
}

/// The run with the most weight in functions that no other run of its side has, if that is more than replicates have.
fn own_functions(input: &SideInput<'_>, side: Side, prepared: &Prepared<'_>) -> Option<SeveralBuilds> {
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
    let path = input.runs.get(at).map_or_else(String::new, |run| run.path.clone());
    (pct > OWN_FUNCTIONS_PCT).then_some(SeveralBuilds::OwnFunctions { path, pct })
}
