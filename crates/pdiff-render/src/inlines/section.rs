//! One section a change: its functions with instances, sizes and callers, most telling first.
//!
//! Lost, gained and mixed functions stand by confirmed call sites, then by inlined instances; new and gone ones by
//! size, those that only grew or shrank by the change of it.

use std::cmp::Reverse;

use pdiff_analysis::inlines::{Change, FunctionComparison, InlineComparison};
use pdiff_analysis::matching::{FoundBy, SourceMove};
use pdiff_profile::Side;
use pdiff_profile::census::Function;

use crate::document::COLUMN_GAP;
use crate::document::number::{NONE, fixed, grouped, signed};
use crate::document::short_name::shorten;
use crate::document::visible_text::{cut_end, visible, width};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line};
use crate::inlines::callers::callers_text;
use crate::inlines::heading::meaning;
use crate::inlines::view::InlinesView;
use crate::inlines::why;

/// Changes that have a section, in order of what they tell on inlining.
pub(crate) const ORDER: [Change; 7] =
    [Change::Lost, Change::Gained, Change::Mixed, Change::New, Change::Gone, Change::Grew, Change::Shrank];

/// Names get this much room where there is no width to keep.
const MOST_NAME: usize = 90;

/// Callers get this much room where there is no width to keep.
const MOST_CALLERS: usize = 160;

/// Names get at least this much room, however narrow the terminal.
const LEAST_NAME: usize = 12;

/// In less width than this it is not said where the source went.
const ROOM_FOR_SOURCE: usize = 90;

/// In less width than this there are no sizes beside instances.
const ROOM_FOR_BYTES: usize = 72;

/// In less room than this, callers are left out.
const LEAST_CALLERS: usize = 24;

/// Between a name and what the function was called before.
pub(crate) const CALLED_BEFORE: &str = " <- ";

/// The same, where the pair was found by similarity and may be none.
pub(crate) const BY_LIKENESS: &str = " <~ ";

/// A row and its numbers.
struct Entry<'a> {
    row: &'a FunctionComparison,
    before: Option<Function<'a>>,
    after: Option<Function<'a>>,
}

impl<'a> Entry<'a> {
    fn new(comparison: &InlineComparison<'a>, row: &'a FunctionComparison) -> Self {
        Self {
            row,
            before: comparison.function(row, Side::Before),
            after: comparison.function(row, Side::After),
        }
    }

    /// As of [`InlineComparison::named`]. It may have to be made, so it is asked of few.
    fn name(&self) -> &'a str {
        self.after.or(self.before).map_or("", Function::name)
    }

    /// Its name, and what it was called before where that is another one.
    fn title(&self) -> String {
        let name = self.name();
        let old_name = self.before.map(Function::name).filter(|old_name| *old_name != name);
        match (old_name, self.row.matched) {
            (Some(old_name), Some(found)) if found.level == FoundBy::Fuzzy => {
                format!("{name}{BY_LIKENESS}{old_name}")
            }
            (Some(old_name), _) => format!("{name}{CALLED_BEFORE}{old_name}"),
            (None, _) => name.to_owned(),
        }
    }

    fn on(&self, side: Side) -> Option<Function<'a>> {
        match side {
            Side::Before => self.before,
            Side::After => self.after,
        }
    }

    fn bytes(&self) -> (u64, u64) {
        (self.before.map_or(0, Function::code_bytes), self.after.map_or(0, Function::code_bytes))
    }

    fn inlined(&self) -> u64 {
        self.before.map_or(0, Function::inlined_instances) + self.after.map_or(0, Function::inlined_instances)
    }

    fn confirmed_sites(&self) -> u64 {
        self.row.confirmed_lost.iter().chain(&self.row.confirmed_gained).map(|flip| flip.sites).sum()
    }

    /// The order of rows; larger comes first.
    fn weight(&self) -> (u64, u64) {
        let (before, after) = self.bytes();
        match self.row.change {
            Change::Lost | Change::Gained | Change::Mixed => (self.confirmed_sites(), self.inlined()),
            Change::New | Change::Gone => (before + after, self.inlined()),
            _ => (before.abs_diff(after), self.inlined()),
        }
    }
}

/// The section of a change, of its rows; empty where no function has it.
pub(crate) fn blocks(
    view: &InlinesView<'_>,
    change: Change,
    rows: &[&FunctionComparison],
    top: Option<usize>,
    width: Option<usize>,
) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let count = rows.len();
    let entries = heaviest(rows.iter().map(|row| Entry::new(view.comparison, row)), top.unwrap_or(count));
    let shown = match count - entries.len() {
        0 => String::new(),
        _ => format!("; {} shown, JSON has all", grouped(entries.len() as u64)),
    };
    let text = format!("{}: {}{shown}", grouped(count as u64), meaning(change));
    let mut blocks =
        vec![Line::block(change.as_str(), text), Block::Grid(grid(view.comparison, change, &entries, width))];
    blocks.extend(entries.iter().flat_map(|entry| why::lines(view, entry.row)));
    blocks
}

/// The first `count` entries, heaviest first, equally heavy ones by name.
fn heaviest<'a>(entries: impl Iterator<Item = Entry<'a>>, count: usize) -> Vec<Entry<'a>> {
    let mut weighed: Vec<((u64, u64), Entry<'a>)> = entries.map(|entry| (entry.weight(), entry)).collect();
    // Names are asked only of those that may be among the first.
    if let Some(last) = count.checked_sub(1).filter(|last| *last < weighed.len()) {
        let (_, last, _) = weighed.select_nth_unstable_by_key(last, |(weight, _)| Reverse(*weight));
        let least = last.0;
        weighed.retain(|(weight, _)| *weight >= least);
    }
    weighed.sort_by_cached_key(|(weight, entry)| {
        (Reverse(*weight), entry.name(), entry.row.before, entry.row.after)
    });
    weighed.truncate(count);
    weighed.into_iter().map(|(_, entry)| entry).collect()
}

/// One column with its cells.
struct Column(GridColumn, Vec<GridCell>);

fn grid(
    comparison: &InlineComparison<'_>,
    change: Change,
    entries: &[Entry<'_>],
    width: Option<usize>,
) -> Grid {
    let numbers = number_columns(change, entries, width.unwrap_or(usize::MAX));
    let taken: usize = numbers.iter().map(|column| taken(column) + COLUMN_GAP).sum();
    let room = width.map(|width| width.saturating_sub(taken));
    let names: Vec<String> = entries.iter().map(|entry| visible(&entry.title()).into_owned()).collect();
    let longest = names.iter().map(|name| self::width(name)).max().unwrap_or(0);
    let callers_room = match room {
        None => MOST_CALLERS,
        Some(room) => room.saturating_sub(longest.clamp(LEAST_NAME, (room / 2).max(LEAST_NAME)) + COLUMN_GAP),
    };
    let has_callers = callers_room >= LEAST_CALLERS && !matches!(change, Change::Grew | Change::Shrank);
    let name_room = match (room, has_callers) {
        (None, _) => MOST_NAME,
        (Some(room), true) => room.saturating_sub(callers_room + COLUMN_GAP).max(LEAST_NAME),
        (Some(room), false) => room.max(LEAST_NAME),
    };
    let mut columns = vec![Column(
        title("", "function", Align::Left),
        names.iter().map(|name| GridCell::name(shorten(name, name_room).into_owned())).collect(),
    )];
    columns.extend(numbers);
    if has_callers {
        let text = |entry: &Entry<'_>| callers_text(comparison, entry.row, callers_room);
        let cell = |entry| GridCell::plain(cut_end(&text(entry), callers_room).into_owned());
        columns.push(Column(title("", "callers (sites)", Align::Left), entries.iter().map(cell).collect()));
    }
    into_grid(columns, entries.len())
}

fn taken(Column(heading, cells): &Column) -> usize {
    let cells = cells.iter().map(|cell| width(&cell.text));
    cells.chain(heading.title.iter().map(|title| width(title))).max().unwrap_or(0)
}

fn into_grid(columns: Vec<Column>, rows: usize) -> Grid {
    let (headings, cells): (Vec<GridColumn>, Vec<Vec<GridCell>>) =
        columns.into_iter().map(|Column(heading, cells)| (heading, cells)).unzip();
    let row = |at: usize| cells.iter().map(|column| column.get(at).cloned().unwrap_or_default()).collect();
    Grid { columns: headings, rows: (0..rows).map(row).collect(), sums: 0 }
}

fn title(top: &str, bottom: &str, align: Align) -> GridColumn {
    GridColumn { title: [top.to_owned(), bottom.to_owned()], align }
}

fn number_columns(change: Change, entries: &[Entry<'_>], width: usize) -> Vec<Column> {
    let column = |align, [top, bottom]: [&str; 2], text: &dyn Fn(&Entry<'_>) -> String| {
        let cells = entries.iter().map(|entry| GridCell::plain(text(entry))).collect();
        Column(title(top, bottom, align), cells)
    };
    let of = |what: &'static str, side: Side, number: fn(Function<'_>) -> Option<u64>| {
        let text = move |entry: &Entry<'_>| match entry.on(side).and_then(number) {
            Some(number) => grouped(number),
            None => NONE.to_owned(),
        };
        column(Align::Right, [what, side.as_str()], &text)
    };
    let inlined = |side| of("inlined", side, |function| Some(function.inlined_instances()));
    let bytes = |side| of("bytes", side, |function| Some(function.code_bytes()).filter(|bytes| *bytes > 0));
    let both = || Side::BOTH.map(inlined).into_iter();
    let sizes = || Side::BOTH.map(bytes).into_iter();
    match change {
        Change::Lost | Change::Gained | Change::Mixed => {
            let sites = |entry: &Entry<'_>| grouped(entry.confirmed_sites());
            let source = |entry: &Entry<'_>| source_words(entry.row.source).to_owned();
            let sizes = sizes().filter(|_| width >= ROOM_FOR_BYTES);
            let sites = [column(Align::Right, ["confirmed", "sites"], &sites)];
            let source = [column(Align::Left, ["", "source"], &source)];
            let source = source.into_iter().filter(|_| width >= ROOM_FOR_SOURCE);
            both().chain(sizes).chain(sites).chain(source).collect()
        }
        Change::New => vec![inlined(Side::After), bytes(Side::After)],
        Change::Gone => vec![inlined(Side::Before), bytes(Side::Before)],
        _ => {
            let change = [column(Align::Right, ["bytes", "change %"], &change_pct)];
            both().filter(|_| width >= ROOM_FOR_BYTES).chain(sizes()).chain(change).collect()
        }
    }
}

fn change_pct(entry: &Entry<'_>) -> String {
    let (before, after) = entry.bytes();
    if before == 0 { fixed(f64::NAN, 0) } else { signed(100.0 * (after as f64 / before as f64 - 1.0), 0) }
}

/// Who decided: in the same file, the compiler.
fn source_words(source: SourceMove) -> &'static str {
    match source {
        SourceMove::Stayed => "same file",
        SourceMove::HeaderToSource => "header -> source",
        SourceMove::SourceToHeader => "source -> header",
        SourceMove::OtherFile => "other file",
        SourceMove::Unknown => NONE,
    }
}
