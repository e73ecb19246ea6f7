//! A comparison of two builds' recordings that is part of another command: everything but the recordings is as
//! `pdiff compare` has it by default.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pdiff_analysis::noise::{ASSUMED_CV, FALSE_DISCOVERY_RATE, NoiseSettings};
use pdiff_analysis::{CompareSettings, Filters, GroupBy, Inlines, Knowledge, Policy, Share, Subsystems};
use pdiff_ingest::{Source, TimeWindow, Windows};
use pdiff_profile::RunMeasures;
use pdiff_profile::names::MatchLevel;

use super::{Compared, Inputs, Recording, SideFiles, debug_info, no_window, read_file, source, stem};
use crate::cli::LookupArgs;

/// The recordings of one build and what to call it.
pub(crate) struct BuildRecordings<'a> {
    pub(crate) label: &'a str,
    pub(crate) paths: &'a [PathBuf],
}

impl Compared {
    /// Two builds, with rows of one kind; `windows` tells what their runs did.
    pub(crate) fn of_builds(
        [before, after]: [BuildRecordings<'_>; 2],
        group_by: GroupBy,
        windows: Option<&Windows>,
        lookup: &LookupArgs,
        subsystems: Option<&Path>,
        quiet: bool,
    ) -> Result<Self> {
        let (before, after) = (side(&before, windows)?, side(&after, windows)?);
        one_stream(before.recordings.iter().chain(&after.recordings))?;
        Ok(Self {
            inputs: Inputs { before, after, event: None, lenient: false, threads: None },
            debug_info: debug_info(lookup, quiet)?,
            settings: usual_settings(group_by, subsystems)?,
        })
    }
}

/// The recordings of several builds, each to be read once.
pub(crate) fn recordings_of_builds(
    builds: &[BuildRecordings<'_>],
    windows: Option<&Windows>,
) -> Result<Vec<SideFiles>> {
    let builds: Vec<SideFiles> = builds.iter().map(|build| side(build, windows)).collect::<Result<_>>()?;
    one_stream(builds.iter().flat_map(|build| &build.recordings))?;
    Ok(builds)
}

fn one_stream<'a>(recordings: impl Iterator<Item = &'a Recording>) -> Result<()> {
    if recordings.filter(|run| run.source == Source::Stdin).count() > 1 {
        bail!("standard input can be one recording only; hint: give the others as files");
    }
    Ok(())
}

/// The choices of `pdiff compare` without options, with rows of one kind.
pub(crate) fn usual_settings(group_by: GroupBy, subsystems: Option<&Path>) -> Result<CompareSettings> {
    let mut knowledge = Knowledge::builtin();
    if let Some(path) = subsystems {
        knowledge.subsystems = read_file(path, Subsystems::parse)?.or(knowledge.subsystems);
    }
    Ok(CompareSettings {
        policy: Policy { match_level: MatchLevel::Qualified, inlines: Inlines::Expand },
        share: Share::All,
        group_by,
        filters: Filters::default(),
        knowledge,
        noise: NoiseSettings { assumed_cv: ASSUMED_CV, false_discovery_rate: FALSE_DISCOVERY_RATE },
        scale_to_cpu_seconds: false,
    })
}

fn side(build: &BuildRecordings<'_>, windows: Option<&Windows>) -> Result<SideFiles> {
    let recording = |path: &PathBuf| -> Result<Recording> {
        let measures = match windows {
            None => RunMeasures::default(),
            Some(windows) => windows.get(&stem(path)).ok_or_else(|| no_window(path, windows))?,
        };
        Ok(Recording { source: source(path), measures })
    };
    let recordings = build.paths.iter().map(recording).collect::<Result<_>>()?;
    Ok(SideFiles { label: build.label.to_owned(), recordings, time: TimeWindow::All })
}
