//! Calls that a tool counted: a table for readers, tab-separated lines that can be read as counts again, and JSON.

use std::cmp::Reverse;
use std::fmt::Write;

use pdiff_profile::{Calls, CountedCalls};
use serde::Serialize;

use crate::document::number::grouped;
use crate::document::table;
use crate::document::visible_text::visible;
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line};
use crate::error::Error;
use crate::files::written_bytes::json_line;

/// Digits of a count that is not a whole number.
const DECIMALS: usize = 6;

/// A line of the table: what was called, from where if that is known, and how often.
#[derive(Serialize)]
struct Called<'a> {
    /// The function called.
    function: &'a str,
    /// Its caller; absent for all calls together.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    /// How often, per operation where operations were given.
    calls: f64,
    /// The branch records that these calls were estimated from.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    /// How many of the records the processor mispredicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    mispredicted: Option<u64>,
}

/// `pdiff counts --format json`.
#[derive(Serialize)]
struct CountsReport<'a> {
    schema_version: u32,
    /// What counted.
    source: String,
    /// Operations that the calls are divided by.
    #[serde(skip_serializing_if = "Option::is_none")]
    operations: Option<f64>,
    /// Calls of each function, most first.
    functions: Vec<Called<'a>>,
    /// Calls of each function from each caller, most first.
    from_callers: Vec<Called<'a>>,
}

/// A table of the functions called most often, and of the callers that called most often.
#[must_use]
pub fn counts_table(
    counts: &CountedCalls,
    operations: Option<f64>,
    top: Option<usize>,
    width: Option<usize>,
    color: bool,
) -> String {
    let (functions, edges) = called(counts);
    let unit = match operations {
        Some(operations) => format!("calls per operation, of {} operations", number(operations)),
        None => "calls".to_owned(),
    };
    let unit = match () {
        () if !counts.source.is_sampled() => unit,
        // Without periods a record counts one.
        () if counts.functions.values().all(|calls| calls.count == calls.records as f64) => {
            format!("{unit} in the records, a sample of all calls")
        }
        () => format!("{unit}, estimated from the records by the periods of their samples"),
    };
    let heading = format!(
        "{}: {} functions, {} pairs of caller and callee; {unit}",
        counts.source,
        grouped(functions.len() as u64),
        grouped(edges.len() as u64)
    );
    let mut blocks = vec![Line::block("counts", heading)];
    for (rows, has_callers) in [(&functions, false), (&edges, true)] {
        if !rows.is_empty() {
            blocks.extend([Block::Gap, Block::Grid(grid(rows, has_callers, top))]);
        }
    }
    table::draw(&blocks, table::readable_width(width), color)
}

/// Lines of `function<TAB>calls` and `caller -> callee<TAB>calls`, by name: what `--counts-before` and `--counts-after` read.
#[must_use]
pub fn counts_lines(counts: &CountedCalls) -> String {
    let mut text = String::from("function\tcalls\n");
    let mut line = |name: &str, calls: f64| {
        let _never_fails = writeln!(text, "{}\t{calls}", visible(name));
    };
    counts.functions.iter().for_each(|(function, calls)| line(function, calls.count));
    counts
        .entries
        .iter()
        .for_each(|((caller, callee), calls)| line(&format!("{caller} -> {callee}"), calls.count));
    text
}

/// The counts as one line of JSON.
///
/// # Errors
/// Returns an error if a count is not a number that JSON has.
pub fn counts_json(counts: &CountedCalls, operations: Option<f64>) -> Result<Vec<u8>, Error> {
    let (functions, from_callers) = called(counts);
    let report = CountsReport {
        schema_version: 1,
        source: counts.source.to_string(),
        operations,
        functions,
        from_callers,
    };
    json_line(&report)
}

/// Functions, and functions by caller, each with those called most often first.
fn called(counts: &CountedCalls) -> (Vec<Called<'_>>, Vec<Called<'_>>) {
    fn row<'a>(function: &'a str, caller: Option<&'a str>, calls: &Calls, is_sampled: bool) -> Called<'a> {
        let sampled = |number: u64| is_sampled.then_some(number);
        let (records, mispredicted) = (sampled(calls.records), sampled(calls.mispredicted));
        Called { function, caller, calls: calls.count, records, mispredicted }
    }
    let is_sampled = counts.source.is_sampled();
    let functions = counts.functions.iter();
    let mut functions: Vec<_> =
        functions.map(|(function, calls)| row(function, None, calls, is_sampled)).collect();
    let edges = counts.entries.iter();
    let mut edges: Vec<_> =
        edges.map(|((caller, function), calls)| row(function, Some(caller), calls, is_sampled)).collect();
    for rows in [&mut functions, &mut edges] {
        // Bits of numbers from zero on have the order of the numbers.
        rows.sort_by_key(|row| Reverse(row.calls.to_bits()));
    }
    (functions, edges)
}

fn grid(rows: &[Called<'_>], has_callers: bool, top: Option<usize>) -> Grid {
    let column = |title: &str, align| GridColumn { title: [String::new(), title.to_owned()], align };
    let is_sampled = rows.iter().any(|row| row.records.is_some());
    let mut columns = vec![column("calls", Align::Right)];
    if is_sampled {
        columns.extend([column("records", Align::Right), column("mispredicted %", Align::Right)]);
    }
    columns.push(column("function", Align::Left));
    if has_callers {
        columns.push(column("from", Align::Left));
    }
    let cells = |row: &Called<'_>| {
        let name = |name: &str| GridCell::name(visible(name).into_owned());
        let calls = if row.records.is_some() { estimate(row.calls) } else { number(row.calls) };
        let mut cells = vec![GridCell::plain(calls)];
        if let (Some(records), Some(mispredicted)) = (row.records, row.mispredicted) {
            let share = 100.0 * mispredicted as f64 / records.max(1) as f64;
            cells.extend([GridCell::plain(grouped(records)), GridCell::plain(format!("{share:.1}"))]);
        }
        cells.push(name(row.function));
        cells.extend(row.caller.map(name));
        cells
    };
    let rows = rows.iter().take(top.unwrap_or(rows.len())).map(cells).collect();
    Grid { columns, rows, sums: 0 }
}

/// A count: whole numbers in groups of three digits.
fn number(calls: f64) -> String {
    if calls.fract() == 0.0 && calls < 1e15 {
        return grouped(calls as u64);
    }
    format!("{calls:.DECIMALS$}").trim_end_matches('0').to_owned()
}

/// An estimated count: three digits, or all of a whole number.
fn estimate(calls: f64) -> String {
    if calls >= 100.0 {
        return number(calls.round());
    }
    let decimals = (2.0 - calls.max(f64::MIN_POSITIVE).log10().floor()).clamp(0.0, DECIMALS as f64) as usize;
    let digits = format!("{calls:.decimals$}");
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.').to_owned() } else { digits }
}

#[cfg(test)]
mod tests {
    use pdiff_profile::CallSource;

    use super::*;

    fn counts() -> CountedCalls {
        let mut counts = CountedCalls::new(CallSource::Callgrind);
        counts.add_entries("main", "lookup", 2_000.0);
        counts.add_entries("lookup", "leaf", 63.0);
        counts
    }

    #[test]
    fn the_function_called_most_often_is_first() {
        let table = counts_table(&counts(), None, Some(1), None, false);
        assert!(table.contains("callgrind: 2 functions, 2 pairs of caller and callee; calls"), "{table}");
        assert!(table.contains("2,000  lookup    main") && !table.contains("leaf"), "{table}");
        let per_operation = counts_table(&counts().divided_by(1_000.0), Some(1_000.0), None, None, false);
        assert!(per_operation.contains("calls per operation, of 1,000 operations"), "{per_operation}");
        assert!(per_operation.contains("0.063  leaf"), "{per_operation}");
    }

    #[test]
    fn sampled_calls_have_their_records() {
        let mut counts = CountedCalls::new(CallSource::BranchRecords);
        let calls = |count, records, mispredicted| Calls { count, records, mispredicted };
        counts.add_entries("main", "lookup", calls(1234.56, 40, 10));
        counts.add_entries("lookup", "leaf", calls(30.84375, 1, 0));
        let table = counts_table(&counts, None, None, None, false);
        assert!(table.contains("calls, estimated from the records"), "{table}");
        assert!(table.contains("1,235       40            25.0  lookup    main"), "{table}");
        assert!(table.contains(" 30.8        1             0.0  leaf      lookup"), "{table}");
        let json = String::from_utf8(counts_json(&counts, None).unwrap()).unwrap();
        let expected =
            r#"{"function":"lookup","caller":"main","calls":1234.56,"records":40,"mispredicted":10}"#;
        assert!(json.contains(expected), "{json}");
    }

    #[test]
    fn lines_hold_functions_and_pairs() {
        let expected = "function\tcalls\nleaf\t63\nlookup\t2000\nlookup -> leaf\t63\nmain -> lookup\t2000\n";
        assert_eq!(counts_lines(&counts()), expected);
        let json = String::from_utf8(counts_json(&counts(), None).unwrap()).unwrap();
        assert!(json.contains(r#"{"function":"leaf","caller":"lookup","calls":63.0}"#), "{json}");
    }
}
