//! Studies of many runs: a throughput gap attributed to settings, series of builds, and the tables that they start from.
//!
//! A comparison has two builds; a study has several builds, or one build under several settings.

#![forbid(unsafe_code)]

pub mod ablation;
#[cfg(feature = "runs-table")]
mod runs;
mod runs_table;
pub mod series;
mod sysbench;
mod vmstat;

#[cfg(feature = "runs-table")]
pub use runs::{
    ColumnName, RunsColumns, RunsError, SeriesColumns, TableBytes, ThroughputRow, is_reading_guarded,
    natural_order, parse_plan, parse_runs, parse_throughputs, read_table_bytes,
};
pub use runs_table::{BenchmarkRun, MAX_FACTORS, RunMetric, RunsBuild, RunsTable, Setting};
pub use sysbench::{Sysbench, SysbenchError, parse_sysbench};
pub use vmstat::{Vmstat, VmstatError, parse_vmstat};
