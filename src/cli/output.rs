//! How results are shown: forms, rows, colour, and where they go.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::numbers;

/// Where the result goes.
#[derive(Args, Debug)]
pub(crate) struct FileArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// Whether the result is coloured.
#[derive(Args, Debug)]
pub(crate) struct ColorArgs {
    /// When to use colour; auto respects NO_COLOR and CLICOLOR_FORCE
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto, help_heading = "Output")]
    pub(crate) color: ColorChoice,
}

/// What is reported about the run beside its result.
#[derive(Args, Debug)]
pub(crate) struct ProgressArgs {
    /// Hide the progress bar
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
    /// Print time, bytes and peak memory of each stage to standard error
    #[arg(long, help_heading = "Output")]
    pub(crate) timings: bool,
}

/// How the result of a comparison is shown.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Output format, parts-csv for findings
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows in table and markdown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, value_parser = numbers::whole)]
    pub(crate) top: usize,
    /// Order of rows in table and markdown: delta, delta-total, delta-booked, delta-cost, gap, before, after, total or name
    #[arg(long, value_name = "BY", default_value = "delta")]
    pub(crate) sort: String,
    /// Hide rows that changed less than this, in points (table and markdown)
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true, value_parser = numbers::percent)]
    pub(crate) min_delta: Option<f64>,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
    /// The words of the command that explains a function of the same comparison, without its name
    #[arg(skip)]
    pub(crate) explain: Option<Vec<String>>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Table,
    Markdown,
    Json,
    Csv,
    PartsCsv,
    Parquet,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}
