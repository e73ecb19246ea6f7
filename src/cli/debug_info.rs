//! Where binaries and their debug information are, for all commands that symbolise.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Where binaries and their debug information are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Debug information")]
pub(crate) struct DebugInfoArgs {
    /// Binary or debug file of the base build (repeatable)
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) binary_before: Vec<PathBuf>,
    /// The same for the other build; both are matched by build-id or name
    #[arg(long, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub(crate) binary_after: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) lookup: LookupArgs,
}

/// Where else binaries and their debug information are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Debug information")]
pub(crate) struct LookupArgs {
    /// Search for the profile's objects under this root directory
    #[arg(long, alias = "debug-root", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) symfs: Option<PathBuf>,
    /// Output of `perf buildid-list`, to check binaries (repeatable)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) buildid_list: Vec<PathBuf>,
    /// Use a binary even if it is not the build that was profiled
    #[arg(long)]
    pub(crate) ignore_build_id: bool,
    /// Use only the symbols that perf printed
    #[arg(long)]
    pub(crate) no_symbolize: bool,
    /// Directory for cache files [default: the user's cache directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Do not use cache files
    #[arg(long, conflicts_with = "cache_dir")]
    pub(crate) no_cache: bool,
}
