//! What a function lost is had by its heirs once: those that it calls itself, or that are named like it, come first.

use pdiff_profile::Side;
use rustc_hash::FxHashMap;

use super::heirs::{Heir, LIKE_LOSS};
use super::kinship::{Kinship, SAME_NAME, weight};
use crate::classify::cause::{InBuild, Judged};
use crate::classify::likeness::are_named_alike;

impl Kinship<'_, '_> {
    /// Heirs without those for which nothing is left of what their donor lost, and the rows of these. A donor that left the build
    /// left all to its heirs.
    pub(super) fn not_spent(&self, heirs: &[Heir]) -> (Vec<Heir>, Vec<usize>) {
        let mut of_donor: FxHashMap<(usize, Side), Vec<Heir>> = FxHashMap::default();
        for heir in heirs {
            of_donor.entry((heir.donor, heir.with)).or_default().push(*heir);
        }
        let mut refused = Vec::new();
        for ((donor, with), mut of) in of_donor {
            let is_left =
                self.context.cases.get(donor).is_some_and(|donor| donor.held_by(with) != InBuild::No);
            if !is_left || of.len() < 2 {
                continue;
            }
            let lost = |measure: &Judged| self.lost_pp(donor, *measure, with);
            let lost = Judged::ALL.iter().map(lost).fold(0.0, f64::max);
            let weight = |heir: &Heir| weight(self.context, heir.row, with);
            of.sort_by(|a, b| {
                let is_near = |heir: &Heir| self.is_near(heir.row, donor, with);
                is_near(b).cmp(&is_near(a)).then(weight(b).total_cmp(&weight(a))).then(a.row.cmp(&b.row))
            });
            let mut taken = 0.0;
            for heir in of {
                if taken > 0.0
                    && taken + weight(&heir) > LIKE_LOSS * lost
                    && !self.is_near(heir.row, donor, with)
                {
                    refused.push(heir.row);
                } else {
                    taken += weight(&heir);
                }
            }
        }
        let is_refused = |heir: &Heir| refused.contains(&heir.row);
        (heirs.iter().filter(|heir| !is_refused(heir)).copied().collect(), refused.clone())
    }

    /// Whether a function is called by its donor, or named like it.
    fn is_near(&self, row: usize, donor: usize, with: Side) -> bool {
        let (Some(case), Some(from)) = (self.context.cases.get(row), self.context.cases.get(donor)) else {
            return false;
        };
        self.callers(case, with).contains(&donor)
            || are_named_alike(&case.row.name, &from.row.name, SAME_NAME)
    }
}
