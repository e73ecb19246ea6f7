//! The change points of a series for readers: of the whole cost first, then of subsystems and functions, largest first.

use pdiff_study::series::{Arrival, ChangePoint, LEAST_BUILDS};

use crate::document::number::{CostUnit, fixed, signed};
use crate::document::ranked_columns::{RankedColumns, SPARE};
use crate::document::{Block, Line, Tone};
use crate::series::view::SeriesView;

/// A change point of something.
#[derive(Clone)]
struct Found<'a> {
    what: &'static str,
    name: &'a str,
    change: &'a ChangePoint,
}

/// The table of change points; nothing where builds are too few to search them.
pub(crate) fn change_points(
    view: &SeriesView,
    unit: CostUnit,
    top: Option<usize>,
    width: Option<usize>,
) -> Vec<Block> {
    let builds = view.functions.first().map_or(0, |row| row.costs.len());
    if builds < LEAST_BUILDS {
        return Vec::new();
    }
    let whole = view.whole.iter().flat_map(|whole| &whole.change_points);
    let mut found: Vec<Found<'_>> =
        whole.map(|change| Found { what: "all", name: "cost of an operation", change }).collect();
    let mut rows = [of("subsystem", &view.subsystems), of("function", &view.functions)].concat();
    rows.sort_by(|a, b| b.change.change.abs().total_cmp(&a.change.change.abs()));
    found.extend(rows);
    let heading = |text: String| Line::toned("change points", text, Tone::Strong);
    if found.is_empty() {
        return vec![heading(format!(
            "none in {builds} builds: no cost shifts at some build and stays there"
        ))];
    }
    let count = found.len();
    found.truncate(top.unwrap_or(usize::MAX));
    let number = |value: f64| if view.per_operation { unit.fixed(value) } else { fixed(value, 2) };
    let plus = |value: f64| if view.per_operation { unit.signed(value) } else { signed(value, 2) };
    let unit_title = if view.per_operation { format!("{}/op", unit.name) } else { "points".to_owned() };
    let builds_of = |found: &Found<'_>| view.change_point(found.change).unwrap_or_default();
    let mut columns = RankedColumns::default();
    columns.words(0, ["from", "build"], found.iter().map(|found| builds_of(found)[0].to_owned()));
    let range = |found: &Found<'_>| match builds_of(found) {
        [_, first, last] if first == last => first.to_owned(),
        [_, first, last] => format!("{first}..{last}"),
    };
    columns.words(1, ["95 %", "builds"], found.iter().map(range));
    columns.numbers(0, ["change", &unit_title], found.iter().map(|found| plus(found.change.change)));
    let half = |found: &Found<'_>| format!("+-{}", number(found.change.change_half));
    columns.numbers(1, ["change", "95 %"], found.iter().map(half));
    let pct = |found: &Found<'_>| found.change.change_pct.map_or_else(String::new, |(pct, _)| signed(pct, 1));
    columns.numbers(SPARE, ["change", "%"], found.iter().map(pct));
    columns.words(0, ["", "of"], found.iter().map(|found| found.what.to_owned()));
    columns.names(["", "name"], found.iter().map(|found| found.name.to_owned()));
    let text = format!("{count} in {builds} builds: from that build on the mean differs, beyond noise");
    vec![heading(text), columns.grid(width, 0)]
}

fn of<'a>(what: &'static str, rows: &'a [Arrival]) -> Vec<Found<'a>> {
    let of_row = |row: &'a Arrival| {
        row.change_points.iter().map(move |change| Found { what, name: &row.name, change })
    };
    rows.iter().flat_map(of_row).collect()
}
