//! The arguments of `pdiff script`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FileArgs, LookupArgs, numbers};

const SCRIPT_EXAMPLES: &str = "\
Examples:
  pdiff script perf.data | less
  pdiff script perf.data --time +0,+1 --no-inline
  pdiff script perf.data --binary /usr/lib/debug/mysqld | pdiff compare old.data -
  perf record -F 99 -a -o - -- sleep 5 | pdiff script - | head -40

The output has the format of perf script: a line of thread, CPU, time, period and event, then the stack,
leaf first. Addresses in files are positions in the file; kernel addresses are unchanged.
Text, folded stacks, pprof profiles, flame graphs and packs are not kept sample by sample: samples with the
same thread, second and stack are printed as one, with the sum of their periods.";

/// Which recording is printed.
#[derive(Args, Debug)]
#[command(after_help = SCRIPT_EXAMPLES)]
pub(crate) struct ScriptArgs {
    /// Recording: perf.data, its text, folded stacks, pprof, a flame graph (SVG) or a pack; - for standard input
    #[arg(value_name = "RECORDING", value_hint = ValueHint::FilePath)]
    pub(crate) recording: PathBuf,
    /// Print only samples of this event
    #[arg(long, value_name = "NAME")]
    pub(crate) event: Option<String>,
    /// Print only this part of the recording: START,END in seconds, +START,+END from the first sample, or 10%-20%
    #[arg(long, value_name = "WINDOW", allow_hyphen_values = true)]
    pub(crate) time: Option<String>,
    /// Print only samples taken on these CPUs: 0-3,7
    #[arg(long, value_name = "LIST")]
    pub(crate) cpu: Option<String>,
    /// Print only samples of cgroups whose path matches (repeatable)
    #[arg(long, value_name = "REGEX")]
    pub(crate) cgroup: Vec<String>,
    /// Leave out inlined functions
    #[arg(long)]
    pub(crate) no_inline: bool,
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
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}
