//! The change of a row's share beyond a factor that all rows have in common.
//!
//! A row's cost per operation is share x cost of the profile. Without change of that cost its share would be the old share
//! times R = (old cost / new cost) of the whole profile, so `new share - R x old share` is the row's own change. Its
//! variance is that of the change of share plus the square of a share times that of ln R (delta method), on Satterthwaite's
//! degrees of freedom. The share is the larger of the two, because the cost of an operation is in both. Places of a profile are
//! tested with their logarithmic mean instead: so a change of share beyond the factor is compared with the doubt about the factor as a
//! ratio, `ln(new share / (R x old share)) / se(ln R)`. However uncertain R is, no factor makes one share six times as large while it
//! makes none of the others so.
//!
//! The two are not independent: a row that costs more in one run makes the run's profile cost more, too. With p the larger
//! share, s^2 the variance of ln of the row's own cost and nothing else moving, ln share varies by (1-p)^2 s^2 and ln cost
//! by p^2 s^2, with covariance p (1-p) s^2: so the covariance is at most p / (1-p) times the variance of the share. Twice that is added,
//! but never more than what perfect correlation would add.

use super::fdr::{Tested, q_values_above_floor};
use super::input::Floor;
use super::student::{critical_t, two_sided_p};

/// A factor by which the share of a row without change of its own falls or rises, and how well it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommonFactor {
    /// New share over old share.
    pub ratio: f64,
    /// Standard error of its logarithm.
    pub log_se: f64,
    /// Degrees of freedom of that.
    pub degrees_of_freedom: f64,
}

/// A row's shares, in percent, and what is known about their difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShareChange {
    /// The share in the base profile.
    pub before_pct: f64,
    /// The share in the other profile.
    pub after_pct: f64,
    /// Standard error of the difference, in points.
    pub se_pp: f64,
    /// Degrees of freedom of that.
    pub degrees_of_freedom: f64,
}

/// The change of a share beyond the factor, in points of the new profile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Excess {
    /// The excess.
    pub points: f64,
    /// The new share that an unchanged row would have.
    pub expected_pct: f64,
    pub(super) after_pct: f64,
    pub(super) ratio: f64,
    /// Of the excess as an amount.
    pub(super) error: StandardError,
    /// Of the excess as a ratio.
    pub(super) error_as_ratio: StandardError,
}

/// A standard error, in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StandardError {
    pub(super) points: f64,
    pub(super) degrees_of_freedom: f64,
}

impl StandardError {
    fn p(self, points: f64) -> f64 {
        if self.points > 0.0 { two_sided_p(points / self.points, self.degrees_of_freedom) } else { 1.0 }
    }
}

impl CommonFactor {
    /// Whether the 95 % intervals of both overlap.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let half = |of: &Self| critical_t(0.05, of.degrees_of_freedom) * of.log_se;
        (self.ratio.ln() - other.ratio.ln()).abs() <= half(self) + half(other)
    }

    /// The change of a row's share beyond the factor.
    pub fn excess(&self, row: ShareChange) -> Excess {
        let expected_pct = self.ratio * row.before_pct;
        // The old share's part of the variance grows with the ratio; taking all of it so errs on the safe side. Swapped
        // sides give the same ratio of excess to error.
        let own = (row.se_pp * self.ratio.max(1.0)).powi(2);
        Excess {
            points: row.after_pct - expected_pct,
            expected_pct,
            after_pct: row.after_pct,
            ratio: self.ratio,
            error: self.error(row, own, expected_pct.max(row.after_pct)),
            error_as_ratio: self.error(row, own, logarithmic_mean(expected_pct, row.after_pct)),
        }
    }

    /// Of the variance of a row's own share, and of the factor times a share.
    fn error(&self, row: ShareChange, own: f64, of_pct: f64) -> StandardError {
        let common = (of_pct * self.log_se).powi(2);
        let share = (row.before_pct.max(row.after_pct) / 100.0).clamp(0.0, 1.0);
        let covariance = own * share / (1.0 - share);
        let variance = own + common + 2.0 * covariance.min((own * common).sqrt());
        let squared = own.powi(2) / row.degrees_of_freedom + common.powi(2) / self.degrees_of_freedom;
        StandardError { points: variance.sqrt(), degrees_of_freedom: (own + common).powi(2) / squared }
    }
}

impl Excess {
    /// Two-sided p-value of "nothing but the factor"; below 0.05 where the interval excludes zero.
    pub fn p(&self) -> f64 {
        self.error.p(self.points)
    }

    /// Half the width of the 95 % interval, in points.
    pub fn half_pp(&self) -> f64 {
        let StandardError { points, degrees_of_freedom } = self.error;
        if points > 0.0 { critical_t(0.05, degrees_of_freedom) * points } else { 0.0 }
    }

    /// The standard error of the excess, in points.
    pub fn se_pp(&self) -> f64 {
        self.error.points
    }

    /// Degrees of freedom of the standard error.
    pub fn degrees_of_freedom(&self) -> f64 {
        self.error.degrees_of_freedom
    }

    /// The share, in percent of the new profile, in the middle of what was expected and what is.
    pub(crate) fn mean_share_pct(&self) -> f64 {
        0.5 * (self.expected_pct + self.after_pct)
    }

    /// Whether it passes the practical floor, in points of either profile.
    pub fn is_large(&self, floor: &Floor) -> bool {
        self.points.abs() >= self.least_pp(floor)
    }

    /// The smallest excess, in points, that passes the floor.
    fn least_pp(&self, floor: &Floor) -> f64 {
        let of_row = floor.relative * self.after_pct.max(self.expected_pct);
        of_row.max(floor.points * self.ratio.max(1.0))
    }

    /// The test of a row that is shown only if its excess passes the floor, and something else `holds` of it.
    pub(crate) fn tested(&self, floor: &Floor, holds: bool) -> Tested {
        let floor_p = if self.error.points > 0.0 { self.error.p(self.least_pp(floor)) } else { 0.0 };
        Tested { p: self.p(), floor_p, passes: holds && self.is_large(floor), weight: 1.0 }
    }

    /// The same, with the change compared with the doubt about the factor as a ratio.
    pub(crate) fn tested_as_ratio(&self, floor: &Floor, holds: bool) -> Tested {
        Tested { p: self.error_as_ratio.p(self.points), ..self.tested(floor, holds) }
    }
}

/// The mean of two numbers by which their difference is their distance as a ratio: (a - b) / ln(a / b); 0 if either is 0.
pub(super) fn logarithmic_mean(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low <= 0.0 {
        return 0.0;
    }
    let log = (high / low).ln();
    // Nearly equal: the first terms of the series.
    if log < 1e-4 { low * (1.0 + log / 2.0) } else { (high - low) / log }
}

/// What is said of a row's excess among all that are tested with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedExcess {
    /// Chance of an excess at least as large if there is none.
    pub p: f64,
    /// Smallest false discovery rate at which it is found, among those large enough to matter; 1 for the others.
    pub q: f64,
    /// Beyond noise, and large enough to matter.
    pub significant: bool,
}

/// Judges the excess of each row, at a false discovery rate of `rate` over the rows; `None` for rows that are not tested.
pub fn judge_excesses(excesses: &[Option<Excess>], floor: &Floor, rate: f64) -> Vec<Option<JudgedExcess>> {
    let tested: Vec<Tested> = excesses.iter().flatten().map(|excess| excess.tested(floor, true)).collect();
    let mut q_values = q_values_above_floor(&tested).into_iter();
    let mut judged = |excess: &Excess| {
        let q = q_values.next().unwrap_or(1.0);
        JudgedExcess { p: excess.p(), q, significant: q <= rate && excess.is_large(floor) }
    };
    excesses.iter().map(|excess| excess.as_ref().map(&mut judged)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{FLOOR_PP, FLOOR_RELATIVE};

    const FLOOR: Floor = Floor { points: FLOOR_PP, relative: FLOOR_RELATIVE };

    fn row(before_pct: f64, after_pct: f64) -> ShareChange {
        ShareChange { before_pct, after_pct, se_pp: 0.5, degrees_of_freedom: 6.0 }
    }

    fn factor(ratio: f64, log_se: f64) -> CommonFactor {
        CommonFactor { ratio, log_se, degrees_of_freedom: 4.0 }
    }

    #[test]
    fn with_the_factor_known_to_be_one_it_is_the_test_of_the_share() {
        let excess = factor(1.0, 0.0).excess(row(4.0, 6.0));
        assert!((excess.p() - two_sided_p(4.0, 6.0)).abs() < 1e-12);
        assert!(excess.is_large(&FLOOR) && !factor(1.0, 0.0).excess(row(4.0, 4.0)).is_large(&FLOOR));
    }

    #[test]
    fn a_share_that_holds_while_operations_cost_twice_is_growth() {
        let known = factor(0.5, 0.0);
        assert!((known.excess(row(4.0, 4.0)).points - 2.0).abs() < 1e-12);
        // Half the share at twice the cost is not a change.
        assert_eq!(known.excess(row(4.0, 2.0)).p(), 1.0);
    }

    #[test]
    fn doubt_about_the_factor_hides_changes_of_large_rows_most() {
        let p = |log_se: f64, before: f64| factor(1.0, log_se).excess(row(before, before + 2.0)).p();
        let loss = |before: f64| p(0.1, before) / p(0.0, before);
        // A small row hardly notices: its p-value may even fall a little, for degrees of freedom are added.
        assert!(
            loss(20.0) > 10.0 * loss(1.0) && (loss(1.0) - 1.0).abs() < 0.3,
            "{} {}",
            loss(20.0),
            loss(1.0)
        );
    }

    #[test]
    fn a_large_row_moves_the_profile_with_it() {
        // Own 0.25, common 0.16, covariance 0.25 x 0.04 / 0.96, on (0.41)^2 / (0.25^2 / 6 + 0.16^2 / 4).
        let p = factor(1.0, 0.1).excess(row(2.0, 4.0)).p();
        let variance: f64 = 0.41 + 2.0 * 0.25 * 0.04 / 0.96;
        let want = two_sided_p(2.0 / variance.sqrt(), 0.41_f64.powi(2) / (0.0625 / 6.0 + 0.0256 / 4.0));
        assert!((p - want).abs() < 1e-12, "{p} {want}");
        // A row that is all of the profile has no more than perfect correlation adds.
        let all = factor(1.0, 0.1).excess(ShareChange { se_pp: 0.01, ..row(99.9, 100.0) });
        assert!(all.se_pp() <= 0.01 + 10.0 + 1e-12);
    }

    #[test]
    fn places_compare_the_change_with_the_factor_as_ratios() {
        let p_of = |excess: &Excess| excess.tested_as_ratio(&FLOOR, true).p;
        let known = ShareChange { se_pp: 1e-9, ..row(2.0, 12.0) };
        let p = p_of(&factor(1.0, 0.2).excess(known));
        assert!((p - two_sided_p(6.0_f64.ln() / 0.2, 4.0)).abs() < 1e-9, "{p}");
        // What is gone is gone, whatever the factor.
        let gone = factor(1.0, 5.0).excess(row(4.0, 0.0));
        assert!((p_of(&gone) - two_sided_p(8.0, 6.0)).abs() < 1e-9, "{}", p_of(&gone));
        // Its cost is as uncertain as that of an operation.
        assert!(gone.half_pp() > 20.0);
    }

    #[test]
    fn swapped_sides_are_as_sure() {
        let there = factor(0.8, 0.05).excess(row(5.0, 7.0));
        let back = factor(1.25, 0.05).excess(row(7.0, 5.0));
        assert!((there.p() - back.p()).abs() < 1e-12 && there.points > 0.0 && back.points < 0.0);
        assert_eq!(there.is_large(&FLOOR), back.is_large(&FLOOR));
    }
}
