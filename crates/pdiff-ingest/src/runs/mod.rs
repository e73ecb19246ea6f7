//! Benchmark runs from CSV, TSV, JSON and Parquet: the text of a table, then what its columns mean.
//!
//! ```text
//! bytes --text_table--> names and fields --columns--> RunsTable
//! ```
//!
//! The form is told by content, not by name. Fields stay text until their column is known, so that every complaint can
//! name the row. polars reads CSV and Parquet; it has no JSON here, which serde_json reads.

mod columns;
mod error;
mod series_columns;
mod text_table;

pub use columns::{ColumnName, RunsColumns, parse_runs};
pub use error::RunsError;
pub use series_columns::{SeriesColumns, ThroughputRow, parse_throughputs};

use std::io::Read as _;

use crate::source::Source;

/// The most bytes read of one table: a million runs.
const MAX_TABLE_BYTES: u64 = 1 << 28;

/// The bytes of a table and what errors call it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableBytes {
    /// The source as the caller named it.
    pub path: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// Reads a whole table from a file or standard input.
///
/// # Errors
/// [`RunsError`] if it cannot be read or is larger than any table of runs.
pub fn read_table_bytes(source: &Source) -> Result<TableBytes, RunsError> {
    let path = source.to_string();
    let unreadable = |error| RunsError::Unreadable { path: path.as_str().into(), source: error };
    let open = source.open().map_err(unreadable)?;
    let mut bytes = Vec::new();
    open.reader.take(MAX_TABLE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TABLE_BYTES {
        return Err(RunsError::TooLarge { path: path.into(), limit: MAX_TABLE_BYTES });
    }
    Ok(TableBytes { path, bytes })
}

#[cfg(test)]
mod tests;
