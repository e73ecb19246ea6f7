//! Verdicts as lists: one grid a cause, one line per function, worst first.

use pdiff_analysis::Quantities;
use pdiff_analysis::classify::{Cause, Classification, Confidence, Judged, Tag, Verdict};

use crate::document::COLUMN_GAP;
use crate::document::number::{fixed, signed};
use crate::document::options::TableOptions;
use crate::document::short_name::{shorten, with_file};
use crate::document::visible_text::{cut_end, visible, width as columns_of};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};
use crate::verdicts::kernel;
use crate::verdicts::words::{as_a_whole, column, reason_text};

/// Columns of a name where the width is limited: at most, and at least.
const NAME_WIDTH: usize = 40;
const LEAST_NAME: usize = 12;

/// A reason in fewer columns says nothing: names give way to it.
const LEAST_REASON: usize = 24;

/// In less width reasons are left out.
const ROOM_FOR_REASONS: usize = 68;

/// In less width functions with their causes have no reasons.
const ROOM_FOR_CAUSES_AND_REASONS: usize = 132;

/// In less width the share before and the measure are left out.
const ROOM_FOR_ALL_NUMBERS: usize = 56;

/// Columns that numbers, words and the room between all columns take.
const NUMBERS_WIDTH: usize = 8 + 8 + 7 + 6 + 7 + 6 * COLUMN_GAP;

/// Causes in the order in which they are shown. Noise is counted, not listed.
pub(super) const SHOWN: [Cause; 16] = [
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
    Cause::Consequence,
    Cause::Unclear,
];

/// All functions of every cause.
pub(super) fn blocks(of: &Classification, options: &TableOptions, width: Option<usize>) -> Vec<Vec<Block>> {
    SHOWN.iter().map(|cause| cause_blocks(*cause, of, options, width)).collect()
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
    // What only points to a callee is behind what is a cause itself.
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
pub(super) fn is_of_others(of: &Verdict) -> bool {
    of.cause == Cause::Consequence
        || matches!(of.rule_id, "R-callees" | "R-callers" | "R-below" | "R-in-between")
}

/// By what a verdict is ranked: the change of the function's own weight; of its total where that is the point.
pub(super) fn size(of: &Verdict) -> f64 {
    match of.cause {
        Cause::MissingFastPath | Cause::NewlyActive => of.delta_total_pp().abs(),
        _ if is_of_others(of) => of.delta_total_pp().abs(),
        _ => of.delta_self_pp().abs().max(of.delta_booked_pp().abs()),
    }
}

/// One line per function, all of one cause.
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

/// One line per function, each with its cause. In less than [`ROOM_FOR_CAUSES_AND_REASONS`] columns names take the room of
/// reasons.
pub(super) fn causes_grid(verdicts: &[&Verdict], width: Option<usize>) -> Grid {
    // The cause of a set may go the other way than one of its functions.
    let cause = |of: &&Verdict| format!("{}{}", as_a_whole(of.cause, of.delta_judged_pp()), of.cause);
    let causes: Vec<String> = verdicts.iter().map(cause).collect();
    let widest = causes.iter().map(|cause| columns_of(cause)).max();
    let room = widest.unwrap_or(0).max("cause".len()) + COLUMN_GAP;
    let is_narrow = width.is_some_and(|width| width < ROOM_FOR_CAUSES_AND_REASONS);
    let mut grid = match width.filter(|_| !is_narrow) {
        Some(width) => grid(verdicts, Some(width.saturating_sub(room))),
        None => grid(verdicts, None),
    };
    if let Some(width) = width.filter(|_| is_narrow) {
        grid.drop_columns(|title| title == "why");
        if width < ROOM_FOR_REASONS {
            grid.drop_columns(|title| title == "before %" || title == "of" || title == "sure");
        }
        let others: usize = grid.columns.iter().map(|column| columns_of(&column.title[1]) + COLUMN_GAP).sum();
        let names = width.saturating_sub(others + room).clamp(LEAST_NAME, NAME_WIDTH);
        for cell in grid.rows.iter_mut().filter_map(|row| row.first_mut()) {
            cell.text = shorten(&cell.text, names).into_owned();
        }
    }
    let at = grid.columns.iter().position(|column| column.title[1] == "sure").unwrap_or(1);
    let heading = GridColumn { title: [String::new(), "cause".to_owned()], align: Align::Left };
    grid.columns.insert(at, heading);
    for (row, cause) in grid.rows.iter_mut().zip(causes) {
        row.insert(at, GridCell::plain(cause));
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
        GridCell::plain(column(verdict.judged)),
        GridCell::toned(verdict.confidence.as_str(), sure),
        GridCell::plain(reason(verdict)),
    ]
}

fn name_width(width: usize) -> usize {
    width.saturating_sub(NUMBERS_WIDTH + LEAST_REASON).clamp(LEAST_NAME, NAME_WIDTH)
}

/// Its tags and why it is so.
pub(super) fn reason(verdict: &Verdict) -> String {
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
