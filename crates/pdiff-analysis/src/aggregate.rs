//! Samples to rows: each row's self, self by symbol, inlined self and total weight, and the sums over time blocks that
//! its noise is judged by.
//!
//! Cost: cells x stack depth, once per run. Cells come sorted by block; only one block's weights are held densely.

use pdiff_profile::{Cell, StackId};
use rustc_hash::FxHashMap;

use crate::findings::Amount;
use crate::noise::{RowRun, RunBlocks, coarse_blocks, ends_coarse_block};

/// A row of the comparison.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct RowId(pub(crate) u32);

impl RowId {
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

/// The measures of many rows in little memory. Most functions have two or three measures that are equal or nothing, so each is
/// kept once, and what is nothing is not kept.
#[derive(Clone, PartialEq, Debug, Default)]
struct PackedRows {
    /// By row: where its measures are.
    places: Vec<Places>,
    measures: Vec<Measure>,
    parts: Vec<Part>,
}

/// Where the measures and parts of a row are, counted from 1; 0 for nothing. The chain's part is mostly the one of `booked`: then
/// its place is [`AS_BOOKED`].
#[derive(Clone, Copy, PartialEq, Debug)]
struct Places {
    own: u32,
    booked: u32,
    total: u32,
    inlined: u32,
    chain: u32,
}

/// In the place of a part: what `booked` says.
const AS_BOOKED: u32 = u32::MAX;

impl PackedRows {
    fn new(rows: &[RowMeasures]) -> Self {
        let mut packed = Self { places: Vec::with_capacity(rows.len()), ..Self::default() };
        for row in rows {
            let own = place(&mut packed.measures, row.own);
            let booked = if row.booked == row.own { own } else { place(&mut packed.measures, row.booked) };
            let total = match row.total {
                total if total == row.own => own,
                total if total == row.booked => booked,
                total => place(&mut packed.measures, total),
            };
            let inlined = place(&mut packed.parts, row.inlined);
            let chain =
                if row.chain == row.booked.part() { AS_BOOKED } else { place(&mut packed.parts, row.chain) };
            packed.places.push(Places { own, booked, total, inlined, chain });
        }
        packed.measures.shrink_to_fit();
        packed.parts.shrink_to_fit();
        packed
    }

    fn get(&self, row: usize) -> Option<RowMeasures> {
        let Places { own, booked, total, inlined, chain } = *self.places.get(row)?;
        let [own, booked, total] = [own, booked, total].map(|at| at_place(&self.measures, at));
        let inlined = at_place(&self.parts, inlined);
        let chain = if chain == AS_BOOKED { booked.part() } else { at_place(&self.parts, chain) };
        Some(RowMeasures { own, booked, inlined, total, chain })
    }
}

/// Keeps a value and gives its place; 0 if it is nothing.
fn place<T: Default + PartialEq>(kept: &mut Vec<T>, value: T) -> u32 {
    if value == T::default() {
        return 0;
    }
    kept.push(value);
    u32::try_from(kept.len()).expect("fewer than 2^32 measures fit in memory")
}

fn at_place<T: Copy + Default>(kept: &[T], place: u32) -> T {
    let at = (place as usize).checked_sub(1);
    at.and_then(|at| kept.get(at)).copied().unwrap_or_default()
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

/// The rows that one stack counts for.
#[derive(Clone, Debug)]
pub(crate) struct StackRows {
    /// The innermost function at the leaf.
    pub(crate) own: RowId,
    /// The machine function at the leaf.
    pub(crate) booked: RowId,
    /// The leaf's inline chain: the machine function, then what is inlined there, each once.
    pub(crate) chain: Box<[RowId]>,
    /// The innermost function is inlined there.
    pub(crate) inlined: bool,
    /// All functions, each once.
    pub(crate) total: Box<[RowId]>,
    /// The denominator that the sample counts for, if any.
    pub(crate) denominator: Option<usize>,
}

/// The rows that each cell counts for, each distinct answer once.
pub(crate) struct CellRows {
    distinct: Vec<StackRows>,
    /// By cell.
    of_cell: Vec<u32>,
}

impl CellRows {
    /// Asks `stack_rows` once per thread class and stack.
    pub(crate) fn find(
        cells: &[Cell],
        thread_class: &[u32],
        mut stack_rows: impl FnMut(u32, StackId) -> StackRows,
    ) -> Self {
        let mut memo: FxHashMap<(u32, StackId), u32> = FxHashMap::default();
        let mut distinct = Vec::new();
        let mut number = |cell: &Cell| {
            let class = thread_class.get(cell.thread.index()).copied().unwrap_or(0);
            *memo.entry((class, cell.stack)).or_insert_with(|| {
                distinct.push(stack_rows(class, cell.stack));
                u32::try_from(distinct.len() - 1).expect("fewer than 2^32 stacks fit in memory")
            })
        };
        let of_cell = cells.iter().map(&mut number).collect();
        Self { distinct, of_cell }
    }
}

/// Counts the cells (sorted by block) into so many rows, those that no cell counts for left out at the end. `row_denominator` says
/// which denominator each row is over: shares count a sample only where it is the sample's own.
pub(crate) fn aggregate(
    cells: &[Cell],
    cell_rows: &CellRows,
    rows: usize,
    row_denominator: impl Fn(RowId) -> usize,
) -> RunTable {
    let denominators: Vec<usize> = (0..rows as u32).map(|row| row_denominator(RowId(row))).collect();
    // Room for all rows at once: an array that grows is in memory twice.
    let mut count = Count { rows: Vec::with_capacity(rows), ..Count::default() };
    let blocks = cells.chunk_by(|a, b| a.block == b.block).count();
    let (mut fine, mut coarse) = (Block::new(rows), CoarseBlock::default());
    // By distinct stack: of the block and of the run. Several threads may have the same one in a block.
    let mut of_block = vec![Amount::default(); cell_rows.distinct.len()];
    let mut of_run = of_block.clone();
    let (mut seen, mut of_cells) = (Vec::new(), cell_rows.of_cell.iter());
    for (index, block) in cells.chunk_by(|a, b| a.block == b.block).enumerate() {
        for (cell, stack) in block.iter().zip(&mut of_cells) {
            let sum = &mut of_block[*stack as usize];
            if *sum == Amount::default() {
                seen.push(*stack as usize);
            }
            sum.add(Amount { weight: cell.weight.0, samples: u64::from(cell.samples) });
        }
        for stack in seen.drain(..) {
            let sum = std::mem::take(&mut of_block[stack]);
            fine.add(sum, &cell_rows.distinct[stack], &denominators);
            of_run[stack].add(sum);
        }
        fine.flush(&mut count, &mut coarse, &denominators);
        if ends_coarse_block(index, blocks) {
            coarse.flush(&mut count, &denominators);
        }
    }
    for (rows, sum) in cell_rows.distinct.iter().zip(of_run) {
        count.table.weight += sum.weight;
        count.table.samples += sum.samples;
        for row in rows.chain.iter().filter(|row| **row != rows.booked) {
            *count.table.inlined_in.entry((*row, rows.booked)).or_default() += sum.weight;
        }
    }
    // Where all samples are in one block, it is as large as the run.
    drop((fine, coarse, of_block));
    let Count { rows, mut table } = count;
    for denominator in &mut table.denominators {
        (denominator.blocks, denominator.coarse_blocks) = (blocks, coarse_blocks(blocks));
    }
    RunTable { rows: PackedRows::new(&rows), ..table }
}

impl RunTable {
    pub(crate) fn row(&self, row: RowId) -> RowMeasures {
        self.rows.get(row.index()).unwrap_or_default()
    }

    /// The measures of all rows, in order of their ids.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = RowMeasures> {
        (0..self.rows.places.len()).map(|row| self.rows.get(row).unwrap_or_default())
    }
}

/// A run that is being counted.
#[derive(Default)]
struct Count {
    /// By row.
    rows: Vec<RowMeasures>,
    /// Everything else.
    table: RunTable,
}

impl Count {
    fn row_mut(&mut self, row: RowId) -> &mut RowMeasures {
        at_grown(&mut self.rows, row.index())
    }

    fn denominator_mut(&mut self, index: usize) -> &mut RunBlocks {
        at_grown(&mut self.table.denominators, index)
    }
}

/// What one block counts. Rows are many and those of a block few: these are kept close together, so that counting a frame of a
/// stack touches little memory.
struct Block {
    /// By row: its place in `rows`, plus one; 0 for rows that the block does not count.
    places: Vec<u32>,
    rows: Vec<(RowId, BlockRow)>,
    /// By denominator.
    denominators: Vec<Amount>,
}

/// A row in one block.
#[derive(Clone, Copy, Default)]
struct BlockRow {
    total: BlockMeasure,
    own: BlockMeasure,
    booked: BlockMeasure,
    inlined: Part,
    chain: Part,
}

/// A measure of a row in one block.
#[derive(Clone, Copy, Default)]
struct BlockMeasure {
    all: Amount,
    /// Of the samples that the row's denominator counts.
    counted: Amount,
}

impl BlockMeasure {
    fn add(&mut self, cell: Amount, is_counted: bool) {
        self.all.add(cell);
        if is_counted {
            self.counted.add(cell);
        }
    }
}

impl Part {
    fn add(&mut self, weight: u64, is_counted: bool) {
        self.weight += weight;
        self.counted += if is_counted { weight } else { 0 };
    }

    fn add_part(&mut self, other: Self) {
        self.weight += other.weight;
        self.counted += other.counted;
    }
}

impl Block {
    fn new(rows: usize) -> Self {
        Self { places: vec![0; rows], rows: Vec::new(), denominators: Vec::new() }
    }

    fn add(&mut self, sum: Amount, rows: &StackRows, denominators: &[usize]) {
        let counts = |row: RowId| rows.denominator == Some(denominators[row.index()]);
        for row in &rows.total {
            self.row_mut(*row).total.add(sum, counts(*row));
        }
        let own = self.row_mut(rows.own);
        own.own.add(sum, counts(rows.own));
        if rows.inlined {
            own.inlined.add(sum.weight, counts(rows.own));
        }
        self.row_mut(rows.booked).booked.add(sum, counts(rows.booked));
        for row in &rows.chain {
            self.row_mut(*row).chain.add(sum.weight, counts(*row));
        }
        if let Some(index) = rows.denominator {
            at_grown(&mut self.denominators, index).add(sum);
        }
    }

    fn row_mut(&mut self, row: RowId) -> &mut BlockRow {
        let place = &mut self.places[row.index()];
        if *place == 0 {
            self.rows.push((row, BlockRow::default()));
            *place = u32::try_from(self.rows.len()).expect("fewer than 2^32 rows fit in memory");
        }
        &mut self.rows[*place as usize - 1].1
    }

    /// Adds the block to the run and to the coarse block that it is a part of, and empties it.
    fn flush(&mut self, count: &mut Count, coarse: &mut CoarseBlock, denominators: &[usize]) {
        for (row, block) in self.rows.drain(..) {
            self.places[row.index()] = 0;
            let n = self.denominators.get(denominators[row.index()]).map_or(0.0, |sum| sum.weight as f64);
            let measures = count.row_mut(row);
            measures.inlined.add_part(block.inlined);
            measures.chain.add_part(block.chain);
            let of_measures = [
                (&mut measures.own, block.own),
                (&mut measures.booked, block.booked),
                (&mut measures.total, block.total),
            ];
            for (measure, BlockMeasure { all, counted }) in of_measures {
                measure.weight += all.weight;
                measure.samples += all.samples;
                measure.counted += counted.weight;
                measure.counted_samples += counted.samples;
                let w = counted.weight as f64;
                measure.blocks.w2 += w * w;
                measure.blocks.wn += w * n;
            }
            coarse.add(row, [block.own, block.booked, block.total].map(|of| of.counted.weight as f64));
        }
        for (index, sum) in self.denominators.iter_mut().enumerate() {
            let n = sum.weight as f64;
            let denominator = count.denominator_mut(index);
            denominator.total += n;
            denominator.samples += sum.samples;
            denominator.sum_n2 += n * n;
            *at_grown(&mut coarse.denominators, index) += n;
            *sum = Amount::default();
        }
    }
}

/// The weights of several blocks together: own, booked and total by row, and by denominator.
#[derive(Default)]
struct CoarseBlock {
    rows: Vec<[f64; 3]>,
    touched: Vec<RowId>,
    denominators: Vec<f64>,
}

impl CoarseBlock {
    fn add(&mut self, row: RowId, weights: [f64; 3]) {
        let entry = at_grown(&mut self.rows, row.index());
        if *entry == [0.0; 3] {
            self.touched.push(row);
        }
        entry.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
    }

    /// Adds the block's sums to the run's and empties it.
    fn flush(&mut self, count: &mut Count, denominators: &[usize]) {
        for row in self.touched.drain(..) {
            let n = self.denominators.get(denominators[row.index()]).copied().unwrap_or(0.0);
            let weights = std::mem::take(&mut self.rows[row.index()]);
            let measures = count.row_mut(row);
            let measures = [&mut measures.own, &mut measures.booked, &mut measures.total];
            for (measure, w) in measures.into_iter().zip(weights) {
                measure.blocks.coarse_w2 += w * w;
                measure.blocks.coarse_wn += w * n;
            }
        }
        for (index, n) in self.denominators.iter_mut().enumerate() {
            count.denominator_mut(index).coarse_sum_n2 += *n * *n;
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
