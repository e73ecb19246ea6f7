//! The arguments of `pdiff attribute`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs, LookupArgs};

const ATTRIBUTE_EXAMPLES: &str = "\
Examples:
  pdiff attribute runs.csv --factors W,P,B,S,F
  pdiff attribute runs.csv --factors W,P --columns build=version --restart P --ignore note
  pdiff attribute runs.csv --factors W,P,B --plot gap.svg --plot-effects dots.svg
  pdiff attribute runs.csv --factors W,P --plan plan.json
  pdiff attribute runs.csv --factors W --profiles 57.perf 80.perf --factor-subsystem W='redo log'

The table has one row a run: build, replicate (optional), tps or seconds, and one column a factor:
1 changed, 0 unchanged, blank if the build lacks it. CSV, TSV, JSON (an array, or one object a
line) and Parquet are told apart by content.
A change of the gap is positive if it favours the target.";

/// Which runs, what their columns mean, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = ATTRIBUTE_EXAMPLES, mut_arg("factors", |factors| factors.required(true)))]
pub(crate) struct AttributeArgs {
    /// Table of benchmark runs; - for standard input
    #[arg(value_name = "RUNS", value_hint = ValueHint::FilePath)]
    pub(crate) runs: PathBuf,
    #[command(flatten)]
    pub(crate) design: DesignArgs,

    /// Plan of these runs, written with pdiff plan --format json: shows predictions beside measurements
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Profiles")]
    pub(crate) plan: Option<PathBuf>,
    /// Recordings of base and target at the baseline, to compare factors with subsystems
    #[arg(long, value_name = "FILE", num_args = 2, value_hint = ValueHint::FilePath, help_heading = "Profiles")]
    pub(crate) profiles: Vec<PathBuf>,
    /// Subsystem that a factor switches: FACTOR=SUBSYSTEM (repeatable) [default: built in for well-known settings of mysqld]
    #[arg(long, value_name = "FACTOR=SUBSYSTEM", requires = "profiles", help_heading = "Profiles")]
    pub(crate) factor_subsystem: Vec<String>,
    /// Rules for parts of the program (TOML), tried before the built-in ones
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "profiles", help_heading = "Profiles")]
    pub(crate) subsystems: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,

    /// Output format
    #[arg(long, value_name = "FORM", value_enum, default_value_t = AttributeFormat::Table, help_heading = "Output")]
    pub(crate) format: AttributeFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Draw a waterfall of the gap, factor by factor (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot: Option<PathBuf>,
    /// Draw what each factor does alone, at its place and on average, with intervals (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot_effects: Option<PathBuf>,
    /// Draw the interactions between factors as a matrix (SVG)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) plot_interactions: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    /// Hide the progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// What a table of runs means, and what is asked of it. The command has the table as its argument `runs`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Benchmark runs")]
pub(crate) struct DesignArgs {
    /// Names of the factors, in the order in which they are changed (comma-separated)
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "runs")]
    pub(crate) factors: Vec<String>,
    /// Map column names: build=, replicate=, tps=, seconds=, cost= (CPU time per operation)
    #[arg(long, value_name = "WHAT=COLUMN", value_delimiter = ',', requires = "runs")]
    pub(crate) columns: Vec<String>,
    /// Columns to ignore (comma-separated)
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', requires = "runs")]
    pub(crate) ignore: Vec<String>,
    /// Base build [default: with two builds, the first by version order]
    #[arg(long, value_name = "BUILD", requires = "runs")]
    pub(crate) base: Option<String>,
    /// Build to compare with the base [default: with two builds, the other one]
    #[arg(long, value_name = "BUILD", requires = "runs")]
    pub(crate) target: Option<String>,
    /// Factors that need a restart; runs between two restarts share an error (comma-separated)
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "runs")]
    pub(crate) restart: Vec<String>,
    /// Show the effect of a factor with and without another one: FACTOR:CEILING (repeatable)
    #[arg(long, value_name = "FACTOR:CEILING", requires = "runs")]
    pub(crate) masking: Vec<String>,
}

impl DesignArgs {
    /// Whether base or target are the user's choice.
    pub(crate) fn chose_sides(&self) -> bool {
        self.base.is_some() || self.target.is_some()
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AttributeFormat {
    Table,
    Markdown,
    Json,
    Csv,
}
