//! Columns of a table that may not fit: each has a rank, and the least needed go first.

use std::ops::RangeBounds;

use pdiff_study::ablation::Estimate;

use crate::document::COLUMN_GAP;
use crate::document::number::{NONE, signed};
use crate::document::visible_text::{cut_middle, visible, width};
use crate::document::{Align, Block, Grid, GridCell, GridColumn, Tone};

/// Names get this much room.
const MOST_NAME: usize = 34;

/// Names keep this much room however narrow the terminal.
const LEAST_NAME: usize = 8;

/// Titles of numbers keep this much.
const LEAST_TITLE: usize = 8;

/// The rank of columns that go only where there is too little room with titles and names cut to the least.
pub(crate) const SPARE: u8 = u8::MAX;

/// Columns under construction, all of the same number of rows.
#[derive(Default)]
pub(crate) struct RankedColumns {
    columns: Vec<(u8, GridColumn, Vec<GridCell>)>,
}

impl RankedColumns {
    /// A column of numbers or words; `rank` 0 stays always, higher ones go first where room lacks, [`SPARE`] ones last.
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
        if let Some(room) = room {
            while self.width() > room && self.drop_last(1..SPARE) {}
            while self.width_with(LEAST_TITLE, LEAST_NAME) > room && self.drop_last(SPARE..=SPARE) {}
            self.cut(room);
        }
        let count = self.columns.first().map_or(0, |(_, _, cells)| cells.len());
        let row =
            |at: usize| self.columns.iter().filter_map(|(_, _, cells)| cells.get(at).cloned()).collect();
        let rows = (0..count).map(row).collect();
        let columns = self.columns.iter().map(|(_, column, _)| column.clone()).collect();
        Block::Grid(Grid { columns, rows, sums })
    }

    /// Takes away the last column of the highest of these ranks; whether there was one.
    fn drop_last(&mut self, ranks: impl RangeBounds<u8>) -> bool {
        let of_columns = self.columns.iter().map(|(rank, _, _)| *rank);
        let Some(last) = of_columns.filter(|rank| ranks.contains(rank)).max() else { return false };
        let at = self.columns.iter().rposition(|(rank, _, _)| *rank == last);
        at.map(|at| self.columns.remove(at)).is_some()
    }

    /// Cuts titles above numbers where there is still too little room, then names; words and numbers stay whole.
    fn cut(&mut self, room: usize) {
        if self.width() <= room {
            return;
        }
        let titles = self.columns.iter().flat_map(|(_, column, _)| &column.title);
        let longest = titles.map(|line| width(line)).max().unwrap_or(0);
        let title = (LEAST_TITLE..=longest).rev().find(|title| self.width_with(*title, MOST_NAME) <= room);
        let title = title.unwrap_or(LEAST_TITLE);
        let name = (LEAST_NAME..=MOST_NAME).rev().find(|name| self.width_with(title, *name) <= room);
        let name = name.unwrap_or(LEAST_NAME);
        for (_, column, cells) in &mut self.columns {
            for line in column.title.iter_mut().filter(|_| column.align == Align::Right) {
                *line = cut_middle(line, title).into_owned();
            }
            for cell in cells.iter_mut().filter(|cell| cell.is_name) {
                cell.text = cut_middle(&visible(&cell.text), name).into_owned();
            }
        }
    }

    fn width(&self) -> usize {
        self.width_with(usize::MAX, usize::MAX)
    }

    /// What it would take with titles above numbers, and names, of at most these widths.
    fn width_with(&self, most_title: usize, most_name: usize) -> usize {
        let of = |(_, column, cells): &(u8, GridColumn, Vec<GridCell>)| {
            let most_title = if column.align == Align::Right { most_title } else { usize::MAX };
            let titles = column.title.iter().map(|line| width(line).min(most_title));
            let cell = |cell: &GridCell| {
                width(&visible(&cell.text)).min(if cell.is_name { most_name } else { usize::MAX })
            };
            titles.chain(cells.iter().map(cell)).max().unwrap_or(0)
        };
        self.columns.iter().map(of).sum::<usize>() + COLUMN_GAP * self.columns.len().saturating_sub(1)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_needed_columns_go_then_titles_and_names_are_cut_and_numbers_stay_whole() {
        let grid = |room: usize| {
            let mut columns = RankedColumns::default();
            columns.numbers(1, ["", "runs"], ["12345".to_owned()]);
            columns.numbers(0, ["5.7-built-by-others", "self %"], ["-100.00".to_owned()]);
            columns.words(0, ["", "arrived in"], ["5.6..5.7".to_owned()]);
            columns.names(["", "function"], ["cmp_dtuple_rec_with_match_low".to_owned()]);
            columns.grid(Some(room), 0)
        };
        let check = |room: usize, titles: &[&str], cells: &[&str]| {
            let Block::Grid(grid) = grid(room) else { panic!("no grid") };
            let tops: Vec<String> = grid.columns.iter().map(|column| column.title.concat()).collect();
            assert_eq!(tops, titles, "{room}");
            assert_eq!(
                grid.rows[0].iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>(),
                cells,
                "{room}"
            );
        };
        let whole = "5.7-built-by-othersself %";
        let name = "cmp_dtuple_rec_with_match_low";
        check(80, &["runs", whole, "arrived in", "function"], &["12345", "-100.00", "5.6..5.7", name]);
        check(64, &[whole, "arrived in", "function"], &["-100.00", "5.6..5.7", name]);
        check(56, &["5.7-..-othersself %", "arrived in", "function"], &["-100.00", "5.6..5.7", name]);
        let cut = &["5..hersself %", "arrived in", "function"];
        check(34, cut, &["-100.00", "5.6..5.7", "cmp_..ch_low"]);
        check(10, cut, &["-100.00", "5.6..5.7", "cm.._low"]);
    }

    #[test]
    fn spare_columns_go_where_cutting_titles_and_names_does_not_help() {
        let titles = |room: usize| {
            let mut columns = RankedColumns::default();
            for (rank, build) in [(0, "first-of-the-builds"), (SPARE, "second-of-the-builds"), (0, "third")] {
                columns.numbers(rank, ["", build], ["1.00".to_owned()]);
            }
            columns.numbers(1, ["", "runs"], ["3".to_owned()]);
            columns.names(["", "workload"], ["point-queries".to_owned()]);
            let Block::Grid(grid) = columns.grid(Some(room), 0) else { panic!("no grid") };
            grid.columns.into_iter().map(|column| column.title[1].clone()).collect::<Vec<_>>()
        };
        let whole = ["first-of-the-builds", "second-of-the-builds", "third", "runs", "workload"];
        assert_eq!(titles(75), whole);
        assert_eq!(titles(36), ["fi..ilds", "se..ilds", "third", "workload"]);
        assert_eq!(titles(34), ["firs..builds", "third", "workload"]);
    }
}
