//! One sample: `PERF_RECORD_SAMPLE`, whose fields the event's `sample_type` names.
//!
//! ```text
//! sample = [IDENTIFIER id:u64] [IP u64] [TID pid:u32 tid:u32] [TIME u64] [ADDR u64] [ID u64] [STREAM_ID u64]
//!          [CPU cpu:u32 reserved:u32] [PERIOD u64] [READ counters] [CALLCHAIN count:u64 address*]
//!          [RAW size:u32 byte*] [BRANCH_STACK count:u64 [index:u64] (from to flags)* [counters*]]
//!          [REGS_USER abi:u64 register*] [STACK_USER size:u64 byte* [used:u64]] [WEIGHT or WEIGHT_STRUCT u64]
//!          [DATA_SRC u64] [TRANSACTION u64] [REGS_INTR abi:u64 register*] [PHYS_ADDR u64] [CGROUP u64] ...
//! ```
//!
//! (perf_event_open(2), Linux 6.x.) What comes after the cgroup, page sizes and AUX data and whatever later kernels append,
//! is not looked at: nothing here needs it, and the record says where it ends.

use super::branch_record::BRANCH_BYTES;
use super::counters::Counters;
use super::event_attr::{EventAttr, sample_type};
use super::fields::{ByteOrder, Fields};

/// `branch_sample_type`: an index stands before the branches.
const BRANCH_HW_INDEX: u64 = 1 << 17;
/// `branch_sample_type`: counters stand after the branches, a number each.
const BRANCH_COUNTERS: u64 = 1 << 19;

/// What a sample holds, as far as pdiff uses it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sample<'a> {
    pub(super) ip: Option<u64>,
    pub(super) pid: Option<u32>,
    pub(super) tid: Option<u32>,
    pub(super) time_ns: Option<u64>,
    pub(super) id: Option<u64>,
    pub(super) cpu: Option<u32>,
    pub(super) period: Option<u64>,
    pub(super) counters: Option<Counters<'a>>,
    /// Addresses and marks of where they belong, leaf first, eight bytes each.
    pub(super) chain: Option<&'a [u8]>,
    /// A tracepoint's own fields.
    pub(super) raw: Option<&'a [u8]>,
    /// The branches that were taken last before the sample, latest first, 24 bytes each.
    pub(super) branches: Option<&'a [u8]>,
    pub(super) user_registers: Option<UserRegisters<'a>>,
    /// The top of the user's stack, as much of it as was in use.
    pub(super) user_stack: Option<&'a [u8]>,
    pub(super) cgroup: Option<u64>,
}

/// The registers of user mode when the sample was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct UserRegisters<'a> {
    /// Whether the process was one of 64 bits.
    pub(super) is_64_bit: bool,
    /// Which registers are there: a bit each.
    pub(super) mask: u64,
    /// Their values, eight bytes each, in the order of the bits.
    pub(super) values: &'a [u8],
}

impl<'a> Sample<'a> {
    /// The sample in a record's body; `None` if the body ends too early.
    #[inline]
    pub(super) fn parse(body: &'a [u8], attr: &EventAttr, order: ByteOrder) -> Option<Self> {
        let mut fields = Fields::new(body, order);
        let mut sample = Self::default();
        let has = |bit| attr.has(bit);
        if has(sample_type::IDENTIFIER) {
            sample.id = Some(fields.number64()?);
        }
        if has(sample_type::IP) {
            sample.ip = Some(fields.number64()?);
        }
        if has(sample_type::TID) {
            sample.pid = Some(fields.number32()?);
            sample.tid = Some(fields.number32()?);
        }
        if has(sample_type::TIME) {
            sample.time_ns = Some(fields.number64()?);
        }
        if has(sample_type::ADDR) {
            fields.skip(8)?;
        }
        if has(sample_type::ID) {
            sample.id = Some(fields.number64()?);
        }
        if has(sample_type::STREAM_ID) {
            fields.skip(8)?;
        }
        if has(sample_type::CPU) {
            sample.cpu = Some(fields.number32()?);
            fields.skip(4)?;
        }
        if has(sample_type::PERIOD) {
            sample.period = Some(fields.number64()?);
        }
        if has(sample_type::READ) {
            sample.counters = Some(Counters::parse(&mut fields, attr.read_format, order)?);
        }
        if has(sample_type::CALLCHAIN) {
            let count = fields.count64(8)?;
            sample.chain = Some(fields.take(count * 8)?);
        }
        sample.parse_rest(fields, attr)?;
        Some(sample)
    }

    /// What most recordings do not have.
    #[inline]
    fn parse_rest(&mut self, mut fields: Fields<'a>, attr: &EventAttr) -> Option<()> {
        const REST: u64 = sample_type::RAW
            | sample_type::BRANCH_STACK
            | sample_type::REGS_USER
            | sample_type::STACK_USER
            | sample_type::CGROUP;
        if attr.sample_type & REST == 0 {
            return Some(());
        }
        if attr.has(sample_type::RAW) {
            let size = usize::try_from(fields.number32()?).ok()?;
            self.raw = Some(fields.take(size)?);
        }
        if attr.has(sample_type::BRANCH_STACK) {
            self.branches = Some(branches(&mut fields, attr)?);
        }
        if attr.has(sample_type::REGS_USER) {
            self.user_registers = registers(&mut fields, attr.regs_user)?;
        }
        if attr.has(sample_type::STACK_USER) {
            self.user_stack = user_stack(&mut fields)?;
        }
        if attr.has(sample_type::CGROUP) {
            for bit in [
                sample_type::WEIGHT,
                sample_type::WEIGHT_STRUCT,
                sample_type::DATA_SRC,
                sample_type::TRANSACTION,
            ] {
                if attr.has(bit) {
                    fields.skip(8)?;
                }
            }
            if attr.has(sample_type::REGS_INTR) {
                registers(&mut fields, attr.regs_intr)?;
            }
            if attr.has(sample_type::PHYS_ADDR) {
                fields.skip(8)?;
            }
            self.cgroup = Some(fields.number64()?);
        }
        Some(())
    }
}

fn branches<'a>(fields: &mut Fields<'a>, attr: &EventAttr) -> Option<&'a [u8]> {
    let count = usize::try_from(fields.number64()?).ok()?;
    if attr.branch_sample_type & BRANCH_HW_INDEX != 0 {
        fields.skip(8)?;
    }
    let branches = fields.take(count.checked_mul(BRANCH_BYTES)?)?;
    if attr.branch_sample_type & BRANCH_COUNTERS != 0 {
        fields.skip(count.checked_mul(8)?)?;
    }
    Some(branches)
}

/// Registers; those of a thread that has no user mode are absent.
fn registers<'a>(fields: &mut Fields<'a>, mask: u64) -> Option<Option<UserRegisters<'a>>> {
    const ABI_NONE: u64 = 0;
    const ABI_64: u64 = 2;
    let abi = fields.number64()?;
    if abi == ABI_NONE {
        return Some(None);
    }
    let values = fields.take(mask.count_ones() as usize * 8)?;
    Some(Some(UserRegisters { is_64_bit: abi == ABI_64, mask, values }))
}

/// The part of the stack that was in use; what follows it in the record is left over from other samples.
fn user_stack<'a>(fields: &mut Fields<'a>) -> Option<Option<&'a [u8]>> {
    let size = fields.count64(1)?;
    if size == 0 {
        return Some(None);
    }
    let stack = fields.take(size)?;
    let used = usize::try_from(fields.number64()?).unwrap_or(usize::MAX);
    Some(stack.get(..used.min(size)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_data::event_name::Modifiers;

    fn attr(sample_type: u64, read_format: u64) -> EventAttr {
        EventAttr {
            kind: 1,
            config: 0,
            config1: 0,
            config2: 0,
            fixed_period: 0,
            frequency: 997,
            sample_type,
            read_format,
            branch_sample_type: 0,
            regs_user: 0b101,
            regs_intr: 0b1,
            sample_id_all: true,
            is_monotonic: false,
            modifiers: Modifiers::default(),
        }
    }

    fn bytes(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn fields_come_in_the_order_of_the_manual() {
        let all = (1 << 25) - 1 - sample_type::WEIGHT_STRUCT;
        let attr = EventAttr { branch_sample_type: BRANCH_HW_INDEX | BRANCH_COUNTERS, ..attr(all, 0b1_1111) };
        let mut body = bytes(&[9, 0x401000, 12 | 13 << 32, 1_000_000_007, 0xadd, 9, 77, 3, 250_000]);
        body.extend(bytes(&[1, 10, 11, 500, 9, 0]));
        body.extend(bytes(&[2, 0xffff_ffff_ffff_fe00, 0x401000]));
        body.extend([4, 0, 0, 0, 1, 2, 3, 4]);
        body.extend(bytes(&[1, 5, 0xf, 0x7, 0, 99]));
        body.extend(bytes(&[2, 0x10, 0x20]));
        body.extend(bytes(&[16, 7, 8, 8]));
        body.extend(bytes(&[1, 2, 3, 2, 0x30, 4, 4242, 5, 6, 0]));
        let sample = Sample::parse(&body, &attr, ByteOrder::Little).expect("it is whole");
        assert_eq!((sample.ip, sample.pid, sample.tid), (Some(0x401000), Some(12), Some(13)));
        assert_eq!(
            (sample.time_ns, sample.cpu, sample.period),
            (Some(1_000_000_007), Some(3), Some(250_000))
        );
        assert_eq!(sample.id, Some(9));
        assert_eq!(sample.chain.map(<[u8]>::len), Some(16));
        assert_eq!(sample.raw, Some(&[1, 2, 3, 4][..]));
        assert_eq!(sample.branches, Some(&*bytes(&[0xf, 0x7, 0])));
        let registers = sample.user_registers.expect("there are registers");
        assert_eq!((registers.is_64_bit, registers.values), (true, &*bytes(&[0x10, 0x20])));
        assert_eq!(sample.user_stack, Some(&*bytes(&[7])));
        assert_eq!(sample.cgroup, Some(4242));
        for len in 0..body.len() - 24 {
            assert!(Sample::parse(&body[..len], &attr, ByteOrder::Little).is_none(), "{len}");
        }
    }

    #[test]
    fn a_thread_without_user_mode_has_neither_registers_nor_stack() {
        let attr = attr(sample_type::IP | sample_type::REGS_USER | sample_type::STACK_USER, 0);
        let body = bytes(&[1, 0, 0]);
        let sample = Sample::parse(&body, &attr, ByteOrder::Little).expect("it is whole");
        assert!(sample.user_registers.is_none() && sample.user_stack.is_none());
    }

    #[test]
    fn hostile_counts_are_no_samples() {
        let chain = attr(sample_type::CALLCHAIN, 0);
        assert!(Sample::parse(&bytes(&[u64::MAX, 1]), &chain, ByteOrder::Little).is_none());
        let branches = attr(sample_type::BRANCH_STACK, 0);
        assert!(Sample::parse(&bytes(&[u64::MAX / 12, 1]), &branches, ByteOrder::Little).is_none());
        let stack = attr(sample_type::STACK_USER, 0);
        assert!(Sample::parse(&bytes(&[1 << 40, 1]), &stack, ByteOrder::Little).is_none());
    }
}
