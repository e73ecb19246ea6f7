//! The arguments of `pdiff counts`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs, LookupArgs, numbers};

const COUNTS_EXAMPLES: &str = "\
Examples:
  pdiff counts callgrind.out.4711
  pdiff counts callgrind.out.4711 --operations 10000 --format lines > old-calls.tsv
  pdiff counts perf.data --binary /usr/sbin/mysqld -n 50
  perf script -F period,ip,sym,brstacksym > branches.txt && pdiff counts branches.txt
  pdiff counts probes.csv --format json | jq -r '.functions[0].function'

The formats are recognised by content: callgrind's output, perf.data with branch records or their text,
text of bpftrace and funccount, perf stat -x, with probes, and tables of function<TAB>calls. Counts of several files are added up.
`pdiff classify --counts-before .. --counts-after ..` reads the same files, and what --format lines prints.";

/// Which files of counted calls, and how they are shown.
#[derive(Args, Debug)]
#[command(after_help = COUNTS_EXAMPLES)]
pub(crate) struct CountsArgs {
    /// Files of counted calls, of one build and from one tool
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Divide by this number of operations
    #[arg(long, value_name = "N", value_parser = numbers::amount)]
    pub(crate) operations: Option<f64>,
    /// Continue even if more than 1 % of the records of perf.data cannot be read
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Binary or debug file, matched by build-id or name, for the branch records of perf.data (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
    /// Output format; lines and json have every function and caller
    #[arg(long, value_name = "FORM", value_enum, default_value_t = CountsFormat::Table, help_heading = "Output")]
    pub(crate) format: CountsFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows in the table; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20, help_heading = "Output", value_parser = numbers::whole)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CountsFormat {
    Table,
    Lines,
    Json,
}
