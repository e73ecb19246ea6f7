//! The rows to test: rows of two sides, each with a denominator.

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
    /// Index of the row's denominator in the slice that is passed with the rows.
    pub denominator: usize,
    /// One entry per run of the before side; a missing entry means no weight in that run.
    pub before: Vec<RowRun>,
    /// One entry per run of the after side; a missing entry means no weight in that run.
    pub after: Vec<RowRun>,
}

/// Rows with fewer samples than this on both sides are not tested: a test of so few samples finds nothing and costs
/// every other row power.
pub const MIN_SAMPLES: u64 = 30;

/// The smallest change that is worth a reader's time: a change is large if it passes both parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// In share points; see [`FLOOR_PP`].
    pub points: f64,
    /// As a fraction of the row's larger side; see [`FLOOR_RELATIVE`].
    pub relative: f64,
}

impl Default for Floor {
    fn default() -> Self {
        Self { points: FLOOR_PP, relative: FLOOR_RELATIVE }
    }
}

impl Floor {
    /// The smallest change, in share points, that is large for a row whose larger side is `larger_pct`.
    #[must_use]
    pub fn least_pp(&self, larger_pct: f64) -> f64 {
        self.points.max(self.relative * larger_pct)
    }

    /// Whether a change of `delta_pp` share points is large enough to matter.
    #[must_use]
    pub fn passes(&self, delta_pp: f64, larger_pct: f64) -> bool {
        delta_pp.abs() >= self.least_pp(larger_pct)
    }
}

/// What the user may set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseSettings {
    /// Run-to-run coefficient of variation to assume, as a fraction. `None` assumes [`SINGLE_RUN_CV`] with one run per
    /// side, and [`ASSUMED_CV`] as the prior where runs repeat.
    pub assumed_cv: Option<f64>,
    /// False discovery rate that `significant` keeps; see [`FALSE_DISCOVERY_RATE`].
    pub false_discovery_rate: f64,
    /// The smallest change that matters.
    pub floor: Floor,
}

impl Default for NoiseSettings {
    fn default() -> Self {
        Self { assumed_cv: None, false_discovery_rate: FALSE_DISCOVERY_RATE, floor: Floor::default() }
    }
}

impl NoiseSettings {
    /// The run-to-run variation assumed with one run per side.
    #[must_use]
    pub fn single_run_cv(&self) -> f64 {
        self.assumed_cv.unwrap_or(SINGLE_RUN_CV)
    }

    /// The run-to-run variation that counts beside the measured one where runs repeat.
    #[must_use]
    pub fn prior_cv(&self) -> f64 {
        self.assumed_cv.unwrap_or(ASSUMED_CV)
    }
}

/// A change below this many share points is not worth a reader's time, however significant.
pub const FLOOR_PP: f64 = 0.1;

/// A change below this part of the row's larger side is within what a relink or a reboot does.
pub const FLOOR_RELATIVE: f64 = 0.1;

/// Run-to-run CV of a function's share within its object, beyond sampling: 2 to 8 % on repeated recordings of three
/// database servers; the upper end is taken.
pub const ASSUMED_CV: f64 = 0.08;

/// Degrees of freedom of the assumed run-to-run variance: from one comparison of a binary with itself to the next, the
/// scale of the noise differs about as much as an estimate on this many does.
pub(super) const ASSUMED_CV_DF: f64 = 16.0;

/// Degrees of freedom that the assumed run-to-run variance counts for where it is averaged with the measured one: fewer, so that
/// replicates soon say more than it does.
pub(super) const ASSUMED_CV_WEIGHT: f64 = 6.0;

/// Run-to-run CV assumed with one run per side. It is larger than [`ASSUMED_CV`] because functions differ: where their CVs
/// scatter around 8 % by a factor of 1.8 (a standard deviation of 0.6 in the logarithm), the root mean square is 11.5 %,
/// and the most variable functions are the ones that would be called significant.
pub const SINGLE_RUN_CV: f64 = 0.12;

/// Degrees of freedom of the variation assumed with one run per side: few, because a function's own CV may be far from
/// the assumed one. With 8, comparisons of equal worlds whose CVs scatter as above find a row in about 7 of 100; with 10, in 10.
pub const SINGLE_RUN_CV_DF: f64 = 8.0;

/// The share of false alarms among the rows called significant that a reader is assumed to accept.
pub const FALSE_DISCOVERY_RATE: f64 = 0.05;
