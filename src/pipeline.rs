//! The straight line of pdiff: text -> profile -> functions -> comparison.

mod builds_read;
mod found_code;
mod recordings_read;
mod run;
mod sides;

use anyhow::Result;
use pdiff_analysis::{CompareSettings, Comparison, SampledCalls, Sides, compare};
use pdiff_profile::Side;

use crate::settings::Compared;
use crate::timings::Timings;

pub(crate) use builds_read::BuildsRead;
pub(crate) use found_code::FoundCode;
pub(crate) use run::{Run, read_run, symbolize_options};
pub(crate) use sides::ReadSides;

/// A comparison with what verdicts need beyond it.
pub(crate) struct Examined {
    pub(crate) comparison: Comparison,
    pub(crate) calls: SampledCalls,
    /// What is there of the code of each side's objects, base first.
    pub(crate) code: [FoundCode; 2],
}

impl Examined {
    /// What is there of the code of one side's objects.
    pub(crate) fn code_of(&self, side: Side) -> &FoundCode {
        &self.code[usize::from(side == Side::After)]
    }
}

/// Reads, symbolises and compares; gives what was read, too.
pub(crate) fn run(
    compared: &Compared,
    quiet: bool,
    timings: &mut Timings,
) -> Result<(ReadSides, Comparison)> {
    let sides = ReadSides::read(compared, quiet, timings)?;
    let comparison = compare(&sides.inputs(compared)?, &compared.settings);
    sides.check_samples(&comparison)?;
    timings.lap("compare", None);
    Ok((sides, comparison))
}

/// Reads, symbolises and compares by `compare`, and keeps what verdicts need. `meanwhile` is done beside the comparison,
/// with what was found of the code of each side.
pub(crate) fn examine<C: Send, M: Send>(
    compared: &Compared,
    quiet: bool,
    timings: &mut Timings,
    compare: impl FnOnce(&Sides<'_>, &CompareSettings) -> (Comparison, SampledCalls, C),
    meanwhile: impl FnOnce(&[FoundCode; 2]) -> M + Send,
) -> Result<(Examined, ReadSides, C, M)> {
    let sides = ReadSides::read(compared, quiet, timings)?;
    let code = sides.found_code();
    let inputs = sides.inputs(compared)?;
    let ((comparison, calls, more), done) = std::thread::scope(|scope| {
        let done = scope.spawn(|| meanwhile(&code));
        let compared = compare(&inputs, &compared.settings);
        timings.lap("compare", None);
        (compared, done.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    sides.check_samples(&comparison)?;
    Ok((Examined { comparison, calls, code }, sides, more, done))
}
