//! Reports as bytes: JSON by serde, CSV by polars. One place for what their writers may refuse.

use polars::prelude::{Column, CsvWriter, DataFrame, PolarsError, SerWriter as _};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// A report as one line of JSON.
pub(crate) fn json_line(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(report).map(ended).map_err(json_refused)
}

/// A report as JSON in many lines.
pub(crate) fn json_lines(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec_pretty(report).map(ended).map_err(json_refused)
}

/// A report as a value of JSON.
pub(crate) fn json_value(report: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(report).map_err(json_refused)
}

/// Why JSON was not written or read.
pub(crate) fn json_refused(error: serde_json::Error) -> Error {
    Error::Json { reason: error.to_string() }
}

/// Columns of `height` rows as CSV, a header line first.
pub(crate) fn csv_lines(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let refused = |error: PolarsError| Error::Columns { format: "CSV", reason: error.to_string() };
    let mut frame = DataFrame::new(height, columns).map_err(refused)?;
    let mut bytes = Vec::new();
    CsvWriter::new(&mut bytes).finish(&mut frame).map_err(refused)?;
    Ok(bytes)
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}
