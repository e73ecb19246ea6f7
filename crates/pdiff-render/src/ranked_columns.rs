//! Columns of a table that may not fit: each has a rank, and the least needed go first.

use pdiff_analysis::ablation::Estimate;

use crate::number::{NONE, signed};
use crate::page::{Align, Block, Grid, GridCell, GridColumn, Tone};
use crate::row_grid::BETWEEN;
use crate::visible_text::{cut_middle, visible, width};

/// Names get this much room.
const MOST_NAME: usize = 34;

/// Columns under construction, all of the same number of rows.
#[derive(Default)]
pub(crate) struct RankedColumns {
    columns: Vec<(u8, GridColumn, Vec<GridCell>)>,
}

impl RankedColumns {
    /// A column of numbers or words; `rank` 0 stays always, higher ones go first where room lacks.
    pub(crate) fn push(&mut self, rank: u8, title: [&str; 2], align: Align, cells: Vec<GridCell>) {
        let title = title.map(|line| visible(line).into_owned());
        self.columns.push((rank, GridColumn { title, align }, cells));
    }

    /// A column of numbers.
    pub(crate) fn numbers(&mut self, rank: u8, title: [&str; 2], cells: impl IntoIterator<Item = String>) {
        self.push(rank, title, Align::Right, cells.into_iter().map(GridCell::plain).collect());
    }

    /// A column of changes; more is better.
    pub(crate) fn changes(
        &mut self,
        rank: u8,
        title: [&str; 2],
        changes: impl IntoIterator<Item = Option<Estimate>>,
        places: usize,
    ) {
        let cells = changes.into_iter().map(|change| change_cell(change, places)).collect();
        self.push(rank, title, Align::Right, cells);
    }

    /// A column of words.
    pub(crate) fn words(&mut self, rank: u8, title: [&str; 2], cells: impl IntoIterator<Item = String>) {
        self.push(rank, title, Align::Left, cells.into_iter().map(GridCell::plain).collect());
    }

    /// A column of names.
    pub(crate) fn names(&mut self, title: [&str; 2], cells: impl IntoIterator<Item = String>) {
        let name = |name: String| GridCell::name(cut_middle(&name, MOST_NAME).into_owned());
        self.push(0, title, Align::Left, cells.into_iter().map(name).collect());
    }

    /// The grid in at most `room` columns of text, as far as ranks allow.
    pub(crate) fn grid(mut self, room: Option<usize>, sums: usize) -> Block {
        let is_empty = |cells: &[GridCell]| cells.iter().all(|cell| cell.text.is_empty());
        self.columns.retain(|(rank, _, cells)| *rank == 0 || !is_empty(cells));
        while room.is_some_and(|room| self.width() > room) {
            let last = self.columns.iter().map(|(rank, _, _)| *rank).max().unwrap_or(0);
            if last == 0 {
                break;
            }
            if let Some(at) = self.columns.iter().rposition(|(rank, _, _)| *rank == last) {
                self.columns.remove(at);
            }
        }
        let count = self.columns.first().map_or(0, |(_, _, cells)| cells.len());
        let row =
            |at: usize| self.columns.iter().filter_map(|(_, _, cells)| cells.get(at).cloned()).collect();
        let rows = (0..count).map(row).collect();
        let columns = self.columns.iter().map(|(_, column, _)| column.clone()).collect();
        Block::Grid(Grid { columns, rows, sums })
    }

    fn width(&self) -> usize {
        let of = |(_, column, cells): &(u8, GridColumn, Vec<GridCell>)| {
            let titles = column.title.iter().map(|line| width(line));
            titles.chain(cells.iter().map(|cell| width(&visible(&cell.text)))).max().unwrap_or(0)
        };
        self.columns.iter().map(of).sum::<usize>() + BETWEEN * self.columns.len().saturating_sub(1)
    }
}

/// A cell of a change that closes or opens the gap.
fn change_cell(estimate: Option<Estimate>, places: usize) -> GridCell {
    let Some(estimate) = estimate else { return GridCell::plain(NONE) };
    let tone = match (estimate.is_beyond_noise(), estimate.value > 0.0) {
        (false, _) => Tone::Plain,
        (true, true) => Tone::Better,
        (true, false) => Tone::Worse,
    };
    GridCell::toned(signed(estimate.value, places), tone)
}
