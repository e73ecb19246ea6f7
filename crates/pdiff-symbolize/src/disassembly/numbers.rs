//! How the code of a function of x86-64 differs in two builds: in which numbers, where nothing else does.
//!
//! A record that grew changes displacements; a line that moved changes the number that an error tells of it; a constant of the source is
//! an immediate. Addresses of code and data do not count: where they are, the linker chose.
//!
//! Cost: the bytes of the function.

use std::collections::BTreeMap;

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use pdiff_profile::{CodeChange, NumberUse, OtherNumber};

use crate::binary::branch_target::branch_target;
use crate::binary::layout::Layout;

/// The code of a function in one build.
pub(super) struct Code<'a> {
    /// Where each part begins, and its bytes.
    pub(super) parts: &'a [(u64, &'a [u8])],
    pub(super) layout: &'a Layout,
}

/// An instruction, with its target if that is in the function: the number of the instruction there.
struct Step {
    instruction: Instruction,
    target: Option<usize>,
}

/// How two codes of a function differ. Longer numbers make longer instructions, and other gaps between them.
pub(super) fn change(before: &Code<'_>, after: &Code<'_>) -> CodeChange {
    let mut numbers = Vec::new();
    let (old, new) = (before.steps(), after.steps());
    let is_alike = old.len() == new.len()
        && old.iter().zip(&new).all(|(old, new)| add_numbers((before, old), (after, new), &mut numbers));
    if !is_alike {
        return CodeChange::Instructions;
    }
    numbers.sort_unstable();
    numbers.dedup();
    CodeChange::Numbers(numbers)
}

/// Adds the numbers in which two instructions differ; whether they differ in nothing else.
fn add_numbers(
    (before, old): (&Code<'_>, &Step),
    (after, new): (&Code<'_>, &Step),
    numbers: &mut Vec<OtherNumber>,
) -> bool {
    if old.target != new.target || shape(&old.instruction) != shape(&new.instruction) {
        return false;
    }
    let (old, new) = (&old.instruction, &new.instruction);
    if has_memory(old) {
        let displacements = (old.memory_displacement64(), new.memory_displacement64());
        let is_address = old.is_ip_rel_memory_operand() || are_addresses(before, after, displacements);
        if displacements.0 != displacements.1 && !is_address {
            // A sum of four bytes is no pointer.
            let is_sum = old.mnemonic() == Mnemonic::Lea && old.op0_register().size() < 8;
            let used = if is_sum { NumberUse::Operand } else { NumberUse::Displacement };
            numbers.push(other(used, displacements));
        }
    }
    for operand in 0..old.op_count() {
        let immediates = old.try_immediate(operand).ok().zip(new.try_immediate(operand).ok());
        let Some(immediates) = immediates.filter(|(old, new)| old != new) else { continue };
        if !are_addresses(before, after, immediates) {
            numbers.push(other(number_use(old), immediates));
        }
    }
    true
}

fn number_use(of: &Instruction) -> NumberUse {
    let is_pointer = of.op0_kind() == OpKind::Register && of.op0_register().size() == 8;
    match of.mnemonic() {
        Mnemonic::Mov => NumberUse::Moved,
        Mnemonic::Cmp => NumberUse::Compared,
        Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar => NumberUse::Shifted,
        Mnemonic::Add | Mnemonic::Sub | Mnemonic::Imul if is_pointer => NumberUse::Stride,
        _ => NumberUse::Operand,
    }
}

/// Everything of an instruction but its numbers, and how many bytes these have.
fn shape(of: &Instruction) -> impl PartialEq {
    let operands: [_; 5] = std::array::from_fn(|operand| {
        let operand = operand as u32;
        let kind = (operand < of.op_count()).then(|| of.op_kind(operand));
        match kind {
            Some(OpKind::Register) => (1, Some(of.op_register(operand))),
            Some(OpKind::Memory) => (2, None),
            Some(OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64) => (3, None),
            Some(_) if of.try_immediate(operand).is_ok() => (4, None),
            Some(_) => (5, None),
            None => (0, None),
        }
    });
    let memory = (of.memory_base(), of.memory_index(), of.memory_index_scale(), of.memory_segment());
    let prefixes = (of.has_lock_prefix(), of.has_rep_prefix(), of.has_repne_prefix());
    let vectors = (of.op_mask(), of.zeroing_masking(), of.is_broadcast(), of.rounding_control());
    (of.mnemonic(), of.memory_size(), operands, memory, prefixes, vectors)
}

fn has_memory(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
}

/// Whether two numbers are addresses in files with fixed ones.
fn are_addresses(before: &Code<'_>, after: &Code<'_>, numbers: (u64, u64)) -> bool {
    let is_address = |code: &Code<'_>, number| code.layout.is_fixed && code.layout.is_allocated(number);
    is_address(before, numbers.0) && is_address(after, numbers.1)
}

fn other(used: NumberUse, (before, after): (u64, u64)) -> OtherNumber {
    OtherNumber { used, before: before as i64, after: after as i64 }
}

impl Code<'_> {
    /// The instructions, without those that do nothing and fill gaps.
    fn steps(&self) -> Vec<Step> {
        let decoded = self
            .parts
            .iter()
            .flat_map(|(start, code)| Decoder::with_ip(64, code, *start, DecoderOptions::NONE));
        let instructions: Vec<Instruction> = decoded.filter(|of| of.mnemonic() != Mnemonic::Nop).collect();
        // A jump to a gap leads to what follows it.
        let at: BTreeMap<u64, usize> =
            instructions.iter().zip(0..).map(|(of, number)| (of.ip(), number)).collect();
        let is_inside = |to: u64| {
            self.parts
                .iter()
                .any(|(start, code)| to.checked_sub(*start).is_some_and(|into| into < code.len() as u64))
        };
        let target = |of: &Instruction| {
            let to = branch_target(of).filter(|to| is_inside(*to))?;
            at.range(to..).next().map(|(_, number)| *number)
        };
        instructions.iter().map(|of| Step { target: target(of), instruction: *of }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that differ, as use, old and new one, of code that begins at other addresses; `None` if other instructions do.
    fn numbers(old: &[u8], new: &[u8]) -> Option<Vec<(NumberUse, i64, i64)>> {
        let layout = Layout::default();
        let (old, new) = ([(0x1000, old)], [(0x9000, new)]);
        match change(&Code { parts: &old, layout: &layout }, &Code { parts: &new, layout: &layout }) {
            CodeChange::Numbers(found) => {
                Some(found.into_iter().map(|of| (of.used, of.before, of.after)).collect())
            }
            CodeChange::Instructions => None,
        }
    }

    #[test]
    fn numbers_are_told_with_their_use() {
        // mov 0x18(%rdi),%eax; mov 0x20(%rdi),%eax
        assert_eq!(
            numbers(b"\x8b\x47\x18", b"\x8b\x47\x20"),
            Some(vec![(NumberUse::Displacement, 0x18, 0x20)])
        );
        // mov $0x100,%edi; mov $0x104,%edi
        assert_eq!(
            numbers(b"\xbf\x00\x01\x00\x00", b"\xbf\x04\x01\x00\x00"),
            Some(vec![(NumberUse::Moved, 0x100, 0x104)])
        );
        // sub $8,%eax; sub $2,%eax
        assert_eq!(numbers(b"\x83\xe8\x08", b"\x83\xe8\x02"), Some(vec![(NumberUse::Operand, 8, 2)]));
        // add $0x10,%rdx; add $0x60,%rdx
        assert_eq!(
            numbers(b"\x48\x83\xc2\x10", b"\x48\x83\xc2\x60"),
            Some(vec![(NumberUse::Stride, 0x10, 0x60)])
        );
        // cmp $-1,0x18(%rdi); cmp $-2,0x20(%rdi)
        assert_eq!(
            numbers(b"\x83\x7f\x18\xff", b"\x83\x7f\x20\xfe"),
            Some(vec![(NumberUse::Displacement, 0x18, 0x20), (NumberUse::Compared, -1, -2)])
        );
        // lea 0x246(%rax),%r8d; lea 0x918(%rax),%r8d
        let added = Some(vec![(NumberUse::Operand, 0x246, 0x918)]);
        assert_eq!(numbers(b"\x44\x8d\x80\x46\x02\x00\x00", b"\x44\x8d\x80\x18\x09\x00\x00"), added);
        // shl $4,%rax; shl $6,%rax
        let shifted = Some(vec![(NumberUse::Shifted, 4, 6)]);
        assert_eq!(numbers(b"\x48\xc1\xe0\x04", b"\x48\xc1\xe0\x06"), shifted);
    }

    #[test]
    fn longer_numbers_and_the_gaps_around_them_are_no_other_code() {
        // jmp 1f; mov 0x18(%rdi),%eax; 1: ret, and the same with 0x100(%rdi), and a nop before 1.
        let (old, new) = (b"\xeb\x03\x8b\x47\x18\xc3", b"\xeb\x07\x8b\x87\x00\x01\x00\x00\x90\xc3");
        assert_eq!(numbers(old, new), Some(vec![(NumberUse::Displacement, 0x18, 0x100)]));
        // add $0x10,%rdx; add $0x100,%rdx
        assert_eq!(
            numbers(b"\x48\x83\xc2\x10", b"\x48\x81\xc2\x00\x01\x00\x00"),
            Some(vec![(NumberUse::Stride, 0x10, 0x100)])
        );
    }

    #[test]
    fn addresses_do_not_count() {
        // mov 0x1000(%rip),%eax; call away
        let (old, new) = (
            b"\x8b\x05\x00\x10\x00\x00\xe8\x00\x20\x00\x00",
            b"\x8b\x05\x77\x10\x00\x00\xe8\x55\x44\x00\x00",
        );
        assert_eq!(numbers(old, new), Some(vec![]));
    }

    #[test]
    fn other_instructions_are_told() {
        // mov %edi,%eax; mov %esi,%eax
        assert_eq!(numbers(b"\x89\xf8", b"\x89\xf0"), None);
        // mov 0x18(%rdi),%eax; mov 0x18(%rsi),%eax
        assert_eq!(numbers(b"\x8b\x47\x18", b"\x8b\x46\x18"), None);
        // mov 0x18(%rdi),%eax; mov 0x18(%rdi),%ax
        assert_eq!(numbers(b"\x8b\x47\x18", b"\x66\x8b\x47\x18"), None);
        // add $8,%eax; sub $8,%eax
        assert_eq!(numbers(b"\x83\xc0\x08", b"\x83\xe8\x08"), None);
        // jmp 1f; dec %edi; 1: ret, and a jump to the dec.
        assert_eq!(numbers(b"\xeb\x02\xff\xcf\xc3", b"\xeb\x00\xff\xcf\xc3"), None);
        // ret; dec %edi; ret
        assert_eq!(numbers(b"\xc3", b"\xff\xcf\xc3"), None);
    }
}
