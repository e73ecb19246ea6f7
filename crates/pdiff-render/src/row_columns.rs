//! A comparison's rows as CSV and Parquet.

use pdiff_analysis::Comparison;

use crate::error::Error;

/// The rows as CSV.
///
/// # Errors
/// If the writer refuses.
pub fn csv(_comparison: &Comparison) -> Result<Vec<u8>, Error> {
    Err(Error::Columns { format: "CSV", reason: "not written yet".to_owned() })
}

/// The rows as Parquet.
///
/// # Errors
/// If the writer refuses.
pub fn parquet(_comparison: &Comparison) -> Result<Vec<u8>, Error> {
    Err(Error::Columns { format: "Parquet", reason: "not written yet".to_owned() })
}
