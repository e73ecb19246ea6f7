//! The recordings of both sides as the analysis wants them.

use std::collections::BTreeSet;

use anyhow::{Result, bail};
use pdiff_analysis::{
    CompareSettings, Comparison, FunctionLines, GroupBy, RowFunction, RunInput, Share, SideInput, Sides,
    choose_events, compare, hot_lines,
};
use pdiff_profile::{EventId, Profile, Side};

use super::found_code::{FoundCode, found_code};
use super::recordings_read::read_recordings;
use super::run::{Run, find_functions};
use crate::settings::Compared;
use crate::timings::Timings;

/// The recordings of both sides.
pub(crate) struct ReadSides {
    before: Vec<Run>,
    after: Vec<Run>,
}

impl ReadSides {
    /// Reads and symbolises.
    pub(super) fn read(compared: &Compared, quiet: bool, timings: &mut Timings) -> Result<Self> {
        let mut read = read_recordings(&compared.inputs, quiet, timings)?.into_iter();
        let mut side = |side| -> Result<Vec<Run>> {
            let debug_info = compared.debug_info.as_ref();
            let recordings = compared.inputs.side(side).recordings.iter();
            recordings
                .zip(read.by_ref())
                .map(|(recording, input)| find_functions(recording, input, debug_info, side, timings))
                .collect()
        };
        Ok(Self { before: side(Side::Before)?, after: side(Side::After)? })
    }

    /// As the analysis wants them: all of one event.
    pub(super) fn inputs(&self, compared: &Compared) -> Result<Sides<'_>> {
        let runs = self.before.iter().chain(&self.after);
        let recordings: Vec<(String, &Profile)> = runs.map(|run| (run.path.clone(), &run.profile)).collect();
        let events = choose_events(&recordings, compared.inputs.event.as_deref())?;
        let (events_before, events_after) = events.split_at(self.before.len());
        Ok(Sides {
            before: side_input(&self.before, &compared.inputs.before.label, events_before),
            after: side_input(&self.after, &compared.inputs.after.label, events_after),
        })
    }

    /// What was found of the code of each side, base first.
    pub(super) fn found_code(&self) -> [FoundCode; 2] {
        [&self.before, &self.after].map(|runs| found_code(runs))
    }

    /// A filter that leaves a side without samples is a mistake, not a result.
    pub(super) fn check_samples(&self, comparison: &Comparison) -> Result<()> {
        check_samples(comparison, &self.before, &self.after)
    }

    /// The same recordings by part of the program, as shares of all CPU.
    pub(crate) fn by_subsystem(&self, compared: &Compared) -> Result<Comparison> {
        let settings =
            CompareSettings { group_by: GroupBy::Subsystem, share: Share::All, ..compared.settings.clone() };
        Ok(compare(&self.inputs(compared)?, &settings))
    }

    /// The hot lines of functions.
    pub(crate) fn hot_lines(
        &self,
        compared: &Compared,
        functions: &[RowFunction],
    ) -> Result<Vec<FunctionLines>> {
        Ok(hot_lines(&self.inputs(compared)?, &compared.settings, functions))
    }
}

/// Recordings of one side, each with the event to look at.
pub(super) fn side_input<'a>(runs: &'a [Run], label: &str, events: &[EventId]) -> SideInput<'a> {
    let input = |(run, event): (&'a Run, &EventId)| RunInput {
        path: run.path.clone(),
        profile: &run.profile,
        resolutions: run.resolutions.as_ref(),
        notes: Some(&run.notes),
        event: *event,
        measures: run.measures,
    };
    let mut seen = BTreeSet::new();
    let objects = runs.iter().flat_map(|run| &run.objects).filter(|object| seen.insert(&object.path));
    SideInput {
        label: label.to_owned(),
        objects: objects.cloned().collect(),
        runs: runs.iter().zip(events).map(input).collect(),
    }
}

/// A filter that leaves a side without samples is a mistake, not a result.
pub(super) fn check_samples(comparison: &Comparison, before: &[Run], after: &[Run]) -> Result<()> {
    for (side, runs) in [(Side::Before, before), (Side::After, after)] {
        if !runs.is_empty() && comparison.side(side).samples == 0 {
            let comms: BTreeSet<&str> = runs
                .iter()
                .flat_map(|run| run.profile.threads.iter().map(|thread| run.profile.string(thread.comm)))
                .collect();
            let some: Vec<&str> = comms.into_iter().take(MOST_COMMS).collect();
            bail!(
                "the filters ({}) leave no samples on the {side} side; hint: its threads are named {}",
                comparison.filtered,
                some.join(", ")
            );
        }
    }
    Ok(())
}

/// Thread names that an error lists.
const MOST_COMMS: usize = 8;
