//! The hot lines of a function, beside its verdict: file and line with weight, the innermost inlined function, and the
//! source text if it is available.

use std::collections::BTreeMap;

use pdiff_analysis::{FunctionLines, HotLine, SourceLine};
use pdiff_profile::{PerSide, Side};
use serde::Serialize;

use crate::document::COLUMN_GAP;
use crate::document::number::fixed;
use crate::document::visible_text::{cut_end, cut_middle, visible, width as columns_of};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Line, Tone};

/// Parts of a path that are shown.
const PATH_PARTS: usize = 2;

/// Columns of an inlined function's name.
const NAME_WIDTH: usize = 36;

/// Columns of source text where the page has no width.
const SOURCE_WIDTH: usize = 80;

/// Fewer columns of source say nothing.
const LEAST_SOURCE: usize = 12;

/// Columns that the two columns of numbers take, with the room behind each.
const NUMBERS_WIDTH: usize = 7 + 7 + 2 * COLUMN_GAP;

/// With less room after the numbers it is not told what stands inlined at a line.
const ROOM_FOR_INLINED: usize = 34;

/// Titles of columns that may go.
const INLINED: &str = "inlined function";
const SOURCE: &str = "source";

/// The text of source lines, as far as it is at hand.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SourceTexts {
    texts: PerSide<BTreeMap<SourceLine, String>>,
}

impl SourceTexts {
    /// Keeps the text of a line of one side's source.
    pub fn insert(&mut self, side: Side, at: SourceLine, text: &str) {
        self.texts[side].insert(at, text.to_owned());
    }

    /// The text of a line.
    pub(crate) fn get(&self, side: Side, at: &SourceLine) -> Option<&str> {
        self.texts[side].get(at).map(String::as_str)
    }
}

/// The lines of one function on both sides, the heaviest `most` of each.
pub(crate) fn blocks(
    of: &FunctionLines,
    texts: &SourceTexts,
    most: usize,
    width: Option<usize>,
) -> Vec<Block> {
    Side::BOTH.into_iter().flat_map(|side| side_blocks(of, side, texts, most, width)).collect()
}

fn side_blocks(
    of: &FunctionLines,
    side: Side,
    texts: &SourceTexts,
    most: usize,
    width: Option<usize>,
) -> Vec<Block> {
    let lines = of.side(side);
    let label = side.as_str();
    if lines.weight.0 == 0 {
        return vec![Line::toned(label, "no sample in its code", Tone::Dim)];
    }
    let unknown_pct = lines.share_pct(lines.without_line);
    if lines.lines.is_empty() {
        let text =
            "the lines of its code are not known: the binary has no debug information, or was not found";
        return vec![Line::toned(label, text, Tone::Dim)];
    }
    let shown = lines.lines.len().min(most);
    let mut title = format!("hot lines, {shown} of {}", lines.lines.len());
    if unknown_pct > 0.0 {
        title.push_str(&format!("; {} % of its samples have no line", fixed(unknown_pct, 1)));
    }
    let row = |line: &HotLine| {
        let inlined = line.inlined.as_ref().map_or_else(String::new, |name| {
            let at = line.called_at.as_ref().map_or_else(String::new, |at| format!(" at {}", short(at)));
            format!("{}{at}", cut_middle(&visible(name), NAME_WIDTH))
        });
        vec![
            GridCell::plain(fixed(lines.share_pct(line.weight), 1)),
            GridCell::plain(line.samples.to_string()),
            GridCell::plain(visible(&short(&line.at))),
            GridCell::plain(inlined),
            GridCell::plain(visible(texts.get(side, &line.at).unwrap_or_default())),
        ]
    };
    let titles = [
        ("share %", Align::Right),
        ("samples", Align::Right),
        ("line", Align::Left),
        (INLINED, Align::Left),
        (SOURCE, Align::Left),
    ];
    let column =
        |(title, align): (&str, Align)| GridColumn { title: [String::new(), title.to_owned()], align };
    let rows = lines.lines.iter().take(shown).map(row).collect();
    let mut grid = Grid { columns: titles.map(column).to_vec(), rows, sums: 0 };
    fit(&mut grid, width);
    vec![Line::toned(label, title, Tone::Strong), Block::Grid(grid)]
}

/// The last parts of the path, and the line.
pub(crate) fn short(at: &SourceLine) -> String {
    let parts: Vec<&str> = at.file.split('/').filter(|part| !part.is_empty()).collect();
    format!("{}:{}", parts[parts.len().saturating_sub(PATH_PARTS)..].join("/"), at.line)
}

/// Cuts places and names, then source, to what the others leave; what has no room, or is not known, goes.
fn fit(grid: &mut Grid, width: Option<usize>) {
    let rest = width.map_or(usize::MAX, |width| width.saturating_sub(NUMBERS_WIDTH));
    let room = if rest < ROOM_FOR_INLINED {
        grid.drop_columns(|title| title == INLINED || title == SOURCE);
        rest
    } else {
        (rest - COLUMN_GAP) / 2
    };
    for cell in grid.rows.iter_mut().flat_map(|row| row.iter_mut().skip(2).take(2)) {
        cell.text = cut_middle(&cell.text, room).into_owned();
    }
    let widest = |at: usize, title: &str| {
        let cells = grid.rows.iter().filter_map(|row| row.get(at));
        cells.map(|cell| columns_of(&cell.text)).max().unwrap_or(0).max(title.len()) + COLUMN_GAP
    };
    let left = rest.saturating_sub(widest(2, "line") + widest(3, INLINED));
    let left = if width.is_some() { left } else { SOURCE_WIDTH };
    let mut has_source = false;
    for cell in grid.rows.iter_mut().filter_map(|row| row.get_mut(4)) {
        cell.text = cut_end(&cell.text, left).into_owned();
        has_source |= !cell.text.is_empty();
    }
    if left < LEAST_SOURCE || !has_source {
        grid.drop_columns(|title| title == SOURCE);
    }
}

/// The lines of one function, for programs.
#[derive(Serialize)]
pub(crate) struct FunctionLinesReport<'a> {
    function: &'a str,
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    before: SideLinesReport<'a>,
    after: SideLinesReport<'a>,
}

#[derive(Serialize)]
struct SideLinesReport<'a> {
    weight: u64,
    without_line_weight: u64,
    lines: Vec<LineReport<'a>>,
}

#[derive(Serialize)]
struct LineReport<'a> {
    file: &'a str,
    line: u32,
    weight: u64,
    samples: u64,
    share_pct: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    called_at: Option<CalledAt<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
}

#[derive(Serialize)]
struct CalledAt<'a> {
    file: &'a str,
    line: u32,
}

impl<'a> FunctionLinesReport<'a> {
    /// The heaviest `most` lines of each side.
    pub(crate) fn new(of: &'a FunctionLines, texts: &'a SourceTexts, most: usize) -> Self {
        let side = |side: Side| {
            let lines = of.side(side);
            let line = |line: &'a HotLine| LineReport {
                file: &line.at.file,
                line: line.at.line,
                weight: line.weight.0,
                samples: line.samples,
                share_pct: lines.share_pct(line.weight),
                inlined: line.inlined.as_deref(),
                called_at: line.called_at.as_ref().map(|at| CalledAt { file: &at.file, line: at.line }),
                source: texts.get(side, &line.at),
            };
            SideLinesReport {
                weight: lines.weight.0,
                without_line_weight: lines.without_line.0,
                lines: lines.lines.iter().take(most).map(line).collect(),
            }
        };
        let (before, after) = (side(Side::Before), side(Side::After));
        let file = of.of.file.as_deref();
        Self { function: &of.of.name, object: &of.of.object, file, before, after }
    }
}
