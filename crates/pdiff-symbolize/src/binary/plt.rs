//! The stubs of the procedure linkage table: code that jumps to a function of another object.
//!
//! Stubs have no symbols. Each loads its target from a slot of the global offset table, and a relocation says which
//! symbol the slot is for; so the code of a stub is decoded, not counted (linkers lay out `.plt`, `.plt.sec` and
//! `.plt.got` in a dozen ways). A stub whose slot has no relocation stays without name.

use std::sync::Arc;

use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;

use super::slots::{SlotValue, relocated_slots};

/// Sections that hold stubs.
const SECTIONS: [&str; 4] = [".plt", ".plt.sec", ".plt.got", ".plt.bnd"];
/// A function has at most so many stubs: one in each section. Others are left out of files that were made to name one again and again.
const STUBS_OF_NAME: u64 = 4;
/// Longest stub.
const MAX_STUB_BYTES: usize = 16;

/// A stub.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stub {
    /// First address.
    pub(crate) start: u64,
    /// The address after the last.
    pub(crate) end: u64,
    /// The function that it jumps to.
    pub(crate) function: Arc<str>,
}

/// The stubs of a file.
pub(crate) fn plt_stubs(file: &object::File<'_>) -> Vec<Stub> {
    let slots = Slots::read(file);
    let all_names = file.section_by_name(".dynstr").map_or(0, |section| section.size());
    let most_name_bytes = all_names.saturating_mul(STUBS_OF_NAME);
    let (mut stubs, mut name_bytes) = (Vec::new(), 0);
    for section in SECTIONS.iter().filter_map(|name| file.section_by_name(name)) {
        let data = section.data().unwrap_or(&[]);
        let stub_bytes = stub_bytes(&section, file.architecture());
        for (index, stub) in data.chunks_exact(stub_bytes).enumerate() {
            let start = section.address().wrapping_add((index * stub_bytes) as u64);
            if let Some(name) = slots.name_of(file, start, stub) {
                name_bytes += name.len() as u64;
                if name_bytes > most_name_bytes {
                    return stubs;
                }
                let end = start.saturating_add(stub_bytes as u64);
                stubs.push(Stub { start, end, function: Arc::clone(name) });
            }
        }
    }
    stubs
}

/// 8 bytes for `.plt.got` without branch protection, else 16.
fn stub_bytes(section: &object::Section<'_, '_>, architecture: object::Architecture) -> usize {
    let is_short = section.name() == Ok(".plt.got")
        && architecture == object::Architecture::X86_64
        && section.data().is_ok_and(|data| data.starts_with(&[0xff, 0x25]));
    if is_short { 8 } else { MAX_STUB_BYTES }
}

/// What the slots of the global offset table are for.
struct Slots {
    by_addr: FxHashMap<u64, Arc<str>>,
    /// Names of `.rela.plt` in order: what a stub that pushes a number refers to.
    by_number: Vec<Arc<str>>,
}

impl Slots {
    fn read(file: &object::File<'_>) -> Self {
        let mut by_addr = FxHashMap::default();
        let mut numbered = Vec::new();
        for (slot, value) in relocated_slots(file) {
            let name: Arc<str> = match value {
                SlotValue::Symbol { name, .. } => name,
                // Binutils do not know the name either.
                SlotValue::Address(addr) | SlotValue::ResultOf(addr) => format!("*ABS*+{addr:#x}").into(),
            };
            numbered.push((slot, name.clone()));
            by_addr.insert(slot, name);
        }
        let first = file.section_by_name(".got.plt").map_or(0, |section| section.address());
        numbered.retain(|(slot, _)| *slot >= first);
        numbered.sort_by_key(|(slot, _)| *slot);
        Self { by_addr, by_number: numbered.into_iter().map(|(_, name)| name).collect() }
    }

    fn name_of(&self, file: &object::File<'_>, start: u64, stub: &[u8]) -> Option<&Arc<str>> {
        let slot = match file.architecture() {
            object::Architecture::X86_64 | object::Architecture::X86_64_X32 => {
                if let Some(number) = pushed_number(stub) {
                    return self.by_number.get(number);
                }
                slot_x86_64(start, stub)
            }
            object::Architecture::Aarch64 => slot_aarch64(start, stub),
            object::Architecture::I386 => slot_i386(file, stub),
            _ => None,
        }?;
        self.by_addr.get(&slot)
    }
}

/// `endbr64; push $number`: the number of the relocation (the jump through the slot is in `.plt.sec`).
fn pushed_number(stub: &[u8]) -> Option<usize> {
    let rest = stub.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa, 0x68])?;
    usize::try_from(i32_at(rest, 0)?).ok()
}

/// `[endbr64] [bnd] jmp *disp(%rip)`.
fn slot_x86_64(start: u64, stub: &[u8]) -> Option<u64> {
    let after_endbr = stub.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfa]).unwrap_or(stub);
    let after_bnd = after_endbr.strip_prefix(&[0xf2]).unwrap_or(after_endbr);
    let operand = after_bnd.strip_prefix(&[0xff, 0x25])?;
    let disp = i32_at(operand, 0)?;
    let next = (stub.len() - operand.len() + 4) as u64;
    Some(start.wrapping_add(next).wrapping_add_signed(i64::from(disp)))
}

/// `[bti c] adrp x16, page; ldr x17, [x16, #offset]`.
fn slot_aarch64(start: u64, stub: &[u8]) -> Option<u64> {
    let words = [0, 4].map(|at| Some((at as u64, i32_at(stub, at)? as u32, i32_at(stub, at + 4)? as u32)));
    let is_adrp = |word: u32| word & 0x9f00_001f == 0x9000_0010;
    let is_ldr = |word: u32| word & 0xffc0_03ff == 0xf940_0211;
    let (at, adrp, ldr) =
        words.into_iter().flatten().find(|(_, adrp, ldr)| is_adrp(*adrp) && is_ldr(*ldr))?;
    let pages = (u64::from(adrp >> 5 & 0x7_ffff) << 2) | u64::from(adrp >> 29 & 3);
    let signed = (pages as i64) << 43 >> 43;
    let page = start.wrapping_add(at) & !0xfff;
    let offset = u64::from(ldr >> 10 & 0xfff) * 8;
    Some(page.wrapping_add_signed(signed << 12).wrapping_add(offset))
}

/// `jmp *slot` or `jmp *disp(%ebx)`, the latter from the start of `.got.plt`.
fn slot_i386(file: &object::File<'_>, stub: &[u8]) -> Option<u64> {
    let after_endbr = stub.strip_prefix(&[0xf3, 0x0f, 0x1e, 0xfb]).unwrap_or(stub);
    if let Some(operand) = after_endbr.strip_prefix(&[0xff, 0x25]) {
        return Some(u64::from(i32_at(operand, 0)? as u32));
    }
    let operand = after_endbr.strip_prefix(&[0xff, 0xa3])?;
    let base = file.section_by_name(".got.plt").or_else(|| file.section_by_name(".got"))?.address();
    Some(u64::from((base as u32).wrapping_add(i32_at(operand, 0)? as u32)))
}

fn i32_at(bytes: &[u8], at: usize) -> Option<i32> {
    let word: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    Some(i32::from_le_bytes(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_tells_the_slot_it_jumps_through() {
        let plain = [0xff, 0x25, 0x10, 0, 0, 0, 0x68, 0, 0, 0, 0, 0xe9, 0, 0, 0, 0];
        assert_eq!(slot_x86_64(0x1000, &plain), Some(0x1016));
        let protected = [0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0x10, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(slot_x86_64(0x1000, &protected), Some(0x101b));
        let header = [0xff, 0x35, 2, 0, 0, 0, 0xff, 0x25, 4, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(slot_x86_64(0x1000, &header), None);
        let lazy = [0xf3, 0x0f, 0x1e, 0xfa, 0x68, 3, 0, 0, 0, 0xf2, 0xe9, 0, 0, 0, 0, 0x90];
        assert_eq!(pushed_number(&lazy), Some(3));
        let arm = [0x90, 0, 0, 0xb0, 0x11, 0x0a, 0x47, 0xf9, 0x10, 0x42, 0x38, 0x91, 0x20, 0x02, 0x1f, 0xd6];
        assert_eq!(slot_aarch64(0x1000, &arm), Some(0x12e10));
    }
}
