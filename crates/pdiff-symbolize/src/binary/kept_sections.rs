//! Sections that were inflated for the view by address and are kept for the census, which reads the same ones.
//!
//! Of a server of 195 MB they are 210 MB, and to inflate them takes 0.3 s. They are kept only where the caller says that the
//! census comes next, and each is given out once more.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use crate::binary::elf_file::ElfFile;

/// Debug information inflated by [`crate::resolve_profile`], kept for [`crate::census_of`] or [`crate::sampled_census`] of the
/// same file. Copies share what is kept.
#[derive(Clone, Debug, Default)]
pub struct KeptSections(Arc<Mutex<FxHashMap<Key, Arc<Vec<u8>>>>>);

/// A section of a file as it was when it was opened.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Key {
    path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
    section: &'static str,
}

impl Key {
    fn of(file: &ElfFile, section: &'static str) -> Self {
        Self { path: file.path().to_path_buf(), size: file.size(), modified: file.modified(), section }
    }
}

impl KeptSections {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes are kept.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().values().map(|bytes| bytes.len()).sum()
    }

    /// Frees what is kept.
    pub fn clear(&self) {
        self.lock().clear();
    }

    pub(crate) fn get(&self, file: &ElfFile, section: &'static str) -> Option<Arc<Vec<u8>>> {
        self.lock().get(&Key::of(file, section)).map(Arc::clone)
    }

    pub(crate) fn keep(&self, file: &ElfFile, section: &'static str, bytes: &Arc<Vec<u8>>) {
        self.lock().insert(Key::of(file, section), Arc::clone(bytes));
    }

    /// Frees what is kept of a file; whoever got a section has it still.
    pub(crate) fn forget(&self, file: &ElfFile) {
        self.lock().retain(|key, _| key.path != file.path());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, FxHashMap<Key, Arc<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
