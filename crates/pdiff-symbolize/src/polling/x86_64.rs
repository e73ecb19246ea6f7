//! x86-64: PAUSE, backward branches, and short loops that only read memory again.
//!
//! Most functions wait nowhere, and their bytes say so: without the bytes of PAUSE and without a branch a few bytes back
//! to what only reads, nothing has to be decoded.

use std::ops::Range;

use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register,
};

use super::{Body, MAX_READ_LOOP_BYTES};
use crate::binary::branch_target::branch_target;

/// What the instructions of a function say of loops; of one that waits nowhere nothing.
pub(super) fn decode(start: u64, bytes: &[u8]) -> Body {
    if !may_wait(bytes) {
        return Body::default();
    }
    let instructions: Vec<Instruction> = instructions(start, bytes).collect();
    let mut body = Body::default();
    for (at, instruction) in instructions.iter().enumerate() {
        if instruction.mnemonic() == Mnemonic::Pause {
            body.pauses.push(instruction.ip());
        }
        let Some(range) = loop_of(instruction, start) else { continue };
        if range.end - range.start <= MAX_READ_LOOP_BYTES {
            let first = instructions.partition_point(|other| other.ip() < range.start);
            let inside = instructions.get(first..=at).unwrap_or(&[]);
            if only_reads_again(inside.iter().copied()) {
                body.read_loops.push(range.clone());
            }
        }
        body.loops.push(range);
    }
    body
}

fn instructions(start: u64, bytes: &[u8]) -> impl Iterator<Item = Instruction> {
    Decoder::with_ip(64, bytes, start, DecoderOptions::NONE).into_iter()
}

/// Whether bytes of code may hold what waits, wherever instructions begin in them.
fn may_wait(bytes: &[u8]) -> bool {
    const PAUSE: [u8; 2] = [0xf3, 0x90];
    bytes.windows(2).enumerate().any(|(at, pair)| {
        let is_wait = |loop_bytes: &[u8]| only_reads_again(instructions(0, loop_bytes));
        pair == PAUSE || short_loop(bytes, at).is_some_and(is_wait)
    })
}

/// The bytes of a loop that a conditional branch at a place closes, if it is one that leads back no further than a loop
/// that only reads is long. Branches so short have one byte for how far.
fn short_loop(bytes: &[u8], branch: usize) -> Option<&[u8]> {
    let [0x70..=0x7f | 0xe0..=0xe3, distance] = *bytes.get(branch..branch + 2)? else { return None };
    let back = usize::from((distance as i8).unsigned_abs());
    let end = branch + 2;
    let is_short = (distance as i8) < 0 && back as u64 <= MAX_READ_LOOP_BYTES;
    bytes.get(end.checked_sub(back).filter(|_| is_short)?..end)
}

/// The loop that a branch closes.
fn loop_of(instruction: &Instruction, start: u64) -> Option<Range<u64>> {
    let is_branch = matches!(
        instruction.flow_control(),
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
    );
    let target = branch_target(instruction)?;
    (is_branch && target >= start && target <= instruction.ip()).then(|| target..instruction.next_ip())
}

/// Whether the instructions of a loop read memory whose address they do not change, compare what they read, and do nothing
/// else: what ends it is another thread.
fn only_reads_again(instructions: impl Iterator<Item = Instruction>) -> bool {
    let mut infos = InstructionInfoFactory::new();
    let (mut reads, mut written, mut addresses) = (false, Vec::new(), Vec::new());
    for instruction in instructions {
        let is_branch = instruction.flow_control() == FlowControl::ConditionalBranch;
        if instruction.flow_control() != FlowControl::Next && !is_branch {
            return false;
        }
        let info = infos.info(&instruction);
        let mut loads = false;
        for memory in info.used_memory() {
            if !matches!(memory.access(), OpAccess::Read | OpAccess::CondRead) {
                return false;
            }
            loads = true;
            addresses.extend([memory.base(), memory.index()].map(Register::full_register));
        }
        let changes = info.used_registers().iter().filter(|used| {
            !matches!(
                used.access(),
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess
            )
        });
        let changed: Vec<Register> = changes.map(|used| used.register().full_register()).collect();
        // A register that is not a copy of memory counts something.
        if !loads && !changed.is_empty() {
            return false;
        }
        written.extend(changed);
        reads |= loads;
    }
    let is_fixed = |register: &Register| *register == Register::None || !written.contains(register);
    reads && addresses.iter().all(is_fixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polling(code: &[u8]) -> Vec<(u64, u64)> {
        decode(0x1000, code).polling().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn the_innermost_loop_around_a_pause_waits_with_what_it_calls() {
        // outer: nop; inner: call f; pause; test %eax,%eax; jne inner; jmp outer
        let code = b"\x90\xe8\x00\x10\x00\x00\xf3\x90\x85\xc0\x75\xf5\xeb\xf2";
        assert_eq!(polling(code), [(0x1001, 0x100c)]);
        // A pause in no loop.
        assert_eq!(polling(b"\xf3\x90\xc3"), []);
    }

    #[test]
    fn a_short_loop_that_only_reads_again_waits() {
        // 1: mov (%rdi),%eax; test %eax,%eax; je 1b
        assert_eq!(polling(b"\x8b\x07\x85\xc0\x74\xfa"), [(0x1000, 0x1006)]);
        // 1: cmpl $0,(%rdi); je 1b
        assert_eq!(polling(b"\x83\x3f\x00\x74\xfb"), [(0x1000, 0x1005)]);
    }

    #[test]
    fn loops_that_walk_count_or_store_do_not() {
        // 1: mov (%rdi),%rdi; test %rdi,%rdi; jne 1b: a list is walked
        assert_eq!(polling(b"\x48\x8b\x3f\x48\x85\xff\x75\xf8"), []);
        // 1: add $1,%eax; cmp (%rdi),%eax; jb 1b: a count up to a bound in memory
        assert_eq!(polling(b"\x83\xc0\x01\x3b\x07\x72\xf9"), []);
        // 1: mov (%rdi),%eax; mov %eax,(%rsi); test %eax,%eax; je 1b
        assert_eq!(polling(b"\x8b\x07\x89\x06\x85\xc0\x74\xf8"), []);
        // 1: lock cmpxchg %ecx,(%rdi); jne 1b: a counter is raised without a lock
        assert_eq!(polling(b"\xf0\x0f\xb1\x0f\x75\xfa"), []);
        assert_eq!(polling(b""), []);
    }

    #[test]
    fn a_loop_that_waits_is_found_wherever_it_lies() {
        let waits = b"\x8b\x07\x85\xc0\x74\xfa";
        for before in [0, 1, 57, 58, 59, 300] {
            let code = [&vec![0x90; before], &waits[..], &[0xc3; 9]].concat();
            let start = 0x1000 + before as u64;
            assert_eq!(polling(&code), [(start, start + 6)], "{before}");
        }
        // The longest one: 1: mov (%rdi),%eax; 58 bytes of nop; test %eax,%eax; je 1b
        let long = |nops: usize, back: u8| {
            [&b"\x8b\x07"[..], &vec![0x90; nops], &[0x85, 0xc0, 0x74, back], &[0xc3; 9]].concat()
        };
        assert_eq!(polling(&long(58, 0xc0)), [(0x1000, 0x1040)]);
        assert_eq!(polling(&long(59, 0xbf)), []);
    }
}
