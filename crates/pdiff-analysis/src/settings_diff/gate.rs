//! Settings that are not the same on both sides as what switches a function.

use pdiff_profile::{PerSide, Side};

use super::SettingsDiff;
use super::value::same_value;
use crate::knowledge::SettingsKnowledge;

/// A setting that switches a function, and is not the same on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SettingGate<'k> {
    /// The setting.
    pub name: String,
    /// Its values as they are shown; `None` on a side that has no such setting.
    pub values: PerSide<Option<String>>,
    /// Why it matters.
    pub why: &'k str,
    /// Both sides have the setting; else one side's server does not know it.
    pub differs: bool,
    /// Whether it is off on each side.
    pub is_off: PerSide<bool>,
}

impl SettingGate<'_> {
    /// Whether it can be why code runs on `active` and not on the other side: it is on there.
    #[must_use]
    pub fn admits(&self, active: Side) -> bool {
        self.differs && !self.is_off[active]
    }
}

impl SettingsDiff {
    /// Settings that switch a function: those that differ, then those that only one side has and that are not off.
    #[must_use]
    pub fn gates<'k>(
        &self,
        knowledge: &'k SettingsKnowledge,
        function: &str,
        subsystem: Option<&str>,
    ) -> Vec<SettingGate<'k>> {
        let gate = |name: &str| {
            let names = std::iter::once(name.to_owned());
            let names = names.chain(knowledge.other_names(name).into_iter().map(|(name, _)| name));
            let mut known = names.filter_map(|name| knowledge.setting(&name));
            known.find(|(_, setting)| setting.gates(function, subsystem))
        };
        let differing = self.differs.iter().filter_map(|change| {
            let (rank, setting) = gate(&change.name)?;
            let (before, after) = change.shown();
            let is_off = PerSide::new(&change.before, &change.after).map(|value| is_off(value));
            let (name, values) = (change.name.clone(), PerSide::new(Some(before), Some(after)));
            Some((rank, SettingGate { name, values, why: setting.why(), differs: true, is_off }))
        });
        let one_sided = Side::BOTH.into_iter().flat_map(|side| {
            let other_is_partial = self.is_partial[side.other()];
            let rows = self.only[side].iter().filter(move |_| !other_is_partial);
            rows.filter(|only| !is_off(&only.value)).filter_map(move |only| {
                let (rank, setting) =
                    gate(&only.name).filter(|(_, known)| !known.is_as_without(&only.value))?;
                let has = |of: Side| of == side;
                let values = PerSide::from_fn(|of| has(of).then(|| only.value.clone()));
                let is_off = PerSide::from_fn(|of| !has(of));
                let name = only.name.clone();
                Some((rank, SettingGate { name, values, why: setting.why(), differs: false, is_off }))
            })
        });
        let mut gates: Vec<(usize, SettingGate<'k>)> = differing.chain(one_sided).collect();
        gates.sort_by(|a, b| {
            (!a.1.differs, a.0, &a.1.name, &a.1.values).cmp(&(!b.1.differs, b.0, &b.1.name, &b.1.values))
        });
        gates.into_iter().map(|(_, gate)| gate).collect()
    }
}

pub(crate) fn is_off(value: &str) -> bool {
    value.is_empty() || value.eq_ignore_ascii_case("none") || same_value(value, "OFF")
}
