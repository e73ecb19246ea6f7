//! From findings to experiments: which settings to switch or patches to revert, what the profile predicts for each, and the
//! runs that can confirm it.
//!
//! In: a comparison with findings, and both sides' samples sorted by the factors that would switch them. Out: a [`Plan`].
//! Predictions rest on one assumption: the CPU is the limit, so throughput is the number of cores in use over the CPU cost
//! of an operation, and the number of cores in use stays the same. `docs/plan.md` describes its limits.

mod design;
mod effect;
mod factor;
mod made;

pub use design::{Design, PlannedRun};
pub use factor::{Doubt, Experiment, Forecast, NotPlanned, PlannedFactor, WantedFactor, WhyNotPlanned};
pub use made::{Plan, PlanError, PlanSettings};
pub(crate) use made::{PlanInput, make};
