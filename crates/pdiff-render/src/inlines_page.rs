//! A comparison of inlining for readers: a page, as a table or as markdown.

use crate::inlines_view::{InlinesOptions, InlinesView};
use crate::page::{Block, apart};
use crate::table::readable_width;
use crate::{inlines_compilers, inlines_heading, inlines_section, markdown, notes, table};

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
        inlines_heading::blocks(view),
        inlines_compilers::blocks(view, width),
        inlines_heading::summary(view, width),
    ];
    let sections = inlines_section::ORDER.map(|change| inlines_section::blocks(view, change, top, width));
    apart(start.into_iter().chain(sections).chain([notes::lines(view.notes, 0.0)]))
}

#[cfg(test)]
mod tests;
