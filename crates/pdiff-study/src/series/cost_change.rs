//! Whether a row's cost changed beyond noise from one build to another: its cost per operation where operations are known,
//! else its share.
//!
//! What the share changed beyond the whole profile's cost is tested (`noise::CommonFactor`); false discoveries are bounded
//! over the rows (Benjamini, Hochberg). With one run a side the variation of cost is assumed, as it is for shares.

use pdiff_analysis::noise::{ASSUMED_CV, CommonFactor, Excess, RunVariation, SINGLE_RUN_CV_DF, q_values};
use pdiff_analysis::{Comparison, Cost};

/// For each row: its change is beyond noise and large enough to matter. `per_operation` judges costs per operation, else
/// shares.
pub(super) fn significant(comparison: &Comparison, per_operation: bool) -> Vec<bool> {
    let Some(cost) = comparison.cost.as_ref().filter(|_| per_operation) else {
        return comparison.rows.iter().map(|row| row.significant).collect();
    };
    let factor = factor_of(cost, &comparison.noise.run_variation);
    let tested: Vec<Option<Excess>> =
        comparison.rows.iter().map(|row| row.self_change().map(|change| factor.excess(change))).collect();
    let p_values: Vec<f64> = tested.iter().flatten().map(Excess::p).collect();
    let mut q = q_values(&p_values).into_iter();
    let threshold = comparison.noise.q_threshold;
    let is_found = |excess: &Option<Excess>| {
        excess.is_some_and(|excess| {
            q.next().is_some_and(|q| q <= threshold) && excess.is_large(&comparison.noise.floor)
        })
    };
    tested.iter().map(is_found).collect()
}

/// What the change of the whole profile's cost makes of shares; its noise is assumed where it was not measured.
fn factor_of(cost: &Cost, variation: &RunVariation) -> CommonFactor {
    cost.factor_of_shares().unwrap_or_else(|| {
        let cv = match variation {
            RunVariation::Assumed { cv } => *cv,
            RunVariation::Measured { .. } => ASSUMED_CV,
        };
        CommonFactor {
            ratio: (-cost.log_ratio).exp(),
            log_se: cv * std::f64::consts::SQRT_2,
            degrees_of_freedom: SINGLE_RUN_CV_DF,
        }
    })
}
