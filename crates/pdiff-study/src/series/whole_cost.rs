//! The cost of an operation on each build, how well it is known, and the builds from which on it changed.

use super::arrivals::are_per_operation;
use super::chains::Step;
use super::change_points::{ChangePoint, change_points};
use super::log_mean::LogMean;

/// The chance of a change point of the whole cost where nothing changed.
pub const COST_CHANGE_POINT_RATE: f64 = 0.025;

/// The cost of an operation on each build.
#[derive(Clone, PartialEq, Debug)]
pub struct WholeCost {
    /// Nanoseconds of CPU, one per build.
    pub per_op_ns: Vec<f64>,
    /// The same for each run of each build.
    pub per_run_ns: Vec<Vec<f64>>,
    /// The builds from which on it was another, in order.
    pub change_points: Vec<ChangePoint>,
}

impl WholeCost {
    /// The cost of a build over that of another.
    #[must_use]
    pub fn relative(&self, build: usize, base: usize) -> Option<f64> {
        Some(self.per_op_ns.get(build)? / self.per_op_ns.get(base)?).filter(|ratio| ratio.is_finite())
    }

    /// The 95 % interval of that ratio, where both builds have several runs; `None` for the base itself.
    #[must_use]
    pub fn relative_interval(&self, build: usize, base: usize) -> Option<(f64, f64)> {
        let mean = |of: usize| {
            let logs: Vec<f64> = self.per_run_ns.get(of)?.iter().map(|cost| cost.ln()).collect();
            (logs.len() > 1).then(|| LogMean::of(&logs))
        };
        let (own, other) = (mean(build).filter(|_| build != base)?, mean(base)?);
        let (low, high) = own.ratio_to(other)?;
        // Runs of a build may differ in length, so the ratio of their sums is not that of their means: the interval is
        // around the ratio that is shown.
        let shift = self.relative(build, base)? / (own.mean - other.mean).exp();
        Some((low * shift, high * shift)).filter(|(low, high)| low.is_finite() && high.is_finite())
    }
}

/// The whole cost of each build, from comparisons of each with the one before it; `None` where operations are not known of all.
#[must_use]
pub fn whole_cost(steps: &[Step]) -> Option<WholeCost> {
    if !are_per_operation(steps) {
        return None;
    }
    let consecutive = steps.iter().filter(|step| step.to == step.from + 1);
    let costs: Vec<_> = consecutive.filter_map(|step| step.comparison.cost.as_ref()).collect();
    let first = costs.first();
    let per_op_ns: Vec<f64> = first
        .map(|cost| cost.per_op.before)
        .into_iter()
        .chain(costs.iter().map(|cost| cost.per_op.after))
        .collect();
    let per_run_ns = first
        .map(|cost| cost.per_run.before.clone())
        .into_iter()
        .chain(costs.iter().map(|cost| cost.per_run.after.clone()))
        .collect();
    let change_points = change_points(&[&per_op_ns], COST_CHANGE_POINT_RATE).pop().unwrap_or_default();
    Some(WholeCost { per_op_ns, per_run_ns, change_points })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_ratio_is_around_the_ratio_that_is_shown() {
        let whole = WholeCost {
            per_op_ns: vec![100.0, 152.0, 90.0],
            per_run_ns: vec![vec![90.0, 110.0], vec![140.0, 160.0], vec![90.0]],
            change_points: Vec::new(),
        };
        assert!((whole.relative(1, 0).unwrap() - 1.52).abs() < 1e-12);
        let (low, high) = whole.relative_interval(1, 0).unwrap();
        assert!(((low * high).sqrt() - 1.52).abs() < 1e-9, "{low} {high}");
        let other = whole.relative_interval(0, 1).unwrap();
        assert!((other.0 * high - 1.0).abs() < 1e-9 && (other.1 * low - 1.0).abs() < 1e-9);
        assert!(whole.relative_interval(0, 0).is_none(), "the base has no interval against itself");
        assert!(whole.relative_interval(2, 0).is_none(), "one run says nothing of how runs vary");
        assert!(whole.relative(3, 0).is_none());
    }
}
