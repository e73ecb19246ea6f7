//! Whether a jump through a register of x86-64 is a call in tail position.
//!
//! A compiler jumps through a register or memory to the cases of a switch, to the next instruction of an interpreter, and to a function
//! whose address it has. In the last case the function gives back its stack right before, or never used it, and the address comes
//! from a place in a record, or from the caller. The target of a switch is computed from a table, and an interpreter moves on in what it
//! reads.

use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedRegister,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the instructions so far did, in order of place.
#[derive(Debug)]
pub(super) struct PointerJumps {
    infos: InstructionInfoFactory,
    /// Registers that hold what was loaded from a place in a record, with the one that pointed there.
    loaded: FxHashMap<Register, Register>,
    /// Those of them that hold what an argument points to, or what that points to.
    of_arguments: FxHashSet<Register>,
    /// Registers that the function wrote, or what it called.
    written: FxHashSet<Register>,
    /// Whether it ever used the stack.
    has_frame: bool,
    /// Whether it gave that back since the last jump or call.
    is_given_back: bool,
}

impl Default for PointerJumps {
    fn default() -> Self {
        Self {
            infos: InstructionInfoFactory::new(),
            loaded: FxHashMap::default(),
            of_arguments: FxHashSet::default(),
            written: FxHashSet::default(),
            has_frame: false,
            is_given_back: false,
        }
    }
}

/// Registers that a called function may change.
pub(super) const CLOBBERED: [Register; 9] = [
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

/// Records are smaller; a larger distance is the address of a table.
const MAX_DISTANCE: u64 = 1 << 15;

impl PointerJumps {
    /// Takes the next instruction, and says whether it is a call in tail position through a pointer.
    pub(super) fn is_tail_call(&mut self, instruction: &Instruction) -> bool {
        let flow = instruction.flow_control();
        if flow == FlowControl::IndirectBranch {
            return self.jumps_to_function(instruction);
        }
        if flow != FlowControl::Next {
            self.is_given_back = false;
        }
        if matches!(flow, FlowControl::Call | FlowControl::IndirectCall) {
            self.loaded.retain(|register, _| !CLOBBERED.contains(register));
            self.of_arguments.retain(|register| !CLOBBERED.contains(register));
            self.written.extend(CLOBBERED);
            return false;
        }
        let is_write = |used: &&UsedRegister| {
            matches!(
                used.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            )
        };
        let base = place_in_record(instruction, 1).filter(|_| loads_register(instruction));
        let is_of_argument = base.is_some_and(|base| self.is_of_argument(base));
        for used in self.infos.info(instruction).used_registers().iter().filter(is_write) {
            let register = used.register().full_register();
            self.loaded.remove(&register);
            self.of_arguments.remove(&register);
            self.written.insert(register);
        }
        self.follow_stack(instruction);
        if let Some(base) = base {
            self.loaded.insert(instruction.op0_register(), base);
            self.of_arguments.extend(is_of_argument.then(|| instruction.op0_register()));
        }
        false
    }

    /// Whether a register still holds an argument, or what one leads to.
    fn is_of_argument(&self, register: Register) -> bool {
        self.is_argument(register) || self.of_arguments.contains(&register)
    }

    fn is_argument(&self, register: Register) -> bool {
        ARGUMENTS.contains(&register) && !self.written.contains(&register)
    }

    fn follow_stack(&mut self, instruction: &Instruction) {
        let moves_stack =
            instruction.op0_kind() == OpKind::Register && instruction.op0_register() == Register::RSP;
        match instruction.mnemonic() {
            Mnemonic::Pop | Mnemonic::Leave => self.is_given_back = true,
            Mnemonic::Add if moves_stack => self.is_given_back = true,
            Mnemonic::Push => (self.has_frame, self.is_given_back) = (true, false),
            _ if moves_stack => (self.has_frame, self.is_given_back) = (true, false),
            _ => {}
        }
    }

    fn jumps_to_function(&self, jump: &Instruction) -> bool {
        let by_register = (jump.op0_kind() == OpKind::Register).then(|| jump.op0_register());
        if by_register.is_some_and(|register| self.is_argument(register)) {
            return self.is_given_back || !self.has_frame;
        }
        let base = match by_register {
            Some(register) => self.loaded.get(&register).copied(),
            None => place_in_record(jump, 0),
        };
        base.is_some_and(|base| self.is_given_back || (!self.has_frame && self.is_of_argument(base)))
    }
}

/// Whether an instruction only writes what it reads from memory to a register of its own size.
fn loads_register(instruction: &Instruction) -> bool {
    instruction.mnemonic() == Mnemonic::Mov
        && instruction.op0_kind() == OpKind::Register
        && instruction.op0_register().is_gpr64()
}

/// The register that points to a record, of which an operand is a place that is not on the stack.
fn place_in_record(instruction: &Instruction, operand: u32) -> Option<Register> {
    let base = instruction.memory_base().full_register();
    let is_place = instruction.op_kind(operand) == OpKind::Memory
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement64() < MAX_DISTANCE
        && base.is_gpr64()
        && !matches!(base, Register::RSP | Register::RBP);
    is_place.then_some(base)
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
        // mov 0x88(%rdi),%rax; mov 0x60(%rax),%rcx; mov %rax,%rdi; jmp *%rcx: from a record in a record.
        check(b"\x48\x8b\x87\x88\x00\x00\x00\x48\x8b\x48\x60\x48\x89\xc7\xff\xe1", true);
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
        // mov 0x88(%rdi),%rax; mov (%rax),%rcx; add $8,%rax; jmp *%rcx
        check(b"\x48\x8b\x87\x88\x00\x00\x00\x48\x8b\x08\x48\x83\xc0\x08\xff\xe1", false);
        // call 0x2000; jmp *%rdx: what was called may have changed it.
        check(b"\xe8\xfb\x0f\x00\x00\xff\xe2", false);
        // mov %rdi,%rax; and $0x38,%eax; jmp *0x4a2000(%rax): a table.
        check(b"\x48\x89\xf8\x83\xe0\x38\xff\xa0\x00\x20\x4a\x00", false);
    }

    #[test]
    fn what_goes_on_to_the_next_instruction_of_a_program_is_none() {
        // push %rbx; test %edi,%edi; jne 1f; pop %rbx; ret; 1: mov (%rbx),%rax; jmp *%rax: another way gave back the stack.
        check(b"\x53\x85\xff\x75\x02\x5b\xc3\x48\x8b\x03\xff\xe0", false);
        // push %rbx; push $1; call 0x2000; add $8,%rsp; call 0x2000; jmp *8(%rbx)
        check(b"\x53\x6a\x01\xe8\xf8\x0f\x00\x00\x48\x83\xc4\x08\xe8\xef\x0f\x00\x00\xff\x63\x08", false);
        // lea -0x18(%rsp),%rsp; mov (%rdi),%rax; jmp *%rax
        check(b"\x48\x8d\x64\x24\xe8\x48\x8b\x07\xff\xe0", false);
        // mov (%rdi),%rax; add $8,%rdi; jmp *%rax
        check(b"\x48\x8b\x07\x48\x83\xc7\x08\xff\xe0", false);
    }
}
