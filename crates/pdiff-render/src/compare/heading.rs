//! The compared recordings and the terms: the first lines of a page, and the line above its rows.

use std::collections::BTreeSet;

use pdiff_analysis::{Comparison, GroupBy, Inlines, Row, Share, SideSummary, Templates};
use pdiff_profile::Side;

use crate::compare::row_order::Chosen;
use crate::document::number::{fixed, grouped};
use crate::document::options::{SortBy, TableOptions};
use crate::document::{Block, Line, Tone};

/// The first lines.
pub(crate) fn blocks(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = vec![
        Line::toned("before", side_text(&comparison.before), Tone::Strong),
        Line::toned("after", side_text(&comparison.after), Tone::Strong),
        Line::block("shares", shares_text(comparison)),
    ];
    if !comparison.filtered.is_empty() {
        blocks.push(Line::block("kept", comparison.filtered.clone()));
    }
    if let Some(program) = comparison.preset {
        blocks.push(Line::block(
            "preset",
            format!("using the built-in renames and costs of design of {program}"),
        ));
    }
    blocks
}

fn side_text(side: &SideSummary) -> String {
    let events: BTreeSet<&str> = side.runs.iter().map(|run| run.event.as_str()).collect();
    let events: Vec<&str> =
        events.into_iter().map(|event| if event.is_empty() { "an unnamed event" } else { event }).collect();
    let runs = match side.runs.len() {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    format!("{}: {runs}, {} samples of {}", side.label, grouped(side.samples), events.join(", "))
}

fn shares_text(comparison: &Comparison) -> String {
    let policy = comparison.policy;
    let inlines = match policy.inlines {
        Inlines::Expand if tells_inlines(comparison) => "inlined functions have rows of their own",
        Inlines::Expand => "no debug information about inlined functions",
        Inlines::Collapse => "inlined code counts with the function that contains it",
    };
    let templates = match policy.templates {
        Templates::Keep => "",
        Templates::Collapse => "; all instances of a template are one function",
    };
    let rows = format!(
        "rows are {}, matched by {} name; {inlines}{templates}",
        plural(comparison.group_by),
        policy.match_level
    );
    format!("{}; {rows}", denominator_text(comparison))
}

/// Whether any inlined function was seen; rows that are not functions do not tell.
fn tells_inlines(comparison: &Comparison) -> bool {
    let is_inlined = |row: &Row| Side::BOTH.iter().any(|side| row.side(*side).inlined_self_weight().0 > 0);
    comparison.group_by != GroupBy::Function || comparison.rows.iter().any(is_inlined)
}

fn denominator_text(comparison: &Comparison) -> String {
    match (comparison.share, comparison.left_out_pct) {
        (Share::All, _) => "of all samples".to_owned(),
        (Share::Object, _) => "of the row's own object: they add up to 100 % in each object".to_owned(),
        (Share::ThreadGroup, _) => "of the row's thread group: they add up to 100 % in each group".to_owned(),
        (Share::Work, None) => "of samples outside busy waiting and idling".to_owned(),
        (Share::Work, Some((before, after))) => format!(
            "of samples outside busy waiting and idling: {} % of before and {} % of after are left out, so \
             remaining shares are x{} and x{} of those of all samples",
            fixed(before, 2),
            fixed(after, 2),
            fixed(rescaling(before), 3),
            fixed(rescaling(after), 3),
        ),
    }
}

/// By how much shares grow when a part of the denominator is left out.
fn rescaling(left_out_pct: f64) -> f64 {
    1.0 / (1.0 - left_out_pct / 100.0)
}

fn plural(group_by: GroupBy) -> &'static str {
    match group_by {
        GroupBy::Function => "functions",
        GroupBy::Object => "objects",
        GroupBy::Comm => "thread names",
        GroupBy::ThreadGroup => "thread groups",
        GroupBy::Subsystem => "subsystems",
        GroupBy::File => "source files",
        GroupBy::Directory => "source directories",
    }
}

/// The line above the rows: how many, in which order.
pub(crate) fn rows_line(comparison: &Comparison, options: &TableOptions, chosen: &Chosen<'_>) -> Block {
    let order = match options.sort {
        SortBy::Delta => "significant ones first, then by size of change of self",
        SortBy::DeltaTotal => "by size of change of total",
        SortBy::DeltaBooked => "by size of change of self by symbol",
        SortBy::DeltaCost => "by size of change of cost per operation",
        SortBy::Gap => "by share of the gap",
        SortBy::Before => "by self before",
        SortBy::After => "by self after",
        SortBy::Total => "by the larger total",
        SortBy::Name => "by name",
    };
    let least = match options.min_delta_pp {
        Some(least) => format!(", changes of at least {least} points"),
        None => String::new(),
    };
    let shown = grouped(chosen.shown.len() as u64);
    let all = grouped(comparison.rows.len() as u64);
    let what = plural(comparison.group_by);
    Line::toned(
        "rows",
        format!("{shown} of {all} {what}, {order}{least}; change = after - before"),
        Tone::Strong,
    )
}
