//! Where files are looked for, and what is done with what is found. All paths come from the caller.

use std::fmt;
use std::path::PathBuf;

use pdiff_profile::BuildId;

use crate::binary::kept_sections::KeptSections;

/// Asks a debug information server: given a build-id and what is wanted, the path of a local copy.
pub type Fetch = Box<dyn Fn(&BuildId, Wanted) -> Option<PathBuf> + Send + Sync>;

/// What is asked of a debug information server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The program or library itself.
    Executable,
    /// Its debug information.
    DebugInfo,
}

/// Where binaries and their debug information are looked for.
pub struct SymbolizeOptions {
    /// Files given by the user; each represents the objects that have its build-id or, if those have none, its name.
    pub binaries: Vec<PathBuf>,
    /// A directory that paths of the profile are taken to be in.
    pub symfs: Option<PathBuf>,
    /// perf's build-id caches (`~/.debug`).
    pub build_id_dirs: Vec<PathBuf>,
    /// Roots of separate debug information (`/usr/lib/debug`).
    pub debug_roots: Vec<PathBuf>,
    /// Build-ids of the objects profiled, by the path the profile has (`perf buildid-list`).
    pub build_ids: Vec<(Box<str>, BuildId)>,
    /// Where cache files are kept; `None` keeps none.
    pub cache_dir: Option<PathBuf>,
    /// Whether a binary that is visibly another build is used all the same.
    pub allow_mismatch: bool,
    /// Where debug information that was inflated for addresses is kept for a census; `None` keeps none.
    pub kept: Option<KeptSections>,
    /// Asked for what is found nowhere else.
    pub fetch: Option<Fetch>,
}

impl SymbolizeOptions {
    /// Only the paths that the profile names; no cache, no network.
    #[must_use]
    pub fn new() -> Self {
        Self {
            binaries: Vec::new(),
            symfs: None,
            build_id_dirs: Vec::new(),
            debug_roots: Vec::new(),
            build_ids: Vec::new(),
            cache_dir: None,
            allow_mismatch: false,
            kept: None,
            fetch: None,
        }
    }
}

impl Default for SymbolizeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for SymbolizeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymbolizeOptions")
            .field("binaries", &self.binaries)
            .field("symfs", &self.symfs)
            .field("build_id_dirs", &self.build_id_dirs)
            .field("debug_roots", &self.debug_roots)
            .field("build_ids", &self.build_ids)
            .field("cache_dir", &self.cache_dir)
            .field("allow_mismatch", &self.allow_mismatch)
            .field("kept", &self.kept.is_some())
            .field("fetch", &self.fetch.is_some())
            .finish()
    }
}
