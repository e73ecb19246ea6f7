//! Errors that make a whole recording unreadable.

use std::io;

use pdiff_profile::BuildError;

use crate::flame_graph::error::FlameGraphError;
use crate::format::WrongKind;
use crate::pack::{PackError, RestrictError};
use crate::perf_data::error::PerfDataError;
use crate::pprof::error::PprofError;
use crate::source::in_command;
use crate::time_window::seconds;

/// How waiting is recorded.
const WAITS_HINT: &str =
    "record with `perf record -a -e sched:sched_switch --call-graph dwarf,4096 -- sleep 10`";

/// What to do where a source cannot be opened or read; nothing where the system says all.
fn way_out(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "; hint: name a recording, such as the perf.data of `perf record`",
        io::ErrorKind::IsADirectory => "; hint: name the recording in it, such as its perf.data",
        io::ErrorKind::PermissionDenied => "; hint: what root recorded is root's, see `chown`",
        _ => "",
    }
}

/// Why no profile could be read. Every variant names its source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source could not be opened or read.
    #[error("cannot read {path}: {source}{}", way_out(source))]
    Unreadable {
        /// The source as the caller named it.
        path: Box<str>,
        /// What the system says.
        source: io::Error,
    },
    /// There is nothing in it.
    #[error(
        "{path} is empty; hint: record again, or make text with `perf script -i perf.data > {}`",
        in_command(path)
    )]
    Empty {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// It is something else than a recording.
    #[error("{path} is {kind}, not the text of perf script; hint: {}", kind.hint(in_command(path)))]
    WrongKind {
        /// The source as the caller named it.
        path: Box<str>,
        /// What it is.
        kind: WrongKind,
    },
    /// It is text, yet without any sample.
    #[error(
        "{path} has no samples in its {lines} lines{}; hint: this needs the text of `perf script` (with `ip` among its -F fields, if those are given), or folded stacks",
        show(examples)
    )]
    NoSamples {
        /// The source as the caller named it.
        path: Box<str>,
        /// How many lines it has.
        lines: u64,
        /// The first lines that could not be parsed, with their numbers.
        examples: Vec<Box<str>>,
    },
    /// Too many lines fit no known form.
    #[error(
        "{path}: {unparsed} of {lines} lines cannot be parsed{}; hint: --lenient skips them",
        show(examples)
    )]
    TooManyUnparsed {
        /// The source as the caller named it.
        path: Box<str>,
        /// How many lines could not be parsed.
        unparsed: u64,
        /// How many lines it has.
        lines: u64,
        /// The first of them, with their numbers.
        examples: Vec<Box<str>>,
    },
    /// Compressed data that is damaged, cut off, or needs more than a limit allows.
    #[error(
        "cannot unpack {path} ({format}): {source}; hint: the file is damaged, cut off, or packed with an extreme setting"
    )]
    Compressed {
        /// The source as the caller named it.
        path: Box<str>,
        /// `gzip`, `zstd` or `xz`.
        format: &'static str,
        /// What the decompressor says.
        source: io::Error,
    },
    /// A window in percent of a source that can be read only once.
    #[error(
        "{path} can be read only once, and a window in percent needs two passes; hint: save it to a file first, or give the window in seconds"
    )]
    PercentNeedsFile {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// A time window for a recording without times.
    #[error(
        "{path} has samples without time, so a time window cannot be applied; hint: leave the window out, or print the field with `perf script -F +time`"
    )]
    NoTimes {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// No sample lies in the time window.
    #[error(
        "{path} has no samples in the time window; hint: its samples are from {} to {} s", seconds(*first_ns), seconds(*last_ns)
    )]
    NothingInWindow {
        /// The source as the caller named it.
        path: Box<str>,
        /// Time of the first sample in nanoseconds.
        first_ns: u64,
        /// Time of the last sample in nanoseconds.
        last_ns: u64,
    },
    /// CPUs were chosen, and the recording does not say where its samples were taken.
    #[error(
        "{path} does not say on which CPU its samples were taken; hint: record with `perf record --sample-cpu`, and give perf.data or its text"
    )]
    NoCpus {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// cgroups were chosen, and the recording does not say in which its samples were taken.
    #[error(
        "{path} does not say in which cgroup its samples were taken; hint: record with `perf record --all-cgroups`, and give perf.data itself"
    )]
    NoCgroups {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// No sample was taken on the CPUs or in the cgroups that were chosen.
    #[error("{path} has no samples on the chosen CPUs or in the chosen cgroups{}", cgroups(known))]
    NothingThere {
        /// The source as the caller named it.
        path: Box<str>,
        /// Some of the cgroups that it has.
        known: Vec<Box<str>>,
    },
    /// A pack that cannot be read.
    #[error("{path}: {source}")]
    Pack {
        /// The source as the caller named it.
        path: Box<str>,
        /// What is wrong with it.
        source: PackError,
    },
    /// A time window that a pack cannot give.
    #[error("{path}: {source}")]
    PackWindow {
        /// The source as the caller named it.
        path: Box<str>,
        /// Why not.
        source: RestrictError,
    },
    /// A recording of `perf record` that cannot be read.
    #[error("{path}: {source}")]
    PerfData {
        /// The source as the caller named it.
        path: Box<str>,
        /// What is wrong with it.
        source: PerfDataError,
    },
    /// A pprof profile that cannot be read.
    #[error("{path}: {source}")]
    Pprof {
        /// The source as the caller named it.
        path: Box<str>,
        /// What is wrong with it.
        source: PprofError,
    },
    /// A flame graph that cannot be read.
    #[error("{path}: {source}")]
    FlameGraph {
        /// The source as the caller named it.
        path: Box<str>,
        /// What is wrong with it.
        source: FlameGraphError,
    },
    /// A recording of waiting was expected.
    #[error("{path} is not a recording of waiting ({found}); hint: {WAITS_HINT}")]
    NoSwitches {
        /// The source as the caller named it.
        path: Box<str>,
        /// What is there instead.
        found: &'static str,
    },
    /// Threads leave the CPU and do not get it back.
    #[error(
        "{path} does not show when threads get the CPU back, so times of waiting are unknown; hint: {WAITS_HINT}; with -p, add --switch-events"
    )]
    NoReturns {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// A recording with branch records was expected.
    #[error("{path} has no branch records; hint: record with perf record -b, on a processor that has them")]
    NoBranches {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// A recording whose branch records are those of the calls that have not returned.
    #[error(
        "{path} has the call stacks of perf record --call-graph lbr, which do not count calls; hint: record with perf record -b"
    )]
    CallStacks {
        /// The source as the caller named it.
        path: Box<str>,
    },
    /// The profile's numbers do not fit.
    #[error("{path}: {source}")]
    Build {
        /// The source as the caller named it.
        path: Box<str>,
        /// What does not fit.
        source: BuildError,
    },
}

fn cgroups(known: &[Box<str>]) -> String {
    if known.is_empty() { String::new() } else { format!("; hint: it has {}", known.join(", ")) }
}

fn show(examples: &[Box<str>]) -> String {
    if examples.is_empty() { String::new() } else { format!(" ({})", examples.join("; ")) }
}
