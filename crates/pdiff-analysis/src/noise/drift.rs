//! Drift: noise that grows with the length of the time block.
//!
//! If blocks are independent, the variance of a share is the same whether it is estimated from fine or from coarse blocks.
//! If a row's share drifts over seconds, coarse blocks show more of it, a whole run shows even more, and no block length
//! inside the run shows how much. So it is a warning, not a correction. Only rows that are heavy enough to show drift are
//! tested; a row of the whole object's weight over all samples shows a drift of the total.

use std::borrow::Cow;

use super::blocks::{RowRun, RunBlocks};
use super::fdr::q_values;
use super::input::{Denominator, Row};
use super::student::f_upper_tail;
use super::within::{coarse_variance, fine_variance};

/// Rows below this share of their denominator are not looked at: they have no noise but sampling.
const DRIFT_MIN_SHARE: f64 = 0.005;

/// False discovery rate among the rows that are said to drift.
const DRIFT_FALSE_DISCOVERY_RATE: f64 = 0.05;

/// A ratio of variances below this understates a standard error by less than a fifth: no reason to warn.
const DRIFT_MIN_RATIO: f64 = 1.5;

/// Looks for drift in all heavy rows: those (by index) whose variance in coarse blocks is larger than in fine ones beyond
/// chance.
pub(super) fn find_drift<'a>(
    denominators: &[Denominator],
    rows: impl Iterator<Item = Cow<'a, Row>>,
) -> Vec<usize> {
    let heavy: Vec<(usize, Growth)> = rows
        .enumerate()
        .filter_map(|(index, row)| Some((index, Growth::of_row(&row, denominators.get(row.denominator)?)?)))
        .collect();
    let chances: Vec<f64> = heavy.iter().map(|(_, growth)| growth.by_chance()).collect();
    heavy
        .iter()
        .zip(q_values(&chances))
        .filter(|((_, growth), q)| *q <= DRIFT_FALSE_DISCOVERY_RATE && growth.ratio() >= DRIFT_MIN_RATIO)
        .map(|((index, _), _)| *index)
        .collect()
}

/// A row's variance in coarse blocks over that in fine ones, run by run, so that the heaviest run does not speak for
/// all.
#[derive(Debug, Clone, Copy, Default)]
struct Growth {
    /// Sum over runs of the ratio times its coarse degrees of freedom.
    weighted_ratio: f64,
    coarse_df: f64,
    fine_df: f64,
}

impl Growth {
    fn of_row(row: &Row, denominator: &Denominator) -> Option<Self> {
        let before = Self::of_side(&row.before, &denominator.before);
        let after = Self::of_side(&row.after, &denominator.after);
        let both = Self {
            weighted_ratio: before.weighted_ratio + after.weighted_ratio,
            coarse_df: before.coarse_df + after.coarse_df,
            fine_df: before.fine_df + after.fine_df,
        };
        (both.coarse_df > 0.0).then_some(both)
    }

    /// Sums the heavy runs of a side.
    fn of_side(rows: &[RowRun], runs: &[RunBlocks]) -> Self {
        let mut sum = Self::default();
        for (row, run) in rows.iter().zip(runs) {
            let share = row.weight / run.total;
            if share.is_nan() || !(DRIFT_MIN_SHARE..1.0).contains(&share) {
                continue;
            }
            let both = fine_variance(share, row, run).zip(coarse_variance(share, row, run));
            let Some(((fine, fine_df), (coarse, coarse_df))) = both.filter(|both| both.0.0 > 0.0) else {
                continue;
            };
            sum.weighted_ratio += coarse_df * coarse / fine;
            sum.coarse_df += coarse_df;
            sum.fine_df += fine_df;
        }
        sum
    }

    fn ratio(&self) -> f64 {
        self.weighted_ratio / self.coarse_df
    }

    /// Chance of such a ratio without drift. Both variances come from the same samples, so F is on the safe side.
    fn by_chance(&self) -> f64 {
        f_upper_tail(self.ratio(), self.coarse_df, self.fine_df)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drift_of(weight: impl Fn(usize) -> f64) -> Vec<usize> {
        let n = vec![1000.0; 64];
        let w: Vec<f64> = (0..64).map(weight).collect();
        let run = RunBlocks::from_blocks(&n, 64_000);
        let row = RowRun::from_blocks(&w, &n, 6_400);
        let denominators = [Denominator { before: vec![run], after: vec![run] }];
        let row = Row { denominator: 0, before: vec![row], after: vec![row] };
        find_drift(&denominators, [Cow::Owned(row)].into_iter())
    }

    #[test]
    fn a_share_that_wanders_is_drift_and_one_that_flickers_is_not() {
        assert!(drift_of(|block| 100.0 + 30.0 * (block % 2) as f64).is_empty());
        assert_eq!(drift_of(|block| 100.0 + block as f64), [0]);
    }

    #[test]
    fn light_rows_and_recordings_without_time_do_not_warn() {
        assert!(drift_of(|block| 0.01 * block as f64).is_empty());
        for denominators in [&[][..], &[Denominator::default()]] {
            assert!(find_drift(denominators, [Cow::Owned(Row::default())].into_iter()).is_empty());
        }
    }
}
