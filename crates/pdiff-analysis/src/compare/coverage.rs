//! Whether debug information was read for the same functions on both sides.
//!
//! A damaged unit, or a file with split or shared debug information that is missing, costs one side the inlined functions
//! of some code. This would look like a change: the functions would be gone, and their callers heavier. So those functions
//! are compared by symbol on both sides, and gates cannot be judged.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_profile::{PerSide, Side, Uncovered};

use super::input::{ObjectFacts, Sides};
use crate::objects::ObjectLabels;

/// Sampled functions that debug information does not describe, by object.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    objects: BTreeMap<String, PerSide<Uncovered>>,
    /// Objects with a file on some side of which nothing says that it is the one that ran.
    unverified: BTreeSet<String>,
}

impl Coverage {
    pub(crate) fn find(sides: &Sides<'_>, labels: &ObjectLabels) -> Self {
        let mut found = Self::default();
        let is_odd = |facts: &&ObjectFacts| facts.is_unverified || !facts.uncovered.is_empty();
        for side in Side::BOTH {
            for facts in sides.get(side).objects.iter().filter(is_odd) {
                let of_path = sides.get(side).runs.iter().flat_map(|run| &run.profile.objects);
                let object = of_path.into_iter().find(|object| *object.path == *facts.path);
                let Some(label) = object.map(|object| labels.label(object, side)) else { continue };
                if facts.is_unverified {
                    found.unverified.insert(label.clone());
                }
                if !facts.uncovered.is_empty() {
                    found.objects.entry(label).or_default()[side].merge(&facts.uncovered);
                }
            }
        }
        found
    }

    /// Whether files were used for an object of which nothing says that they are those that ran.
    #[must_use]
    pub fn is_unverified(&self, object: &str) -> bool {
        self.unverified.contains(object)
    }

    /// Whether the same functions are described on both sides, so that the rows can be compared. Where they are not, a
    /// condition on the result (a gate) holds for neither outcome.
    #[must_use]
    pub fn is_even(&self) -> bool {
        let is_even = |of: &PerSide<Uncovered>| {
            of.before.is_whole() == of.after.is_whole() && of.before.functions().eq(of.after.functions())
        };
        self.objects.values().all(is_even)
    }

    /// Whether all functions sampled are described.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.objects.is_empty()
    }

    /// Why functions are not described on a side, each reason once.
    #[must_use]
    pub fn causes(&self, side: Side) -> Vec<&str> {
        let mut causes: Vec<&str> = self.objects.values().flat_map(|of| of[side].causes()).collect();
        causes.sort_unstable();
        causes.dedup();
        causes
    }

    /// The objects all of whose functions are compared by symbol on both sides, sorted.
    #[must_use]
    pub fn objects_by_symbol(&self) -> Vec<&str> {
        let whole = self.objects.iter().filter(|(_, of)| of.values().any(Uncovered::is_whole));
        whole.map(|(object, _)| object.as_str()).collect()
    }

    /// The functions that are compared by symbol on both sides, by qualified name, sorted.
    #[must_use]
    pub fn by_symbol(&self) -> Vec<&str> {
        let mut functions: Vec<&str> =
            self.objects.values().flat_map(PerSide::values).flat_map(Uncovered::functions).collect();
        functions.sort_unstable();
        functions.dedup();
        functions
    }

    /// Whether a function of an object is compared by symbol.
    pub(crate) fn is_by_symbol(&self, object: &str, qualified: &str) -> bool {
        self.objects.get(object).is_some_and(|sides| sides.values().any(|side| side.contains(qualified)))
    }
}
