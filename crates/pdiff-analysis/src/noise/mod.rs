//! Which changes are more than noise.
//!
//! In: rows of two sides as plain sums ([`Row`], [`Denominator`]). Out: for each row its change, interval, q-value and
//! smallest detectable change ([`Judgement`]). Pure statistics: rows have no names here, and other code decides what a
//! change means. `docs/noise.md` has the measurements behind the method.
//!
//! ```text
//! RowRun, RunBlocks --within--> variance in a run --hosts, side--> shares of a side --model--> standard error
//!     --student--> p --fdr--> q;   detectable, drift, cost: what could be seen, what to distrust, what is common
//! ```

mod blocks;
mod common_factor;
mod cost;
mod detectable;
mod drift;
mod fdr;
mod hosts;
mod input;
mod judge;
mod judgement;
mod mixture;
mod model;
mod phases;
mod side;
mod spread;
mod student;
mod trigamma;
mod typical;
mod within;

pub use blocks::{RowRun, RunBlocks};
pub(crate) use blocks::{coarse_blocks, ends_coarse_block};
pub use common_factor::{CommonFactor, Excess, JudgedExcess, ShareChange, judge_excesses};
pub(crate) use cost::{OfRun, common_shift};
pub use detectable::{Detectable, POWER, Sensitivity, SideSize, Unsolved};
pub(crate) use fdr::{ShownTests, Tested, q_values_above_floor};
pub use input::{
    ASSUMED_CV, Denominator, FALSE_DISCOVERY_RATE, FLOOR_PP, FLOOR_RELATIVE, Floor, MIN_SAMPLES,
    NoiseSettings, Row, SINGLE_RUN_CV, SINGLE_RUN_CV_DF,
};
pub use judge::judge;
pub(crate) use judge::{Settled, judge_in};
pub use judgement::{Judgement, Method, RowNoise, RunVariation, Test, Untested};
pub use student::{critical_t, f_upper_tail, two_sided_p};
pub(crate) use typical::{TypicalRow, median, typical_factor};
