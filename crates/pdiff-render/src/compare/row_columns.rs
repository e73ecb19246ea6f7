//! A comparison's rows as CSV and Parquet: one line per row, every row, the names of JSON's paths joined by `_`.
//!
//! Both are of the same columns, so the two forms cannot disagree. A side on which the row has no weight is null in all of
//! its columns, as it is in JSON.

use pdiff_analysis::{Comparison, InlineChange, Quantities, Row};

use crate::compare::json::match_level;
use crate::error::Error;
use crate::files::column::Column;
#[cfg(feature = "parquet")]
use crate::files::parquet::parquet_bytes;
use crate::files::written_bytes::{csv_lines, numbers};

/// A column of text.
struct TextColumn {
    name: &'static str,
    value: fn(&Row) -> Option<&str>,
}

/// A column of numbers or flags of the row as a whole.
struct RowColumn<T> {
    name: &'static str,
    value: fn(&Row) -> T,
}

/// What the row is. Its match level is a column of its own: it needs the policy.
const WORDS: [TextColumn; 10] = [
    TextColumn { name: "name", value: |row| Some(&row.name) },
    TextColumn { name: "object", value: |row| Some(&row.object) },
    TextColumn { name: "file", value: |row| row.file.as_deref() },
    TextColumn { name: "subsystem", value: |row| row.subsystem.as_deref() },
    TextColumn { name: "thread_group", value: |row| row.thread_group.as_deref() },
    TextColumn { name: "presence", value: |row| Some(row.presence.as_str()) },
    TextColumn { name: "match_before_name", value: |row| row.matched.before_name.as_deref() },
    TextColumn { name: "match_after_name", value: |row| row.matched.after_name.as_deref() },
    TextColumn { name: "inline_change", value: |row| row.inline.change.map(InlineChange::as_str) },
    TextColumn { name: "cost_change_extent", value: |row| row.cost_change.map(|of| of.extent.as_str()) },
];

/// How the row's names came together.
const MATCH_LEVEL: &str = "match_level";

/// The family that the row belongs to.
const FAMILY_ID: &str = "family_id";

/// Yes or no.
const FLAGS: [RowColumn<bool>; 2] = [
    RowColumn { name: "match_ambiguous", value: |row| row.matched.ambiguous },
    RowColumn { name: "significant", value: |row| row.significant },
];

/// A number of one side: its name before and after, and where it stands.
struct SideColumn<T> {
    names: [&'static str; 2],
    value: fn(&Quantities) -> T,
}

/// Whole numbers of each side.
const WEIGHTS: [SideColumn<u64>; 6] = [
    SideColumn { names: ["before_self_weight", "after_self_weight"], value: |of| of.self_weight.0 },
    SideColumn {
        names: ["before_booked_self_weight", "after_booked_self_weight"],
        value: |of| of.booked_self_weight.0,
    },
    SideColumn {
        names: ["before_inlined_self_weight", "after_inlined_self_weight"],
        value: |of| of.inlined_self_weight.0,
    },
    SideColumn { names: ["before_total_weight", "after_total_weight"], value: |of| of.total_weight.0 },
    SideColumn { names: ["before_x_weight", "after_x_weight"], value: |of| of.x_weight.0 },
    SideColumn { names: ["before_self_samples", "after_self_samples"], value: |of| of.samples },
];

/// Shares and costs of each side.
const SHARES: [SideColumn<Option<f64>>; 7] = [
    SideColumn { names: ["before_self_pct", "after_self_pct"], value: |of| Some(of.self_pct) },
    SideColumn {
        names: ["before_booked_self_pct", "after_booked_self_pct"],
        value: |of| Some(of.booked_self_pct),
    },
    SideColumn {
        names: ["before_inlined_self_pct", "after_inlined_self_pct"],
        value: |of| Some(of.inlined_self_pct),
    },
    SideColumn { names: ["before_total_pct", "after_total_pct"], value: |of| Some(of.total_pct) },
    SideColumn { names: ["before_x_pct", "after_x_pct"], value: |of| Some(of.x_pct) },
    SideColumn { names: ["before_self_per_op", "after_self_per_op"], value: |of| of.self_per_op },
    SideColumn { names: ["before_self_per_op_ns", "after_self_per_op_ns"], value: |of| of.self_per_op_ns },
];

/// What holds for the row as a whole.
const CHANGES: [RowColumn<Option<f64>>; 12] = [
    RowColumn { name: "delta_self_pp", value: |row| Some(row.delta_self_pp()) },
    RowColumn { name: "delta_booked_pp", value: |row| Some(row.delta_booked_pp()) },
    RowColumn { name: "delta_total_pp", value: |row| Some(row.delta_total_pp()) },
    RowColumn { name: "ci_low_pp", value: |row| Some(row.ci_low_pp) },
    RowColumn { name: "ci_high_pp", value: |row| Some(row.ci_high_pp) },
    RowColumn { name: "q_value", value: |row| row.test.q() },
    RowColumn { name: "detectable_pp", value: |row| row.detectable_pp },
    RowColumn { name: "gap_share_pct", value: |row| row.gap_share_pct },
    RowColumn { name: "cost_change_pct", value: |row| row.cost_change?.pct },
    RowColumn { name: "cost_change_ci_low_pct", value: |row| row.cost_change?.ci_low_pct },
    RowColumn { name: "cost_change_ci_high_pct", value: |row| row.cost_change?.ci_high_pct },
    RowColumn { name: "cost_change_q_value", value: |row| Some(row.cost_change?.q_value) },
];

/// The rows as CSV, a header line first.
///
/// # Errors
/// If the writer refuses.
pub fn csv(comparison: &Comparison) -> Result<Vec<u8>, Error> {
    csv_lines(comparison.rows.len(), columns(comparison))
}

/// The rows as Parquet, one row group.
///
/// # Errors
/// If the writer refuses.
#[cfg(feature = "parquet")]
pub fn parquet(comparison: &Comparison) -> Result<Vec<u8>, Error> {
    parquet_bytes(comparison.rows.len(), columns(comparison))
}

fn columns(comparison: &Comparison) -> Vec<Column> {
    let rows = &comparison.rows;
    let level = comparison.policy.match_level.as_str();
    let mut columns: Vec<Column> = WORDS
        .iter()
        .map(|column| Column::new(column.name.into(), rows.iter().map(column.value).collect::<Vec<_>>()))
        .collect();
    let levels: Vec<&str> = rows.iter().map(|row| match_level(row, level)).collect();
    columns.push(Column::new(MATCH_LEVEL.into(), levels));
    for column in &FLAGS {
        columns.push(Column::new(column.name.into(), rows.iter().map(column.value).collect::<Vec<_>>()));
    }
    columns.extend(side_columns(rows, 0, |row| &row.before));
    columns.extend(side_columns(rows, 1, |row| &row.after));
    let families: Vec<Option<u64>> =
        rows.iter().map(|row| row.inline.family.and_then(|id| u64::try_from(id).ok())).collect();
    columns.push(Column::new(FAMILY_ID.into(), families));
    columns.extend(CHANGES.iter().map(|column| numbers(column.name, rows.iter().map(column.value))));
    columns
}

fn side_columns(rows: &[Row], side: usize, of: fn(&Row) -> &Quantities) -> Vec<Column> {
    let present = |row| Some(of(row)).filter(|quantities| quantities.total_weight.0 > 0);
    let name = |names: [&'static str; 2]| names.get(side).copied().unwrap_or_default();
    let weights = WEIGHTS.iter().map(|column| {
        let values: Vec<Option<u64>> = rows.iter().map(|row| present(row).map(column.value)).collect();
        Column::new(name(column.names).into(), values)
    });
    let shares = SHARES.iter().map(|column| {
        numbers(name(column.names), rows.iter().map(|row| present(row).and_then(column.value)))
    });
    weights.chain(shares).collect()
}

#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;
