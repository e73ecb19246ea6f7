//! Errors while writing a comparison.

/// A comparison that could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The JSON writer refused.
    #[error("cannot write JSON: {reason}")]
    Json {
        /// What it said.
        reason: String,
    },
    /// What it was written to did not take it.
    #[error("cannot write")]
    Write {
        /// What the system said.
        source: std::io::Error,
    },
    /// The writer of CSV or Parquet refused.
    #[error("cannot write {format}: {reason}")]
    Columns {
        /// `CSV` or `Parquet`.
        format: &'static str,
        /// What it said.
        reason: String,
    },
    /// The drawing library refused.
    #[error("cannot draw: {reason}")]
    Picture {
        /// What it said.
        reason: String,
    },
}
