//! Verdicts as a page: one grid a cause, one line a function, worst first.

use pdiff_analysis::classify::{
    Cause, Classification, Confidence, Judged, Tag, Verdict, VerdictFamily, finding_causes,
};
use pdiff_analysis::{Comparison, Quantities};

use crate::compare::comparability;
use crate::compare::heading;
use crate::compare::notes;
use crate::document::COLUMN_GAP;
use crate::document::markdown;
use crate::document::number::{fixed, signed};
use crate::document::options::TableOptions;
use crate::document::short_name::{shorten, with_file};
use crate::document::table;
use crate::document::visible_text::{cut_end, visible, width as columns_of};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone, apart};
use crate::findings::first_screen;
use crate::settings;
use crate::verdicts::kernel;
use crate::verdicts::words::{missing_text, reason_text};

/// Columns of a name where the width is limited: at most, and at least.
const NAME_WIDTH: usize = 40;
const LEAST_NAME: usize = 12;

/// A reason in fewer columns says nothing: names give way to it.
const LEAST_REASON: usize = 24;

/// In less width reasons are left out.
const ROOM_FOR_REASONS: usize = 68;

/// In less width the share before and the measure are left out.
const ROOM_FOR_ALL_NUMBERS: usize = 56;

/// Columns that numbers, words and the room between all columns take.
const NUMBERS_WIDTH: usize = 8 + 8 + 7 + 6 + 7 + 6 * COLUMN_GAP;

/// Differing settings listed before the verdicts.
const MOST_SETTINGS: usize = 12;

/// Causes in the order in which they are shown. Noise is counted, not listed.
const SHOWN: [Cause; 15] = [
    Cause::InlineRegression,
    Cause::NewOverhead,
    Cause::NewlyActive,
    Cause::MissingFastPath,
    Cause::MoreCalls,
    Cause::Heavier,
    Cause::CodeQuality,
    Cause::Split,
    Cause::Merged,
    Cause::Moved,
    Cause::InlineGain,
    Cause::InlineChange,
    Cause::Lighter,
    Cause::Gone,
    Cause::Unclear,
];

/// The verdicts as a table for a terminal or a bug report.
#[must_use]
pub fn verdict_table(comparison: &Comparison, of: &Classification, options: &TableOptions) -> String {
    let width = table::readable_width(options.width);
    let screen = Some(width.unwrap_or(first_screen::WIDTH));
    table::draw(&page(comparison, of, options, [width, screen]), width, options.color)
}

/// The verdicts as markdown.
#[must_use]
pub fn verdict_markdown(comparison: &Comparison, of: &Classification, options: &TableOptions) -> String {
    markdown::draw(&page(comparison, of, options, [None, None]))
}

fn page(
    comparison: &Comparison,
    of: &Classification,
    options: &TableOptions,
    [width, screen]: [Option<usize>; 2],
) -> Vec<Block> {
    let causes = finding_causes(&comparison.findings, of);
    let mut sections =
        vec![comparability::grave_blocks(comparison), first_screen::blocks(comparison, &causes, screen)];
    sections
        .push(of.missing.iter().map(|of| Line::toned("missing", missing_text(of), Tone::Warning)).collect());
    let settings = of.settings.as_ref();
    sections
        .push(settings.map_or_else(Vec::new, |of| settings::page::short_blocks(of, MOST_SETTINGS, width)));
    sections.extend(SHOWN.iter().map(|cause| cause_blocks(*cause, of, options, width)));
    sections.push(kernel::blocks(comparison, &of.verdicts, options, width));
    sections.push(comparability::warning_blocks(comparison));
    sections.push([heading::blocks(comparison), comparability::plain_blocks(comparison, width)].concat());
    sections.push(closing(of));
    sections.push(families(of));
    sections.push(notes::blocks(comparison));
    apart(sections)
}

fn cause_blocks(
    cause: Cause,
    of: &Classification,
    options: &TableOptions,
    width: Option<usize>,
) -> Vec<Block> {
    let least = options.min_delta_pp.unwrap_or(0.0);
    let mut verdicts: Vec<&Verdict> = of
        .verdicts
        .iter()
        .filter(|v| v.cause == cause && v.delta_judged_pp().abs() >= least && !kernel::is_of_kernel(v))
        .collect();
    // What only points to a callee stands behind what is a cause itself.
    verdicts.sort_by(|a, b| {
        is_of_others(a)
            .cmp(&is_of_others(b))
            .then(size(b).total_cmp(&size(a)))
            .then_with(|| a.function.cmp(&b.function))
    });
    if verdicts.is_empty() {
        return Vec::new();
    }
    let shown = options.top.unwrap_or(usize::MAX);
    let left = verdicts.len().saturating_sub(shown);
    let count = verdicts.len();
    let functions = if count == 1 { "1 function" } else { &format!("{count} functions") };
    let mut blocks = vec![Line::toned("cause", format!("{cause}: {functions}"), Tone::Strong)];
    blocks.push(Block::Grid(grid(&verdicts[..count.min(shown)], width)));
    if left > 0 {
        blocks.push(Line::toned("more", format!("{left} more; --top 0 shows all"), Tone::Dim));
    }
    blocks
}

/// The change is that of others: of what the function calls, of what is inlined into it, or of its callers.
fn is_of_others(of: &Verdict) -> bool {
    matches!(of.rule_id, "R-callees" | "R-callers" | "R-below")
}

/// By what a verdict is ranked: the change of the function's own weight; of its total where that is the point.
fn size(of: &Verdict) -> f64 {
    match of.cause {
        Cause::MissingFastPath | Cause::NewlyActive => of.delta_total_pp().abs(),
        _ if is_of_others(of) => of.delta_total_pp().abs(),
        _ => of.delta_self_pp().abs().max(of.delta_booked_pp().abs()),
    }
}

fn grid(verdicts: &[&Verdict], width: Option<usize>) -> Grid {
    let titles = [
        ("function", Align::Left),
        ("before %", Align::Right),
        ("after %", Align::Right),
        ("change", Align::Right),
        ("of", Align::Left),
        ("sure", Align::Left),
        ("why", Align::Left),
    ];
    let column =
        |(title, align): (&str, Align)| GridColumn { title: [String::new(), title.to_owned()], align };
    let mut rows: Vec<Vec<GridCell>> = verdicts.iter().map(|verdict| cells(verdict, width)).collect();
    if let Some(width) = width {
        cut_reasons(&mut rows, width);
    }
    let mut grid = Grid { columns: titles.into_iter().map(column).collect(), rows, sums: 0 };
    if width.is_some_and(|width| width < ROOM_FOR_REASONS) {
        grid.drop_columns(|title| title == "why");
    }
    if width.is_some_and(|width| width < ROOM_FOR_ALL_NUMBERS) {
        // The change and what is left tell what was before.
        grid.drop_columns(|title| title == "before %" || title == "of");
    }
    grid
}

fn cells(verdict: &Verdict, width: Option<usize>) -> Vec<GridCell> {
    let share = |of: &Quantities| match verdict.judged {
        Judged::OwnSelf => of.self_pct,
        Judged::Booked => of.booked_self_pct,
        Judged::Total => of.total_pct,
    };
    let file = verdict.file.as_deref().filter(|_| verdict.is_by_file);
    let name = with_file(&verdict.function, file);
    let name = visible(&name);
    let name = width.map_or_else(|| name.to_string(), |width| shorten(&name, name_width(width)).into_owned());
    let change = verdict.delta_judged_pp();
    let tone = if change > 0.0 { Tone::Worse } else { Tone::Better };
    let sure = match verdict.confidence {
        Confidence::Proved => Tone::Strong,
        Confidence::Likely => Tone::Plain,
        Confidence::Unclear => Tone::Dim,
    };
    vec![
        GridCell::name(name),
        GridCell::plain(fixed(share(&verdict.before), 2)),
        GridCell::plain(fixed(share(&verdict.after), 2)),
        GridCell::toned(signed(change, 2), tone),
        GridCell::plain(verdict.judged.as_str()),
        GridCell::toned(verdict.confidence.as_str(), sure),
        GridCell::plain(reason(verdict)),
    ]
}

fn name_width(width: usize) -> usize {
    width.saturating_sub(NUMBERS_WIDTH + LEAST_REASON).clamp(LEAST_NAME, NAME_WIDTH)
}

fn reason(verdict: &Verdict) -> String {
    let tags: Vec<&str> = verdict.tags.iter().copied().filter(is_told).map(Tag::as_str).collect();
    let tags = if tags.is_empty() { String::new() } else { format!("[{}] ", tags.join(", ")) };
    format!("{tags}{}", reason_text(&verdict.reason))
}

/// Other compilers are a fact of the whole comparison, not of a row.
fn is_told(tag: &Tag) -> bool {
    *tag != Tag::CompilerChange
}

/// Cuts the last column to what the others leave.
fn cut_reasons(rows: &mut [Vec<GridCell>], width: usize) {
    let longest_name = rows.iter().filter_map(|row| row.first()).map(|cell| columns_of(&cell.text)).max();
    let taken = longest_name.unwrap_or(0).max(LEAST_NAME) + NUMBERS_WIDTH;
    let room = width.saturating_sub(taken);
    for cell in rows.iter_mut().filter_map(|row| row.last_mut()) {
        cell.text = cut_end(&visible(&cell.text), room).into_owned();
    }
}

fn closing(of: &Classification) -> Vec<Block> {
    let noise = of.verdicts.iter().filter(|verdict| verdict.cause == Cause::Noise).count();
    let text = format!("{noise} of {} functions changed by no more than noise", of.verdicts.len());
    vec![Line::block("noise", text)]
}

fn families(of: &Classification) -> Vec<Block> {
    let line = |family: &VerdictFamily| {
        let text = format!(
            "{}: real change {} points (bodies {}, calls and callers {}); {} points changed rows only",
            family.members.join(", "),
            signed(family.booked_delta_pp, 2),
            signed(family.body_pp, 2),
            signed(family.call_overhead_pp, 2),
            fixed(family.moved_pp, 2)
        );
        Line::block("family", text)
    };
    of.families.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
