//! The findings as a grid that fits the width; the last rows are everything else and the whole.

use std::borrow::Cow;

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::{Comparison, Cost, Finding, FindingKind};

use crate::document::number::{CostUnit, fixed, signed};
use crate::document::short_name::shorten;
use crate::document::visible_text::{CUT, visible, width};
use crate::document::{Align, COLUMN_GAP, Grid, GridCell, GridColumn, Tone};
use crate::findings::inside::work_name;
use crate::verdicts::words::cause_text;

/// A finding of which so much busy-waits is said to poll, in percent.
const POLLING_PCT: f64 = 50.0;

/// Names get at least this much room.
const LEAST_NAME: usize = 16;

/// A caller in less room than this tells nothing: its callee gets the room.
const LEAST_CALLER: usize = 10;

/// Headings of columns that there may be no room for.
pub(crate) const INTERVAL: &str = "95 %";
pub(crate) const PART_OF_CHANGE: &str = "of all";
pub(crate) const WHAT: &str = "what";

/// One column: its heading, its cells, and how early it goes where there is little room.
struct Column {
    title: String,
    align: Align,
    cells: Vec<GridCell>,
    dropped_at: Option<u8>,
}

/// The findings, everything else, and the sum of both.
pub(crate) fn grid(comparison: &Comparison, causes: &[FindingCause], most: Option<usize>) -> Grid {
    let list = &comparison.findings.list;
    let changes = match &comparison.cost {
        Some(cost) => costs(comparison, cost),
        None => points(comparison),
    };
    let mut columns =
        vec![column("#", Align::Right, None, list.iter().map(|finding| finding.rank.to_string()))];
    columns.extend(changes);
    columns.push(column(WHAT, Align::Left, Some(1), list.iter().map(what)));
    if !causes.is_empty() {
        let sure = |of: &FindingCause| cause_text(of.cause, of.confidence);
        columns.push(column("cause", Align::Left, None, causes.iter().map(sure)));
    }
    let mut names = column("part of the program", Align::Left, None, list.iter().map(|_| String::new()));
    names.cells = list.iter().map(|finding| GridCell::name(finding.name.as_str())).collect();
    columns.push(names);
    for column in &mut columns {
        while column.cells.len() < list.len() + 2 {
            column.cells.push(GridCell::default());
        }
    }
    if let Some(names) = columns.last_mut() {
        let sums = names.cells.iter_mut().rev().zip(["the whole", "all else"]);
        sums.for_each(|(cell, text)| *cell = GridCell::plain(text));
    }
    fit(&mut columns, most);
    into_grid(columns)
}

fn column(title: &str, align: Align, dropped_at: Option<u8>, texts: impl Iterator<Item = String>) -> Column {
    Column { title: title.to_owned(), align, cells: texts.map(GridCell::plain).collect(), dropped_at }
}

/// The columns of changes per operation.
fn costs(comparison: &Comparison, cost: &Cost) -> Vec<Column> {
    let unit = CostUnit::of(cost);
    let findings = &comparison.findings;
    let whole = cost.per_op.after - cost.per_op.before;
    let deltas = findings.list.iter().map(|finding| finding.delta_per_op());
    let deltas = deltas.chain([findings.rest.delta_per_op(), Some(whole)]);
    let deltas: Vec<f64> = deltas.map(|delta| delta.unwrap_or(f64::NAN)).collect();
    let title = if unit.name.is_empty() { "per op".to_owned() } else { format!("{}/op", unit.name) };
    let mut changes = column(&title, Align::Right, None, deltas.iter().map(|delta| unit.signed(*delta)));
    paint(&mut changes, &deltas, findings.list.len());
    let halves = findings.list.iter().map(|finding| {
        finding
            .interval_per_op
            .map_or_else(String::new, |(low, high)| format!("+-{}", unit.fixed((high - low) / 2.0)))
    });
    let mut columns = vec![changes, column(INTERVAL, Align::Right, Some(2), halves)];
    if findings.list.iter().any(|finding| finding.share_of_change_pct.is_some()) {
        let percent = |delta: &f64| format!("{} %", fixed(100.0 * delta / whole, 0));
        columns.push(column(PART_OF_CHANGE, Align::Right, Some(3), deltas.iter().map(percent)));
    }
    columns
}

/// The columns of changes of share.
fn points(comparison: &Comparison) -> Vec<Column> {
    let findings = &comparison.findings;
    let deltas = findings.list.iter().map(Finding::delta_pp);
    let deltas: Vec<f64> = deltas.chain([findings.rest.delta_pp(), 0.0]).collect();
    let mut changes = column("points", Align::Right, None, deltas.iter().map(|delta| signed(*delta, 2)));
    paint(&mut changes, &deltas, findings.list.len());
    let halves = findings.list.iter().map(|finding| {
        let (low, high) = finding.interval_pp;
        format!("+-{}", fixed((high - low) / 2.0, 2))
    });
    let side = |title: &str, pct: fn(&Finding) -> f64| {
        column(title, Align::Right, Some(1), findings.list.iter().map(move |finding| fixed(pct(finding), 2)))
    };
    vec![
        side("before %", |finding| finding.before.pct),
        side("after %", |finding| finding.after.pct),
        changes,
        column(INTERVAL, Align::Right, Some(2), halves),
    ]
}

fn paint(column: &mut Column, deltas: &[f64], findings: usize) {
    for (cell, delta) in column.cells.iter_mut().zip(deltas).take(findings) {
        cell.tone = if *delta > 0.0 { Tone::Worse } else { Tone::Better };
    }
}

pub(crate) fn is_new(finding: &Finding) -> bool {
    finding.before.samples == 0 && !finding.elsewhere.before
}

pub(crate) fn is_gone(finding: &Finding) -> bool {
    finding.after.samples == 0 && !finding.elsewhere.after
}

/// What happened to a part, in a word or two.
pub(crate) fn what(finding: &Finding) -> String {
    let grew = finding.delta_per_op().unwrap_or(finding.delta_pp()) > 0.0;
    let how = match (is_new(finding), is_gone(finding), grew) {
        (true, ..) => "new",
        (_, true, _) => "gone",
        (.., true) => "more",
        (.., false) => "less",
    };
    let of_kind = match finding.kind {
        _ if finding.with_callers => Some("with callers"),
        FindingKind::Spread => Some("spread"),
        FindingKind::Replaced => Some("net"),
        FindingKind::CrossCutting => Some("shared"),
        FindingKind::NoCaller => Some("no caller"),
        FindingKind::Unresolved => Some("no symbols"),
        _ => None,
    };
    let heavier = if finding.after.pct > finding.before.pct { &finding.after } else { &finding.before };
    let polls = (heavier.polling_pct() >= POLLING_PCT).then_some("polling");
    let kernel = finding.main_kernel_work().map(work_name);
    [Some(how), of_kind, polls, kernel].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Takes columns away until names have room, then shortens names.
fn fit(columns: &mut Vec<Column>, most: Option<usize>) {
    let Some(most) = most else { return };
    let taken = |columns: &[Column]| -> usize {
        let others = columns.len().saturating_sub(1);
        columns.iter().take(others).map(|column| column.width() + COLUMN_GAP).sum()
    };
    let title = columns.last().map_or(0, |names| width(&names.title));
    while taken(columns) + LEAST_NAME.max(title) > most {
        let Some(last) = columns.iter().filter_map(|column| column.dropped_at).max() else { break };
        columns.retain(|column| column.dropped_at != Some(last));
    }
    let room = most.saturating_sub(taken(columns));
    for cell in columns.last_mut().into_iter().flat_map(|names| &mut names.cells) {
        cell.text = fitted(&visible(&cell.text), room);
    }
}

/// A name in so much room; of a caller and its callee, the callee comes first.
fn fitted(name: &str, room: usize) -> String {
    const ARROW: &str = " -> ";
    if width(name) <= room {
        return name.to_owned();
    }
    let Some((caller, callee)) = name.rsplit_once(ARROW) else { return shorten(name, room).into_owned() };
    let both = room.saturating_sub(ARROW.len());
    let for_caller = both.saturating_sub(width(callee)).max(both / 3);
    let caller = if for_caller < LEAST_CALLER { Cow::Borrowed(CUT) } else { shorten(caller, for_caller) };
    let callee = shorten(callee, both.saturating_sub(width(&caller)));
    format!("{caller}{ARROW}{callee}")
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| width(&cell.text)).chain([width(&self.title)]).max().unwrap_or(0)
    }
}

fn into_grid(columns: Vec<Column>) -> Grid {
    let mut grid = Grid { columns: Vec::new(), rows: Vec::new(), sums: 2 };
    for column in columns {
        grid.rows.resize_with(column.cells.len(), Vec::new);
        grid.columns.push(GridColumn { title: [String::new(), column.title], align: column.align });
        for (row, cell) in grid.rows.iter_mut().zip(column.cells) {
            row.push(cell);
        }
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::sample;

    #[test]
    fn a_part_whose_function_ran_elsewhere_is_not_new() {
        let mut part = sample::with_findings().findings.list.remove(0);
        assert_eq!(what(&part), "new, polling");
        part.elsewhere.before = true;
        assert_eq!(what(&part), "more, polling");
    }
}
