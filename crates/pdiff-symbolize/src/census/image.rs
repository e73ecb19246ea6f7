//! An ELF file as the census needs it: where code lies, and what addresses mean something.

use object::elf::{ET_EXEC, SHF_ALLOC, SHF_EXECINSTR};
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Architecture, LittleEndian, Object as _, ObjectSection as _, SectionFlags};

use super::error::CensusError;

/// The processors whose code is decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Processor {
    /// x86-64.
    X86,
    /// 64-bit Arm.
    Arm,
    /// Any other: not decoded.
    Other,
}

/// A stretch of addresses, with its bytes where the file has them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch<'a> {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) bytes: &'a [u8],
}

/// A parsed ELF file.
pub(super) struct Image<'a> {
    /// The file itself.
    pub(super) bytes: &'a [u8],
    pub(super) file: ElfFile64<'a, LittleEndian>,
    pub(super) processor: Processor,
    /// Sections with instructions, by address.
    code: Vec<Stretch<'a>>,
    pub(super) layout: Layout,
}

/// What numbers in instructions may be addresses.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Whether the file is linked to a fixed address, so that instructions may hold absolute addresses.
    pub(super) is_fixed: bool,
    /// Sections that are loaded, by address.
    allocated: Vec<(u64, u64)>,
}

impl Layout {
    /// Whether `value` is an address of something loaded.
    pub(super) fn is_allocated(&self, value: u64) -> bool {
        let after = self.allocated.partition_point(|(start, _)| *start <= value);
        after.checked_sub(1).and_then(|last| self.allocated.get(last)).is_some_and(|(_, end)| value < *end)
    }
}

impl<'a> Image<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self, CensusError> {
        match bytes.get(..6) {
            Some([0x7f, b'E', b'L', b'F', 2, 1]) => {}
            Some([0x7f, b'E', b'L', b'F', ..]) => return Err(CensusError::OtherElf),
            _ => return Err(CensusError::NotElf { detail: "no ELF header".to_owned() }),
        }
        let file = ElfFile64::<LittleEndian>::parse(bytes).map_err(|error| CensusError::not_elf(&error))?;
        let processor = match file.architecture() {
            Architecture::X86_64 | Architecture::X86_64_X32 => Processor::X86,
            Architecture::Aarch64 => Processor::Arm,
            _ => Processor::Other,
        };
        let is_fixed = file.elf_header().e_type(LittleEndian) == ET_EXEC;
        let (mut code, mut allocated) = (Vec::new(), Vec::new());
        for section in file.sections() {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let (start, Some(end)) = (section.address(), section.address().checked_add(section.size()))
            else {
                continue;
            };
            if !sh_flags.contains(SHF_ALLOC) || start == end {
                continue;
            }
            allocated.push((start, end));
            if sh_flags.contains(SHF_EXECINSTR) {
                code.push(Stretch { start, end, bytes: section.data().unwrap_or(&[]) });
            }
        }
        code.sort_unstable_by_key(|stretch| stretch.start);
        allocated.sort_unstable();
        Ok(Self { bytes, file, processor, code, layout: Layout { is_fixed, allocated } })
    }

    /// The instructions from `start` on, `length` bytes at most; empty where the file has none.
    pub(super) fn code_at(&self, start: u64, length: u64) -> &'a [u8] {
        let Some(stretch) = self.stretch_of(start) else { return &[] };
        let skip = usize::try_from(start - stretch.start).unwrap_or(usize::MAX);
        let rest = stretch.bytes.get(skip..).unwrap_or(&[]);
        rest.get(..usize::try_from(length).unwrap_or(usize::MAX).min(rest.len())).unwrap_or(rest)
    }

    /// The section with instructions that holds `addr`.
    pub(super) fn stretch_of(&self, addr: u64) -> Option<&Stretch<'a>> {
        let after = self.code.partition_point(|stretch| stretch.start <= addr);
        self.code.get(after.checked_sub(1)?).filter(|stretch| addr < stretch.end)
    }

    /// The compilers that the `.comment` section names.
    pub(super) fn comments(&self) -> Vec<&'a str> {
        let comment = self.file.section_by_name(".comment");
        let bytes = comment.and_then(|section| section.data().ok()).unwrap_or(&[]);
        let texts = bytes.split(|byte| *byte == 0).filter_map(|text| std::str::from_utf8(text).ok());
        let mut texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }
}
