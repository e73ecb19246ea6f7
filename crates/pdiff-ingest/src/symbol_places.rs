//! Where the names of code that no binary has are looked for.

use std::path::PathBuf;

/// Files of this machine that name code which no binary has: the kernel's, and what programs make at run time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolPlaces {
    /// perf's build-id caches (`~/.debug`), where `perf record` keeps the kernel's symbols.
    pub build_id_dirs: Vec<PathBuf>,
    /// The running kernel, used if it is the one recorded.
    pub running_kernel: Option<RunningKernel>,
    /// Where programs write `perf-PID.map`: `/tmp`.
    pub perf_map_dir: Option<PathBuf>,
    /// The directory that the paths of `jit-PID.dump` in recordings are taken to be in: `/`.
    pub jit_dump_root: Option<PathBuf>,
}

/// Files of the running kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunningKernel {
    /// Notes with its build-id: `/sys/kernel/notes`.
    pub notes: PathBuf,
    /// Its symbols: `/proc/kallsyms`.
    pub symbols: PathBuf,
    /// Its release: `/proc/sys/kernel/osrelease`.
    pub release: PathBuf,
}

impl RunningKernel {
    /// Where Linux has them.
    #[must_use]
    pub fn of_linux() -> Self {
        Self {
            notes: "/sys/kernel/notes".into(),
            symbols: "/proc/kallsyms".into(),
            release: "/proc/sys/kernel/osrelease".into(),
        }
    }
}
