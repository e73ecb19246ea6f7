//! A setting with its values on both sides, as verdicts name it.

use pdiff_profile::PerSide;

use crate::settings_diff::SettingGate;

/// A setting and its values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingValues {
    /// The setting.
    pub name: String,
    /// Its values; `None` on a side that has no such setting.
    pub values: PerSide<Option<String>>,
}

impl SettingValues {
    pub(super) fn of(gate: &SettingGate<'_>) -> Self {
        Self { name: gate.name.clone(), values: gate.values.clone() }
    }
}
