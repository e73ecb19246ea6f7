//! The two compared builds, what they show, and how many functions changed in which way.

use std::collections::BTreeMap;

use pdiff_analysis::inlines::Change;
use pdiff_profile::Side;
use pdiff_profile::census::Visibility;

use crate::document::number::grouped;
use crate::document::visible_text::cut_end;
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};
use crate::inlines::view::InlinesView;

/// Columns that changes, their counts and the room between take.
const SUMMARY_NUMBERS: usize = 37;

/// The lines on both builds, and what may mislead.
pub(crate) fn blocks(view: &InlinesView<'_>) -> Vec<Block> {
    let mut blocks: Vec<Block> = Side::BOTH.into_iter().map(|side| side_line(view, side)).collect();
    blocks.extend(Side::BOTH.into_iter().filter_map(|side| blind_line(view, side)));
    blocks
}

fn side_line(view: &InlinesView<'_>, side: Side) -> Block {
    let (file, census) = (view.file(side), view.census(side));
    let present = census.functions().filter(|function| function.is_present()).count() as u64;
    let instances = if census.sees_inlines() {
        format!("{} inlined instances", grouped(census.inlined_instances()))
    } else {
        "inlining not visible".to_owned()
    };
    let debug =
        file.debug_path.as_ref().map_or(String::new(), |path| format!(", debug information in {path}"));
    let text =
        format!("{}: {} functions, {instances}{debug}; id {}", file.path, grouped(present), file.object_id);
    Line::toned(side.as_str(), text, Tone::Strong)
}

/// What one side hides, and what is therefore not said.
fn blind_line(view: &InlinesView<'_>, side: Side) -> Option<Block> {
    let what = match view.census(side).visibility() {
        Visibility::DebugInfo => return None,
        Visibility::Symbols => "has symbols but no debug information: what was inlined in it is not visible",
        Visibility::DynamicSymbols => {
            "is stripped: only exported functions are visible in it, and no inlining"
        }
    };
    let unsaid = match side {
        Side::Before => "new",
        Side::After => "gone",
    };
    let text = format!(
        "{side} {what}; so no function is reported as {unsaid}, lost, gained or mixed; hint: install its debug information, \
         or give --debug-root"
    );
    Some(Line::toned("!!", text, Tone::Grave))
}

/// How many functions there are of each change.
pub(crate) fn summary(view: &InlinesView<'_>, width: Option<usize>) -> Vec<Block> {
    let title = |text: &str, align| GridColumn { title: [String::new(), text.to_owned()], align };
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(SUMMARY_NUMBERS));
    // Without the filter: what the rows shown are part of. Changes that no function has are left out.
    let mut counts: BTreeMap<Change, Counts> = BTreeMap::new();
    for row in &view.comparison.functions {
        let of_change = counts.entry(row.change).or_default();
        of_change.functions += 1;
        of_change.confirmed += u64::from(!row.confirmed_lost.is_empty() || !row.confirmed_gained.is_empty());
    }
    let rows =
        Change::ALL.into_iter().filter_map(|change| Some(summary_row(change, counts.get(&change)?, room)));
    vec![Block::Grid(Grid {
        columns: vec![
            title("change", Align::Left),
            title("functions", Align::Right),
            title("confirmed", Align::Right),
            title("meaning", Align::Left),
        ],
        rows: rows.collect(),
        sums: 0,
    })]
}

/// How many functions have a change.
#[derive(Clone, Copy, Default)]
struct Counts {
    functions: u64,
    confirmed: u64,
}

fn summary_row(change: Change, counts: &Counts, room: usize) -> Vec<GridCell> {
    let is_confirmed = matches!(change, Change::Lost | Change::Gained | Change::Mixed);
    let confirmed = if is_confirmed { grouped(counts.confirmed) } else { String::new() };
    vec![
        GridCell::plain(change.as_str()),
        GridCell::plain(grouped(counts.functions)),
        GridCell::plain(confirmed),
        GridCell::toned(cut_end(meaning(change), room).into_owned(), Tone::Dim),
    ]
}

/// What a change means, in few words.
pub(crate) fn meaning(change: Change) -> &'static str {
    match change {
        Change::New => "absent before",
        Change::Gone => "absent after",
        Change::Lost => "inlined somewhere before, only out of line after",
        Change::Gained => "only out of line before, inlined somewhere after",
        Change::Mixed => "inlined on both sides, but some callers changed",
        Change::Grew => "code bytes grew by more than 10 %",
        Change::Shrank => "code bytes shrank by more than 10 %",
        Change::Same => "none of these",
        Change::NotVisible => "one build does not show it",
    }
}
