//! How a run of pdiff ends.

use std::process::ExitCode;

/// How a command ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// It ran.
    Ran,
    /// It ran, and a gate given with `--fail-on` tripped.
    GateTripped,
    /// It ran, and a gate cannot be judged.
    Inconclusive,
}

/// Exit status for usage and input trouble.
pub(crate) const TROUBLE: u8 = 2;

/// Exit status where a gate cannot be judged.
const INCONCLUSIVE: u8 = 3;

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ran => Self::SUCCESS,
            Outcome::GateTripped => Self::FAILURE,
            Outcome::Inconclusive => Self::from(INCONCLUSIVE),
        }
    }
}
