//! Settings of servers, and what is known of them: files read for `settings`, `classify` and `explain`.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use pdiff_analysis::SettingsKnowledge;
use pdiff_ingest::parse_settings;
use pdiff_profile::ServerSettings;

use super::read_file;

/// More than any server has to say; what is larger is some other file.
const MAX_BYTES: u64 = 16 << 20;

/// The settings in a file; `-` is standard input.
pub(crate) fn read_server_settings(path: &Path) -> Result<ServerSettings> {
    let shown =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_end(&mut bytes))
    }
    .with_context(|| format!("cannot read {shown}"))?;
    // Values may be in any character set; names are ASCII.
    parse_settings(&String::from_utf8_lossy(&bytes)).context(shown)
}

/// What is known of settings: from a file, else the built-in knowledge of mysqld.
pub(crate) fn settings_knowledge(path: Option<&Path>) -> Result<SettingsKnowledge> {
    path.map_or_else(|| Ok(SettingsKnowledge::mysqld()), |path| read_file(path, SettingsKnowledge::parse))
}
