//! The arguments of `pdiff series`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs, LookupArgs, numbers};

const SERIES_EXAMPLES: &str = "\
Examples:
  pdiff series 56.perf 57.perf 80.perf --windows windows.tsv
  pdiff series 5.6=a1.perf 5.6=a2.perf 8.0=b1.perf 8.0=b2.perf
  pdiff series 5.7=57.perf 8.0=80.perf --binary 5.7=57/bin/mysqld --binary 8.0=80/bin/mysqld
  pdiff series --runs qps.csv --base 5.6.51
  pdiff series --store runs service=mysqld host=db1
  pdiff series 5.7=57.perf 8.0=80.perf --vmstat 5.7=57.vmstat --vmstat 8.0=80.vmstat --cpus 8

Builds are in the order in which they are named, recordings first. LABEL=FILE names the build of a
recording; several of one label are replicates. Each build is compared with the one before it; a
cost arrived where it grew most, beyond noise. With ten or more builds, change points are searched.";

/// Which builds, what is known of them, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = SERIES_EXAMPLES)]
pub(crate) struct SeriesArgs {
    /// Recordings in the order of the builds: FILE or LABEL=FILE
    #[arg(value_name = "[LABEL=]FILE", value_hint = ValueHint::FilePath, required_unless_present_any = ["runs", "sysbench", "store"])]
    pub(crate) recordings: Vec<String>,
    /// Store of runs: its builds in the order of their first days; words such as service=mysqld then choose runs
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) store: Option<PathBuf>,
    /// Table of throughputs with columns build and tps or qps, optionally workload, class and threads
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) runs: Option<PathBuf>,
    /// Map column names: build=, workload=, class=, threads=, tps=
    #[arg(long, value_name = "WHAT=COLUMN", value_delimiter = ',', requires = "runs")]
    pub(crate) columns: Vec<String>,
    /// Output of sysbench for a build: throughput and latency (repeatable)
    #[arg(long, value_name = "LABEL=FILE", value_hint = ValueHint::FilePath)]
    pub(crate) sysbench: Vec<String>,
    /// Output of `vmstat 1` during a build's run: CPU and context switches per operation (repeatable)
    #[arg(long, value_name = "LABEL=FILE", value_hint = ValueHint::FilePath)]
    pub(crate) vmstat: Vec<String>,
    /// Number of cores, to show CPU per operation in microseconds
    #[arg(long, value_name = "N", requires = "vmstat", value_parser = numbers::count)]
    pub(crate) cpus: Option<NonZeroUsize>,
    /// Operations, throughput and CPU seconds of all recordings, by file stem (tab separated; columns capture, operations,
    /// tps, cpu_seconds, window_s)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) windows: Option<PathBuf>,
    /// Base of relative throughput [default: the first build]
    #[arg(long, value_name = "LABEL")]
    pub(crate) base: Option<String>,
    /// Rules for parts of the program (TOML), tried before the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) subsystems: Option<PathBuf>,
    /// Binary or debug file, matched by build-id or name; LABEL=PATH for one build only (repeatable)
    #[arg(long, value_name = "[LABEL=]PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<String>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,

    /// Output format; json and csv have every row
    #[arg(long, value_name = "FORM", value_enum, default_value_t = SeriesFormat::Table, help_heading = "Output")]
    pub(crate) format: SeriesFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows of costs in table and markdown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15, help_heading = "Output", value_parser = numbers::whole)]
    pub(crate) top: usize,
    /// Draw relative throughput and CPU per operation over the builds, with intervals and change points (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Draw throughput over the number of threads, a line a build, and CPU per operation by thread group (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot_threads: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    /// Hide the progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SeriesFormat {
    Table,
    Markdown,
    Json,
    Csv,
}
