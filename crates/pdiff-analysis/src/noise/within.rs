//! The variance of one run's share, as far as the run itself shows it.
//!
//! The share is a ratio of two sums over time blocks, so its variance is the ratio estimator's (Cochran, Sampling
//! Techniques, 3rd ed. 1977, section 6): with B blocks, p = sum w / sum n, N = sum n,
//!
//! ```text
//! var(p) = B / (B - 1) * sum (w_b - p n_b)^2 / N^2
//! ```
//!
//! It is computed with two block lengths and the larger one counts, because a burst longer than a block makes the shorter
//! length underestimate it. It is never below the variance of independent samples, because a few blocks may be alike by
//! chance. Without blocks that variance is multiplied by an assumed dispersion, and bursts of an assumed size are added.

use super::blocks::{RowRun, RunBlocks};

/// Variance within a run over that of independent samples, where no time is known. Nine functions of ten are below
/// it at 999 samples a second.
const ASSUMED_DISPERSION: f64 = 2.0;

/// Coefficient of variation of a share within a run, beyond that, where no time is known: as large as the assumed one
/// between runs. Bursts are a part of the row's weight, so a dispersion alone would miss them on heavy rows.
const ASSUMED_BURST_CV: f64 = 0.08;

/// Degrees of freedom of the variance assumed within a run where no time is known: one function in a hundred has 3 to 10 times the assumed
/// dispersion.
const ASSUMED_DISPERSION_DF: f64 = 4.0;

/// Coarse blocks below this number say too little to be believed over fine ones.
const MIN_COARSE_BLOCKS: usize = 8;

/// A run's share of a row with what the run says of its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RunShare {
    /// Row's weight over the denominator's, 0 to 1.
    pub(super) share: f64,
    /// Variance of the share within the run.
    pub(super) variance: f64,
    /// Degrees of freedom of that variance.
    pub(super) df: f64,
    /// Variance as measured, even if it is below that of independent samples.
    pub(super) measured: f64,
    /// Variance that independent samples would have.
    pub(super) sampling: f64,
    /// The run has blocks of time, so the variance is measured.
    pub(super) has_blocks: bool,
}

impl RunShare {
    /// Adds another run of the same machine.
    pub(super) fn add(&mut self, other: &Self) {
        self.share += other.share;
        self.variance += other.variance;
        self.df += other.df;
        self.measured += other.measured;
        self.sampling += other.sampling;
        self.has_blocks &= other.has_blocks;
    }

    /// The mean of `count` runs that were added up.
    pub(super) fn over(self, count: f64) -> Self {
        let squared = count * count;
        Self {
            share: self.share / count,
            variance: self.variance / squared,
            measured: self.measured / squared,
            sampling: self.sampling / squared,
            ..self
        }
    }
}

/// The share of a row in a run; `None` if the denominator has no weight there.
pub(super) fn run_share(row: &RowRun, run: &RunBlocks) -> Option<RunShare> {
    if !(run.total.is_finite() && run.total > 0.0) {
        return None;
    }
    let share = row.weight / run.total;
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let sampling = sampling_variance(share, row.samples, run.samples);
    let of_blocks = block_variance(share, row, run);
    let (measured, df) = of_blocks.unwrap_or((assumed_variance(share, sampling), ASSUMED_DISPERSION_DF));
    let variance = measured.max(sampling);
    Some(RunShare { share, variance, measured, df, sampling, has_blocks: of_blocks.is_some() })
}

/// Variance of a share if samples were independent: binomial with the row's own mean weight per sample. A row without
/// samples, or with all of them, is given the variance that one sample more (or less) would have.
fn sampling_variance(share: f64, row_samples: u64, run_samples: u64) -> f64 {
    let one = 1.0 / run_samples.max(1) as f64;
    if share <= 0.0 {
        return one * one;
    }
    share * share * (1.0 - share).max(one) / row_samples.max(1) as f64
}

fn assumed_variance(share: f64, sampling: f64) -> f64 {
    let burst = ASSUMED_BURST_CV * share;
    ASSUMED_DISPERSION * sampling + burst * burst
}

/// The larger of the ratio estimator's variances in fine and in coarse blocks, with its degrees of freedom; `None`
/// with fewer than two blocks.
fn block_variance(share: f64, row: &RowRun, run: &RunBlocks) -> Option<(f64, f64)> {
    let fine = fine_variance(share, row, run)?;
    let coarse = coarse_variance(share, row, run).filter(|_| run.coarse_blocks >= MIN_COARSE_BLOCKS);
    Some(match coarse {
        Some(coarse) if coarse.0 > fine.0 => coarse,
        _ => fine,
    })
}

/// Variance of the share from fine blocks, with its degrees of freedom.
pub(super) fn fine_variance(share: f64, row: &RowRun, run: &RunBlocks) -> Option<(f64, f64)> {
    ratio_variance(share, [row.sum_w2, row.sum_wn, run.sum_n2], run.blocks, run.total)
}

/// Variance of the share from coarse blocks, with its degrees of freedom.
pub(super) fn coarse_variance(share: f64, row: &RowRun, run: &RunBlocks) -> Option<(f64, f64)> {
    ratio_variance(
        share,
        [row.coarse_sum_w2, row.coarse_sum_wn, run.coarse_sum_n2],
        run.coarse_blocks,
        run.total,
    )
}

fn ratio_variance(share: f64, [w2, wn, n2]: [f64; 3], blocks: usize, total: f64) -> Option<(f64, f64)> {
    if blocks < 2 {
        return None;
    }
    let blocks = blocks as f64;
    let squares = w2 - 2.0 * share * wn + share * share * n2;
    let variance = blocks / (blocks - 1.0) * squares / total / total;
    // A share lies between 0 and 1, so whatever the sums say, its variance is below 1.
    let variance = if variance.is_finite() { variance.clamp(0.0, 1.0) } else { 0.0 };
    Some((variance, blocks - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_give_the_ratio_estimators_variance() {
        let (w, n) = ([10.0, 30.0, 20.0, 0.0], [100.0, 100.0, 200.0, 100.0]);
        let got = run_share(&RowRun::from_blocks(&w, &n, 60), &RunBlocks::from_blocks(&n, 500)).unwrap();
        let p = 60.0 / 500.0;
        let squares: f64 = w.iter().zip(&n).map(|(w, n)| (w - p * n) * (w - p * n)).sum();
        assert!((got.variance - 4.0 / 3.0 * squares / 250_000.0).abs() < 1e-15);
        assert_eq!(got.df, 3.0);
    }

    #[test]
    fn one_block_falls_back_to_an_assumed_dispersion() {
        let got =
            run_share(&RowRun::from_blocks(&[10.0], &[100.0], 10), &RunBlocks::from_blocks(&[100.0], 100));
        let got = got.unwrap();
        assert!((got.variance - (2.0 * 0.1 * 0.9 / 100.0 + 0.008 * 0.008)).abs() < 1e-15);
        assert_eq!(got.df, ASSUMED_DISPERSION_DF);
    }

    #[test]
    fn variance_is_positive_and_finite_on_odd_input() {
        let run =
            RunBlocks { total: 1e300, samples: 0, blocks: 9, sum_n2: f64::INFINITY, ..RunBlocks::default() };
        let row = RowRun { weight: f64::NAN, sum_w2: f64::NAN, ..RowRun::default() };
        let got = run_share(&row, &run).unwrap();
        assert_eq!(got.share, 0.0);
        assert!(got.variance > 0.0 && got.variance.is_finite());
        assert_eq!(run_share(&row, &RunBlocks::default()), None);
    }
}
