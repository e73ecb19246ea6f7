//! Families by the code: a flipped function and the callers it left or entered. Weight that moved inside a family is not a
//! real change; the net change of the family is, without what all functions have in common.

use pdiff_profile::Side;
use rustc_hash::FxHashMap;

use super::common_shift::CommonShift;
use super::verdict::{Verdict, VerdictFamily};
use crate::compare::{Quantities, net_and_moved};

/// Joins verdicts on inlining with the callers they name, and numbers them; `flips` are pairs of verdicts.
pub(super) fn set_families(
    verdicts: &mut [Verdict],
    flips: &[(usize, usize)],
    shift: CommonShift,
) -> Vec<VerdictFamily> {
    let mut root: Vec<usize> = (0..verdicts.len()).collect();
    for (callee, caller) in flips {
        let (a, b) = (find(&root, *callee), find(&root, *caller));
        let (low, high) = (a.min(b), a.max(b));
        if let Some(parent) = root.get_mut(high) {
            *parent = low;
        }
    }
    let callees: Vec<usize> = flips.iter().map(|(callee, _)| *callee).collect();
    let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for index in flips.iter().flat_map(|(callee, caller)| [*callee, *caller]) {
        let of_root = members.entry(find(&root, index)).or_default();
        if !of_root.contains(&index) {
            of_root.push(index);
        }
    }
    let mut members: Vec<Vec<usize>> = members.into_values().collect();
    members.iter_mut().for_each(|family| family.sort_unstable());
    members.sort();
    for (id, family) in members.iter().enumerate() {
        for index in family {
            if let Some(verdict) = verdicts.get_mut(*index) {
                verdict.family = Some(id);
            }
        }
    }
    members.iter().enumerate().map(|(id, family)| net(id, family, (&callees, verdicts), shift)).collect()
}

fn find(root: &[usize], mut index: usize) -> usize {
    while let Some(parent) = root.get(index).filter(|parent| **parent != index) {
        index = *parent;
    }
    index
}

fn net(
    id: usize,
    members: &[usize],
    (callees, verdicts): (&[usize], &[Verdict]),
    shift: CommonShift,
) -> VerdictFamily {
    let of = |index: &usize| verdicts.get(*index);
    let change = |of: &Verdict, pct: fn(&Quantities) -> f64| {
        shift.own_change_pp(pct(of.side(Side::Before)), pct(of.side(Side::After)))
    };
    let changes = members.iter().filter_map(of).map(|verdict| change(verdict, |side| side.booked_self_pct));
    let (booked_delta_pp, moved_pp) = net_and_moved(changes);
    let flipped = members.iter().filter(|index| callees.contains(index)).filter_map(of);
    let body_pp: f64 = flipped.map(|verdict| change(verdict, Quantities::x_pct)).sum();
    VerdictFamily {
        id,
        members: members.iter().filter_map(of).map(|verdict| verdict.function.clone()).collect(),
        booked_delta_pp,
        moved_pp,
        body_pp,
        call_overhead_pp: booked_delta_pp - body_pp,
    }
}
