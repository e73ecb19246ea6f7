//! Which builds hide functions: if symbols are missing, a function without samples may have had some.

use std::collections::{BTreeSet, HashMap};

use super::chains::Step;
use pdiff_analysis::is_nameless;

/// A build with this many percent of its samples in an object without function hides that object's functions.
const HIDDEN_PCT: f64 = 0.1;

/// What each build hides.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Visibility {
    /// For each build: percent of its samples without function, by object.
    hidden: Vec<HashMap<String, f64>>,
    /// The objects that functions of a subsystem are in.
    objects: HashMap<String, BTreeSet<String>>,
}

impl Visibility {
    /// From comparisons by function of each build with the one before it.
    #[must_use]
    pub fn of(steps: &[Step]) -> Self {
        let builds = steps.iter().map(|step| step.to + 1).max().unwrap_or(0);
        let mut visibility = Self { hidden: vec![HashMap::new(); builds], objects: HashMap::new() };
        for step in steps {
            for row in &step.comparison.rows {
                if row.unresolved {
                    for (build, share) in [(step.from, row.before.self_pct), (step.to, row.after.self_pct)] {
                        if let Some(hidden) = visibility.hidden.get_mut(build) {
                            *hidden.entry(row.object.to_string()).or_insert(0.0) += share;
                        }
                    }
                } else if let Some(subsystem) = &row.subsystem {
                    let objects = visibility.objects.entry(subsystem.to_string()).or_default();
                    objects.insert(row.object.to_string());
                }
            }
        }
        for hidden in &mut visibility.hidden {
            hidden.retain(|_, share| *share >= HIDDEN_PCT);
        }
        visibility
    }

    /// The pairs of builds around each build that hides something, and around each run of such: what was there before and
    /// after can be compared. At most two for each build.
    #[must_use]
    pub fn around_hidden(&self) -> Vec<(usize, usize)> {
        let hides = |at: usize| self.hidden.get(at).is_some_and(|hidden| !hidden.is_empty());
        let clear: Vec<usize> = (0..self.hidden.len()).filter(|at| !hides(*at)).collect();
        let runs = clear.iter().zip(clear.iter().skip(1)).map(|(from, to)| (*from, *to));
        let single = (2..self.hidden.len()).filter(|to| hides(to - 1)).map(|to| (to - 2, to));
        let pairs: BTreeSet<(usize, usize)> = runs.filter(|(from, to)| to - from > 1).chain(single).collect();
        pairs.into_iter().collect()
    }

    /// What of a function (`object` is not empty) or a subsystem a build may hide, in percent of its samples.
    pub(super) fn hidden_pct(&self, build: usize, object: &str, name: &str, seen_pct: f64) -> f64 {
        let Some(hidden) = self.hidden.get(build) else { return 0.0 };
        let of = |object: &str| hidden.get(object).copied().unwrap_or(0.0);
        match object {
            _ if is_nameless(name) => 0.0,
            "" => self.objects.get(name).into_iter().flatten().map(|object| of(object)).sum(),
            // A function with samples has its symbol.
            _ if seen_pct > 0.0 => 0.0,
            _ => of(object),
        }
    }
}
