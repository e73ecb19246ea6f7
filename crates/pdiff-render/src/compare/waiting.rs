//! Where threads wait, for readers.

use pdiff_analysis::noise::Method;
use pdiff_analysis::{
    Comparison, Finding, FindingWaits, ThreadTimes, WaitChange, WaitPlace, Waiting, WaitingGroup, Waits,
};
use pdiff_profile::PerSide;

use crate::compare::legend::NOT_SIGNIFICANT;
use crate::compare::noise_lines::variation_text;
use crate::document::number::{CostUnit, fixed, grouped, signed};
use crate::document::visible_text::{cut_middle, visible};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};

/// Rows of each grid.
const MOST_ROWS: usize = 10;

/// Idle places that are named.
const MOST_IDLE: usize = 5;

/// Waits shorter than this part of the longest are not listed.
const LEAST_PART: f64 = 0.005;

/// Longest name.
const NAME: usize = 44;

/// What was recorded of waiting: groups of threads, where they wait, what findings wait for, and what was masked.
pub(crate) fn blocks(comparison: &Comparison, top: Option<usize>) -> Vec<Block> {
    let Some(waiting) = &comparison.waiting else { return Vec::new() };
    if waiting.groups.is_empty() {
        let program =
            waiting.program.as_deref().map_or_else(String::new, |name| format!(" of {}", visible(name)));
        let text =
            format!("the recordings of waiting have no threads{program}; hint: record the same process");
        return vec![Line::block("waiting", text)];
    }
    let most = top.unwrap_or(MOST_ROWS).min(MOST_ROWS);
    let numbers = Numbers::new(waiting);
    let mut blocks = vec![Line::block("waiting", heading(waiting))];
    blocks.push(Block::Grid(groups_grid(&waiting.groups, most)));
    let longest = waiting.places.iter().map(longest).fold(0.0, f64::max);
    let places = waiting.places.iter().filter(|place| longest_is_worth(place, longest)).take(most);
    let places: Vec<&WaitPlace> = places.collect();
    if !places.is_empty() {
        let text = format!("waits with work, by the function that waits, in {}", numbers.unit_words());
        blocks.push(Line::block("places", text));
        blocks.push(Block::Grid(places_grid(&places, &numbers)));
    }
    blocks.extend(findings_blocks(comparison, waiting, &numbers));
    blocks.push(Line::block("noise", noise_text(waiting, comparison.noise.q_threshold)));
    blocks.extend(idle_line(waiting));
    blocks.extend(lost_line(waiting));
    blocks
}

fn longest(place: &WaitPlace) -> f64 {
    place.seconds.before.max(place.seconds.after)
}

fn longest_is_worth(place: &WaitPlace, of_all: f64) -> bool {
    longest(place) >= LEAST_PART * of_all
}

fn heading(waiting: &Waiting) -> String {
    let whose = match &waiting.program {
        Some(program) => format!("threads of {}", visible(program)),
        None => "all threads".to_owned(),
    };
    let length = match (waiting.span_s.before, waiting.span_s.after) {
        (Some(before), Some(after)) => format!("{} s before, {} s after", fixed(before, 2), fixed(after, 2)),
        _ => "the recordings have no times, so seconds are compared as they are".to_owned(),
    };
    format!("{whose}; {length}")
}

/// How changes were tested, and how many are more than noise.
fn noise_text(waiting: &Waiting, q_threshold: f64) -> String {
    let noise = &waiting.noise;
    let method = match noise.method {
        Method::SingleRun => "one recording of waiting a side",
        Method::Replicates => "several recordings of waiting",
    };
    let changes = waiting.places.iter().filter_map(|place| place.change.as_ref());
    let changes = changes.chain(waiting.findings.iter().map(|finding| &finding.change));
    let significant = changes.filter(|change| change.significant).count();
    format!(
        "{method}, {}; {} changes of waits tested, {} significant; {NOT_SIGNIFICANT} within noise (false discoveries {} %), \
         too small, or too few waits to test",
        variation_text(noise.run_variation),
        grouped(noise.tests as u64),
        grouped(significant as u64),
        100.0 * q_threshold
    )
}

fn lost_line(waiting: &Waiting) -> Option<Block> {
    let PerSide { before, after } = waiting.lost_returns;
    let text = format!(
        "the recordings lack {} returns of threads to a CPU before and {} after: until such a thread left the CPU again, its time \
         counts as waiting; hint: record with a larger buffer, perf record -m 4M",
        grouped(before),
        grouped(after)
    );
    (before + after > 0).then(|| Line::block("lost", text))
}

/// The numbers of waits: per operation where operations are known, else per second, else in seconds.
struct Numbers<'a> {
    waiting: &'a Waiting,
    per_op: Option<CostUnit>,
}

impl<'a> Numbers<'a> {
    fn new(waiting: &'a Waiting) -> Self {
        let all = |of: fn(&WaitPlace) -> f64| waiting.places.iter().map(of).sum::<f64>();
        let whole =
            PerSide { before: all(|place| place.seconds.before), after: all(|place| place.seconds.after) };
        let per_op = waiting.ns_per_op(whole);
        let per_op = per_op.map(|of| CostUnit::of_total(of.before.max(of.after), true).for_parts());
        Self { waiting, per_op }
    }

    fn unit_words(&self) -> String {
        match (self.per_op, self.waiting.has_rates()) {
            (Some(unit), _) => format!("{} per operation", unit.name),
            (None, true) => "seconds of waiting per second (as many threads wait on average)".to_owned(),
            (None, false) => "seconds".to_owned(),
        }
    }

    fn unit(&self) -> String {
        match (self.per_op, self.waiting.has_rates()) {
            (Some(unit), _) => format!("{}/op", unit.name),
            (None, true) => "s/s".to_owned(),
            (None, false) => "s".to_owned(),
        }
    }

    /// Before, after and change.
    fn texts(&self, seconds: PerSide<f64>) -> [String; 3] {
        match (self.per_op, self.waiting.ns_per_op(seconds)) {
            (Some(unit), Some(of)) => {
                [unit.fixed(of.before), unit.fixed(of.after), unit.signed(of.after - of.before)]
            }
            _ => {
                let of = self.waiting.rate(seconds);
                [fixed(of.before, 3), fixed(of.after, 3), signed(of.after - of.before, 3)]
            }
        }
    }

    /// Half of the interval of a change, and whether the change is more than noise; a change that was not tested has none.
    fn noise_cells(&self, change: Option<&WaitChange>) -> [GridCell; 2] {
        let tested = change.filter(|change| change.test.p().is_some());
        let half = tested.map_or_else(String::new, |change| match self.per_op {
            Some(unit) => unit.fixed(change.half),
            None => fixed(change.half, 3),
        });
        let is_significant = tested.is_some_and(|change| change.significant);
        let mark =
            if is_significant { GridCell::default() } else { GridCell::toned(NOT_SIGNIFICANT, Tone::Dim) };
        [GridCell::plain(half), mark]
    }
}

fn column(top: &str, bottom: &str, align: Align) -> GridColumn {
    GridColumn { title: [top.to_owned(), bottom.to_owned()], align }
}

fn name(text: &str) -> GridCell {
    GridCell::name(cut_middle(&visible(text), NAME).into_owned())
}

/// Both sides of each group, in percent of its threads' time.
fn groups_grid(groups: &[WaitingGroup], most: usize) -> Grid {
    let columns = vec![
        column("", "threads", Align::Left),
        column("", "side", Align::Left),
        column("", "number", Align::Right),
        column("", "time s", Align::Right),
        column("runs", "%", Align::Right),
        column("waits", "%", Align::Right),
        column("for a CPU", "%", Align::Right),
        column("idle", "%", Align::Right),
    ];
    let row = |group: &WaitingGroup, side: &str, times: &ThreadTimes| {
        let waits = &times.waits;
        let sum = waits.blocked_s + waits.runnable_s + times.idle_s + times.cpu_s.unwrap_or(0.0);
        let percent = |seconds: f64| {
            GridCell::plain(if sum > 0.0 { fixed(100.0 * seconds / sum, 1) } else { "-".into() })
        };
        vec![
            name(&group.name),
            GridCell::plain(side),
            GridCell::plain(grouped(times.threads as u64)),
            GridCell::plain(fixed(sum, 2)),
            times.cpu_s.map_or_else(|| GridCell::plain("-"), percent),
            percent(waits.blocked_s),
            percent(waits.runnable_s),
            percent(times.idle_s),
        ]
    };
    let rows = groups.iter().take(most).flat_map(|group| {
        [row(group, "before", &group.times.before), row(group, "after", &group.times.after)]
    });
    Grid { columns, rows: rows.collect(), sums: 0 }
}

fn places_grid(places: &[&WaitPlace], numbers: &Numbers<'_>) -> Grid {
    let unit = numbers.unit();
    let columns = vec![
        column("before", &unit, Align::Right),
        column("after", &unit, Align::Right),
        column("change", &unit, Align::Right),
        column("95 %", "+-", Align::Right),
        column("", "", Align::Left),
        column("waits", "before", Align::Right),
        column("waits", "after", Align::Right),
        column("", "function", Align::Left),
        column("", "waits in", Align::Left),
        column("", "called by", Align::Left),
    ];
    let rows = places.iter().map(|place| {
        let [before, after, change] = numbers.texts(place.seconds).map(GridCell::plain);
        let [half, mark] = numbers.noise_cells(place.change.as_ref());
        let callers: Vec<&str> = place.callers.iter().map(String::as_str).collect();
        vec![
            before,
            after,
            change,
            half,
            mark,
            GridCell::plain(grouped(place.count.before)),
            GridCell::plain(grouped(place.count.after)),
            function(place),
            name(&place.waits_in),
            name(&callers.join(" < ")),
        ]
    });
    Grid { columns, rows: rows.collect(), sums: 0 }
}

fn function(place: &WaitPlace) -> GridCell {
    match &place.function {
        Some(function) => name(function),
        None => GridCell::plain("no function of the program"),
    }
}

/// CPU and waits of the findings that wait.
fn findings_blocks(comparison: &Comparison, waiting: &Waiting, numbers: &Numbers<'_>) -> Vec<Block> {
    let is_seen = |waits: &PerSide<Waits>| waits.iter().any(|(_, of)| of.blocked_s + of.runnable_s > 0.0);
    let findings = comparison.findings.list.iter().zip(&waiting.findings);
    let findings: Vec<(&Finding, &FindingWaits)> = findings.filter(|(_, of)| is_seen(&of.waits)).collect();
    if findings.is_empty() {
        return Vec::new();
    }
    let per_op = numbers.per_op.filter(|_| comparison.cost.as_ref().is_some_and(|cost| cost.is_time));
    let unit = numbers.unit();
    let mut columns = vec![
        column("", "part", Align::Right),
        column("waits", &unit, Align::Right),
        column("change", &unit, Align::Right),
        column("95 %", "+-", Align::Right),
        column("", "", Align::Left),
        column("for a CPU", "change", Align::Right),
    ];
    if per_op.is_some() {
        columns.push(column("CPU", "change", Align::Right));
        columns.push(column("in all", "change", Align::Right));
    }
    columns.push(column("", "function", Align::Left));
    let row = |(finding, found): &(&Finding, &FindingWaits)| {
        let of = |seconds: fn(&Waits) -> f64| found.waits.as_ref().map(seconds);
        let (blocked, runnable) = (of(|waits| waits.blocked_s), of(|waits| waits.runnable_s));
        let [_, after, change] = numbers.texts(blocked);
        let [_, _, for_a_cpu] = numbers.texts(runnable);
        let [half, mark] = numbers.noise_cells(Some(&found.change));
        let mut cells = [finding.rank.to_string(), after, change].map(GridCell::plain).to_vec();
        cells.extend([half, mark, GridCell::plain(for_a_cpu)]);
        if let Some(unit) = per_op {
            let cpu = finding.before.per_op.zip(finding.after.per_op).map(|(before, after)| after - before);
            let sum =
                PerSide { before: blocked.before + runnable.before, after: blocked.after + runnable.after };
            let waited = waiting.ns_per_op(sum).map(|of| of.after - of.before);
            let all = cpu.zip(waited).map(|(cpu, waited)| cpu + waited);
            let text =
                |change: Option<f64>| change.map_or_else(|| "-".to_owned(), |change| unit.signed(change));
            cells.extend([cpu, all].map(|change| GridCell::plain(text(change))));
        }
        cells.push(name(finding.function()));
        cells
    };
    let rows = findings.iter().map(row).collect();
    vec![
        Line::block("parts", "waits of the parts of the change; a wait counts for the innermost of them"),
        Block::Grid(Grid { columns, rows, sums: 0 }),
    ]
}

/// What was masked.
fn idle_line(waiting: &Waiting) -> Option<Block> {
    let total = waiting.idle.iter().fold(PerSide::<f64>::default(), |sum, place| PerSide {
        before: sum.before + place.seconds.before,
        after: sum.after + place.seconds.after,
    });
    if waiting.idle.is_empty() {
        return None;
    }
    let places = waiting.idle.iter().take(MOST_IDLE).map(|place| {
        let function = place.function.as_deref().map_or_else(|| "?".into(), visible);
        format!("{function} in {}", visible(&place.waits_in))
    });
    let places: Vec<String> = places.collect();
    let text = format!(
        "{} s before and {} s after are waits for work, left out above: {}",
        fixed(total.before, 2),
        fixed(total.after, 2),
        places.join(", ")
    );
    Some(Line::block("idle", text))
}
