//! Both sides' samples as a profile of the Firefox Profiler, with findings as markers.

use std::collections::HashMap;

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::{Comparison, RunStacks};
use pdiff_profile::{Frame, Lookups, PerSide, Profile, Side, StackId, ThreadId};
use pdiff_render::{FirefoxLevel, FirefoxMarker, FirefoxStack, FirefoxThread, FirefoxWeight, FirefoxWriter};

use crate::call_levels::{CallLevel, call_levels};
use crate::prepared::Prepared;

impl Prepared {
    /// The samples that passed the filters as a profile of the Firefox Profiler: each of `sides` is a process with its threads, and with
    /// the findings of `comparison` as markers, which have `causes` where there are any.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn firefox(
        &self,
        sides: &[Side],
        comparison: &Comparison,
        causes: &[FindingCause],
    ) -> Result<Vec<u8>, pdiff_render::Error> {
        let read = self.sides();
        let runs = self.normal().run_stacks(&read);
        let runs: Vec<&RunStacks<'_>> = runs.iter().filter(|run| sides.contains(&run.side)).collect();
        let events = runs.iter().filter_map(|run| run.run.profile.events.get(run.run.event.index()));
        let is_time = events.map(|event| event.is_time()).collect::<Vec<_>>();
        let weight = match !is_time.is_empty() && is_time.iter().all(|is_time| *is_time) {
            true => FirefoxWeight::Time,
            false => FirefoxWeight::Count,
        };
        let name = |side: Side| match sides.len() {
            1 => comparison.side(side).label.clone(),
            _ => format!("{side}: {}", comparison.side(side).label),
        };
        let title = sides.iter().map(|side| &*comparison.side(*side).label).collect::<Vec<_>>().join(" -> ");
        let mut writer = FirefoxWriter::new(&title, PerSide::from_fn(name), weight);
        for run in runs {
            write_run(run, &mut writer);
        }
        if sides.len() > 1 {
            for (at, finding) in comparison.findings.list.iter().enumerate() {
                for side in sides {
                    writer.marker(*side, FirefoxMarker::finding(finding, causes.get(at)));
                }
            }
        }
        writer.finish()
    }
}

/// Seconds count from the first of the run, whose clock is its own.
fn write_run(run: &RunStacks<'_>, writer: &mut FirefoxWriter) {
    let profile = run.run.profile;
    let lookups = Lookups::new(profile);
    let first = run.cells.iter().map(|cell| cell.block).min().unwrap_or(0);
    let mut threads: HashMap<ThreadId, FirefoxThread> = HashMap::new();
    let mut stacks: HashMap<(ThreadId, StackId), Option<FirefoxStack>> = HashMap::new();
    for cell in run.cells {
        let thread = threads.entry(cell.thread);
        let thread = *thread.or_insert_with(|| writer.thread(run.side, &thread_name(profile, cell.thread)));
        let stack = stacks.entry((cell.thread, cell.stack));
        let stack = *stack.or_insert_with(|| {
            let levels = call_levels(run, &lookups, cell.stack);
            let levels: Vec<FirefoxLevel<'_>> = levels.iter().map(|level| of_level(profile, level)).collect();
            writer.stack(thread, &levels)
        });
        writer.sample(thread, cell.block - first, stack, cell.weight.0);
    }
}

fn of_level<'a>(profile: &'a Profile, level: &'a CallLevel<'_>) -> FirefoxLevel<'a> {
    let object = |frame: &Frame| profile.objects.get(frame.object.index());
    let address = level.frame.and_then(|frame| Some(frame.addr?.0));
    let offset = level.frame.and_then(|frame| frame.symbol_offset);
    FirefoxLevel {
        object: level.frame.and_then(object),
        address,
        function_start: address.zip(offset).and_then(|(address, offset)| address.checked_sub(offset)),
        functions: &level.functions,
    }
}

/// As perf calls it.
fn thread_name(profile: &Profile, thread: ThreadId) -> String {
    let Some(thread) = profile.threads.get(thread.index()) else { return String::new() };
    let name = profile.string(thread.comm);
    match thread.tid {
        Some(tid) => format!("{name} {tid}").trim_start().to_owned(),
        None if name.is_empty() => "all threads".to_owned(),
        None => name.to_owned(),
    }
}
