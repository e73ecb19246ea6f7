//! Settings of servers, and what is known about them: files read for `settings`, `classify` and `explain`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pdiff::profile::ServerSettings;
use pdiff::{Comparer, SettingsKnowledge, parse_settings};

use super::side_file::{SERVER_SETTINGS, read_bytes, read_to_limit};
use super::{KNOWLEDGE, is_stdin, one_stream, read_file, source};
use crate::cli::ServerArgs;

/// The settings in a file; `-` is standard input.
pub(crate) fn read_server_settings(path: &Path) -> Result<ServerSettings> {
    let shown = source(path).to_string();
    let bytes = match is_stdin(path) {
        true => read_to_limit(std::io::stdin().lock(), SERVER_SETTINGS, &shown)?,
        false => read_bytes(path, SERVER_SETTINGS)?,
    };
    // Values may be in any character set; names are ASCII.
    parse_settings(&String::from_utf8_lossy(&bytes)).context(shown)
}

fn is_input(path: &Option<PathBuf>) -> bool {
    path.as_deref().is_some_and(is_stdin)
}

/// What is known about settings: from a file, else the built-in knowledge of mysqld.
pub(crate) fn settings_knowledge(path: Option<&Path>) -> Result<SettingsKnowledge> {
    path.map_or_else(
        || Ok(SettingsKnowledge::mysqld()),
        |path| read_file(path, KNOWLEDGE, SettingsKnowledge::parse),
    )
}

/// A comparison with the settings of both servers, where the arguments name them.
pub(crate) fn with_servers(comparer: Comparer, args: &ServerArgs, reads_stdin: bool) -> Result<Comparer> {
    one_stream([reads_stdin, is_input(&args.settings_before), is_input(&args.settings_after)])?;
    let comparer = match &args.settings_knowledge {
        None if args.settings_before.is_none() => comparer,
        path => comparer.settings_knowledge(settings_knowledge(path.as_deref())?),
    };
    Ok(match (&args.settings_before, &args.settings_after) {
        (Some(before), Some(after)) => {
            comparer.server_settings(&read_server_settings(before)?, &read_server_settings(after)?)
        }
        _ => comparer,
    })
}
