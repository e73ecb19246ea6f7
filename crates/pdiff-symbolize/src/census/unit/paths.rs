//! Paths of source files: directory and name joined, `.` and `..` folded.

use gimli::{Dwarf, LineProgramHeader, Unit};
use rustc_hash::FxHashMap;

use super::super::sections::Slice;

/// Most characters of a path kept.
const MAX_PATH_BYTES: usize = 4096;

/// The paths of one unit, spelled out when first asked for.
pub(super) struct Paths<'u, 'a> {
    dwarf: &'u Dwarf<Slice<'a>>,
    unit: &'u Unit<Slice<'a>>,
    /// By file index.
    known: FxHashMap<u64, u32>,
    ids: FxHashMap<Box<str>, u32>,
    paths: Vec<Box<str>>,
}

impl<'u, 'a> Paths<'u, 'a> {
    pub(super) fn new(dwarf: &'u Dwarf<Slice<'a>>, unit: &'u Unit<Slice<'a>>) -> Self {
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
        let entry = header.file(file)?;
        let name = self.text(entry.path_name())?;
        let mut parts = Vec::new();
        if !name.starts_with('/') {
            let directory = self.directory(header, entry.directory_index());
            if !directory.starts_with('/') {
                push_folded(&mut parts, self.comp_dir());
            }
            push_folded(&mut parts, directory);
        }
        push_folded(&mut parts, name);
        let path = parts.join("/");
        (!path.is_empty() && path.len() <= MAX_PATH_BYTES).then_some(path)
    }

    /// The directory of a file; empty for the one the compiler ran in.
    fn directory(&self, header: &LineProgramHeader<Slice<'a>>, index: u64) -> &'a str {
        if header.version() <= 4 && index == 0 {
            return "";
        }
        header.directory(index).and_then(|directory| self.text(directory)).unwrap_or("")
    }

    fn comp_dir(&self) -> &'a str {
        self.unit.comp_dir.and_then(|directory| std::str::from_utf8(directory.slice()).ok()).unwrap_or("")
    }

    fn text(&self, value: gimli::AttributeValue<Slice<'a>>) -> Option<&'a str> {
        std::str::from_utf8(self.dwarf.attr_string(self.unit, value).ok()?.slice()).ok()
    }
}

/// Appends a path's parts; an absolute path begins anew, with an empty part for its root.
fn push_folded<'p>(parts: &mut Vec<&'p str>, path: &'p str) {
    if path.starts_with('/') {
        parts.clear();
        parts.push("");
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"") => {}
                None | Some(&"..") => parts.push(".."),
                Some(_) => {
                    parts.pop();
                }
            },
            part => parts.push(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::push_folded;

    #[test]
    fn paths_are_folded() {
        let check = |pieces: &[&'static str], expected: &str| {
            let mut parts = Vec::new();
            pieces.iter().for_each(|piece| push_folded(&mut parts, piece));
            assert_eq!(parts.join("/"), expected);
        };
        check(&["./obj/sql", "../../mysql-8.0.33/sql/mysqld.cc"], "mysql-8.0.33/sql/mysqld.cc");
        check(&["/build/x", "../y", "z.h"], "/build/y/z.h");
        check(&["/build", "/usr/include", "stdio.h"], "/usr/include/stdio.h");
        check(&["/a", "../../../b.c"], "/b.c");
        check(&["", "../b.c"], "../b.c");
    }
}
