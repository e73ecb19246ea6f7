//! What a function lost is had by its heirs once: those that it calls itself, or that are named like it, come first.

use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

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
        let mut refused: FxHashSet<(usize, usize)> = FxHashSet::default();
        for ((donor, with), of) in of_donor {
            let is_left =
                self.context.cases.get(donor).is_some_and(|donor| donor.held_by(with) != InBuild::No);
            if !is_left || of.len() < 2 {
                continue;
            }
            let lost = |measure: &Judged| self.lost_pp(donor, *measure, with);
            let lost = Judged::ALL.iter().map(lost).fold(0.0, f64::max);
            let weight = |row: usize| weight(self.context, row, with);
            let (near, mut others): (Vec<usize>, Vec<usize>) =
                of.iter().map(|heir| heir.row).partition(|row| self.is_near(*row, donor, with));
            others.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b)));
            let mut taken: f64 = near.into_iter().map(weight).sum();
            for row in others {
                if taken > 0.0 && taken + weight(row) > LIKE_LOSS * lost {
                    refused.insert((row, donor));
                } else {
                    taken += weight(row);
                }
            }
        }
        let (without, kept): (Vec<Heir>, Vec<Heir>) =
            heirs.iter().partition(|heir| refused.contains(&(heir.row, heir.donor)));
        (kept, without.iter().map(|heir| heir.row).collect())
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
