//! A branch record of a sample: `struct perf_branch_entry` of `linux/perf_event.h`.
//!
//! ```text
//! branch = from:u64 to:u64 flags:u64      flags, by bit: 0 mispredicted, 1 predicted, 2 in a transaction, 3 aborted one,
//!                                         4-19 cycles since the branch before, 20-23 type, then speculation and privilege
//! ```
//!
//! Flags are a C bit field, so a big-endian machine has the first of them in the highest bit.

use super::fields::ByteOrder;

pub(super) const BRANCH_BYTES: usize = 24;

/// `branch_sample_type`: calls that have not returned, instead of the latest branches.
pub(super) const CALL_STACK: u64 = 1 << 11;

const MISPREDICTED_BIT: u32 = 0;
const FIRST_TYPE_BIT: u32 = 20;
const TYPE_BITS: u32 = 4;
/// Types of branches that are calls: direct, through a pointer, conditional.
const CALLS: [u64; 3] = [4, 5, 9];

/// One taken branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BranchRecord {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) is_mispredicted: bool,
    pub(super) is_call: bool,
}

impl BranchRecord {
    /// The records in `bytes`, in their order; those that the processor left empty are skipped.
    pub(super) fn all(bytes: &[u8], order: ByteOrder) -> impl DoubleEndedIterator<Item = Self> + Clone + '_ {
        bytes.chunks_exact(BRANCH_BYTES).filter_map(move |bytes| Self::parse(bytes, order))
    }

    fn parse(bytes: &[u8], order: ByteOrder) -> Option<Self> {
        let mut numbers = order.numbers64(bytes);
        let (from, to, flags) = (numbers.next()?, numbers.next()?, numbers.next()?);
        let field = |first: u32, len: u32| {
            let first = match order {
                ByteOrder::Little => first,
                ByteOrder::Big => u64::BITS - first - len,
            };
            flags >> first & ((1 << len) - 1)
        };
        let is_call = CALLS.contains(&field(FIRST_TYPE_BIT, TYPE_BITS));
        let is_mispredicted = field(MISPREDICTED_BIT, 1) != 0;
        (from != 0 && to != 0).then_some(Self { from, to, is_mispredicted, is_call })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_begin_at_the_end_that_the_machine_begins_at() {
        let expected = BranchRecord { from: 0x10, to: 0x20, is_mispredicted: true, is_call: true };
        let little: Vec<u8> = [0x10, 0x20, 1 | 5 << 20].into_iter().flat_map(u64::to_le_bytes).collect();
        assert_eq!(BranchRecord::all(&little, ByteOrder::Little).next(), Some(expected));
        let big: Vec<u8> = [0x10, 0x20, 1 << 63 | 5 << 40].into_iter().flat_map(u64::to_be_bytes).collect();
        assert_eq!(BranchRecord::all(&big, ByteOrder::Big).next(), Some(expected));
    }

    #[test]
    fn empty_records_are_skipped() {
        let bytes: Vec<u8> =
            [0, 0x20, 2, 0x30, 0, 2, 0x10, 0x20, 2].into_iter().flat_map(u64::to_le_bytes).collect();
        let expected = BranchRecord { from: 0x10, to: 0x20, is_mispredicted: false, is_call: false };
        assert_eq!(BranchRecord::all(&bytes, ByteOrder::Little).collect::<Vec<_>>(), [expected]);
    }
}
