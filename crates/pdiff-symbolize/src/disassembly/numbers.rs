//! The numbers that differ between the code of a function of x86-64 in two builds, where nothing else does.
//!
//! A record that grew changes displacements; a line that moved changes the number that an error tells of it; a constant of the source is
//! an immediate. Addresses of code and data do not count: where they are, the linker chose.
//!
//! Cost: the bytes of the function.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};

use crate::binary::branch_target::branch_target;
use crate::binary::layout::Layout;

/// What a number of an instruction is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NumberUse {
    /// The place in a record, or in the stack frame.
    Displacement,
    /// It is put into a register or the stack frame as it is: an argument of a call, for one.
    Moved,
    /// It is compared, added, or used in another way.
    Operand,
}

/// A number that is another one in the other build.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OtherNumber {
    /// What it is for.
    pub used: NumberUse,
    /// The number in the one build...
    pub before: i64,
    /// ...and in the other.
    pub after: i64,
}

/// The code of a function in one build.
pub(super) struct Code<'a> {
    /// Where each part begins, and its bytes.
    pub(super) parts: &'a [(u64, &'a [u8])],
    pub(super) layout: &'a Layout,
}

/// The numbers that differ, each once, sorted; `None` if the code differs in anything else.
pub(super) fn other_numbers(before: &Code<'_>, after: &Code<'_>) -> Option<Vec<OtherNumber>> {
    let mut numbers = Vec::new();
    if before.parts.len() != after.parts.len() {
        return None;
    }
    for (old, new) in before.parts.iter().zip(after.parts) {
        if old.1.len() != new.1.len() {
            return None;
        }
        let decoded = |(start, code): &(u64, &'_ [u8])| {
            Decoder::with_ip(64, code, *start, DecoderOptions::NONE).into_iter().collect::<Vec<_>>()
        };
        let (old, new) = (decoded(old), decoded(new));
        if old.len() != new.len() {
            return None;
        }
        for (old, new) in old.iter().zip(&new) {
            add_numbers((before, old), (after, new), &mut numbers)?;
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Adds the numbers in which two instructions differ; `None` if they differ in anything else.
fn add_numbers(
    (before, old): (&Code<'_>, &Instruction),
    (after, new): (&Code<'_>, &Instruction),
    numbers: &mut Vec<OtherNumber>,
) -> Option<()> {
    if old.len() != new.len() || shape(old) != shape(new) {
        return None;
    }
    let targets = branch_target(old).zip(branch_target(new));
    if targets.is_some_and(|(from, to)| before.place(from) != after.place(to)) {
        return None;
    }
    if has_memory(old) && has_memory(new) {
        let displacements = (old.memory_displacement64(), new.memory_displacement64());
        let is_address = old.is_ip_rel_memory_operand() || are_addresses(before, after, displacements);
        if displacements.0 != displacements.1 && !is_address {
            numbers.push(other(NumberUse::Displacement, displacements));
        }
    }
    for operand in 0..old.op_count() {
        let immediates = old.try_immediate(operand).ok().zip(new.try_immediate(operand).ok());
        let Some(immediates) = immediates.filter(|(old, new)| old != new) else { continue };
        if !are_addresses(before, after, immediates) {
            let is_move = old.mnemonic() == Mnemonic::Mov;
            let used = if is_move { NumberUse::Moved } else { NumberUse::Operand };
            numbers.push(other(used, immediates));
        }
    }
    Some(())
}

/// Everything of an instruction but its numbers.
fn shape(of: &Instruction) -> impl PartialEq {
    let registers: [_; 5] = std::array::from_fn(|operand| {
        let operand = operand as u32;
        let is_register = operand < of.op_count() && of.op_kind(operand) == OpKind::Register;
        is_register.then(|| of.op_register(operand))
    });
    let memory = (of.memory_base(), of.memory_index(), of.memory_index_scale(), of.memory_segment());
    let prefixes = (of.has_lock_prefix(), of.has_rep_prefix(), of.has_repne_prefix());
    let vectors = (of.op_mask(), of.zeroing_masking(), of.is_broadcast(), of.rounding_control());
    (of.code(), registers, memory, prefixes, vectors)
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
    /// The part that an address is in, and how far; `None` if it is elsewhere.
    fn place(&self, addr: u64) -> Option<(usize, u64)> {
        let place = |(number, (start, code)): (usize, &(u64, &[u8]))| {
            let into = addr.checked_sub(*start).filter(|into| *into < code.len() as u64)?;
            Some((number, into))
        };
        self.parts.iter().enumerate().find_map(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that differ, as use, old and new one, of code that begins at other addresses.
    fn numbers(old: &[u8], new: &[u8]) -> Option<Vec<(NumberUse, i64, i64)>> {
        let layout = Layout::default();
        let (old, new) = ([(0x1000, old)], [(0x9000, new)]);
        let code = |parts| Code { parts, layout: &layout };
        let found = other_numbers(&code(&old), &code(&new))?;
        Some(found.into_iter().map(|of| (of.used, of.before, of.after)).collect())
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
        // cmp $-1,0x18(%rdi); cmp $-2,0x20(%rdi)
        assert_eq!(
            numbers(b"\x83\x7f\x18\xff", b"\x83\x7f\x20\xfe"),
            Some(vec![(NumberUse::Displacement, 0x18, 0x20), (NumberUse::Operand, -1, -2)])
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
    fn other_code_has_no_numbers_in_common() {
        // mov %edi,%eax; mov %esi,%eax
        assert_eq!(numbers(b"\x89\xf8", b"\x89\xf0"), None);
        // mov 0x18(%rdi),%eax; mov 0x18(%rsi),%eax
        assert_eq!(numbers(b"\x8b\x47\x18", b"\x8b\x46\x18"), None);
        // add $8,%eax; sub $8,%eax
        assert_eq!(numbers(b"\x83\xc0\x08", b"\x83\xe8\x08"), None);
        // jmp over a nop; jmp to the nop
        assert_eq!(numbers(b"\xeb\x01\x90\xc3", b"\xeb\x00\x90\xc3"), None);
        // ret; nop and ret
        assert_eq!(numbers(b"\xc3", b"\x90\xc3"), None);
    }
}
