//! Which recordings are read, for all commands that compare.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::numbers;

/// Two sides: each has recordings.
#[derive(Args, Debug)]
#[command(
    mut_arg("after", |after| after.required_unless_present_any(["after_runs", "sums"])),
    mut_arg("before_runs", |runs| runs.requires("after_runs"))
)]
pub(crate) struct PairArgs {
    #[command(flatten)]
    pub(crate) recordings: RecordingArgs,
}

/// What is read. The side after may be left out. Places are written out, as `mut_arg` puts an argument behind the others.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub(crate) struct RecordingArgs {
    /// Recording of the base build: perf.data, its text, folded stacks, pprof, a flame graph (SVG) or a pack; - for standard input
    #[arg(index = 1, help_heading = None::<&str>, value_name = "BEFORE", value_hint = ValueHint::FilePath, required_unless_present_any = ["before_runs", "sums"])]
    pub(crate) before: Option<PathBuf>,
    /// Recording of the build to compare with it
    #[arg(index = 2, help_heading = None::<&str>, value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: Option<PathBuf>,
    /// Several recordings of the base build, used as replicates
    #[arg(long = "before", value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath,
          conflicts_with = "before")]
    pub(crate) before_runs: Vec<PathBuf>,
    /// Several recordings of the other build, used as replicates
    #[arg(long = "after", value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath,
          conflicts_with = "after", requires = "before_runs")]
    pub(crate) after_runs: Vec<PathBuf>,
    /// Store of runs; --before build=5.7 chooses runs of it (`pdiff store`)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "before_runs",
          conflicts_with_all = ["before", "after"])]
    pub(crate) store: Option<PathBuf>,
    /// Only runs of this service in the store (repeatable)
    #[arg(long, value_name = "NAME", requires = "store")]
    pub(crate) service: Vec<String>,
    /// Only runs on this host in the store (repeatable)
    #[arg(long, value_name = "NAME", requires = "store")]
    pub(crate) host: Vec<String>,
    /// Only runs of this day in the store, as 2026-11-24 (repeatable)
    #[arg(long, value_name = "DATE", requires = "store")]
    pub(crate) day: Vec<String>,
    /// Sums of runs of both builds, as Parquet: what an engine made with the query of `pdiff store sql`. They have no stacks
    #[arg(long, value_name = "FILE", num_args = 2, value_names = ["BEFORE", "AFTER"], value_hint = ValueHint::FilePath,
          conflicts_with_all = ["before", "after", "before_runs", "store"])]
    pub(crate) sums: Vec<PathBuf>,
    /// Label of the base side [default: the common part of its file names]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label_before: Option<String>,
    /// Label of the other side [default: the common part of its file names]
    #[arg(long, value_name = "TEXT")]
    pub(crate) label_after: Option<String>,
    /// Event to compare [default: the heaviest clock or cycles event in all recordings]
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Continue even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Number of worker threads [default: one per core]; does not change the result
    #[arg(long, value_name = "N", value_parser = numbers::count)]
    pub(crate) threads: Option<NonZeroUsize>,
}
