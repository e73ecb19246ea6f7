//! The command line checked: typed choices, files of knowledge read, numbers assigned to recordings. Nothing below sees
//! clap. The environment is read here and nowhere else.

mod builds_compared;
mod classified;
mod drawn;
mod server_settings;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use pdiff_analysis::noise::NoiseSettings;
use pdiff_analysis::{
    Aliases, CompareSettings, Filters, KernelFilter, Knowledge, OnSide, Policy, SpinList, Subsystems,
    ThreadGroups,
};
use pdiff_ingest::{Source, TimeWindow, Windows};
use pdiff_profile::{BuildId, RunMeasures, Side};

use crate::cli::{
    ColorChoice, ComparisonArgs, DebugInfoArgs, FilterArgs, LookupArgs, NameArgs, PackArgs, RecordingArgs,
    ShareArgs, WorkArgs,
};
use crate::debuginfod::Debuginfod;

pub(crate) use builds_compared::{BuildRecordings, recordings_of_builds, usual_settings};
pub(crate) use classified::Classified;
pub(crate) use drawn::{Drawn, MAX_DRAWN_DEPTH};
pub(crate) use server_settings::{Servers, read_server_settings, settings_knowledge};

/// What is read, for both sides.
pub(crate) struct Inputs {
    pub(crate) before: SideFiles,
    pub(crate) after: SideFiles,
    pub(crate) event: Option<String>,
    pub(crate) lenient: bool,
    pub(crate) threads: Option<NonZeroUsize>,
}

impl Inputs {
    pub(crate) fn side(&self, side: Side) -> &SideFiles {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }

    /// Whether standard input is one of the recordings.
    pub(crate) fn reads_stdin(&self) -> bool {
        let mut recordings = self.before.recordings.iter().chain(&self.after.recordings);
        recordings.any(|run| run.source == Source::Stdin)
    }
}

/// The recordings of one side.
pub(crate) struct SideFiles {
    pub(crate) label: String,
    pub(crate) recordings: Vec<Recording>,
    pub(crate) time: TimeWindow,
}

/// One recording and what else is known of its run.
pub(crate) struct Recording {
    pub(crate) source: Source,
    pub(crate) measures: RunMeasures,
}

/// Where binaries are looked for; `None` if they are not to be.
pub(crate) struct DebugInfo {
    pub(crate) binaries_before: Vec<PathBuf>,
    pub(crate) binaries_after: Vec<PathBuf>,
    pub(crate) symfs: Option<PathBuf>,
    pub(crate) build_ids: Vec<(Box<str>, BuildId)>,
    pub(crate) build_id_dirs: Vec<PathBuf>,
    pub(crate) debug_roots: Vec<PathBuf>,
    pub(crate) cache_dir: Option<PathBuf>,
    pub(crate) allow_mismatch: bool,
    pub(crate) debuginfod: Option<Arc<Debuginfod>>,
}

impl DebugInfo {
    /// The binaries given for one side.
    pub(crate) fn binaries(&self, side: Side) -> &[PathBuf] {
        match side {
            Side::Before => &self.binaries_before,
            Side::After => &self.binaries_after,
        }
    }
}

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

/// What `pdiff pack` works with: one recording, on the before side.
pub(crate) struct Packing {
    pub(crate) inputs: Inputs,
    pub(crate) debug_info: Option<DebugInfo>,
}

impl Packing {
    /// Checks the arguments.
    pub(crate) fn new(args: &PackArgs) -> Result<Self> {
        let numbers = [("operations", args.operations), ("tps", args.tps), ("cpu-seconds", args.cpu_seconds)];
        for (name, value) in numbers {
            check_positive(&format!("--{name}"), value)?;
        }
        let measures = RunMeasures {
            operations: args.operations,
            tps: args.tps,
            cpu_seconds: args.cpu_seconds,
            window_s: None,
        };
        let recording = Recording { source: source(&args.recording), measures };
        let side = |recordings| SideFiles { label: String::new(), recordings, time: TimeWindow::All };
        let inputs = Inputs {
            before: side(vec![recording]),
            after: side(Vec::new()),
            event: None,
            lenient: args.lenient,
            threads: args.threads,
        };
        check_files("--binary", &args.binary)?;
        let debug_info = debug_info(&args.lookup, args.quiet)?
            .map(|found| DebugInfo { binaries_before: args.binary.clone(), ..found });
        Ok(Self { inputs, debug_info })
    }
}

fn check_positive(option: &str, value: Option<f64>) -> Result<()> {
    match value {
        Some(odd) if !(odd.is_finite() && odd > 0.0) => bail!("{option}: {odd} is not a positive number"),
        _ => Ok(()),
    }
}

fn inputs(args: &RecordingArgs, comparison: &ComparisonArgs) -> Result<Inputs> {
    let (filters, work) = (&comparison.filters, &comparison.work);
    let windows = work.windows.as_deref().map(|path| read_file(path, Windows::parse)).transpose()?;
    let times = parse_all::<OnSide<TimeWindow>>("--time", &filters.time)?;
    let side = |side: Side| -> Result<SideFiles> {
        let (one, many, label) = match side {
            Side::Before => (&args.before, &args.before_runs, &args.label_before),
            Side::After => (&args.after, &args.after_runs, &args.label_after),
        };
        let paths: Vec<&Path> = one.iter().chain(many).map(PathBuf::as_path).collect();
        warn_of_repeated(&paths);
        Ok(SideFiles {
            label: label.clone().unwrap_or_else(|| paths.first().map_or_else(String::new, |path| stem(path))),
            recordings: recordings(&paths, side, work, windows.as_ref())?,
            time: time_of(side, &times)?,
        })
    };
    let (before, after) = (side(Side::Before)?, side(Side::After)?);
    let from_stdin =
        |files: &SideFiles| files.recordings.iter().filter(|run| run.source == Source::Stdin).count();
    if from_stdin(&before) + from_stdin(&after) > 1 {
        bail!("standard input can be one recording only; hint: give the others as files");
    }
    Ok(Inputs { before, after, event: args.event.clone(), lenient: args.lenient, threads: args.threads })
}

/// A recording that is its own replicate makes noise look smaller than it is.
fn warn_of_repeated(paths: &[&Path]) {
    let mut seen = BTreeSet::new();
    for path in paths {
        if std::fs::canonicalize(path).is_ok_and(|real| !seen.insert(real)) {
            crate::complain(&format!(
                "pdiff: warning: {} is given twice on one side: a recording is no replicate of itself, and noise looks smaller than it is",
                path.display()
            ));
        }
    }
}

fn time_of(side: Side, times: &[OnSide<TimeWindow>]) -> Result<TimeWindow> {
    let mut mine = times.iter().filter(|time| time.side.is_none_or(|only| only == side));
    match (mine.next(), mine.next()) {
        (_, Some(_)) => bail!("--time is given twice for the {side} side"),
        (time, None) => Ok(time.map_or(TimeWindow::All, |time| time.value)),
    }
}

fn recordings(
    paths: &[&Path],
    side: Side,
    work: &WorkArgs,
    windows: Option<&Windows>,
) -> Result<Vec<Recording>> {
    let (operations, tps, cpu_seconds) = match side {
        Side::Before => (&work.operations_before, &work.tps_before, &work.cpu_seconds_before),
        Side::After => (&work.operations_after, &work.tps_after, &work.cpu_seconds_after),
    };
    for (name, values) in [("operations", operations), ("tps", tps), ("cpu-seconds", cpu_seconds)] {
        if !values.is_empty() && values.len() != paths.len() {
            bail!(
                "--{name}-{side} has {} values for {} recordings; hint: give one for each, in the same order",
                values.len(),
                paths.len()
            );
        }
        for value in values {
            check_positive(&format!("--{name}-{side}"), Some(*value))?;
        }
    }
    let recording = |(index, path): (usize, &&Path)| -> Result<Recording> {
        let listed = match windows {
            None => RunMeasures::default(),
            Some(windows) => windows.get(&stem(path)).ok_or_else(|| no_window(path, windows))?,
        };
        let value = |given: &[f64], listed: Option<f64>| given.get(index).copied().or(listed);
        Ok(Recording {
            source: source(path),
            measures: RunMeasures {
                operations: value(operations, listed.operations),
                tps: value(tps, listed.tps),
                cpu_seconds: value(cpu_seconds, listed.cpu_seconds),
                window_s: listed.window_s,
            },
        })
    };
    paths.iter().enumerate().map(recording).collect()
}

fn no_window(path: &Path, windows: &Windows) -> anyhow::Error {
    let known: Vec<&str> = windows.captures().take(5).collect();
    anyhow!(
        "--windows has no row for '{}'; hint: column capture holds file stems (it has {} ...)",
        stem(path),
        known.join(", ")
    )
}

pub(crate) fn source(path: &Path) -> Source {
    if path.as_os_str() == "-" { Source::Stdin } else { Source::Path(path.to_owned()) }
}

/// The file name without the extensions of recordings and compressors.
pub(crate) fn stem(path: &Path) -> String {
    if path.as_os_str() == "-" {
        return "stdin".to_owned();
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut stem: &str = &name;
    for extension in [".gz", ".zst", ".xz", ".txt", ".script", ".perf", ".folded", ".pdiff"] {
        stem = stem.strip_suffix(extension).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem.to_owned()
}

fn compare_settings(args: &ComparisonArgs) -> Result<CompareSettings> {
    let ComparisonArgs { names, filters, shares, work, debug_info: _ } = args;
    if !(shares.assumed_cv.is_finite() && (0.0..=1000.0).contains(&shares.assumed_cv)) {
        bail!("--assumed-cv: {} is not a percentage of 0 to 1000", shares.assumed_cv);
    }
    if !(shares.fdr > 0.0 && shares.fdr < 1.0) {
        bail!("--fdr: {} is not between 0 and 1", shares.fdr);
    }
    Ok(CompareSettings {
        policy: Policy {
            match_level: parse("--match", &names.match_level)?,
            inlines: parse("--inlines", &names.inlines)?,
        },
        share: parse("--denominator", &shares.denominator)?,
        group_by: parse("--by", &shares.by)?,
        filters: filter_settings(filters)?,
        knowledge: knowledge(names, shares)?,
        noise: NoiseSettings { assumed_cv: shares.assumed_cv / 100.0, false_discovery_rate: shares.fdr },
        scale_to_cpu_seconds: !(work.cpu_seconds_before.is_empty() && work.cpu_seconds_after.is_empty()),
    })
}

fn filter_settings(args: &FilterArgs) -> Result<Filters> {
    Ok(Filters {
        comm: parse_all("--comm", &args.comm)?,
        tid: parse_all("--tid", &args.tid)?,
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
    let mut knowledge = Knowledge::builtin();
    knowledge.aliases = known_renames(&names.aliases, names.no_builtin_aliases)?;
    if let Some(path) = &shares.subsystems {
        knowledge.subsystems = read_file(path, Subsystems::parse)?.or(knowledge.subsystems);
    }
    if let Some(path) = &shares.thread_groups {
        knowledge.thread_groups = read_file(path, ThreadGroups::parse)?;
    }
    if let Some(path) = &shares.spin_list {
        knowledge.spin = read_file(path, SpinList::parse)?;
    }
    Ok(knowledge)
}

fn debug_info_of_sides(args: &DebugInfoArgs, quiet: bool) -> Result<Option<DebugInfo>> {
    check_files("--binary-before", &args.binary_before)?;
    check_files("--binary-after", &args.binary_after)?;
    Ok(debug_info(&args.lookup, quiet)?.map(|found| DebugInfo {
        binaries_before: args.binary_before.clone(),
        binaries_after: args.binary_after.clone(),
        ..found
    }))
}

/// Whether files given by the user can be read at all.
fn check_files(option: &str, paths: &[PathBuf]) -> Result<()> {
    for path in paths {
        let file = std::fs::File::open(path).and_then(|file| file.metadata());
        let file = file.with_context(|| format!("{option}: cannot read {}", path.display()))?;
        if file.is_dir() {
            bail!(
                "{option}: {} is a directory; hint: --symfs looks for files under a directory",
                path.display()
            );
        }
    }
    Ok(())
}

pub(crate) fn debug_info(args: &LookupArgs, quiet: bool) -> Result<Option<DebugInfo>> {
    if let Some(symfs) = args.symfs.as_deref().filter(|symfs| !symfs.is_dir()) {
        bail!("--symfs: {} is not a directory", symfs.display());
    }
    if args.no_symbolize {
        return Ok(None);
    }
    let mut build_ids = Vec::new();
    for path in &args.buildid_list {
        build_ids.extend(read_file(path, parse_build_ids)?);
    }
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let perf_cache = std::env::var_os("PERF_BUILDID_DIR").map(PathBuf::from);
    Ok(Some(DebugInfo {
        binaries_before: Vec::new(),
        binaries_after: Vec::new(),
        symfs: args.symfs.clone(),
        build_ids,
        build_id_dirs: perf_cache
            .or_else(|| home.as_ref().map(|home| home.join(".debug")))
            .into_iter()
            .collect(),
        debug_roots: debug_roots(),
        cache_dir: cache_dir(args.cache_dir.as_deref(), args.no_cache),
        allow_mismatch: args.ignore_build_id,
        debuginfod: debuginfod(quiet)?,
    }))
}

/// The debuginfod servers that the environment names.
pub(crate) fn debuginfod(quiet: bool) -> Result<Option<Arc<Debuginfod>>> {
    Debuginfod::from_env(|name| std::env::var_os(name), quiet)
}

/// Where distributions put separate debug information.
pub(crate) fn debug_roots() -> Vec<PathBuf> {
    vec![PathBuf::from("/usr/lib/debug")]
}

/// `given`, else `pdiff` in `$XDG_CACHE_HOME` or `~/.cache` (XDG base directory specification).
pub(crate) fn cache_dir(given: Option<&Path>, no_cache: bool) -> Option<PathBuf> {
    if no_cache {
        return None;
    }
    let absolute = |path: &PathBuf| path.is_absolute();
    let user_cache = || {
        let own = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(absolute);
        let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
        own.or_else(home).map(|cache| cache.join("pdiff"))
    };
    given.map(Path::to_path_buf).or_else(user_cache)
}

/// The renames of these files, then the built-in ones unless they are to be forgotten.
pub(crate) fn known_renames(files: &[PathBuf], no_builtin: bool) -> Result<Aliases> {
    let mut aliases = if no_builtin { Aliases::default() } else { Aliases::mysqld() };
    for path in files {
        aliases = aliases.with(read_file(path, Aliases::parse)?);
    }
    Ok(aliases)
}

/// Lines of `perf buildid-list`: build-id, blank, path.
fn parse_build_ids(text: &str) -> Result<Vec<(Box<str>, BuildId)>> {
    let line = |(index, line): (usize, &str)| {
        let (id, path) = line.trim().split_once(char::is_whitespace)?;
        let entry = BuildId::from_hex(id).map(|id| (Box::from(path.trim()), id));
        Some(entry.ok_or_else(|| anyhow!("line {}: '{id}' is not a build-id", index + 1)))
    };
    let entries: Vec<_> = text.lines().enumerate().filter_map(line).collect::<Result<_>>()?;
    if entries.is_empty() {
        bail!("no build-ids in it; hint: make it by `perf buildid-list -i perf.data`");
    }
    Ok(entries)
}

/// Reads a small text file and parses it; errors name the file.
pub(crate) fn read_file<T, E>(path: &Path, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T>
where
    E: Into<anyhow::Error>,
{
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).map_err(|error| error.into().context(path.display().to_string()))
}

fn parse<T: FromStr<Err: Display>>(option: &str, word: &str) -> Result<T> {
    word.parse().map_err(|error| anyhow!("{option}: {error}"))
}

fn parse_all<T: FromStr<Err: Display>>(option: &str, words: &[String]) -> Result<Vec<T>> {
    words.iter().map(|word| parse(option, word)).collect()
}

/// The command as a shell would take it again.
pub(crate) fn command_line() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%@".contains(c);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = std::env::args_os().skip(1).map(|word| quoted(word.to_string_lossy().into_owned()));
    std::iter::once("pdiff".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// How wide a table may be: the terminal, else `COLUMNS`, else as wide as it needs to be.
pub(crate) fn table_width(to_terminal: bool) -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns > 0);
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    if to_terminal { terminal().or_else(columns) } else { columns() }
}

/// Whether to colour: as asked, else as `NO_COLOR`, `CLICOLOR_FORCE` and `TERM` say, else if a terminal shows it.
pub(crate) fn use_color(choice: ColorChoice, to_terminal: bool) -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()) => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
        ColorChoice::Auto => to_terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_has_no_extension_of_recordings_or_compressors() {
        let check = |path: &str, expected: &str| assert_eq!(stem(Path::new(path)), expected);
        check("x/80-aligned-r1.perf.zst", "80-aligned-r1");
        check("5.7.perf", "5.7");
        check("-", "stdin");
        check(".perf", ".perf");
    }

    #[test]
    fn build_ids_are_read_as_perf_lists_them() {
        let ids = parse_build_ids("00ff /opt/a b\n\n").unwrap();
        assert_eq!((&*ids[0].0, ids[0].1.to_string().as_str()), ("/opt/a b", "00ff"));
        assert!(parse_build_ids("zz /x\n").is_err());
        assert!(parse_build_ids("\n").is_err());
    }
}
