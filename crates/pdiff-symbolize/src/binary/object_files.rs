//! Where an object's debug information is: in the object, or in files that belong to it.
//!
//! In order: the file itself; by build-id under the debug roots and in perf's caches; by `.gnu_debuglink` beside the file,
//! in `.debug/` and under the roots, taken only if the checksum is right; a debug information server, if the caller gives
//! one. A debug file without the right build-id (or checksum) is not used.
//!
//! The names in a file are not trusted: a link that is not a plain file name is refused, so no link leads outside the
//! directories that the caller named.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use pdiff_profile::BuildId;

use crate::binary::content_hash::ContentHash;
use crate::binary::elf_file::ElfFile;
use crate::binary::kept_sections::KeptSections;
use crate::binary::split::SplitFiles;
use crate::binary::symbol_entries::SymbolEntries;
use crate::binary::symbol_table::SymbolTable;
use crate::options::{SymbolizeOptions, Wanted};

/// The files one object's addresses are looked up in.
#[derive(Debug)]
pub(crate) struct ObjectFiles {
    /// The program or library.
    pub(crate) file: ElfFile,
    /// Its debug information, where that is a file of its own.
    pub(crate) debug_file: Option<ElfFile>,
    /// What several debug files share.
    pub(crate) shared: Option<ElfFile>,
    /// Packed split debug information.
    package: Option<ElfFile>,
    /// Where split debug information is looked for beside where it was made.
    split_directories: Vec<PathBuf>,
    /// What the symbol tables say, once it is asked for.
    symbol_entries: OnceLock<SymbolEntries>,
    symbols: OnceLock<SymbolTable>,
    /// Where inflated debug information is kept.
    pub(crate) kept: Option<KeptSections>,
}

impl ObjectFiles {
    /// Finds what goes with `file`.
    pub(crate) fn find(file: ElfFile, options: &SymbolizeOptions) -> Self {
        let debug_file = if file.has_section(".debug_info") { None } else { find_debug_file(&file, options) };
        let with_dwarf = debug_file.as_ref().unwrap_or(&file);
        let shared = find_shared(with_dwarf, options);
        let package = find_package(&file, with_dwarf);
        let split_directories = file.path().parent().map(Path::to_path_buf).into_iter().collect();
        Self {
            file,
            debug_file,
            shared,
            package,
            split_directories,
            symbol_entries: OnceLock::new(),
            symbols: OnceLock::new(),
            kept: options.kept.clone(),
        }
    }

    /// The file with the debug information.
    pub(crate) fn with_dwarf(&self) -> &ElfFile {
        self.debug_file.as_ref().unwrap_or(&self.file)
    }

    /// Frees the debug information that is kept for this object.
    pub(crate) fn forget_kept(&self) {
        if let Some(kept) = &self.kept {
            [Some(self.with_dwarf()), self.shared.as_ref()]
                .into_iter()
                .flatten()
                .for_each(|file| kept.forget(file));
        }
    }

    /// Gives back the memory of all that was read of the files, which is in memory as long as it is mapped. What is asked for again is
    /// read again.
    pub(crate) fn give_back(&self) {
        let files = [Some(&self.file), self.debug_file.as_ref(), self.shared.as_ref()];
        files.into_iter().flatten().for_each(ElfFile::forget_all);
    }

    /// Whether any debug information was found.
    pub(crate) fn has_debug_info(&self) -> bool {
        self.with_dwarf().has_section(".debug_info")
    }

    /// Changes when other files are found for the object, so that what was made from fewer is made again.
    pub(crate) fn fingerprint(&self) -> u64 {
        let files = [Some(&self.file), self.debug_file.as_ref(), self.shared.as_ref(), self.package.as_ref()];
        let mut hash = ContentHash::new();
        files.iter().for_each(|file| hash.number(file.map_or(0, ElfFile::size)));
        hash.finish()
    }

    /// The functions in the symbol tables.
    pub(crate) fn symbol_entries(&self) -> &SymbolEntries {
        self.symbol_entries.get_or_init(|| {
            let entries = SymbolEntries::read(&self.file, self.debug_file.as_ref());
            self.give_back();
            entries
        })
    }

    /// The functions that sorted addresses are in, with the names that perf chooses. What is found at other addresses may be wrong.
    pub(crate) fn symbols_as_perf(&self, addrs: &[u64]) -> SymbolTable {
        let entries = SymbolEntries::read_at(&self.file, self.debug_file.as_ref(), addrs);
        SymbolTable::as_perf(&self.file, &entries)
    }

    /// Where split units are found.
    pub(crate) fn split_files(&self) -> SplitFiles<'_> {
        SplitFiles::new(self.package.as_ref(), self.split_directories.clone())
    }

    /// The functions by symbol: ranges that do not overlap.
    pub(crate) fn symbols(&self) -> &SymbolTable {
        self.symbols.get_or_init(|| {
            let symbols = SymbolTable::new(&self.file, self.symbol_entries());
            self.give_back();
            symbols
        })
    }
}

/// Where a file of a build-id may be, executable or debug information.
pub(crate) fn build_id_paths(id: &BuildId, wanted: Wanted, options: &SymbolizeOptions) -> Vec<PathBuf> {
    let hex = id.to_string();
    let Some((start, rest)) = hex.split_at_checked(2) else { return Vec::new() };
    let mut paths = Vec::new();
    for root in &options.debug_roots {
        if wanted == Wanted::DebugInfo {
            paths.push(root.join(".build-id").join(start).join(format!("{rest}.debug")));
        } else {
            paths.push(root.join(".build-id").join(start).join(rest));
        }
    }
    for cache in &options.build_id_dirs {
        let link = cache.join(".build-id").join(start).join(rest);
        let name = if wanted == Wanted::DebugInfo { "debug" } else { "elf" };
        // Since perf 4.11 the link is to a directory that contains the file; before, to the file.
        paths.push(link.join(name));
        if wanted == Wanted::Executable {
            paths.push(link.join("vdso"));
            paths.push(link);
        }
    }
    paths
}

fn find_debug_file(file: &ElfFile, options: &SymbolizeOptions) -> Option<ElfFile> {
    among_binaries(file, options)
        .or_else(|| by_build_id(file, options))
        .or_else(|| by_debug_link(file, options))
        .or_else(|| fetched(file.build_id()?, options))
}

/// A file that the user gave, of the same build.
fn among_binaries(file: &ElfFile, options: &SymbolizeOptions) -> Option<ElfFile> {
    let id = file.build_id()?;
    let others = options.binaries.iter().filter(|path| path.as_path() != file.path());
    others.filter_map(|path| open_with_build_id(path, id)).find(has_use)
}

fn by_build_id(file: &ElfFile, options: &SymbolizeOptions) -> Option<ElfFile> {
    let id = file.build_id()?;
    let paths = build_id_paths(id, Wanted::DebugInfo, options);
    paths.iter().filter_map(|path| open_with_build_id(path, id)).find(has_use)
}

fn fetched(id: &BuildId, options: &SymbolizeOptions) -> Option<ElfFile> {
    let path = options.fetch.as_ref()?(id, Wanted::DebugInfo)?;
    open_with_build_id(&path, id).filter(has_use)
}

fn open_with_build_id(path: &Path, id: &BuildId) -> Option<ElfFile> {
    ElfFile::open(path).ok().filter(|file| file.build_id() == Some(id))
}

/// A debug file without debug information may still have the symbols that the file lacks.
fn has_use(file: &ElfFile) -> bool {
    file.has_section(".debug_info") || file.has_section(".symtab")
}

fn by_debug_link(file: &ElfFile, options: &SymbolizeOptions) -> Option<ElfFile> {
    let link = file.debug_link()?;
    let name = plain_name(&link.name)?;
    let directory = std::fs::canonicalize(file.path()).ok()?.parent()?.to_path_buf();
    let beside = [directory.join(&name), directory.join(".debug").join(&name)];
    let relative = directory.strip_prefix("/").unwrap_or(&directory).to_path_buf();
    let under =
        options.debug_roots.iter().flat_map(|root| [root.join(&relative).join(&name), root.join(&name)]);
    let own_path = std::fs::canonicalize(file.path()).ok();
    beside
        .into_iter()
        .chain(under)
        .filter(|path| std::fs::canonicalize(path).ok() != own_path)
        .filter_map(|path| ElfFile::open(&path).ok())
        .find(|found| has_use(found) && found.crc() == link.crc)
}

/// The name of a link, if it is a file name and nothing more.
fn plain_name(name: &[u8]) -> Option<PathBuf> {
    let path = Path::new(OsStr::from_bytes(name));
    let mut components = path.components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(only)), None) if only.as_bytes() == name => Some(path.to_path_buf()),
        _ => None,
    }
}

/// The file that dwz moved common parts to: by build-id, else by the path it gives, which must lie beside the debug
/// file or under a debug root.
fn find_shared(file: &ElfFile, options: &SymbolizeOptions) -> Option<ElfFile> {
    let link = file.debug_alt_link()?;
    let id = link.build_id?;
    let paths = build_id_paths(&id, Wanted::DebugInfo, options);
    if let Some(found) = paths.iter().find_map(|path| open_with_build_id(path, &id)) {
        return Some(found);
    }
    allowed_path(file, &link.name, options)
        .and_then(|path| open_with_build_id(&path, &id))
        .or_else(|| open_with_build_id(&options.fetch.as_ref()?(&id, Wanted::DebugInfo)?, &id))
}

/// The file that a link names, if it is there and lies beside `file` or under a debug root.
fn allowed_path(file: &ElfFile, name: &[u8], options: &SymbolizeOptions) -> Option<PathBuf> {
    let directory = std::fs::canonicalize(file.path()).ok()?.parent()?.to_path_buf();
    let path = std::fs::canonicalize(directory.join(Path::new(OsStr::from_bytes(name)))).ok()?;
    let is_inside = |root: &Path| std::fs::canonicalize(root).is_ok_and(|root| path.starts_with(root));
    let is_allowed = is_inside(&directory) || options.debug_roots.iter().any(|root| is_inside(root));
    is_allowed.then_some(path)
}

/// `FILE.dwp` beside the binary or its debug file.
fn find_package(file: &ElfFile, with_dwarf: &ElfFile) -> Option<ElfFile> {
    [file, with_dwarf].into_iter().find_map(|file| {
        let mut name = file.path().as_os_str().to_owned();
        name.push(".dwp");
        ElfFile::open(Path::new(&name)).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_file_name_is_followed() {
        let check = |name: &[u8], expected| assert_eq!(plain_name(name).is_some(), expected);
        check(b"mysqld.debug", true);
        check(b"../../etc/passwd", false);
        check(b"..", false);
        check(b".", false);
        check(b"/etc/passwd", false);
        check(b"a/b", false);
        check(b"a/", false);
        check(b"", false);
    }
}
