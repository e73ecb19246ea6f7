//! Benchmark runs from CSV, TSV, JSON and Parquet: the text of a table, then what its columns mean.
//!
//! ```text
//! bytes --text_table--> names and fields --columns--> RunsTable
//! ```
//!
//! The form is recognised by content, not by name. Fields stay text until their column is known, so that every complaint
//! can name the row. polars reads CSV and Parquet; it has no JSON here, which serde_json reads.

mod columns;
mod error;
mod plan_file;
mod series_columns;
mod text_table;

pub use columns::{ColumnName, RunsColumns, natural_order, parse_runs};
pub use error::RunsError;
pub use plan_file::parse_plan;
pub use series_columns::{SeriesColumns, ThroughputRow, parse_throughputs};
pub use text_table::is_reading_guarded;

use std::io::{self, Read as _};

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

/// Reads a whole table.
///
/// # Errors
/// Returns an error if it cannot be read or is larger than any table of runs.
pub fn read_table_bytes(path: &str, reader: io::Result<impl io::Read>) -> Result<TableBytes, RunsError> {
    let unreadable = |error| RunsError::Unreadable { path: path.into(), source: error };
    let mut bytes = Vec::new();
    let reader = reader.map_err(unreadable)?;
    reader.take(MAX_TABLE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_TABLE_BYTES {
        return Err(RunsError::TooLarge { path: path.into(), limit: MAX_TABLE_BYTES });
    }
    Ok(TableBytes { path: path.to_owned(), bytes })
}

#[cfg(test)]
mod tests;
