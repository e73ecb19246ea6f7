//! The byte form of cells.
//!
//! ```text
//! count  period of each event*  event*  block*  thread*  stack*  samples*  weight*
//! ```
//!
//! Cells are sorted by (event, block, thread, stack), so each of these is written as the step from the cell before, or
//! from zero where one of those before it stepped. The weight is the difference from samples times the most common
//! period of the event: zero for a sampling clock.

use std::collections::BTreeMap;

use super::bytes::{ByteReader, ByteWriter};
use crate::id::{EventId, StackId, ThreadId};
use crate::profile::Cell;
use crate::weight::Weight;

/// The key of a cell as plain numbers, in order.
type Key = [u32; 4];

fn key_of(cell: &Cell) -> Key {
    [cell.event.0, cell.block, cell.thread.0, cell.stack.0]
}

/// The steps from one key to the next.
fn steps(before: Key, after: Key) -> Key {
    let mut is_same_so_far = true;
    let mut step = |before: u32, after: u32| {
        let step = if is_same_so_far { after.wrapping_sub(before) } else { after };
        is_same_so_far &= before == after;
        step
    };
    let ([a, b, c, d], [e, f, g, h]) = (before, after);
    [step(a, e), step(b, f), step(c, g), step(d, h)]
}

/// The key that these steps lead to; `None` if it does not fit in 32 bits.
fn apply(before: Key, steps: Key) -> Option<Key> {
    let mut is_same_so_far = true;
    let mut apply = |before: u32, step: u32| {
        let after = if is_same_so_far { before.checked_add(step)? } else { step };
        is_same_so_far &= step == 0;
        Some(after)
    };
    let ([a, b, c, d], [e, f, g, h]) = (before, steps);
    Some([apply(a, e)?, apply(b, f)?, apply(c, g)?, apply(d, h)?])
}

pub(super) fn write_cells(out: &mut ByteWriter, cells: &[Cell], events: usize) {
    let periods = periods(cells, events);
    out.count(cells.len());
    periods.iter().for_each(|period| out.number(*period));
    for column in 0..4 {
        let mut before = [0; 4];
        for cell in cells {
            let key = key_of(cell);
            out.number(u64::from(steps(before, key)[column]));
            before = key;
        }
    }
    cells.iter().for_each(|cell| out.number(u64::from(cell.samples)));
    cells
        .iter()
        .for_each(|cell| out.difference(expected_weight(&periods, cell.event, cell.samples), cell.weight.0));
}

pub(super) fn read_cells(reader: &mut ByteReader<'_>, events: usize) -> Option<Vec<Cell>> {
    let count = reader.count(6)?;
    let periods: Vec<u64> = (0..events).map(|_| reader.number()).collect::<Option<_>>()?;
    let column =
        |reader: &mut ByteReader<'_>| -> Option<Vec<u32>> { (0..count).map(|_| reader.number32()).collect() };
    let (event, block) = (column(reader)?, column(reader)?);
    let (thread, stack, samples) = (column(reader)?, column(reader)?, column(reader)?);
    let mut key = [0; 4];
    let mut cells = Vec::with_capacity(count);
    for ((((event, block), thread), stack), samples) in
        event.into_iter().zip(block).zip(thread).zip(stack).zip(samples)
    {
        key = apply(key, [event, block, thread, stack])?;
        let [event, block, thread, stack] = key;
        let event = EventId(event);
        let weight = Weight(reader.difference(expected_weight(&periods, event, samples))?);
        cells.push(Cell { event, block, thread: ThreadId(thread), stack: StackId(stack), samples, weight });
    }
    Some(cells)
}

fn expected_weight(periods: &[u64], event: EventId, samples: u32) -> u64 {
    periods.get(event.index()).map_or(0, |period| period.wrapping_mul(u64::from(samples)))
}

/// The most common period of cells of one sample, the smallest where several are.
fn periods(cells: &[Cell], events: usize) -> Vec<u64> {
    let mut counts = vec![BTreeMap::<u64, usize>::new(); events];
    for cell in cells.iter().filter(|cell| cell.samples == 1) {
        if let Some(counts) = counts.get_mut(cell.event.index()) {
            *counts.entry(cell.weight.0).or_default() += 1;
        }
    }
    let most_common = |counts: &BTreeMap<u64, usize>| {
        counts.iter().rev().max_by_key(|(_, count)| **count).map_or(0, |(period, _)| *period)
    };
    counts.iter().map(most_common).collect()
}
