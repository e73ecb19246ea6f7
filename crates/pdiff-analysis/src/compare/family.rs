//! Families: functions between which self by symbol moved because one is inlined on one side only.
//!
//! When After stops inlining `leaf`, a profile by symbol moves its time from the callers to `leaf`, although the program
//! does the same. A family is a function and every caller in which it was inlined on exactly one side, while that caller
//! has samples on both and the function has samples out of line on the other; overlapping families merge. The family's net
//! change is real; weight that moved inside is not a change.
//!
//! The inline chains are those of sampled addresses, so callers without samples are not known here.

use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use crate::aggregate::{RowId, RunTable};
use crate::noise::MIN_SAMPLES;

/// Which way a function's inlining went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum InlineChange {
    /// Inlined before, called after.
    Lost,
    /// Called before, inlined after.
    Gained,
}

impl InlineChange {
    /// The stable text.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Gained => "gained",
        }
    }
}

/// A function whose inlining changed in one caller.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Flip {
    pub(super) function: RowId,
    pub(super) caller: RowId,
    pub(super) change: InlineChange,
}

/// The weights that flips are found in: one side's runs together.
#[derive(Default)]
pub(super) struct SideChains {
    inlined_in: FxHashMap<(RowId, RowId), u64>,
    booked_samples: Vec<u64>,
    weight_per_sample: f64,
}

/// By function: the machine functions that it stands inlined in, heaviest first.
pub(super) type Holders = FxHashMap<RowId, Vec<(RowId, u64)>>;

impl SideChains {
    pub(super) fn sum<'a>(tables: impl Iterator<Item = &'a RunTable>) -> Self {
        let mut sum = Self::default();
        let (mut weight, mut samples) = (0.0, 0);
        for table in tables {
            for (edge, weight) in &table.inlined_in {
                let of_edge = sum.inlined_in.entry(*edge).or_default();
                *of_edge = of_edge.saturating_add(*weight);
            }
            let rows = table.rows();
            sum.booked_samples.resize(sum.booked_samples.len().max(rows.len()), 0);
            for (count, row) in sum.booked_samples.iter_mut().zip(rows) {
                *count += row.booked.samples;
            }
            weight += table.weight as f64;
            samples += table.samples;
        }
        sum.weight_per_sample = if samples > 0 { weight / samples as f64 } else { 1.0 };
        sum
    }

    /// Where each function stands inlined.
    pub(super) fn holders(&self) -> Holders {
        let mut holders = Holders::default();
        for ((function, holder), weight) in &self.inlined_in {
            holders.entry(*function).or_default().push((*holder, *weight));
        }
        for of_function in holders.values_mut() {
            of_function.sort_by_key(|(holder, weight)| (std::cmp::Reverse(*weight), *holder));
        }
        holders
    }

    fn booked_samples(&self, row: RowId) -> u64 {
        self.booked_samples.get(row.index()).copied().unwrap_or(0)
    }

    fn inlined_samples(&self, edge: (RowId, RowId)) -> f64 {
        self.inlined_in.get(&edge).map_or(0.0, |weight| *weight as f64 / self.weight_per_sample)
    }
}

/// Changes of inlining that both sides' samples show, in order of rows.
pub(super) fn flips(chains: &PerSide<SideChains>) -> Vec<Flip> {
    let mut flips = Vec::new();
    for (side, change) in [(Side::Before, InlineChange::Lost), (Side::After, InlineChange::Gained)] {
        let (with, without) = (&chains[side], &chains[side.other()]);
        for edge in with.inlined_in.keys() {
            let (function, caller) = *edge;
            let shown = with.inlined_samples(*edge) >= MIN_SAMPLES as f64
                && without.inlined_samples(*edge) == 0.0
                && without.booked_samples(caller) >= MIN_SAMPLES
                && without.booked_samples(function) >= MIN_SAMPLES;
            if shown {
                flips.push(Flip { function, caller, change });
            }
        }
    }
    flips.sort();
    flips
}

/// The flips of a function, among sorted ones.
pub(super) fn flips_of(flips: &[Flip], function: RowId) -> impl Iterator<Item = &Flip> {
    let start = flips.partition_point(|flip| flip.function < function);
    flips.iter().skip(start).take_while(move |flip| flip.function == function)
}

/// Rows joined by flips: the members of each family, in order of rows.
pub(super) fn join(flips: &[Flip]) -> Vec<Vec<RowId>> {
    let mut family_of: FxHashMap<RowId, usize> = FxHashMap::default();
    let mut families: Vec<Vec<RowId>> = Vec::new();
    for flip in flips {
        let known = [flip.function, flip.caller].map(|row| family_of.get(&row).copied());
        let into = known.iter().flatten().copied().min().unwrap_or_else(|| {
            families.push(Vec::new());
            families.len() - 1
        });
        let mut joining = vec![flip.function, flip.caller];
        for other in known.into_iter().flatten().filter(|other| *other != into) {
            joining.extend(families.get_mut(other).map(std::mem::take).unwrap_or_default());
        }
        for row in joining {
            if family_of.insert(row, into) != Some(into) {
                families[into].push(row);
            }
        }
    }
    families.retain(|members| !members.is_empty());
    for members in &mut families {
        members.sort();
    }
    families
}

/// The net of the changes of a family's members, and what only changed rows, in points.
pub(crate) fn net_and_moved(changes_pp: impl Iterator<Item = f64>) -> (f64, f64) {
    let (net, size) =
        changes_pp.fold((0.0_f64, 0.0), |(net, size), change| (net + change, size + change.abs()));
    (net, (size - net.abs()) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flip(function: u32, caller: u32) -> Flip {
        Flip { function: RowId(function), caller: RowId(caller), change: InlineChange::Lost }
    }

    #[test]
    fn overlapping_families_merge() {
        let families = join(&[flip(1, 2), flip(3, 4), flip(1, 5), flip(4, 2), flip(8, 9)]);
        let ids: Vec<Vec<u32>> =
            families.iter().map(|members| members.iter().map(|row| row.0).collect()).collect();
        assert_eq!(ids, [vec![1, 2, 3, 4, 5], vec![8, 9]]);
    }
}
