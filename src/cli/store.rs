//! The arguments of `pdiff store` and its commands.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::{FileArgs, LookupArgs, numbers};

const STORE_EXAMPLES: &str = "\
Examples:
  pdiff store add runs 80-r1.perf 80-r2.perf --service mysqld --build 8.0.33 --host db1
  pdiff store list runs build=8.0.33
  pdiff compare --store runs --before build=5.7.22 --after build=8.0.33

Each run keeps its samples as Parquet tables, for engines that sum, and as a pack, which pdiff compares.";

const ADD_EXAMPLES: &str = "\
Examples:
  pdiff store add runs 80.perf --service mysqld --build 8.0.33
  pdiff store add runs 80-r*.perf --service mysqld --build 8.0.33 --host db1 --day 2026-11-24 --windows windows.tsv
  pdiff store add runs 80.perf --service mysqld --build 8.0.33 --binary /usr/sbin/mysqld

Many hosts may add to one store at once. A run that is there already is left as it is, unless more binaries are found now.";

const RUNS_EXAMPLES: &str = "\
Examples:
  pdiff store list runs
  pdiff store list runs build=8.0.33 host=db1 host=db2
  pdiff store list runs service=mysqld | cut -f 2-5

Columns: service, build, host, day, run, kernel, cpu_model, recording. Values of one column are alternatives.";

const PRUNE_EXAMPLES: &str = "\
Examples:
  pdiff store prune runs build=5.7.22 --dry-run
  pdiff store prune runs --before-day 2026-10-01
  pdiff store prune runs --unfinished";

const SUMS_EXAMPLES: &str = "\
Examples:
  pdiff store sums runs build=8.0.33
  pdiff store sums runs build=5.7.22 --format parquet -o before.parquet
  pdiff compare --sums before.parquet after.parquet

The rows are those of the query that `pdiff store sql` prints, in its order.";

const CHECK_EXAMPLES: &str = "\
Examples:
  pdiff store check runs
  pdiff store check runs && pdiff store list runs
  pdiff store check runs -o problems.tsv";

const SQL_EXAMPLES: &str = "\
Examples:
  pdiff store sql
  pdiff store sql -o sums.sql
  pdiff store sql | cat -";

#[derive(Args, Debug)]
#[command(after_help = STORE_EXAMPLES)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    pub(crate) command: StoreCommand,
}

#[derive(Subcommand, Debug)]
pub(crate) enum StoreCommand {
    /// Add recordings, symbolised, to a store; makes the store if there is none.
    Add(Box<StoreAddArgs>),
    /// List the runs of a store, tab separated.
    List(StoreRunsArgs),
    /// Sum a store without a query engine: self and total weight of each function in each run.
    Sums(StoreSumsArgs),
    /// Read every file of a store, and report files that are damaged, unfinished or foreign.
    Check(StoreCheckArgs),
    /// Remove runs from a store, or unfinished files of writers that were stopped.
    Prune(StorePruneArgs),
    /// Print the SQL query that sums a store, for DuckDB or another query engine.
    Sql(StoreSqlArgs),
}

#[derive(Args, Debug)]
#[command(after_help = ADD_EXAMPLES)]
pub(crate) struct StoreAddArgs {
    /// Directory of the store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    /// Recordings: perf.data, its text, folded stacks, pprof, flame graphs (SVG) or packs; - for standard input
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    pub(crate) recordings: Vec<PathBuf>,
    /// Service or program that ran
    #[arg(long, value_name = "NAME")]
    pub(crate) service: String,
    /// Build of the service
    #[arg(long, value_name = "NAME")]
    pub(crate) build: String,
    /// Machine it ran on [default: the host that the recording names, else `unknown`]
    #[arg(long, value_name = "NAME")]
    pub(crate) host: Option<String>,
    /// Day of the recordings, as 2026-11-24 [default: the day on which the file was last written, UTC]
    #[arg(long, value_name = "DATE")]
    pub(crate) day: Option<String>,
    /// Operations, throughput and CPU seconds of the recordings, by file stem (tab separated; columns capture, operations,
    /// tps, cpu_seconds, window_s)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) windows: Option<PathBuf>,
    /// Continue even if more than 1 % of the lines cannot be parsed
    #[arg(long)]
    pub(crate) lenient: bool,
    /// Number of worker threads [default: one per core]; does not change the result
    #[arg(long, value_name = "COUNT", value_parser = numbers::count)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Hide the progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Binary or debug file, matched by build-id or name (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
}

#[derive(Args, Debug)]
#[command(after_help = RUNS_EXAMPLES)]
pub(crate) struct StoreRunsArgs {
    /// Directory of the store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    /// Which runs: build=8.0, host=db1 and so on [default: all]
    #[arg(value_name = "COLUMN=VALUE")]
    pub(crate) wanted: Vec<String>,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

#[derive(Args, Debug)]
#[command(after_help = SUMS_EXAMPLES)]
pub(crate) struct StoreSumsArgs {
    /// Directory of the store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    /// Which runs: build=8.0, host=db1 and so on [default: all]
    #[arg(value_name = "COLUMN=VALUE")]
    pub(crate) wanted: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORM", value_enum, default_value_t = SumsFormat::Tsv, help_heading = "Output")]
    pub(crate) format: SumsFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SumsFormat {
    Tsv,
    Parquet,
}

#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct StoreCheckArgs {
    /// Directory of the store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    #[command(flatten)]
    pub(crate) file: FileArgs,
}

#[derive(Args, Debug)]
#[command(after_help = PRUNE_EXAMPLES)]
pub(crate) struct StorePruneArgs {
    /// Directory of the store
    #[arg(value_name = "STORE", value_hint = ValueHint::DirPath)]
    pub(crate) store: PathBuf,
    /// Which runs: build=5.7, host=db1 and so on
    #[arg(value_name = "COLUMN=VALUE", required_unless_present_any = ["before_day", "unfinished", "damaged"])]
    pub(crate) wanted: Vec<String>,
    /// Only runs recorded before this day, as 2026-10-01
    #[arg(long, value_name = "DATE")]
    pub(crate) before_day: Option<String>,
    /// Remove files that writers left behind when they were stopped more than an hour ago
    #[arg(long, conflicts_with_all = ["wanted", "before_day"])]
    pub(crate) unfinished: bool,
    /// Remove runs that `pdiff store check` calls damaged
    #[arg(long, conflicts_with_all = ["wanted", "before_day"])]
    pub(crate) damaged: bool,
    /// Print what would be removed and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Args, Debug)]
#[command(after_help = SQL_EXAMPLES)]
pub(crate) struct StoreSqlArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
}
