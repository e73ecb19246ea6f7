//! What an instruction of x86-64 asks before it jumps, in words that do not depend on registers and places.
//!
//! The compiler chooses registers, places on the stack and whether it jumps if a condition holds or if it does not. What is left is
//! the kind of comparison, the place in a record and the constant: `cmp 5,r e`, `test r,r s`, `cmp [+24],r b`.

use iced_x86::{ConditionCode, Instruction, OpKind, Register};

/// The last instruction that set the flags, in order of place.
#[derive(Default)]
pub(super) struct Asked {
    last: Option<Instruction>,
}

impl Asked {
    /// What a conditional jump asks; `None` for other instructions.
    pub(super) fn next(&mut self, instruction: &Instruction) -> Option<Box<str>> {
        let code = instruction.condition_code();
        let asks = instruction.is_jcc_short_or_near().then(|| {
            let of = self.last.as_ref().map(words).unwrap_or_default();
            format!("{of} {}", name(code)).into()
        });
        if instruction.rflags_modified() != 0 {
            self.last = Some(*instruction);
        }
        asks
    }
}

/// A condition or its opposite, whichever the compiler chose.
fn name(code: ConditionCode) -> &'static str {
    match code {
        ConditionCode::o | ConditionCode::no => "o",
        ConditionCode::b | ConditionCode::ae => "b",
        ConditionCode::e | ConditionCode::ne => "e",
        ConditionCode::be | ConditionCode::a => "be",
        ConditionCode::s | ConditionCode::ns => "s",
        ConditionCode::p | ConditionCode::np => "p",
        ConditionCode::l | ConditionCode::ge => "l",
        ConditionCode::le | ConditionCode::g => "le",
        ConditionCode::None => "",
    }
}

/// What is compared with what, whichever comes first.
fn words(instruction: &Instruction) -> String {
    let mut operands: Vec<String> = (0..instruction.op_count()).map(|at| operand(instruction, at)).collect();
    operands.sort_unstable();
    format!("{:?} {}", instruction.mnemonic(), operands.join(",")).to_lowercase()
}

fn operand(instruction: &Instruction, at: u32) -> String {
    match instruction.op_kind(at) {
        OpKind::Register => "r".to_owned(),
        OpKind::Memory if instruction.is_ip_rel_memory_operand() => "[static]".to_owned(),
        OpKind::Memory => match instruction.memory_base().full_register() {
            Register::RSP | Register::RBP => "[stack]".to_owned(),
            _ => format!("[{:+}]", instruction.memory_displacement64() as i64),
        },
        _ => (instruction.try_immediate(at).unwrap_or(0) as i64).to_string(),
    }
}
