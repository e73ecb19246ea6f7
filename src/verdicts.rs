//! Why functions changed: verdicts, and what they rest on.

use pdiff_analysis::classify::{
    CallCounts, Classification, ClassifyInput, ClassifyKnowledge, Demands, Evidence, FunctionLookup, Verdict,
    classify, explain, look_up,
};
use pdiff_analysis::{
    Architectural, Comparison, Fact, Gravity, GroupBy, Inlines, SampledCalls, SettingChange, SettingsDiff,
    SettingsKnowledge, Share,
};
use pdiff_profile::names::MatchLevel;

use crate::binary_facts::BinaryFacts;
use crate::error::Error;
use crate::prepared::Prepared;

/// What verdicts may rest on, beyond recordings and binaries.
#[derive(Clone, Debug)]
pub(crate) struct EvidenceGiven {
    /// Costs of design, where they are not those of the preset.
    pub(crate) architectural: Option<Architectural>,
    pub(crate) counts: Option<CallCounts>,
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
            demands: Demands::Any,
            settings: None,
            settings_knowledge: SettingsKnowledge::default(),
        }
    }
}

/// Settings named in the facts of a comparison.
const NAMED: usize = 2;

impl EvidenceGiven {
    /// Puts what is to be said of the settings beside findings, and among the facts of a comparison, gravest first.
    pub(crate) fn tell_of_settings(&self, comparison: &mut Comparison) {
        if let Some(diff) = &self.settings {
            comparison.findings.tell_settings(diff, &self.settings_knowledge);
        }
        let Some(fact) = self.settings_fact() else { return };
        let facts = &mut comparison.comparability;
        let at = facts.iter().position(|other| other.gravity < fact.gravity).unwrap_or(facts.len());
        facts.insert(at, fact);
    }

    /// What a comparison says of the settings before its rows.
    fn settings_fact(&self) -> Option<Fact> {
        let diff = self.settings.as_ref()?;
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

/// Why functions changed. [`Prepared::verdicts`] makes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verdicts<'a> {
    /// Rows by function.
    pub comparison: Comparison,
    /// What the binaries hold.
    pub facts: BinaryFacts,
    calls: SampledCalls,
    architectural: Architectural,
    prepared: &'a Prepared,
}

impl<'a> Verdicts<'a> {
    pub(crate) fn new(prepared: &'a Prepared) -> Result<Self, Error> {
        let settings = &prepared.given().settings;
        let is_of_both = settings.policy.match_level == MatchLevel::Qualified
            && settings.policy.inlines == Inlines::Expand
            && settings.share != Share::ThreadGroup;
        if !is_of_both {
            return Err(Error::NotByFunction);
        }
        let compare = || {
            let comparison = prepared.compare(GroupBy::Function);
            let calls = prepared.normal().calls(&prepared.sides(), &comparison);
            (comparison, calls)
        };
        let (facts, (mut comparison, calls)) = std::thread::scope(|scope| {
            let facts = scope.spawn(|| prepared.binary_facts());
            let compared = compare();
            (facts.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), compared)
        });
        let facts = facts?;
        comparison.notes.merge(facts.notes());
        let given = prepared.given();
        let architectural = given.evidence.architectural.clone();
        let architectural = architectural.unwrap_or_else(|| given.preset.architectural());
        Ok(Self { comparison, facts, calls, architectural, prepared })
    }

    /// A verdict on every function over the floor.
    #[must_use]
    pub fn classify(&self) -> Classification {
        let classification = classify(&self.input());
        self.prepared.given().reading.watcher.finished("classify", None);
        classification
    }

    /// The functions that a name stands for.
    #[must_use]
    pub fn look_up(&self, name: &str) -> FunctionLookup {
        look_up(&self.input(), name)
    }

    /// Everything that is known of functions: verdicts on those of rows, and what the builds hold of a name that no row has.
    #[must_use]
    pub fn explain(&self, names: &[String]) -> (Vec<Verdict>, Vec<Evidence>) {
        explain(&self.input(), names)
    }

    /// As the analysis wants it.
    fn input(&self) -> ClassifyInput<'_> {
        let given = self.prepared.given();
        let (knowledge, evidence) = (&given.settings.knowledge, &given.evidence);
        ClassifyInput {
            comparison: &self.comparison,
            calls: &self.calls,
            builds: self.facts.of_program(),
            same_objects: self.facts.same_objects(),
            packs_without_census: self.facts.lacking(),
            counts: evidence.counts.as_ref(),
            settings: evidence.settings.as_ref(),
            knowledge: ClassifyKnowledge {
                aliases: &knowledge.aliases,
                spin: &knowledge.spin,
                architectural: &self.architectural,
                settings: &evidence.settings_knowledge,
            },
            demands: evidence.demands,
        }
    }
}
