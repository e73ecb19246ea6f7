//! The arguments of `pdiff settings`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::{ColorArgs, FileArgs, numbers};

const SETTINGS_EXAMPLES: &str = "\
Examples:
  pdiff settings 57-variables.tsv 80-variables.tsv
  mysql -N -B -e 'SHOW GLOBAL VARIABLES' | pdiff settings old.tsv -
  pdiff settings old.cnf new.cnf --format json | jq '.differs[] | select(.why) | .name'

Input is the output of SHOW GLOBAL VARIABLES (tab separated, as a table, or with \\G) or an option file
(my.cnf, key=value).
ON, 1 and YES are the same value, and so are 75 and 75.000000. Renamed settings are joined.";

/// Whose settings are compared, and how the result is shown.
#[derive(Args, Debug)]
#[command(after_help = SETTINGS_EXAMPLES)]
pub(crate) struct SettingsArgs {
    /// Settings of the base server; - for standard input
    #[arg(value_name = "BEFORE", value_hint = ValueHint::FilePath)]
    pub(crate) before: PathBuf,
    /// Settings of the server to compare with it
    #[arg(value_name = "AFTER", value_hint = ValueHint::FilePath)]
    pub(crate) after: PathBuf,
    /// Also show paths, ports, ids, host names and versions, which always differ
    #[arg(long)]
    pub(crate) all: bool,
    /// Knowledge about settings (TOML), instead of the built-in knowledge about mysqld
    #[arg(long = "settings-knowledge", alias = "knowledge", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) knowledge: Option<PathBuf>,
    /// Output format; json and csv have every setting
    #[arg(long, value_name = "FORM", value_enum, default_value_t = SettingsFormat::Table, help_heading = "Output")]
    pub(crate) format: SettingsFormat,
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Rows per list of settings without a known reason, in table and markdown; 0 shows all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30, help_heading = "Output", value_parser = numbers::whole)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// What the servers were set to while the recordings were made.
#[derive(Args, Debug)]
#[command(next_help_heading = "Settings of the servers")]
pub(crate) struct ServerArgs {
    /// Output of SHOW GLOBAL VARIABLES of the base server (tab-separated, table or \G), or its option file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "settings_after")]
    pub(crate) settings_before: Option<PathBuf>,
    /// The same for the other server
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "settings_before")]
    pub(crate) settings_after: Option<PathBuf>,
    /// Knowledge about settings (TOML), instead of the built-in knowledge about mysqld
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
