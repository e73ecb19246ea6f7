//! The rows as a grid that fits the width: columns go first, then names are shortened; rows never break.

use std::collections::BTreeMap;

use pdiff_analysis::{Comparison, Row};

use crate::compare::row_field::Field;
use crate::compare::row_order::Chosen;
use crate::document::COLUMN_GAP;
use crate::document::number::{CostUnit, grouped};
use crate::document::short_name::shorten;
use crate::document::visible_text::{cut_middle, visible, width};
use crate::document::{Grid, GridCell, GridColumn};

/// Names get at least this much room before other columns do.
const LEAST_NAME: usize = 26;

/// Names get this much room however narrow the terminal, for which marks go, then intervals, then what was before.
const MIN_NAME: usize = 12;

/// How the sum of the rows that are not shown begins; it goes where there is no room for it.
const REST: &str = "... and ";

/// Objects and thread groups are cut to this.
const MOST_OBJECT: usize = 18;

/// Thread groups are cut to this in less than [`ROOMY`] columns.
const MOST_GROUP: usize = 10;

/// From so many columns on nothing that distinguishes rows is cut short.
const ROOMY: usize = 80;

/// One column with its cells: rows, then sums.
struct Column {
    field: Field,
    heading: GridColumn,
    cells: Vec<GridCell>,
}

/// The rows shown, the sum of the others, and the total.
pub(crate) fn grid(comparison: &Comparison, chosen: &Chosen<'_>, most: Option<usize>) -> Grid {
    let unit = cost_unit(comparison);
    let most_group = if most.is_some_and(|most| most < ROOMY) { MOST_GROUP } else { MOST_OBJECT };
    let column = |field: Field| Column::new(field, comparison, chosen, unit).cut(most_group);
    let mut columns: Vec<Column> = Field::of(comparison, &chosen.shown).into_iter().map(&column).collect();
    if let Some(most) = most {
        drop_columns(&mut columns, most, column);
        name_objects(&mut columns, &chosen.shown);
        let others: usize =
            columns.iter().filter(|column| column.field != Field::Name).map(Column::taken).sum();
        let room = most.saturating_sub(others).max(MIN_NAME);
        for column in columns.iter_mut().filter(|column| column.field == Field::Name) {
            for cell in &mut column.cells {
                let short =
                    cell.text.strip_prefix(REST).filter(|_| !cell.is_name && width(&cell.text) > room);
                cell.text = short.map_or_else(|| shorten(&cell.text, room).into_owned(), str::to_owned);
            }
        }
    }
    into_grid(columns, if chosen.rest.is_empty() { 1 } else { 2 })
}

/// The unit of the costs of rows.
fn cost_unit(comparison: &Comparison) -> CostUnit {
    comparison.cost.as_ref().map_or_else(|| CostUnit::of_total(0.0, true), CostUnit::of).for_parts()
}

impl Column {
    fn new(field: Field, comparison: &Comparison, chosen: &Chosen<'_>, unit: CostUnit) -> Self {
        let mut cells: Vec<GridCell> = chosen.shown.iter().map(|row| field.cell(row, unit)).collect();
        let all: Vec<&Row> = comparison.rows.iter().collect();
        let rest = format!("{REST}{} more", grouped(chosen.rest.len() as u64));
        let sums = [(rest, &chosen.rest), ("TOTAL".to_owned(), &all)];
        for (title, rows) in sums.into_iter().filter(|(_, rows)| !rows.is_empty()) {
            cells.push(match field {
                Field::Name => GridCell::plain(title),
                _ => field.sum(rows, comparison.share, unit),
            });
        }
        for cell in &mut cells {
            cell.text = visible(&cell.text).into_owned();
        }
        Self { field, heading: field.column(comparison, unit), cells }
    }

    /// Objects and thread groups cut short, so that names have room.
    fn cut(mut self, most_group: usize) -> Self {
        let most = match self.field {
            Field::Object => MOST_OBJECT,
            Field::ThreadGroup => most_group,
            _ => return self,
        };
        for cell in &mut self.cells {
            cell.text = cut_middle(&cell.text, most).into_owned();
        }
        self
    }

    fn width(&self) -> usize {
        let titles = self.heading.title.iter().map(String::as_str);
        titles.chain(self.cells.iter().map(|cell| cell.text.as_str())).map(width).max().unwrap_or(0)
    }

    /// Its width and the room beside it.
    fn taken(&self) -> usize {
        self.width() + COLUMN_GAP
    }

    /// The width that it takes if names are cut to `name` characters.
    fn needed(&self, name: usize) -> usize {
        if self.field == Field::Name { self.width().min(name) } else { self.taken() }
    }
}

/// Takes columns away until names have room.
fn drop_columns(columns: &mut Vec<Column>, most: usize, column: impl Fn(Field) -> Column) {
    while let Some(next) = columns.iter().filter_map(|column| column.field.dropped_at()).min() {
        let name = if Some(next) >= Field::Marks.dropped_at() { MIN_NAME } else { LEAST_NAME };
        if columns.iter().map(|column| column.needed(name)).sum::<usize>() <= most {
            break;
        }
        let kept = |field: Field| match field {
            Field::Interval if field.dropped_at() == Some(next) => Some(Field::HalfInterval),
            _ => (field.dropped_at() != Some(next)).then_some(field),
        };
        *columns = columns.iter().filter_map(|old| kept(old.field)).map(&column).collect();
    }
}

/// Where the column of objects had to go, names that are in several objects say which.
fn name_objects(columns: &mut [Column], rows: &[&Row]) {
    if columns.iter().any(|column| column.field == Field::Object) {
        return;
    }
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for row in rows {
        *count.entry(&row.name).or_default() += 1;
    }
    let twice = |row: &Row| count.get(&*row.name).is_some_and(|count| *count > 1) && !row.object.is_empty();
    for column in columns.iter_mut().filter(|column| column.field == Field::Name) {
        for (cell, row) in column.cells.iter_mut().zip(rows).filter(|(_, row)| twice(row)) {
            cell.text = format!("{} ({})", cell.text, cut_middle(&visible(&row.object), MOST_OBJECT));
        }
    }
}

/// Columns side by side.
fn into_grid(columns: Vec<Column>, sums: usize) -> Grid {
    let mut grid = Grid { columns: Vec::new(), rows: Vec::new(), sums };
    for column in columns {
        grid.rows.resize_with(column.cells.len(), Vec::new);
        grid.columns.push(column.heading);
        for (row, cell) in grid.rows.iter_mut().zip(column.cells) {
            row.push(cell);
        }
    }
    grid
}
