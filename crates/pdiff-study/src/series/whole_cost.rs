//! The cost of an operation on each build, and the builds from which on it changed.

use super::arrivals::are_per_operation;
use super::chains::Step;
use super::change_points::{ChangePoint, change_points};

/// The chance of a change point of the whole cost where nothing changed.
pub const COST_CHANGE_POINT_RATE: f64 = 0.025;

/// The cost of an operation on each build.
#[derive(Clone, PartialEq, Debug)]
pub struct WholeCost {
    /// Nanoseconds of CPU, one per build.
    pub per_op_ns: Vec<f64>,
    /// The builds from which on it was another, in order.
    pub change_points: Vec<ChangePoint>,
}

/// The whole cost of each build, from comparisons of each with the one before it; `None` where operations are not known of all.
#[must_use]
pub fn whole_cost(steps: &[Step]) -> Option<WholeCost> {
    if !are_per_operation(steps) {
        return None;
    }
    let costs = steps.iter().filter(|step| step.to == step.from + 1);
    let pairs: Vec<_> = costs.filter_map(|step| Some(step.comparison.cost.as_ref()?.per_op)).collect();
    let first = pairs.first().map(|pair| pair.before);
    let per_op_ns: Vec<f64> = first.into_iter().chain(pairs.iter().map(|pair| pair.after)).collect();
    let change_points = change_points(&[&per_op_ns], COST_CHANGE_POINT_RATE).pop().unwrap_or_default();
    Some(WholeCost { per_op_ns, change_points })
}
