//! The arguments of `pdiff pack`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{LookupArgs, numbers};

const PACK_EXAMPLES: &str = "\
Examples:
  pdiff pack 80.perf --binary /usr/sbin/mysqld -o 80.pdiff
  perf script -i perf.data | pdiff pack - -o 80.pdiff
  pdiff pack 80.perf --tps 47509 -o 80.pdiff && pdiff compare 57.pdiff 80.pdiff
  pdiff pack 80.perf --binary mysqld --full-census -o 80.pdiff && pdiff inlines 57.pdiff 80.pdiff

Symbolise where the binaries are, compare on your own machine: a pack replaces the text of the recording.";

/// What goes into a pack.
#[derive(Args, Debug)]
#[command(after_help = PACK_EXAMPLES)]
pub(crate) struct PackArgs {
    /// Recording: perf.data, its text, folded stacks, pprof, a flame graph (SVG) or a pack; - for standard input
    #[arg(value_name = "RECORDING", value_hint = ValueHint::FilePath)]
    pub(crate) recording: PathBuf,
    /// Pack to write; - for standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Continue even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Number of worker threads [default: one per core]; does not change the result
    #[arg(long, value_name = "N", value_parser = numbers::count)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Hide the progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Binary or debug file, matched by build-id or name (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<PathBuf>,
    /// Include facts about all code of the program, for `pdiff inlines`, not only what verdicts need
    #[arg(long, help_heading = "Debug information")]
    pub(crate) full_census: bool,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
    /// Operations done during the recording
    #[arg(long, value_name = "N", help_heading = "Operations", allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) operations: Option<f64>,
    /// Operations per second
    #[arg(long, value_name = "TPS", help_heading = "Operations", allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) tps: Option<f64>,
    /// CPU seconds used by the process
    #[arg(long, value_name = "S", help_heading = "Operations", allow_negative_numbers = true, value_parser = numbers::amount)]
    pub(crate) cpu_seconds: Option<f64>,
}
