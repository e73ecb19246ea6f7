//! The recordings of both sides, each with what is known about its run.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pdiff::profile::{PerSide, Side};
#[cfg(feature = "parquet")]
use pdiff::study::{RunsError, TableBytes, read_table_bytes};
use pdiff::{Build, CpuList, OnSide, Pattern, Recording, Source, TimeWindow, Windows};

use super::stored::{stored_recordings, summed_recordings};
use super::{LIST, parse_all, read_file};
use crate::cli::{ComparisonArgs, RecordingArgs, WorkArgs};

/// Checks which recordings are named, and assigns numbers to them.
pub(super) fn builds(args: &RecordingArgs, comparison: &ComparisonArgs) -> Result<PerSide<Build>> {
    // Not left to the parser: it asks for no --store where files are named instead.
    let of_store = [("--service", &args.service), ("--host", &args.host), ("--day", &args.day)];
    if let Some((option, _)) = of_store.iter().find(|(_, values)| !values.is_empty() && args.store.is_none())
    {
        bail!("{option} chooses runs of a store; hint: give it with --store, or leave {option} out");
    }
    let times = parse_all::<OnSide<TimeWindow>>("--time", &comparison.filters.time)?;
    let cpus = parse_all::<OnSide<CpuList>>("--cpu", &comparison.filters.cpu)?;
    let cgroups = parse_all::<OnSide<Pattern>>("--cgroup", &comparison.filters.cgroup)?;
    let summed = summed_recordings(args)?;
    let build = |side: Side| -> Result<Build> {
        let (one, many, label) = match side {
            Side::Before => (&args.before, &args.before_runs, &args.label_before),
            Side::After => (&args.after, &args.after_runs, &args.label_after),
        };
        let chosen = stored_recordings(args, side)?;
        let label = label.as_ref().or(chosen.as_ref().map(|chosen| &chosen.label));
        let named: Vec<&PathBuf> = match &chosen {
            Some(chosen) => chosen.paths.iter().collect(),
            None => one.iter().chain(many).collect(),
        };
        let paths: Vec<&Path> = named.into_iter().map(PathBuf::as_path).collect();
        let summed = summed.as_ref().map(|summed| &summed[side]);
        let label = label.or(summed.map(|summed| &summed.label));
        let build = match summed {
            Some(summed) => Build::recordings(summed.recordings.clone()),
            None => {
                let hosts = chosen.iter().flat_map(|chosen| chosen.hosts.iter().cloned());
                let hosts = hosts.chain(std::iter::repeat(None));
                let recordings = recordings(&paths, side, &comparison.work)?.into_iter().zip(hosts);
                let with_host = |(recording, host): (Recording, Option<String>)| {
                    host.into_iter().fold(recording, Recording::host)
                };
                Build::recordings(recordings.map(with_host))
            }
        };
        let build = build.time(one_of("--time", side, &times)?.unwrap_or(TimeWindow::All));
        let build = one_of("--cpu", side, &cpus)?.into_iter().fold(build, Build::cpus);
        let cgroups = cgroups.iter().filter(|of| of.side.is_none_or(|only| only == side));
        let build = cgroups.fold(build, |build, of| build.cgroup(of.value.clone()));
        Ok(label.into_iter().fold(build, Build::label))
    };
    let (before, after) = (build(Side::Before)?, build(Side::After)?);
    let recordings = [args.before.iter().chain(&args.before_runs), args.after.iter().chain(&args.after_runs)];
    one_stream(recordings.into_iter().flatten().map(|path| is_stdin(path)))?;
    Ok(PerSide { before, after })
}

/// A build with the recordings of these files.
#[cfg(feature = "parquet")]
pub(crate) fn build_of(label: &str, paths: &[PathBuf]) -> Build {
    Build::recordings(paths.iter().map(|path| source(path))).label(label)
}

/// The value that a side has of an option that each side has once.
fn one_of<T: Clone>(option: &str, side: Side, values: &[OnSide<T>]) -> Result<Option<T>> {
    let mut mine = values.iter().filter(|of| of.side.is_none_or(|only| only == side));
    match (mine.next(), mine.next()) {
        (_, Some(_)) => bail!("{option} is given twice for the {side} side"),
        (of, None) => Ok(of.map(|of| of.value.clone())),
    }
}

fn recordings(paths: &[&Path], side: Side, work: &WorkArgs) -> Result<Vec<Recording>> {
    let (operations, tps, cpu_seconds) = match side {
        Side::Before => (&work.operations_before, &work.tps_before, &work.cpu_seconds_before),
        Side::After => (&work.operations_after, &work.tps_after, &work.cpu_seconds_after),
    };
    for (name, values) in [("operations", operations), ("tps", tps), ("cpu-seconds", cpu_seconds)] {
        if !values.is_empty() && values.len() != paths.len() {
            bail!(
                "--{name}-{side}: {} values for {} recording(s); hint: give one for each, in the same order, with spaces between them",
                values.len(),
                paths.len()
            );
        }
    }
    let recording = |(index, path): (usize, &&Path)| {
        // A file that is missing is refused before the other side is read.
        if !is_stdin(path) {
            std::fs::metadata(path).map_err(|source| pdiff_ingest::Error::Unreadable {
                path: path.display().to_string().into(),
                source,
            })?;
        }
        let recording = Recording::new(source(path));
        let recording = operations.get(index).copied().into_iter().fold(recording, Recording::operations);
        let recording = tps.get(index).copied().into_iter().fold(recording, Recording::tps);
        let recording = cpu_seconds.get(index).copied().into_iter().fold(recording, Recording::cpu_seconds);
        if work.windows.is_some() { Ok(recording) } else { with_windows_beside(recording, path) }
    };
    paths.iter().enumerate().map(recording).collect()
}

/// A recording with what a windows file beside it says: `80.windows.tsv` beside `80.perf`, else `windows.tsv` if it lists it.
pub(crate) fn with_windows_beside(recording: Recording, path: &Path) -> Result<Recording> {
    if is_stdin(path) {
        return Ok(recording);
    }
    let stem = stem(path);
    let of_its_name = path.with_file_name(format!("{stem}.windows.tsv"));
    let is_of_its_name = of_its_name.is_file();
    let beside = if is_of_its_name { of_its_name } else { path.with_file_name("windows.tsv") };
    if !beside.is_file() {
        return Ok(recording);
    }
    let windows = match read_file(&beside, LIST, Windows::parse) {
        Ok(windows) if is_of_its_name || windows.get(&stem).is_some() => windows,
        Err(error) if is_of_its_name => return Err(error),
        // Nobody said that it is about this recording.
        Ok(_) => return Ok(recording),
        Err(error) => {
            crate::complain(&format!(
                "pdiff: note: operations of {} are not looked up: {error:#}",
                path.display()
            ));
            return Ok(recording);
        }
    };
    crate::complain(&format!("pdiff: note: operations of {}: {}", path.display(), beside.display()));
    Ok(recording.listed(&windows)?)
}

/// Standard input can be read once. Told is of each thing to be read whether it is standard input.
pub(crate) fn one_stream(are_stdin: impl IntoIterator<Item = bool>) -> Result<()> {
    if are_stdin.into_iter().filter(|is_stdin| *is_stdin).count() > 1 {
        bail!("standard input can be one thing only; hint: give the others as files");
    }
    Ok(())
}

/// Whether a name represents standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Where the bytes of a named file are; `-` is standard input.
pub(crate) fn source(path: &Path) -> Source {
    if is_stdin(path) { Source::Stdin } else { Source::Path(path.to_owned()) }
}

/// The file name without the extensions of recordings and compressors.
pub(crate) fn stem(path: &Path) -> String {
    if is_stdin(path) { "stdin".to_owned() } else { pdiff::stem(path) }
}

/// The bytes of a table of benchmark runs.
#[cfg(feature = "parquet")]
pub(crate) fn table_bytes(path: &Path) -> Result<TableBytes, RunsError> {
    let source = source(path);
    read_table_bytes(&source.to_string(), source.reader())
}
