//! A store of many runs: Parquet tables that engines can sum, and a pack of each run that pdiff compares.
//!
//! ```text
//! profile, resolutions --run_tables--> tables --add--> files of one run --runs, check--> what the store holds
//! ```
//!
//! A run is one recording of one build on one host. Its rows are in files of its own, so that hosts write without asking
//! each other, and it is there when its file below `runs/` is there: that one is written last. `docs/fleet.md` describes
//! the layout. This package does not read recordings and does not judge changes.

#![forbid(unsafe_code)]

mod add;
mod check;
mod content_id;
mod error;
mod parquet;
mod prune;
mod run_key;
mod run_tables;
mod selection;
mod store;
mod stored_run;
mod sums;
mod sums_table;
mod table;

pub use add::{Added, NewRun, RunFiles};
pub use check::{CheckReport, PackContent, Problem};
pub use content_id::ContentId;
pub use error::StoreError;
pub use parquet::is_reading_guarded;
pub use prune::Pruned;
pub use run_key::RunKey;
pub use selection::{Selection, SelectionError};
pub use store::{FORMAT_VERSION, Store};
pub use stored_run::{StoredEvent, StoredRun};
pub use sums::FunctionSum;
pub use sums_table::{SUM_COLUMNS, SumRow, SummedRun, read_sums, write_sums};
pub use table::Table;

/// The query with which an engine sums a store, in standard SQL.
pub const SUMS_SQL: &str = include_str!("../sql/sums.sql");
