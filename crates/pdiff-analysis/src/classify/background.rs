//! Background: library code that a build only inlines and that a run does not use: it is neither sampled nor inlined into
//! sampled code.
//!
//! It is the largest group of functions (half of a large C++ program), and it is summed up in one sentence: the build
//! contains it. So a pack can leave it out, and verdicts from packs are those from binaries.

use pdiff_profile::census::{Census, Detail, Function, FunctionId, Linkage};
use rustc_hash::FxHashSet;

use crate::matching::{is_library, is_library_function};

/// The functions of one build that a run has to do with.
#[derive(Clone, Debug)]
pub struct Foreground<'a> {
    census: &'a Census,
    sampled: FxHashSet<FunctionId>,
    /// Callers of those: chains hide callers, which another run may show.
    callers: FxHashSet<FunctionId>,
}

impl<'a> Foreground<'a> {
    /// Of the functions whose names were sampled.
    #[must_use]
    pub fn new<'n>(census: &'a Census, sampled: impl Iterator<Item = &'n str>) -> Self {
        let sampled: FxHashSet<FunctionId> =
            sampled.flat_map(|name| census.find(name).map(Function::target)).collect();
        let callers = sampled.iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller).collect();
        Self { census, sampled, callers }
    }

    /// How much of a function verdicts ask for.
    #[must_use]
    pub fn detail(&self, function: Function<'_>) -> Detail {
        let id = function.target();
        match (self.is_sampled(id) || self.callers.contains(&id), self.holds(function)) {
            (true, _) => Detail::Full,
            (false, true) => Detail::Rows,
            (false, false) => Detail::None,
        }
    }

    /// The build.
    pub(super) fn census(&self) -> &'a Census {
        self.census
    }

    /// The functions that were sampled.
    pub(super) fn sampled(&self) -> impl Iterator<Item = FunctionId> {
        self.sampled.iter().copied()
    }

    /// Whether the function was sampled.
    pub(super) fn is_sampled(&self, id: FunctionId) -> bool {
        self.sampled.contains(&id)
    }

    /// Whether a function is more than background.
    fn holds(&self, function: Function<'_>) -> bool {
        let id = function.target();
        !function.bodies().is_empty()
            || function.linkage() == Linkage::Imported
            || self.sampled.contains(&id)
            || self.census.inlined_into(id).any(|into| self.sampled.contains(&into.caller))
            || !is_library_function(function)
    }

    /// Whether all functions of a name that the build holds are background: what is packed of a name, is packed whole.
    pub(super) fn is_background(&self, name: &str) -> bool {
        if self.census.leaves_out(name) && self.census.find(name).next().is_none() {
            return is_library(name);
        }
        let mut functions = self.census.find(name).peekable();
        functions.peek().is_some() && functions.all(|function| !self.holds(function))
    }
}
