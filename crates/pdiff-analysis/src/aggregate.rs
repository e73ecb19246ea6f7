//! Samples to rows: each row's self, self by symbol, inlined self and total weight, and the sums over time blocks that
//! its noise is judged by.
//!
//! Cost: distinct stacks x depth, once per run and once per block that has them. Cells come sorted by block.

mod blocks;
mod cell_rows;
mod packed_rows;

use pdiff_profile::Cell;
use rustc_hash::FxHashMap;

pub(crate) use self::cell_rows::{CellRows, LeafRows, RowLists};
use self::packed_rows::PackedRows;
use crate::findings::Amount;
use crate::noise::{RowRun, RunBlocks};

/// A row of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowId(pub(crate) u32);

impl RowId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What shares of rows are of: all samples, or those of an object or a group of threads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct DenominatorId(u32);

impl DenominatorId {
    /// The one of all samples, where there is no other.
    pub(crate) const ALL: Self = Self(0);
    /// Of rows that have none.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// By index.
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 denominators fit in memory"))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One measure of one row in one run: weight, and its sums over time blocks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Measure {
    pub(crate) weight: u64,
    pub(crate) samples: u64,
    /// The part of `weight` in samples that the row's denominator counts: shares are of it.
    pub(crate) counted: u64,
    /// Those samples: the noise of a share is theirs.
    pub(crate) counted_samples: u64,
    pub(crate) blocks: BlockSums,
}

/// A weight, and the part of it in samples that the row's denominator counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Part {
    pub(crate) weight: u64,
    pub(crate) counted: u64,
}

/// Sums over blocks of w_b squared and of w_b times the denominator's n_b, for fine and coarse blocks.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct BlockSums {
    w2: f64,
    wn: f64,
    coarse_w2: f64,
    coarse_wn: f64,
}

impl Measure {
    /// Its weight alone.
    fn part(&self) -> Part {
        Part { weight: self.weight, counted: self.counted }
    }

    /// The row in the form that the noise stage needs.
    pub(crate) fn row_run(&self) -> RowRun {
        RowRun {
            weight: self.counted as f64,
            samples: self.counted_samples,
            sum_w2: self.blocks.w2,
            sum_wn: self.blocks.wn,
            coarse_sum_w2: self.blocks.coarse_w2,
            coarse_sum_wn: self.blocks.coarse_wn,
        }
    }
}

/// The measures of one row in one run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct RowMeasures {
    /// Innermost function at the leaf.
    pub(crate) own: Measure,
    /// Machine function at the leaf.
    pub(crate) booked: Measure,
    /// The part of `own` where the row was an inlined instance.
    pub(crate) inlined: Part,
    /// Anywhere in the stack, once per stack.
    pub(crate) total: Measure,
    /// Anywhere in the leaf's inline chain, once.
    pub(crate) chain: Part,
}

/// Rows and denominators of one run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct RunTable {
    rows: PackedRows,
    /// By denominator.
    pub(crate) denominators: Vec<RunBlocks>,
    /// Weight of all samples.
    pub(crate) weight: u64,
    /// Number of all samples.
    pub(crate) samples: u64,
    /// Weight of leaves where the first row's function stands inlined in the second row's machine function.
    pub(crate) inlined_in: FxHashMap<(RowId, RowId), u64>,
}

/// Counts the cells (sorted by block) into so many rows. `row_denominator` says which denominator each row is over: shares
/// count a sample only where it is the sample's own.
pub(crate) fn aggregate(
    cells: &[Cell],
    cell_rows: &CellRows,
    rows: usize,
    row_denominator: impl Fn(RowId) -> DenominatorId,
) -> RunTable {
    let denominators: Vec<DenominatorId> = (0..rows as u32).map(|row| row_denominator(RowId(row))).collect();
    let mut amounts = vec![Amount::default(); cell_rows.len()];
    for (cell, stack) in cells.iter().zip(cell_rows.of_cells()) {
        amounts[stack].add(Amount { weight: cell.weight.0, samples: u64::from(cell.samples) });
    }
    let mut table =
        RunTable { rows: PackedRows::of_stacks(cell_rows, &amounts, &denominators), ..RunTable::default() };
    for (stack, sum) in cell_rows.iter().zip(amounts) {
        table.weight += sum.weight;
        table.samples += sum.samples;
        for row in stack.chain.iter().filter(|row| **row != stack.leaf.booked) {
            *table.inlined_in.entry((*row, stack.leaf.booked)).or_default() += sum.weight;
        }
    }
    table.denominators = blocks::add_blocks(cells, cell_rows, &denominators, &mut table.rows);
    table
}

impl RunTable {
    pub(crate) fn row(&self, row: RowId) -> RowMeasures {
        self.rows.get(row.index()).unwrap_or_default()
    }

    /// The measures of all rows, in order of their ids.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = RowMeasures> {
        (0..self.rows.len()).map(|row| self.rows.get(row).unwrap_or_default())
    }
}
