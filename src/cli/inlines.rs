//! The arguments of `pdiff inlines`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs};

const INLINES_EXAMPLES: &str = "\
Examples:
  pdiff inlines 57/bin/mysqld 80/bin/mysqld
  pdiff inlines old/mysqld new/mysqld --change lost,mixed --function '^row_|^btr_'
  pdiff inlines a.out b.out --format json | jq '.functions[].confirmed_lost[].caller_after'

Debug information is needed on both sides (-g1 is enough), in the binary or separate.
Confirmed: a caller held the function inlined on one side; on the other it calls it, with no copy.";

/// Which binaries are compared, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = INLINES_EXAMPLES)]
pub(crate) struct InlinesArgs {
    /// ELF file of the base build, program or library; or a pack with a full census
    #[arg(value_name = "BIN_A", value_hint = ValueHint::FilePath)]
    pub(crate) before: PathBuf,
    /// The same of the build compared with it
    #[arg(value_name = "BIN_B", value_hint = ValueHint::FilePath)]
    pub(crate) after: PathBuf,
    /// Only these changes: new, gone, lost, gained, mixed, grew, shrank, same, not-visible (separated by commas)
    #[arg(long, value_name = "CHANGE", value_delimiter = ',')]
    pub(crate) change: Vec<String>,
    /// Only functions in whose name, on either side, this is found
    #[arg(long, value_name = "REGEX")]
    pub(crate) function: Option<String>,
    /// Known renames (TOML), before the built-in ones (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Names")]
    pub(crate) aliases: Vec<PathBuf>,
    /// Ignore the built-in renames
    #[arg(long, help_heading = "Names")]
    pub(crate) no_builtin_aliases: bool,
    /// Look for separate debug information under this directory, too (repeatable)
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) debug_root: Vec<PathBuf>,
    /// Where cache files are kept, one a binary [default: the user's cache directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Debug information")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Keep no cache files
    #[arg(long, conflicts_with = "cache_dir", help_heading = "Debug information")]
    pub(crate) no_cache: bool,
    /// Form of the result; json holds every row that the filters take
    #[arg(long, value_name = "FORM", value_enum, default_value_t = InlinesFormat::Table, help_heading = "Output")]
    pub(crate) format: InlinesFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows of each change in table and markdown; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 15, help_heading = "Output")]
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
