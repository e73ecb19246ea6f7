//! Many builds in order: throughput relative to one of them, and in which build each cost arrived.
//!
//! Relative throughput is (QPS of some build) / (QPS of the base); repeats are averaged in the logarithm. Costs come from
//! comparisons of each build with the one before it: a cost arrived in the build whose step is its largest growth beyond
//! noise (`cost_change`), unless a build before it hides the function (`visibility`). Where builds are many, change points are
//! searched (`change_points`) of each cost and of the whole (`whole_cost`). Costs of thread groups (`group_cost`) are not judged.

mod arrivals;
mod build_cost;
mod chains;
mod change_points;
mod cost_change;
mod group_cost;
mod log_mean;
mod relative;
mod visibility;
mod whole_cost;

pub use arrivals::{Arrival, Arrived, Brought, are_per_operation, arrivals};
pub use build_cost::BuildCost;
pub use chains::Step;
pub use change_points::{ChangePoint, LEAST_BUILDS, change_points};
pub use group_cost::{GroupCost, group_costs};
pub use relative::{
    ClassMean, NOTABLE_RELATIVE, Relative, RelativeRow, Throughput, class_means, relative_throughput,
};
pub use visibility::Visibility;
pub use whole_cost::{COST_CHANGE_POINT_RATE, WholeCost, whole_cost};
