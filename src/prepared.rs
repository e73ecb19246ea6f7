//! Two builds read and made ready: every view of them starts here, and nothing is normalised twice.

use pdiff_analysis::matching::Matching;
use pdiff_analysis::{
    CallTree, CompareSettings, Comparison, FunctionLines, GroupBy, PreparedSides, Preset, RowFunction, Share,
    Sides, TreeSettings,
};
use pdiff_profile::{PerSide, Side};

use crate::binary_facts::{BinaryFacts, BuildSide, Wanted};
use crate::build::Build;
use crate::error::Error;
use crate::evidence::EvidenceGiven;
use crate::lookup::Lookup;
use crate::progress::Warning;
use crate::read::{ReadBuild, Reading, choose_event};
use crate::sides::{normalised, sides};
use crate::waits::ReadWaits;

/// Two builds, ready for every view of them. [`crate::Comparer::prepare`] makes it.
#[derive(Debug)]
pub struct Prepared {
    given: Given,
    read: PerSide<ReadBuild>,
    normal: PreparedSides,
    waits: Option<ReadWaits>,
    warnings: Vec<Warning>,
}

/// The inputs of a comparison.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) builds: PerSide<Build>,
    pub(crate) reading: Reading,
    pub(crate) settings: CompareSettings,
    pub(crate) evidence: EvidenceGiven,
    /// The built-in knowledge about the program.
    pub(crate) preset: Preset,
    /// Whether verdicts look into the binaries.
    pub(crate) takes_facts: bool,
}

impl Prepared {
    pub(crate) fn new(
        given: Given,
        read: PerSide<ReadBuild>,
        normal: PreparedSides,
        waits: Option<ReadWaits>,
        warnings: Vec<Warning>,
    ) -> Self {
        Self { given, read, normal, waits, warnings }
    }

    /// The same recordings, compared by another of their events.
    ///
    /// # Errors
    /// Returns an error if a recording has no such event, or if the filters leave no samples of it on a side.
    pub fn with_event(mut self, event: &str) -> Result<Self, Error> {
        choose_event(self.read.as_mut().into_array(), Some(event))?;
        self.normal = normalised(&self.read, &self.given.settings)?;
        Ok(self)
    }

    /// Compares, with rows of one kind.
    #[must_use]
    pub fn compare(&self, by: GroupBy) -> Comparison {
        self.compare_as(by, self.given.settings.share)
    }

    /// The same, for those who want nothing else of the recordings: the recorded frames and stacks are freed before rows are made.
    #[must_use]
    pub fn into_comparison(mut self, by: GroupBy) -> Comparison {
        self.normal.look_at_recorded_stacks(&self.sides(), &self.given.settings);
        self.read
            .as_mut()
            .into_array()
            .into_iter()
            .flat_map(|side| &mut side.runs)
            .for_each(|run| run.profile.forget_stacks());
        let comparison = self.compare(by);
        let Self { read, normal, .. } = self;
        // Some hundred thousand pieces of memory are freed while the caller goes on.
        rayon::spawn(move || drop((read, normal)));
        comparison
    }

    /// The rows of one kind alone, as shares of all, without findings.
    #[must_use]
    pub fn rows(&self, by: GroupBy) -> Comparison {
        let settings = CompareSettings { group_by: by, share: Share::All, ..self.given.settings.clone() };
        self.normal.compare_rows(&self.sides(), &settings)
    }

    /// Compares, with rows of one kind, as shares of something else than the rest is.
    #[must_use]
    pub fn compare_as(&self, by: GroupBy, share: Share) -> Comparison {
        let settings = CompareSettings { group_by: by, share, ..self.given.settings.clone() };
        let mut comparison = self.normal.compare(&self.sides(), &settings);
        self.add_given(&mut comparison);
        comparison
    }

    /// The rows of sides that were made of the same recordings; [`Self::add_findings`] completes them.
    pub(crate) fn bare_rows(&self, normal: &PreparedSides, by: GroupBy, share: Share) -> Comparison {
        let settings = CompareSettings { group_by: by, share, ..self.given.settings.clone() };
        normal.bare_rows(&self.sides(), &settings)
    }

    /// Adds what is said of both sides as wholes: findings, likely mistakes, differing settings.
    pub(crate) fn add_findings(&self, normal: &PreparedSides, comparison: &mut Comparison) {
        normal.add_findings(&self.sides(), &self.given.settings, comparison);
        self.add_given(comparison);
    }

    /// Adds what the inputs beside the recordings say.
    fn add_given(&self, comparison: &mut Comparison) {
        comparison.preset = self.given.preset.program();
        self.given.evidence.tell_of_settings(comparison);
        if let Some(waits) = &self.waits {
            let waiting = waits.waiting(&self.given.settings, self.normal.program(), comparison);
            comparison.waiting = Some(waiting);
        }
        self.given.reading.watcher.finished("compare", None);
    }

    /// Makes one tree of both sides' stacks.
    #[must_use]
    pub fn call_tree(&self, tree: &TreeSettings) -> CallTree {
        self.tree_of(&self.normal, tree)
    }

    /// Makes the tree of sides that were made of the same recordings.
    pub(crate) fn tree_of(&self, normal: &PreparedSides, tree: &TreeSettings) -> CallTree {
        let of_both = normal.call_tree(&self.sides(), &self.given.settings, tree);
        self.given.reading.watcher.finished("call tree", None);
        of_both
    }

    /// Makes several trees of sides that were made of the same recordings.
    pub(crate) fn trees_of(&self, normal: &PreparedSides, trees: &[TreeSettings]) -> Vec<CallTree> {
        let of_both = normal.call_trees(&self.sides(), &self.given.settings, trees);
        self.given.reading.watcher.finished("call trees", None);
        of_both
    }

    /// The source lines of functions that have most samples.
    #[must_use]
    pub fn hot_lines(&self, functions: &[RowFunction]) -> Vec<FunctionLines> {
        self.normal.hot_lines(&self.sides(), functions)
    }

    /// The contents of the program's binaries, as far as these were found.
    ///
    /// # Errors
    /// Returns an error if a binary cannot be read.
    pub fn binary_facts(&self) -> Result<BinaryFacts, Error> {
        self.facts(Wanted::All)
    }

    /// What verdicts on sampled functions, and on others of these names, need of the binaries.
    pub(crate) fn facts_on(&self, functions: &[&str]) -> Result<BinaryFacts, Error> {
        let Some(program) = self.normal.program() else { return self.facts(Wanted::All) };
        // What compilers said of inlining, and renames that touch libraries, are held against all functions.
        let asks_for_all = self.given.settings.knowledge.aliases.concern_libraries()
            || self.given.evidence.inline_reasons.iter().any(|(_, reasons)| reasons.is_some());
        if asks_for_all {
            return self.facts(Wanted::All);
        }
        let mut names = self.normal.functions_of(&self.sides(), &program.label);
        names.extend(functions);
        self.facts(Wanted::Sampled(&names))
    }

    fn facts(&self, wanted: Wanted<'_>) -> Result<BinaryFacts, Error> {
        let lookup = self.given.reading.lookup.as_ref().filter(|_| self.given.takes_facts);
        let objects = self.normal.objects(&self.sides());
        let facts = BinaryFacts::read(
            PerSide::from_fn(|side| self.build_side(side)),
            self.normal.program(),
            &objects,
            lookup,
            wanted,
        );
        self.given.reading.lookup.iter().for_each(Lookup::free_kept);
        let facts = facts?;
        self.given.reading.watcher.finished("facts of the binaries", None);
        Ok(facts)
    }

    /// One side: what was given, and what was read.
    pub(crate) fn build_side(&self, side: Side) -> BuildSide<'_> {
        BuildSide { side, given: &self.given.builds[side], read: &self.read[side] }
    }

    /// The same, including callers that chains hide and the code of the binaries shows.
    pub(crate) fn with_hidden_callers(&self, facts: &BinaryFacts) -> PreparedSides {
        let builds = PerSide::from_fn(|side| facts.census(side));
        let label = facts.program().unwrap_or("");
        self.normal.with_hidden_callers(&self.sides(), label, builds, &self.given.settings.knowledge)
    }

    /// The same, with what the builds tell of functions that the samples of one side alone hold.
    pub(crate) fn with_counterparts(
        &self,
        normal: PreparedSides,
        facts: &BinaryFacts,
        matching: Option<&Matching>,
    ) -> PreparedSides {
        let PerSide { before, after } = PerSide::from_fn(|side| facts.census(side));
        match (before, after, matching, facts.program()) {
            (Some(before), Some(after), Some(matching), Some(label)) => {
                normal.with_counterparts(&self.sides(), label, PerSide::new(before, after), matching)
            }
            _ => normal,
        }
    }

    /// The built-in knowledge about the program.
    #[must_use]
    pub fn preset(&self) -> Preset {
        self.given.preset
    }

    /// Warnings about odd input.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    pub(crate) fn given(&self) -> &Given {
        &self.given
    }

    pub(crate) fn normal(&self) -> &PreparedSides {
        &self.normal
    }

    pub(crate) fn sides(&self) -> Sides<'_> {
        sides(&self.read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Comparer;

    #[test]
    fn a_comparison_that_frees_recorded_stacks_is_the_same() {
        // Chains on one side alone, chains unwound in two ways, and two events.
        let pairs = [("fp.data", "flat.data"), ("fp.data", "dwarf.perf.zst"), ("two-events.data", "fp.data")];
        for (before, after) in pairs {
            let prepared = || {
                let build = |name: &str| {
                    Build::recordings([format!("{}/fixtures/perf-data/{name}", env!("CARGO_MANIFEST_DIR"))])
                };
                Comparer::new().before(build(before)).after(build(after)).prepare().unwrap()
            };
            for by in [GroupBy::Function, GroupBy::Subsystem, GroupBy::Object, GroupBy::Comm] {
                let [kept, freed] = [prepared().compare(by), prepared().into_comparison(by)];
                // What is no number is like itself.
                assert_eq!(format!("{freed:?}"), format!("{kept:?}"), "{before} {after} {by:?}");
            }
        }
    }
}
