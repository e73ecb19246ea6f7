//! Whether a row's cost changed beyond noise from one build to another: its cost per operation where operations are known,
//! else its share.
//!
//! What the share changed beyond the whole profile's cost is tested (`noise::CommonFactor`); false discoveries are bounded
//! over the rows (Benjamini, Hochberg). With one run per side the variation of cost is assumed, as it is for shares.

use pdiff_analysis::noise::{Excess, RunVariation, critical_t, judge_excesses};
use pdiff_analysis::{Comparison, Row};

/// Intervals miss the truth this often.
pub(super) const INTERVAL_ALPHA: f64 = 0.05;

/// What is known about a row's change from one build to another.
#[derive(Clone, Copy, Default)]
pub(super) struct RowChange {
    /// It is beyond noise and large enough to matter.
    pub(super) significant: bool,
    /// How well it is known; `None` where the row was not tested, or no run of either build repeats.
    pub(super) error: Option<ChangeError>,
}

/// The standard error of a change, in nanoseconds per operation or in points of share.
#[derive(Clone, Copy)]
pub(super) struct ChangeError {
    se: f64,
    degrees_of_freedom: f64,
}

impl ChangeError {
    /// Half of the interval that misses the truth with a chance of `alpha`.
    pub(super) fn half(self, alpha: f64) -> f64 {
        if self.se > 0.0 { critical_t(alpha, self.degrees_of_freedom) * self.se } else { 0.0 }
    }
}

/// Judges each row's change, at a false discovery rate of `rate` among the rows whose change is called significant.
/// `per_operation` judges costs per operation, else shares.
pub(super) fn row_changes(comparison: &Comparison, per_operation: bool, rate: f64) -> Vec<RowChange> {
    let significant = significant(comparison, per_operation, rate);
    let changes = significant.into_iter().zip(errors(comparison, per_operation));
    changes.map(|(significant, error)| RowChange { significant, error }).collect()
}

fn significant(comparison: &Comparison, per_operation: bool, rate: f64) -> Vec<bool> {
    let Some(factor) = comparison.cost_factor().filter(|_| per_operation) else {
        let is_found = |q: Option<f64>| q.is_some_and(|q| q <= rate);
        return comparison.rows.iter().map(|row| row.significant && is_found(row.test.q())).collect();
    };
    let tested: Vec<Option<Excess>> =
        comparison.rows.iter().map(|row| row.self_change().map(|change| factor.excess(change))).collect();
    let judged = judge_excesses(&tested, &comparison.noise.floor, rate);
    judged.iter().map(|judged| judged.is_some_and(|judged| judged.significant)).collect()
}

/// For each row: the standard error of its change; `None` where variation between runs was not measured, or the row was not
/// tested.
pub(super) fn errors(comparison: &Comparison, per_operation: bool) -> Vec<Option<ChangeError>> {
    let is_measured = matches!(comparison.noise.run_variation, RunVariation::Measured { .. });
    let of_cost = comparison.cost.as_ref().filter(|_| per_operation).map(|cost| {
        let factor = cost.factor_of_shares().filter(|_| is_measured);
        (factor, cost.per_op.after / 100.0)
    });
    let error = |row: &Row| {
        let change = row.self_change().filter(|_| is_measured)?;
        Some(match &of_cost {
            Some((factor, unit)) => {
                let excess = factor.as_ref()?.excess(change);
                ChangeError { se: excess.se_pp() * unit, degrees_of_freedom: excess.degrees_of_freedom() }
            }
            None => ChangeError { se: change.se_pp, degrees_of_freedom: change.degrees_of_freedom },
        })
    };
    comparison.rows.iter().map(error).collect()
}
