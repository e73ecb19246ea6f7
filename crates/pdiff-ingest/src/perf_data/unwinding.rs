//! Samples whose callers are still in the bytes of their stacks (`--call-graph dwarf`): collected, and unwound in batches.
//!
//! A batch is unwound by all cores, while the bytes of a whole recording would not fit in memory. Without an unwinder such
//! samples have the place where the program was, and no callers.

use pdiff_profile::{
    EventId, MappedCode, ObjectKind, Processor, ProfileBuilder, RecordedStack, RuntimeAddr, TakenSample,
    ThreadId, Unwinder, UnwoundStack, Weight,
};

use super::fields::ByteOrder;
use super::maps::Maps;
use super::objects::Objects;
use super::processes::{Process, Stamp};
use super::sample::{Sample, UserRegisters};
use super::stacks::{Space, Stacks};

/// The most bytes of stacks that wait.
const MAX_WAITING_BYTES: usize = 16 << 20;
/// Where nothing is mapped: what represents callers that were not found.
const UNKNOWN_CALLERS: u64 = u64::MAX;
/// The most samples that wait.
const MAX_WAITING: usize = 4096;

/// A sample that waits for its callers.
struct Waiting {
    counted: Counted,
    /// The recorded part of the chain: the kernel's.
    chain: Box<[u8]>,
    process: Process,
    kernel_stamp: u64,
    stack: RecordedStack,
}

/// The properties of a sample except its stack.
#[derive(Clone, Copy)]
pub(super) struct Counted {
    pub(super) event: EventId,
    pub(super) time_ns: Option<u64>,
    /// The second.
    pub(super) block: u32,
    pub(super) cpu: Option<u32>,
    pub(super) thread: ThreadId,
    pub(super) weight: Weight,
}

/// Samples that wait.
pub(super) struct Unwinding<'u> {
    unwinder: Option<&'u dyn Unwinder>,
    each_sample: Option<&'u (dyn Fn(TakenSample) + Sync)>,
    waiting: Vec<Waiting>,
    bytes: usize,
    /// Stacks whose root was not reached.
    pub(super) partly: u64,
    /// Stacks that were unwound.
    pub(super) all: u64,
}

impl<'u> Unwinding<'u> {
    pub(super) fn new(
        unwinder: Option<&'u dyn Unwinder>,
        each_sample: Option<&'u (dyn Fn(TakenSample) + Sync)>,
    ) -> Self {
        Self { unwinder, each_sample, waiting: Vec::new(), bytes: 0, partly: 0, all: 0 }
    }

    /// Takes a sample with its stack; whether the batch is full.
    pub(super) fn push(
        &mut self,
        sample: &Sample<'_>,
        stack: RecordedStack,
        counted: Counted,
        space: Space<'_>,
    ) -> bool {
        self.bytes += stack.bytes.len();
        self.waiting.push(Waiting {
            counted,
            chain: sample.chain.unwrap_or(&[]).into(),
            process: space.process.cloned().unwrap_or_default(),
            kernel_stamp: space.kernel_stamp,
            stack,
        });
        self.bytes >= MAX_WAITING_BYTES || self.waiting.len() >= MAX_WAITING
    }

    /// Unwinds all that wait, and counts them.
    pub(super) fn finish_batch(
        &mut self,
        kernel: &Maps,
        stacks: &mut Stacks,
        objects: &mut Objects,
        builder: &mut ProfileBuilder,
    ) {
        let waiting = std::mem::take(&mut self.waiting);
        self.bytes = 0;
        let unwound = self.unwind(&waiting, objects);
        for (sample, unwound) in waiting.iter().zip(unwound) {
            self.all += 1;
            self.partly += u64::from(!unwound.is_whole);
            let space = Space { process: Some(&sample.process), kernel, kernel_stamp: sample.kernel_stamp };
            let stack = stacks.of_unwound(&sample.chain, &unwound.addrs, space, objects, builder);
            let stack = stack.unwrap_or_else(|| builder.stack(&[]));
            let Counted { event, time_ns, block, cpu, thread, weight } = sample.counted;
            builder.count(event, block, thread, stack, 1, weight);
            if let Some(each_sample) = self.each_sample {
                each_sample(TakenSample { event, time_ns, cpu, thread, stack, weight });
            }
        }
    }

    /// The callers of each sample, in their order.
    fn unwind(&self, waiting: &[Waiting], objects: &Objects) -> Vec<UnwoundStack> {
        let only_ip = |sample: &Waiting| UnwoundStack { addrs: vec![sample.stack.ip], is_whole: false };
        let mut unwound: Vec<UnwoundStack> = waiting.iter().map(only_ip).collect();
        let Some(unwinder) = self.unwinder else { return unwound };
        let mut order: Vec<usize> = (0..waiting.len()).collect();
        let key = |at: usize| -> Option<(Stamp, Processor)> {
            waiting.get(at).map(|sample| (sample.process.stamp, sample.stack.processor))
        };
        order.sort_by_key(|at| key(*at));
        for group in order.chunk_by(|a, b| key(*a) == key(*b)) {
            let samples: Vec<&Waiting> = group.iter().filter_map(|at| waiting.get(*at)).collect();
            let Some(first) = samples.first() else { continue };
            let code = mapped_code(&first.process.maps, objects);
            let of_group: Vec<&RecordedStack> = samples.iter().map(|sample| &sample.stack).collect();
            for (at, found) in group.iter().zip(unwinder.unwind(&code, &of_group)) {
                if let Some(slot) = unwound.get_mut(*at).filter(|_| !found.addrs.is_empty()) {
                    *slot = found;
                    // The callers that are missing are a frame of their own, as in perf.
                    slot.addrs.extend((!slot.is_whole).then_some(UNKNOWN_CALLERS));
                }
            }
        }
        unwound
    }
}

/// The parts of files that a process had mapped.
fn mapped_code(maps: &Maps, objects: &Objects) -> Vec<MappedCode> {
    let code = |(start, map): (u64, &super::maps::Map)| {
        let object = objects.get(map.object)?.clone();
        let has_file = matches!(object.kind, ObjectKind::File | ObjectKind::Vdso);
        let offset = pdiff_profile::FileOffset(start.wrapping_add(map.shift));
        has_file.then_some(MappedCode { object, addrs: RuntimeAddr(start)..RuntimeAddr(map.end), offset })
    };
    maps.iter().filter_map(code).collect()
}

/// The registers that unwinding begins with; `None` of processors that it does not know, and of 32-bit programs.
pub(super) fn recorded_stack(
    registers: UserRegisters<'_>,
    bytes: &[u8],
    order: ByteOrder,
) -> Option<RecordedStack> {
    /// Places of registers in `asm/perf_regs.h`: frame pointer, stack pointer, instruction pointer, link register.
    const X86_64: [u32; 4] = [6, 7, 8, 8];
    const AARCH64: [u32; 4] = [29, 31, 32, 30];
    if !registers.is_64_bit || order == ByteOrder::Big {
        return None;
    }
    // Only aarch64 has a register of that number below its instruction pointer's.
    let (processor, places) = match registers.mask >> 32 & 1 {
        1 => (Processor::Aarch64, AARCH64),
        _ => (Processor::X86_64, X86_64),
    };
    let value = |place: u32| {
        let bit = 1_u64 << place;
        let index = (registers.mask & (bit - 1)).count_ones() as usize;
        (registers.mask & bit != 0).then(|| order.numbers64(registers.values).nth(index)).flatten()
    };
    let [fp, sp, ip, lr] = places.map(value);
    Some(RecordedStack { processor, ip: ip?, sp: sp?, fp: fp?, lr: lr?, bytes: bytes.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registers(mask: u64, values: &[u64], is_64_bit: bool) -> Option<(Processor, [u64; 4])> {
        let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let registers = UserRegisters { is_64_bit, mask, values: &values };
        let stack = recorded_stack(registers, &[], ByteOrder::Little)?;
        Some((stack.processor, [stack.ip, stack.sp, stack.fp, stack.lr]))
    }

    #[test]
    fn registers_are_found_by_their_bits() {
        let x86 = registers(0b1_1100_0001, &[1, 6, 7, 8], true);
        assert_eq!(x86, Some((Processor::X86_64, [8, 7, 6, 8])));
        let arm = registers(1 | 0b1111 << 29, &[1, 29, 30, 31, 32], true);
        assert_eq!(arm, Some((Processor::Aarch64, [32, 31, 29, 30])));
        assert_eq!(registers(0b1_1100_0001, &[1, 6, 7, 8], false), None);
        assert_eq!(registers(0b1_1100_0001, &[1, 6], true), None);
    }
}
