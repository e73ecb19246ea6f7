//! Tables as Parquet, by polars: written column by column, and read back with limits, as the file may be anybody's.

use std::io::{Cursor, Read as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use polars::prelude::{
    Column as PolarsColumn, DataFrame, DataType, ParallelStrategy, ParquetReader, ParquetWriter, PolarsError,
    SerReader as _,
};

use crate::content_id::{ContentId, file_hash};
use crate::error::StoreError;

/// The most bytes of one file of one run; a recording of 100 MB has some 5 MB of them.
const MOST_FILE_BYTES: u64 = 1 << 30;

/// Rows that a byte of a file may stand for: columns of one value take next to nothing.
const MOST_ROWS_A_BYTE: usize = 64;

/// The longest text in a field.
const MOST_TEXT_BYTES: usize = 1 << 16;

/// The first and the last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// A column to be written.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) values: Values,
}

/// The values of a column; `None` is not known.
pub(crate) enum Values {
    Texts(Vec<Option<String>>),
    Counts(Vec<Option<i64>>),
    Numbers(Vec<Option<f64>>),
    Flags(Vec<bool>),
}

/// The columns as the bytes of a Parquet file.
pub(crate) fn write_table(columns: Vec<Column>) -> Result<Vec<u8>, StoreError> {
    let columns: Vec<PolarsColumn> = columns.into_iter().map(polars_column).collect();
    let height = columns.first().map_or(0, PolarsColumn::len);
    let mut bytes = Vec::new();
    let written = DataFrame::new(height, columns)
        .and_then(|mut frame| ParquetWriter::new(&mut bytes).finish(&mut frame));
    written.map_err(|error| StoreError::Unstorable { what: first_line(&error.to_string()) })?;
    Ok(bytes)
}

fn polars_column(column: Column) -> PolarsColumn {
    let name = column.name.into();
    match column.values {
        Values::Texts(values) => PolarsColumn::new(name, values),
        Values::Counts(values) => PolarsColumn::new(name, values),
        Values::Numbers(values) => PolarsColumn::new(name, values),
        Values::Flags(values) => PolarsColumn::new(name, values),
    }
}

/// A table that was read.
pub(crate) struct ReadTable<'p> {
    path: &'p Path,
    frame: DataFrame,
}

/// Reads a whole table.
pub(crate) fn read_table(path: &Path) -> Result<ReadTable<'_>, StoreError> {
    let frame = parse(&read_bytes(path)?).map_err(|what| StoreError::damaged(path, what))?;
    Ok(ReadTable { path, frame })
}

/// Reads a table whose file has this hash: polars checks no bytes.
pub(crate) fn read_unchanged(path: &Path, hash: ContentId) -> Result<ReadTable<'_>, StoreError> {
    let bytes = read_bytes(path)?;
    if file_hash(&bytes) != hash {
        return Err(StoreError::damaged(path, "it was cut off or changed after it was written"));
    }
    let frame = parse(&bytes).map_err(|what| StoreError::damaged(path, what))?;
    Ok(ReadTable { path, frame })
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    let file = std::fs::File::open(path).map_err(StoreError::io(path))?;
    let mut bytes = Vec::new();
    file.take(MOST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(StoreError::io(path))?;
    if bytes.len() as u64 > MOST_FILE_BYTES {
        return Err(StoreError::damaged(path, "the file is larger than a table of one run"));
    }
    Ok(bytes)
}

fn parse(bytes: &[u8]) -> Result<DataFrame, String> {
    if bytes.len() < 12 || !bytes.starts_with(MAGIC) || !bytes.ends_with(MAGIC) {
        return Err("this is not a whole Parquet file; it is damaged or cut off".to_owned());
    }
    guarded(|| {
        // The file says beforehand how many rows it has: one of some hundred bytes can claim any number of them.
        let rows = ParquetReader::new(Cursor::new(bytes)).num_rows()?;
        if rows > bytes.len().saturating_mul(MOST_ROWS_A_BYTE) {
            let reason = format!("{rows} rows are more than a file of {} bytes can hold", bytes.len());
            return Err(PolarsError::ComputeError(reason.into()));
        }
        ParquetReader::new(Cursor::new(bytes)).read_parallel(ParallelStrategy::None).finish()
    })
}

impl ReadTable<'_> {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.frame.height()
    }

    /// The texts of a column.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<Option<String>>, StoreError> {
        let column = self.column(name, &DataType::String)?;
        let values = column.str().map_err(|error| self.damaged(error.to_string()))?;
        let text = |value: Option<&str>| match value {
            Some(text) if text.len() > MOST_TEXT_BYTES => {
                Err(self.damaged(format!("a text of column '{name}' has {} bytes", text.len())))
            }
            value => Ok(value.map(str::to_owned)),
        };
        values.iter().map(text).collect()
    }

    /// The texts of a column where each row has one.
    pub(crate) fn all_texts(&self, name: &str) -> Result<Vec<String>, StoreError> {
        self.texts(name)?.into_iter().map(|text| text.ok_or_else(|| self.missing(name))).collect()
    }

    /// The same without copies: columns have millions of identifiers.
    pub(crate) fn all_borrowed(&self, name: &str) -> Result<Vec<&str>, StoreError> {
        let column = self.column(name, &DataType::String)?;
        let values = column.str().map_err(|error| self.damaged(error.to_string()))?;
        values.iter().map(|text| text.ok_or_else(|| self.missing(name))).collect()
    }

    /// The whole numbers of a column.
    pub(crate) fn counts(&self, name: &str) -> Result<Vec<Option<i64>>, StoreError> {
        let column = self.column(name, &DataType::Int64)?;
        let values = column.i64().map_err(|error| self.damaged(error.to_string()))?;
        Ok(values.iter().collect())
    }

    /// The whole numbers from 0 of a column where each row has one.
    pub(crate) fn all_counts(&self, name: &str) -> Result<Vec<u64>, StoreError> {
        let count = |value: Option<i64>| {
            let value = value.ok_or_else(|| self.missing(name))?;
            u64::try_from(value).map_err(|_| self.damaged(format!("column '{name}' has {value}")))
        };
        self.counts(name)?.into_iter().map(count).collect()
    }

    /// The finite numbers of a column.
    pub(crate) fn numbers(&self, name: &str) -> Result<Vec<Option<f64>>, StoreError> {
        let column = self.column(name, &DataType::Float64)?;
        let values = column.f64().map_err(|error| self.damaged(error.to_string()))?;
        Ok(values.iter().map(|value| value.filter(|value| value.is_finite())).collect())
    }

    /// An error that says what is wrong with this table.
    pub(crate) fn damaged(&self, what: impl Into<String>) -> StoreError {
        StoreError::damaged(self.path, what)
    }

    fn missing(&self, name: &str) -> StoreError {
        self.damaged(format!("column '{name}' lacks a value"))
    }

    fn column(&self, name: &str, expected: &DataType) -> Result<&PolarsColumn, StoreError> {
        let column =
            self.frame.column(name).map_err(|_| self.damaged(format!("it has no column '{name}'")))?;
        match column.dtype() == expected {
            true => Ok(column),
            false => Err(self.damaged(format!("column '{name}' is {}, not {expected}", column.dtype()))),
        }
    }
}

/// Readers of others' bytes that are at work.
static GUARDED: AtomicUsize = AtomicUsize::new(0);

/// Whether a table is being read: a panic of the reader is then caught and becomes an error, so a program that says panics
/// aloud need not say this one.
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
