//! The arguments of `pdiff inlines`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs, RemarkArgs, numbers};

const INLINES_EXAMPLES: &str = "\
Examples:
  pdiff inlines 57/bin/mysqld 80/bin/mysqld
  pdiff inlines old/mysqld new/mysqld --change lost,mixed --function '^row_|^btr_'
  pdiff inlines a.out b.out --remarks-after inlining.txt
  pdiff inlines a.out b.out --format json | jq '.functions[].confirmed_lost[].caller_after'

Debug information is needed on both sides (-g1 is enough), in the binary or separate.
Confirmed: a caller contains the function inlined on one side; on the other it calls it and has no copy.";

/// Which binaries are compared, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = INLINES_EXAMPLES)]
pub(crate) struct InlinesArgs {
    /// Program or library of the base build (ELF), or a pack with a full census
    #[arg(value_name = "BIN_A", required_unless_present = "binary_before", value_hint = ValueHint::FilePath)]
    pub(crate) before: Option<PathBuf>,
    /// Program, library or pack of the build to compare with it
    #[arg(value_name = "BIN_B", required_unless_present = "binary_after", value_hint = ValueHint::FilePath)]
    pub(crate) after: Option<PathBuf>,
    /// Show only these changes: new, gone, lost, gained, mixed, grew, shrank, same, not-visible (comma-separated)
    #[arg(long, value_name = "CHANGE", value_delimiter = ',')]
    pub(crate) change: Vec<String>,
    /// Show only functions whose name matches on either side
    #[arg(long, value_name = "REGEX")]
    pub(crate) function: Option<String>,
    /// Renames between the builds (TOML), tried before the built-in ones (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Names")]
    pub(crate) aliases: Vec<PathBuf>,
    /// Ignore the built-in renames
    #[arg(long, help_heading = "Names")]
    pub(crate) no_builtin_aliases: bool,
    /// The binary of the base build by name, instead of BIN_A; or its debug file, matched by build-id (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary_before: Vec<PathBuf>,
    /// The same for the other build
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary_after: Vec<PathBuf>,
    /// Debug file of either build, matched by build-id (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath, help_heading = "Debug information")]
    pub(crate) binary: Vec<PathBuf>,
    /// Also search for separate debug information under this directory (repeatable)
    #[arg(long = "symfs", alias = "debug-root", value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) debug_root: Vec<PathBuf>,
    /// Directory for cache files [default: the user's cache directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Do not use cache files
    #[arg(long, conflicts_with = "cache_dir", help_heading = "Debug information")]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) remarks: RemarkArgs,
    /// Output format; json has every row that passes the filters
    #[arg(long, value_name = "FORM", value_enum, default_value_t = InlinesFormat::Table, help_heading = "Output")]
    pub(crate) format: InlinesFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows per kind of change in table and markdown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15, help_heading = "Output", value_parser = numbers::whole)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum InlinesFormat {
    Table,
    Markdown,
    Json,
}
