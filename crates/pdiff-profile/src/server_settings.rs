//! The settings that a server ran with: names and values, as the server or its option file spells them.

use std::collections::{BTreeMap, BTreeSet};

/// How much of a server's settings is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SettingsScope {
    /// All that the server has: it printed them.
    All,
    /// What an option file sets: anything else has its default.
    Given,
}

/// Settings by name. Names are lower case with underscores, as servers print them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerSettings {
    scope: SettingsScope,
    values: BTreeMap<Box<str>, String>,
    turned_off: BTreeSet<Box<str>>,
}

impl ServerSettings {
    /// No settings yet.
    #[must_use]
    pub fn new(scope: SettingsScope) -> Self {
        Self { scope, values: BTreeMap::new(), turned_off: BTreeSet::new() }
    }

    /// How much is known.
    #[must_use]
    pub fn scope(&self) -> SettingsScope {
        self.scope
    }

    /// Sets a value. Dashes and underscores in names are the same to a server, and of two values the later holds.
    pub fn insert(&mut self, name: &str, value: &str) {
        let name = canonical(name);
        self.turned_off.remove(&name);
        self.values.insert(name, value.to_owned());
    }

    /// Turns a setting off, as `skip-NAME` in an option file does.
    pub fn turn_off(&mut self, name: &str) {
        self.insert(name, "OFF");
        self.turned_off.insert(canonical(name));
    }

    /// Whether `skip-NAME` or similar turned it off, not a value.
    #[must_use]
    pub fn is_turned_off(&self, name: &str) -> bool {
        self.turned_off.contains(&canonical(name))
    }

    /// Adds a line to a value.
    pub fn append_line(&mut self, name: &str, line: &str) {
        if let Some(value) = self.values.get_mut(canonical(name).as_ref()) {
            value.push('\n');
            value.push_str(line);
        }
    }

    /// The value of a setting.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(canonical(name).as_ref()).map(|value| &**value)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (&**name, &**value))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The server's version, where it says so: `5.7.22-log` is (5, 7, 22).
    #[must_use]
    pub fn version(&self) -> Option<(u32, u32, u32)> {
        let mut parts = self.get("version")?.split(|c: char| !c.is_ascii_digit());
        let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some((major, minor, parts.next().and_then(|patch| patch.parse().ok()).unwrap_or(0)))
    }
}

fn canonical(name: &str) -> Box<str> {
    name.trim().to_ascii_lowercase().replace('-', "_").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_same_with_dashes_and_capitals() {
        let mut settings = ServerSettings::new(SettingsScope::All);
        settings.insert("Sync-Binlog", "1");
        assert_eq!(settings.get("sync_binlog"), Some("1"));
        settings.insert("sync_binlog", "0");
        assert_eq!((settings.get("Sync-binlog"), settings.len()), (Some("0"), 1));
    }

    #[test]
    fn a_version_is_read_as_servers_spell_it() {
        let check = |text: &str, expected| {
            let mut settings = ServerSettings::new(SettingsScope::All);
            settings.insert("version", text);
            assert_eq!(settings.version(), expected, "{text}");
        };
        check("5.7.22-log", Some((5, 7, 22)));
        check("8.0.33", Some((8, 0, 33)));
        check("9.1-debug", Some((9, 1, 0)));
        check("unknown", None);
        check("", None);
    }
}
