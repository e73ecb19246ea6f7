//! What one function's instructions say that does not depend on where things lie.

use std::hash::{Hash as _, Hasher as _};

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind, Register};
use rustc_hash::FxHasher;

use super::data::Data;
use crate::binary::call_targets::CallTargets;
use crate::binary::layout::Layout;

/// Smaller numbers are everywhere: sizes, offsets, flags.
const LEAST_CONSTANT: u64 = 0x100;

/// What a function's code is made of.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// Of all instructions, addresses left out.
    pub(super) hash: u64,
    /// Of all instructions, numbers and places in records left out, too: line numbers and the layout of a record change.
    pub(super) shape: u64,
    pub(super) instructions: usize,
    /// Pairs of instructions that follow each other, without operands; sorted.
    pub(super) steps: Vec<u32>,
    /// Texts and constants that it refers to; sorted, each once.
    pub(super) tokens: Vec<u64>,
    /// The texts alone, with their lengths; sorted, each once.
    pub(super) texts: Vec<(u64, usize)>,
    /// Where it calls, jumps out to, or takes the address of code, in order.
    pub(super) targets: Vec<u64>,
}

impl Body {
    pub(super) fn decode(
        start: u64,
        bytes: &[u8],
        layout: &Layout,
        targets: &CallTargets,
        data: &Data<'_>,
    ) -> Self {
        let mut body = Self::default();
        let (mut hash, mut shape) = (FxHasher::default(), FxHasher::default());
        let mut last = 0_u32;
        let length = bytes.len() as u64;
        let mut decoder = Decoder::with_ip(64, bytes, start, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let code = instruction.code() as u32;
            body.instructions += 1;
            body.steps.push(last << 16 ^ instruction.mnemonic() as u32);
            last = instruction.mnemonic() as u32;
            code.hash(&mut hash);
            (instruction.mnemonic() as u32).hash(&mut shape);
            let by_slot = targets.through_slot(&instruction).filter(|target| data.is_code(*target));
            body.targets.extend(by_slot);
            for operand in 0..instruction.op_count() {
                body.operand(&instruction, operand, (start, length), layout, data, &mut hash);
                if instruction.op_kind(operand) == OpKind::Register {
                    (instruction.op_register(operand) as u32).hash(&mut shape);
                }
            }
        }
        (body.hash, body.shape) = (hash.finish(), shape.finish());
        body.steps.sort_unstable();
        body.tokens.sort_unstable();
        body.tokens.dedup();
        body.texts.sort_unstable();
        body.texts.dedup();
        body
    }

    fn operand(
        &mut self,
        instruction: &Instruction,
        operand: u32,
        (start, length): (u64, u64),
        layout: &Layout,
        data: &Data<'_>,
        hash: &mut FxHasher,
    ) {
        match instruction.op_kind(operand) {
            OpKind::Register => (instruction.op_register(operand) as u32).hash(hash),
            OpKind::NearBranch16 | OpKind::NearBranch32 | OpKind::NearBranch64 => {
                let target = instruction.near_branch_target();
                let is_inside = target.wrapping_sub(start) < length;
                if is_inside && instruction.flow_control() != FlowControl::Call {
                    target.wrapping_sub(start).hash(hash);
                } else {
                    self.targets.push(target);
                }
            }
            OpKind::Memory if instruction.is_ip_rel_memory_operand() => {
                self.refers_to(instruction.ip_rel_memory_address(), layout, data);
            }
            OpKind::Memory => {
                let place = instruction.memory_displacement64();
                let is_address = layout.is_fixed && layout.is_allocated(place);
                if is_address {
                    self.refers_to(place, layout, data);
                }
                let registers: [Register; 2] = [instruction.memory_base(), instruction.memory_index()];
                (registers.map(|register| register as u32), instruction.memory_index_scale()).hash(hash);
                (!is_address).then_some(place).hash(hash);
            }
            OpKind::Immediate8
            | OpKind::Immediate8to16
            | OpKind::Immediate8to32
            | OpKind::Immediate8to64
            | OpKind::Immediate16
            | OpKind::Immediate32
            | OpKind::Immediate32to64
            | OpKind::Immediate64 => {
                let value = instruction.immediate(operand);
                if layout.is_fixed && layout.is_allocated(value) {
                    self.refers_to(value, layout, data);
                } else {
                    value.hash(hash);
                    let is_telling = value >= LEAST_CONSTANT && value.wrapping_neg() >= LEAST_CONSTANT;
                    if is_telling && !value.is_power_of_two() && !(value + 1).is_power_of_two() {
                        self.tokens.push(value);
                    }
                }
            }
            _ => {}
        }
    }

    /// Takes in what lies at an address.
    fn refers_to(&mut self, addr: u64, layout: &Layout, data: &Data<'_>) {
        if let Some(text) = data.text_at(addr) {
            let mut hash = FxHasher::default();
            text.hash(&mut hash);
            self.tokens.push(hash.finish());
            self.texts.push((hash.finish(), text.len()));
        } else if layout.is_allocated(addr) && data.is_code(addr) {
            self.targets.push(addr);
        }
    }
}
