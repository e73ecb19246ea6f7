//! The arguments of `pdiff report`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{DesignArgs, ExamineArgs, FileArgs, GateArgs, ProgressArgs, SourceArgs, WaitArgs, numbers};

const REPORT_EXAMPLES: &str = "\
Examples:
  pdiff report 57.perf 80.perf -o report.html
  pdiff report 57.perf 80.perf --tps-before 69818 --tps-after 47509 --binary-before 57/bin/mysqld \\
      --binary-after 80/bin/mysqld --settings-before 57.tsv --settings-after 80.tsv -o report.html
  pdiff report 57.perf 80.perf --runs runs.csv --factors skip-log-bin,W -o report.html
  pdiff report --before a1.perf a2.perf --after b1.perf b2.perf --title nightly -o report.html

One file to attach to a bug report: it needs no network and contains all its data as JSON.
docs/report.md explains its contents.";

#[derive(Args, Debug)]
#[command(after_help = REPORT_EXAMPLES)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    pub(crate) examined: ExamineArgs,
    #[command(flatten)]
    pub(crate) waits: WaitArgs,
    /// Table of benchmark runs (CSV, TSV, JSON, Parquet), to attribute the gap to factors; see pdiff attribute
    #[arg(
        long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "factors", help_heading = "Benchmark runs"
    )]
    pub(crate) runs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) design: DesignArgs,
    /// Subsystem that a factor switches: FACTOR=SUBSYSTEM (repeatable) [default: built in for well-known settings of mysqld]
    #[arg(long, value_name = "FACTOR=SUBSYSTEM", requires = "runs", help_heading = "Benchmark runs")]
    pub(crate) factor_subsystem: Vec<String>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Title of the page [default: the labels of both sides]
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    pub(crate) title: Option<String>,
    /// Merge frames narrower than this on both sides in the flame graph, in percent of all samples
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 0.05,
        allow_negative_numbers = true,
        value_parser = numbers::percent,
        help_heading = "Output"
    )]
    pub(crate) min_width: f64,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}
