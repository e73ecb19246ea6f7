//! The arguments of `pdiff settings`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs};

const SETTINGS_EXAMPLES: &str = "\
Examples:
  pdiff settings 57-variables.tsv 80-variables.tsv
  mysql -N -B -e 'SHOW GLOBAL VARIABLES' | pdiff settings old.tsv -
  pdiff settings old.cnf new.cnf --format json | jq '.differs[] | select(.why) | .name'

Read are the output of SHOW GLOBAL VARIABLES (tab separated, as a table, or by \\G) and option files
(my.cnf, key=value).
ON, 1 and YES are the same value, and so are 75 and 75.000000. Renamed settings are joined.";

/// Whose settings are compared, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = SETTINGS_EXAMPLES)]
pub(crate) struct SettingsArgs {
    /// Settings of the base build's server; - for standard input
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub(crate) before: PathBuf,
    /// Settings of the server compared with it
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: PathBuf,
    /// Paths, ports, ids, host names and versions as well, which differ between any two servers
    #[arg(long)]
    pub(crate) all: bool,
    /// What is known of settings (TOML), instead of the built-in knowledge of mysqld
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) knowledge: Option<PathBuf>,
    /// Form of the result; json and csv hold every setting
    #[arg(long, value_name = "FORM", value_enum, default_value_t = SettingsFormat::Table, help_heading = "Output")]
    pub(crate) format: SettingsFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows of each list in table and markdown, where no reason is known; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, help_heading = "Output")]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// What the servers were set to while the recordings were made.
#[derive(Args, Debug)]
#[command(next_help_heading = "Settings of the servers")]
pub(crate) struct ServerArgs {
    /// What SHOW GLOBAL VARIABLES printed on the base side's server (tab separated, table or \G), or its option file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "settings_after")]
    pub(crate) settings_before: Option<PathBuf>,
    /// The same of the other side's server
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "settings_before")]
    pub(crate) settings_after: Option<PathBuf>,
    /// What is known of settings (TOML), instead of the built-in knowledge of mysqld
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "settings_before")]
    pub(crate) settings_knowledge: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SettingsFormat {
    Table,
    Markdown,
    Json,
    Csv,
}
