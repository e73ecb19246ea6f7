//! Why functions changed: verdicts, and what they rest on.

use pdiff_analysis::classify::{
    Classification, ClassifyInput, ClassifyKnowledge, Evidence, FunctionLookup, Verdict, classify, explain,
    look_up,
};
use pdiff_analysis::{Architectural, Comparison, GroupBy, Inlines, SampledCalls, Share, Templates};
use pdiff_profile::names::MatchLevel;

use crate::binary_facts::BinaryFacts;
use crate::error::Error;
use crate::prepared::Prepared;

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

impl Prepared {
    /// Says why functions changed: from rows, sampled calls, and what the binaries hold.
    ///
    /// # Errors
    /// If a binary cannot be read, or if rows are no functions of both builds: by another match level than qualified names,
    /// with inlines or templates collapsed, or with shares of thread groups.
    pub fn verdicts(&self) -> Result<Verdicts<'_>, Error> {
        Verdicts::new(self)
    }
}

impl<'a> Verdicts<'a> {
    fn new(prepared: &'a Prepared) -> Result<Self, Error> {
        let settings = &prepared.given().settings;
        let is_of_both = settings.policy.match_level == MatchLevel::Qualified
            && settings.policy.inlines == Inlines::Expand
            && settings.policy.templates == Templates::Keep
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
            inline_reasons: evidence.inline_reasons.as_ref().map(Option::as_ref),
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
