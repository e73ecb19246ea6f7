//! A series of builds for readers: relative throughput by class, CPU and context switches per operation, and the build in
//! which each cost arrived.

use pdiff_analysis::is_nameless;
use pdiff_study::series::{Arrival, Arrived, NOTABLE_RELATIVE, RelativeRow};

use crate::document::markdown;
use crate::document::number::{CostUnit, NONE, fixed, grouped, signed};
use crate::document::ranked_columns::{RankedColumns, SPARE};
use crate::document::table;
use crate::document::table::readable_width;
use crate::document::{Align, Block, GridCell, Line, Tone, apart};
use crate::series::change_points::change_points;
use crate::series::view::{BuildSystem, SeriesView};

/// The series as tables for a terminal; `top` rows of costs, `None` for all.
#[must_use]
pub fn series_table(view: &SeriesView, top: Option<usize>, width: Option<usize>, color: bool) -> String {
    let width = readable_width(width);
    table::draw(&page(view, top, width), width, color)
}

/// The series as markdown.
#[must_use]
pub fn series_markdown(view: &SeriesView, top: Option<usize>) -> String {
    markdown::draw(&page(view, top, None))
}

fn page(view: &SeriesView, top: Option<usize>, width: Option<usize>) -> Vec<Block> {
    let base = view.builds.get(view.base).map_or("", String::as_str);
    let heading = vec![Line::block("builds", view.builds.join(" -> ")), Line::block("base", base.to_owned())];
    apart([
        [heading, unresolved(view)].concat(),
        throughput(view, base, width),
        classes(view, width),
        systems(view, width),
        change_points(view, cost_unit(view), top, width),
        costs("subsystem", &view.subsystems, view, top, width),
        costs("function", &view.functions, view, top, width),
    ])
}

/// Builds with this many percent of samples without function are named above the tables.
const NOTABLE_UNRESOLVED_PCT: f64 = 3.0;

fn unresolved(view: &SeriesView) -> Vec<Block> {
    let share = |at: usize| -> f64 {
        let rows = view.functions.iter().filter(|row| is_nameless(&row.name));
        rows.filter_map(|row| row.costs.get(at)).map(|cost| cost.self_pct).sum()
    };
    let line = |(at, build): (usize, &String)| {
        let share = share(at);
        (share >= NOTABLE_UNRESOLVED_PCT).then(|| {
            let text = format!(
                "{} % of the samples of {build} have no function: costs that they may hide are marked ?, and the build in which they arrived is uncertain",
                fixed(share, 1)
            );
            Line::toned("!", text, Tone::Warning)
        })
    };
    view.builds.iter().enumerate().filter_map(line).collect()
}

/// The builds between the first and the last are the first to go where all do not fit.
fn rank(view: &SeriesView, build: usize) -> u8 {
    if build == 0 || build + 1 == view.builds.len() { 0 } else { SPARE }
}

fn relative_cell(relative: Option<f64>) -> GridCell {
    let Some(relative) = relative else { return GridCell::plain(NONE) };
    // A hair of slack: 0.95 itself is not beyond 5 %.
    let tone = match relative - 1.0 {
        change if change < -NOTABLE_RELATIVE - 1e-9 => Tone::Worse,
        change if change > NOTABLE_RELATIVE + 1e-9 => Tone::Better,
        _ => Tone::Plain,
    };
    GridCell::toned(fixed(relative, 2), tone)
}

fn throughput(view: &SeriesView, base: &str, width: Option<usize>) -> Vec<Block> {
    if view.throughput.is_empty() {
        return Vec::new();
    }
    let rows = &view.throughput;
    let mut columns = RankedColumns::default();
    if rows.iter().any(|row| !row.class.is_empty()) {
        columns.names(["", "class"], rows.iter().map(|row| row.class.clone()));
    }
    if rows.iter().any(|row| !row.workload.is_empty()) {
        columns.names(["", "workload"], rows.iter().map(|row| row.workload.clone()));
    }
    if rows.iter().any(|row| row.threads.is_some()) {
        let threads = |row: &RelativeRow| row.threads.map_or_else(|| NONE.to_owned(), |of| of.to_string());
        columns.numbers(0, ["", "threads"], rows.iter().map(threads));
    }
    let tps = |row: &RelativeRow| {
        let base = row.values.get(view.base).copied().flatten();
        base.map_or_else(
            || NONE.to_owned(),
            |value| if value.tps >= 1000.0 { grouped(value.tps.round() as u64) } else { fixed(value.tps, 2) },
        )
    };
    columns.numbers(1, [base, "ops/s"], rows.iter().map(tps));
    for (at, build) in view.builds.iter().enumerate() {
        let cell = |row: &RelativeRow| {
            relative_cell(row.values.get(at).copied().flatten().and_then(|value| value.relative))
        };
        columns.push(rank(view, at), ["", build], Align::Right, rows.iter().map(cell).collect());
        let interval =
            |row: &RelativeRow| row.values.get(at).copied().flatten().and_then(|value| value.interval);
        if rows.iter().any(|row| interval(row).is_some()) {
            let text = |row| {
                interval(row)
                    .map_or_else(String::new, |(low, high)| format!("{}..{}", fixed(low, 2), fixed(high, 2)))
            };
            columns.numbers(SPARE, [build, "95 %"], rows.iter().map(text));
        }
    }
    let text = format!(
        "(ops/s of a build) / (ops/s of {base}); coloured beyond {} % either way",
        100.0 * NOTABLE_RELATIVE
    );
    vec![Line::toned("relative", text, Tone::Strong), columns.grid(width, 0)]
}

fn classes(view: &SeriesView, width: Option<usize>) -> Vec<Block> {
    let many =
        |class: &&(String, Vec<_>)| view.throughput.iter().filter(|row| row.class == class.0).count() > 1;
    let classes: Vec<_> = view.classes.iter().filter(many).collect();
    if classes.is_empty() {
        return Vec::new();
    }
    let mut columns = RankedColumns::default();
    let name = |name: &str| if name.is_empty() { "all".to_owned() } else { name.to_owned() };
    columns.names(["", "class"], classes.iter().map(|(class, _)| name(class)));
    for (at, build) in view.builds.iter().enumerate() {
        let value =
            |row: &&(String, Vec<Option<pdiff_study::series::ClassMean>>)| row.1.get(at).copied().flatten();
        columns.push(
            rank(view, at),
            ["", build],
            Align::Right,
            classes.iter().map(|row| relative_cell(value(row).map(|mean| mean.mean))).collect(),
        );
        columns.numbers(
            2,
            [build, "range"],
            classes.iter().map(|row| {
                value(row).map_or_else(String::new, |mean| {
                    format!("{}..{}", fixed(mean.min, 2), fixed(mean.max, 2))
                })
            }),
        );
    }
    let text = "geometric mean of the relative throughput of each class, and its range over workloads";
    vec![Line::toned("classes", text, Tone::Strong), columns.grid(width, 0)]
}

fn systems(view: &SeriesView, width: Option<usize>) -> Vec<Block> {
    if !view.systems.iter().any(BuildSystem::is_known) {
        return Vec::new();
    }
    let systems = &view.systems;
    let mut columns = RankedColumns::default();
    columns.names(["", "build"], view.builds.iter().cloned());
    let mut numbers =
        |rank: u8, title: [&str; 2], places: usize, value: &dyn Fn(&BuildSystem) -> Option<f64>| {
            if systems.iter().any(|system| value(system).is_some()) {
                columns.numbers(
                    rank,
                    title,
                    systems.iter().map(|system| {
                        value(system).map_or_else(|| NONE.to_owned(), |number| fixed(number, places))
                    }),
                );
            }
        };
    numbers(0, ["", "ops/s"], 0, &|system| system.tps);
    numbers(1, ["busy", "%"], 1, &|system| system.busy_pct);
    numbers(SPARE, ["CPU us", "/ op"], 2, &|system| system.cpu_us_per_op);
    numbers(0, ["CPU / op", "relative"], 2, &|system| system.cpu_per_op_relative);
    numbers(SPARE, ["switches", "/ op"], 3, &|system| system.context_switches_per_op);
    numbers(0, ["switches", "relative"], 2, &|system| system.context_switches_relative);
    numbers(1, ["latency", "avg ms"], 2, &|system| system.latency_avg_ms);
    let rank = systems.iter().find_map(|system| system.latency_percentile_ms).map_or(0.0, |(rank, _)| rank);
    numbers(1, ["latency", &format!("p{rank} ms")], 2, &|system| {
        system.latency_percentile_ms.filter(|(own, _)| *own == rank).map(|(_, ms)| ms)
    });
    numbers(2, ["latency", "max ms"], 2, &|system| system.latency_max_ms);
    let text = "of the whole machine while the load ran (vmstat), per operation, and what sysbench printed";
    vec![Line::toned("machine", text, Tone::Strong), columns.grid(width, 0)]
}

fn costs(
    what: &'static str,
    rows: &[Arrival],
    view: &SeriesView,
    top: Option<usize>,
    width: Option<usize>,
) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    // What arrived somewhere beyond noise tells most.
    let is_known = |row: &&Arrival| view.arrived(row).is_some();
    let mut order: Vec<&Arrival> = rows.iter().filter(is_known).collect();
    let arrived = order.len();
    order.extend(rows.iter().filter(|row| !is_known(row)));
    let shown: Vec<&Arrival> = order.into_iter().take(top.unwrap_or(usize::MAX)).collect();
    let per_op = rows.iter().any(|row| row.costs.iter().any(|cost| cost.self_per_op_ns.is_some()));
    let is_hidden = |row: &Arrival, at: usize| row.hidden.get(at).copied().unwrap_or(false);
    let unit = cost_unit(view);
    let per_op_title = format!("{}/op", unit.name);
    let mut columns = RankedColumns::default();
    for (at, build) in view.builds.iter().enumerate() {
        let value = |row: &&Arrival| row.costs.get(at).copied().unwrap_or_default();
        columns.numbers(
            if per_op { 2 } else { rank(view, at) },
            [build, "self %"],
            shown.iter().map(|row| hideable(fixed(value(row).self_pct, 2), is_hidden(row, at))),
        );
        if per_op {
            let cost = |row: &&Arrival| {
                let cost = value(row).self_per_op_ns.map_or_else(|| NONE.to_owned(), |ns| unit.fixed(ns));
                hideable(cost, is_hidden(row, at))
            };
            columns.numbers(rank(view, at), [build, &per_op_title], shown.iter().map(cost));
        }
    }
    if per_op {
        columns.numbers(
            1,
            ["growth", &per_op_title],
            shown.iter().map(|row| row.growth_ns().map_or_else(|| NONE.to_owned(), |ns| unit.signed(ns))),
        );
    } else {
        columns.numbers(1, ["growth", "points"], shown.iter().map(|row| signed(row.growth_pp(), 2)));
    }
    let half = |row: &Arrival| {
        let text = |half: f64| if view.per_operation { unit.fixed(half) } else { fixed(half, 2) };
        row.growth_half.map_or_else(String::new, |half| format!("+-{}", text(half)))
    };
    if shown.iter().any(|row| row.growth_half.is_some()) {
        columns.numbers(1, ["growth", "95 %"], shown.iter().map(|row| half(row)));
    }
    let build = |row: &&Arrival| match (view.arrived(row), row.arrived) {
        (Some((first, last)), _) if first == last => last.to_owned(),
        (Some((first, last)), _) => format!("{first}..{last}"),
        (None, Arrived::UnseenBefore(_)) => "?".to_owned(),
        (None, _) => "~".to_owned(),
    };
    columns.words(0, ["arrived", "in"], shown.iter().map(build));
    let amount = |value: f64| if view.per_operation { unit.signed(value) } else { signed(value, 2) };
    let brought = |row: &Arrival| {
        view.brought_interval(row)
            .map_or_else(String::new, |(low, high)| format!("{}..{}", amount(low), amount(high)))
    };
    if shown.iter().any(|row| view.brought_interval(row).is_some()) {
        columns.numbers(SPARE, ["brought", "95 %"], shown.iter().map(|row| brought(row)));
    }
    columns.names(["", what], shown.iter().map(|row| row.name.clone()));
    let measure = if view.per_operation { "cost per operation" } else { "share of samples" };
    let mut text = format!(
        "{arrived} of {} {what}s grew beyond noise in {measure}; arrived in: where most of the growth came, ~ nowhere beyond noise",
        rows.len()
    );
    if shown.iter().any(|row| row.hidden.contains(&true)) {
        text.push_str(", ? not visible: symbols are missing, it may be more; a..b: in one of these builds");
    }
    vec![Line::toned("costs", text, Tone::Strong), columns.grid(width, 0)]
}

/// The unit of all costs: that of the build whose operations cost most.
fn cost_unit(view: &SeriesView) -> CostUnit {
    let whole = |at: usize| {
        let costs = view.subsystems.iter().filter_map(|row| row.costs.get(at)?.self_per_op_ns);
        costs.sum::<f64>()
    };
    let largest = (0..view.builds.len()).map(whole).fold(0.0, f64::max);
    CostUnit::of_total(largest, true).for_parts()
}

fn hideable(number: String, is_hidden: bool) -> String {
    if is_hidden { format!("{number}?") } else { number }
}
