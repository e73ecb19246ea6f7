//! The cost of a change of inlining: the net change of a family, which is the flipped functions and the callers they left
//! or entered. Weight that only changed rows is not part of it.

use rustc_hash::FxHashMap;

use super::flipped_callee::FlippedCallee;
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::noise::FLOOR_PP;

/// The net change of a family.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FamilyCost {
    /// Change of the members' self by symbol together, without the common factor, in points.
    pub net_pp: f64,
    /// Half the width of its 95 % interval, in points.
    pub half_width_pp: f64,
}

impl FamilyCost {
    /// Whether the family costs more, beyond noise.
    #[must_use]
    pub fn is_more(&self) -> bool {
        self.net_pp >= FLOOR_PP && self.net_pp > self.half_width_pp
    }

    /// Whether the family costs less, beyond noise.
    #[must_use]
    pub fn is_less(&self) -> bool {
        Self { net_pp: -self.net_pp, ..*self }.is_more()
    }
}

/// The cost of each family, by the row of every member.
pub(super) fn family_costs(
    context: &Context<'_>,
    callers: &FxHashMap<usize, Vec<FlippedCallee>>,
) -> FxHashMap<usize, FamilyCost> {
    let mut root: FxHashMap<usize, usize> = FxHashMap::default();
    let mut pairs: Vec<(usize, usize)> =
        callers.iter().flat_map(|(caller, callees)| callees.iter().map(|of| (*caller, of.row))).collect();
    pairs.sort_unstable();
    for (caller, callee) in pairs {
        let (a, b) = (find(&root, caller), find(&root, callee));
        root.insert(a.max(b), a.min(b));
        root.entry(a.min(b)).or_insert(a.min(b));
    }
    let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let all = callers.keys().copied().chain(callers.values().flatten().map(|callee| callee.row));
    for row in all {
        let of_root = members.entry(find(&root, row)).or_default();
        if !of_root.contains(&row) {
            of_root.push(row);
        }
    }
    let costs = members.into_values().flat_map(|mut rows| {
        rows.sort_unstable();
        let cost = cost(context, &rows);
        rows.into_iter().map(move |row| (row, cost))
    });
    costs.collect()
}

fn find(root: &FxHashMap<usize, usize>, mut row: usize) -> usize {
    while let Some(parent) = root.get(&row).filter(|parent| **parent != row) {
        row = *parent;
    }
    row
}

fn cost(context: &Context<'_>, rows: &[usize]) -> FamilyCost {
    let rows = || rows.iter().filter_map(|row| context.cases.get(*row)).map(|case| case.row);
    let before: f64 = rows().map(|row| row.before.booked_self_pct).sum();
    let after: f64 = rows().map(|row| row.after.booked_self_pct).sum();
    let shift = context.common_shift;
    let of_members: f64 = rows().map(|row| Judged::Booked.half_width_pp(row).powi(2)).sum();
    let of_factor = before * shift.factor() * context.common_shift.error();
    FamilyCost {
        net_pp: shift.own_change_pp(before, after),
        half_width_pp: of_members.sqrt().hypot(of_factor),
    }
}
