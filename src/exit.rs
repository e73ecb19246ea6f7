//! How a run of pdiff ends.

use std::process::ExitCode;

/// How a command ended that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// It ran.
    Ran,
    /// It ran, and a gate given with `--fail-on` tripped.
    GateTripped,
    /// It ran, and what was found decides no gate given with `--fail-on`.
    GateInconclusive,
}

/// Exit status for usage and input trouble.
pub(crate) const TROUBLE: u8 = 2;

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Ran => Self::SUCCESS,
            Outcome::GateTripped => Self::FAILURE,
            Outcome::GateInconclusive => Self::from(3),
        }
    }
}
