//! Why functions changed: verdicts, and their evidence.

use pdiff_analysis::classify::{
    Classification, ClassifyInput, ClassifyKnowledge, Evidence, FunctionLookup, Verdict, classify, explain,
    look_up,
};
use pdiff_analysis::matching::Matching;
use pdiff_analysis::{
    Architectural, CallTree, Comparison, GroupBy, Inlines, PreparedSides, SampledCalls, Seconds, Share,
    Templates, TreeSettings,
};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{Notes, PerSide};

use crate::binary_facts::BinaryFacts;
use crate::code_paths::ProgramPaths;
use crate::error::Error;
use crate::prepared::Prepared;

/// Why functions changed. [`Prepared::verdicts`] makes it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verdicts<'a> {
    /// Rows by function. If chains hide callers and the binaries show them, totals and findings include those callers.
    pub comparison: Comparison,
    /// What the binaries hold.
    pub facts: BinaryFacts,
    /// Which functions of both builds are the same.
    matching: Option<Matching>,
    calls: SampledCalls,
    paths: ProgramPaths<'a>,
    architectural: Architectural,
    classification: Classification,
    prepared: &'a Prepared,
    /// With the callers that chains hide and the binaries tell.
    normal: PreparedSides,
}

impl Prepared {
    /// Explains why functions changed, from rows, sampled calls, and the contents of the binaries.
    ///
    /// # Errors
    /// Returns an error if a binary cannot be read, or if rows are not functions of both builds: with another match level
    /// than qualified names, with inlines or templates collapsed, or with shares of thread groups.
    pub fn verdicts(&self) -> Result<Verdicts<'_>, Error> {
        Verdicts::new(self, &[])
    }

    /// The same where [`Verdicts::look_up`] and [`Verdicts::explain`] may be asked about `functions` that neither run
    /// sampled. Library functions that are only inlined are looked for in the binaries by their names alone.
    ///
    /// # Errors
    /// As [`Self::verdicts`].
    pub fn verdicts_with(&self, functions: &[&str]) -> Result<Verdicts<'_>, Error> {
        Verdicts::new(self, functions)
    }
}

impl<'a> Verdicts<'a> {
    fn new(prepared: &'a Prepared, functions: &[&str]) -> Result<Self, Error> {
        let settings = &prepared.given().settings;
        let is_of_both = settings.policy.match_level == MatchLevel::Qualified
            && settings.policy.inlines == Inlines::Expand
            && settings.policy.templates == Templates::Keep
            && settings.share != Share::ThreadGroup;
        if !is_of_both {
            return Err(Error::NotByFunction);
        }
        let facts = prepared.facts_on(functions)?;
        // Which functions are the same the builds alone tell, whatever was sampled.
        let (matching, (normal, mut comparison, calls)) = std::thread::scope(|scope| {
            let matching = scope.spawn(|| {
                let mut notes = Notes::new();
                (facts.matching(&settings.knowledge.aliases, &mut notes), notes)
            });
            let normal = prepared.with_hidden_callers(&facts);
            let mut comparison = prepared.bare_rows(&normal, GroupBy::Function, settings.share);
            let calls = normal.calls(&prepared.sides(), &comparison);
            let matching = matching.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (matching, notes) = matching;
            comparison.notes.merge(&notes);
            let normal = prepared.with_counterparts(normal, &facts, matching.as_ref());
            prepared.add_findings(&normal, &mut comparison);
            (matching, (normal, comparison, calls))
        });
        comparison.notes.merge(facts.notes());
        let given = prepared.given();
        let architectural = given.evidence.architectural.clone();
        let architectural = architectural.unwrap_or_else(|| given.preset.architectural());
        let paths = ProgramPaths::new(prepared, facts.files().clone());
        let classification = Classification::default();
        let mut verdicts = Self {
            comparison,
            facts,
            matching,
            calls,
            paths,
            architectural,
            classification,
            prepared,
            normal,
        };
        verdicts.classification = classify(&verdicts.input());
        given.reading.watcher.finished("classify", None);
        Ok(verdicts.joining_renamed())
    }

    /// The same, where a function that only has another name is no part of the change twice: as new and as gone.
    fn joining_renamed(mut self) -> Self {
        let renamed = self.classification.renamed();
        if !renamed.is_empty() {
            self.normal = self.normal.with_renamed(&renamed);
            self.comparison.renamed = renamed;
            let settings = &self.prepared.given().settings;
            self.normal.find_again(&self.prepared.sides(), settings, &mut self.comparison);
        }
        self
    }

    /// A verdict on every function over the floor.
    #[must_use]
    pub fn classify(&self) -> &Classification {
        &self.classification
    }

    /// Makes one tree of both sides' stacks, including callers that chains hide and the binaries show.
    #[must_use]
    pub fn call_tree(&self, tree: &TreeSettings) -> CallTree {
        self.prepared.tree_of(&self.normal, tree)
    }

    /// Makes several such trees.
    #[must_use]
    pub fn call_trees(&self, trees: &[TreeSettings]) -> Vec<CallTree> {
        self.prepared.trees_of(&self.normal, trees)
    }

    /// The groups of threads with the weight of each side, base first; the heaviest first.
    #[must_use]
    pub fn thread_groups(&self) -> Vec<(String, PerSide<u64>)> {
        self.normal.thread_groups(&self.prepared.sides())
    }

    /// What each second of the recordings holds, as a whole and of some functions, each named with its object.
    #[must_use]
    pub fn seconds(&self, functions: &[(String, String)]) -> Seconds {
        self.normal.seconds(&self.prepared.sides(), functions)
    }

    /// The functions that a name represents. Of those without a row see [`Prepared::verdicts_with`].
    #[must_use]
    pub fn look_up(&self, name: &str) -> FunctionLookup {
        look_up(&self.input(), name)
    }

    /// Everything that is known about functions: verdicts for those with rows, and the contents of the builds for a name
    /// without a row, see [`Prepared::verdicts_with`].
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
            builds: self.facts.of_program(self.matching.as_ref()),
            same_objects: self.facts.same_objects(),
            packs_without_census: self.facts.lacking(),
            counts: evidence.counts.as_ref(),
            paths: Some(&self.paths),
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
