//! What perf asked the kernel to record of one event: `struct perf_event_attr` of `linux/perf_event.h`.
//!
//! ```text
//! attr = type:u32 size:u32 config:u64 period-or-frequency:u64 sample_type:u64 read_format:u64 flags:u64 wakeup:u32
//!        bp_type:u32 config1:u64 config2:u64 branch_sample_type:u64 sample_regs_user:u64 sample_stack_user:u32
//!        clockid:u32 sample_regs_intr:u64 ...      older kernels end it earlier, later ones go on
//! ```

use super::event_name::{Modifiers, event_name};
use super::fields::{ByteOrder, Fields};

/// The least size: what Linux 2.6.31 wrote.
const MIN_SIZE: usize = 64;

/// The bits of `sample_type`: what a sample holds.
pub(super) mod sample_type {
    pub(crate) const IP: u64 = 1;
    pub(crate) const TID: u64 = 1 << 1;
    pub(crate) const TIME: u64 = 1 << 2;
    pub(crate) const ADDR: u64 = 1 << 3;
    pub(crate) const READ: u64 = 1 << 4;
    pub(crate) const CALLCHAIN: u64 = 1 << 5;
    pub(crate) const ID: u64 = 1 << 6;
    pub(crate) const CPU: u64 = 1 << 7;
    pub(crate) const PERIOD: u64 = 1 << 8;
    pub(crate) const STREAM_ID: u64 = 1 << 9;
    pub(crate) const RAW: u64 = 1 << 10;
    pub(crate) const BRANCH_STACK: u64 = 1 << 11;
    pub(crate) const REGS_USER: u64 = 1 << 12;
    pub(crate) const STACK_USER: u64 = 1 << 13;
    pub(crate) const WEIGHT: u64 = 1 << 14;
    pub(crate) const DATA_SRC: u64 = 1 << 15;
    pub(crate) const IDENTIFIER: u64 = 1 << 16;
    pub(crate) const TRANSACTION: u64 = 1 << 17;
    pub(crate) const REGS_INTR: u64 = 1 << 18;
    pub(crate) const PHYS_ADDR: u64 = 1 << 19;
    pub(crate) const CGROUP: u64 = 1 << 21;
    pub(crate) const WEIGHT_STRUCT: u64 = 1 << 24;
}

const CLOCK_MONOTONIC: u32 = 1;

/// The bits of `flags` that matter here, counted from the first bit field on.
mod flag {
    pub(super) const EXCLUDE_USER: u64 = 1 << 4;
    pub(super) const EXCLUDE_KERNEL: u64 = 1 << 5;
    pub(super) const EXCLUDE_HV: u64 = 1 << 6;
    pub(super) const FREQ: u64 = 1 << 10;
    pub(super) const PRECISE_SHIFT: u32 = 15;
    pub(super) const SAMPLE_ID_ALL: u64 = 1 << 18;
    pub(super) const EXCLUDE_HOST: u64 = 1 << 19;
    pub(super) const EXCLUDE_GUEST: u64 = 1 << 20;
    pub(super) const USE_CLOCKID: u64 = 1 << 25;
}

/// The identity of an event: type, configuration and modifiers.
pub(super) type EventKey = (u32, u64, u64, u64, Modifiers);

/// How one event was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EventAttr {
    pub(super) kind: u32,
    pub(super) config: u64,
    pub(super) config1: u64,
    pub(super) config2: u64,
    /// The weight of one sample; 0 if the kernel adjusts it to a frequency.
    pub(super) fixed_period: u64,
    /// Samples a second asked for; 0 where the period is fixed.
    pub(super) frequency: u64,
    pub(super) sample_type: u64,
    pub(super) read_format: u64,
    pub(super) branch_sample_type: u64,
    pub(super) regs_user: u64,
    pub(super) regs_intr: u64,
    /// Whether records that are not samples end in who, when and which event.
    pub(super) sample_id_all: bool,
    /// Whether times are of `CLOCK_MONOTONIC` (`perf record -k 1`).
    pub(super) is_monotonic: bool,
    pub(super) modifiers: Modifiers,
}

impl EventAttr {
    /// The attribute in `bytes`, and its size.
    pub(super) fn parse(bytes: &[u8], order: ByteOrder) -> Option<(Self, usize)> {
        let mut fields = Fields::new(bytes, order);
        let kind = fields.number32()?;
        let size = match usize::try_from(fields.number32()?).ok()? {
            // perf before 3.0 left it empty.
            0 => MIN_SIZE,
            size => size,
        };
        // What the kernel did not write reads as zero.
        let mut whole = [0_u8; 136];
        let written = bytes.get(..size).filter(|_| size >= MIN_SIZE)?;
        let kept = size.min(whole.len());
        whole.get_mut(..kept)?.copy_from_slice(written.get(..kept)?);
        let mut fields = Fields::new(&whole, order);
        fields.skip(8)?;
        let config = fields.number64()?;
        let period = fields.number64()?;
        let (sample_type, read_format) = (fields.number64()?, fields.number64()?);
        let flags = flags(fields.number64()?, order);
        fields.skip(8)?;
        let (config1, config2) = (fields.number64()?, fields.number64()?);
        let branch_sample_type = fields.number64()?;
        let regs_user = fields.number64()?;
        fields.skip(4)?;
        let clock = fields.number32()?;
        let regs_intr = fields.number64()?;
        let is_frequency = flags & flag::FREQ != 0;
        let attr = Self {
            kind,
            config,
            config1,
            config2,
            fixed_period: if is_frequency { 0 } else { period },
            frequency: if is_frequency { period } else { 0 },
            sample_type,
            read_format,
            branch_sample_type,
            regs_user,
            regs_intr,
            sample_id_all: flags & flag::SAMPLE_ID_ALL != 0,
            is_monotonic: flags & flag::USE_CLOCKID != 0 && clock == CLOCK_MONOTONIC,
            modifiers: Modifiers {
                exclude_user: flags & flag::EXCLUDE_USER != 0,
                exclude_kernel: flags & flag::EXCLUDE_KERNEL != 0,
                exclude_hypervisor: flags & flag::EXCLUDE_HV != 0,
                exclude_host: flags & flag::EXCLUDE_HOST != 0,
                exclude_guest: flags & flag::EXCLUDE_GUEST != 0,
                precise: precise(flags, order),
            },
        };
        Some((attr, size))
    }

    /// Whether samples have all of `bits`.
    #[inline]
    pub(super) fn has(&self, bits: u64) -> bool {
        self.sample_type & bits == bits
    }

    /// The identity of the event in the recording: two attributes of one event differ only in their CPUs.
    pub(super) fn key(&self) -> EventKey {
        (self.kind, self.config, self.config1, self.config2, self.modifiers)
    }

    /// The name that perf gives an event whose recording does not say it.
    pub(super) fn made_name(&self) -> String {
        event_name(self.kind, self.config, self.modifiers)
    }
}

/// The bit fields as one number whose first bit is the first field: big-endian machines lay them out from the other end.
fn flags(number: u64, order: ByteOrder) -> u64 {
    match order {
        ByteOrder::Little => number,
        ByteOrder::Big => number.reverse_bits(),
    }
}

/// The one field of two bits, which is turned around with the others on big-endian machines.
fn precise(flags: u64, order: ByteOrder) -> u8 {
    let bits = (flags >> flag::PRECISE_SHIFT & 3) as u8;
    match order {
        ByteOrder::Little => bits,
        ByteOrder::Big => (bits & 1) << 1 | bits >> 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attr(order: ByteOrder, flags: u64) -> EventAttr {
        let number32 = |number: u32| {
            if order == ByteOrder::Little { number.to_le_bytes() } else { number.to_be_bytes() }
        };
        let number64 = |number: u64| {
            if order == ByteOrder::Little { number.to_le_bytes() } else { number.to_be_bytes() }
        };
        let mut bytes = [number32(1), number32(72)].concat();
        [0, 997, 0x127, 4, flags, 0, 0, 0].iter().for_each(|number| bytes.extend(number64(*number)));
        let (attr, size) = EventAttr::parse(&bytes, order).expect("72 bytes are enough");
        assert_eq!(size, 72);
        attr
    }

    #[test]
    fn bit_fields_are_read_from_the_first_one_on_in_both_byte_orders() {
        let flags = flag::FREQ | flag::SAMPLE_ID_ALL | flag::EXCLUDE_KERNEL | 2 << flag::PRECISE_SHIFT;
        let big = (flags & !(3 << flag::PRECISE_SHIFT) | 1 << flag::PRECISE_SHIFT).reverse_bits();
        for attr in [attr(ByteOrder::Little, flags), attr(ByteOrder::Big, big)] {
            assert_eq!((attr.frequency, attr.fixed_period, attr.sample_id_all), (997, 0, true));
            assert_eq!((attr.modifiers.precise, attr.modifiers.exclude_kernel), (2, true));
            assert!(!attr.modifiers.exclude_user && attr.has(sample_type::IP | sample_type::PERIOD));
        }
    }

    #[test]
    fn an_attribute_that_is_cut_short_is_none() {
        assert!(EventAttr::parse(&[0; 63], ByteOrder::Little).is_none());
    }
}
