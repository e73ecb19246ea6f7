//! One object: addresses to functions, from its cache file where there is one.
//!
//! What is not in the index is looked up in the files and added to it, so the second look at a profile needs no debug
//! information. A whole index ([`Symbolizer::index_all`]) answers every address.

use std::path::{Path, PathBuf};

use pdiff_profile::{Notes, ObjectAddr, ObjectId, Reason, Resolution};
use rayon::prelude::*;

use crate::address_index::{
    AddressIndex, Chain, ChainTexts, Cursor, Found, Gaps, Names, Wanted, index_bytes,
};
use crate::binary::elf_file::ElfFile;
use crate::binary::object_files::ObjectFiles;
use crate::binary::symbol_table::SymbolTable;
use crate::cache::{CacheFile, Section, SectionTag};
use crate::error::Error;
use crate::options::SymbolizeOptions;

/// Least addresses that one thread makes resolutions for.
const MIN_BATCH: usize = 1024;

/// One file with its debug information and its index.
#[derive(Debug)]
pub struct Symbolizer {
    files: ObjectFiles,
    id: ObjectId,
    cache: Option<CacheFile>,
    index: IndexBytes,
    /// Code looked at whose debug information could not be read.
    gaps: Gaps,
    notes: Notes,
}

/// Where the bytes of an index are.
#[derive(Debug)]
enum IndexBytes {
    None,
    Made(Vec<u8>),
    Cached(Section),
}

impl IndexBytes {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::None => &[],
            Self::Made(bytes) => bytes,
            Self::Cached(section) => section.content(),
        }
    }
}

/// The functions at addresses of one file, in the order given.
///
/// ```
/// use pdiff_profile::{ObjectAddr, Resolution};
/// use pdiff_symbolize::{SymbolizeOptions, symbolize};
///
/// let program = std::env::current_exe()?;
/// let found = symbolize(&program, &[ObjectAddr(0)], &SymbolizeOptions::new())?;
/// assert!(matches!(found.as_slice(), [Resolution::Unresolved(_)]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the file cannot be read as ELF.
pub fn symbolize(
    path: &Path,
    addrs: &[ObjectAddr],
    options: &SymbolizeOptions,
) -> Result<Vec<Resolution>, Error> {
    let mut symbolizer = Symbolizer::open(path, options)?;
    let resolutions = symbolizer.symbolize(addrs);
    drop_aside(symbolizer);
    Ok(resolutions)
}

/// Frees what has files mapped, without making the caller wait: to unmap a large one takes milliseconds.
pub(crate) fn drop_aside(files: impl Send + 'static) {
    rayon::spawn(move || drop(files));
}

impl Symbolizer {
    /// Opens a file, finds its debug information and its cache file.
    ///
    /// # Errors
    /// If the file cannot be read as ELF.
    pub fn open(path: &Path, options: &SymbolizeOptions) -> Result<Self, Error> {
        Ok(Self::of(ElfFile::open(path)?, options))
    }

    pub(crate) fn of(file: ElfFile, options: &SymbolizeOptions) -> Self {
        let files = ObjectFiles::find(file, options);
        let id = files.file.object_id();
        let cache = options.cache_dir.as_deref().map(|directory| CacheFile::of(directory, &id));
        let mut symbolizer =
            Self { files, id, cache, index: IndexBytes::None, gaps: Gaps::new(), notes: Notes::new() };
        symbolizer.load_index();
        symbolizer
    }

    /// The stable identity of the file.
    #[must_use]
    pub fn object_id(&self) -> &ObjectId {
        &self.id
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.files.file.path()
    }

    /// The file with the debug information, where it is another one.
    #[must_use]
    pub fn debug_path(&self) -> Option<PathBuf> {
        self.files.debug_file.as_ref().map(|file| file.path().to_path_buf())
    }

    /// Whether debug information was found.
    #[must_use]
    pub fn has_debug_info(&self) -> bool {
        self.files.has_debug_info()
    }

    /// What was imperfect: damaged cache files.
    #[must_use]
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Whether an address lies in code of the file.
    #[must_use]
    pub fn is_code(&self, addr: ObjectAddr) -> bool {
        self.files.file.is_code(addr.0)
    }

    /// The address of what is at a position in the file, if that is code.
    #[must_use]
    pub fn code_at_offset(&self, offset: u64) -> Option<ObjectAddr> {
        self.files.file.addr_of_offset(offset).map(ObjectAddr).filter(|addr| self.is_code(*addr))
    }

    /// The functions at addresses of the file, in the order given.
    pub fn symbolize(&mut self, addrs: &[ObjectAddr]) -> Vec<Resolution> {
        let mut sorted: Vec<u64> = addrs.iter().map(|addr| addr.0).collect();
        sorted.sort_unstable();
        sorted.dedup();
        self.index_addrs(&sorted);
        let index = self.index();
        let mut cursor = Cursor::default();
        let chains: Vec<Option<Chain<'_>>> =
            sorted.iter().map(|addr| index.find(&mut cursor, *addr).chain()).collect();
        let texts = ChainTexts::of(&index, chains.iter().copied().flatten());
        let resolve = |addr: &ObjectAddr| {
            let chain = sorted.binary_search(&addr.0).ok().and_then(|at| *chains.get(at)?);
            chain.map_or_else(
                || Resolution::Unresolved(self.reason(addr.0)),
                |chain| chain.to_resolution(&texts),
            )
        };
        addrs.par_iter().with_min_len(MIN_BATCH).map(resolve).collect()
    }

    /// Calls `each` with what the index has for each of `sorted` addresses. What is not indexed has none: see
    /// [`Self::index_all`].
    pub fn for_each(&self, sorted: &[ObjectAddr], mut each: impl FnMut(Option<Chain<'_>>)) {
        let index = self.index();
        let mut cursor = Cursor::default();
        for addr in sorted {
            each(index.find(&mut cursor, addr.0).chain());
        }
    }

    /// Indexes the whole file, if that has not been done, and keeps the index in the cache.
    pub fn index_all(&mut self) {
        if !self.index().is_whole {
            self.extend(Wanted::All);
        }
    }

    /// The size of the index in bytes.
    #[must_use]
    pub fn index_size(&self) -> usize {
        self.index.bytes().len()
    }

    pub(crate) fn file(&self) -> &ElfFile {
        &self.files.file
    }

    /// The functions by symbol.
    pub(crate) fn symbols(&self) -> &SymbolTable {
        self.files.symbols()
    }

    /// The linkage names (else the names) of the machine functions at addresses, where they are indexed.
    pub(crate) fn indexed_functions(&self, addrs: impl Iterator<Item = u64>) -> Vec<Option<String>> {
        let index = self.index();
        let mut cursor = Cursor::default();
        let mut name = |addr| {
            let outermost = index.find(&mut cursor, addr).chain()?.innermost_first().last()?;
            outermost.linkage_name.or(outermost.name).map(str::to_owned)
        };
        addrs.map(&mut name).collect()
    }

    /// Why the debug information of some code was not read, of the code that was asked for.
    pub(crate) fn gaps(&self) -> &Gaps {
        &self.gaps
    }

    fn index(&self) -> AddressIndex<'_> {
        AddressIndex::parse(self.index.bytes()).unwrap_or_else(AddressIndex::empty)
    }

    fn reason(&self, addr: u64) -> Reason {
        if self.files.file.is_code(addr) { Reason::NoSymbol } else { Reason::OutsideObject }
    }

    /// Whether the index knows what there is to know about `sorted` addresses.
    pub(crate) fn has_indexed(&self, sorted: &[ObjectAddr]) -> bool {
        self.not_indexed(sorted.iter().map(|addr| addr.0)).next().is_none()
    }

    /// Sees to it that the index knows what there is to know about `sorted` addresses.
    fn index_addrs(&mut self, sorted: &[u64]) {
        let missing: Vec<u64> = self.not_indexed(sorted.iter().copied()).collect();
        if !missing.is_empty() {
            self.extend(Wanted::Addrs(&missing));
        }
    }

    /// The addresses of code that the index does not know yet, of `sorted` ones.
    fn not_indexed(&self, sorted: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
        let index = self.index();
        let mut cursor = Cursor::default();
        sorted.filter(move |addr| {
            self.files.file.is_code(*addr) && matches!(index.find(&mut cursor, *addr), Found::Unknown)
        })
    }

    fn extend(&mut self, wanted: Wanted<'_>) {
        let names = match (&self.cache, wanted) {
            (Some(_), Wanted::Addrs(_)) => Names::Made,
            _ => Names::LeftOut,
        };
        let (bytes, gaps) = index_bytes(&self.files, wanted, &self.index(), names);
        // A file that is missing now may be there next time, so its absence is not cached.
        let is_complete = gaps.is_empty();
        self.gaps.extend(gaps);
        self.gaps.sort_unstable_by_key(|(range, _)| (range.start, range.end));
        if let Some(cache) = self.cache.as_ref().filter(|_| is_complete)
            && let Err(error) = cache.store(SectionTag::AddressIndex, self.files.fingerprint(), &bytes)
        {
            cache.note(format_args!("not kept: {error}"), &mut self.notes);
        }
        self.index = IndexBytes::Made(bytes);
    }

    fn load_index(&mut self) {
        let Some(cache) = &self.cache else { return };
        match cache.load(SectionTag::AddressIndex, self.files.fingerprint()) {
            Ok(Some(section)) if AddressIndex::parse(section.content()).is_some() => {
                self.index = IndexBytes::Cached(section);
            }
            Ok(_) => {}
            Err(damage) => cache.note(damage, &mut self.notes),
        }
    }
}
