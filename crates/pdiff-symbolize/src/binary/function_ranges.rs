//! Where functions begin and end, by the unwind tables that every build keeps.

use std::ops::Range;

use gimli::{BaseAddresses, EhFrame, EndianSlice, LittleEndian, UnwindSection as _};
use object::{Object as _, ObjectSection as _};

use crate::binary::elf_file::ElfFile;

/// The most functions read; more are in no real file.
const MAX_FUNCTIONS: usize = 1 << 22;

/// The code of each unwind entry, by address.
#[derive(Debug)]
pub(crate) struct FunctionRanges(Vec<Range<u64>>);

impl FunctionRanges {
    /// Of a file; of none where it has no `.eh_frame` that can be read.
    pub(crate) fn new(file: &ElfFile) -> Self {
        let bytes = file.section(".eh_frame");
        let addr = |name: &str| Some(file.object()?.section_by_name(name)?.address());
        let Some(start) = addr(".eh_frame") else { return Self(Vec::new()) };
        let bases = BaseAddresses::default().set_eh_frame(start);
        let bases = addr(".text").map_or(bases.clone(), |text| bases.set_text(text));
        let frames = EhFrame::from(EndianSlice::new(&bytes, LittleEndian));
        let mut entries = frames.entries(&bases);
        let mut ranges = Vec::new();
        while let Ok(Some(entry)) = entries.next() {
            let gimli::CieOrFde::Fde(partial) = entry else { continue };
            let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else { continue };
            let (start, length) = (fde.initial_address(), fde.len());
            if let Some(end) =
                start.checked_add(length).filter(|end| *end > start && ranges.len() < MAX_FUNCTIONS)
            {
                ranges.push(start..end);
            }
        }
        ranges.sort_unstable_by_key(|range| (range.start, range.end));
        Self(ranges)
    }

    /// All of them, by address.
    pub(crate) fn all(&self) -> &[Range<u64>] {
        &self.0
    }

    /// The function that contains an address.
    pub(crate) fn at(&self, addr: u64) -> Option<Range<u64>> {
        let after = self.0.partition_point(|range| range.start <= addr);
        self.0.get(after.checked_sub(1)?).filter(|range| range.contains(&addr)).cloned()
    }
}
