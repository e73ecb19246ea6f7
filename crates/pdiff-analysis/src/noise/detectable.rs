//! The smallest change that would be found.
//!
//! A change of d share points is found if it exceeds what noise alone exceeds with the chance alpha. With several runs that limit
//! depends on how much the row varied between its own runs. It is computed for a row that varied little and for one that varied
//! much, one standard deviation below and above. With m their mean and s half their difference, in standard errors of the change,
//! the power is 0.9 if d / se reaches K = m + z sqrt(1 + s^2), z the normal quantile of the power. With one run per side, where no
//! variance between runs is measured, m = c (1 - 1/4f) and s = c / sqrt(2f), c the critical t on f degrees of freedom (the normal
//! approximation of the noncentral t: Johnson and Welch 1940). A grown share is noisier than the one it grew from, so se is taken
//! at the changed share: d = K se(d) is solved, and may have no solution.
//!
//! alpha is the false discovery rate over the number of tests: at that level Benjamini-Hochberg finds a row whatever the
//! other rows do. If other rows changed too, its threshold is lower and smaller changes are detected, so this is an upper
//! bound. 500 tests at 0.05 make it 1e-4.

use std::sync::Arc;

use pdiff_profile::PerSide;

use super::fdr::Weighing;
use super::input::Floor;
use super::input::MIN_SAMPLES;
use super::model::{Lent, RunModel};
use super::side::SideShare;
use super::student::{critical_t, normal_cdf, normal_quantile};

/// Power at which a change counts as detectable: found 9 times in 10.
pub const POWER: f64 = 0.9;

/// Rounds of solving d = K se(d); each one gains a factor, and what needs more has no solution worth printing.
const MAX_ROUNDS: usize = 100;

/// Relative step at which the solution is taken: nobody reads a fourth digit of it.
const CLOSE_ENOUGH: f64 = 1e-4;

/// How much a side has recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SideSize {
    /// Runs with a denominator.
    pub runs: f64,
    /// Samples of the denominator in one run, on average.
    pub samples_per_run: f64,
    /// Degrees of freedom of the variance within runs.
    pub within_df: f64,
}

/// The sensitivity of a comparison for one denominator: runs, samples, noise and the level of its tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sensitivity {
    /// Size of the before side.
    pub before: SideSize,
    /// Size of the after side.
    pub after: SideSize,
    /// Variance within runs over that of independent samples, of the typical row.
    pub dispersion: f64,
    /// Level of a single test.
    pub alpha: f64,
    /// The smallest change that counts as a finding.
    pub floor: Floor,
    /// The row's variance between runs over the typical one.
    pub(super) scale: f64,
    /// Degrees of freedom of the row's own runs.
    pub(super) residual_df: f64,
    /// How the rate is spent on rows.
    pub(super) weighing: Weighing,
    /// How shares vary from run to run.
    pub(super) model: RunModel,
}

/// What makes the sensitivity of one row another than the typical one's. It is kept for each row, so it is small.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowSensitivity {
    /// Variance within runs over that of independent samples.
    pub(super) dispersion: f64,
    /// The row's variance between runs over the typical one.
    pub(super) scale: f64,
    /// Degrees of freedom of the row's own runs.
    pub(super) residual_df: f64,
    /// Degrees of freedom of the variance within runs, before and after.
    pub(super) within_df: PerSide<f64>,
}

/// The smallest growth of a row's share that would have been found with [`POWER`] even if no other row had changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Detectable {
    /// In share points; `None` if none would have been found, or the row was not tested.
    Points(Option<f64>),
    /// Not solved: that is costly, and few readers of rows ask for it. Boxed, for most rows of many are not tested.
    Unsolved(Box<Unsolved>),
}

/// All that the smallest growth of one row follows from.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsolved {
    pub(super) typical: Arc<Sensitivity>,
    pub(super) row: RowSensitivity,
    pub(super) share_pct: f64,
}

impl Default for Detectable {
    /// Not tested.
    fn default() -> Self {
        Self::Points(None)
    }
}

impl Detectable {
    /// In share points; solved again at each call.
    #[must_use]
    pub fn points(&self) -> Option<f64> {
        match self {
            Self::Points(points) => *points,
            Self::Unsolved(of) => of.typical.of_row(of.row).detectable_pp(of.share_pct),
        }
    }
}

impl Sensitivity {
    /// The sensitivity for one row of the denominator.
    pub(super) fn of_row(&self, row: RowSensitivity) -> Self {
        let RowSensitivity { dispersion, scale, residual_df, within_df } = row;
        Self {
            before: SideSize { within_df: within_df.before, ..self.before },
            after: SideSize { within_df: within_df.after, ..self.after },
            dispersion,
            scale,
            residual_df,
            ..*self
        }
    }

    /// Smallest growth in share points, from a share of `share_pct` percent, that is found with [`POWER`] even if nothing
    /// else changed; `None` if none would be. Whichever side contains the larger share, it is enough. A finding must also
    /// pass the floor, so the growth is large enough that 9 estimates in 10 do.
    pub fn detectable_pp(&self, share_pct: f64) -> Option<f64> {
        let significant = self.significant_pp(share_pct)?;
        let above_floor = self.above_floor_pp(share_pct)?;
        Some(significant.max(above_floor))
    }

    /// Smallest growth whose estimate passes the floor 9 times in 10: d - z se(d) = floor(share + d).
    fn above_floor_pp(&self, share_pct: f64) -> Option<f64> {
        let share = (share_pct / 100.0).clamp(0.0, 1.0);
        let margin = normal_quantile(POWER);
        let mut change = 0.0;
        for _ in 0..MAX_ROUNDS {
            let ways = self.both_ways(share, change);
            let error = ways.iter().map(|row| self.model.error_at(row, self.scale)).fold(0.0, f64::max);
            let needed = self.floor.least_pp(100.0 * (share + change)) / 100.0 + margin * error;
            if !needed.is_finite() || share + needed > 1.0 {
                return None;
            }
            if (needed - change).abs() <= CLOSE_ENOUGH * needed {
                return Some(100.0 * needed);
            }
            change = needed;
        }
        None
    }

    fn significant_pp(&self, share_pct: f64) -> Option<f64> {
        let share = (share_pct / 100.0).clamp(0.0, 1.0);
        let mut change = 0.0;
        if share.is_nan() {
            return None;
        }
        for _ in 0..MAX_ROUNDS {
            // K is costly and hardly depends on the change: keep it, solve, look again.
            let strength = |row: &PerSide<SideShare>| self.limit(row).with_power(POWER);
            let [grown, shrunk] = self.both_ways(share, change);
            let strength_grown = strength(&grown);
            let strength_shrunk = if shrunk == grown { strength_grown } else { strength(&shrunk) };
            let solved = self.solve(share, change, [strength_grown, strength_shrunk])?;
            if (solved - change).abs() <= CLOSE_ENOUGH * solved {
                return Some(100.0 * solved);
            }
            change = solved;
        }
        None
    }

    /// Chance that a growth by `change_pp` share points, from a share of `share_pct` percent, is found even if nothing
    /// else changed: [`POWER`] at `detectable_pp`.
    pub fn power(&self, share_pct: f64, change_pp: f64) -> f64 {
        let share = (share_pct / 100.0).clamp(0.0, 1.0);
        let grown = (share + change_pp / 100.0).clamp(0.0, 1.0);
        let ways = self.both_ways(share, grown - share);
        ways.iter().map(|row| self.power_between(row)).fold(1.0, f64::min)
    }

    fn power_between(&self, row: &PerSide<SideShare>) -> f64 {
        let Limit { mean, deviation } = self.limit(row);
        let PerSide { before, after } = row;
        let noncentrality = (after.share - before.share).abs() / self.model.error_at(row, self.scale);
        normal_cdf((noncentrality - mean) / deviation.hypot(1.0))
    }

    /// The limit that a change must exceed.
    fn limit(&self, row: &PerSide<SideShare>) -> Limit {
        let level = self.level(row);
        if self.model.lent == Lent::Nothing {
            let df = self.model.expected_df(row);
            let critical = critical_t(level, df);
            return Limit { mean: critical * (1.0 - 0.25 / df), deviation: critical / (2.0 * df).sqrt() };
        }
        let error = self.model.error_at(row, self.scale);
        let [low, high] = [-1.0, 1.0].map(|deviation| {
            let row = row.as_ref().map(|side| self.varied(side, deviation));
            self.model.mixture(&row).quantile(level) / error
        });
        Limit { mean: f64::midpoint(low, high), deviation: 0.5 * (high - low) }
    }

    /// The side, if its runs varied as much as a normal variable of `deviation` has runs vary (Wilson and Hilferty 1931).
    fn varied(&self, side: &SideShare, deviation: f64) -> SideShare {
        let part = 2.0 / (9.0 * self.residual_df);
        let over_expected = (1.0 - part + deviation * part.sqrt()).powi(3).max(0.0);
        let squares = side.between_df * over_expected * self.model.variance_of_run(side, self.scale);
        SideShare { between_squares: if squares.is_finite() { squares } else { 0.0 }, ..*side }
    }

    /// Level of the test of a row.
    fn level(&self, PerSide { before, after }: &PerSide<SideShare>) -> f64 {
        (self.alpha * self.weighing.weight(50.0 * (before.share + after.share))).min(1.0)
    }

    /// Solves d = K se(d) from `change` on for a given K each way; `None` if there is no room for so large a change.
    fn solve(&self, share: f64, mut change: f64, strength: [f64; 2]) -> Option<f64> {
        for _ in 0..MAX_ROUNDS {
            let ways = self.both_ways(share, change);
            let needed = ways.iter().zip(strength).map(|(row, k)| k * self.model.error_at(row, self.scale));
            let needed = needed.fold(0.0, f64::max);
            if !needed.is_finite() || share + needed > 1.0 {
                return None;
            }
            if (needed - change).abs() <= 0.1 * CLOSE_ENOUGH * needed {
                return Some(needed);
            }
            change = needed;
        }
        None
    }

    /// A row that grows by `change`: from before to after, and from after to before.
    fn both_ways(&self, share: f64, change: f64) -> [PerSide<SideShare>; 2] {
        let grown = share + change;
        [
            PerSide::new(self.side(self.before, share), self.side(self.after, grown)),
            PerSide::new(self.side(self.before, grown), self.side(self.after, share)),
        ]
    }

    /// Runs that show how runs of their side differ.
    fn runs_beyond_one(&self) -> f64 {
        (self.before.runs - 1.0).max(0.0) + (self.after.runs - 1.0).max(0.0)
    }

    /// A side as it would be with a share of `share`.
    fn side(&self, size: SideSize, share: f64) -> SideShare {
        let samples = size.samples_per_run.max(1.0);
        let sampling = share.max(1.0 / samples) * (1.0 - share).max(1.0 / samples) / samples;
        let within = self.dispersion * sampling;
        SideShare {
            share,
            runs: size.runs,
            within,
            within_df: size.within_df,
            sampling,
            between_df: self.residual_df * (size.runs - 1.0).max(0.0) / self.runs_beyond_one(),
            samples: MIN_SAMPLES,
            ..SideShare::default()
        }
    }
}

/// What a change must exceed to be found, in standard errors: it differs from comparison to comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Limit {
    mean: f64,
    deviation: f64,
}

impl Limit {
    /// Standard errors that a change must have to be found with this chance.
    fn with_power(self, power: f64) -> f64 {
        self.mean + normal_quantile(power) * self.deviation.hypot(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sensitivity(samples: f64, cv: f64) -> Sensitivity {
        let size = SideSize { runs: 1.0, samples_per_run: samples, within_df: 1e7 };
        let model = RunModel { cv_df: 1e7, ..RunModel::assumed(cv) };
        Sensitivity {
            before: size,
            after: size,
            dispersion: 1.0,
            alpha: 1e-4,
            weighing: Weighing::new(&Floor::default(), std::iter::empty()),
            floor: Floor::default(),
            scale: 1.0,
            residual_df: 0.0,
            model,
        }
    }

    #[test]
    fn large_samples_agree_with_the_normal_formula() {
        // (z + z') sqrt(2 p (1 - p) / n) = 0.58 pp at 20 K samples, a little more at the grown share.
        let few = sensitivity(20_000.0, 0.0).detectable_pp(1.0).unwrap();
        assert!(few > 0.51 && few < 0.64, "{few}");
        let many = sensitivity(924_000.0, 0.0).significant_pp(1.0).unwrap();
        assert!(many > 0.075 && many < 0.081, "{many}");
    }

    #[test]
    fn more_samples_do_not_beat_the_variation_between_runs() {
        let bounded = sensitivity(1e12, 0.05).detectable_pp(1.0).unwrap();
        assert!(bounded > 0.36 && bounded < 0.46, "{bounded}");
        assert_eq!(sensitivity(1e12, 0.5).detectable_pp(1.0), None);
    }

    #[test]
    fn power_at_the_detectable_change_is_the_power_asked_for() {
        let sensitivity = sensitivity(20_000.0, 0.08);
        for share_pct in [0.1, 1.0, 10.0] {
            let change_pp = sensitivity.detectable_pp(share_pct).unwrap();
            assert!((sensitivity.power(share_pct, change_pp) - POWER).abs() < 1e-3);
            assert!(sensitivity.power(share_pct, 0.5 * change_pp) < 0.3);
        }
    }

    #[test]
    fn what_is_below_the_floor_is_not_called_detectable() {
        let many = sensitivity(924_000.0, 0.0);
        for share_pct in [0.1, 0.5, 1.0, 5.0] {
            let change_pp = many.detectable_pp(share_pct).unwrap();
            assert!(change_pp >= many.floor.least_pp(share_pct + change_pp), "{change_pp} at {share_pct}");
        }
        let without = Sensitivity { floor: Floor { points: 0.0, relative: 0.0 }, ..many };
        assert!(without.detectable_pp(0.1).unwrap() < 0.05);
    }

    #[test]
    fn odd_shares_have_an_answer() {
        let of = |share| sensitivity(20_000.0, 0.08).detectable_pp(share);
        assert!(of(0.0).unwrap() > 0.0);
        assert_eq!(of(100.0), None);
        assert_eq!(of(f64::NAN), None);
    }
}
