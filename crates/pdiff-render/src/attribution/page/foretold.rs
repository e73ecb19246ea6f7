//! A plan's predictions beside the measurements of its runs.

use pdiff_study::ablation::{Agreement, ForecastRow, Foretold};

use super::PLACES;
use crate::attribution::view::{AttributionView, bounds, value};
use crate::document::ranked_columns::RankedColumns;
use crate::document::{Block, Line, Tone};

/// Averages over all orders, then each factor alone.
pub(super) fn foretold_blocks(view: &AttributionView<'_>, of: &Foretold, width: Option<usize>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for is_average in [true, false] {
        let rows: Vec<&ForecastRow> = of.rows.iter().filter(|row| row.is_average == is_average).collect();
        if rows.is_empty() {
            continue;
        }
        let covered = rows.iter().filter(|row| row.agreement == Some(Agreement::Covered)).count();
        let what = if is_average { "averages over all orders" } else { "each factor alone" };
        let text =
            format!("{what}: {covered} of {} measured changes lie in the predicted interval", rows.len());
        blocks.push(Line::toned("planned", text, Tone::Strong));
        blocks.push(grid(view, &rows, width));
    }
    if of.rows.iter().any(|row| row.agreement == Some(Agreement::Disagrees)) {
        let text = "a measured change outside the prediction comes from what CPU profiles do not show: waiting, locks, caches, a limit other than the CPU, or interacting factors";
        blocks.push(Line::block("possible", text));
    }
    for (factor, doubt) in &of.doubts {
        blocks.push(Line::block("doubt", format!("{}: {doubt}", view.name(*factor))));
    }
    if !of.without.is_empty() {
        let names: Vec<&str> = of.without.iter().map(|factor| view.name(*factor)).collect();
        blocks.push(Line::block("without", format!("the plan has no prediction for {}", names.join(", "))));
    }
    blocks
}

fn grid(view: &AttributionView<'_>, rows: &[&ForecastRow], width: Option<usize>) -> Block {
    let in_points = rows.iter().all(|row| row.predicted.points.is_some());
    let places = if in_points { PLACES } else { super::LOG_PLACES };
    let unit = if in_points { "points" } else { "ln" };
    let predicted =
        |row: &ForecastRow| row.predicted.points.filter(|_| in_points).unwrap_or(row.predicted.log);
    let measured = |row: &ForecastRow| if in_points { row.measured.points } else { row.measured.log };
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|row| view.name_and_build(row.factor)));
    columns.numbers(0, ["predicted", unit], rows.iter().map(|row| value(&predicted(row), places)));
    columns.numbers(1, ["predicted", "95 %"], rows.iter().map(|row| bounds(&predicted(row), places)));
    columns.changes(0, ["measured", unit], rows.iter().map(|row| Some(measured(row))), places);
    columns.numbers(2, ["measured", "95 %"], rows.iter().map(|row| bounds(&measured(row), places)));
    columns.words(3, ["", "remark"], rows.iter().map(|row| remark(row.agreement).to_owned()));
    columns.grid(width, 0)
}

fn remark(agreement: Option<Agreement>) -> &'static str {
    match agreement {
        Some(Agreement::Covered) => "as predicted",
        Some(Agreement::WithinNoise) => "outside, within the noise of the runs",
        Some(Agreement::Disagrees) => "not as predicted",
        None => "no interval",
    }
}
