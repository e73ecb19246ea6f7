//! Knowledge about a server's settings: why they matter, their defaults, the code that they switch, and their other names.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::error::{KnowledgeError, parse};
use crate::pattern::PatternSet;

/// The file that comes with pdiff.
const MYSQLD: &str = include_str!("../../presets/mysqld/settings.toml");

/// What is known about settings.
#[derive(Clone, Debug, Default)]
pub struct SettingsKnowledge {
    settings: Vec<KnownSetting>,
    renames: Vec<SettingRename>,
    words: Vec<(String, String)>,
    noise: Vec<(String, PatternSet)>,
    factors: Vec<FactorSubsystem>,
}

/// A setting that matters, and why.
#[derive(Clone, Debug)]
pub struct KnownSetting {
    name: String,
    why: String,
    /// By first version that has it, ascending.
    defaults: Vec<((u32, u32, u32), String)>,
    names_a_file: Option<String>,
    subsystems: Vec<String>,
    functions: PatternSet,
    /// The value with which a server does what one without the setting does.
    as_without: Option<String>,
}

/// A setting under another name.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingRename {
    pub(crate) before: String,
    pub(crate) after: String,
    /// The factor by which to multiply the old value.
    #[serde(default = "one")]
    pub(crate) factor: f64,
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    setting: Vec<Setting>,
    #[serde(default)]
    rename: Vec<SettingRename>,
    #[serde(default)]
    word: Vec<Word>,
    #[serde(default)]
    noise: Vec<Noise>,
    #[serde(default)]
    factor: Vec<FactorSubsystem>,
}

/// The usual name of the factor of an experiment that switches a part of the program.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactorSubsystem {
    names: Vec<String>,
    subsystem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: String,
    why: String,
    #[serde(default)]
    defaults: BTreeMap<String, String>,
    names_a_file: Option<String>,
    #[serde(default)]
    subsystems: Vec<String>,
    #[serde(default)]
    functions: Vec<String>,
    as_without: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    before: String,
    after: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Noise {
    what: String,
    names: Vec<String>,
}

impl SettingsKnowledge {
    /// Reads one file: tables `[[setting]]`, `[[rename]]`, `[[word]]`, `[[noise]]` and `[[factor]]`.
    ///
    /// # Errors
    /// Returns an error if the text does not have that form.
    pub fn parse(text: &str) -> Result<Self, KnowledgeError> {
        let file: File = parse(text)?;
        let noise =
            |noise: Noise| -> Result<_, KnowledgeError> { Ok((noise.what, PatternSet::new(&noise.names)?)) };
        Ok(Self {
            settings: file.setting.into_iter().map(KnownSetting::new).collect::<Result<_, _>>()?,
            renames: file.rename,
            words: file.word.into_iter().map(|word| (word.before, word.after)).collect(),
            noise: file.noise.into_iter().map(noise).collect::<Result<_, _>>()?,
            factors: file.factor,
        })
    }

    /// What is known about mysqld's.
    ///
    /// # Panics
    /// Never: a test reads the built-in file.
    #[must_use]
    pub fn mysqld() -> Self {
        Self::parse(MYSQLD).expect("the built-in settings are checked by a test")
    }

    /// The same without anything folded away as noise.
    #[must_use]
    pub fn without_noise(mut self) -> Self {
        self.noise.clear();
        self
    }

    /// Settings whose value in an option file is the name of a file, each with what is to be known of that.
    pub(crate) fn names_of_files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().filter_map(|setting| Some((setting.name.as_str(), setting.names_a_file()?)))
    }

    /// The knowledge about a setting, and how many settings matter more.
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<(usize, &KnownSetting)> {
        self.settings.iter().enumerate().find(|(_, setting)| setting.name == name)
    }

    /// The part of the program that a factor of an experiment switches; it may be written with dashes or underscores, with
    /// `skip` before it or a value after it.
    #[must_use]
    pub fn factor_subsystem(&self, factor: &str) -> Option<&str> {
        let name = factor.to_ascii_lowercase().replace('-', "_");
        let name = name.split('=').next().unwrap_or("");
        let name = name.strip_prefix("skip_").unwrap_or(name);
        let named = self.factors.iter().find(|of| of.names.iter().any(|known| known == name));
        named.map(|of| of.subsystem.as_str())
    }

    /// The kind of noise that a setting is, if it is noise.
    #[must_use]
    pub fn noise(&self, name: &str) -> Option<&str> {
        self.noise.iter().find(|(_, names)| names.is_match(name)).map(|(what, _)| what.as_str())
    }

    /// The other names of a setting, older or later, with the factor to their values.
    pub(crate) fn other_names(&self, name: &str) -> Vec<(String, f64)> {
        let forth = self.renames.iter().filter(|rename| rename.before == name);
        let back = self.renames.iter().filter(|rename| rename.after == name);
        let forth = forth.map(|rename| (rename.after.clone(), rename.factor));
        let back = back.map(|rename| (rename.before.clone(), 1.0 / rename.factor));
        let words = self.words.iter().flat_map(|(old, new)| [(old, new), (new, old)]);
        let rewritten = words.filter_map(|(from, to)| {
            let parts: Vec<&str> = name.split('_').collect();
            let is_there = parts.contains(&from.as_str());
            let part = |part: &&str| if *part == from.as_str() { to.clone() } else { (*part).to_owned() };
            is_there.then(|| (parts.iter().map(part).collect::<Vec<_>>().join("_"), 1.0))
        });
        forth.chain(back).chain(rewritten).collect()
    }
}

impl KnownSetting {
    fn new(setting: Setting) -> Result<Self, KnowledgeError> {
        let default = |(version, value): (String, String)| -> Result<_, KnowledgeError> {
            let since = parse_version(&version);
            let wrong = || KnowledgeError::Version { setting: setting.name.clone(), version };
            Ok((since.ok_or_else(wrong)?, value))
        };
        let mut defaults: Vec<_> = setting.defaults.into_iter().map(default).collect::<Result<_, _>>()?;
        defaults.sort();
        Ok(Self {
            functions: PatternSet::new(&setting.functions)?,
            name: setting.name,
            why: setting.why,
            defaults,
            names_a_file: setting.names_a_file,
            subsystems: setting.subsystems,
            as_without: setting.as_without,
        })
    }

    /// Why it matters.
    #[must_use]
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Where the value in an option file is the name of a file and switches it on, whatever it is: what is to be known of that.
    #[must_use]
    pub fn names_a_file(&self) -> Option<&str> {
        self.names_a_file.as_deref()
    }

    /// Its default in a version, where known.
    #[must_use]
    pub fn default_of(&self, version: (u32, u32, u32)) -> Option<&str> {
        let held = self.defaults.iter().rev().find(|(since, _)| *since <= version);
        held.map(|(_, value)| value.as_str())
    }

    /// Whether a server with this value does what one without the setting does.
    #[must_use]
    pub fn is_as_without(&self, value: &str) -> bool {
        self.as_without.as_deref() == Some(value.trim())
    }

    /// Whether an experiment with it takes a function away: one of the parts of the program that it switches, or one of
    /// its functions where it switches no whole part.
    #[must_use]
    pub fn switches(&self, function: &str, subsystem: &str) -> bool {
        if self.subsystems.is_empty() {
            self.functions.is_match(function)
        } else {
            self.subsystems.iter().any(|switched| switched == subsystem)
        }
    }

    /// Whether it switches a function, or the part of the program that the function is of.
    #[must_use]
    pub fn gates(&self, function: &str, subsystem: Option<&str>) -> bool {
        self.functions.is_match(function)
            || subsystem.is_some_and(|subsystem| self.subsystems.iter().any(|gated| gated == subsystem))
    }
}

/// `8.0` or `8.0.27`.
fn parse_version(text: &str) -> Option<(u32, u32, u32)> {
    let parts: Vec<u32> = text.split('.').map(str::parse).collect::<Result<_, _>>().ok()?;
    match parts[..] {
        [major, minor] => Some((major, minor, 0)),
        [major, minor, patch] => Some((major, minor, patch)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_file_knows_the_binary_log_and_its_defaults() {
        let known = SettingsKnowledge::mysqld();
        let (_, log_bin) = known.setting("log_bin").unwrap();
        assert_eq!(log_bin.default_of((5, 7, 22)), Some("OFF"));
        assert_eq!(log_bin.default_of((9, 1, 0)), Some("ON"));
        assert_eq!(log_bin.default_of((5, 1, 0)), None);
        assert!(log_bin.gates("MYSQL_BIN_LOG::ordered_commit", None));
        assert!(log_bin.gates("f", Some("binlog")) && !log_bin.gates("f", Some("parser and lexer")));
        assert_eq!(known.noise("slow_query_log_file"), Some("paths"));
        assert_eq!(known.noise("innodb_flush_neighbors"), None);
    }

    #[test]
    fn a_default_without_a_version_is_told_by_the_settings_name() {
        let error = SettingsKnowledge::parse("[[setting]]\nname='x'\nwhy='y'\ndefaults={latest='1'}\n");
        let text = error.unwrap_err().to_string();
        assert_eq!(text, "setting 'x': 'latest' is not a version; hint: write 8.0 or 8.0.27");
    }

    #[test]
    fn every_built_in_setting_stands_once_and_is_no_noise() {
        let known = SettingsKnowledge::mysqld();
        for setting in &known.settings {
            let same = known.settings.iter().filter(|other| other.name == setting.name).count();
            assert_eq!((same, known.noise(&setting.name)), (1, None), "{}", setting.name);
        }
    }

    #[test]
    fn subsystems_that_settings_switch_are_those_of_the_built_in_subsystems() {
        let subsystems = include_str!("../../presets/mysqld/subsystems.toml");
        let known = SettingsKnowledge::mysqld();
        for gated in known.settings.iter().flat_map(|setting| &setting.subsystems) {
            assert!(subsystems.contains(&format!("\nname = \"{gated}\"\n")), "{gated}");
        }
    }

    #[test]
    fn other_names_are_found_from_either_end() {
        let known = SettingsKnowledge::mysqld();
        let names = |name| known.other_names(name).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names("tx_isolation"), ["transaction_isolation"]);
        assert_eq!(names("transaction_isolation"), ["tx_isolation"]);
        assert_eq!(names("slave_parallel_workers"), ["replica_parallel_workers"]);
        assert_eq!(names("sync_source_info"), ["sync_master_info"]);
        assert_eq!(
            known.other_names("expire_logs_days"),
            [("binlog_expire_logs_seconds".to_owned(), 86400.0)]
        );
    }
}
