//! The fields of a `sched:sched_switch` sample: the tracepoint's own bytes.
//!
//! ```text
//! raw = common:8 bytes prev_comm:16 prev_pid:i32 prev_prio:i32 prev_state:i64 next_comm:16 next_pid:i32 next_prio:i32
//! ```
//!
//! (`/sys/kernel/tracing/events/sched/sched_switch/format`, 64-bit Linux 2.6.31 to 6.18.) Kernels with lazy preemption put 8 more
//! bytes before. The kernel counts process numbers of its own namespace, the sample those of perf's.

use super::fields::{ByteOrder, Fields};
use crate::waits::Left;

/// Where the first field of the tracepoint is: behind the common ones.
const COMMON_BYTES: [usize; 2] = [8, 16];

/// Bytes of the fields.
const SWITCH_BYTES: usize = 56;

/// The state of a thread that leaves the CPU: bits from the kernel's `fs/proc/array.c`; preempted ones have the first bit beyond.
mod state {
    pub(super) const DEAD: u64 = 0x10;
    pub(super) const ZOMBIE: u64 = 0x20;
    pub(super) const SLEEPS: u64 = 0xff;
}

/// A switch of a CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SwitchFields {
    /// The thread that leaves, as the kernel counts.
    pub(super) from: u32,
    pub(super) how: Left,
    /// The thread that gets the CPU, as the kernel counts.
    pub(super) to: u32,
}

/// Whether a tracepoint's bytes can be a switch.
pub(super) fn is_switch(raw: &[u8]) -> bool {
    raw.len() >= COMMON_BYTES[0] + SWITCH_BYTES
}

/// Which of the layouts a sample of a thread has; `None` if it does not tell.
pub(super) fn common_bytes(raw: &[u8], tid: u32, order: ByteOrder) -> Option<usize> {
    let is_at = |common: usize| parse(raw, common, order).is_some_and(|fields| fields.from == tid);
    let mut at = COMMON_BYTES.into_iter().filter(|common| tid != 0 && is_at(*common));
    at.next().filter(|_| at.next().is_none())
}

/// The layout where no sample tells.
pub(super) const DEFAULT_COMMON_BYTES: usize = COMMON_BYTES[0];

pub(super) fn parse(raw: &[u8], common: usize, order: ByteOrder) -> Option<SwitchFields> {
    let mut fields = Fields::new(raw, order);
    fields.skip(common + 16)?;
    let from = fields.number32()?;
    fields.skip(4)?;
    let how = match fields.number64()? {
        state if state & (state::DEAD | state::ZOMBIE) != 0 => Left::Ended,
        state if state & state::SLEEPS != 0 => Left::Asleep,
        _ => Left::Runnable,
    };
    fields.skip(16)?;
    Some(SwitchFields { from, how, to: fields.number32()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(common: usize, state: u64) -> Vec<u8> {
        let mut raw = vec![0; common + 16];
        raw.extend(7_u32.to_le_bytes());
        raw.extend(120_u32.to_le_bytes());
        raw.extend(state.to_le_bytes());
        raw.extend([0; 16]);
        raw.extend(9_u32.to_le_bytes());
        raw.extend(120_u32.to_le_bytes());
        raw
    }

    #[test]
    fn fields_are_found_behind_the_common_ones() {
        for common in COMMON_BYTES {
            let raw = raw(common, 1);
            assert_eq!(common_bytes(&raw, 7, ByteOrder::Little), Some(common));
            let fields = parse(&raw, common, ByteOrder::Little);
            assert_eq!(fields, Some(SwitchFields { from: 7, how: Left::Asleep, to: 9 }));
        }
        assert_eq!(common_bytes(&raw(8, 1), 0, ByteOrder::Little), None);
        assert_eq!(parse(&raw(8, 1)[..58], 8, ByteOrder::Little), None);
    }

    #[test]
    fn states_are_those_that_the_kernel_prints() {
        let how = |state| parse(&raw(8, state), 8, ByteOrder::Little).unwrap().how;
        assert_eq!([0, 0x100].map(how), [Left::Runnable; 2]);
        assert_eq!([1, 2, 4, 0x80].map(how), [Left::Asleep; 4]);
        assert_eq!([0x10, 0x20].map(how), [Left::Ended; 2]);
    }
}
