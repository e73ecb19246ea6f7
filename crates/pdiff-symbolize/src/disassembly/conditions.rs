//! What an instruction of x86-64 asks before it jumps, in words that do not depend on registers and places on the stack.
//!
//! The compiler chooses registers, places on the stack, which operand comes first, by which instruction a number is compared with zero,
//! and whether it jumps if a condition holds or if it does not. What is left is the kind of comparison, its width in bytes, the
//! place in a record and the constant: `cmp4 5,r e`, `cmp8 0,r e`, `cmp4 [+24],r b`.

use iced_x86::{ConditionCode, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

/// What all conditional jumps in some code ask, by the order of the words. `parts` are addresses and bytes.
pub(super) fn all_conditions(parts: &[(u64, &[u8])]) -> Vec<Box<str>> {
    let of_part = |(start, bytes): &(u64, &[u8])| {
        let mut asked = Asked::default();
        let instructions = Decoder::with_ip(64, bytes, *start, DecoderOptions::NONE).into_iter();
        instructions.filter_map(|instruction| asked.next(&instruction)).collect::<Vec<_>>()
    };
    let mut conditions: Vec<Box<str>> = parts.iter().flat_map(of_part).collect();
    conditions.sort_unstable();
    conditions
}

/// The last instruction that set the flags, in order of place.
#[derive(Default)]
pub(super) struct Asked {
    last: Option<Instruction>,
    /// Whether RBP points to the stack.
    has_frame_pointer: bool,
}

impl Asked {
    /// Another way leads to the next instruction, with flags of its own.
    pub(super) fn forget(&mut self) {
        self.last = None;
    }

    /// What a conditional jump asks, which is empty if that is not known; `None` for other instructions.
    pub(super) fn next(&mut self, instruction: &Instruction) -> Option<Box<str>> {
        let asks = instruction.is_jcc_short_or_near().then(|| {
            let compared = self.last.as_ref();
            compared.map(|of| self.words(of, instruction.condition_code())).unwrap_or_default().into()
        });
        if instruction.rflags_modified() != 0 {
            self.last = Some(*instruction);
        }
        let is_move = instruction.mnemonic() == Mnemonic::Mov && instruction.op1_register() == Register::RSP;
        self.has_frame_pointer |= is_move && instruction.op0_register() == Register::RBP;
        asks
    }

    /// What is compared with what, whichever comes first.
    fn words(&self, compared: &Instruction, code: ConditionCode) -> String {
        let operands = || (0..compared.op_count()).map(|at| self.operand(compared, at)).collect();
        let is_zero = |at: u32| compared.try_immediate(at).is_ok_and(|number| number == 0);
        let (mnemonic, mut operands): (_, Vec<String>) = match compared.mnemonic() {
            // A number and itself: that asks for the number.
            Mnemonic::Test if is_with_itself(compared) => (Mnemonic::Cmp, vec!["r".into(), "0".into()]),
            // The result may be used later; it is zero in the same cases.
            Mnemonic::And => (Mnemonic::Test, operands()),
            other => (other, operands()),
        };
        let is_cmp = mnemonic == Mnemonic::Cmp;
        let code = if is_cmp && (is_with_itself(compared) || is_zero(1)) { beside_zero(code) } else { code };
        let is_swapped = is_cmp && operands.is_sorted_by(|a, b| a > b);
        if is_cmp || mnemonic == Mnemonic::Test {
            operands.sort_unstable();
        }
        let condition = name(code, is_swapped);
        // Bits of a number are asked for in as few bytes as the compiler likes.
        let is_of_bits =
            mnemonic == Mnemonic::Test && condition == "e" && operands.iter().any(|of| of != "r");
        let bytes = if is_of_bits { String::new() } else { width(compared).to_string() };
        format!("{}{bytes} {} {condition}", format!("{mnemonic:?}").to_lowercase(), operands.join(","))
    }

    fn operand(&self, instruction: &Instruction, at: u32) -> String {
        match instruction.op_kind(at) {
            OpKind::Register => "r".to_owned(),
            OpKind::Memory if instruction.is_ip_rel_memory_operand() => "[static]".to_owned(),
            OpKind::Memory => {
                let is_stack = match instruction.memory_base().full_register() {
                    Register::RSP => true,
                    Register::RBP => self.has_frame_pointer,
                    _ => false,
                };
                match (is_stack, instruction.memory_index()) {
                    // A number that found no register.
                    (true, Register::None) => "r".to_owned(),
                    (true, _) => "[stack+i]".to_owned(),
                    (false, index) => {
                        let index = if index == Register::None { "" } else { "+i" };
                        format!("[{:+}{index}]", instruction.memory_displacement64() as i64)
                    }
                }
            }
            _ => (instruction.try_immediate(at).unwrap_or(0) as i64).to_string(),
        }
    }
}

/// Whether the two operands are one register.
fn is_with_itself(compared: &Instruction) -> bool {
    compared.mnemonic() == Mnemonic::Test
        && compared.op0_kind() == OpKind::Register
        && compared.op1_kind() == OpKind::Register
        && compared.op0_register() == compared.op1_register()
}

/// The same condition of a number and zero: a number less than zero has a sign, and one that has no sign is not above zero if it is zero.
fn beside_zero(code: ConditionCode) -> ConditionCode {
    match code {
        ConditionCode::l => ConditionCode::s,
        ConditionCode::ge => ConditionCode::ns,
        ConditionCode::be => ConditionCode::e,
        ConditionCode::a => ConditionCode::ne,
        other => other,
    }
}

/// How many bytes are compared.
fn width(instruction: &Instruction) -> usize {
    match instruction.op0_kind() {
        OpKind::Register => instruction.op0_register().size(),
        _ => instruction.memory_size().size(),
    }
}

/// A condition or its opposite, whichever the compiler chose, of operands in the other order if they are swapped.
fn name(code: ConditionCode, is_swapped: bool) -> &'static str {
    match (code, is_swapped) {
        (ConditionCode::o | ConditionCode::no, _) => "o",
        (ConditionCode::b | ConditionCode::ae, false) | (ConditionCode::be | ConditionCode::a, true) => "b",
        (ConditionCode::be | ConditionCode::a, false) | (ConditionCode::b | ConditionCode::ae, true) => "be",
        (ConditionCode::l | ConditionCode::ge, false) | (ConditionCode::le | ConditionCode::g, true) => "l",
        (ConditionCode::le | ConditionCode::g, false) | (ConditionCode::l | ConditionCode::ge, true) => "le",
        (ConditionCode::e | ConditionCode::ne, _) => "e",
        (ConditionCode::s | ConditionCode::ns, _) => "s",
        (ConditionCode::p | ConditionCode::np, _) => "p",
        (ConditionCode::None, _) => "",
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn asks(code: &[u8]) -> String {
        let mut asked = Asked::default();
        let asks = Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE)
            .into_iter()
            .filter_map(|instruction| asked.next(&instruction));
        asks.last().unwrap_or_default().into()
    }

    #[test]
    fn all_conditions_of_a_function_are_those_of_its_parts() {
        // test %edi,%edi; je +5; call; ret, and a cold part: cmpl $5,0x18(%rsi); jne +1; je +0, of the same flags
        let hot: &[u8] = b"\x85\xff\x74\x05\xe8\xf7\x0f\x00\x00\xc3";
        let cold: &[u8] = b"\x83\x7e\x18\x05\x75\x02\x74\x00";
        let found = all_conditions(&[(0x1000, hot), (0x3000, cold)]);
        let words: Vec<&str> = found.iter().map(|asks| &**asks).collect();
        assert_eq!(words, ["cmp4 0,r e", "cmp4 5,[+24] e", "cmp4 5,[+24] e"]);
    }

    #[test]
    fn the_order_of_operands_and_the_sense_of_a_jump_say_nothing() {
        // cmp 0x18(%rsi),%eax; jl +2 asks whether eax is less, and cmp %eax,0x18(%rsi); jg +2 the same.
        assert_eq!(asks(b"\x3b\x46\x18\x7c\x02"), asks(b"\x39\x46\x18\x7f\x02"));
        // cmp %eax,0x18(%rsi); jl +2 asks the opposite.
        assert_ne!(asks(b"\x3b\x46\x18\x7c\x02"), asks(b"\x39\x46\x18\x7c\x02"));
        // cmp %eax,0x18(%rsi); jle +2 is the opposite of jg.
        assert_eq!(asks(b"\x39\x46\x18\x7e\x02"), asks(b"\x39\x46\x18\x7f\x02"));
    }

    #[test]
    fn what_is_compared_counts_with_its_width() {
        // test %edi,%edi; je +2, test %rdi,%rdi; je +2, test %edi,%esi; je +2
        assert_eq!(asks(b"\x85\xff\x74\x02"), "cmp4 0,r e");
        assert_eq!(asks(b"\x48\x85\xff\x74\x02"), "cmp8 0,r e");
        assert_eq!(asks(b"\x85\xfe\x74\x02"), "test4 r,r e");
        // cmpl $5,0x18(%rsi); je +2, cmpb $5,0x18(%rsi); je +2, cmpl $5,0x18(%rsi,%rax,4); je +2
        assert_eq!(asks(b"\x83\x7e\x18\x05\x74\x02"), "cmp4 5,[+24] e");
        assert_eq!(asks(b"\x80\x7e\x18\x05\x74\x02"), "cmp1 5,[+24] e");
        assert_eq!(asks(b"\x83\x7c\x86\x18\x05\x74\x02"), "cmp4 5,[+24+i] e");
    }

    #[test]
    fn a_number_is_compared_with_zero_in_many_ways() {
        // test %rdi,%rdi; je +2, cmpq $0,0x8(%rsp); jne +2, cmp $0,%rdi; jbe +2
        for code in
            [&b"\x48\x85\xff\x74\x02"[..], b"\x48\x83\x7c\x24\x08\x00\x75\x02", b"\x48\x83\xff\x00\x76\x02"]
        {
            assert_eq!(asks(code), "cmp8 0,r e");
        }
        // test %edi,%edi; js +2, cmp $0,%edi; jge +2, and test %edi,%edi; jle +2, cmp $0,%edi; jg +2
        assert_eq!(asks(b"\x85\xff\x78\x02"), "cmp4 0,r s");
        assert_eq!(asks(b"\x83\xff\x00\x7d\x02"), "cmp4 0,r s");
        assert_eq!(asks(b"\x85\xff\x7e\x02"), asks(b"\x83\xff\x00\x7f\x02"));
    }

    #[test]
    fn bits_are_asked_for_in_few_bytes_or_many() {
        // test $32,%eax; je +2, and $32,%eax; je +2, test $32,%al; jne +2
        let all = [&b"\xa9\x20\x00\x00\x00\x74\x02"[..], b"\x83\xe0\x20\x74\x02", b"\xa8\x20\x75\x02"];
        assert_eq!(all.map(asks), ["test 32,r e"; 3]);
        // test %edi,%esi; je +2
        assert_eq!(asks(b"\x85\xfe\x74\x02"), "test4 r,r e");
    }

    #[test]
    fn rbp_is_the_stack_only_if_it_was_made_so() {
        // cmpl $5,0x8(%rbp); je +2
        assert_eq!(asks(b"\x83\x7d\x08\x05\x74\x02"), "cmp4 5,[+8] e");
        // mov %rsp,%rbp; cmpl $5,0x8(%rbp); je +2
        assert_eq!(asks(b"\x48\x89\xe5\x83\x7d\x08\x05\x74\x02"), "cmp4 5,r e");
        // cmpl $5,0x8(%rsp,%rax,4); je +2
        assert_eq!(asks(b"\x83\x7c\x84\x08\x05\x74\x02"), "cmp4 5,[stack+i] e");
    }

    #[test]
    fn flags_of_nobody_are_not_known() {
        // je +2
        assert_eq!(asks(b"\x74\x02"), "");
    }
}
