//! Columns as a Parquet file, by polars.

use polars::prelude::{DataFrame, ParquetWriter};

use crate::error::Error;
use crate::files::column::{Column, Values};

/// Columns of `height` rows as Parquet, one row group.
pub(crate) fn parquet_bytes(height: usize, columns: Vec<Column>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let columns = columns.into_iter().map(column).collect();
    let written = DataFrame::new(height, columns)
        .and_then(|mut frame| ParquetWriter::new(&mut bytes).finish(&mut frame));
    written.map_err(|error| Error::Columns { format: "Parquet", reason: error.to_string() })?;
    Ok(bytes)
}

fn column(column: Column) -> polars::prelude::Column {
    let name = column.name.into();
    match column.values {
        Values::Words(values) => polars::prelude::Column::new(name, values),
        Values::Counts(values) => polars::prelude::Column::new(name, values),
        Values::Numbers(values) => polars::prelude::Column::new(name, values),
        Values::Flags(values) => polars::prelude::Column::new(name, values),
    }
}
