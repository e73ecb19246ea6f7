//! A plan for readers: factors, predictions, runs, and assumptions.

use pdiff_analysis::{Forecast, Plan, PlannedFactor, WhyNotPlanned};
use pdiff_profile::{PerSide, Side};

use crate::document::number::{NONE, fixed, interval, percent_of_log, signed};
use crate::document::ranked_columns::RankedColumns;
use crate::document::table::readable_width;
use crate::document::{Block, Line, Tone, apart, markdown, table};
use crate::plan::words::{assumptions, doubt_text, experiment_text, why_text};

/// Places of points and percents.
const PLACES: usize = 1;

/// The plan as tables for a terminal.
#[must_use]
pub fn plan_table(plan: &Plan, width: Option<usize>, color: bool) -> String {
    let width = readable_width(width);
    table::draw(&page(plan, width), width, color)
}

/// The plan as markdown.
#[must_use]
pub fn plan_markdown(plan: &Plan) -> String {
    markdown::draw(&page(plan, None))
}

fn page(plan: &Plan, width: Option<usize>) -> Vec<Block> {
    apart([
        heading(plan),
        factors(plan, width),
        experiments(plan),
        rests_on(plan),
        left_out(plan),
        next(plan),
    ])
}

fn heading(plan: &Plan) -> Vec<Block> {
    let PerSide { before, after } = &plan.labels;
    let gap = plan
        .gap_log
        .map_or_else(String::new, |gap| format!("; the gap was {} %", signed(percent_of_log(gap), PLACES)));
    let count = plan.factors.len();
    let factors = if count == 1 { "one factor".to_owned() } else { format!("{count} factors") };
    let design = match plan.design {
        pdiff_analysis::Design::Factorial => "every combination",
        pdiff_analysis::Design::OneByOne => "each alone, and one after the other",
    };
    let repeats = plan.replicates;
    vec![
        Line::toned("plan", format!("{factors} of {before} -> {after}{gap}"), Tone::Strong),
        Line::block("runs", format!("{}: {design}, {repeats} times", plan.runs.len())),
    ]
}

/// The prediction that the runs tell best, beside that of the factor alone.
fn factors(plan: &Plan, width: Option<usize>) -> Vec<Block> {
    let rows = &plan.factors;
    let is_factorial = rows.iter().any(|factor| factor.average.is_some());
    let has_points = plan.gap_log.is_some();
    let value = |forecast: Option<Forecast>| {
        let value = forecast.and_then(|of| if has_points { of.points } else { Some(percent_of_log(of.log)) });
        value.map_or_else(|| NONE.to_owned(), |value| signed(value, PLACES))
    };
    let bounds = |forecast: Option<Forecast>| {
        let of = forecast.and_then(|of| {
            let (low, high) = of.log_interval;
            if has_points { of.points_interval } else { Some((percent_of_log(low), percent_of_log(high))) }
        });
        of.map_or_else(String::new, |of| interval(of, PLACES))
    };
    let unit = if has_points { "points" } else { "%" };
    let mut columns = RankedColumns::default();
    columns.names(["", "factor"], rows.iter().map(|factor| factor.name.clone()));
    let alone = |factor: &PlannedFactor| Some(factor.alone);
    if is_factorial {
        columns.numbers(0, ["average", unit], rows.iter().map(|factor| value(factor.average)));
        columns.numbers(1, ["average", "95 %"], rows.iter().map(|factor| bounds(factor.average)));
    }
    columns.numbers(0, ["alone", unit], rows.iter().map(|factor| value(alone(factor))));
    columns.numbers(2, ["alone", "95 %"], rows.iter().map(|factor| bounds(alone(factor))));
    let share = |side: Side| rows.iter().map(move |factor| fixed(factor.within_pct[side], 1));
    columns.numbers(3, ["in its code", "before %"], share(Side::Before));
    columns.numbers(3, ["in its code", "after %"], share(Side::After));
    let ranks = |factor: &PlannedFactor| {
        factor.finding_ranks.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    columns.words(2, ["", "parts"], rows.iter().map(ranks));
    let text =
        format!("change of the gap from switching each, in {unit}; + is in favour of {}", plan.labels.after);
    let mut blocks = vec![Line::toned("expected", text, Tone::Strong), columns.grid(width, 0)];
    for factor in rows.iter().filter(|factor| !factor.doubts.is_empty()) {
        blocks.push(Line::toned(
            "doubt",
            format!(
                "{}: {}",
                factor.name,
                factor.doubts.iter().map(doubt_text).collect::<Vec<_>>().join("; ")
            ),
            Tone::Warning,
        ));
    }
    blocks
}

fn experiments(plan: &Plan) -> Vec<Block> {
    let line = |factor: &PlannedFactor| {
        let build = match (factor.on.before, factor.on.after) {
            (true, true) => "both builds".to_owned(),
            (true, false) => plan.labels.before.clone(),
            _ => plan.labels.after.clone(),
        };
        Line::block("do", format!("{} in {build}: {}", factor.name, experiment_text(&factor.experiment)))
    };
    plan.factors.iter().map(line).collect()
}

fn rests_on(plan: &Plan) -> Vec<Block> {
    assumptions(plan).into_iter().map(|text| Line::block("assumes", text)).collect()
}

/// Parts without an experiment, by why.
fn left_out(plan: &Plan) -> Vec<Block> {
    let mut reasons: Vec<(WhyNotPlanned, Vec<String>)> = Vec::new();
    for of in &plan.not_planned {
        let text = format!("{} {}", of.rank, of.name);
        match reasons.iter_mut().find(|(why, _)| *why == of.why) {
            Some((_, parts)) => parts.push(text),
            None => reasons.push((of.why, vec![text])),
        }
    }
    let line = |(why, parts): (WhyNotPlanned, Vec<String>)| {
        let why = why_text(why);
        Line::toned("left out", format!("{why}: {}", parts.join(", ")), Tone::Dim)
    };
    reasons.into_iter().map(line).collect()
}

fn next(plan: &Plan) -> Vec<Block> {
    let names: Vec<&str> = plan.factors.iter().map(|factor| factor.name.as_str()).collect();
    let text = format!(
        "keep the plan (--format json -o plan.json --runs runs.csv), fill in tps, then: pdiff attribute runs.csv --factors {} --plan plan.json",
        names.join(",")
    );
    vec![Line::block("next", text)]
}
