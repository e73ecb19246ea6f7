//! Whether a jump through a register of x86-64 is a call in tail position.
//!
//! A compiler jumps through a register or memory to the cases of a switch, and to a function whose address it has. In the second case
//! the function's frame is gone, and the address comes from a place in a record, or from the caller. The target of a switch is
//! computed from a table.

use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedRegister,
};
use rustc_hash::FxHashSet;

/// What the instructions so far did, in order of place.
#[derive(Debug)]
pub(super) struct PointerJumps {
    infos: InstructionInfoFactory,
    /// Registers that hold what was loaded from a place in a record.
    loaded: FxHashSet<Register>,
    /// Registers that the function wrote, or what it called.
    written: FxHashSet<Register>,
    has_frame: bool,
}

impl Default for PointerJumps {
    fn default() -> Self {
        let (loaded, written) = (FxHashSet::default(), FxHashSet::default());
        Self { infos: InstructionInfoFactory::new(), loaded, written, has_frame: false }
    }
}

/// Registers that a called function may change, without those of results.
const CLOBBERED: [Register; 9] = [
    Register::RAX,
    Register::RCX,
    Register::RDX,
    Register::RSI,
    Register::RDI,
    Register::R8,
    Register::R9,
    Register::R10,
    Register::R11,
];

const ARGUMENTS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];

impl PointerJumps {
    /// Takes the next instruction, and says whether it is a call in tail position through a pointer.
    pub(super) fn is_tail_call(&mut self, instruction: &Instruction) -> bool {
        let flow = instruction.flow_control();
        let is_tail_call =
            flow == FlowControl::IndirectBranch && !self.has_frame && self.is_pointer(instruction);
        if matches!(flow, FlowControl::Call | FlowControl::IndirectCall) {
            self.loaded.retain(|register| !CLOBBERED.contains(register));
            self.written.extend(CLOBBERED);
            return false;
        }
        let is_write = |used: &&UsedRegister| {
            matches!(
                used.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            )
        };
        for used in self.infos.info(instruction).used_registers().iter().filter(is_write) {
            let register = used.register().full_register();
            self.loaded.remove(&register);
            self.written.insert(register);
        }
        match instruction.mnemonic() {
            Mnemonic::Push | Mnemonic::Sub if writes_stack_pointer(instruction) => self.has_frame = true,
            Mnemonic::Pop | Mnemonic::Leave | Mnemonic::Add if writes_stack_pointer(instruction) => {
                self.has_frame = false;
            }
            Mnemonic::Mov
                if instruction.op0_kind() == OpKind::Register && is_place_in_record(instruction, 1) =>
            {
                self.loaded.insert(instruction.op0_register());
            }
            _ => {}
        }
        is_tail_call
    }

    fn is_pointer(&self, jump: &Instruction) -> bool {
        match jump.op0_kind() {
            OpKind::Register => {
                let register = jump.op0_register();
                let is_argument = ARGUMENTS.contains(&register) && !self.written.contains(&register);
                is_argument || self.loaded.contains(&register)
            }
            _ => is_place_in_record(jump, 0),
        }
    }
}

fn writes_stack_pointer(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Push | Mnemonic::Pop | Mnemonic::Leave => true,
        _ => instruction.op0_kind() == OpKind::Register && instruction.op0_register() == Register::RSP,
    }
}

/// Whether an operand is memory at a fixed distance from where a register points, and not on the stack.
fn is_place_in_record(instruction: &Instruction, operand: u32) -> bool {
    let base = instruction.memory_base().full_register();
    instruction.op_kind(operand) == OpKind::Memory
        && instruction.memory_index() == Register::None
        && base.is_gpr64()
        && !matches!(base, Register::RSP | Register::RBP)
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn check(code: &[u8], expected: bool) {
        let mut jumps = PointerJumps::default();
        let last = Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE)
            .into_iter()
            .fold(false, |_, instruction| jumps.is_tail_call(&instruction));
        assert_eq!(last, expected, "{code:02x?}");
    }

    #[test]
    fn a_jump_through_a_pointer_without_a_frame_is_a_tail_call() {
        // mov 0x18(%rdi),%rax; jmp *%rax
        check(b"\x48\x8b\x47\x18\xff\xe0", true);
        // jmp *0x18(%rdi)
        check(b"\xff\x67\x18", true);
        // jmp *%rdx, which the caller gave
        check(b"\xff\xe2", true);
        // push %rbx; mov 0x18(%rdi),%rax; pop %rbx; jmp *%rax
        check(b"\x53\x48\x8b\x47\x18\x5b\xff\xe0", true);
    }

    #[test]
    fn a_switch_is_none() {
        // add %rdx,%rax; jmp *%rax
        check(b"\x48\x01\xd0\xff\xe0", false);
        // jmp *0x2000(,%rax,8)
        check(b"\xff\x24\xc5\x00\x20\x00\x00", false);
        // mov 0x18(%rdi),%rax; add %rdx,%rax; jmp *%rax
        check(b"\x48\x8b\x47\x18\x48\x01\xd0\xff\xe0", false);
        // movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
        check(b"\x48\x63\x04\x82\x48\x01\xd0\xff\xe0", false);
        // jmp *%rax, which nobody gave
        check(b"\xff\xe0", false);
        // push %rbx; mov (%rdi),%rax; jmp *%rax: code that jumps from each of its instructions to the next.
        check(b"\x53\x48\x8b\x07\xff\xe0", false);
        // call 0x2000; jmp *%rdx: what was called may have changed it.
        check(b"\xe8\xfb\x0f\x00\x00\xff\xe2", false);
    }
}
