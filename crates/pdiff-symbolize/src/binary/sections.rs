//! The DWARF sections of a file, of the file it shares parts with (dwz), and of its split parts.
//!
//! Only the sections that names, inline chains and lines need are inflated, in parallel, each in one go: this is two thirds
//! of 8.0.33's cold resolution. `.debug_info` is one stream that cannot use a second thread, so it is started first.
//! Strings are inflated last, because they are not needed to find which unit has which addresses.

use std::convert::Infallible;
use std::sync::OnceLock;

use gimli::{RunTimeEndian, SectionId};
use rayon::prelude::*;

use crate::binary::dwarf::{Dwarf, Slice};
use crate::binary::elf_file::{ElfFile, SectionBytes};
use crate::binary::kept_sections::KeptSections;
use crate::binary::strings::StringTables;

/// What is read of the DWARF sections, in this order.
const NEEDED: [SectionId; 10] = [
    SectionId::DebugInfo,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugLine,
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugAranges,
    SectionId::DebugStr,
    SectionId::DebugLineStr,
    SectionId::DebugStrOffsets,
];
/// Those that only names need.
const STRINGS: [SectionId; 3] = [SectionId::DebugStr, SectionId::DebugLineStr, SectionId::DebugStrOffsets];

/// The sections' bytes, for as long as DWARF is read.
#[derive(Debug)]
pub(crate) struct DebugSections<'a> {
    own: Sections<'a>,
    shared: Option<Sections<'a>>,
}

impl<'a> DebugSections<'a> {
    /// Reads the sections of `file`, and of `shared` where `file` refers to it. `meanwhile` is done by the first thread
    /// that has nothing left to inflate, while others may still do so. What is inflated is put into `kept`, if it is not there.
    pub(crate) fn load(
        file: &'a ElfFile,
        shared: Option<&'a ElfFile>,
        kept: Option<&KeptSections>,
        meanwhile: impl Fn(&Sections<'a>) + Send + Sync,
    ) -> Self {
        let section = |file: &'a ElfFile, id: SectionId| kept_or_inflated(file, id.name(), kept);
        let (own, shared) = rayon::join(
            || Sections::load(file, |id| section(file, id), meanwhile),
            || shared.map(|file| Sections::load(file, |id| section(file, id), |_| ())),
        );
        Self { own, shared }
    }

    /// Reads the `.dwo` sections of a split file.
    pub(crate) fn load_split(file: &'a ElfFile) -> Self {
        let own = Sections::load(file, |id| file.section(id.dwo_name().unwrap_or(".")), |_| ());
        Self { own, shared: None }
    }

    /// The names of sections that cannot be read or inflated.
    pub(crate) fn damaged(&self) -> impl Iterator<Item = &'static str> {
        [Some(&self.own), self.shared.as_ref()].into_iter().flatten().flat_map(Sections::damaged)
    }

    /// The strings alone; the rest is freed.
    pub(crate) fn into_strings(self) -> StringTables<'a> {
        let shared = self.shared.map(Sections::into_strings);
        StringTables { own: self.own.into_strings(), shared: shared.unwrap_or_default() }
    }

    /// The DWARF in these sections.
    pub(crate) fn dwarf(&self) -> Dwarf<'_> {
        let mut dwarf = self.own.dwarf(|_| true);
        if let Some(shared) = &self.shared {
            dwarf.set_sup(shared.dwarf(|_| true));
        }
        dwarf
    }
}

/// The sections of one file, in the order of [`NEEDED`].
#[derive(Debug)]
pub(crate) struct Sections<'a> {
    bytes: [OnceLock<SectionBytes<'a>>; NEEDED.len()],
    endian: RunTimeEndian,
}

impl<'a> Sections<'a> {
    fn load(
        file: &'a ElfFile,
        section: impl Fn(SectionId) -> SectionBytes<'a> + Sync,
        meanwhile: impl Fn(&Self) + Send + Sync,
    ) -> Self {
        let sections = Self { bytes: Default::default(), endian: endian_of(file) };
        let loads = NEEDED.iter().zip(&sections.bytes).map(Some);
        // A bridge hands out one after another; halves would put the large ones into one thread's half.
        loads.chain([None]).par_bridge().for_each(|load| match load {
            Some((id, bytes)) => _ = bytes.get_or_init(|| section(*id)),
            None => meanwhile(&sections),
        });
        sections
    }

    fn damaged(&self) -> impl Iterator<Item = &'static str> {
        let is_damaged = |bytes: &OnceLock<_>| matches!(bytes.get(), Some(SectionBytes::Damaged));
        let sections = NEEDED.iter().zip(&self.bytes);
        sections.filter(move |(_, bytes)| is_damaged(bytes)).map(|(id, _)| id.name())
    }

    fn into_strings(self) -> SectionBytes<'a> {
        let is_strings = |(id, _): &(&SectionId, _)| **id == SectionId::DebugStr;
        let strings = NEEDED.iter().zip(self.bytes).find(is_strings);
        strings.and_then(|(_, bytes)| bytes.into_inner()).unwrap_or_default()
    }

    /// The DWARF without its strings; `None` as long as other sections than those are being inflated.
    pub(crate) fn without_strings(&self) -> Option<Dwarf<'_>> {
        let is_ready =
            |(id, bytes): (&SectionId, &OnceLock<_>)| STRINGS.contains(id) || bytes.get().is_some();
        NEEDED.iter().zip(&self.bytes).all(is_ready).then(|| self.dwarf(|id| !STRINGS.contains(&id)))
    }

    fn dwarf(&self, is_read: impl Fn(SectionId) -> bool) -> Dwarf<'_> {
        let slice = |id| {
            let at = NEEDED.iter().position(|needed| *needed == id && is_read(id));
            let bytes = at.and_then(|at| self.bytes.get(at)?.get());
            Ok::<_, Infallible>(Slice::new(bytes.map_or(&[], |bytes| bytes), self.endian))
        };
        let Ok(dwarf) = gimli::Dwarf::load(slice);
        dwarf
    }
}

/// A section of a file, from what is kept; else it is kept, if it had to be inflated.
fn kept_or_inflated<'a>(
    file: &'a ElfFile,
    name: &'static str,
    kept: Option<&KeptSections>,
) -> SectionBytes<'a> {
    if let Some(bytes) = kept.and_then(|kept| kept.get(file, name)) {
        return SectionBytes::Inflated(bytes);
    }
    let section = file.section(name);
    if let (Some(kept), SectionBytes::Inflated(bytes)) = (kept, &section) {
        kept.keep(file, name, bytes);
    }
    section
}

/// The byte order of a file.
pub(crate) fn endian_of(file: &ElfFile) -> RunTimeEndian {
    match file.object().is_none_or(|object| object::Object::is_little_endian(&object)) {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::binary::budget::Budget;
    use crate::binary::units::{UnitRanges, Units};

    #[test]
    fn units_claim_the_same_addresses_without_strings() {
        let file = ElfFile::open(&std::env::current_exe().unwrap()).unwrap();
        let claims = |dwarf: &Dwarf<'_>| {
            let units = Units::read(dwarf, Budget::new(u64::MAX));
            let ranges = UnitRanges::read(dwarf, &units);
            (0..units.len()).map(|unit| ranges.of_unit(unit).to_vec()).collect::<Vec<_>>()
        };
        let early = Mutex::new(None);
        let sections = DebugSections::load(&file, None, None, |sections| {
            *early.lock().unwrap() = sections.without_strings().as_ref().map(claims);
        });
        let late = claims(&sections.dwarf());
        assert!(late.iter().any(|ranges| !ranges.is_empty()));
        assert_eq!(sections.own.without_strings().as_ref().map(claims).unwrap(), late);
        // Nothing is told before it can be.
        let early = early.into_inner().unwrap();
        assert!(early.is_none_or(|early| early == late));
    }
}
