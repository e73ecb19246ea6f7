//! Counter values in a sample (`PERF_SAMPLE_READ`), and what they say each event grew by.
//!
//! ```text
//! counters = value:u64 [enabled:u64] [running:u64] [id:u64] [lost:u64]                 of one event
//!          | count:u64 [enabled:u64] [running:u64] (value:u64 [id:u64] [lost:u64])*    of a group
//! ```
//!
//! Of a group read together (`-e '{a,b}:S'`) only the leader is sampled. A sample of it represents one sample of each
//! member that grew since the sample before: that is how perf shows it, too.

use rustc_hash::FxHashMap;

use super::fields::{ByteOrder, Fields};

const ENABLED: u64 = 1;
const RUNNING: u64 = 1 << 1;
const ID: u64 = 1 << 2;
const GROUP: u64 = 1 << 3;
const LOST: u64 = 1 << 4;

/// The values of one or several counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counters<'a> {
    values: &'a [u8],
    value_bytes: usize,
    order: ByteOrder,
    has_id: bool,
}

impl<'a> Counters<'a> {
    /// Reads the values of a sample.
    pub(super) fn parse(fields: &mut Fields<'a>, format: u64, order: ByteOrder) -> Option<Self> {
        let has = |bit: u64| usize::from(format & bit != 0);
        let times = 8 * (has(ENABLED) + has(RUNNING));
        if format & GROUP == 0 {
            fields.skip(8 + times + 8 * (has(ID) + has(LOST)))?;
            return Some(Self { values: &[], value_bytes: 8, order, has_id: false });
        }
        let value_bytes = 8 * (1 + has(ID) + has(LOST));
        let count = fields.count64(value_bytes)?;
        fields.skip(times)?;
        let values = fields.take(count * value_bytes)?;
        Some(Self { values, value_bytes, order, has_id: has(ID) == 1 })
    }

    /// The identifiers and values of a group; nothing of one event, whose period the sample has, nor where identifiers were
    /// not recorded.
    pub(super) fn of_group(self) -> impl Iterator<Item = (u64, u64)> + 'a {
        let values = if self.has_id { self.values } else { &[] };
        values.chunks_exact(self.value_bytes).filter_map(move |bytes| {
            let mut numbers = self.order.numbers64(bytes);
            let value = numbers.next()?;
            Some((numbers.next()?, value))
        })
    }

    /// Whether it is a group with identifiers.
    pub(super) fn is_group(self) -> bool {
        self.has_id
    }
}

/// The last value of each counter, by identifier.
#[derive(Debug, Default)]
pub(super) struct LastValues(FxHashMap<u64, u64>);

impl LastValues {
    /// How much a counter grew since it was read last.
    pub(super) fn growth(&mut self, id: u64, value: u64) -> u64 {
        let last = self.0.entry(id).or_insert(0);
        let growth = value.wrapping_sub(*last);
        *last = value;
        growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(format: u64, numbers: &[u64]) -> Option<(Vec<(u64, u64)>, usize)> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut fields = Fields::new(&bytes, ByteOrder::Little);
        let counters = Counters::parse(&mut fields, format, ByteOrder::Little)?;
        Some((counters.of_group().collect(), fields.rest().len()))
    }

    #[test]
    fn the_layouts_of_one_event_and_of_a_group_differ() {
        assert_eq!(parse(ID | LOST, &[70, 5, 0, 1]), Some((vec![], 8)));
        assert_eq!(parse(ENABLED | RUNNING | ID, &[70, 9, 8, 5, 1]), Some((vec![], 8)));
        let group = GROUP | ENABLED | RUNNING | ID | LOST;
        assert_eq!(parse(group, &[2, 9, 8, 70, 5, 0, 30, 6, 0, 1]), Some((vec![(5, 70), (6, 30)], 8)));
        assert_eq!(parse(GROUP | ID, &[2, 70, 5, 30]), None);
        assert_eq!(parse(GROUP | ID, &[u64::MAX, 70, 5, 30]), None);
    }

    #[test]
    fn a_counter_grows_from_its_last_value() {
        let mut last = LastValues::default();
        assert_eq!(
            [last.growth(5, 70), last.growth(6, 30), last.growth(5, 75), last.growth(6, 30)],
            [70, 30, 5, 0]
        );
    }
}
