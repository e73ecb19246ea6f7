//! What is put to the test: rows of two sides, each over a denominator.

use super::blocks::{RowRun, RunBlocks};

/// The denominators of both sides, one entry per run; several may be in use in one comparison (one per object or
/// thread group).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Denominator {
    /// One entry per run of the before side.
    pub before: Vec<RunBlocks>,
    /// One entry per run of the after side.
    pub after: Vec<RunBlocks>,
}

/// One row (a function, say): its weight in each run, in the order of its denominator's runs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Index of the row's denominator in the slice given beside the rows.
    pub denominator: usize,
    /// One entry per run of the before side; a missing entry means no weight in that run.
    pub before: Vec<RowRun>,
    /// One entry per run of the after side; a missing entry means no weight in that run.
    pub after: Vec<RowRun>,
}

/// What the user may set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseSettings {
    /// Run-to-run coefficient of variation taken for granted where it cannot be measured (one run per side), as a
    /// fraction; see [`ASSUMED_CV`].
    pub assumed_cv: f64,
    /// False discovery rate that `significant` keeps; see [`FALSE_DISCOVERY_RATE`].
    pub false_discovery_rate: f64,
}

impl Default for NoiseSettings {
    fn default() -> Self {
        Self { assumed_cv: ASSUMED_CV, false_discovery_rate: FALSE_DISCOVERY_RATE }
    }
}

/// Run-to-run CV of a function's share within its object, beyond sampling: 2 to 8 % on repeated recordings of three
/// database servers; the upper end is taken.
pub const ASSUMED_CV: f64 = 0.08;

/// Degrees of freedom of the assumed run-to-run variance: from one comparison of a binary with itself to the next, the
/// scale of the noise differs about as much as an estimate on this many does.
pub const ASSUMED_CV_DF: f64 = 16.0;

/// The share of false alarms among the rows called significant that a reader is assumed to accept.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
