//! A page as a terminal shows it: lines broken at the width, grids drawn by tabled, colour where it is wanted.

use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::formatting::AlignmentStrategy;
use tabled::settings::object::{Cell, Columns, Object as _};
use tabled::settings::style::{HorizontalLine, Style};
use tabled::settings::themes::Theme;
use tabled::settings::{Alignment, Color, Padding};

use crate::document::COLUMN_GAP;
use crate::document::visible_text::{visible, wrap};
use crate::document::{Align, Block, CommandLine, Grid, Line, Tone};

/// Narrower terminals are taken for this wide: three columns of numbers and names of twelve letters need it.
const LEAST_WIDTH: usize = 40;

/// Where no terminal says a width, lines are broken here and the parts of a change fit; longer tables keep their names.
pub(crate) const LINE_WIDTH: usize = 120;

/// The end of a line of a command that goes on.
const CONTINUED: &str = " \\";

/// A width in which something can be read.
pub(crate) fn readable_width(width: Option<usize>) -> Option<usize> {
    width.map(|width| width.max(LEAST_WIDTH))
}

/// A page as a terminal shows it.
pub(crate) fn draw(page: &[Block], width: Option<usize>, color: bool) -> String {
    let mut text = String::new();
    for block in page {
        match block {
            Block::Gap => text.push('\n'),
            Block::Line(line) => push_line(&mut text, line, width.unwrap_or(LINE_WIDTH), color),
            Block::Command(command) => push_command(&mut text, command, width.unwrap_or(LINE_WIDTH)),
            Block::Grid(grid) => push_grid(&mut text, grid, color),
        }
    }
    text
}

fn push_line(text: &mut String, line: &Line, width: usize, color: bool) {
    let indent = Line::LABEL_WIDTH;
    for (at, part) in wrap(&visible(&line.text), width.saturating_sub(indent)).iter().enumerate() {
        let label = if at == 0 { line.label } else { "" };
        let part = format!("{label:<indent$}{part}");
        text.push_str(&paint(&part, line.tone, color));
        text.push('\n');
    }
}

/// Long commands go on behind a backslash, so that they can be pasted as they are.
fn push_command(text: &mut String, command: &CommandLine, width: usize) {
    let indent = Line::LABEL_WIDTH;
    let room = width.saturating_sub(indent + CONTINUED.len());
    let mut line = String::new();
    let mut label = command.label;
    for word in command.quoted() {
        if !line.is_empty() && line.len() + 1 + word.len() > room {
            text.push_str(&format!("{label:<indent$}{line}{CONTINUED}\n"));
            (label, line) = ("", String::from("  "));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    text.push_str(&format!("{label:<indent$}{line}\n"));
}

fn paint(text: &str, tone: Tone, color: bool) -> String {
    match color.then(|| color_of(tone)).flatten() {
        Some(color) => color.colorize(text),
        None => text.to_owned(),
    }
}

/// Red and blue, not red and green: one reader in twelve cannot distinguish those.
fn color_of(tone: Tone) -> Option<Color> {
    match tone {
        Tone::Plain => None,
        Tone::Strong => Some(Color::BOLD),
        Tone::Dim => Some(Color::FG_BRIGHT_BLACK),
        Tone::Worse => Some(Color::FG_RED),
        Tone::Better => Some(Color::FG_BLUE),
        Tone::Warning => Some(Color::FG_YELLOW),
        Tone::Grave => Some(Color::BOLD | Color::FG_RED),
    }
}

fn push_grid(text: &mut String, grid: &Grid, color: bool) {
    let mut builder = Builder::with_capacity(grid.rows.len() + 1, grid.columns.len());
    let two_lines = grid.columns.iter().any(|column| !column.title[0].is_empty());
    builder.push_record(grid.columns.iter().map(|column| {
        let [top, bottom] = &column.title;
        if two_lines { format!("{top}\n{bottom}") } else { bottom.clone() }
    }));
    for row in &grid.rows {
        builder.push_record(row.iter().map(|cell| visible(&cell.text).into_owned()));
    }
    let mut table = builder.build();
    table
        .with(lines(grid))
        .with(Padding::new(0, 0, 0, 0))
        .with(Alignment::left())
        .with(AlignmentStrategy::PerLine);
    table.modify(Columns::first().inverse(), Padding::new(COLUMN_GAP - 1, 0, 0, 0));
    for (at, column) in grid.columns.iter().enumerate() {
        if column.align == Align::Right {
            table.modify(Columns::one(at), Alignment::right());
        }
    }
    if color {
        paint_cells(&mut table, grid);
    }
    let drawn = table.to_string();
    let titles = if two_lines { 2 } else { 1 };
    let first_sum = drawn.lines().count().saturating_sub(grid.sums);
    for (at, line) in drawn.lines().enumerate() {
        let tone = if at < titles || at >= first_sum { Tone::Strong } else { Tone::Plain };
        text.push_str(&paint(line.trim_end(), tone, color));
        text.push('\n');
    }
}

/// Where there are sums: a rule below the heading and one above the sums.
fn lines(grid: &Grid) -> Theme {
    let mut theme = Theme::from_style(Style::blank());
    if grid.sums > 0 && grid.rows.len() > grid.sums {
        let rule = HorizontalLine::inherit(Style::blank().horizontal('-')).intersection('-');
        theme.insert_horizontal_line(1, rule);
        theme.insert_horizontal_line(grid.rows.len() - grid.sums + 1, rule);
    }
    theme
}

fn paint_cells(table: &mut Table, grid: &Grid) {
    for (row, cells) in grid.rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter(|(_, cell)| !cell.text.is_empty()) {
            if let Some(color) = color_of(cell.tone) {
                table.modify(Cell::new(row + 1, column), color);
            }
        }
    }
}
