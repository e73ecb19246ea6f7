//! The measures of many rows in little memory.

use super::cell_rows::{CellRows, StackRows};
use super::{BlockSums, DenominatorId, Measure, Part, RowId, RowMeasures};
use crate::findings::Amount;

/// The measures of many rows. Most functions have two or three measures that are equal or nothing, so each is kept once, and
/// what is nothing is not kept.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct PackedRows {
    /// By row: where its measures are.
    places: Vec<Places>,
    pub(super) measures: Vec<Measure>,
    parts: Vec<Part>,
}

/// Where the measures and parts of a row are.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Places {
    pub(super) own: Place,
    pub(super) booked: Place,
    pub(super) total: Place,
    inlined: Place,
    /// Mostly the part of `booked`: then [`Place::AS_BOOKED`].
    chain: Place,
}

/// A place in a list, counted from 1; 0 for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Place(u32);

impl Place {
    /// Of a part: what `booked` says.
    const AS_BOOKED: Self = Self(u32::MAX);

    /// Keeps a value and gives its place.
    fn of<T: Default + PartialEq>(value: T, kept: &mut Vec<T>) -> Self {
        if value == T::default() {
            return Self::default();
        }
        kept.push(value);
        Self(u32::try_from(kept.len()).expect("fewer than 2^32 measures fit in memory"))
    }

    /// Its index in the list; `None` for nothing.
    pub(super) fn index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(1)
    }

    fn value<T: Copy + Default>(self, kept: &[T]) -> T {
        self.index().and_then(|at| kept.get(at)).copied().unwrap_or_default()
    }
}

/// What stacks are summed into.
trait Sum: Clone + Default {
    /// Adds a stack, of which the row's share counts the samples or not.
    fn add(&mut self, amount: Amount, is_counted: bool);
}

impl Sum for Part {
    fn add(&mut self, amount: Amount, is_counted: bool) {
        self.weight += amount.weight;
        self.counted += if is_counted { amount.weight } else { 0 };
    }
}

/// What a measure is before its blocks are summed.
#[derive(Clone, Copy, Default)]
struct Whole {
    weight: u64,
    samples: u64,
    counted: u64,
    counted_samples: u64,
}

impl Sum for Whole {
    fn add(&mut self, amount: Amount, is_counted: bool) {
        self.weight += amount.weight;
        self.samples += amount.samples;
        if is_counted {
            self.counted += amount.weight;
            self.counted_samples += amount.samples;
        }
    }
}

impl From<Whole> for Measure {
    fn from(Whole { weight, samples, counted, counted_samples }: Whole) -> Self {
        Self { weight, samples, counted, counted_samples, blocks: BlockSums::default() }
    }
}

/// Distinct stacks with their weights, and the denominators of rows.
struct Counted<'a> {
    cell_rows: &'a CellRows,
    amounts: &'a [Amount],
    denominators: &'a [DenominatorId],
}

impl<'a> Counted<'a> {
    /// By row: the sum of the stacks that count for it, of which `rows_of` gives the rows.
    fn by_row<T: Sum, R: IntoIterator<Item = RowId>>(&self, rows_of: impl Fn(StackRows<'a>) -> R) -> Vec<T> {
        let mut sums = vec![T::default(); self.denominators.len()];
        for (stack, amount) in self.cell_rows.iter().zip(self.amounts) {
            for row in rows_of(stack) {
                sums[row.index()].add(*amount, stack.leaf.is_counted(row, self.denominators));
            }
        }
        sums
    }
}

impl PackedRows {
    /// Counts the weights of distinct stacks into rows, of which `denominators` has the denominators. Sums over blocks are
    /// nothing yet. One measure after the other: only one is held by row.
    pub(super) fn of_stacks(
        cell_rows: &CellRows,
        amounts: &[Amount],
        denominators: &[DenominatorId],
    ) -> Self {
        let counted = Counted { cell_rows, amounts, denominators };
        let mut packed = Self { places: vec![Places::default(); denominators.len()], ..Self::default() };
        let Self { places, measures, parts } = &mut packed;
        let total: Vec<Whole> = counted.by_row(|stack| stack.total.iter().copied());
        // Often there are no others, and a list that grows is in memory twice.
        measures.reserve_exact(total.iter().filter(|total| total.samples > 0 || total.weight > 0).count());
        for (place, total) in places.iter_mut().zip(total) {
            place.total = Place::of(total.into(), measures);
        }
        // What a row has at leaves is a part of its total: if the weights are equal, so are those of every block.
        let own = counted.by_row::<Whole, _>(|stack| [stack.leaf.own]);
        for (place, own) in places.iter_mut().zip(own.into_iter().map(Measure::from)) {
            let is_total = own == place.total.value(measures);
            place.own = if is_total { place.total } else { Place::of(own, measures) };
        }
        let is_inlining = inlining(cell_rows, denominators.len());
        let booked = counted.by_row::<Whole, _>(|stack| [stack.leaf.booked]).into_iter().zip(is_inlining);
        for (place, (booked, is_inlining)) in places.iter_mut().zip(booked) {
            place.booked = match Measure::from(booked) {
                booked if booked == place.total.value(measures) => place.total,
                _ if !is_inlining => place.own,
                booked => Place::of(booked, measures),
            };
        }
        for (place, inlined) in
            places.iter_mut().zip(counted.by_row(|stack| stack.leaf.inlined.then_some(stack.leaf.own)))
        {
            place.inlined = Place::of(inlined, parts);
        }
        let chain = counted.by_row(|stack| stack.chain.iter().copied());
        for (place, chain) in places.iter_mut().zip(chain) {
            let is_booked = chain == place.booked.value(measures).part();
            place.chain = if is_booked { Place::AS_BOOKED } else { Place::of(chain, parts) };
        }
        measures.shrink_to_fit();
        parts.shrink_to_fit();
        packed
    }

    /// How many rows there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn places(&self, row: RowId) -> Places {
        self.places[row.index()]
    }

    /// By measure: the denominator of its row.
    pub(super) fn denominators(&self, of_rows: &[DenominatorId]) -> Vec<DenominatorId> {
        let mut denominators = vec![DenominatorId::ALL; self.measures.len()];
        for (places, denominator) in self.places.iter().zip(of_rows) {
            let of_row = [places.own, places.booked, places.total];
            of_row.into_iter().filter_map(Place::index).for_each(|at| denominators[at] = *denominator);
        }
        denominators
    }

    pub(super) fn get(&self, row: usize) -> Option<RowMeasures> {
        let Places { own, booked, total, inlined, chain } = *self.places.get(row)?;
        let [own, booked, total] = [own, booked, total].map(|at| at.value(&self.measures));
        let inlined = inlined.value(&self.parts);
        let chain = if chain == Place::AS_BOOKED { booked.part() } else { chain.value(&self.parts) };
        Some(RowMeasures { own, booked, inlined, total, chain })
    }
}

/// By row: whether a leaf has it on one side of inlining alone, as the innermost or as the machine function. Of others own and
/// booked weights are the same samples.
fn inlining(cell_rows: &CellRows, rows: usize) -> Vec<bool> {
    let mut inlining = vec![false; rows];
    for leaf in cell_rows.iter().map(|stack| stack.leaf).filter(|leaf| leaf.own != leaf.booked) {
        inlining[leaf.own.index()] = true;
        inlining[leaf.booked.index()] = true;
    }
    inlining
}
