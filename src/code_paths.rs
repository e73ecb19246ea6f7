//! The ways through the code of the program's builds, read when a verdict asks for them.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::OnceLock;

use pdiff_analysis::classify::CodePaths;
use pdiff_profile::{PerSide, Side};
use pdiff_symbolize::CallPaths;

/// The files of both builds, opened when they are asked for.
#[derive(Debug)]
pub(crate) struct ProgramPaths {
    files: PerSide<Option<PathBuf>>,
    opened: PerSide<OnceLock<Option<CallPaths>>>,
}

impl ProgramPaths {
    /// Of the program's files.
    pub(crate) fn new(files: PerSide<Option<PathBuf>>) -> Self {
        Self { files, opened: PerSide::default() }
    }

    fn of(&self, side: Side) -> Option<&CallPaths> {
        let open = || CallPaths::open(self.files[side].as_deref()?).ok();
        self.opened[side].get_or_init(open).as_ref()
    }
}

impl CodePaths for ProgramPaths {
    fn can_skip(&self, side: Side, bodies: &[Range<u64>], callees: &[u64]) -> Option<bool> {
        self.of(side)?.can_skip(bodies, callees)
    }

    fn ways_to(&self, side: Side, function: &str) -> Vec<u64> {
        self.of(side).map(|paths| paths.ways_to(function)).unwrap_or_default()
    }
}
