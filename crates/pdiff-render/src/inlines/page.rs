//! A comparison of inlining for readers: a page, as a table or as markdown.

use std::collections::BTreeMap;

use pdiff_analysis::inlines::{Change, FunctionComparison};

use crate::compare::notes;
use crate::document::markdown;
use crate::document::table;
use crate::document::table::readable_width;
use crate::document::{Block, GridCell, Line, Tone, apart};
use crate::inlines;
use crate::inlines::section::{BY_LIKENESS, CALLED_BEFORE};
use crate::inlines::view::{InlinesOptions, InlinesView};

/// The comparison as tables for a terminal or a bug report.
///
/// Control characters in names never reach the terminal, and rows never break.
#[must_use]
pub fn inlines_table(view: &InlinesView<'_>, options: &InlinesOptions) -> String {
    let width = readable_width(options.width);
    table::draw(&page(view, options.top, width), width, options.color)
}

/// The comparison as markdown for a bug report.
#[must_use]
pub fn inlines_markdown(view: &InlinesView<'_>, options: &InlinesOptions) -> String {
    markdown::draw(&page(view, options.top, None))
}

fn page(view: &InlinesView<'_>, top: Option<usize>, width: Option<usize>) -> Vec<Block> {
    let start = [
        inlines::heading::blocks(view),
        inlines::compilers::blocks(view, width),
        inlines::heading::summary(view, width),
    ];
    let mut rows: BTreeMap<Change, Vec<&FunctionComparison>> = BTreeMap::new();
    view.rows().for_each(|row| rows.entry(row.change).or_default().push(row));
    let sections = inlines::section::ORDER.map(|change| {
        let rows = rows.get(&change).map_or(&[][..], Vec::as_slice);
        inlines::section::blocks(view, change, rows, top, width)
    });
    let end = [legend(&sections), notes::lines(view.notes, 0.0)];
    apart(start.into_iter().chain(sections).chain(end))
}

/// Tells how renamed functions are written, if any is shown.
fn legend(sections: &[Vec<Block>]) -> Vec<Block> {
    let cells = sections.iter().flatten().filter_map(|block| match block {
        Block::Grid(grid) => Some(grid.rows.iter().flatten()),
        _ => None,
    });
    let is_renamed = |cell: &GridCell| {
        cell.is_name && [CALLED_BEFORE, BY_LIKENESS].into_iter().any(|arrow| cell.text.contains(arrow))
    };
    let text = "a <- b: named b before (known rename or looser name match); a <~ b: paired by similarity, may be wrong";
    if cells.flatten().any(is_renamed) { vec![Line::toned("names", text, Tone::Dim)] } else { Vec::new() }
}

#[cfg(test)]
mod tests;
