//! What verdicts are made of: a comparison, and the builds behind it. One path for all commands that give verdicts.

use anyhow::Result;
use pdiff_analysis::classify::{Classification, ClassifyInput, ClassifyKnowledge, classify};
use pdiff_analysis::{
    CallTree, CompareSettings, Comparison, SampledCalls, Sides, TreeSettings, compare_with_calls,
    compare_with_tree,
};
use pdiff_profile::Notes;

use crate::builds::{ReadAhead, ReadBuilds};
use crate::pipeline::{Examined, FoundCode, ReadSides, examine};
use crate::settings::{Classified, DebugInfo};
use crate::timings::Timings;

/// Both sides compared, with the census of the program's builds.
pub(crate) struct Evidence {
    pub(crate) examined: Examined,
    pub(crate) builds: ReadBuilds,
    pub(crate) sides: ReadSides,
}

impl Evidence {
    /// Reads and compares. The censuses are taken of files that `census` leads to, beside the comparison as far as it can
    /// be told which they will be.
    pub(crate) fn read(
        classified: &Classified,
        census: Option<&DebugInfo>,
        quiet: bool,
        timings: &mut Timings,
    ) -> Result<Self> {
        let compare = |sides: &Sides<'_>, settings: &CompareSettings| {
            let (comparison, calls) = compare_with_calls(sides, settings);
            (comparison, calls, ())
        };
        let (evidence, ()) = Self::read_by(classified, census, quiet, timings, compare)?;
        Ok(evidence)
    }

    /// The same, with one tree of both sides' stacks.
    pub(crate) fn read_with_tree(
        classified: &Classified,
        census: Option<&DebugInfo>,
        tree: &TreeSettings,
        quiet: bool,
        timings: &mut Timings,
    ) -> Result<(Self, CallTree)> {
        let compare =
            |sides: &Sides<'_>, settings: &CompareSettings| compare_with_tree(sides, settings, tree);
        Self::read_by(classified, census, quiet, timings, compare)
    }

    fn read_by<T: Send>(
        classified: &Classified,
        census: Option<&DebugInfo>,
        quiet: bool,
        timings: &mut Timings,
        compare: impl FnOnce(&Sides<'_>, &CompareSettings) -> (Comparison, SampledCalls, T),
    ) -> Result<(Self, T)> {
        let read_ahead = |code: &[FoundCode; 2]| ReadAhead::read(code, census);
        let (mut examined, sides, more, ahead) =
            examine(&classified.compared, quiet, timings, compare, read_ahead)?;
        let mut notes = Notes::new();
        let builds = ReadBuilds::read(&examined, census, ahead, &mut notes)?;
        examined.comparison.notes.merge(&notes);
        classified.servers.tell(&mut examined.comparison);
        timings.lap("census of the binaries", None);
        Ok((Self { examined, builds, sides }, more))
    }

    /// Why functions changed.
    pub(crate) fn classify(&self, classified: &Classified) -> Classification {
        let mut classification = classify(&self.input(classified));
        self.builds.set_packed(&mut classification.missing);
        classification
    }

    /// As the analysis wants it.
    pub(crate) fn input<'a>(&'a self, classified: &'a Classified) -> ClassifyInput<'a> {
        let knowledge = &classified.compared.settings.knowledge;
        ClassifyInput {
            comparison: &self.examined.comparison,
            calls: &self.examined.calls,
            builds: self.builds.of_program(),
            same_objects: &self.builds.same_objects,
            counts: classified.counts.as_ref(),
            settings: classified.servers.diff.as_ref(),
            knowledge: ClassifyKnowledge {
                aliases: &knowledge.aliases,
                spin: &knowledge.spin,
                architectural: &classified.architectural,
                settings: &classified.servers.knowledge,
            },
            demands: classified.demands,
        }
    }
}
