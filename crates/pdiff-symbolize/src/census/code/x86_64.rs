//! x86-64: what of an instruction depends on addresses, where control goes, what spins.
//!
//! Blanked are displacements relative to the instruction pointer, targets of direct branches out of the body, and, in a
//! file linked to a fixed address, immediates and displacements that are addresses in it. (In a file that can be loaded
//! anywhere no instruction can contain an address, so numbers that look like one are kept.)

use iced_x86::{ConstantOffsets, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use pdiff_profile::census::Spin;

use super::sketch::{Sketch, TransferKind};
use crate::binary::call_targets::CallTargets;
use crate::binary::layout::Layout;

/// The longest loop around an exchange that counts as waiting for it.
const MAX_SPIN_LOOP_BYTES: u64 = 64;

/// Decodes the body in `sketch`.
pub(super) fn decode(layout: &Layout, targets: &CallTargets, sketch: &mut Sketch) {
    let bytes = std::mem::take(&mut sketch.bytes);
    let length = bytes.len() as u64;
    let mut decoder = Decoder::with_ip(64, &bytes, sketch.addr, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut waits = Waits::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let (target, flow) = targets.step(&instruction);
        let leaves = target.is_some_and(|target| target.wrapping_sub(sketch.addr) >= length);
        if leaves
            || instruction.is_ip_rel_memory_operand()
            || (layout.is_fixed && holds_address(layout, &instruction))
        {
            let offsets = decoder.get_constant_offsets(&instruction);
            mask(layout, sketch, &instruction, &offsets, leaves);
        }
        if let Some(target) = target {
            let is_call = flow == FlowControl::Call;
            if is_call || leaves {
                sketch.transfer(if is_call { TransferKind::Call } else { TransferKind::Jump }, target);
            }
        }
        waits.see(&instruction, target.filter(|_| !leaves), sketch);
    }
    sketch.bytes = bytes;
}

/// Whether an instruction of a file with fixed addresses contains one of them.
fn holds_address(layout: &Layout, instruction: &Instruction) -> bool {
    immediate(instruction).is_some_and(|value| layout.is_allocated(value))
        || displacement_is_address(layout, instruction)
}

fn displacement_is_address(layout: &Layout, instruction: &Instruction) -> bool {
    instruction.memory_displ_size() >= 4 && layout.is_allocated(instruction.memory_displacement64())
}

/// An immediate wide enough to be an address.
fn immediate(instruction: &Instruction) -> Option<u64> {
    let wide = |kind| matches!(kind, OpKind::Immediate32 | OpKind::Immediate32to64 | OpKind::Immediate64);
    let operand = (0..instruction.op_count()).find(|operand| wide(instruction.op_kind(*operand)))?;
    Some(instruction.immediate(operand))
}

fn mask(
    layout: &Layout,
    sketch: &mut Sketch,
    instruction: &Instruction,
    offsets: &ConstantOffsets,
    leaves: bool,
) {
    let Ok(at) = usize::try_from(instruction.ip().wrapping_sub(sketch.addr)) else { return };
    let immediate_is_address =
        layout.is_fixed && immediate(instruction).is_some_and(|value| layout.is_allocated(value));
    if offsets.has_immediate() && (leaves || immediate_is_address) {
        sketch.mask(at + offsets.immediate_offset(), offsets.immediate_size());
    }
    let displacement_moves = instruction.is_ip_rel_memory_operand()
        || (layout.is_fixed && displacement_is_address(layout, instruction));
    if offsets.has_displacement() && displacement_moves {
        sketch.mask(at + offsets.displacement_offset(), offsets.displacement_size());
    }
}

/// Looks for busy waiting: `pause`, and an exchange with memory inside a short loop without calls. A loop around
/// `lock cmpxchg` is how counters are raised without a lock, so it is not taken for waiting.
#[derive(Default)]
struct Waits {
    last_exchange: Option<u64>,
    last_call: u64,
}

impl Waits {
    /// Looks at an instruction; `target` is that of a branch within the body.
    fn see(&mut self, instruction: &Instruction, target: Option<u64>, sketch: &mut Sketch) {
        let ip = instruction.ip();
        match instruction.mnemonic() {
            Mnemonic::Pause => sketch.spins.push((ip, Spin::Pause)),
            Mnemonic::Xchg if has_memory_operand(instruction) => self.last_exchange = Some(ip),
            Mnemonic::Call => self.last_call = ip,
            _ => {}
        }
        let (Some(target), Some(exchange)) = (target, self.last_exchange) else { return };
        let is_loop = target <= exchange && exchange <= ip && ip - target <= MAX_SPIN_LOOP_BYTES;
        if is_loop && self.last_call < target {
            sketch.spins.push((exchange, Spin::ExchangeLoop));
            self.last_exchange = None;
        }
    }
}

fn has_memory_operand(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
}

#[cfg(test)]
mod tests {
    use super::super::sketch::Sketch;
    use super::*;

    /// The sketch of some code at an address, in a file that can be loaded anywhere.
    fn sketch(addr: u64, code: &[u8]) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.begin(addr, code);
        decode(&Layout::default(), &CallTargets::default(), &mut sketch);
        sketch
    }

    #[test]
    fn where_a_body_lies_does_not_count() {
        // mov 0x1000(%rip),%eax; call away; ret
        let here = sketch(0x1000, b"\x8b\x05\x00\x10\x00\x00\xe8\x00\x20\x00\x00\xc3");
        let there = sketch(0x9000, b"\x8b\x05\x77\x10\x00\x00\xe8\x55\x44\x00\x00\xc3");
        assert_eq!(here.hash(), there.hash());
        assert_eq!(here.transfers[0].target, 0x100b + 0x2000);
    }

    #[test]
    fn calls_through_a_slot_are_told() {
        let mut sketch = Sketch::default();
        // call *0x5000; jmp *0x5000
        sketch.begin(0x1000, b"\xff\x15\xfa\x3f\x00\x00\xff\x25\xf4\x3f\x00\x00");
        decode(&Layout::default(), &CallTargets::of_slot(0x5000, 0x2000), &mut sketch);
        let told: Vec<(TransferKind, u64)> =
            sketch.transfers.iter().map(|transfer| (transfer.kind, transfer.target)).collect();
        assert_eq!(told, [(TransferKind::Call, 0x2000), (TransferKind::Jump, 0x2000)]);
    }

    #[test]
    fn immediates_and_inner_branches_count() {
        // mov $1,%eax; jmp over; nop; ret
        let base = sketch(0x1000, b"\xb8\x01\x00\x00\x00\xeb\x01\x90\xc3").hash();
        assert_ne!(base, sketch(0x1000, b"\xb8\x02\x00\x00\x00\xeb\x01\x90\xc3").hash());
        assert_ne!(base, sketch(0x1000, b"\xb8\x01\x00\x00\x00\xeb\x00\x90\xc3").hash());
    }

    #[test]
    fn waiting_is_seen() {
        // 1: xchg %eax,(%rdi); test %eax,%eax; jne 1b
        let exchange = sketch(0x1000, b"\x87\x07\x85\xc0\x75\xfa");
        assert_eq!(exchange.spins, [(0x1000, Spin::ExchangeLoop)]);
        // 1: lock cmpxchg %ecx,(%rdi); jne 1b
        assert_eq!(sketch(0x1000, b"\xf0\x0f\xb1\x0f\x75\xfa").spins, []);
        assert_eq!(sketch(0x1000, b"\xf3\x90").spins, [(0x1000, Spin::Pause)]);
    }
}
