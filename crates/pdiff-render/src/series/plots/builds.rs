//! Relative throughput and CPU per operation of each build, with intervals, and the change points of the cost.

use pdiff_study::series::{ChangePoint, LEAST_BUILDS, RelativeRow, WholeCost};
use plotters::style::text_anchor::{HPos, VPos};

use crate::document::number::{CostUnit, fixed, signed};
use crate::document::visible_text::cut_middle;
use crate::error::Error;
use crate::plots::canvas::{Canvas, draw};
use crate::plots::panel::{
    PANEL, Panel, PlotLine, Point, WIDTH, draw_legend, draw_notes, legend_height, note_lines, notes_height,
};
use crate::plots::{GRID, INK, MOST_LINES, label};
use crate::series::view::SeriesView;

/// Below the title.
const TOP: i32 = 44;

/// A panel with its lines and what is marked in it.
struct Drawn {
    heading: String,
    lines: Vec<PlotLine>,
    whole: bool,
}

/// Relative throughput and relative CPU per operation over builds, as two panels. `None` if neither is known.
///
/// # Errors
/// Returns an error if drawing fails.
pub fn builds_svg(view: &SeriesView) -> Result<Option<String>, Error> {
    let mut notes = Vec::new();
    let panels: Vec<Drawn> =
        [throughput(view, &mut notes), cost(view, &mut notes)].into_iter().flatten().collect();
    if panels.is_empty() {
        return Ok(None);
    }
    if panels
        .iter()
        .flat_map(|panel| &panel.lines)
        .flat_map(|line| &line.points)
        .flatten()
        .any(|point| point.interval.is_some())
    {
        notes.push(
            "Upright lines: 95 % intervals of the ratio to the base; one without an end stroke goes on."
                .to_owned(),
        );
    } else {
        notes.push(
            "No 95 % intervals: workloads with several runs of a build and of the base have them.".to_owned(),
        );
    }
    let notes = note_lines(&notes);
    let names = |panel: &Drawn| -> Vec<String> {
        let many = panel.lines.len() > 1;
        panel.lines.iter().filter(|_| many).map(|line| line.name.clone()).collect()
    };
    let heights: i32 = panels.iter().map(|panel| PANEL + legend_height(&names(panel))).sum();
    let title =
        format!("{} builds relative to {}", view.builds.len(), cut_middle(&label(base_name(view)), 24));
    draw((WIDTH, TOP + heights + notes_height(&notes)), &title, |canvas| {
        let mut top = TOP;
        for drawn in &panels {
            let panel = Panel::new(top, &drawn.lines, 1.0);
            panel.draw_axis(canvas, &drawn.heading, 1.0)?;
            if let Some(whole) = view.whole.as_ref().filter(|_| drawn.whole) {
                draw_change_points(canvas, &panel, view, whole)?;
            }
            panel.draw_lines(canvas, &drawn.lines)?;
            let places: Vec<(f64, String)> =
                view.builds.iter().enumerate().map(|(at, build)| (place(view, at), label(build))).collect();
            panel.draw_places(canvas, &places)?;
            let names = names(drawn);
            draw_legend(canvas, top + PANEL - 6, &names)?;
            top += PANEL + legend_height(&names);
        }
        draw_notes(canvas, top, &notes)
    })
    .map(Some)
}

fn base_name(view: &SeriesView) -> &str {
    view.builds.get(view.base).map_or("", String::as_str)
}

/// Where a build is, from left to right.
fn place(view: &SeriesView, at: usize) -> f64 {
    if view.builds.len() < 2 { 0.5 } else { at as f64 / (view.builds.len() - 1) as f64 }
}

/// A line a workload; a line a class where workloads are many.
fn throughput(view: &SeriesView, notes: &mut Vec<String>) -> Option<Drawn> {
    let rows = &view.throughput;
    let mut lines: Vec<PlotLine> = if rows.len() <= MOST_LINES {
        rows.iter().map(|row| of_workload(view, row)).collect()
    } else {
        notes.push(format!("Throughput: geometric means of {} rows by class.", rows.len()));
        let class = |(class, values): &(String, Vec<Option<pdiff_study::series::ClassMean>>)| PlotLine {
            name: label(if class.is_empty() { "all" } else { class }),
            points: values
                .iter()
                .enumerate()
                .map(|(at, mean)| {
                    Some(Point { place: place(view, at), value: (*mean)?.mean, interval: None })
                })
                .collect(),
        };
        view.classes.iter().map(class).collect()
    };
    lines.retain(|line| line.points.iter().any(Option::is_some));
    if lines.len() > MOST_LINES {
        notes.push(format!("{} more classes are in the table.", lines.len() - MOST_LINES));
        lines.truncate(MOST_LINES);
    }
    let heading = "Operations per second, base = 1".to_owned();
    (!lines.is_empty()).then_some(Drawn { heading, lines, whole: false })
}

fn of_workload(view: &SeriesView, row: &RelativeRow) -> PlotLine {
    let name = if row.workload.is_empty() { &row.class } else { &row.workload };
    let name = if name.is_empty() { "all" } else { name };
    let name = match row.threads {
        Some(threads) => format!("{}, {threads} threads", label(name)),
        None => label(name),
    };
    let point = |(at, value): (usize, &Option<pdiff_study::series::Relative>)| {
        let value = (*value)?;
        Some(Point { place: place(view, at), value: value.relative?, interval: value.interval })
    };
    PlotLine { name, points: row.values.iter().enumerate().map(point).collect() }
}

/// From the profiles where operations are known, and from vmstat.
fn cost(view: &SeriesView, notes: &mut Vec<String>) -> Option<Drawn> {
    let mut lines = Vec::new();
    if let Some((whole, base)) = view.whole.as_ref().and_then(|whole| Some((whole, view.cost_base()?))) {
        let point = |at: usize| {
            let value = whole.relative(at, base)?;
            Some(Point { place: place(view, at), value, interval: whole.relative_interval(at, base) })
        };
        lines.push(PlotLine {
            name: "profiles".to_owned(),
            points: (0..whole.per_op_ns.len()).map(point).collect(),
        });
        notes.extend(of_whole(view, whole, base));
    }
    let of_vmstat = |(at, system): (usize, &crate::series::view::BuildSystem)| {
        Some(Point { place: place(view, at), value: system.cpu_per_op_relative?, interval: None })
    };
    let points: Vec<Option<Point>> = view.systems.iter().enumerate().map(of_vmstat).collect();
    if points.iter().flatten().count() > 1 {
        lines.push(PlotLine { name: "whole machine (vmstat)".to_owned(), points });
    }
    let whole = view.whole.is_some();
    let heading = "CPU per operation, base = 1".to_owned();
    (!lines.is_empty()).then_some(Drawn { heading, lines, whole })
}

/// The cost itself, and its change points, in words.
fn of_whole(view: &SeriesView, whole: &WholeCost, base: usize) -> Vec<String> {
    let name = |at: usize| view.builds.get(at).map_or_else(String::new, |build| label(build));
    let costs = &whole.per_op_ns;
    let unit = CostUnit::of_total(costs.iter().copied().fold(0.0, f64::max), true);
    let mut notes = Vec::new();
    if let Some(cost) = costs.get(base) {
        let last = costs.len().saturating_sub(1);
        let of_last = costs.get(last).map_or(0.0, |cost| *cost);
        notes.push(format!(
            "CPU per operation: {} {} on {}, {} {} on {}.",
            unit.fixed(*cost),
            unit.name,
            name(base),
            unit.fixed(of_last),
            unit.name,
            name(last)
        ));
    }
    if costs.len() < LEAST_BUILDS {
        notes.push(format!("Change points are searched in {LEAST_BUILDS} or more builds."));
    } else if whole.change_points.is_empty() {
        notes.push("No change point of the cost.".to_owned());
    }
    for change in &whole.change_points {
        let Some([build, first, last]) = view.change_point(change) else { continue };
        let range =
            if first == last { String::new() } else { format!(" (95 %: {}..{})", label(first), label(last)) };
        let size = change.change_pct.map_or_else(String::new, |(pct, [low, high])| {
            format!(": {} %, 95 % interval {}..{}", signed(pct, 1), signed(low, 1), signed(high, 1))
        });
        notes.push(format!("Change point from {} on{range}{size}.", label(build)));
    }
    notes
}

/// The levels between change points, where each change is, and where it may be.
fn draw_change_points(
    canvas: &Canvas<'_>,
    panel: &Panel,
    view: &SeriesView,
    whole: &WholeCost,
) -> Result<(), Error> {
    let Some(base) = view.cost_base().and_then(|base| whole.per_op_ns.get(base)) else { return Ok(()) };
    if whole.change_points.is_empty() {
        return Ok(());
    }
    let between = |at: usize| Panel::x((place(view, at.saturating_sub(1)) + place(view, at)) / 2.0);
    for ChangePoint { interval: (first, last), .. } in &whole.change_points {
        let (left, right) = (between(*first), between(*last));
        canvas.fill((left - 2, panel.top()), (right + 2, panel.bottom()), GRID)?;
    }
    let starts = std::iter::once(0).chain(whole.change_points.iter().map(|change| change.at));
    let ends = whole.change_points.iter().map(|change| change.at).chain([whole.per_op_ns.len()]);
    for (start, end) in starts.zip(ends) {
        let costs = whole.per_op_ns.get(start..end).unwrap_or_default();
        let mean = costs.iter().sum::<f64>() / costs.len() as f64 / base;
        let ends = [start, end.saturating_sub(1)].map(|at| Panel::x(place(view, at)));
        if let Some(y) = panel.y(mean) {
            canvas.line((ends[0] - 6, y), (ends[1] + 6, y), INK)?;
        }
    }
    for change in &whole.change_points {
        let x = between(change.at);
        canvas.dashes(x, panel.top(), panel.bottom(), INK)?;
        let text = change
            .change_pct
            .map_or_else(|| fixed(change.change, 1), |(pct, _)| format!("{} %", signed(pct, 1)));
        let side = if x > WIDTH / 2 { HPos::Right } else { HPos::Left };
        let aside = if x > WIDTH / 2 { -6 } else { 6 };
        canvas.text((x + aside, panel.top() + 4), &text, side, VPos::Top, INK)?;
    }
    Ok(())
}
