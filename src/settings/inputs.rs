//! The recordings of both sides, each with what is known of its run.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use pdiff_analysis::OnSide;
use pdiff_ingest::{ReadOptions, Source, TimeWindow, Windows};
use pdiff_profile::{RunMeasures, Side};
use pdiff_study::{RunsError, TableBytes, read_table_bytes};

use super::{LIST, parse_all, read_file};
use crate::cli::{ComparisonArgs, RecordingArgs, WorkArgs};

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
        self.before.recordings.iter().chain(&self.after.recordings).any(Recording::is_stdin)
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

impl Recording {
    pub(super) fn is_stdin(&self) -> bool {
        self.source == Source::Stdin
    }
}

/// Checks which recordings are named, and assigns numbers to them.
pub(super) fn inputs(args: &RecordingArgs, comparison: &ComparisonArgs) -> Result<Inputs> {
    let (filters, work) = (&comparison.filters, &comparison.work);
    let windows = work.windows.as_deref().map(|path| read_file(path, LIST, Windows::parse)).transpose()?;
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
    one_stream(before.recordings.iter().chain(&after.recordings).map(Recording::is_stdin))?;
    let threads = workers(args.threads);
    Ok(Inputs { before, after, event: args.event.clone(), lenient: args.lenient, threads })
}

/// As many workers as asked for, as far as they are of use.
pub(super) fn workers(threads: Option<NonZeroUsize>) -> Option<NonZeroUsize> {
    threads.map(|threads| threads.min(ReadOptions::MAX_WORKERS))
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
                "--{name}-{side}: {} values for {} recording(s); hint: give one for each, in the same order",
                values.len(),
                paths.len()
            );
        }
    }
    let recording = |(index, path): (usize, &&Path)| -> Result<Recording> {
        let listed = listed_measures(path, windows)?;
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

/// What the table of windows says of a recording; nothing without a table.
pub(super) fn listed_measures(path: &Path, windows: Option<&Windows>) -> Result<RunMeasures> {
    let Some(windows) = windows else { return Ok(RunMeasures::default()) };
    windows.get(&stem(path)).ok_or_else(|| {
        let known: Vec<&str> = windows.captures().take(5).collect();
        anyhow!(
            "--windows has no row for '{}'; hint: column capture holds file stems (it has {} ...)",
            stem(path),
            known.join(", ")
        )
    })
}

/// Standard input can be read once. Told is of each thing to be read whether it is standard input.
pub(crate) fn one_stream(are_stdin: impl IntoIterator<Item = bool>) -> Result<()> {
    if are_stdin.into_iter().filter(|is_stdin| *is_stdin).count() > 1 {
        bail!("standard input can be one thing only; hint: give the others as files");
    }
    Ok(())
}

/// Whether a name stands for standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Where the bytes of a named file are; `-` is standard input.
pub(crate) fn source(path: &Path) -> Source {
    if is_stdin(path) { Source::Stdin } else { Source::Path(path.to_owned()) }
}

/// The bytes of a table of benchmark runs.
pub(crate) fn table_bytes(path: &Path) -> Result<TableBytes, RunsError> {
    let source = source(path);
    read_table_bytes(&source.to_string(), source.reader())
}

/// The file name without the extensions of recordings and compressors.
pub(crate) fn stem(path: &Path) -> String {
    if is_stdin(path) {
        return "stdin".to_owned();
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut stem: &str = &name;
    for extension in [".gz", ".zst", ".xz", ".txt", ".script", ".perf", ".folded", ".pdiff"] {
        stem = stem.strip_suffix(extension).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    stem.to_owned()
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
}
