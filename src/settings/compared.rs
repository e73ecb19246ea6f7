//! What every comparison works with: recordings, debug information, and how rows are made.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use pdiff_analysis::noise::{Floor, NoiseSettings};
use pdiff_analysis::{
    Aliases, CompareSettings, Filters, KernelFilter, Knowledge, Policy, SpinList, ThreadGroups,
};

use super::debug_info::debug_info_of_sides;
use super::inputs::inputs;
use super::{DebugInfo, Inputs, KNOWLEDGE, knowledge_with, parse, parse_all, read_file};
use crate::cli::{ComparisonArgs, FilterArgs, NameArgs, RecordingArgs, ShareArgs};

/// Everything that a comparison works with.
pub(crate) struct Compared {
    pub(crate) inputs: Inputs,
    pub(crate) debug_info: Option<DebugInfo>,
    pub(crate) settings: CompareSettings,
}

impl Compared {
    /// Checks the arguments and reads the files of knowledge that they name.
    pub(crate) fn new(recordings: &RecordingArgs, args: &ComparisonArgs, quiet: bool) -> Result<Self> {
        Ok(Self {
            inputs: inputs(recordings, args)?,
            debug_info: debug_info_of_sides(&args.debug_info, quiet)?,
            settings: compare_settings(args)?,
        })
    }
}

fn compare_settings(args: &ComparisonArgs) -> Result<CompareSettings> {
    let ComparisonArgs { names, filters, shares, work, debug_info: _ } = args;
    Ok(CompareSettings {
        policy: Policy {
            match_level: parse("--match", &names.match_level)?,
            inlines: parse("--inlines", &names.inlines)?,
        },
        share: parse("--denominator", &shares.denominator)?,
        group_by: parse("--by", &shares.by)?,
        filters: filter_settings(filters)?,
        knowledge: knowledge(names, shares)?,
        noise: NoiseSettings {
            assumed_cv: shares.assumed_cv.map(|percent| percent / 100.0),
            false_discovery_rate: shares.fdr,
            floor: Floor { points: shares.floor_pp, relative: shares.floor_relative / 100.0 },
        },
        scale_to_cpu_seconds: !(work.cpu_seconds_before.is_empty() && work.cpu_seconds_after.is_empty()),
    })
}

fn filter_settings(args: &FilterArgs) -> Result<Filters> {
    let thread = |word: &String| {
        let hint = "write a number, as 4242 or before:4242";
        word.parse().map_err(|_| anyhow!("--tid: '{word}' is no thread id; hint: {hint}"))
    };
    Ok(Filters {
        comm: parse_all("--comm", &args.comm)?,
        tid: args.tid.iter().map(thread).collect::<Result<_>>()?,
        dso: parse_all("--dso", &args.dso)?,
        stack_contains: parse_all("--stack-contains", &args.stack_contains)?,
        kernel: match (args.kernel, args.no_kernel) {
            (true, _) => Some(KernelFilter::Only),
            (false, true) => Some(KernelFilter::Without),
            (false, false) => None,
        },
    })
}

fn knowledge(names: &NameArgs, shares: &ShareArgs) -> Result<Knowledge> {
    let mut knowledge = knowledge_with(shares.subsystems.as_deref())?;
    knowledge.aliases = known_renames(&names.aliases, names.no_builtin_aliases)?;
    if let Some(path) = &shares.thread_groups {
        knowledge.thread_groups = read_file(path, KNOWLEDGE, ThreadGroups::parse)?;
    }
    if let Some(path) = &shares.spin_list {
        knowledge.spin = read_file(path, KNOWLEDGE, SpinList::parse)?;
    }
    Ok(knowledge)
}

/// The renames of these files, then the built-in ones unless they are to be forgotten.
pub(crate) fn known_renames(files: &[PathBuf], no_builtin: bool) -> Result<Aliases> {
    let mut aliases = if no_builtin { Aliases::default() } else { Aliases::mysqld() };
    for path in files {
        aliases = aliases.with(read_file(path, KNOWLEDGE, Aliases::parse)?);
    }
    Ok(aliases)
}
