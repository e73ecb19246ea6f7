//! The sums over time blocks that noise is judged by.
//!
//! Only what one block counts is held at a time, and one coarse block: several fine ones together.

use pdiff_profile::Cell;

use super::cell_rows::{CellRows, StackRows};
use super::packed_rows::PackedRows;
use super::{DenominatorId, RowId};
use crate::findings::Amount;
use crate::noise::{RunBlocks, coarse_blocks, ends_coarse_block};

/// Adds the sums over blocks of cells (sorted by block) to the measures of rows, of which `denominators` has the
/// denominators; gives the blocks of each denominator.
pub(super) fn add_blocks(
    cells: &[Cell],
    cell_rows: &CellRows,
    denominators: &[DenominatorId],
    rows: &mut PackedRows,
) -> Vec<RunBlocks> {
    let mut run = Run { denominator_of: rows.denominators(denominators), blocks: Vec::new() };
    let blocks = cells.chunk_by(|a, b| a.block == b.block).count();
    let (mut fine, mut coarse) = (Block::new(rows.measures.len()), CoarseBlock::new(rows.measures.len()));
    // By distinct stack: several threads may have the same one in a block.
    let mut amounts = vec![Amount::default(); cell_rows.len()];
    let (mut seen, mut of_cells) = (Vec::new(), cell_rows.of_cells());
    for (index, block) in cells.chunk_by(|a, b| a.block == b.block).enumerate() {
        for (cell, stack) in block.iter().zip(&mut of_cells) {
            let sum = &mut amounts[stack];
            if *sum == Amount::default() {
                seen.push(stack);
            }
            sum.add(Amount { weight: cell.weight.0, samples: u64::from(cell.samples) });
        }
        for stack in seen.drain(..) {
            let sum = std::mem::take(&mut amounts[stack]);
            fine.add(sum, &cell_rows.get(stack), denominators, rows);
        }
        fine.flush(&mut run, rows, &mut coarse);
        if ends_coarse_block(index, blocks) {
            coarse.flush(&mut run, rows);
        }
    }
    for of_denominator in &mut run.blocks {
        (of_denominator.blocks, of_denominator.coarse_blocks) = (blocks, coarse_blocks(blocks));
    }
    run.blocks
}

/// A run that is being counted.
struct Run {
    /// By measure.
    denominator_of: Vec<DenominatorId>,
    /// By denominator.
    blocks: Vec<RunBlocks>,
}

/// What one block counts of each measure. Measures are many and those of a block few: these are kept close together, so that
/// counting a frame of a stack touches little memory.
struct Block {
    /// By measure: its place in `weights`, plus one; 0 for measures that the block does not count.
    places: Vec<u32>,
    weights: Vec<(u32, u64)>,
    /// By denominator.
    denominators: Vec<Amount>,
}

impl Block {
    fn new(measures: usize) -> Self {
        Self { places: vec![0; measures], weights: Vec::new(), denominators: Vec::new() }
    }

    fn add(&mut self, sum: Amount, stack: &StackRows<'_>, denominators: &[DenominatorId], rows: &PackedRows) {
        let leaf = &stack.leaf;
        let is_counted = |row: RowId| leaf.is_counted(row, denominators);
        for row in stack.total.iter().filter(|row| is_counted(**row)) {
            self.add_to(rows.places(*row).total.index(), sum.weight);
        }
        let (own, booked) = (rows.places(leaf.own), rows.places(leaf.booked));
        if is_counted(leaf.own) && own.own != own.total {
            self.add_to(own.own.index(), sum.weight);
        }
        let is_told = booked.booked == booked.total || booked.booked == booked.own;
        if is_counted(leaf.booked) && !is_told {
            self.add_to(booked.booked.index(), sum.weight);
        }
        if let Some(denominator) = leaf.denominator {
            at_grown(&mut self.denominators, denominator.index()).add(sum);
        }
    }

    fn add_to(&mut self, measure: Option<usize>, weight: u64) {
        let Some(measure) = measure else { return };
        let place = &mut self.places[measure];
        if *place == 0 {
            self.weights.push((measure as u32, 0));
            *place = u32::try_from(self.weights.len()).expect("fewer than 2^32 measures fit in memory");
        }
        self.weights[*place as usize - 1].1 += weight;
    }

    /// Adds the block to the run and to the coarse block that it is a part of, and empties it.
    fn flush(&mut self, run: &mut Run, rows: &mut PackedRows, coarse: &mut CoarseBlock) {
        for (measure, weight) in self.weights.drain(..) {
            let at = measure as usize;
            self.places[at] = 0;
            let n =
                self.denominators.get(run.denominator_of[at].index()).map_or(0.0, |sum| sum.weight as f64);
            let w = weight as f64;
            let sums = &mut rows.measures[at].blocks;
            sums.w2 += w * w;
            sums.wn += w * n;
            coarse.add(measure, w);
        }
        for (index, sum) in self.denominators.iter_mut().enumerate() {
            let n = sum.weight as f64;
            let denominator = at_grown(&mut run.blocks, index);
            denominator.total += n;
            denominator.samples += sum.samples;
            denominator.sum_n2 += n * n;
            *at_grown(&mut coarse.denominators, index) += n;
            *sum = Amount::default();
        }
    }
}

/// The weights of several blocks together.
struct CoarseBlock {
    /// By measure.
    weights: Vec<f64>,
    touched: Vec<u32>,
    /// By denominator.
    denominators: Vec<f64>,
}

impl CoarseBlock {
    fn new(measures: usize) -> Self {
        Self { weights: vec![0.0; measures], touched: Vec::new(), denominators: Vec::new() }
    }

    fn add(&mut self, measure: u32, weight: f64) {
        let sum = &mut self.weights[measure as usize];
        if *sum == 0.0 {
            self.touched.push(measure);
        }
        *sum += weight;
    }

    /// Adds the block's sums to the run's and empties it.
    fn flush(&mut self, run: &mut Run, rows: &mut PackedRows) {
        for measure in self.touched.drain(..) {
            let at = measure as usize;
            let n = self.denominators.get(run.denominator_of[at].index()).copied().unwrap_or(0.0);
            let w = std::mem::take(&mut self.weights[at]);
            let sums = &mut rows.measures[at].blocks;
            sums.coarse_w2 += w * w;
            sums.coarse_wn += w * n;
        }
        for (index, n) in self.denominators.iter_mut().enumerate() {
            at_grown(&mut run.blocks, index).coarse_sum_n2 += *n * *n;
            *n = 0.0;
        }
    }
}

/// The value at a place of a list, which is made long enough.
fn at_grown<T: Clone + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}
