//! Where calls and jumps lead, those through slots of the global offset table included.
//!
//! `call *slot(%rip)` calls whatever the loader wrote into the slot: a function of this file (rustc calls functions of other crates
//! so), or one of another file where there are no stubs (`-fno-plt`). The loader's table of relocations says which; without an entry
//! the slot holds the address itself, as in files at a fixed address or with packed relocations.

use std::sync::Arc;

use iced_x86::{FlowControl, Instruction, OpKind};
use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;

use super::branch_target::branch_target;
use super::elf_file::{ElfFile, Segment};
use super::file_bytes::FileBytes;
use super::plt::{Stub, plt_stubs};
use super::slots::{SECTIONS, SLOT_BYTES, SlotValue, relocated_slots};

/// Where calls and jumps of x86-64 lead: direct ones, and those through slots.
#[derive(Debug, Default)]
pub(crate) struct CallTargets {
    /// By slot: the function of this file, or the slot itself where the loader looks for a name.
    by_slot: FxHashMap<u64, u64>,
    /// What the file has in memory that the program cannot write.
    data: Option<(Arc<FileBytes>, Vec<Segment>)>,
}

impl CallTargets {
    /// The slots of a file.
    pub(crate) fn read(file: &ElfFile) -> Self {
        let Some(object) = file.object() else { return Self::default() };
        let mut by_slot = FxHashMap::default();
        for section in SECTIONS.iter().filter_map(|name| object.section_by_name(name)) {
            let words = section.data().unwrap_or(&[]).as_chunks::<SLOT_BYTES>().0;
            for (index, word) in words.iter().enumerate() {
                let address = u64::from_le_bytes(*word);
                if file.is_code(address) {
                    by_slot.insert(section.address().wrapping_add((index * SLOT_BYTES) as u64), address);
                }
            }
        }
        for (slot, value) in relocated_slots(&object) {
            match value {
                SlotValue::Symbol { .. } => by_slot.insert(slot, slot),
                SlotValue::Address(address) if file.is_code(address) => by_slot.insert(slot, address),
                SlotValue::Address(_) | SlotValue::ResultOf(_) => by_slot.remove(&slot),
            };
        }
        Self { by_slot, data: Some((file.shared_bytes(), file.read_only_segments())) }
    }

    /// What the file has from an address on, up to the end of its segment; empty where it has nothing that the program cannot write.
    pub(crate) fn data(&self, address: u64) -> &[u8] {
        let from = || {
            let (bytes, segments) = self.data.as_ref()?;
            let holds =
                |of: &&Segment| address.checked_sub(of.addr).is_some_and(|within| within < of.file_size);
            let of = segments.iter().find(holds)?;
            let place = |within: u64| usize::try_from(of.offset.saturating_add(within)).ok();
            bytes.get(place(address - of.addr)?..place(of.file_size)?.min(bytes.len()))
        };
        from().unwrap_or(&[])
    }

    /// The target of a direct jump or call, or of one through a slot: where the function begins, or the slot of a function of another
    /// file. `None` for everything else.
    fn target(&self, instruction: &Instruction) -> Option<u64> {
        branch_target(instruction).or_else(|| self.through_slot(instruction))
    }

    /// The target, and how control goes on: what a known slot holds is called or jumped to as if directly.
    pub(crate) fn step(&self, instruction: &Instruction) -> (Option<u64>, FlowControl) {
        let target = self.target(instruction);
        let flow = match instruction.flow_control() {
            FlowControl::IndirectCall if target.is_some() => FlowControl::Call,
            FlowControl::IndirectBranch if target.is_some() => FlowControl::UnconditionalBranch,
            flow => flow,
        };
        (target, flow)
    }

    /// The target of a jump or call through a slot.
    pub(crate) fn through_slot(&self, instruction: &Instruction) -> Option<u64> {
        let flow = instruction.flow_control();
        let is_indirect = matches!(flow, FlowControl::IndirectCall | FlowControl::IndirectBranch);
        let by_slot =
            is_indirect && instruction.op0_kind() == OpKind::Memory && instruction.is_ip_rel_memory_operand();
        if by_slot { self.by_slot.get(&instruction.ip_rel_memory_address()).copied() } else { None }
    }
}

/// By what a file reaches functions of other files: stubs, and slots that calls go through.
pub(crate) fn ways_out(file: &ElfFile) -> Vec<Stub> {
    let Some(object) = file.object() else { return Vec::new() };
    let slots = relocated_slots(&object).into_iter().filter_map(|(slot, value)| match value {
        SlotValue::Symbol { name, is_function: true } => {
            Some(Stub { start: slot, end: slot.saturating_add(SLOT_BYTES as u64), function: name })
        }
        _ => None,
    });
    let mut ways = plt_stubs(&object);
    ways.extend(slots);
    ways
}

#[cfg(test)]
impl CallTargets {
    /// One slot, and the function that it leads to.
    pub(crate) fn of_slot(slot: u64, function: u64) -> Self {
        Self { by_slot: [(slot, function)].into_iter().collect(), data: None }
    }

    /// What a file has in memory from an address on.
    pub(crate) fn of_data(addr: u64, bytes: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data");
        std::fs::write(&path, bytes).unwrap();
        let segment = Segment { addr, offset: 0, file_size: bytes.len() as u64 };
        Self {
            by_slot: FxHashMap::default(),
            data: Some((Arc::new(FileBytes::open(&path).unwrap()), vec![segment])),
        }
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn target(code: &[u8]) -> Option<u64> {
        CallTargets::of_slot(0x3000, 0x2000)
            .target(&Decoder::with_ip(64, code, 0x1000, DecoderOptions::NONE).decode())
    }

    #[test]
    fn a_call_through_a_slot_leads_to_its_function() {
        // call *0x3000
        assert_eq!(target(b"\xff\x15\xfa\x1f\x00\x00"), Some(0x2000));
        // jmp *0x3000
        assert_eq!(target(b"\xff\x25\xfa\x1f\x00\x00"), Some(0x2000));
        // call *0x3008, which is no slot
        assert_eq!(target(b"\xff\x15\x02\x20\x00\x00"), None);
        // mov 0x3000,%rax
        assert_eq!(target(b"\x48\x8b\x05\xf9\x1f\x00\x00"), None);
        // call 0x2000
        assert_eq!(target(b"\xe8\xfb\x0f\x00\x00"), Some(0x2000));
    }

    /// This program calls functions of the C library and of other crates so.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn slots_lead_to_functions() {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        let targets = CallTargets::read(&file);
        let starts: std::collections::BTreeSet<u64> =
            super::super::function_ranges::all_functions(&file).iter().map(|range| range.start).collect();
        let of_file: Vec<u64> =
            targets.by_slot.iter().filter(|(slot, to)| slot != to).map(|(_, to)| *to).collect();
        let known = of_file.iter().filter(|to| starts.contains(to)).count();
        assert!(of_file.len() > 10 && known * 10 > of_file.len() * 9, "{known} of {}", of_file.len());
        let names: Vec<Stub> = ways_out(&file);
        assert!(names.iter().any(|way| way.function.starts_with("malloc")), "{}", names.len());
    }
}
