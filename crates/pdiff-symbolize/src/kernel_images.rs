//! The kernel's file (`vmlinux`) of a recording, by build-id.
//!
//! Looked for among the files the user gave, where distributions put it, in perf's build-id caches and on debug information
//! servers. A file of another build-id is ignored: its functions are elsewhere.

use std::path::{Path, PathBuf};

use pdiff_profile::{KernelFunction, KernelImage, KernelImages, ObjectAddr, WantedKernel};

use crate::binary::elf_file::ElfFile;
use crate::binary::object_files::build_id_paths;
use crate::binary::symbol_entries::{SymbolEntries, SymbolEntry};
use crate::binary::symbol_table::{Symbol, SymbolTable};
use crate::options::{SymbolizeOptions, Wanted};

/// Finds the kernels' files where options say.
#[derive(Debug)]
pub struct FileKernels {
    options: SymbolizeOptions,
}

impl FileKernels {
    /// Looks where the symboliser does.
    #[must_use]
    pub fn new(options: SymbolizeOptions) -> Self {
        Self { options }
    }

    /// Where the file may be, most likely first.
    fn places(&self, wanted: WantedKernel<'_>) -> Vec<PathBuf> {
        let options = &self.options;
        let root = options.symfs.clone().unwrap_or_else(|| "/".into());
        let mut places = options.binaries.clone();
        for wanted_as in [Wanted::DebugInfo, Wanted::Executable] {
            places.extend(build_id_paths(wanted.build_id, wanted_as, options));
        }
        // The release is a name from the recording: it names a file of these directories and no other.
        if let Some(release) = wanted.release.filter(|release| !release.contains('/')) {
            let boot = format!("boot/vmlinux-{release}");
            let modules = format!("lib/modules/{release}");
            for debug_root in &options.debug_roots {
                places.push(debug_root.join(&boot));
                places.push(debug_root.join(format!("{boot}.debug")));
                places.push(debug_root.join(&modules).join("vmlinux"));
            }
            places.push(root.join(&boot));
            places.push(root.join(&modules).join("build/vmlinux"));
        }
        places
    }
}

impl KernelImages for FileKernels {
    fn find(&self, wanted: WantedKernel<'_>) -> Option<KernelImage> {
        self.places(wanted).iter().find_map(|path| image_at(path, wanted))
    }

    fn fetch(&self, wanted: WantedKernel<'_>) -> Option<KernelImage> {
        let path = self.options.fetch.as_ref()?(wanted.build_id, Wanted::DebugInfo)?;
        image_at(&path, wanted)
    }
}

/// The kernel in a file, if it is the one wanted.
fn image_at(path: &Path, wanted: WantedKernel<'_>) -> Option<KernelImage> {
    let file = ElfFile::open(path).ok()?;
    (file.build_id() == Some(wanted.build_id)).then(|| image_of(&file, wanted.reference)).flatten()
}

/// The functions of a file; `None` if it has none, or not the symbol that says where the kernel is.
fn image_of(file: &ElfFile, reference: Option<&str>) -> Option<KernelImage> {
    let entries = SymbolEntries::read(file, None);
    let names = &entries.names;
    let addr_of = |name: &str| {
        let mut entries = entries.entries.iter();
        let is_it = |entry: &&SymbolEntry| names.get(entry.name) == name.as_bytes();
        entries.find(is_it).map(|entry| ObjectAddr(entry.addr))
    };
    let found = reference.map(addr_of);
    if found == Some(None) {
        return None;
    }
    let table = SymbolTable::as_perf(file, &entries);
    let function = |symbol: &Symbol| KernelFunction {
        addrs: ObjectAddr(symbol.start)..ObjectAddr(symbol.end),
        entry: ObjectAddr(symbol.entry),
        name: symbol.name().into(),
    };
    let functions: Vec<KernelFunction> = table.symbols().iter().map(function).collect();
    (!functions.is_empty()).then_some(KernelImage { functions, reference: found.flatten() })
}
