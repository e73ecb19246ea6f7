//! The data of one side's runs for a row, combined.

use super::blocks::{RowRun, RunBlocks};
use super::judgement::MIN_SAMPLES;
use super::within::{RunShare, run_share};

/// A row on one side: the mean of its runs' shares and the noise within and between them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct SideShare {
    /// Mean of the runs' shares.
    pub(super) share: f64,
    /// Runs with a denominator.
    pub(super) runs: f64,
    /// Mean over runs of the variance within a run.
    pub(super) within: f64,
    /// Degrees of freedom of `within`.
    pub(super) within_df: f64,
    /// Mean over runs of the variance that independent samples would have.
    pub(super) sampling: f64,
    /// All runs have blocks of time.
    pub(super) has_blocks: bool,
    /// Sum of squared deviations of the runs' shares from their mean.
    pub(super) between_squares: f64,
    /// Samples of the row in all runs.
    pub(super) samples: u64,
    /// Samples of the denominator in all runs.
    pub(super) denominator_samples: u64,
}

impl SideShare {
    /// Sums up a row's runs; runs whose denominator has no weight are left out.
    pub(super) fn from_runs(row: &[RowRun], runs: &[RunBlocks]) -> Self {
        let nothing = RowRun::default();
        let rows = row.iter().chain(std::iter::repeat(&nothing));
        let pairs = || rows.clone().zip(runs);
        let shares: Vec<RunShare> = pairs().filter_map(|(row, run)| run_share(row, run)).collect();
        let Some(count) = Some(shares.len() as f64).filter(|&count| count > 0.0) else {
            return Self::default();
        };
        let mean = |value: fn(&RunShare) -> f64| shares.iter().map(value).sum::<f64>() / count;
        let share = mean(|run| run.share);
        Self {
            share,
            runs: count,
            within: mean(|run| run.variance),
            within_df: shares.iter().map(|run| run.df).sum(),
            sampling: mean(|run| run.sampling),
            has_blocks: shares.iter().all(|run| run.has_blocks),
            between_squares: shares.iter().map(|run| (run.share - share) * (run.share - share)).sum(),
            samples: pairs().fold(0, |sum, (row, _)| sum.saturating_add(row.samples)),
            denominator_samples: runs.iter().fold(0, |sum, run| sum.saturating_add(run.samples)),
        }
    }

    /// The side has a run with a denominator, so the row has a share.
    pub(super) fn has_share(&self) -> bool {
        self.runs > 0.0
    }

    /// Degrees of freedom between the runs. A side with next to no samples has none: that a row is absent from three runs
    /// says nothing about how it varies where it is present.
    pub(super) fn residual_df(&self) -> f64 {
        if self.samples < MIN_SAMPLES { 0.0 } else { (self.runs - 1.0).max(0.0) }
    }
}
