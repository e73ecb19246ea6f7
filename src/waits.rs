//! Recordings of waiting of both builds.

use pdiff_analysis::{CompareSettings, Comparison, Program, Sides, Waiting, WaitingSides, waiting};
use pdiff_profile::{PerSide, ThreadState};

use crate::build::Build;
use crate::error::Error;
use crate::progress::Warning;
use crate::read::{ReadBuild, Reading};
use crate::recording::Recording;

/// Both builds' recordings of waiting, read.
#[derive(Debug)]
pub(crate) struct ReadWaits(PerSide<ReadBuild>);

impl ReadWaits {
    /// Reads them, with the binaries of the builds.
    pub(crate) fn read(
        recordings: PerSide<Vec<Recording>>,
        builds: &PerSide<Build>,
        reading: &Reading,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let with_binaries = |(recordings, build): (Vec<Recording>, &Build)| {
            build.binaries.iter().fold(Build::recordings(recordings), Build::binary)
        };
        let builds = recordings.zip(builds.as_ref()).map(with_binaries);
        let reading = Reading { waits: true, ..reading.clone() };
        let read = reading.read_both(&builds, warnings)?;
        let runs = || read.values().flat_map(|build| &build.runs);
        let without = runs().find(|run| run.profile.span.is_none());
        let with = runs().find(|run| run.profile.span.is_some());
        if let (Some(without), Some(with)) = (without, with) {
            return Err(Error::MixedWaits { without: without.path.clone(), with: with.path.clone() });
        }
        Ok(Self(read))
    }

    /// Where threads wait.
    pub(crate) fn waiting(
        &self,
        settings: &CompareSettings,
        program: Option<&Program>,
        comparison: &Comparison,
    ) -> Waiting {
        let sides =
            |state| Sides { before: self.0.before.side_in(state), after: self.0.after.side_in(state) };
        let sides = WaitingSides {
            blocked: sides(ThreadState::Blocked),
            runnable: sides(ThreadState::Runnable),
            on_cpu: sides(ThreadState::OnCpu),
        };
        waiting(&sides, settings, program, comparison)
    }
}
