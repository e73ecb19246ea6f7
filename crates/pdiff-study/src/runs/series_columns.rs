//! Throughput of many builds and workloads: the columns that a series reads.
//!
//! ```text
//! build       which build ran
//! workload    which test of a benchmark; optional
//! class       the group that the test belongs to (point, range, write); optional
//! threads     clients that worked at once, a whole number; optional
//! tps         operations per second (also qps)
//! ```
//!
//! A column that the caller names must be there. Others are ignored: what a benchmark prints beside these says nothing
//! about relative throughput.

use super::TableBytes;
use super::columns::ColumnName;
use super::error::RunsError;
use super::text_table::TextTable;

/// What columns are called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesColumns {
    /// Column of the build.
    pub build: String,
    /// Column of the workload.
    pub workload: ColumnName,
    /// Column of the class.
    pub class: ColumnName,
    /// Column of the number of clients.
    pub threads: ColumnName,
    /// Column of the throughput, or `None` for `tps` or `qps`.
    pub tps: Option<String>,
}

impl Default for SeriesColumns {
    /// The usual names.
    fn default() -> Self {
        Self {
            build: "build".to_owned(),
            workload: ColumnName::Usual("workload"),
            class: ColumnName::Usual("class"),
            threads: ColumnName::Usual("threads"),
            tps: None,
        }
    }
}

/// One run of one workload on one build.
#[derive(Clone, PartialEq, Debug)]
pub struct ThroughputRow {
    /// The build.
    pub build: String,
    /// The workload; empty where the table has one only.
    pub workload: String,
    /// The group of workloads; empty where none is named.
    pub class: String,
    /// Clients that worked at once, where the table says.
    pub threads: Option<u32>,
    /// Operations per second, positive.
    pub tps: f64,
}

/// Throughputs of a table, in the order of the file.
///
/// # Errors
/// [`RunsError`] with the file and, where there is one, the row.
///
/// ```
/// use pdiff_study::{SeriesColumns, TableBytes, parse_throughputs};
/// let table = TableBytes { path: "q.csv".into(), bytes: b"build,qps\n5.6,100\n8.0,70\n".to_vec() };
/// assert_eq!(parse_throughputs(&table, &SeriesColumns::default())?[1].tps, 70.0);
/// # Ok::<(), pdiff_study::RunsError>(())
/// ```
pub fn parse_throughputs(
    input: &TableBytes,
    columns: &SeriesColumns,
) -> Result<Vec<ThroughputRow>, RunsError> {
    let table = TextTable::parse(input)?;
    let build = table.needed(&columns.build, "columns are separated by comma or tab")?;
    let tps = match &columns.tps {
        Some(name) => table.needed(name, "it was named in --columns")?,
        None => match table.column("tps").or_else(|| table.column("qps")) {
            Some(found) => found,
            None => table.needed("tps", "it needs tps or qps; another name: --columns tps=NAME")?,
        },
    };
    let (workload, class) = (columns.workload.find(&table, &[])?, columns.class.find(&table, &[])?);
    let threads = columns.threads.find(&table, &[])?;
    let word = |row: usize, column: Option<usize>| {
        column.and_then(|column| table.field(row, column)).unwrap_or("").to_owned()
    };
    let row = |row: usize| {
        let name = table.field(row, build).ok_or_else(|| table.bad(row, build, "is missing"))?;
        Ok(ThroughputRow {
            build: name.to_owned(),
            workload: word(row, workload),
            class: word(row, class),
            threads: threads.map(|column| table.whole_number(row, column)).transpose()?.flatten(),
            tps: table.needed_positive(row, tps)?,
        })
    };
    (0..table.rows.len()).map(row).collect()
}
