//! Reports as bytes: JSON by serde, CSV by csv. One place for what their writers may refuse.

use serde::Serialize;
use serde_json::Value;

use crate::error::Error;
use crate::files::column::{Column, Values};

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
    Column::new(name.to_owned(), values.collect::<Vec<_>>())
}

/// Columns of `height` rows as CSV, a header line first. What is absent is empty.
pub(crate) fn csv_lines(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let refused = |error: &dyn std::fmt::Display| Error::Columns { format: "CSV", reason: error.to_string() };
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = columns.iter().map(|column| &column.name);
    writer.write_record(header).map_err(|error| refused(&error))?;
    for row in 0..height {
        let cells: Vec<Cell<'_>> = columns.iter().map(|column| Cell::of(&column.values, row)).collect();
        writer.serialize(cells).map_err(|error| refused(&error))?;
    }
    writer.into_inner().map_err(|error| refused(&error))
}

/// One value of a line.
#[derive(Serialize)]
#[serde(untagged)]
enum Cell<'a> {
    Word(Option<&'a str>),
    Count(Option<u64>),
    Number(Option<f64>),
    Flag(Option<bool>),
}

impl<'a> Cell<'a> {
    fn of(values: &'a Values, row: usize) -> Self {
        match values {
            Values::Words(values) => Self::Word(values.get(row).and_then(Option::as_deref)),
            Values::Counts(values) => Self::Count(values.get(row).copied().flatten()),
            Values::Numbers(values) => Self::Number(values.get(row).copied().flatten()),
            Values::Flags(values) => Self::Flag(values.get(row).copied().flatten()),
        }
    }
}

fn ended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}
