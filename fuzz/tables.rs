//! What the readers of tables must stand; beside `targets.rs` because polars, which reads them, takes long to build.

use pdiff_study::{RunsColumns, SeriesColumns, TableBytes, parse_runs, parse_throughputs};

/// Columns of a table of runs that are no factors.
const NO_FACTORS: [&str; 8] =
    ["build", "replicate", "tps", "seconds", "cost", "version", "repeat", "cpu_us_per_txn"];

/// A table of benchmark runs or of throughputs: CSV, TSV, JSON, Parquet.
pub(crate) fn tables(bytes: &[u8]) -> bool {
    let table = TableBytes { path: "fuzzed".into(), bytes: bytes.to_vec() };
    let header = String::from_utf8_lossy(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default());
    let named = header.split([',', '\t']).map(|name| name.trim().trim_matches('"').to_owned());
    let mut factors: Vec<String> = named.filter(|name| !NO_FACTORS.contains(&name.as_str())).collect();
    if factors.len() != header.split([',', '\t']).count() {
        factors.truncate(pdiff_study::MAX_FACTORS);
    } else {
        factors = vec!["log".to_owned()];
    }
    let mut columns = RunsColumns::usual(factors);
    if !header.contains("build") && header.contains("version") {
        columns.build = "version".to_owned();
        columns.ignore = vec!["repeat".to_owned(), "cpu_us_per_txn".to_owned(), "foreign".to_owned()];
        columns.factors.retain(|name| name != "foreign");
    }
    let runs = parse_runs(&table, &columns);
    if let Ok(runs) = &runs {
        assert!(!runs.runs.is_empty());
        assert!(runs.builds.iter().all(|build| build.has.len() == runs.factors.len()));
    }
    let rows = parse_throughputs(&table, &SeriesColumns::default());
    if let Ok(rows) = &rows {
        assert!(rows.iter().all(|row| row.tps.is_finite() && row.tps > 0.0));
    }
    runs.is_ok() || rows.is_ok()
}
