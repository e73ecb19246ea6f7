//! Debug information that the linker left in the object files (`.dwo`) or that was packed together (`.dwp`).
//!
//! The skeleton in the binary has addresses and lines; the functions are in the split file, found by the name the skeleton
//! gives and taken only if its id is the skeleton's.

use std::path::{Path, PathBuf};

use gimli::{DwoId, EndianSlice};

use crate::binary::budget::Budget;
use crate::binary::dwarf::{Dwarf, Slice, Unit};
use crate::binary::elf_file::{ElfFile, SectionBytes};
use crate::binary::gap::Gap;
use crate::binary::sections::{DebugSections, endian_of};
use crate::binary::units::Units;

/// What is done with a split unit.
type ReadUnit<'f> = dyn for<'x, 'y> FnMut(&'x Dwarf<'y>, &'x Units<'y>) + 'f;

/// Where split debug information of one binary is looked for.
pub(crate) struct SplitFiles<'f> {
    /// With its size.
    package: Option<(gimli::DwarfPackageSections<SectionBytes<'f>>, gimli::RunTimeEndian, u64)>,
    /// Directories in which a `.dwo` of that file name is taken when it is not where it was made.
    directories: Vec<PathBuf>,
}

impl<'f> SplitFiles<'f> {
    /// With a package, if there is one, and directories to look in.
    pub(crate) fn new(package: Option<&'f ElfFile>, directories: Vec<PathBuf>) -> Self {
        let package = package.and_then(|file| {
            let load = |id: gimli::SectionId| -> Result<SectionBytes<'f>, gimli::Error> {
                Ok(id.dwo_name().map(|name| file.section(name)).unwrap_or_default())
            };
            Some((gimli::DwarfPackageSections::load(load).ok()?, endian_of(file), file.size()))
        });
        Self { package, directories }
    }

    /// Reads the split unit of a skeleton; false if the unit is none.
    ///
    /// # Errors
    /// If there is no file for it, or only that of another build.
    pub(crate) fn read_unit(
        &self,
        dwarf: &Dwarf<'_>,
        skeleton: &Unit<'_>,
        read: &mut ReadUnit<'_>,
    ) -> Result<bool, Gap> {
        let Some(id) = skeleton.dwo_id else { return Ok(false) };
        if !self.read_packed(dwarf, skeleton, id, read) {
            self.read_file(dwarf, skeleton, id, read)?;
        }
        Ok(true)
    }

    fn read_packed(
        &self,
        dwarf: &Dwarf<'_>,
        skeleton: &Unit<'_>,
        id: DwoId,
        read: &mut ReadUnit<'_>,
    ) -> bool {
        let Some((sections, endian, bytes)) = &self.package else { return false };
        let empty = EndianSlice::new(&[], *endian);
        let package = sections.borrow(|section| EndianSlice::new(section, *endian), empty);
        let Ok(package) = package else { return false };
        match package.find_cu(id, dwarf) {
            Ok(Some(mut split)) => {
                split.debug_line_str = dwarf.debug_line_str;
                read_matching(&split, *bytes, skeleton, id, read)
            }
            _ => false,
        }
    }

    fn read_file(
        &self,
        dwarf: &Dwarf<'_>,
        skeleton: &Unit<'_>,
        id: DwoId,
        read: &mut ReadUnit<'_>,
    ) -> Result<(), Gap> {
        let name = dwo_path(dwarf, skeleton).ok_or(Gap::Damaged)?;
        let file_name = name.file_name().map(PathBuf::from).unwrap_or_default();
        let others = self.directories.iter().map(|directory| directory.join(&file_name));
        let mut other_build = None;
        for path in std::iter::once(name.clone()).chain(others) {
            let Ok(file) = ElfFile::open(&path) else { continue };
            let sections = DebugSections::load_split(&file);
            let mut split = sections.dwarf();
            split.make_dwo(dwarf);
            split.debug_line_str = dwarf.debug_line_str;
            if read_matching(&split, file.size(), skeleton, id, read) {
                return Ok(());
            }
            other_build = Some(path);
        }
        Err(other_build.map_or(Gap::SplitNotFound(name), Gap::SplitOfOtherBuild))
    }
}

/// Reads the unit with the skeleton's id.
fn read_matching(
    split: &Dwarf<'_>,
    file_bytes: u64,
    skeleton: &Unit<'_>,
    id: DwoId,
    read: &mut ReadUnit<'_>,
) -> bool {
    let mut headers = split.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(mut unit) = split.unit(header) else { continue };
        if unit.dwo_id == Some(id) {
            unit.copy_relocated_attributes(skeleton);
            unit.line_program = unit.line_program.or_else(|| file_table(split, skeleton));
            unit.comp_dir = unit.comp_dir.or(skeleton.comp_dir);
            read(split, &Units::from_unit(unit, Budget::new(file_bytes)));
            return true;
        }
    }
    false
}

/// The files of a split unit that names no table: from DWARF 5 on the table beside it, where the compiler wrote one (Clang
/// does not), else the skeleton's, whose strings are in the binary.
fn file_table<'x>(split: &Dwarf<'x>, skeleton: &Unit<'x>) -> Option<gimli::IncompleteLineProgram<Slice<'x>>> {
    if skeleton.header.version() < 5 {
        return skeleton.line_program.clone();
    }
    let (comp_dir, name) = (skeleton.comp_dir, skeleton.name);
    let beside =
        split.debug_line.program(gimli::DebugLineOffset(0), skeleton.header.address_size(), comp_dir, name);
    beside.ok().or_else(|| skeleton.line_program.clone())
}

fn dwo_path(dwarf: &Dwarf<'_>, skeleton: &Unit<'_>) -> Option<PathBuf> {
    let name = skeleton.dwo_name().ok()??;
    let name: Slice<'_> = dwarf.attr_string(skeleton, name).ok()?;
    let directory = skeleton.comp_dir.map(|slice| slice.to_string_lossy().into_owned()).unwrap_or_default();
    Some(Path::new(&directory).join(&*name.to_string_lossy()))
}
