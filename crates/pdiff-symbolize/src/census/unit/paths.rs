//! The paths of the source files that a unit names, each once.

use rustc_hash::FxHashMap;

use crate::binary::dwarf::{Dwarf, Unit};
use crate::binary::line_rows::file_path;

/// The paths of one unit, spelled out when first asked for.
pub(super) struct Paths<'u, 'a> {
    dwarf: &'u Dwarf<'a>,
    unit: &'u Unit<'a>,
    /// By file index.
    known: FxHashMap<u64, u32>,
    ids: FxHashMap<Box<str>, u32>,
    paths: Vec<Box<str>>,
}

impl<'u, 'a> Paths<'u, 'a> {
    pub(super) fn new(dwarf: &'u Dwarf<'a>, unit: &'u Unit<'a>) -> Self {
        Self { dwarf, unit, known: FxHashMap::default(), ids: FxHashMap::default(), paths: Vec::new() }
    }

    /// The number of a file's path in this unit's list, plus one; 0 where the unit has no such file.
    pub(super) fn id(&mut self, file: u64) -> u32 {
        if let Some(id) = self.known.get(&file) {
            return *id;
        }
        let id = self.path(file).map_or(0, |path| self.intern(path));
        self.known.insert(file, id);
        id
    }

    /// The path of an id.
    pub(super) fn get(&self, id: u32) -> Option<&str> {
        self.paths.get((id as usize).checked_sub(1)?).map(|path| &**path)
    }

    pub(super) fn into_paths(self) -> Vec<Box<str>> {
        self.paths
    }

    fn intern(&mut self, path: String) -> u32 {
        if let Some(id) = self.ids.get(path.as_str()) {
            return *id;
        }
        self.paths.push(path.as_str().into());
        let id = u32::try_from(self.paths.len()).unwrap_or(0);
        self.ids.insert(path.into(), id);
        id
    }

    fn path(&self, file: u64) -> Option<String> {
        let header = self.unit.line_program.as_ref()?.header();
        if header.version() <= 4 && file == 0 {
            return None;
        }
        file_path(self.dwarf, self.unit, file)
    }
}
