//! A series of builds as CSV: one line a value, so that every table of the series has one form.

use pdiff_study::series::{Arrival, Arrived, ChangePoint};

use crate::error::Error;
use crate::files::column::Column;
use crate::files::written_bytes::csv_lines;
use crate::series::view::SeriesView;

/// One value.
struct Value<'a> {
    table: &'static str,
    /// Class of workload, or object.
    of: &'a str,
    /// Workload, subsystem or function.
    name: &'a str,
    build: &'a str,
    measure: &'static str,
    value: f64,
    hidden: Option<bool>,
    /// The row's first and last possible build of arrival.
    arrived: Option<(&'a str, &'a str)>,
    unseen_before: Option<&'a str>,
    threads: Option<u32>,
}

/// The series as CSV: `table` (throughput, class, machine, cost, subsystem, function), `of` (class or object), `name`,
/// `build`, `measure`, `value`, and for costs `hidden`, `arrived_first`, `arrived`, `unseen_before`; for
/// throughput `threads`. Unknown values have no line.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn series_csv(view: &SeriesView) -> Result<Vec<u8>, Error> {
    let values = values(view);
    let words = |name: &str, word: for<'v> fn(&'v Value<'_>) -> &'v str| {
        Column::new(name.into(), values.iter().map(|value| word(value).to_owned()).collect::<Vec<String>>())
    };
    let optional = |name: &str, word: fn(&Value<'_>) -> Option<String>| {
        Column::new(name.into(), values.iter().map(word).collect::<Vec<Option<String>>>())
    };
    let columns = vec![
        words("table", |value| value.table),
        words("of", |value| value.of),
        words("name", |value| value.name),
        words("build", |value| value.build),
        words("measure", |value| value.measure),
        Column::new("value".into(), values.iter().map(|value| value.value).collect::<Vec<f64>>()),
        Column::new("hidden".into(), values.iter().map(|value| value.hidden).collect::<Vec<Option<bool>>>()),
        optional("arrived_first", |value| value.arrived.map(|(first, _)| first.to_owned())),
        optional("arrived", |value| value.arrived.map(|(_, last)| last.to_owned())),
        optional("unseen_before", |value| value.unseen_before.map(str::to_owned)),
        Column::new(
            "threads".into(),
            values.iter().map(|value| value.threads.map(u64::from)).collect::<Vec<Option<u64>>>(),
        ),
    ];
    csv_lines(values.len(), columns)
}

fn values(view: &SeriesView) -> Vec<Value<'_>> {
    let mut values = Vec::new();
    let build = |at: usize| view.builds.get(at).map_or("", String::as_str);
    let plain = |table, of, name, at: usize, measure, value| Value {
        table,
        of,
        name,
        build: build(at),
        measure,
        value,
        hidden: None,
        arrived: None,
        unseen_before: None,
        threads: None,
    };
    for row in &view.throughput {
        let first = values.len();
        for (at, value) in row.values.iter().enumerate() {
            let Some(value) = value else { continue };
            values.push(plain("throughput", &row.class, &row.workload, at, "tps", value.tps));
            let relative =
                value.relative.map(|of| plain("throughput", &row.class, &row.workload, at, "relative", of));
            values.extend(relative);
            let (low, high) = value.interval.unzip();
            let ends = [("relative_ci_low", low), ("relative_ci_high", high)];
            let known = ends.into_iter().filter_map(|(measure, end)| Some((measure, end?)));
            values.extend(
                known.map(|(measure, end)| plain("throughput", &row.class, &row.workload, at, measure, end)),
            );
        }
        values.iter_mut().skip(first).for_each(|value| value.threads = row.threads);
    }
    for (class, of_builds) in &view.classes {
        for (at, mean) in of_builds.iter().enumerate() {
            let mean = mean.map(|mean| plain("class", class, "", at, "relative", mean.mean));
            values.extend(mean);
        }
    }
    for (at, system) in view.systems.iter().enumerate() {
        let measures = [
            ("tps", system.tps),
            ("busy_pct", system.busy_pct),
            ("cpu_us_per_op", system.cpu_us_per_op),
            ("cpu_per_op_relative", system.cpu_per_op_relative),
            ("context_switches_per_op", system.context_switches_per_op),
            ("context_switches_relative", system.context_switches_relative),
            ("latency_avg_ms", system.latency_avg_ms),
            ("latency_percentile", system.latency_percentile_ms.map(|(rank, _)| rank)),
            ("latency_percentile_ms", system.latency_percentile_ms.map(|(_, ms)| ms)),
            ("latency_max_ms", system.latency_max_ms),
        ];
        let known = measures.into_iter().filter_map(|(measure, value)| Some((measure, value?)));
        values.extend(known.map(|(measure, value)| plain("machine", "", "", at, measure, value)));
    }
    if let Some(whole) = &view.whole {
        for (at, cost) in whole.per_op_ns.iter().enumerate() {
            values.push(plain("cost", "", "", at, "per_op_ns", *cost));
            let changes = whole.change_points.iter().filter(|change| change.at == at).flat_map(measures_of);
            values.extend(changes.map(|(measure, value)| plain("cost", "", "", at, measure, value)));
        }
    }
    for (table, rows) in [("subsystem", &view.subsystems), ("function", &view.functions)] {
        for row in rows {
            costs(view, table, row, &mut values);
        }
    }
    values
}

fn costs<'a>(view: &'a SeriesView, table: &'static str, row: &'a Arrival, values: &mut Vec<Value<'a>>) {
    for (at, ((cost, hidden), build)) in row.costs.iter().zip(&row.hidden).zip(&view.builds).enumerate() {
        let is_last = view.builds.last() == Some(build);
        let interval = view.growth_interval(row).filter(|_| is_last);
        let is_there = view.arrived(row).is_some_and(|(_, last)| last == build);
        let brought = row.brought.filter(|_| is_there);
        let of_brought = view.brought_interval(row).filter(|_| is_there);
        let measures = [
            ("self_pct", Some(cost.self_pct)),
            ("self_per_op_ns", cost.self_per_op_ns),
            ("growth_ci_low", interval.map(|(low, _)| low)),
            ("growth_ci_high", interval.map(|(_, high)| high)),
            ("brought", brought.map(|brought| brought.growth)),
            ("brought_ci_low", of_brought.map(|(low, _)| low)),
            ("brought_ci_high", of_brought.map(|(_, high)| high)),
        ];
        let changes = row.change_points.iter().filter(|change| change.at == at).flat_map(measures_of);
        let changes = changes.map(|(measure, value)| (measure, Some(value)));
        let known =
            measures.into_iter().chain(changes).filter_map(|(measure, value)| Some((measure, value?)));
        values.extend(known.map(|(measure, value)| Value {
            table,
            of: &row.object,
            name: &row.name,
            build,
            measure,
            value,
            hidden: Some(*hidden),
            arrived: view.arrived(row),
            unseen_before: match row.arrived {
                Arrived::UnseenBefore(at) => view.builds.get(at).map(String::as_str),
                _ => None,
            },
            threads: None,
        }));
    }
}

/// A change point, at the build from which on the level was another.
fn measures_of(change: &ChangePoint) -> [(&'static str, f64); 3] {
    [
        ("change_point", change.change),
        ("change_point_ci_low", change.change - change.change_half),
        ("change_point_ci_high", change.change + change.change_half),
    ]
}
