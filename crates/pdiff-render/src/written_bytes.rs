//! Reports as bytes: JSON by serde, CSV and Parquet by polars. One place for what their writers may refuse.

use polars::prelude::{Column, CsvWriter, DataFrame, ParquetWriter, PolarsError, SerWriter as _};
use serde::Serialize;
use serde_json::Value;

use crate::error::Error;

/// A report as one line of JSON.
pub(crate) fn json_line(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(report).map(ended).map_err(json_refused)
}

/// A report as one JSON object in many lines, for readers.
pub(crate) fn json_indented(report: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec_pretty(report).map(ended).map_err(json_refused)
}

/// A report as a value of JSON.
pub(crate) fn json_value(report: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(report).map_err(json_refused)
}

/// Why JSON was not written.
pub(crate) fn json_refused(error: serde_json::Error) -> Error {
    Error::Json { reason: error.to_string() }
}

/// A column of numbers; what is no number is empty.
pub(crate) fn numbers(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    let finite = values.map(|value| value.filter(|value| value.is_finite()));
    Column::new(name.into(), finite.collect::<Vec<Option<f64>>>())
}

/// Columns of `height` rows as CSV, a header line first.
pub(crate) fn csv_lines(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let written =
        DataFrame::new(height, columns).and_then(|mut frame| CsvWriter::new(&mut bytes).finish(&mut frame));
    written.map_err(|error| columns_refused("CSV", &error))?;
    Ok(bytes)
}

/// Columns of `height` rows as Parquet, one row group.
pub(crate) fn parquet_bytes(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let written = DataFrame::new(height, columns)
        .and_then(|mut frame| ParquetWriter::new(&mut bytes).finish(&mut frame));
    written.map_err(|error| columns_refused("Parquet", &error))?;
    Ok(bytes)
}

fn columns_refused(format: &'static str, error: &PolarsError) -> Error {
    Error::Columns { format, reason: error.to_string() }
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}
