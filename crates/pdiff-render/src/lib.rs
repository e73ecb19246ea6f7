//! Comparisons as text: tables and markdown for readers, JSON, CSV and Parquet for programs.
//!
//! Only form is decided here: every number comes from `pdiff-analysis`. Nothing is printed; callers get text or bytes.

#![forbid(unsafe_code)]

mod error;
mod json;
mod markdown;
mod options;
mod row_columns;
mod table;

pub use error::Error;
pub use json::json;
pub use markdown::markdown;
pub use options::{SortBy, TableOptions, UnknownOrder};
pub use row_columns::{csv, parquet};
pub use table::table;
