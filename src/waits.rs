//! Recordings of waiting of both builds.

use pdiff_analysis::{CompareSettings, Comparison, Program, Sides, Waiting, WaitingSides, waiting};
use pdiff_profile::{Side, ThreadState};

use crate::build::Build;
use crate::error::Error;
use crate::progress::Warning;
use crate::read::{ReadBuild, Reading};
use crate::recording::Recording;

/// Both builds' recordings of waiting, read.
#[derive(Debug)]
pub(crate) struct ReadWaits {
    before: ReadBuild,
    after: ReadBuild,
}

impl ReadWaits {
    /// Reads them, with the binaries of the builds.
    pub(crate) fn read(
        recordings: [Vec<Recording>; 2],
        builds: [&Build; 2],
        reading: &Reading,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let [before, after] = recordings;
        let with_binaries = |recordings: Vec<Recording>, build: &Build| {
            build.binaries.iter().fold(Build::recordings(recordings), Build::binary)
        };
        let before = with_binaries(before, builds[0]);
        let after = with_binaries(after, builds[1]);
        let reading = Reading { waits: true, ..reading.clone() };
        let mut read = reading.read(&[(Side::Before, &before), (Side::After, &after)], warnings)?.into_iter();
        match (read.next(), read.next()) {
            (Some(before), Some(after)) => Ok(Self { before, after }),
            _ => unreachable!("two builds were read"),
        }
    }

    /// Where threads wait.
    pub(crate) fn waiting(
        &self,
        settings: &CompareSettings,
        program: Option<&Program>,
        comparison: &Comparison,
    ) -> Waiting {
        let sides = |state| Sides { before: self.before.side_in(state), after: self.after.side_in(state) };
        let sides = WaitingSides {
            blocked: sides(ThreadState::Blocked),
            runnable: sides(ThreadState::Runnable),
            on_cpu: sides(ThreadState::OnCpu),
        };
        waiting(&sides, settings, program, comparison)
    }
}
