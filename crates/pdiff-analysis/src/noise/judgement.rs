//! The results: one [`RowNoise`] per row, and numbers for the comparison as a whole.

use std::sync::Arc;

use pdiff_profile::PerSide;

use super::detectable::{Detectable, Sensitivity};

/// How the variance of a row's share was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One run per side: time blocks inside the run and an assumed run-to-run variation.
    SingleRun,
    /// Two or more runs on at least one side: run-level shares, variance shrunk across rows.
    Replicates,
}

/// Why a row has no p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Untested {
    /// Fewer than [`MIN_SAMPLES`](super::MIN_SAMPLES) samples on both sides.
    FewSamples,
    /// A side's denominator has no weight in any run, so the row has no share there.
    NoDenominator,
}

/// The outcome of a row's test of "the share did not change".
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// The row was tested.
    Tested {
        /// Two-sided p-value.
        p: f64,
        /// Smallest false discovery rate at which the row would be called significant, among rows that pass the floor;
        /// 1 for a row whose change is too small to matter.
        q: f64,
    },
    /// The row was not tested and counts as no finding.
    Untested(Untested),
}

impl Test {
    /// The p-value of a tested row.
    pub fn p(&self) -> Option<f64> {
        match *self {
            Self::Tested { p, .. } => Some(p),
            Self::Untested(_) => None,
        }
    }

    /// The q-value of a tested row.
    pub fn q(&self) -> Option<f64> {
        match *self {
            Self::Tested { q, .. } => Some(q),
            Self::Untested(_) => None,
        }
    }
}

impl Default for Test {
    fn default() -> Self {
        Self::Untested(Untested::FewSamples)
    }
}

/// The judged change of one row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowNoise {
    /// Index of the row's denominator.
    pub denominator: u32,
    /// Mean of the before runs' shares, in percent; 0 without a denominator.
    pub before_pct: f64,
    /// Mean of the after runs' shares, in percent; 0 without a denominator.
    pub after_pct: f64,
    /// After minus before, in share points.
    pub delta_pp: f64,
    /// Standard error of `delta_pp`.
    pub se_pp: f64,
    /// Degrees of freedom of the t distribution that `se_pp` is used with.
    pub degrees_of_freedom: f64,
    /// Lower end of the 95 % interval of `delta_pp`.
    pub ci_low_pp: f64,
    /// Upper end of the 95 % interval of `delta_pp`.
    pub ci_high_pp: f64,
    /// Of a significant row: the interval that allows for its having been picked from many (false coverage rate of 5 %).
    pub selected_interval_pp: Option<Box<(f64, f64)>>,
    /// The test of no change.
    pub test: Test,
    /// The change is large enough to matter, and its q-value is at most the false discovery rate asked for.
    pub significant: bool,
    /// The change is large enough to matter: it passes the [`Floor`](super::Floor).
    pub floor_passed: bool,
    /// The chance that noise alone passes the floor.
    pub(super) floor_p: f64,
    /// Smallest growth, in share points from its mean share, that would have been found 9 times in 10 even if no other row had
    /// changed.
    pub detectable: Detectable,
    /// Variance within the runs over that of independent samples (1 = no bursts); the assumed one without blocks.
    pub dispersion: f64,
    /// Of each side without samples of the row: the largest share that it may still have (95 %), in percent; `None` if both have
    /// samples.
    pub bounds_pct: Option<Box<PerSide<Option<f64>>>>,
}

/// Where the run-to-run variation came from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunVariation {
    /// Taken for granted: there is one run per side.
    Assumed {
        /// Coefficient of variation, as a fraction.
        cv: f64,
    },
    /// Measured between the runs of a side and shrunk across rows.
    Measured {
        /// Coefficient of variation between runs beyond the noise within them, as a fraction: the measured one, or if
        /// that is below the assumed one their average by how much each is worth.
        cv: f64,
        /// How much of the square of `cv` is the assumed variation and not measured, 0 to 1.
        assumed_part: f64,
        /// How rows differ: standard deviation of the logarithm of their own coefficients of variation around `cv`.
        spread: f64,
        /// Degrees of freedom from a row's own runs, where it has all of them.
        residual_df: f64,
    },
}

/// All rows' outcomes and what holds for the comparison as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// One entry per row, in the order given.
    pub rows: Vec<RowNoise>,
    /// How variances were found.
    pub method: Method,
    /// The run-to-run variation, measured or assumed.
    pub run_variation: RunVariation,
    /// Number of rows tested.
    pub tests: usize,
    /// False discovery rate kept.
    pub q_threshold: f64,
    /// The smallest detectable change at a given share, one entry per denominator.
    pub sensitivities: Vec<Arc<Sensitivity>>,
    /// The variance within runs is an assumed one in at least one run: it has no time, or less than two blocks of it.
    pub assumed_dispersion: bool,
    /// Rows (by index) whose spread grows with the block length: blocks understate their noise.
    pub drifting: Vec<usize>,
    /// Heavy rows (by index) whose shares vary several times as much inside the runs as between them: the load runs in
    /// phases that every run repeats.
    pub phased: Vec<usize>,
}

impl Judgement {
    /// Smallest growth of a row (by index), in share points from its mean share, that would have been found 9 times in 10 even
    /// if no other row had changed; `None` if none could, or the row was not tested.
    pub fn detectable_pp(&self, row: usize) -> Option<f64> {
        self.rows.get(row)?.detectable.points()
    }
}
