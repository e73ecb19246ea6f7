//! Which numbers in the instructions of a file may be addresses, and the processor that they are for.

use object::{Architecture, Object as _, ObjectSection as _, SectionFlags};

use crate::binary::elf_file::ElfFile;
use crate::binary::ranges::{disjoint, range_at};

const SHF_ALLOC: u64 = 2;

/// The processors whose code is decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Processor {
    /// x86-64.
    X86,
    /// 64-bit Arm.
    Arm,
    /// Any other: not decoded.
    Other,
}

/// What numbers in instructions may be addresses.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Whether the file is linked to a fixed address, so that instructions may hold absolute addresses.
    pub(crate) is_fixed: bool,
    /// Sections that are loaded, by address.
    allocated: Vec<std::ops::Range<u64>>,
}

impl Processor {
    pub(crate) fn of(file: &ElfFile) -> Self {
        match file.object().map(|object| object.architecture()) {
            Some(Architecture::X86_64 | Architecture::X86_64_X32) => Self::X86,
            Some(Architecture::Aarch64) => Self::Arm,
            _ => Self::Other,
        }
    }
}

impl Layout {
    pub(crate) fn read(file: &ElfFile) -> Self {
        let Some(object) = file.object() else { return Self::default() };
        let allocated = object.sections().filter_map(|section| match section.flags() {
            SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & SHF_ALLOC != 0 => {
                Some(section.address()..section.address().checked_add(section.size())?)
            }
            _ => None,
        });
        Self { is_fixed: !file.is_relocated(), allocated: disjoint(allocated.collect()) }
    }

    /// Whether `value` is an address of something loaded.
    pub(crate) fn is_allocated(&self, value: u64) -> bool {
        // Most numbers are small.
        let is_above = self.allocated.first().is_some_and(|first| value >= first.start);
        is_above && range_at(&self.allocated, value).is_some()
    }
}
