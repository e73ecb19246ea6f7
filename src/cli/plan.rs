//! The arguments of `pdiff plan`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use pdiff::WantedFactor;

use super::{ColorArgs, ComparisonArgs, FileArgs, PairArgs, ServerArgs, numbers};

const PLAN_EXAMPLES: &str = "\
Examples:
  pdiff plan 57.perf 80.perf --windows windows.tsv --settings-before 57.tsv --settings-after 80.tsv
  pdiff plan 57.perf 80.perf --tps-before 10100 --tps-after 5019 --factors P=performance_schema,B=log_bin
  pdiff plan 57.perf 80.perf --format json -o plan.json --runs runs.csv --script bench.sh
  pdiff attribute runs.csv --factors P,B --plan plan.json

You can switch a setting, SETTING:VALUE, or a part of the program as --by subsystem names it.
Predictions assume that the CPU is the limit; docs/plan.md lists the other assumptions.";

/// Which recordings, which factors, and how many runs.
#[derive(Args, Debug)]
#[command(after_help = PLAN_EXAMPLES, mut_arg("by", |by| by.hide(true)))]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) inputs: PairArgs,
    /// What to switch: NAME=SETTING, NAME=SETTING:VALUE or NAME=PART (comma-separated) [default: chosen from the findings]
    #[arg(long, value_name = "FACTOR", value_delimiter = ',', help_heading = "Experiment")]
    pub(crate) factors: Vec<WantedFactor>,
    /// Read both binaries: if the compiler is the cause, the experiment is another build
    #[arg(long, help_heading = "Experiment")]
    pub(crate) causes: bool,
    /// Design of the runs: all combinations, or each factor alone and one after the other [default: all combinations of up to four]
    #[arg(long, value_name = "RUNS", value_enum, help_heading = "Experiment")]
    pub(crate) design: Option<PlanDesign>,
    /// Number of repeats of each run [default: as many as the expected effects need]
    #[arg(long, value_name = "N", help_heading = "Experiment", value_parser = numbers::count)]
    pub(crate) replicates: Option<NonZeroUsize>,
    /// Write the table of runs, with empty results (CSV), for pdiff attribute
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) runs: Option<PathBuf>,
    /// Write a shell script that does the runs, for you to adapt
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) script: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) comparison: ComparisonArgs,
    #[command(flatten)]
    pub(crate) servers: ServerArgs,
    /// Output format; pdiff attribute --plan reads json
    #[arg(long, value_name = "FORM", value_enum, default_value_t = PlanFormat::Table, help_heading = "Output")]
    pub(crate) format: PlanFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    /// Hide the progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanDesign {
    /// Every combination of the factors
    Factorial,
    /// Each factor alone, and one after the other
    OneByOne,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlanFormat {
    Table,
    Markdown,
    Json,
}
