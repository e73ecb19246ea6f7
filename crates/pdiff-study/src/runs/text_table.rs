//! A table as text: column names and fields, whatever form it came in.
//!
//! CSV or TSV with a header line (UTF-8, with or without a byte order mark, any line end, quoted fields), JSON as an array
//! of objects or one object per line, Parquet. An empty field and `null` are absent. Rows keep the order of the file.

use std::collections::HashSet;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::{
    AnyValue, CsvParseOptions, CsvReadOptions, DataFrame, ParallelStrategy, ParquetReader, PolarsError,
    SerReader as _,
};
use serde_json::{Map, Value};

use super::TableBytes;
use super::error::RunsError;

/// Column names and rows of fields; every row has a field for every column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TextTable {
    pub(super) path: String,
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Option<String>>>,
    /// What each row is counted as in errors: rows of blanks are counted, and left out.
    numbers: Vec<usize>,
}

/// A table of more fields than this must have a byte a field, as text that names them all has: a few bytes of rows and
/// columns that lack most of each other represent any number of fields.
const MAX_FIELDS_LACKED: usize = 1 << 20;

/// Rows of a Parquet file; tables of benchmark runs have thousands.
const MOST_PARQUET_ROWS: usize = 1 << 20;

/// Rows that a byte of a Parquet file may represent: columns of one value take next to nothing.
const MOST_ROWS_A_BYTE: usize = 64;

/// The first bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

impl TextTable {
    /// Reads a table; its form is recognised by its first bytes.
    pub(super) fn parse(input: &TableBytes) -> Result<Self, RunsError> {
        let bytes = input.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&input.bytes);
        let malformed =
            |form, reason: String| RunsError::Malformed { path: input.path.as_str().into(), form, reason };
        let (names, rows) = if bytes.starts_with(PARQUET_MAGIC) {
            fields(&parquet(bytes).map_err(|reason| malformed("Parquet", reason))?)
        } else {
            let text = std::str::from_utf8(bytes).map_err(|error| {
                malformed("CSV", format!("byte {} is not UTF-8 text", error.valid_up_to()))
            })?;
            match text.trim_start().as_bytes().first() {
                None => return Err(RunsError::Empty { path: input.path.as_str().into() }),
                Some(b'[' | b'{') => json(text).map_err(|reason| malformed("JSON", reason))?,
                Some(_) => named_by_first_row(fields(&csv(text).map_err(|reason| malformed("CSV", reason))?)),
            }
        };
        let names: Vec<String> = names.into_iter().map(|name| name.trim().to_owned()).collect();
        let is_blank = |row: &[Option<String>]| row.iter().flatten().all(|field| field.trim().is_empty());
        let numbered = (1..).zip(rows).filter(|(_, row)| !is_blank(row));
        let (numbers, rows) = numbered.unzip();
        let table = Self { path: input.path.clone(), names, rows, numbers };
        table.check()?;
        Ok(table)
    }

    fn check(&self) -> Result<(), RunsError> {
        let mut known = HashSet::new();
        for name in &self.names {
            if !known.insert(name) {
                return Err(RunsError::ColumnTwice {
                    path: self.path.as_str().into(),
                    column: name.as_str().into(),
                });
            }
        }
        if self.rows.is_empty() {
            return Err(RunsError::Empty { path: self.path.as_str().into() });
        }
        Ok(())
    }

    /// The index of a column.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The index of a column that must be there.
    pub(super) fn needed(&self, name: &str, hint: &str) -> Result<usize, RunsError> {
        self.column(name).ok_or_else(|| RunsError::NoColumn {
            path: self.path.as_str().into(),
            column: name.into(),
            known: self.names.join(", "),
            hint: hint.to_owned(),
        })
    }

    /// A field, blanks around it taken away; `None` if it is empty.
    pub(super) fn field(&self, row: usize, column: usize) -> Option<&str> {
        let field = self.rows.get(row)?.get(column)?.as_deref()?.trim();
        (!field.is_empty()).then_some(field)
    }

    /// A positive number; `None` if the field is empty.
    pub(super) fn positive(&self, row: usize, column: usize) -> Result<Option<f64>, RunsError> {
        let Some(field) = self.field(row, column) else { return Ok(None) };
        match field.parse::<f64>() {
            Ok(value) if value.is_finite() && value > 0.0 => Ok(Some(value)),
            _ if field.contains(',') => Err(self.bad(
                row,
                column,
                "is not a positive number; hint: no thousands separators, a decimal point",
            )),
            _ => Err(self.bad(row, column, "is not a positive number")),
        }
    }

    /// A positive number that must be there.
    pub(super) fn needed_positive(&self, row: usize, column: usize) -> Result<f64, RunsError> {
        self.positive(row, column)?.ok_or_else(|| self.bad(row, column, "is missing"))
    }

    /// A whole number above zero; `None` if the field is empty.
    pub(super) fn whole_number(&self, row: usize, column: usize) -> Result<Option<u32>, RunsError> {
        let Some(value) = self.positive(row, column)? else { return Ok(None) };
        let whole = value.fract() == 0.0 && value <= f64::from(u32::MAX);
        if whole { Ok(Some(value as u32)) } else { Err(self.bad(row, column, "is not a whole number")) }
    }

    /// What a row is counted as, from 1, the header not counted.
    pub(super) fn number(&self, row: usize) -> usize {
        self.numbers.get(row).copied().unwrap_or(row + 1)
    }

    /// A field that does not fit its column.
    pub(super) fn bad(&self, row: usize, column: usize, problem: &'static str) -> RunsError {
        RunsError::BadField {
            path: self.path.as_str().into(),
            row: self.number(row),
            column: self.names.get(column).map_or("", String::as_str).into(),
            text: self.field(row, column).unwrap_or("").into(),
            problem,
        }
    }
}

type Fields = (Vec<String>, Vec<Vec<Option<String>>>);

/// The header is read as a row: polars would rename columns that occur twice.
fn named_by_first_row((_, mut rows): Fields) -> Fields {
    let header = if rows.is_empty() { Vec::new() } else { rows.remove(0) };
    (header.into_iter().map(Option::unwrap_or_default).collect(), rows)
}

fn fields(frame: &DataFrame) -> Fields {
    let names = frame.get_column_names().iter().map(ToString::to_string).collect();
    let mut rows = vec![Vec::with_capacity(frame.width()); frame.height()];
    for column in frame.columns() {
        for (row, at) in rows.iter_mut().zip(0..) {
            row.push(column.get(at).ok().and_then(|value| field_text(&value)));
        }
    }
    (names, rows)
}

fn field_text(value: &AnyValue<'_>) -> Option<String> {
    match value {
        AnyValue::Null => None,
        AnyValue::String(text) => Some((*text).to_owned()),
        AnyValue::StringOwned(text) => Some(text.to_string()),
        AnyValue::Boolean(yes) => Some(u8::from(*yes).to_string()),
        AnyValue::Float64(number) => Some(number.to_string()),
        AnyValue::Float32(number) => Some(number.to_string()),
        other => Some(other.to_string()),
    }
}

/// Readers of others' bytes that are at work.
static GUARDED: AtomicUsize = AtomicUsize::new(0);

/// Whether a table of others is being read: a panic is then caught and becomes an error, so a program that says panics aloud need
/// not say this one.
#[must_use]
pub fn is_reading_guarded() -> bool {
    GUARDED.load(Ordering::SeqCst) > 0
}

/// A reader of others' bytes gives an error for what it cannot read, never more.
fn guarded(read: impl FnOnce() -> Result<DataFrame, PolarsError>) -> Result<DataFrame, String> {
    GUARDED.fetch_add(1, Ordering::SeqCst);
    let outcome = catch_unwind(AssertUnwindSafe(read));
    GUARDED.fetch_sub(1, Ordering::SeqCst);
    match outcome {
        Ok(Ok(frame)) => Ok(frame),
        Ok(Err(error)) => Err(first_line(&error.to_string())),
        Err(_) => Err("the data is damaged".to_owned()),
    }
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("unreadable").to_owned()
}

fn parquet(bytes: &[u8]) -> Result<DataFrame, String> {
    if bytes.len() < 12 || !bytes.ends_with(PARQUET_MAGIC) {
        return Err("it does not end as Parquet does; the file is damaged or cut off".to_owned());
    }
    guarded(|| {
        // The file says beforehand how many rows it has: one of some hundred bytes can claim any number of them.
        let rows = ParquetReader::new(Cursor::new(bytes)).num_rows()?;
        if rows > MOST_PARQUET_ROWS || rows > bytes.len().saturating_mul(MOST_ROWS_A_BYTE) {
            let reason = format!("{rows} rows are more than a table of {} bytes can hold", bytes.len());
            return Err(PolarsError::ComputeError(reason.into()));
        }
        ParquetReader::new(Cursor::new(bytes)).read_parallel(ParallelStrategy::None).finish()
    })
}

fn csv(text: &str) -> Result<DataFrame, String> {
    let header = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    let separator = if header.contains('\t') { b'\t' } else { b',' };
    // A lone carriage return ends lines, too; polars knows line feeds.
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.trim_start_matches('\n');
    check_fields(text.lines().count(), header.matches(char::from(separator)).count() + 1, text.len())?;
    if let Some(long) = long_row(text, char::from(separator)) {
        return Err(long);
    }
    let text = text.as_bytes().to_vec();
    guarded(|| {
        CsvReadOptions::default()
            .with_has_header(false)
            .with_infer_schema_length(Some(0))
            .with_n_threads(Some(1))
            .with_parse_options(CsvParseOptions::default().with_separator(separator))
            .into_reader_with_file_handle(Cursor::new(text))
            .finish()
    })
}

fn check_fields(rows: usize, columns: usize, bytes: usize) -> Result<(), String> {
    match rows.saturating_mul(columns) > bytes.max(MAX_FIELDS_LACKED) {
        true => Err(format!("its {rows} rows lack most of its {columns} columns")),
        false => Ok(()),
    }
}

/// The first row with more fields than the header names; polars does not say which.
fn long_row(text: &str, separator: char) -> Option<String> {
    // Without quotes around fields, separators are all that counts.
    let mut lines = text.lines();
    let header = lines.next().filter(|_| !text.contains('"'))?;
    let fields = |line: &str| line.matches(separator).count() + 1;
    let named = fields(header);
    let (row, line) = (1..).zip(lines).find(|(_, line)| fields(line) > named)?;
    Some(format!("row {row} has {} fields, and the first line names {named} columns", fields(line)))
}

fn json(text: &str) -> Result<Fields, String> {
    let values: Vec<Value> = if text.trim_start().starts_with('[') {
        serde_json::from_str(text).map_err(|error| error.to_string())?
    } else {
        serde_json::Deserializer::from_str(text)
            .into_iter::<Value>()
            .collect::<Result<_, _>>()
            .map_err(|error| error.to_string())?
    };
    let mut names: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut objects: Vec<Map<String, Value>> = Vec::with_capacity(values.len());
    for (at, value) in values.into_iter().enumerate() {
        let Value::Object(object) = value else {
            return Err(format!("row {} is not an object with one key per column", at + 1));
        };
        for name in object.keys() {
            if known.insert(name.clone()) {
                names.push(name.clone());
            }
        }
        objects.push(object);
    }
    check_fields(objects.len(), names.len(), text.len())?;
    let row = |(at, object): (usize, &Map<String, Value>)| {
        names.iter().map(|name| json_field(object.get(name), at + 1)).collect::<Result<Vec<_>, String>>()
    };
    let rows = objects.iter().enumerate().map(row).collect::<Result<Vec<_>, String>>()?;
    Ok((names, rows))
}

fn json_field(value: Option<&Value>, row: usize) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(Value::Bool(yes)) => Ok(Some(u8::from(*yes).to_string())),
        Some(_) => Err(format!("row {row} has a list or an object in place of a value")),
    }
}
