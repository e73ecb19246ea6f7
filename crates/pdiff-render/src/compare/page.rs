//! The page of a comparison: its sections in order, as a table for a terminal or as markdown.

use pdiff_analysis::Comparison;
use pdiff_analysis::classify::FindingCause;

use crate::compare::beside;
use crate::compare::closing;
use crate::compare::comparability;
use crate::compare::families;
use crate::compare::heading;
use crate::compare::legend;
use crate::compare::noise_lines;
use crate::compare::notes;
use crate::compare::row_grid;
use crate::compare::row_order;
use crate::compare::waiting;
use crate::document::options::TableOptions;
use crate::document::{Block, apart};
use crate::document::{markdown, table};
use crate::findings::first_screen;

/// The comparison as a table for a terminal or a bug report.
///
/// Control characters in names never reach the terminal, and rows never break.
///
/// ```
/// use pdiff_render::{SortBy, TableOptions};
/// # use pdiff_analysis::noise::NoiseSettings;
/// # use pdiff_analysis::{CompareSettings, Filters, GroupBy, Inlines, Knowledge, Policy, Share, SideInput, Sides, Templates};
/// # use pdiff_profile::names::MatchLevel;
/// # let settings = CompareSettings {
/// #     policy: Policy { match_level: MatchLevel::Qualified, inlines: Inlines::Expand, templates: Templates::Keep },
/// #     share: Share::All,
/// #     group_by: GroupBy::Function,
/// #     filters: Filters::default(),
/// #     knowledge: Knowledge::builtin(),
/// #     noise: NoiseSettings::default(),
/// #     scale_to_cpu_seconds: false,
/// # };
/// # let side = |label: &str| SideInput { label: label.to_owned(), runs: Vec::new(), objects: Vec::new() };
/// # let sides = Sides { before: side("5.7"), after: side("8.0") };
/// let comparison = pdiff_analysis::compare(&sides, &settings);
/// let options = TableOptions {
///     width: Some(80),
///     color: false,
///     top: Some(20),
///     min_delta_pp: None,
///     sort: SortBy::Delta,
///     explain: None,
/// };
/// let text = pdiff_render::table(&comparison, &options);
/// assert!(text.contains("basis    shares of CPU, because operations are not known"));
/// assert!(text.lines().all(|line| line.chars().count() <= 80));
/// ```
#[must_use]
pub fn table(comparison: &Comparison, options: &TableOptions) -> String {
    table_with_causes(comparison, &[], options)
}

/// The same with the cause of each finding, in their order; none where there are none.
#[must_use]
pub fn table_with_causes(comparison: &Comparison, causes: &[FindingCause], options: &TableOptions) -> String {
    let width = table::readable_width(options.width);
    let explain = options.explain.as_deref();
    let screen = first_screen::blocks(comparison, causes, width.or(Some(table::LINE_WIDTH)), explain);
    table::draw(&page(comparison, options, width, screen), width, options.color)
}

/// The comparison as markdown for a bug report.
///
/// Names stand as code; whatever markdown or a terminal would obey in them is spelled out.
#[must_use]
pub fn markdown(comparison: &Comparison, options: &TableOptions) -> String {
    markdown_with_causes(comparison, &[], options)
}

/// The same with the cause of each finding, in their order; none where there are none.
#[must_use]
pub fn markdown_with_causes(
    comparison: &Comparison,
    causes: &[FindingCause],
    options: &TableOptions,
) -> String {
    let screen = first_screen::blocks(comparison, causes, None, options.explain.as_deref());
    markdown::draw(&page(comparison, options, None, screen))
}

/// What makes the sides incomparable, and the first screen.
pub(crate) fn answer(comparison: &Comparison, causes: &[FindingCause], width: Option<usize>) -> Vec<Block> {
    apart([comparability::grave_blocks(comparison), first_screen::blocks(comparison, causes, width, None)])
}

/// The page of a comparison, for lines of at most `width` columns, with its first screen.
fn page(
    comparison: &Comparison,
    options: &TableOptions,
    width: Option<usize>,
    screen: Vec<Block>,
) -> Vec<Block> {
    let chosen = row_order::choose(comparison, options);
    let rows = row_grid::grid(comparison, &chosen, width);
    let legend = legend::blocks(comparison, &chosen, &rows);
    let sections = [
        comparability::grave_blocks(comparison),
        screen,
        vec![heading::rows_line(comparison, options, &chosen), Block::Grid(rows)],
        waiting::blocks(comparison, options.top),
        beside::blocks(comparison, options),
        [legend, families::blocks(comparison, &chosen)].concat(),
        comparability::warning_blocks(comparison),
        [heading::blocks(comparison), comparability::plain_blocks(comparison, width)].concat(),
        closing::blocks(comparison),
        noise_lines::blocks(comparison),
        notes::blocks(comparison),
    ];
    apart(sections)
}

#[cfg(test)]
mod tests;
