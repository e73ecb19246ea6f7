//! A comparison's rows as CSV and Parquet: one line per row, every row, one column per field.
//!
//! Both are of the same columns, so the two forms cannot disagree. A side on which the row has no weight is null in all of
//! its columns, as it is in JSON.

use std::io::Write;

use pdiff_analysis::{Comparison, FieldValue, Row, RowField};

use crate::error::Error;
use crate::files::column::{Column, Values};
#[cfg(feature = "parquet")]
use crate::files::parquet::parquet_bytes;
use crate::files::written_bytes::write_csv_lines;

/// So many rows are written at once.
const ROWS_AT_ONCE: usize = 1 << 12;

/// Writes the rows as CSV, a header line first.
///
/// # Errors
/// Returns an error if they cannot be written.
pub fn write_csv(comparison: &Comparison, out: impl Write) -> Result<(), Error> {
    let rows = &comparison.rows;
    let header = rows.is_empty().then_some(&rows[..]);
    let parts = header.into_iter().chain(rows.chunks(ROWS_AT_ONCE));
    write_csv_lines(parts.map(|rows| (rows.len(), columns(comparison, rows))), out)
}

/// The rows as Parquet, one row group.
///
/// # Errors
/// Returns an error if serialisation fails.
#[cfg(feature = "parquet")]
pub fn parquet(comparison: &Comparison) -> Result<Vec<u8>, Error> {
    parquet_bytes(comparison.rows.len(), columns(comparison, &comparison.rows))
}

fn columns(comparison: &Comparison, rows: &[Row]) -> Vec<Column> {
    RowField::all()
        .iter()
        .map(|field| {
            let values = rows.iter().map(|row| field.value(row, comparison.policy.match_level));
            Column::new(field.name().to_owned(), values_of(field, values))
        })
        .collect()
}

/// The values of one field, all of one kind.
fn values_of<'a>(field: &RowField, values: impl Iterator<Item = FieldValue<'a>>) -> Values {
    macro_rules! all {
        ($kind:ident) => {
            values
                .filter_map(|value| if let FieldValue::$kind(value) = value { Some(value) } else { None })
                .collect::<Vec<_>>()
                .into()
        };
    }
    match field.type_name() {
        "string" => all!(Text),
        "boolean" => all!(Flag),
        "integer" => all!(Count),
        _ => all!(Number),
    }
}

#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;
