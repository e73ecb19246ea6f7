//! The tables of addresses by which a switch of x86-64 jumps: where a jump through a register leads.
//!
//! A compiler makes a switch of a number into a bounds check and a jump to what the number's place in a table says. Such a place holds
//! an address, or, in code that can be loaded anywhere, the distance of one from the table. A table that the program can write is none. What registers hold is followed forwards, in
//! order of place; a loop is taken to keep what it began with, because code that uses that in the loop needs it in every turn. Where the
//! bounds check is not found, the table goes on as long as its entries lead to instructions of the function, so that there may be too many
//! ways, and none is missing.

use std::collections::BTreeMap;

use iced_x86::{
    ConditionCode, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
    UsedRegister,
};
use rustc_hash::FxHashMap;

use crate::binary::branch_target::branch_target;
use crate::binary::call_targets::CallTargets;
use crate::disassembly::pointer_jumps::CLOBBERED;

/// Larger tables are not read.
const MOST_CASES: u64 = 4096;

/// What an entry of a table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Entry {
    /// The distance of an instruction from the table, in four bytes.
    Distance,
    /// The address of an instruction, in eight bytes.
    Address,
}

impl Entry {
    fn bytes(self) -> u32 {
        match self {
            Self::Distance => 4,
            Self::Address => 8,
        }
    }
}

/// A table that a jump goes through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Table {
    address: u64,
    entry: Entry,
    /// The largest number that the bounds check lets through.
    last: Option<u64>,
}

impl Table {
    /// Where its entries lead, each once; `None` if one does not lead to an instruction, of those that the bounds check lets through. Without
    /// one the entries up to the next table are read, as long as they do.
    pub(super) fn cases(
        &self,
        targets: &CallTargets,
        is_instruction: impl Fn(u64) -> bool,
        next_table: Option<u64>,
    ) -> Option<Vec<u64>> {
        let size = u64::from(self.entry.bytes());
        let most = self.last.map_or(MOST_CASES, |last| last.saturating_add(1));
        let room = next_table.map_or(most, |next| (next - self.address) / size);
        let mut cases = Vec::new();
        let mut count = 0;
        for case in (0..most.min(MOST_CASES)).map_while(|at| self.case(targets, at)) {
            if !is_instruction(case) || (self.last.is_none() && count == room) {
                break;
            }
            count += 1;
            cases.push(case);
        }
        cases.sort_unstable();
        cases.dedup();
        let is_known = if self.last.is_some() { count == most } else { count > 1 };
        is_known.then_some(cases)
    }

    fn case(&self, targets: &CallTargets, at: u64) -> Option<u64> {
        let place = self.address.checked_add(at.checked_mul(u64::from(self.entry.bytes()))?)?;
        let bytes = targets.data(place);
        match self.entry {
            Entry::Distance => {
                let distance = i32::from_le_bytes(*bytes.first_chunk()?);
                Some(self.address.wrapping_add_signed(i64::from(distance)))
            }
            Entry::Address => Some(u64::from_le_bytes(*bytes.first_chunk()?)),
        }
    }
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Value {
    /// An address in the file.
    Address(u64),
    /// An entry of a table.
    Entry(Table),
    /// Where an entry leads.
    Case(Table),
}

/// What was compared with a number: a register, or a place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Register(Register),
    Memory { base: Register, index: Register, scale: u32, displacement: u64 },
}

type Values = FxHashMap<Register, Value>;

/// What the instructions so far did, in order of place.
#[derive(Debug)]
pub(super) struct JumpTables {
    infos: InstructionInfoFactory,
    /// What the registers hold, and whether the instruction before leads to the next one.
    values: Values,
    goes_on: bool,
    /// What they hold on all ways so far that jump to a later instruction...
    at: FxHashMap<u64, Values>,
    /// ...and at the last jump through a table, whose cases follow.
    at_switch: Values,
    /// The largest number that is in a place after a bounds check.
    bounds: FxHashMap<Place, u64>,
    /// What the last instruction compared, and with what.
    compared: Option<(Place, u64)>,
}

impl Default for JumpTables {
    fn default() -> Self {
        Self {
            infos: InstructionInfoFactory::new(),
            values: Values::default(),
            goes_on: true,
            at: FxHashMap::default(),
            at_switch: Values::default(),
            bounds: FxHashMap::default(),
            compared: None,
        }
    }
}

impl JumpTables {
    /// Takes the next instruction, and gives the table that it jumps through, if it does. Jumps may lead to it, past the bounds check.
    pub(super) fn next(&mut self, instruction: &Instruction, is_join: bool) -> Option<Table> {
        let jumped = self.at.remove(&instruction.ip());
        match jumped {
            Some(jumped) if self.goes_on => {
                self.values.retain(|register, value| jumped.get(register) == Some(value));
            }
            Some(jumped) => self.values = jumped,
            None if self.goes_on => {}
            None => self.values.clone_from(&self.at_switch),
        }
        if is_join || !self.goes_on {
            self.bounds.clear();
            self.compared = None;
        }
        self.goes_on = !matches!(
            instruction.flow_control(),
            FlowControl::UnconditionalBranch
                | FlowControl::IndirectBranch
                | FlowControl::Return
                | FlowControl::Exception
        );
        match instruction.flow_control() {
            FlowControl::IndirectBranch => {
                self.at_switch.clone_from(&self.values);
                return self.table_of(instruction);
            }
            FlowControl::Call | FlowControl::IndirectCall => {
                self.values.retain(|register, _| !CLOBBERED.contains(register));
                self.bounds.clear();
            }
            FlowControl::ConditionalBranch => {
                self.jump(instruction);
                self.check_bounds(instruction);
            }
            FlowControl::UnconditionalBranch => self.jump(instruction),
            FlowControl::Next => self.follow(instruction),
            _ => {}
        }
        None
    }

    /// Keeps what the registers hold where a jump forwards leads.
    fn jump(&mut self, jump: &Instruction) {
        let Some(to) = branch_target(jump).filter(|to| *to > jump.ip()) else { return };
        match self.at.get_mut(&to) {
            Some(known) => known.retain(|register, value| self.values.get(register) == Some(value)),
            None => _ = self.at.insert(to, self.values.clone()),
        }
    }

    fn table_of(&self, jump: &Instruction) -> Option<Table> {
        match jump.op0_kind() {
            OpKind::Register => match self.values.get(&jump.op0_register().full_register())? {
                Value::Case(table) => Some(*table),
                _ => None,
            },
            _ => self.entry_at(jump, Entry::Address),
        }
    }

    /// The table that an instruction reads an entry of.
    fn entry_at(&self, instruction: &Instruction, entry: Entry) -> Option<Table> {
        let index = instruction.memory_index();
        let is_entry = index != Register::None && instruction.memory_index_scale() == entry.bytes();
        let displacement = instruction.memory_displacement64();
        let address = match instruction.memory_base().full_register() {
            Register::None => displacement,
            base => match self.values.get(&base)? {
                Value::Address(address) => address.wrapping_add(displacement),
                _ => return None,
            },
        };
        let last = self.bounds.get(&Place::Register(index.full_register())).copied();
        is_entry.then_some(Table { address, entry, last })
    }

    fn check_bounds(&mut self, jump: &Instruction) {
        let Some((place, number)) = self.compared.take() else { return };
        let last = match jump.condition_code() {
            ConditionCode::a => Some(number),
            ConditionCode::ae => number.checked_sub(1),
            _ => None,
        };
        self.bounds.extend(last.map(|last| (place, last)));
    }

    fn follow(&mut self, instruction: &Instruction) {
        let compared = compared(instruction);
        if compared.is_some() || instruction.rflags_modified() != 0 {
            self.compared = compared;
        }
        let (value, bound) = (self.value_of(instruction), self.bound_of(instruction));
        let is_write = |used: &&UsedRegister| {
            matches!(
                used.access(),
                OpAccess::Write | OpAccess::CondWrite | OpAccess::ReadWrite | OpAccess::ReadCondWrite
            )
        };
        for used in self.infos.info(instruction).used_registers().iter().filter(is_write) {
            let written = used.register().full_register();
            self.values.remove(&written);
            self.bounds.retain(|place, _| match *place {
                Place::Register(register) => register != written,
                Place::Memory { base, index, .. } => base != written && index != written,
            });
            if self.compared.is_some_and(|(place, _)| place == Place::Register(written)) {
                self.compared = None;
            }
        }
        if instruction.op0_kind() == OpKind::Register {
            let register = instruction.op0_register().full_register();
            self.values.extend(value.map(|value| (register, value)));
            self.bounds.extend(bound.map(|bound| (Place::Register(register), bound)));
        }
    }

    /// What an instruction writes to its first register.
    fn value_of(&self, instruction: &Instruction) -> Option<Value> {
        let of = |register: Register| self.values.get(&register.full_register()).copied();
        match instruction.mnemonic() {
            Mnemonic::Lea if instruction.is_ip_rel_memory_operand() => {
                Some(Value::Address(instruction.ip_rel_memory_address()))
            }
            Mnemonic::Movsxd if instruction.op1_kind() == OpKind::Memory => {
                self.entry_at(instruction, Entry::Distance).map(Value::Entry)
            }
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Memory => {
                self.entry_at(instruction, Entry::Address).map(Value::Case)
            }
            Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => of(instruction.op1_register()),
            Mnemonic::Add if instruction.op1_kind() == OpKind::Register => {
                match (of(instruction.op0_register())?, of(instruction.op1_register())?) {
                    (Value::Entry(table), Value::Address(address))
                    | (Value::Address(address), Value::Entry(table)) => {
                        (table.address == address).then_some(Value::Case(table))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The largest number that an instruction writes to its first register, if that was checked.
    fn bound_of(&self, instruction: &Instruction) -> Option<u64> {
        let is_move = matches!(
            instruction.mnemonic(),
            Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx | Mnemonic::Movsxd
        );
        self.bounds.get(&place(instruction, 1)?).copied().filter(|_| is_move)
    }
}

/// What an instruction compares with a number.
fn compared(instruction: &Instruction) -> Option<(Place, u64)> {
    let number = instruction.try_immediate(1).ok()?;
    (instruction.mnemonic() == Mnemonic::Cmp).then_some((place(instruction, 0)?, number))
}

fn place(instruction: &Instruction, operand: u32) -> Option<Place> {
    match instruction.try_op_kind(operand).ok()? {
        OpKind::Register => Some(Place::Register(instruction.try_op_register(operand).ok()?.full_register())),
        OpKind::Memory => Some(Place::Memory {
            base: instruction.memory_base().full_register(),
            index: instruction.memory_index().full_register(),
            scale: instruction.memory_index_scale(),
            displacement: instruction.memory_displacement64(),
        }),
        _ => None,
    }
}

/// The cases of the jumps through tables in a function, by the jump; `None` if those of one are not known.
pub(super) fn all_cases(
    tables: &BTreeMap<u64, Table>,
    targets: &CallTargets,
    is_instruction: impl Fn(u64) -> bool,
) -> Option<BTreeMap<u64, Vec<u64>>> {
    let next = |address: u64| {
        let others = tables.values().map(|table| table.address);
        others.filter(|other| *other > address).min()
    };
    let cases = |(jump, table): (&u64, &Table)| {
        Some((*jump, table.cases(targets, &is_instruction, next(table.address))?))
    };
    tables.iter().map(cases).collect()
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    const CODE: u64 = 0x1000;
    const TABLE: u64 = 0x2000;

    /// The table that the last instruction of the code at 0x1000 jumps through; jumps lead to some of its instructions.
    fn table_with(code: &[u8], joins: &[u64]) -> Option<Table> {
        let mut tables = JumpTables::default();
        let decoded = Decoder::with_ip(64, code, CODE, DecoderOptions::NONE).into_iter();
        decoded.fold(None, |_, instruction| tables.next(&instruction, joins.contains(&instruction.ip())))
    }

    fn check(code: &[u8], expected: Option<(u64, Entry, Option<u64>)>) {
        let expected = expected.map(|(address, entry, last)| Table { address, entry, last });
        assert_eq!(table_with(code, &[]), expected, "{code:02x?}");
    }

    #[test]
    fn a_table_of_distances_is_known_with_its_last_number() {
        // cmp $7,%edi; ja out; lea 0x2000(%rip),%rdx; mov %edi,%edi; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax
        let gcc =
            b"\x83\xff\x07\x77\x40\x48\x8d\x15\xf4\x0f\x00\x00\x89\xff\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(gcc, Some((TABLE, Entry::Distance, Some(7))));
        assert_eq!(table_with(gcc, &[0x1005]).map(|table| table.last), Some(None), "past the bounds check");
        // cmpb $7,-1(%rdi); ja out; lea 0x2000(%rip),%rdx; movzbl -1(%rdi),%eax; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax
        let memory = b"\x80\x7f\xff\x07\x77\x40\x48\x8d\x15\xf3\x0f\x00\x00\x0f\xb6\x47\xff\x48\x63\x04\x82\x48\x01\xd0\xff\xe0";
        check(memory, Some((TABLE, Entry::Distance, Some(7))));
        // lea 0x2000(%rip),%rcx; cmp $7,%dl; jae out; movzbl %dl,%edx; movslq (%rcx,%rdx,4),%rdx; add %rcx,%rdx; jmp *%rdx
        let byte = b"\x48\x8d\x0d\xf9\x0f\x00\x00\x80\xfa\x07\x73\x40\x0f\xb6\xd2\x48\x63\x14\x91\x48\x01\xca\xff\xe2";
        check(byte, Some((TABLE, Entry::Distance, Some(6))));
        // lea 0x2000(%rip),%rdx; and $7,%edi; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax: no bounds check.
        let masked = b"\x48\x8d\x15\xf9\x0f\x00\x00\x83\xe7\x07\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(masked, Some((TABLE, Entry::Distance, None)));
        // cmp $7,%edi; ja out; inc %edi, and then as before: the number is another one.
        let changed =
            b"\x83\xff\x07\x77\x40\xff\xc7\x48\x8d\x15\xf2\x0f\x00\x00\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(changed, Some((TABLE, Entry::Distance, None)));
    }

    #[test]
    fn a_table_of_addresses_is_known_too() {
        // cmp $7,%edi; ja out; mov %edi,%edi; jmp *0x2000(,%rdi,8)
        let code = b"\x83\xff\x07\x77\x40\x89\xff\xff\x24\xfd\x00\x20\x00\x00";
        check(code, Some((TABLE, Entry::Address, Some(7))));
        // cmp $7,%edi; ja out; mov %edi,%edi; mov 0x2000(,%rdi,8),%rax; jmp *%rax
        let loaded = b"\x83\xff\x07\x77\x40\x89\xff\x48\x8b\x04\xfd\x00\x20\x00\x00\xff\xe0";
        check(loaded, Some((TABLE, Entry::Address, Some(7))));
    }

    #[test]
    fn what_is_no_table_or_may_be_another_is_none() {
        // jmp *%rax; jmp *0x18(%rdi)
        check(b"\xff\xe0", None);
        check(b"\xff\x67\x18", None);
        // lea 0x2000(%rip),%rdx; call 0x3000; movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax: what is called may change %rdx.
        let called = b"\x48\x8d\x15\xf9\x0f\x00\x00\xe8\xf4\x1f\x00\x00\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(called, None);
        // lea 0x2000(%rip),%rdx; jmp 1f; lea 0x3000(%rip),%rdx; ret; 1: movslq (%rdx,%rdi,4),%rax; add %rdx,%rax; jmp *%rax
        let over = b"\x48\x8d\x15\xf9\x0f\x00\x00\xeb\x08\x48\x8d\x15\xf0\x1f\x00\x00\xc3\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(over, Some((TABLE, Entry::Distance, None)));
        // The same without the return: two ways with one table each.
        let both = b"\x48\x8d\x15\xf9\x0f\x00\x00\xeb\x08\x48\x8d\x15\xf0\x1f\x00\x00\x90\x48\x63\x04\xba\x48\x01\xd0\xff\xe0";
        check(both, None);
    }

    #[test]
    fn its_entries_are_the_cases() {
        let cases = |entries: &[i32], last: Option<u64>, next_table: Option<u64>| {
            let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            let table = Table { address: TABLE, entry: Entry::Distance, last };
            let targets = CallTargets::of_data(TABLE, &bytes);
            table.cases(&targets, |at| (CODE..CODE + 0x20).contains(&at), next_table)
        };
        let (first, second, other) = (-0x1000, -0x0ff8, 0x1000);
        assert_eq!(cases(&[second, first, second, other], Some(2), None), Some(vec![CODE, CODE + 8]));
        // One of those that are let through leads elsewhere, or is not in the file.
        assert_eq!(cases(&[first, second, other], Some(2), None), None);
        assert_eq!(cases(&[first, second], Some(2), None), None);
        // Without a bounds check: up to one that leads elsewhere, or to the next table.
        assert_eq!(cases(&[first, second, other], None, None), Some(vec![CODE, CODE + 8]));
        assert_eq!(cases(&[first, first, second], None, Some(TABLE + 8)), Some(vec![CODE]));
        assert_eq!(cases(&[first, other], None, None), None);
    }
}
