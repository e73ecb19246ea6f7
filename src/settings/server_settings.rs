//! Settings of servers, and what is known of them: files read for `settings`, `classify` and `explain`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pdiff_analysis::{
    Comparison, Fact, Gravity, SettingChange, SettingsDiff, SettingsKnowledge, settings_diff,
};
use pdiff_ingest::parse_settings;
use pdiff_profile::ServerSettings;

use super::side_file::{SERVER_SETTINGS, read_bytes, read_to_limit};
use super::{Inputs, KNOWLEDGE, is_stdin, one_stream, read_file, source};
use crate::cli::ServerArgs;

/// Settings named in the facts of a comparison.
const NAMED: usize = 2;

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

fn reads_stdin(path: &Option<PathBuf>) -> bool {
    path.as_deref().is_some_and(is_stdin)
}

/// What is known of settings: from a file, else the built-in knowledge of mysqld.
pub(crate) fn settings_knowledge(path: Option<&Path>) -> Result<SettingsKnowledge> {
    path.map_or_else(
        || Ok(SettingsKnowledge::mysqld()),
        |path| read_file(path, KNOWLEDGE, SettingsKnowledge::parse),
    )
}

/// The settings of both servers, compared, and what is known of settings.
pub(crate) struct Servers {
    pub(crate) diff: Option<SettingsDiff>,
    pub(crate) knowledge: SettingsKnowledge,
}

impl Servers {
    /// Reads the files that the arguments name, beside recordings; none is fine.
    pub(crate) fn new(args: &ServerArgs, inputs: &Inputs) -> Result<Self> {
        one_stream([
            inputs.reads_stdin(),
            reads_stdin(&args.settings_before),
            reads_stdin(&args.settings_after),
        ])?;
        let knowledge = match &args.settings_knowledge {
            None if args.settings_before.is_none() => SettingsKnowledge::default(),
            path => settings_knowledge(path.as_deref())?,
        };
        let diff = match (&args.settings_before, &args.settings_after) {
            (Some(before), Some(after)) => {
                let (before, after) = (read_server_settings(before)?, read_server_settings(after)?);
                Some(settings_diff(&before, &after, &knowledge))
            }
            _ => None,
        };
        Ok(Self { diff, knowledge })
    }

    /// Puts what is to be said of the settings among the facts of a comparison, gravest first.
    pub(crate) fn tell(&self, comparison: &mut Comparison) {
        let Some(fact) = self.fact() else { return };
        let facts = &mut comparison.comparability;
        let at = facts.iter().position(|other| other.gravity < fact.gravity).unwrap_or(facts.len());
        facts.insert(at, fact);
    }

    /// What a comparison says of the settings before its rows.
    fn fact(&self) -> Option<Fact> {
        let diff = self.diff.as_ref()?;
        let known: Vec<&SettingChange> = diff.differs.iter().filter(|change| change.why.is_some()).collect();
        let values = |value: fn(&SettingChange) -> &String| {
            let pair = |change: &&&SettingChange| format!("{}={}", change.name, value(change));
            known.iter().take(NAMED).map(|change| pair(&change)).collect::<Vec<_>>().join(", ")
        };
        let (before, after, gravity, remark) = match known.len() {
            0 => ("the same".to_owned(), "the same".to_owned(), Gravity::Plain, String::new()),
            count => {
                let remark =
                    format!("{count} settings that are known to matter differ; `pdiff settings` lists them");
                (values(|change| &change.before), values(|change| &change.after), Gravity::Warning, remark)
            }
        };
        Some(Fact { name: "settings", before, after, gravity, remark })
    }
}
