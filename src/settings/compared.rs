//! What every comparison works with: recordings, debug information, and how rows are made.

use anyhow::{Result, anyhow, bail};
use pdiff::noise::{Floor, NoiseSettings};
use pdiff::profile::PerSide;
use pdiff::profile::names::MatchLevel;
use pdiff::{
    Aliases, By, Comparer, Filters, Inlines, KernelFilter, Share, SpinList, Subsystems, Templates,
    ThreadGroups, Windows,
};

use super::builds::builds;
use super::lookup::{check_files, lookup};
use super::{KNOWLEDGE, LIST, parse, parse_all, read_file};
use crate::cli::{ComparisonArgs, FilterArgs, NameArgs, RecordingArgs, ShareArgs};

/// A comparison as the arguments ask for it, and what else is to be known of it.
pub(crate) struct Compared {
    pub(crate) comparer: Comparer,
    pub(crate) by: By,
    pub(crate) share: Share,
    /// Rows are single functions as both builds name them, so that there are verdicts on them.
    pub(crate) has_functions: bool,
    /// Standard input is one of the recordings.
    pub(crate) reads_stdin: bool,
}

impl Compared {
    /// Checks the arguments and reads the files of knowledge that they name.
    pub(crate) fn new(recordings: &RecordingArgs, args: &ComparisonArgs, quiet: bool) -> Result<Self> {
        let ComparisonArgs { names, filters, shares, work, debug_info } = args;
        let PerSide { before, after } = builds(recordings, args)?;
        let reads_stdin = before.reads_stdin() || after.reads_stdin();
        check_files("--binary-before", &debug_info.binary_before)?;
        check_files("--binary-after", &debug_info.binary_after)?;
        let before = debug_info.binary_before.iter().fold(before, pdiff::Build::binary);
        let after = debug_info.binary_after.iter().fold(after, pdiff::Build::binary);
        let match_level = parse("--match", &names.match_level)?;
        let inlines = parse("--inlines", &names.inlines)?;
        let templates = parse("--templates", &names.templates)?;
        if templates == Templates::Collapse && match_level == MatchLevel::Linkage {
            bail!("--templates collapse: linkage names do not show templates; hint: --match qualified");
        }
        let share = parse("--denominator", &shares.denominator)?;
        let comparer = Comparer::new()
            .before(before)
            .after(after)
            .lenient(recordings.lenient)
            .match_level(match_level)
            .inlines(inlines)
            .templates(templates)
            .denominator(share)
            .filters(filter_settings(filters)?)
            .preset_by_program()
            .noise(noise(shares));
        let comparer = with_knowledge(comparer, names, shares)?;
        let comparer = match lookup(&debug_info.lookup, quiet)? {
            Some(lookup) => comparer.lookup(lookup),
            None => comparer.without_binaries(),
        };
        let comparer = match &work.windows {
            Some(path) => comparer.windows(read_file(path, LIST, Windows::parse)?),
            None => comparer,
        };
        let comparer = recordings.event.iter().fold(comparer, Comparer::event);
        let comparer = recordings.threads.into_iter().fold(comparer, Comparer::threads);
        let by = parse("--by", &shares.by)?;
        let has_functions = match_level == MatchLevel::Qualified
            && inlines == Inlines::Expand
            && templates == Templates::Keep;
        Ok(Self { comparer, by, share, has_functions, reads_stdin })
    }
}

fn noise(args: &ShareArgs) -> NoiseSettings {
    NoiseSettings {
        assumed_cv: args.assumed_cv.map(|percent| percent / 100.0),
        false_discovery_rate: args.fdr,
        floor: Floor { points: args.floor_pp, relative: args.floor_relative / 100.0 },
    }
}

fn filter_settings(args: &FilterArgs) -> Result<Filters> {
    let thread = |word: &String| {
        let hint = "write a number, as 4242 or before:4242";
        word.parse().map_err(|_| anyhow!("--tid: '{word}' is not a thread id; hint: {hint}"))
    };
    Ok(Filters {
        comm: parse_all("--comm", &args.comm)?,
        tid: args.tid.iter().map(thread).collect::<Result<_>>()?,
        thread_group: parse_all("--thread-group", &args.thread_group)?,
        dso: parse_all("--dso", &args.dso)?,
        stack_contains: parse_all("--stack-contains", &args.stack_contains)?,
        kernel: match (args.kernel, args.no_kernel) {
            (true, _) => Some(KernelFilter::Only),
            (false, true) => Some(KernelFilter::Without),
            (false, false) => None,
        },
    })
}

/// A comparison with what the files of knowledge hold.
fn with_knowledge(mut comparer: Comparer, names: &NameArgs, shares: &ShareArgs) -> Result<Comparer> {
    for path in &names.aliases {
        comparer = comparer.aliases(read_file(path, KNOWLEDGE, Aliases::parse)?);
    }
    if names.no_builtin_aliases {
        comparer = comparer.without_preset_aliases();
    }
    if let Some(path) = &shares.subsystems {
        comparer = comparer.subsystems(read_file(path, KNOWLEDGE, Subsystems::parse)?);
    }
    if let Some(path) = &shares.thread_groups {
        comparer = comparer.thread_groups(read_file(path, KNOWLEDGE, ThreadGroups::parse)?);
    }
    if let Some(path) = &shares.spin_list {
        comparer = comparer.spin_list(read_file(path, KNOWLEDGE, SpinList::parse)?);
    }
    Ok(comparer)
}

/// Parts of the program, before the built-in ones.
#[cfg(feature = "parquet")]
pub(crate) fn subsystems(path: Option<&std::path::Path>) -> Result<Option<Subsystems>> {
    path.map(|path| read_file(path, KNOWLEDGE, Subsystems::parse)).transpose()
}
