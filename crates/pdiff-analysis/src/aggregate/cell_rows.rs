//! The rows that each cell counts for, each distinct answer once.

use pdiff_profile::{Cell, StackId};
use rustc_hash::FxHashMap;

use super::{DenominatorId, RowId};

/// The rows that one stack counts for.
#[derive(Clone, Copy, Debug)]
pub(super) struct StackRows<'a> {
    pub(super) leaf: LeafRows,
    /// The leaf's inline chain: the machine function, then what is inlined there, each once.
    pub(super) chain: &'a [RowId],
    /// All functions, each once.
    pub(super) total: &'a [RowId],
}

/// The rows that the leaf of a stack counts for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafRows {
    /// The innermost function.
    pub(crate) own: RowId,
    /// The machine function.
    pub(crate) booked: RowId,
    /// The innermost function is inlined there.
    pub(crate) inlined: bool,
    /// The denominator that the sample counts for, if any.
    pub(crate) denominator: Option<DenominatorId>,
}

impl LeafRows {
    /// Whether a row's share counts the stack: whether it is over the denominator that the stack is in.
    pub(super) fn is_counted(&self, row: RowId, denominators: &[DenominatorId]) -> bool {
        self.denominator == Some(denominators[row.index()])
    }
}

/// Rows of many stacks, one after the other: where rows of a stack go.
#[derive(Default)]
pub(crate) struct RowLists {
    /// The functions of leaves' inline chains, each once in a stack.
    pub(crate) chain: Vec<RowId>,
    /// All functions, each once in a stack.
    pub(crate) total: Vec<RowId>,
}

/// A distinct answer, and where its rows end in the lists.
struct Distinct {
    leaf: LeafRows,
    chain_end: u32,
    total_end: u32,
}

/// The rows that each cell counts for, each distinct answer once.
#[derive(Default)]
pub(crate) struct CellRows {
    distinct: Vec<Distinct>,
    lists: RowLists,
    /// By cell.
    of_cell: Vec<u32>,
}

impl CellRows {
    /// Asks `stack_rows` once per thread class and stack. It appends the rows of the stack to the lists.
    pub(crate) fn find(
        cells: &[Cell],
        thread_class: &[u32],
        mut stack_rows: impl FnMut(u32, StackId, &mut RowLists) -> LeafRows,
    ) -> Self {
        let mut memo: FxHashMap<(u32, StackId), u32> = FxHashMap::default();
        let mut found = Self {
            distinct: Vec::with_capacity(cells.len()),
            of_cell: Vec::with_capacity(cells.len()),
            ..Self::default()
        };
        for cell in cells {
            let class = thread_class.get(cell.thread.index()).copied().unwrap_or(0);
            let number = *memo.entry((class, cell.stack)).or_insert_with(|| {
                let leaf = stack_rows(class, cell.stack, &mut found.lists);
                let (chain_end, total_end) =
                    (number(found.lists.chain.len()), number(found.lists.total.len()));
                found.distinct.push(Distinct { leaf, chain_end, total_end });
                number(found.distinct.len() - 1)
            });
            found.of_cell.push(number);
        }
        found
    }

    /// How many distinct answers there are.
    pub(super) fn len(&self) -> usize {
        self.distinct.len()
    }

    /// The number of each cell's answer.
    pub(super) fn of_cells(&self) -> impl Iterator<Item = usize> {
        self.of_cell.iter().map(|number| *number as usize)
    }

    pub(super) fn get(&self, number: usize) -> StackRows<'_> {
        let Distinct { leaf, chain_end, total_end } = self.distinct[number];
        let before = number.checked_sub(1).map(|before| &self.distinct[before]);
        let (chain, total) = before.map_or((0, 0), |before| (before.chain_end, before.total_end));
        StackRows {
            leaf,
            chain: &self.lists.chain[chain as usize..chain_end as usize],
            total: &self.lists.total[total as usize..total_end as usize],
        }
    }

    /// All of them, by number.
    pub(super) fn iter(&self) -> impl Iterator<Item = StackRows<'_>> {
        (0..self.len()).map(|number| self.get(number))
    }
}

fn number(of: usize) -> u32 {
    u32::try_from(of).expect("fewer than 2^32 rows of stacks fit in memory")
}
