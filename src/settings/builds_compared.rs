//! A comparison of two builds' recordings that is part of another command: everything but the recordings is as
//! `pdiff compare` has it by default.

use std::path::{Path, PathBuf};

use anyhow::Result;
use pdiff_analysis::noise::NoiseSettings;
use pdiff_analysis::{CompareSettings, Filters, GroupBy, Inlines, Knowledge, Policy, Share, Subsystems};
use pdiff_ingest::{TimeWindow, Windows};
use pdiff_profile::names::MatchLevel;

use super::inputs::{listed_measures, one_stream};
use super::{Compared, Inputs, KNOWLEDGE, Recording, SideFiles, debug_info, read_file, source};
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
        one_stream(before.recordings.iter().chain(&after.recordings).map(Recording::is_stdin))?;
        Ok(Self {
            inputs: Inputs { before, after, event: None, lenient: false, threads: None },
            debug_info: debug_info(lookup, quiet)?,
            settings: usual_settings(group_by, knowledge_with(subsystems)?),
        })
    }
}

/// The recordings of several builds, each to be read once.
pub(crate) fn recordings_of_builds(
    builds: &[BuildRecordings<'_>],
    windows: Option<&Windows>,
) -> Result<Vec<SideFiles>> {
    let builds: Vec<SideFiles> = builds.iter().map(|build| side(build, windows)).collect::<Result<_>>()?;
    one_stream(builds.iter().flat_map(|build| &build.recordings).map(Recording::is_stdin))?;
    Ok(builds)
}

/// What is known of programs, with other parts of the program before the built-in ones.
pub(crate) fn knowledge_with(subsystems: Option<&Path>) -> Result<Knowledge> {
    let mut knowledge = Knowledge::builtin();
    if let Some(path) = subsystems {
        knowledge.subsystems = read_file(path, KNOWLEDGE, Subsystems::parse)?.or(knowledge.subsystems);
    }
    Ok(knowledge)
}

/// The choices of `pdiff compare` without options, with rows of one kind.
pub(crate) fn usual_settings(group_by: GroupBy, knowledge: Knowledge) -> CompareSettings {
    CompareSettings {
        policy: Policy { match_level: MatchLevel::Qualified, inlines: Inlines::Expand },
        share: Share::All,
        group_by,
        filters: Filters::default(),
        knowledge,
        noise: NoiseSettings::default(),
        scale_to_cpu_seconds: false,
    }
}

fn side(build: &BuildRecordings<'_>, windows: Option<&Windows>) -> Result<SideFiles> {
    let recording = |path: &PathBuf| -> Result<Recording> {
        Ok(Recording { source: source(path), measures: listed_measures(path, windows)? })
    };
    let recordings = build.paths.iter().map(recording).collect::<Result<_>>()?;
    Ok(SideFiles { label: build.label.to_owned(), recordings, time: TimeWindow::All })
}
