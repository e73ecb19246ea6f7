//! One file a command.

#[cfg(feature = "parquet")]
pub(crate) mod attribute;
#[cfg(not(feature = "parquet"))]
#[path = "without_tables.rs"]
pub(crate) mod attribute;
pub(crate) mod ci;
pub(crate) mod classify;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod counts;
pub(crate) mod explain;
pub(crate) mod flame;
pub(crate) mod inlines;
pub(crate) mod man;
pub(crate) mod pack;
pub(crate) mod plan;
pub(crate) mod report;
pub(crate) mod script;
#[cfg(feature = "parquet")]
pub(crate) mod series;
pub(crate) mod settings;
pub(crate) mod symbolize;
