//! Evidence for verdicts beyond recordings and binaries: counted calls, costs of design, settings of the servers.

use pdiff_analysis::classify::{CallCounts, Demands};
use pdiff_analysis::inlines::InlineReasons;
use pdiff_analysis::side_fact::{Concern, Subject};
use pdiff_analysis::{
    Architectural, Comparison, SettingChange, SettingsDiff, SettingsKnowledge, Severity, SideFact,
};
use pdiff_profile::PerSide;

/// Evidence for verdicts, beyond recordings and binaries.
#[derive(Clone, Debug)]
pub(crate) struct EvidenceGiven {
    /// Costs of design, where they are not those of the preset.
    pub(crate) architectural: Option<Architectural>,
    pub(crate) counts: Option<CallCounts>,
    /// The compilers' remarks on calls.
    pub(crate) inline_reasons: PerSide<Option<InlineReasons>>,
    pub(crate) demands: Demands,
    /// How the servers' settings differ, where they are given.
    pub(crate) settings: Option<SettingsDiff>,
    pub(crate) settings_knowledge: SettingsKnowledge,
}

impl Default for EvidenceGiven {
    fn default() -> Self {
        Self {
            architectural: None,
            counts: None,
            inline_reasons: PerSide::default(),
            demands: Demands::Any,
            settings: None,
            settings_knowledge: SettingsKnowledge::default(),
        }
    }
}

impl EvidenceGiven {
    /// Adds the settings to findings, and to the facts of a comparison, the most serious first.
    pub(crate) fn tell_of_settings(&self, comparison: &mut Comparison) {
        if let Some(diff) = &self.settings {
            comparison.findings.tell_settings(diff, &self.settings_knowledge);
        }
        let Some(fact) = self.settings_fact() else { return };
        let facts = &mut comparison.comparability;
        let at = facts.iter().position(|other| other.severity < fact.severity).unwrap_or(facts.len());
        facts.insert(at, fact);
    }

    /// The fact about settings that a comparison shows before its rows.
    fn settings_fact(&self) -> Option<SideFact> {
        let diff = self.settings.as_ref()?;
        let known: Vec<&SettingChange> = diff.differs.iter().filter(|change| change.why.is_some()).collect();
        let values = |value: fn(&SettingChange) -> &String| {
            known.iter().map(|change| (change.name.clone(), value(change).clone())).collect::<Vec<_>>()
        };
        let subject =
            Subject::Settings(PerSide::new(values(|change| &change.before), values(|change| &change.after)));
        Some(match known.len() {
            0 => SideFact::plain(subject),
            count => SideFact::new(subject, Severity::Warning, Concern::SettingsDiffer(count)),
        })
    }
}
