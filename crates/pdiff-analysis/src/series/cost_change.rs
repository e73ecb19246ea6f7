//! Whether a row's cost changed beyond noise from one build to another: its cost per operation where operations are known,
//! else its share.
//!
//! A row's cost is share x cost of the profile. Without change, its share would be the old share times R = (old cost / new
//! cost) of the whole profile. So `new share - R x old share` is tested, with the variance of the row's change of share plus
//! (R x old share)^2 times that of ln R (delta method), the two taken as independent, on Satterthwaite's degrees of freedom;
//! false discoveries are bounded over the rows (Benjamini, Hochberg). With one run a side the variation of cost is assumed,
//! as it is for shares.

use crate::compare::{Comparison, Cost, Row};
use crate::noise::{
    ASSUMED_CV, ASSUMED_CV_DF, FLOOR_PP, FLOOR_RELATIVE, RunVariation, critical_t, q_values, two_sided_p,
};

/// For each row: its change is beyond noise and large enough to matter. `per_operation` judges costs per operation, else
/// shares.
pub(super) fn significant(comparison: &Comparison, per_operation: bool) -> Vec<bool> {
    let Some(cost) = comparison.cost.as_ref().filter(|_| per_operation) else {
        return comparison.rows.iter().map(|row| row.significant).collect();
    };
    let shift = Shift::of(cost, &comparison.noise.run_variation);
    let tested: Vec<Option<f64>> =
        comparison.rows.iter().map(|row| row.test.p().map(|_| shift.p(Change::of(row)))).collect();
    let p_values: Vec<f64> = tested.iter().copied().flatten().collect();
    let mut q = q_values(&p_values).into_iter();
    let threshold = comparison.noise.q_threshold;
    let judged = comparison.rows.iter().zip(&tested);
    judged
        .map(|(row, p)| {
            p.is_some() && q.next().is_some_and(|q| q <= threshold) && shift.is_large(Change::of(row))
        })
        .collect()
}

/// The change of the whole profile's cost.
struct Shift {
    /// Old cost over new cost.
    ratio: f64,
    /// Standard error of its logarithm.
    se: f64,
    degrees_of_freedom: f64,
}

impl Shift {
    fn of(cost: &Cost, variation: &RunVariation) -> Self {
        let ratio = (-cost.log_ratio).exp();
        match cost.log_interval {
            Some((low, high)) => {
                let df = cost.log_degrees_of_freedom;
                Self { ratio, se: (high - low) / 2.0 / critical_t(0.05, df), degrees_of_freedom: df }
            }
            None => {
                let cv = match variation {
                    RunVariation::Assumed { cv } => *cv,
                    RunVariation::Measured { .. } => ASSUMED_CV,
                };
                Self { ratio, se: cv * std::f64::consts::SQRT_2, degrees_of_freedom: ASSUMED_CV_DF }
            }
        }
    }

    /// What the row's share grew beyond what its old cost makes of the new profile, in points of the new profile.
    fn excess(&self, row: Change) -> f64 {
        row.after_pct - self.ratio * row.before_pct
    }

    fn p(&self, row: Change) -> f64 {
        // The old share's part of the variance grows with the ratio; taking all of it so errs on the safe side.
        let own = (row.se_pp * self.ratio.max(1.0)).powi(2);
        let common = (self.ratio * row.before_pct * self.se).powi(2);
        let variance = own + common;
        let df = variance.powi(2)
            / (own.powi(2) / row.degrees_of_freedom + common.powi(2) / self.degrees_of_freedom);
        if variance > 0.0 { two_sided_p(self.excess(row) / variance.sqrt(), df) } else { 1.0 }
    }

    fn is_large(&self, row: Change) -> bool {
        let larger = row.after_pct.max(self.ratio * row.before_pct);
        self.excess(row).abs() >= FLOOR_PP.max(FLOOR_RELATIVE * larger)
    }
}

/// The change of a row's share.
#[derive(Clone, Copy)]
struct Change {
    before_pct: f64,
    after_pct: f64,
    se_pp: f64,
    degrees_of_freedom: f64,
}

impl Change {
    fn of(row: &Row) -> Self {
        Self {
            before_pct: row.before.self_pct,
            after_pct: row.after.self_pct,
            se_pp: row.se_pp,
            degrees_of_freedom: row.degrees_of_freedom,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before_pct: f64, after_pct: f64) -> Change {
        Change { before_pct, after_pct, se_pp: 0.5, degrees_of_freedom: 6.0 }
    }

    #[test]
    fn with_the_profile_s_cost_known_and_unchanged_it_is_the_test_of_the_share() {
        let shift = Shift { ratio: 1.0, se: 0.0, degrees_of_freedom: 4.0 };
        let p = shift.p(change(4.0, 6.0));
        assert!((p - two_sided_p(4.0, 6.0)).abs() < 1e-12, "{p}");
        assert!(shift.is_large(change(4.0, 6.0)) && !shift.is_large(change(4.0, 4.0)));
    }

    #[test]
    fn a_share_that_holds_while_operations_cost_twice_is_growth() {
        let shift = Shift { ratio: 0.5, se: 0.0, degrees_of_freedom: 4.0 };
        assert!((shift.excess(change(4.0, 4.0)) - 2.0).abs() < 1e-12);
        // Half the share at twice the cost is no change.
        assert_eq!(shift.p(change(4.0, 2.0)), 1.0);
    }

    #[test]
    fn noise_of_the_profile_s_cost_hides_changes_of_large_rows_most() {
        let sure = Shift { ratio: 1.0, se: 0.0, degrees_of_freedom: 4.0 };
        let unsure = Shift { ratio: 1.0, se: 0.1, degrees_of_freedom: 4.0 };
        let loss =
            |before: f64| unsure.p(change(before, before + 2.0)) / sure.p(change(before, before + 2.0));
        // A small row hardly notices: its p-value may even fall a little, for degrees of freedom are added.
        assert!(
            loss(20.0) > 10.0 * loss(1.0) && (loss(1.0) - 1.0).abs() < 0.2,
            "{} {}",
            loss(20.0),
            loss(1.0)
        );
        // Welch-Satterthwaite: (0.25 + 0.04)^2 / (0.25^2 / 6 + 0.04^2 / 4).
        let p = unsure.p(change(2.0, 4.0));
        assert!(
            (p - two_sided_p(2.0 / 0.29f64.sqrt(), 0.0841 / (0.0625 / 6.0 + 0.0016 / 4.0))).abs() < 1e-12
        );
    }
}
