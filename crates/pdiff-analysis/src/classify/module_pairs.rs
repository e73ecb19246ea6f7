//! Modules that took each other's place, by row. `modules` finds them.

use pdiff_profile::PerSide;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::matching::VersionedScopes;

/// The parts of both sides that took each other's place.
#[derive(Default)]
pub(super) struct ReplacedModules {
    pub(super) pairs: Vec<ModulePair>,
    pub(super) of_row: FxHashMap<usize, usize>,
    /// Modules, and packages of Rust, with the self that functions of one build only have in them, in percent, base side
    /// first.
    pub(super) one_sided: FxHashMap<String, PerSide<f64>>,
    /// Modules and packages of which most functions have other names in the two builds.
    pub(super) rewritten: FxHashSet<String>,
    /// Modules that one build alone holds, and of which the other has functions under the name of another module.
    pub(super) moved: FxHashSet<String>,
    /// Namespaces that the builds have under different names, because they carry a version.
    pub(super) versions: VersionedScopes,
}

/// A part that is gone, and the one in its place.
pub(super) struct ModulePair {
    /// Modules with their self, in percent; heaviest first, base side first.
    pub(super) modules: PerSide<Vec<(String, f64)>>,
}

impl ReplacedModules {
    /// The pair that a row is of.
    pub(super) fn of_row(&self, row: usize) -> Option<&ModulePair> {
        self.of_row.get(&row).and_then(|pair| self.pairs.get(*pair))
    }
}
