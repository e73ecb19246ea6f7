//! x86-64: bytes to instructions with their text, and where code blocks begin.
//!
//! A code block begins where a body begins, where a direct jump leads, and after whatever does not go on to the next
//! instruction. Calls do not end one. What is not an instruction is shown as `(bad)`.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Formatter as _, GasFormatter, OpKind};
use pdiff_profile::{Instruction, ObjectAddr};

use crate::binary::branch_target::branch_target;
use crate::binary::call_targets::CallTargets;
use crate::binary::ranges::range_at;

/// What was disassembled so far.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) instructions: Vec<Instruction>,
    pub(super) block_starts: BTreeSet<ObjectAddr>,
}

impl Decoded {
    /// Adds the instructions of one of the `bodies` of a function. `name` gives the function at an address.
    pub(super) fn add(
        &mut self,
        start: u64,
        bytes: &[u8],
        bodies: &[Range<u64>],
        targets: &CallTargets,
        name: &dyn Fn(u64) -> Option<String>,
    ) {
        let mut formatter = formatter();
        self.block_starts.insert(ObjectAddr(start));
        for decoded in Decoder::with_ip(64, bytes, start, DecoderOptions::NONE) {
            let (target, flow) = targets.step(&decoded);
            let is_inside = target.is_some_and(|target| range_at(bodies, target).is_some());
            if !goes_on(flow) {
                self.block_starts.insert(ObjectAddr(decoded.next_ip()));
            }
            if let Some(target) = target.filter(|_| is_inside && flow != FlowControl::Call) {
                self.block_starts.insert(ObjectAddr(target));
            }
            let callee = target.filter(|_| !is_inside || flow == FlowControl::Call).and_then(name);
            let mut text = String::new();
            formatter.format(&decoded, &mut text);
            if let Some(callee) = &callee {
                let mnemonic = text.split_whitespace().next().unwrap_or_default();
                text = format!("{mnemonic} {callee}");
            }
            self.instructions.push(Instruction {
                addr: ObjectAddr(decoded.ip()),
                length: u8::try_from(decoded.len()).unwrap_or(u8::MAX),
                text: text.into(),
                opcode: opcode(&decoded).into(),
                callee: callee.map(Into::into),
                place: None,
            });
        }
    }
}

/// Texts like those of `objdump -d` and `perf annotate`.
fn formatter() -> GasFormatter {
    let mut formatter = GasFormatter::new();
    let options = formatter.options_mut();
    options.set_uppercase_hex(false);
    options.set_small_hex_numbers_in_decimal(false);
    options.set_rip_relative_addresses(true);
    options.set_branch_leading_zeros(false);
    formatter
}

/// Whether the next instruction follows.
fn goes_on(flow: FlowControl) -> bool {
    matches!(flow, FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall | FlowControl::Interrupt)
}

/// The mnemonic, and for each operand its kind: register, vector register, memory, number or target of a jump.
fn opcode(decoded: &iced_x86::Instruction) -> String {
    let mut opcode = match decoded.flow_control() {
        FlowControl::ConditionalBranch => "jcc".to_owned(),
        _ => format!("{:?}", decoded.mnemonic()).to_lowercase(),
    };
    for operand in 0..decoded.op_count() {
        opcode.push(match decoded.op_kind(operand) {
            OpKind::Register if decoded.op_register(operand).is_vector_register() => 'v',
            OpKind::Register => 'r',
            _ if operand == 0 && branch_target(decoded).is_some() => 'j',
            _ if decoded.try_immediate(operand).is_ok() => 'i',
            _ => 'm',
        });
        if operand == 0 {
            let at = opcode.len() - 1;
            opcode.insert(at, ' ');
        }
    }
    opcode
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Decoded {
        let mut decoded = Decoded::default();
        let body = 0x1000..0x1000 + bytes.len() as u64;
        let targets = CallTargets::default();
        decoded.add(0x1000, bytes, std::slice::from_ref(&body), &targets, &|target| {
            (target == 0x2000).then(|| "f".to_owned())
        });
        decoded
    }

    #[test]
    fn texts_are_those_of_objdump() {
        let check = |bytes: &[u8], text: &str, opcode: &str| {
            let decoded = decoded(bytes);
            let first = &decoded.instructions[0];
            assert_eq!((&*first.text, &*first.opcode), (text, opcode));
        };
        check(b"\x48\x8b\x44\x8f\x10", "mov 0x10(%rdi,%rcx,4),%rax", "mov rm");
        check(b"\x8b\x05\x00\x10\x00\x00", "mov 0x1000(%rip),%eax", "mov rm");
        check(b"\x83\xe8\x0a", "sub $0xa,%eax", "sub ri");
        check(b"\x75\x00", "jne 0x1002", "jcc j");
        check(b"\xe8\xfb\x0f\x00\x00", "call f", "call j");
        check(b"\xe9\xfb\x0f\x00\x00", "jmp f", "jmp j");
        check(b"\xc5\xfd\x58\xc2", "vaddpd %ymm2,%ymm0,%ymm0", "vaddpd vvv");
        check(b"\x06", "(bad)", "invalid");
    }

    #[test]
    fn blocks_begin_after_jumps_and_where_they_lead() {
        // xor %eax,%eax; 1: add $1,%eax; call f; cmp %edi,%eax; jne 1b; ret; nop
        let code = b"\x31\xc0\x83\xc0\x01\xe8\xf6\x0f\x00\x00\x39\xf8\x75\xf4\xc3\x90";
        let decoded = decoded(code);
        let starts: Vec<u64> = decoded.block_starts.iter().map(|start| start.0).collect();
        assert_eq!(starts, [0x1000, 0x1002, 0x100e, 0x100f]);
        assert_eq!(decoded.instructions[2].callee.as_deref(), Some("f"));
    }
}
