//! From findings to experiments: which settings to switch or patches to revert, what the profile expects of each, and the
//! runs that would tell.
//!
//! In: a comparison with findings, and both sides' samples sorted by the factors that would switch them. Out: a [`Plan`].
//! What a factor would do is expected under one assumption: the CPU is the limit, so throughput is the cores in use over
//! the CPU that an operation costs, and the cores in use stay. `docs/plan.md` says how far that holds.

mod design;
mod effect;
mod factor;
mod made;

pub use design::{Design, PlannedRun};
pub use factor::{Experiment, Forecast, NotPlanned, PlannedFactor, WantedFactor};
pub use made::{Plan, PlanError, PlanSettings};
pub(crate) use made::{PlanInput, make};
