//! Errors that make a table of runs unusable.

use std::io;

/// Why no runs could be read. Every variant names the file; rows count from 1, the header not counted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunsError {
    /// The source could not be opened or read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: Box<str>,
        /// What the system says.
        source: io::Error,
    },
    /// It is larger than any table of runs.
    #[error("{path} is larger than {limit} bytes; hint: a table of runs has one row a run")]
    TooLarge {
        /// The file.
        path: Box<str>,
        /// The limit.
        limit: u64,
    },
    /// There is nothing in it, or a header only.
    #[error("{path} has no runs; hint: the first line names the columns, then one row a run")]
    Empty {
        /// The file.
        path: Box<str>,
    },
    /// It is not a table in the form it seems to have.
    #[error("{path} is not readable as {form}: {reason}")]
    Malformed {
        /// The file.
        path: Box<str>,
        /// `CSV`, `JSON` or `Parquet`.
        form: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Two columns of one name.
    #[error("{path}: column '{column}' is listed twice")]
    ColumnTwice {
        /// The file.
        path: Box<str>,
        /// The column.
        column: Box<str>,
    },
    /// A column that is needed.
    #[error("{path}: no column '{column}'; its columns are: {known}; hint: {hint}")]
    NoColumn {
        /// The file.
        path: Box<str>,
        /// The column.
        column: Box<str>,
        /// What it has.
        known: String,
        /// What to do.
        hint: String,
    },
    /// Columns that nothing was said of.
    #[error(
        "{path}: column{} {columns} not used; hint: leave {} out with --ignore {ignore}, or name {} in --factors or --columns",
        if *.many { "s" } else { "" }, if *.many { "them" } else { "it" }, if *.many { "them" } else { "it" }
    )]
    UnknownColumns {
        /// The file.
        path: Box<str>,
        /// The columns, quoted.
        columns: String,
        /// The same for `--ignore`.
        ignore: String,
        /// More than one.
        many: bool,
    },
    /// A field that does not fit its column.
    #[error("{path}: row {row}: {column} '{text}' {problem}")]
    BadField {
        /// The file.
        path: Box<str>,
        /// The row.
        row: usize,
        /// The column.
        column: Box<str>,
        /// What is there.
        text: Box<str>,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A factor that is blank in some runs of a build only.
    #[error(
        "{path}: row {row}: factor '{factor}' is blank, yet other runs of build '{build}' have it; hint: a factor is blank in all runs of a build that lacks it, and 0 or 1 elsewhere"
    )]
    PartlyBlank {
        /// The file.
        path: Box<str>,
        /// The row.
        row: usize,
        /// The factor.
        factor: Box<str>,
        /// The build.
        build: Box<str>,
    },
    /// A factor that no build has.
    #[error("{path}: factor '{factor}' is blank in every row; hint: leave it out of --factors")]
    NobodyHas {
        /// The file.
        path: Box<str>,
        /// The factor.
        factor: Box<str>,
    },
    /// Two runs of one cell that nothing tells apart.
    #[error("{path}: rows {first} and {second} are the same cell ({cell}); hint: {hint}")]
    SameCell {
        /// The file.
        path: Box<str>,
        /// The first row.
        first: usize,
        /// The second row.
        second: usize,
        /// Build, setting and replicate.
        cell: String,
        /// What to do.
        hint: &'static str,
    },
    /// What the caller asked for does not fit together.
    #[error("{what}")]
    Asked {
        /// What is wrong and a hint.
        what: String,
    },
}
