//! Where binaries and their debug information are looked for.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use pdiff_ingest::{RunningKernel, SymbolPlaces};
use pdiff_profile::BuildId;
use pdiff_symbolize::{KeptSections, SymbolizeOptions, Wanted};

/// Asks a debug information server.
type Fetch = Arc<dyn Fn(&BuildId, Wanted) -> Option<PathBuf> + Send + Sync>;

/// Where distributions put separate debug information.
const DEBUG_ROOT: &str = "/usr/lib/debug";
/// Where programs that make code write its names.
const PERF_MAP_DIR: &str = "/tmp";

/// Where binaries and their debug information are looked for, beyond those that a build names.
#[derive(Clone)]
pub struct Lookup {
    symfs: Option<PathBuf>,
    build_ids: Vec<(Box<str>, BuildId)>,
    build_id_dirs: Vec<PathBuf>,
    debug_roots: Vec<PathBuf>,
    cache_dir: Option<PathBuf>,
    allow_mismatch: bool,
    kept: Option<KeptSections>,
    fetch: Option<Fetch>,
}

impl Lookup {
    /// At the paths that the recordings name, and where distributions put debug information; no cache, no server.
    #[must_use]
    pub fn new() -> Self {
        Self {
            symfs: None,
            build_ids: Vec::new(),
            build_id_dirs: Vec::new(),
            debug_roots: vec![DEBUG_ROOT.into()],
            cache_dir: None,
            allow_mismatch: false,
            kept: None,
            fetch: None,
        }
    }

    /// Paths of the recordings are taken to be in this directory.
    #[must_use]
    pub fn symfs(mut self, directory: impl Into<PathBuf>) -> Self {
        self.symfs = Some(directory.into());
        self
    }

    /// Build-ids of the objects recorded, by the paths that the recordings have (`perf buildid-list`).
    #[must_use]
    pub fn build_ids(mut self, ids: impl IntoIterator<Item = (Box<str>, BuildId)>) -> Self {
        self.build_ids.extend(ids);
        self
    }

    /// One of perf's build-id caches (`~/.debug`).
    #[must_use]
    pub fn build_id_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.build_id_dirs.push(directory.into());
        self
    }

    /// A directory of separate debug information, looked into before those known already.
    #[must_use]
    pub fn debug_root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.debug_roots.insert(0, directory.into());
        self
    }

    /// Where cache files are kept: one for each binary, and one for each pair of builds that were matched.
    #[must_use]
    pub fn cache_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cache_dir = Some(directory.into());
        self
    }

    /// Uses a binary even if it is visibly another build than the recorded one.
    #[must_use]
    pub fn allow_mismatch(mut self, allow: bool) -> Self {
        self.allow_mismatch = allow;
        self
    }

    /// A function that is asked for files found nowhere else: given a build-id and the kind of file, it returns the path of
    /// a local copy.
    #[must_use]
    pub fn fetch(
        mut self,
        fetch: impl Fn(&BuildId, Wanted) -> Option<PathBuf> + Send + Sync + 'static,
    ) -> Self {
        self.fetch = Some(Arc::new(fetch));
        self
    }

    /// Keeps debug information that is inflated for addresses, until [`Self::free_kept`]: it is asked for again.
    pub(crate) fn keeping(mut self) -> Self {
        self.kept = Some(KeptSections::new());
        self
    }

    /// Frees it.
    pub(crate) fn free_kept(&self) {
        self.kept.iter().for_each(KeptSections::clear);
    }

    pub(crate) fn allows_mismatch(&self) -> bool {
        self.allow_mismatch
    }

    /// Where the names of code that no binary has are looked for: the kernel's, and what programs make at run time.
    pub(crate) fn symbol_places(&self) -> SymbolPlaces {
        SymbolPlaces {
            build_id_dirs: self.build_id_dirs.clone(),
            running_kernel: Some(RunningKernel::of_linux()),
            perf_map_dir: Some(PERF_MAP_DIR.into()),
            jit_dump_root: Some(self.symfs.clone().unwrap_or_else(|| "/".into())),
        }
    }

    /// As the symboliser wants it, for a build with these binaries.
    #[must_use]
    pub fn options(&self, binaries: &[PathBuf]) -> SymbolizeOptions {
        SymbolizeOptions {
            binaries: binaries.to_vec(),
            symfs: self.symfs.clone(),
            build_id_dirs: self.build_id_dirs.clone(),
            debug_roots: self.debug_roots.clone(),
            build_ids: self.build_ids.clone(),
            cache_dir: self.cache_dir.clone(),
            allow_mismatch: self.allow_mismatch,
            kept: self.kept.clone(),
            fetch: self.fetch.clone().map(|fetch| -> pdiff_symbolize::Fetch {
                Box::new(move |id: &BuildId, wanted: Wanted| fetch(id, wanted))
            }),
        }
    }
}

impl Default for Lookup {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup").field("options", &self.options(&[])).finish()
    }
}
