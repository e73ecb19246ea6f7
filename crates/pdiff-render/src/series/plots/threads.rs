//! Throughput over levels of concurrency, a line a build, and what each group of threads costs on these builds.

use pdiff_study::series::{GroupCost, RelativeRow};
use plotters::style::text_anchor::{HPos, VPos};

use crate::document::number::{CostUnit, fixed};
use crate::document::visible_text::cut_middle;
use crate::error::Error;
use crate::plots::canvas::{Canvas, draw};
use crate::plots::panel::{
    PANEL, Panel, PlotLine, Point, WIDTH, draw_legend, draw_notes, legend_height, note_lines, notes_height,
};
use crate::plots::{INK, MOST_LINES, NEUTRAL, label, line_style};
use crate::series::view::SeriesView;

/// Below the title.
const TOP: i32 = 44;

/// Workloads with a panel.
const MOST_PANELS: usize = 8;

/// Groups of threads with bars of their own.
const MOST_GROUPS: usize = 7;

/// A group that has less than this part of each build's samples is joined with others.
const LEAST_PCT: f64 = 1.0;

/// One build's bar of a group.
const BAR: i32 = 18;

/// A workload's rows, one a level.
type Levels<'a> = (&'a str, Vec<&'a RelativeRow>);

/// Operations per second over the number of threads, a panel a workload and a line a build; below them CPU per operation by
/// thread group where profiles are given. `None` if no run has a number of threads.
///
/// # Errors
/// Returns an error if drawing fails.
pub fn threads_svg(view: &SeriesView) -> Result<Option<String>, Error> {
    let mut workloads = workloads(view);
    if workloads.is_empty() {
        return Ok(None);
    }
    let builds = drawn_builds(view);
    let mut notes =
        vec!["Upright lines: 95 % intervals, where a build has several runs of a level.".to_owned()];
    if builds.len() < view.builds.len() {
        notes.push(format!(
            "{} of {} builds: the first, the last, and some between.",
            builds.len(),
            view.builds.len()
        ));
    }
    if workloads.len() > MOST_PANELS {
        notes.push(format!("{} more workloads are in the table.", workloads.len() - MOST_PANELS));
        workloads.truncate(MOST_PANELS);
    }
    let names: Vec<String> =
        builds.iter().map(|at| view.builds.get(*at).map_or_else(String::new, |build| label(build))).collect();
    let groups = groups(view, &builds);
    let notes = note_lines(&notes);
    let panels = PANEL * workloads.len() as i32;
    let bars = if groups.is_empty() { 0 } else { 34 + groups.len() as i32 * group_height(builds.len()) };
    let height = TOP + panels + legend_height(&names) + bars + 8 + notes_height(&notes);
    draw((WIDTH, height), "Operations per second by number of threads", |canvas| {
        let mut top = TOP;
        for (name, rows) in &workloads {
            draw_workload(canvas, top, name, rows, &builds)?;
            top += PANEL;
        }
        draw_legend(canvas, top - 6, &names)?;
        top += legend_height(&names);
        if !groups.is_empty() {
            draw_groups(canvas, top + 8, view, &groups, &names)?;
        }
        draw_notes(canvas, top + bars + 8, &notes)
    })
    .map(Some)
}

/// Workloads with several levels, each with its rows in the order of levels.
fn workloads(view: &SeriesView) -> Vec<Levels<'_>> {
    let mut found: Vec<(&str, Levels<'_>)> = Vec::new();
    for row in view.throughput.iter().filter(|row| row.threads.is_some()) {
        match found.iter_mut().find(|(class, (name, _))| *class == row.class && *name == row.workload) {
            Some((_, (_, rows))) => rows.push(row),
            None => found.push((&row.class, (&row.workload, vec![row]))),
        }
    }
    found.into_iter().map(|(_, levels)| levels).collect()
}

/// The builds that have a run or a profile; where they are many, the first, the last, and some between.
fn drawn_builds(view: &SeriesView) -> Vec<usize> {
    let is_there = |at: &usize| {
        let has_run = view
            .throughput
            .iter()
            .any(|row| row.threads.is_some() && matches!(row.values.get(*at), Some(Some(_))));
        has_run || view.groups.iter().any(|group| group.costs.len() > *at)
    };
    let there: Vec<usize> = (0..view.builds.len()).filter(is_there).collect();
    if there.len() <= MOST_LINES {
        return there;
    }
    let last = there.len() - 1;
    (0..MOST_LINES).filter_map(|at| there.get(at * last / (MOST_LINES - 1)).copied()).collect()
}

fn draw_workload(
    canvas: &Canvas<'_>,
    top: i32,
    name: &str,
    rows: &[&RelativeRow],
    builds: &[usize],
) -> Result<(), Error> {
    let logs: Vec<f64> =
        rows.iter().filter_map(|row| row.threads).map(|threads| f64::from(threads).ln()).collect();
    let (low, high) = (logs.first().copied().unwrap_or(0.0), logs.last().copied().unwrap_or(0.0));
    let place = |log: f64| if high > low { (log - low) / (high - low) } else { 0.5 };
    let line = |build: &usize| PlotLine {
        name: String::new(),
        points: rows
            .iter()
            .zip(&logs)
            .map(|(row, log)| {
                let value = (*row.values.get(*build)?)?;
                Some(Point { place: place(*log), value: value.tps, interval: value.tps_interval })
            })
            .collect(),
    };
    let lines: Vec<PlotLine> = builds.iter().map(line).collect();
    let panel = Panel::new(top, &lines, 0.0);
    panel.draw_axis(canvas, &if name.is_empty() { "all runs".to_owned() } else { label(name) }, 0.0)?;
    panel.draw_lines(canvas, &lines)?;
    let places =
        rows.iter().zip(&logs).filter_map(|(row, log)| Some((place(*log), row.threads?.to_string())));
    panel.draw_places(canvas, &places.collect::<Vec<_>>())
}

/// What a group costs on each drawn build, `None` where the build has no profile.
struct Bars {
    name: String,
    values: Vec<Option<f64>>,
}

/// Those with most first; what is left as one.
fn groups(view: &SeriesView, builds: &[usize]) -> Vec<Bars> {
    let value = |group: &GroupCost, build: usize| {
        let cost = group.costs.get(build)?;
        Some(if view.per_operation { cost.self_per_op_ns.unwrap_or(0.0) } else { cost.self_pct })
    };
    let bars = |group: &GroupCost| Bars {
        name: label(&group.name),
        values: builds.iter().map(|build| value(group, *build)).collect(),
    };
    let is_large = |group: &&GroupCost| group.costs.iter().any(|cost| cost.self_pct >= LEAST_PCT);
    let large = view.groups.iter().filter(is_large).count().min(MOST_GROUPS);
    // One group alone has a name rather than a number.
    let shown = if view.groups.len() == large + 1 { large + 1 } else { large };
    let (most, rest) = view.groups.split_at(shown);
    let mut groups: Vec<Bars> = most.iter().map(bars).collect();
    if !rest.is_empty() {
        let sum = |build: &usize| rest.iter().map(|group| value(group, *build)).sum::<Option<f64>>();
        let values = builds.iter().map(sum).collect();
        groups.push(Bars { name: format!("{} other groups", rest.len()), values });
    }
    groups
}

fn group_height(builds: usize) -> i32 {
    26 + BAR * builds as i32
}

/// Bars begin right of the names of their builds.
const BARS_LEFT: i32 = 112;

/// Room for a bar's number.
const BARS_RIGHT: i32 = 92;

fn draw_groups(
    canvas: &Canvas<'_>,
    top: i32,
    view: &SeriesView,
    groups: &[Bars],
    names: &[String],
) -> Result<(), Error> {
    let values = || groups.iter().flat_map(|group| &group.values).flatten().copied();
    let largest = values().fold(f64::MIN_POSITIVE, f64::max);
    let unit = CostUnit::of_total(largest, true);
    let heading = match view.per_operation {
        true => format!("CPU per operation by thread group, {}", unit.name),
        false => "CPU by thread group, % of samples".to_owned(),
    };
    canvas.text((12, top), &heading, HPos::Left, VPos::Top, INK)?;
    let room = f64::from(WIDTH - BARS_LEFT - BARS_RIGHT);
    let mut y = top + 26;
    for group in groups {
        canvas.text((12, y), &group.name, HPos::Left, VPos::Top, INK)?;
        y += 18;
        for (at, (value, name)) in group.values.iter().zip(names).enumerate() {
            let (color, _) = line_style(at);
            let middle = y + BAR / 2;
            canvas.text(
                (BARS_LEFT - 8, middle),
                &cut_middle(name, 12),
                HPos::Right,
                VPos::Center,
                NEUTRAL,
            )?;
            let end = BARS_LEFT + (room * value.unwrap_or(0.0) / largest).round() as i32;
            if value.is_some_and(|value| value > 0.0) {
                canvas.fill((BARS_LEFT, y + 2), (end.max(BARS_LEFT + 1), y + BAR - 3), color)?;
            }
            let number = match value {
                Some(value) if view.per_operation => unit.fixed(*value),
                Some(value) => fixed(*value, 1),
                None => "no profile".to_owned(),
            };
            canvas.text((end + 6, middle), &number, HPos::Left, VPos::Center, INK)?;
            y += BAR;
        }
        y += 8;
    }
    Ok(())
}
