//! Attributing the gap of two builds to factors, from benchmark runs. Pure arithmetic and statistics.
//!
//! In: a [`crate::RunsTable`]. Out: an [`Attribution`]. `docs/attribution.md` says what each number means.
//!
//! ```text
//! runs --cells--> mean of ln throughput, noise --gaps--> sums of gaps with intervals
//!     --> cumulative, independent, Shapley, ranges, interactions, per build, masking, and the runs that are missing
//! ```

mod attribute;
mod attribution;
mod cells;
mod contrast;
mod estimate;
mod forecast;
mod fraction;
mod gaps;
mod matrix;
mod meeting;
mod mixed;
mod ranges;
mod shapley;
mod strata;
mod weighted;

pub use attribute::attribute;
pub use attribution::{
    AttributeSettings, Attribution, BuildEffect, Design, Factor, Interaction, Masking, MissingRun, Need,
    NoiseSource, Plots, Range, Scale, Shapley, Sign, Step, Together,
};
pub use estimate::{Effect, Estimate, GapAt};
pub use forecast::{Agreement, FactorForecast, ForecastRow, Foretold, Predicted, foretold};
pub use fraction::FractionAverage;
pub use meeting::{Compared, Meeting, MeetingRow, meet};

#[cfg(test)]
mod tests;
