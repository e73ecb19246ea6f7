//! A setting with its values on both sides, as verdicts name it.

use crate::settings_diff::SettingGate;

/// A setting and its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingValues {
    /// The setting.
    pub name: String,
    /// Its values, base first; `None` on a side that has no such setting.
    pub values: [Option<String>; 2],
}

impl SettingValues {
    pub(super) fn of(gate: &SettingGate<'_>) -> Self {
        Self { name: gate.name.clone(), values: gate.values.clone() }
    }
}
