//! Stubs of the procedure linkage table: which imported function each jumps to.
//!
//! A stub jumps through a slot of the global offset table; the relocation of that slot names the function. Stubs have
//! 16 bytes (`.plt`, `.plt.sec`) or 8 (`.plt.got`); both multiples of 8, so every 8 bytes are looked at.
//!
//! ```text
//! x86-64   [endbr64] [bnd] jmp *SLOT(%rip)      ff 25 disp32
//! AArch64  adrp x16, PAGE; ldr x17, [x16, #LOW]
//! ```

use object::elf::{R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
use object::read::elf::Sym as _;
use object::{LittleEndian, Object as _, ObjectSection as _};
use object::{RelocationFlags, RelocationTarget, SymbolIndex};
use rustc_hash::FxHashMap;

use super::image::{Image, Processor};

const STUB_SECTIONS: [&str; 4] = [".plt", ".plt.sec", ".plt.got", ".iplt"];
const STUB_STEP: usize = 8;

/// The stubs of a file, by address.
pub(super) fn stubs<'a>(image: &Image<'a>) -> Vec<(u64, &'a str)> {
    let slots = slots(image);
    let mut stubs = Vec::new();
    for name in STUB_SECTIONS {
        let Some(section) = image.file.section_by_name(name) else { continue };
        let bytes = section.data().unwrap_or(&[]);
        for at in (0..bytes.len()).step_by(STUB_STEP) {
            let addr = section.address().wrapping_add(at as u64);
            let stub = bytes.get(at..).unwrap_or(&[]);
            let slot = match image.processor {
                Processor::X86 => x86_slot(addr, stub),
                Processor::Arm => arm_slot(addr, stub),
                Processor::Other => None,
            };
            stubs.extend(slot.and_then(|slot| slots.get(&slot)).map(|name| (addr, *name)));
        }
    }
    stubs.sort_unstable();
    stubs
}

/// The names of functions by the slot that will hold their address.
fn slots<'a>(image: &Image<'a>) -> FxHashMap<u64, &'a str> {
    let Some(relocations) = image.file.dynamic_relocations() else { return FxHashMap::default() };
    let table = image.file.elf_dynamic_symbol_table();
    let name_of = |index: SymbolIndex| -> Option<&'a str> {
        let symbol: &object::elf::Sym64<LittleEndian> = table.symbol(index).ok()?;
        std::str::from_utf8(symbol.name(LittleEndian, table.strings()).ok()?)
            .ok()
            .filter(|name| !name.is_empty())
    };
    let slot_of = |(slot, relocation): (u64, object::Relocation)| {
        let RelocationFlags::Elf { r_type } = relocation.flags() else { return None };
        let is_slot = match image.processor {
            Processor::X86 => matches!(r_type, R_X86_64_GLOB_DAT | R_X86_64_JUMP_SLOT),
            Processor::Arm => matches!(r_type, R_AARCH64_GLOB_DAT | R_AARCH64_JUMP_SLOT),
            Processor::Other => false,
        };
        let RelocationTarget::Symbol(index) = relocation.target() else { return None };
        Some((slot, name_of(index)?)).filter(|_| is_slot)
    };
    relocations.filter_map(slot_of).collect()
}

fn x86_slot(addr: u64, stub: &[u8]) -> Option<u64> {
    let endbr = if stub.starts_with(&[0xf3, 0x0f, 0x1e, 0xfa]) { 4 } else { 0 };
    let bnd = usize::from(stub.get(endbr) == Some(&0xf2));
    let jump = stub.get(endbr + bnd..)?;
    let displacement = jump.strip_prefix(&[0xff, 0x25])?.first_chunk::<4>()?;
    let end = addr.wrapping_add((endbr + bnd + 6) as u64);
    Some(end.wrapping_add_signed(i64::from(i32::from_le_bytes(*displacement))))
}

fn arm_slot(addr: u64, stub: &[u8]) -> Option<u64> {
    let adrp = u32::from_le_bytes(*stub.first_chunk::<4>()?);
    let load = u32::from_le_bytes(*stub.get(4..)?.first_chunk::<4>()?);
    if adrp & 0x9f00_001f != 0x9000_0010 || load & 0xffc0_03ff != 0xf940_0211 {
        return None;
    }
    let pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7_ffff) << 2;
    let pages = i64::from((pages << 11).cast_signed() >> 11);
    let low = u64::from(load >> 10 & 0xfff) * 8;
    Some((addr & !0xfff).wrapping_add_signed(pages << 12).wrapping_add(low))
}
