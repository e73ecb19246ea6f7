//! Differing settings as a page: important ones first with the reason, then the others, then those that only one side has.

use pdiff_analysis::{AtDefault, OneSidedSetting, SettingChange, SettingsDiff};
use pdiff_profile::{PerSide, Side};

use crate::document::COLUMN_GAP;
use crate::document::markdown;
use crate::document::number::NONE;
use crate::document::options::TableOptions;
use crate::document::table;
use crate::document::visible_text::{cut_end, cut_middle, visible, width as columns_of};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone, apart};

/// Columns of a value: at most.
const VALUE_WIDTH: usize = 32;

/// Columns of a value where no width is to be kept: lists of switches are long.
const WIDE_VALUE: usize = 64;

/// A reason in fewer columns says nothing.
const LEAST_REASON: usize = 16;

/// In less width reasons are left out.
const ROOM_FOR_REASONS: usize = 84;

/// In less width it is not told whether a default changed.
const ROOM_FOR_DEFAULTS: usize = 100;

/// Titles of columns that may go.
const DEFAULT: &str = "default";
const WHY: &str = "why";

/// The differences as tables for a terminal. Of the options, `top` limits each list of settings without a known
/// reason, and order and least change have no meaning.
#[must_use]
pub fn settings_table(of: &SettingsDiff, labels: PerSide<&str>, options: &TableOptions) -> String {
    let width = table::readable_width(options.width);
    table::draw(&page(of, labels, options.top, width), width, options.color)
}

/// The differences as markdown.
#[must_use]
pub fn settings_markdown(of: &SettingsDiff, labels: PerSide<&str>, options: &TableOptions) -> String {
    markdown::draw(&page(of, labels, options.top, None))
}

/// All that is to be said of the differences.
pub(crate) fn page(
    of: &SettingsDiff,
    labels: PerSide<&str>,
    top: Option<usize>,
    width: Option<usize>,
) -> Vec<Block> {
    let (known, other): (Vec<_>, Vec<_>) = of.differs.iter().partition(|change| change.why.is_some());
    let mut sections = vec![heading(of, labels)];
    sections.push(changes("matter", "settings that differ and are known to matter", &known, None, width));
    sections.push(changes("differ", "other settings that differ", &other, top, width));
    for side in Side::BOTH {
        sections.push(only(of, side, top, width));
    }
    sections.push(closing(of));
    apart(sections)
}

fn heading(of: &SettingsDiff, labels: PerSide<&str>) -> Vec<Block> {
    let line = |side: Side| {
        let version = of.versions[side].as_deref().map_or_else(String::new, |version| format!(": {version}"));
        let partial =
            if of.is_partial[side] { ", an option file: what it does not set has its default" } else { "" };
        Line::toned(side.as_str(), format!("{}{version}{partial}", labels[side]), Tone::Strong)
    };
    Side::BOTH.map(line).into_iter().chain(misleading(of)).collect()
}

fn misleading(of: &SettingsDiff) -> impl Iterator<Item = Block> {
    of.misleading.iter().map(|of| {
        let text =
            format!("{} = {} on the {} side does not switch it off: {}", of.name, of.value, of.side, of.why);
        Line::block("warning", visible(&text).into_owned())
    })
}

/// Differing settings as lines of other pages: what matters, the most important first.
pub(crate) fn short_blocks(of: &SettingsDiff, most: usize, width: Option<usize>) -> Vec<Block> {
    let known: Vec<&SettingChange> = of.differs.iter().filter(|change| change.why.is_some()).collect();
    let shown = known.len().min(most);
    let what = "settings that differ and are known to matter, the first";
    let mut blocks: Vec<Block> = misleading(of).collect();
    blocks.extend(changes("settings", what, &known[..shown], None, width));
    let one_sided = of.only.before.len() + of.only.after.len();
    let text = format!(
        "{} more that matter, {} others differ, {one_sided} exist on one side only; `pdiff settings` lists them",
        known.len() - shown,
        of.differs.len() - known.len(),
    );
    blocks.push(Line::toned("settings", text, Tone::Dim));
    blocks
}

fn changes(
    label: &'static str,
    what: &str,
    changes: &[&SettingChange],
    top: Option<usize>,
    width: Option<usize>,
) -> Vec<Block> {
    if changes.is_empty() {
        return Vec::new();
    }
    let shown = top.unwrap_or(usize::MAX).min(changes.len());
    let mut blocks = vec![Line::toned(label, format!("{what}: {}", changes.len()), Tone::Strong)];
    let has_reasons = changes.iter().any(|change| change.why.is_some());
    let row = |change: &&SettingChange| {
        let name = match &change.before_name {
            Some(before) => format!("{} <- {before}", change.name),
            None => change.name.clone(),
        };
        let (before, after) = change.shown();
        let mut cells = vec![
            GridCell::name(cut_name(&name, width)),
            GridCell::plain(value(&before, width)),
            GridCell::plain(value(&after, width)),
        ];
        if has_reasons {
            cells.push(GridCell::plain(default_word(change.at_default)));
            cells.push(GridCell::plain(change.why.clone().unwrap_or_default()));
        }
        cells
    };
    let titles = ["setting", "before", "after", DEFAULT, WHY];
    let titles = titles.into_iter().take(if has_reasons { 5 } else { 3 });
    let rows = changes.iter().take(shown).map(row).collect();
    blocks.push(Block::Grid(fitted(Grid { columns: titles.map(column).collect(), rows, sums: 0 }, width)));
    blocks.extend(left_out(changes.len() - shown));
    blocks
}

fn column(title: &str) -> GridColumn {
    GridColumn { title: [String::new(), title.to_owned()], align: Align::Left }
}

fn left_out(left: usize) -> Option<Block> {
    (left > 0).then(|| Line::toned("more", format!("{left} more; --top 0 shows all"), Tone::Dim))
}

fn cut_name(name: &str, width: Option<usize>) -> String {
    let most = width.map_or(usize::MAX, |width| (width * 2 / 5).max(16));
    cut_middle(&visible(name), most).into_owned()
}

fn value(text: &str, width: Option<usize>) -> String {
    let most = width.map_or(WIDE_VALUE, |width| (width / 6).clamp(8, VALUE_WIDTH));
    if text.is_empty() { NONE.to_owned() } else { cut_middle(&visible(text), most).into_owned() }
}

fn default_word(at: Option<AtDefault>) -> &'static str {
    match at {
        None => "",
        Some(AtDefault::Both) => "default changed",
        Some(AtDefault::Before) => "set after",
        Some(AtDefault::After) => "set before",
        Some(AtDefault::Neither) => "set on both",
    }
}

/// Leaves out what there is no room for, and cuts reasons to what the other columns leave.
fn fitted(mut grid: Grid, width: Option<usize>) -> Grid {
    let Some(width) = width else { return grid };
    grid.drop_columns(|title| {
        (title == WHY && width < ROOM_FOR_REASONS) || (title == DEFAULT && width < ROOM_FOR_DEFAULTS)
    });
    let Some(why) = grid.columns.iter().position(|column| column.title[1] == WHY) else { return grid };
    let widest = |at: usize| {
        let cells = grid.rows.iter().filter_map(|row| row.get(at)).map(|cell| columns_of(&cell.text));
        cells.chain(grid.columns.get(at).map(|column| columns_of(&column.title[1]))).max().unwrap_or(0)
    };
    let room = width.saturating_sub((0..why).map(|at| widest(at) + COLUMN_GAP).sum::<usize>());
    if room < LEAST_REASON {
        grid.drop_columns(|title| title == WHY);
    }
    for cell in grid.rows.iter_mut().filter_map(|row| row.get_mut(why)) {
        cell.text = cut_end(&cell.text, room).into_owned();
    }
    grid
}

fn only(of: &SettingsDiff, side: Side, top: Option<usize>, width: Option<usize>) -> Vec<Block> {
    let settings = &of.only[side];
    // An option file says nothing about what it does not set.
    let other_is_partial = of.is_partial[side.other()];
    if settings.is_empty() {
        return Vec::new();
    }
    let what = if other_is_partial { "not set in the other side's option file" } else { "only there" };
    let shown = top.unwrap_or(usize::MAX).min(settings.len());
    let text = format!("{what}: {} settings", settings.len());
    let mut blocks = vec![Line::toned(side.as_str(), text, Tone::Strong)];
    let row = |setting: &OneSidedSetting| {
        vec![
            GridCell::name(cut_name(&setting.name, width)),
            GridCell::plain(value(&setting.value, width)),
            GridCell::plain(match setting.at_default {
                Some(true) => "default",
                Some(false) => "set",
                None => "",
            }),
            GridCell::plain(setting.why.clone().unwrap_or_default()),
        ]
    };
    let columns = ["setting", "value", DEFAULT, WHY].map(column).to_vec();
    let rows = settings.iter().take(shown).map(row).collect();
    blocks.push(Block::Grid(fitted(Grid { columns, rows, sums: 0 }, width)));
    blocks.extend(left_out(settings.len() - shown));
    blocks
}

fn closing(of: &SettingsDiff) -> Vec<Block> {
    let mut text = format!("{} settings are the same", of.same);
    if of.other_names > 0 {
        text.push_str(&format!(
            "; {} names are other names of settings listed above, or of settings that are the same",
            of.other_names
        ));
    }
    let mut blocks = vec![Line::block("same", text)];
    if !of.folded.is_empty() {
        let parts: Vec<String> =
            of.folded.iter().map(|folded| format!("{} {}", folded.names.len(), folded.what)).collect();
        blocks.push(Line::toned("folded", format!("{}; --all shows them", parts.join(", ")), Tone::Dim));
    }
    blocks
}

#[cfg(test)]
mod tests;
