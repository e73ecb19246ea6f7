//! The DWARF sections of a file, of the file it shares parts with (dwz), and of its split parts.
//!
//! Sections inflate in parallel, what takes longest first, and only those that names, inline chains and lines need. Of
//! 8.0.33's cold resolution inflating is two thirds; `.debug_info` alone is one stream that no second thread can help.

use gimli::{EndianSlice, RunTimeEndian, SectionId};
use rayon::prelude::*;

use crate::elf_file::{ElfFile, SectionBytes};

/// How DWARF is read.
pub(crate) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;
/// DWARF as gimli has it.
pub(crate) type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;

/// What is read of the DWARF sections, what takes longest to inflate first.
const NEEDED: [SectionId; 10] = [
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugAranges,
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugLineStr,
    SectionId::DebugStrOffsets,
];

/// The sections' bytes, for as long as DWARF is read.
#[derive(Debug)]
pub(crate) struct DebugSections<'a> {
    own: gimli::DwarfSections<SectionBytes<'a>>,
    shared: Option<gimli::DwarfSections<SectionBytes<'a>>>,
    endian: RunTimeEndian,
}

impl<'a> DebugSections<'a> {
    /// Reads the sections of `file`, and of `shared` where `file` refers to it. `last` is done by the first thread
    /// that has nothing left to inflate.
    pub(crate) fn load(
        file: &'a ElfFile,
        shared: Option<&'a ElfFile>,
        last: impl Fn() + Send + Sync,
    ) -> Self {
        let (own, shared) = rayon::join(
            || load_sections(file, SectionId::name, last),
            || shared.map(|file| load_sections(file, SectionId::name, || ())),
        );
        Self { own, shared, endian: endian_of(file) }
    }

    /// Reads the `.dwo` sections of a split file.
    pub(crate) fn load_split(file: &'a ElfFile) -> Self {
        let own = load_sections(file, |id| id.dwo_name().unwrap_or("."), || ());
        Self { own, shared: None, endian: endian_of(file) }
    }

    /// The DWARF in these sections.
    pub(crate) fn dwarf(&self) -> Dwarf<'_> {
        let mut dwarf = self.own.borrow(|bytes| EndianSlice::new(bytes, self.endian));
        if let Some(shared) = &self.shared {
            dwarf.set_sup(shared.borrow(|bytes| EndianSlice::new(bytes, self.endian)));
        }
        dwarf
    }
}

/// The byte order of a file.
pub(crate) fn endian_of(file: &ElfFile) -> RunTimeEndian {
    match file.object().is_none_or(|object| object::Object::is_little_endian(&object)) {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    }
}

fn load_sections<'a>(
    file: &'a ElfFile,
    name: impl Fn(SectionId) -> &'static str + Sync + Copy,
    last: impl Fn() + Send + Sync,
) -> gimli::DwarfSections<SectionBytes<'a>> {
    let load = |task: Option<&SectionId>| match task {
        Some(id) => Some((*id, file.section(name(*id)))),
        None => {
            last();
            None
        }
    };
    // A bridge hands out one after another; halves would put the large ones into one thread's half.
    let tasks = NEEDED.iter().map(Some).chain([None]).par_bridge();
    let mut loaded: Vec<(SectionId, SectionBytes<'a>)> = tasks.filter_map(load).collect();
    let take = |id: SectionId| -> Result<SectionBytes<'a>, std::convert::Infallible> {
        let at = loaded.iter().position(|(loaded, _)| *loaded == id);
        Ok(at.map(|at| loaded.swap_remove(at).1).unwrap_or_default())
    };
    match gimli::DwarfSections::load(take) {
        Ok(sections) => sections,
        Err(never) => match never {},
    }
}
