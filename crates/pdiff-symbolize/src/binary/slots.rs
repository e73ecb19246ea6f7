//! The slots of the global offset table, and what the loader writes into them.

use std::collections::BTreeMap;
use std::sync::Arc;

use object::{
    Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationFlags, RelocationTarget, SymbolIndex,
    SymbolKind, elf,
};
use rustc_hash::FxHashMap;

/// The sections that consist of slots.
pub(super) const SECTIONS: [&str; 2] = [".got.plt", ".got"];
/// The size of a slot of the processors whose code is decoded.
pub(super) const SLOT_BYTES: usize = 8;

/// What the loader writes into a slot.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SlotValue {
    /// The address of a symbol.
    Symbol { name: Arc<str>, is_function: bool },
    /// This address of the file.
    Address(u64),
    /// What the function at this address of the file returns.
    ResultOf(u64),
}

/// The slots with a relocation, by address; of several for one slot the last. Slots of one symbol share its name, so that no file has more
/// names than symbols.
pub(super) fn relocated_slots(file: &object::File<'_>) -> BTreeMap<u64, SlotValue> {
    let symbols = file.dynamic_symbol_table();
    let sections = SECTIONS.iter().filter_map(|name| file.section_by_name(name));
    let ranges: Vec<_> = sections.map(|s| s.address()..s.address().saturating_add(s.size())).collect();
    let mut names: FxHashMap<SymbolIndex, Option<SlotValue>> = FxHashMap::default();
    let symbol = |index: SymbolIndex| {
        let symbol = symbols.as_ref()?.symbol_by_index(index).ok()?;
        let name = String::from_utf8_lossy(symbol.name_bytes().ok()?);
        let is_function = symbol.kind() == SymbolKind::Text;
        (!name.is_empty()).then(|| SlotValue::Symbol { name: name.into(), is_function })
    };
    let mut value = |relocation: &object::Relocation| match relocation.target() {
        RelocationTarget::Symbol(index) => names.entry(index).or_insert_with(|| symbol(index)).clone(),
        _ => {
            let addend = relocation.addend().cast_unsigned();
            let is_relative = matches!(relocation.flags(), RelocationFlags::Elf { r_type }
                if [elf::R_X86_64_RELATIVE, elf::R_AARCH64_RELATIVE].contains(&r_type));
            Some(if is_relative { SlotValue::Address(addend) } else { SlotValue::ResultOf(addend) })
        }
    };
    let relocations = file.dynamic_relocations().into_iter().flatten();
    let in_sections = relocations.filter(|(slot, _)| ranges.iter().any(|range| range.contains(slot)));
    in_sections.filter_map(|(slot, relocation)| Some((slot, value(&relocation)?))).collect()
}
