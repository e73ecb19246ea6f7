//! Where functions begin and end, by the unwind tables that every build keeps.
//!
//! In: a file. Out: the function at an address, or all of them. The table that unwinders search (`.eh_frame_hdr`) finds a function
//! by its address; all entries, 90,000 in a large program, are read only where there is no such table.

use std::ops::Range;

use gimli::{
    BaseAddresses, CieOrFde, EhFrame, EhFrameHdr, EhFrameOffset, EndianSlice, LittleEndian, ParsedEhFrameHdr,
    UnwindSection as _,
};
use object::{Object as _, ObjectSection as _};

use crate::binary::elf_file::{ElfFile, SectionBytes};

/// The most functions read; more are in no real file.
const MAX_FUNCTIONS: usize = 1 << 22;

type Bytes<'f> = EndianSlice<'f, LittleEndian>;

/// The functions of a file by address.
pub(crate) enum FunctionRanges<'f> {
    Searched(SearchTable<'f>),
    /// By address.
    Listed(Vec<Range<u64>>),
}

/// The table of unwind entries by address.
pub(crate) struct SearchTable<'f> {
    header: ParsedEhFrameHdr<Bytes<'f>>,
    /// Where the entries begin.
    entries_start: u64,
    entries: EhFrame<Bytes<'f>>,
    bases: BaseAddresses,
}

impl<'f> FunctionRanges<'f> {
    /// Of a file; of none where it has no `.eh_frame` that can be read.
    pub(crate) fn new(file: &'f ElfFile) -> Self {
        SearchTable::of(file).map_or_else(|| Self::Listed(all_functions(file)), Self::Searched)
    }

    /// The function that contains an address.
    pub(crate) fn at(&self, addr: u64) -> Option<Range<u64>> {
        let function = match self {
            Self::Searched(table) => table.near(addr),
            Self::Listed(all) => {
                let after = all.partition_point(|range| range.start <= addr);
                all.get(after.checked_sub(1)?).cloned()
            }
        };
        function.filter(|range| range.contains(&addr))
    }
}

/// All functions of a file by address.
pub(crate) fn all_functions(file: &ElfFile) -> Vec<Range<u64>> {
    let bytes = file.section(".eh_frame");
    let Some(bases) = bases(file) else { return Vec::new() };
    let frames = EhFrame::from(EndianSlice::new(&bytes, LittleEndian));
    let mut entries = frames.entries(&bases);
    let mut ranges = Vec::new();
    while let Ok(Some(entry)) = entries.next() {
        let CieOrFde::Fde(partial) = entry else { continue };
        let Ok(fde) = partial.parse(EhFrame::cie_from_offset) else { continue };
        ranges.extend(range(fde.initial_address(), fde.len()).filter(|_| ranges.len() < MAX_FUNCTIONS));
    }
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    ranges
}

impl<'f> SearchTable<'f> {
    /// The table of a file, if it has one and the entries are in the file as they are.
    fn of(file: &'f ElfFile) -> Option<Self> {
        let start = file.object()?.section_by_name(".eh_frame_hdr")?.address();
        let bases = bases(file)?.set_eh_frame_hdr(start);
        let in_file = |name| match file.section(name) {
            SectionBytes::InFile(bytes) => Some(EndianSlice::new(bytes, LittleEndian)),
            SectionBytes::Inflated(_) | SectionBytes::Damaged => None,
        };
        let header = EhFrameHdr::from(in_file(".eh_frame_hdr")?);
        let address_bytes = if file.object()?.is_64() { 8 } else { 4 };
        let header = header.parse(&bases, address_bytes).ok().filter(|header| header.table().is_some())?;
        let entries_start = header.eh_frame_ptr().direct().ok()?;
        Some(Self { header, entries_start, entries: EhFrame::from(in_file(".eh_frame")?), bases })
    }

    /// The last function that begins at an address or before it, wherever that ends.
    fn near(&self, addr: u64) -> Option<Range<u64>> {
        let entry = self.header.table()?.lookup(addr, &self.bases).ok()?.direct().ok()?;
        let offset = usize::try_from(entry.checked_sub(self.entries_start)?).ok()?;
        let offset = EhFrameOffset(offset);
        let fde = self.entries.fde_from_offset(&self.bases, offset, EhFrame::cie_from_offset).ok()?;
        range(fde.initial_address(), fde.len())
    }
}

/// What addresses of unwind entries count from.
fn bases(file: &ElfFile) -> Option<BaseAddresses> {
    let object = file.object()?;
    let addr = |name: &str| Some(object.section_by_name(name)?.address());
    let bases = BaseAddresses::default().set_eh_frame(addr(".eh_frame")?);
    Some(match addr(".text") {
        Some(text) => bases.set_text(text),
        None => bases,
    })
}

fn range(start: u64, length: u64) -> Option<Range<u64>> {
    start.checked_add(length).filter(|end| *end > start).map(|end| start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_finds_the_functions_that_all_entries_name() {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        let all = all_functions(&file);
        let searched = FunctionRanges::new(&file);
        assert!(matches!(searched, FunctionRanges::Searched(_)) && all.len() > 100, "{}", all.len());
        let listed = FunctionRanges::Listed(all.clone());
        let some = || all.iter().step_by(1 + all.len() / 5000).chain(all.last());
        let addrs = some().flat_map(|range| [range.start - 1, range.start, range.end - 1, range.end]);
        for addr in addrs.chain([0, u64::MAX]) {
            assert_eq!(searched.at(addr), listed.at(addr), "{addr:#x}");
        }
    }
}
