//! Which settings of the servers are behind findings.

use super::finding::{Finding, FindingSetting, Findings};
use crate::knowledge::SettingsKnowledge;
use crate::settings_diff::SettingsDiff;

/// The part of a finding's change that a function at the leaves must have, so that its settings are the finding's.
const LEAST_MEMBER: f64 = 0.3;

/// The most settings named.
const MOST_SETTINGS: usize = 2;

impl Findings {
    /// Adds to each finding the settings that differ and switch it.
    pub fn tell_settings(&mut self, diff: &SettingsDiff, knowledge: &SettingsKnowledge) {
        for finding in &mut self.list {
            finding.settings = settings_of(finding, diff, knowledge);
        }
    }
}

/// Settings of the function that a finding is named by, then of those that hold much of it.
fn settings_of(finding: &Finding, diff: &SettingsDiff, knowledge: &SettingsKnowledge) -> Vec<FindingSetting> {
    let mut named: Vec<FindingSetting> = Vec::new();
    for function in functions_of(finding) {
        for gate in diff.gates(knowledge, function, None) {
            if named.iter().all(|other| other.name != gate.name) {
                named.push(FindingSetting { name: gate.name, values: gate.values, why: gate.why.to_owned() });
            }
        }
    }
    named.truncate(MOST_SETTINGS);
    named
}

fn functions_of(finding: &Finding) -> Vec<&str> {
    let change = finding.delta_pp().abs();
    let is_large = |delta: f64| delta.abs() >= LEAST_MEMBER * change;
    let members =
        finding.members.iter().filter(|member| !member.name.is_empty() && is_large(member.delta_pp()));
    std::iter::once(finding.function()).chain(members.map(|member| member.name.as_str())).collect()
}
