//! Many builds: each recording is read and symbolised once, however many comparisons it is part of.

use anyhow::{Context, Result};
use pdiff_analysis::{CompareSettings, Comparison, SideInput, Sides, choose_events, compare};
use pdiff_profile::{EventId, Profile, Side};

use super::run::{Run, read_run};
use super::sides::{check_samples, side_input};
use crate::settings::{DebugInfo, Inputs, SideFiles};
use crate::timings::Timings;

/// Builds in order, with all their recordings in memory as unique stacks.
pub(crate) struct BuildsRead {
    builds: Vec<ReadBuild>,
}

struct ReadBuild {
    label: String,
    runs: Vec<Run>,
    events: Vec<EventId>,
}

impl ReadBuild {
    fn side(&self) -> SideInput<'_> {
        side_input(&self.runs, &self.label, &self.events)
    }
}

impl BuildsRead {
    /// Reads and symbolises; all recordings give the same event.
    pub(crate) fn read(files: Vec<SideFiles>, debug_info: Option<&DebugInfo>, quiet: bool) -> Result<Self> {
        let mut timings = Timings::start();
        let mut builds = Vec::with_capacity(files.len());
        for files in files {
            let (label, time) = (files.label.clone(), files.time);
            let after = SideFiles { label: String::new(), recordings: Vec::new(), time };
            let inputs = Inputs { before: files, after, event: None, lenient: false, threads: None };
            let read =
                |recording| read_run(recording, &inputs, debug_info, Side::Before, quiet, &mut timings);
            let runs = inputs.before.recordings.iter().map(read).collect::<Result<_>>();
            let runs: Vec<Run> = runs.with_context(|| format!("build {label}"))?;
            builds.push(ReadBuild { label, runs, events: Vec::new() });
        }
        let recordings: Vec<(String, &Profile)> =
            builds.iter().flat_map(|build| &build.runs).map(|run| (run.path.clone(), &run.profile)).collect();
        let mut events = choose_events(&recordings, None)?.into_iter();
        for build in &mut builds {
            build.events = events.by_ref().take(build.runs.len()).collect();
        }
        Ok(Self { builds })
    }

    /// Compares two of the builds, by their places in the order.
    ///
    /// # Errors
    /// If a side has no samples.
    pub(crate) fn compare(
        &self,
        before: usize,
        after: usize,
        settings: &CompareSettings,
    ) -> Result<Comparison> {
        let build = |at: usize| self.builds.get(at).context("a step is of two builds");
        let (before, after) = (build(before)?, build(after)?);
        let comparison = compare(&Sides { before: before.side(), after: after.side() }, settings);
        check_samples(&comparison, &before.runs, &after.runs)?;
        Ok(comparison)
    }
}
