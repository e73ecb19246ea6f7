//! What the call before a return address calls.
//!
//! In: a file and a return address in it. Out: the first byte of the function called, or that it was called through a pointer. A call
//! is accepted only if it leads to where the unwind tables say that a function begins, so bytes that happen to look like one are not
//! taken for it. Calls of other files, through stubs or the table of their addresses, are not told; those of this file through that
//! table are.
//!
//! Cost: a few bytes and one search of the unwind tables for each address.

use std::sync::OnceLock;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Register};

use crate::binary::branch_target::branch_target;
use crate::binary::call_targets::CallTargets;
use crate::binary::elf_file::ElfFile;
use crate::binary::function_ranges::FunctionRanges;
use crate::binary::layout::Processor;

/// The length of a direct call of x86-64.
const CALL_BYTES: u64 = 5;

/// The length of a call through a slot of the linker's table.
const SLOT_CALL_BYTES: u64 = 6;

/// The lengths of calls through a pointer of x86-64.
const POINTER_CALL_BYTES: std::ops::RangeInclusive<u64> = 2..=8;

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReturnCall {
    /// The function that begins at this address.
    Function(u64),
    /// Any function: it is called through a pointer.
    Pointer,
}

/// The calls in one file.
pub(crate) struct ReturnCalls<'f> {
    file: &'f ElfFile,
    processor: Processor,
    functions: FunctionRanges<'f>,
    targets: OnceLock<CallTargets>,
}

impl<'f> ReturnCalls<'f> {
    pub(crate) fn new(file: &'f ElfFile) -> Self {
        let (processor, functions) = (Processor::of(file), FunctionRanges::new(file));
        Self { file, processor, functions, targets: OnceLock::new() }
    }

    /// The call whose last byte is at `call_byte`. Profilers that unwind by debug information may print an address one byte lower.
    pub(crate) fn at(&self, call_byte: u64) -> Option<ReturnCall> {
        let after = call_byte.checked_add(1)?;
        let direct = |after| self.target(after).filter(|target| self.is_function(*target));
        let by_slot = |after| self.by_slot(after).filter(|target| self.is_function(*target));
        let told = |after| direct(after).or_else(|| by_slot(after));
        match told(after).or_else(|| told(after.checked_add(1)?)) {
            Some(target) => Some(ReturnCall::Function(target)),
            None => self.is_by_pointer(after).then_some(ReturnCall::Pointer),
        }
    }

    fn is_function(&self, addr: u64) -> bool {
        self.functions.at(addr).is_some_and(|function| function.start == addr)
    }

    /// Where the direct call before an address leads.
    fn target(&self, after: u64) -> Option<u64> {
        match self.processor {
            Processor::X86 => {
                let call = self.instruction_before(after, CALL_BYTES)?;
                branch_target(&call).filter(|_| call.flow_control() == FlowControl::Call)
            }
            Processor::Arm => {
                let word = u32::from_le_bytes(self.bytes_before(after, 4)?.try_into().ok()?);
                let words = i64::from((word << 6).cast_signed() >> 6);
                (word >> 26 == 0b10_0101).then(|| (after - 4).wrapping_add_signed(4 * words))
            }
            Processor::Other => None,
        }
    }

    /// Where the call before an address leads if it is through a slot of the linker's table.
    fn by_slot(&self, after: u64) -> Option<u64> {
        let is_decoded = matches!(self.processor, Processor::X86);
        let call = is_decoded.then(|| self.instruction_before(after, SLOT_CALL_BYTES)).flatten()?;
        let targets = self.targets.get_or_init(|| CallTargets::read(self.file));
        targets.through_slot(&call).filter(|_| call.flow_control() == FlowControl::IndirectCall)
    }

    /// Whether the call before an address is through a pointer that is not the linker's own. Bytes that could also be the end of a
    /// direct call are not told.
    fn is_by_pointer(&self, after: u64) -> bool {
        let leads_to_code = || self.target(after).is_some_and(|target| self.file.is_code(target));
        match self.processor {
            Processor::X86 => {
                let instructions =
                    POINTER_CALL_BYTES.filter_map(|length| self.instruction_before(after, length));
                let is_call = |call: &Instruction| call.flow_control() == FlowControl::IndirectCall;
                let mut calls = instructions.filter(is_call).peekable();
                let is_one = calls.peek().is_some();
                // The end of a call by the linker's table may look like another call.
                is_one && !leads_to_code() && calls.all(|call| call.memory_base() != Register::RIP)
            }
            Processor::Arm => {
                let word = self.bytes_before(after, 4).and_then(|bytes| bytes.try_into().ok());
                word.map(u32::from_le_bytes).is_some_and(|word| word & 0xffff_fc1f == 0xd63f_0000)
            }
            Processor::Other => false,
        }
    }

    /// The instruction of x86-64 that takes up the bytes before an address.
    fn instruction_before(&self, after: u64, length: u64) -> Option<Instruction> {
        let code = self.bytes_before(after, length)?;
        let instruction = Decoder::with_ip(64, code, after - length, DecoderOptions::NONE).decode();
        (instruction.len() as u64 == length).then_some(instruction)
    }

    fn bytes_before(&self, after: u64, length: u64) -> Option<&[u8]> {
        let bytes = self.file.instructions(after.checked_sub(length)?, length);
        (bytes.len() as u64 == length).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::function_ranges::all_functions;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn calls_are_those_that_decoding_whole_functions_finds() {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        let (calls, targets) = (ReturnCalls::new(&file), CallTargets::read(&file));
        let all = all_functions(&file);
        let starts: std::collections::BTreeSet<u64> = all.iter().map(|range| range.start).collect();
        let code = |range: &std::ops::Range<u64>| {
            (range.start, file.instructions(range.start, range.end - range.start))
        };
        let decoded = |(start, code)| Decoder::with_ip(64, code, start, DecoderOptions::NONE).into_iter();
        let instructions: Vec<Instruction> =
            all.iter().step_by(1 + all.len() / 2000).map(code).flat_map(decoded).collect();
        let (mut direct, mut by_slot, mut by_pointer, mut unknown) = (0, 0, 0, 0);
        for instruction in instructions {
            let found = calls.at(instruction.next_ip() - 1);
            match instruction.flow_control() {
                FlowControl::Call if starts.contains(&instruction.near_branch_target()) => {
                    direct += 1;
                    assert_eq!(found, Some(ReturnCall::Function(instruction.near_branch_target())));
                }
                FlowControl::IndirectCall if instruction.memory_base() == Register::RIP => {
                    let told = targets.through_slot(&instruction).filter(|to| starts.contains(to));
                    by_slot += u32::from(told.is_some());
                    assert_eq!(found, told.map(ReturnCall::Function), "{instruction}");
                }
                FlowControl::IndirectCall => {
                    by_pointer += 1;
                    unknown += u32::from(found.is_none());
                    assert!(found.is_none_or(|call| call == ReturnCall::Pointer), "{instruction}");
                }
                _ => {}
            }
        }
        // Bytes before may look like a call of another kind.
        assert!(
            direct > 1000 && by_slot > 10 && by_pointer > 100 && unknown * 50 < by_pointer,
            "{direct} {by_slot} {by_pointer} {unknown}"
        );
    }
}
