//! Whether a row's cost changed beyond noise from one build to another: its cost per operation where operations are known,
//! else its share.
//!
//! What the share changed beyond the whole profile's cost is tested (`noise::CommonFactor`); false discoveries are bounded
//! over the rows (Benjamini, Hochberg). With one run a side the variation of cost is assumed, as it is for shares.

use pdiff_analysis::noise::{
    CommonFactor, Excess, RunVariation, SINGLE_RUN_CV, SINGLE_RUN_CV_DF, q_values_of_large,
};
use pdiff_analysis::{Comparison, Cost};

/// For each row: its change is beyond noise and large enough to matter, at a false discovery rate of `rate` among the rows
/// for which that is said. `per_operation` judges costs per operation, else shares.
pub(super) fn significant(comparison: &Comparison, per_operation: bool, rate: f64) -> Vec<bool> {
    let Some(cost) = comparison.cost.as_ref().filter(|_| per_operation) else {
        let is_found = |q: Option<f64>| q.is_some_and(|q| q <= rate);
        return comparison.rows.iter().map(|row| row.significant && is_found(row.test.q())).collect();
    };
    let factor = factor_of(cost, &comparison.noise.run_variation);
    let tested: Vec<Option<Excess>> =
        comparison.rows.iter().map(|row| row.self_change().map(|change| factor.excess(change))).collect();
    let floor = &comparison.noise.floor;
    let excesses: Vec<Excess> = tested.iter().flatten().copied().collect();
    let mut q_values = q_values_of_large(&excesses, floor).into_iter();
    let mut is_found = |excess: &Excess| q_values.next().is_some_and(|q| q <= rate) && excess.is_large(floor);
    tested.iter().map(|excess| excess.as_ref().is_some_and(&mut is_found)).collect()
}

/// For each row: half of the 95 % interval of its change, in nanoseconds per operation or in points of share; `None` where
/// the runs of both builds do not repeat, or the row was not tested.
pub(super) fn growth_halves(comparison: &Comparison, per_operation: bool) -> Vec<Option<f64>> {
    let is_measured = matches!(comparison.noise.run_variation, RunVariation::Measured { .. });
    let rows = comparison.rows.iter();
    match comparison.cost.as_ref().filter(|_| per_operation) {
        Some(cost) => {
            let factor = cost.factor_of_shares().filter(|_| is_measured);
            rows.map(|row| {
                let excess = factor.as_ref()?.excess(row.self_change()?);
                Some(excess.half_pp() / 100.0 * cost.per_op.after)
            })
            .collect()
        }
        None => rows
            .map(|row| {
                row.self_change().filter(|_| is_measured).map(|_| (row.ci_high_pp - row.ci_low_pp) / 2.0)
            })
            .collect(),
    }
}

/// What the change of the whole profile's cost makes of shares. Where its noise was not measured, it is taken to be that
/// of one run a side, however the noise of shares was found.
fn factor_of(cost: &Cost, variation: &RunVariation) -> CommonFactor {
    cost.factor_of_shares().unwrap_or_else(|| {
        let cv = match variation {
            RunVariation::Assumed { cv } => *cv,
            RunVariation::Measured { .. } => SINGLE_RUN_CV,
        };
        CommonFactor {
            ratio: (-cost.log_ratio).exp(),
            log_se: cv * std::f64::consts::SQRT_2,
            degrees_of_freedom: SINGLE_RUN_CV_DF,
        }
    })
}
