//! Results as bytes for programs: columns of values, JSON, CSV and Parquet.

pub(crate) mod column;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
pub(crate) mod written_bytes;
