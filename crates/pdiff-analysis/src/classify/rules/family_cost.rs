//! The cost of a change of inlining: the net change of a family, which is the flipped functions and the callers they left
//! or entered. Weight that only changed rows is not part of it, and neither is what a caller costs more for other reasons. Where
//! several functions of a family flipped, what the own lines of one cost is not the cost of another, and what their callers cost
//! is divided among them.

use pdiff_profile::Side;
use rustc_hash::{FxHashMap, FxHashSet};

use super::flipped_callee::FlippedCallee;
use crate::classify::case::Case;
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::noise::FLOOR_PP;

/// A function that moved less than this part of what a family's functions moved has no proof of its own that the callers cost more by it.
const MAIN_PART: f64 = 0.5;

/// The net change of a family, or the part of it that is one flipped function's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FamilyCost {
    /// Change of the members' self by symbol together, without the common factor, in points.
    pub net_pp: f64,
    /// Half the width of its 95 % interval, in points.
    pub half_width_pp: f64,
    /// Whether it is mostly a small part of what callers cost more that other functions left or entered as well.
    pub is_shared: bool,
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
    let flipped: FxHashSet<usize> = callers.values().flatten().map(|callee| callee.row).collect();
    let costs = members.into_values().flat_map(|mut rows| {
        rows.sort_unstable();
        let cost = cost(context, &rows, callers);
        let lines = |row: &usize| Some((*row, lines_pp(context, *row))).filter(|_| flipped.contains(row));
        let lines: FxHashMap<usize, f64> = rows.iter().filter_map(lines).collect();
        let in_direction: f64 = lines.values().filter(|pp| **pp * cost.net_pp > 0.0).map(|pp| pp.abs()).sum();
        let moved: f64 = lines.keys().map(|row| moved_pp(context, *row)).sum();
        rows.into_iter().map(move |row| match lines.get(&row) {
            Some(own) => (row, of_one(context, cost, row, (*own, in_direction), moved)),
            None => (row, cost),
        })
    });
    costs.collect()
}

/// What the own lines of a function cost more beyond noise, in points: no more than its own code, for copies may be in functions that are
/// not of the family.
fn lines_pp(context: &Context<'_>, row: usize) -> f64 {
    let Some(row) = context.cases.get(row).map(|case| case.row).filter(|row| row.significant) else {
        return 0.0;
    };
    let change = |of: Judged| {
        let (before, after) = of.shares(row);
        context.common_shift.own_change_pp(before, after)
    };
    let (lines, code) = (change(Judged::OwnSelf), change(Judged::Booked));
    if lines * code > 0.0 { lines.signum() * lines.abs().min(code.abs()) } else { 0.0 }
}

/// How much a flipped function's self by symbol changed, in points.
fn moved_pp(context: &Context<'_>, row: usize) -> f64 {
    context.cases.get(row).map_or(0.0, |case| case.row.delta_booked_pp().abs())
}

/// The cost of a family for one of its flipped functions: what its own lines cost in the direction of the family, and of what is not the lines
/// of any (`lines` are its own, and those of all, in that direction) the part that it has of the self by symbol which `moved`.
fn of_one(
    context: &Context<'_>,
    cost: FamilyCost,
    row: usize,
    (own, of_all): (f64, f64),
    moved: f64,
) -> FamilyCost {
    let of_none = cost.net_pp.abs() - of_all;
    // What callers cost less may all be by this one.
    let part = if of_none > 0.0 { moved_pp(context, row) / moved } else { 1.0 };
    let own = (own * cost.net_pp.signum()).max(0.0);
    let of_callers = part * of_none;
    FamilyCost {
        net_pp: cost.net_pp.signum() * (own + of_callers).max(0.0),
        half_width_pp: part * cost.half_width_pp,
        is_shared: part < MAIN_PART && of_callers > own,
    }
}

fn find(root: &FxHashMap<usize, usize>, mut row: usize) -> usize {
    while let Some(parent) = root.get(&row).filter(|parent| **parent != row) {
        row = *parent;
    }
    row
}

fn cost(context: &Context<'_>, rows: &[usize], callers: &FxHashMap<usize, Vec<FlippedCallee>>) -> FamilyCost {
    let members = || rows.iter().filter_map(|row| Some((*row, context.cases.get(*row)?)));
    let before: f64 = members().map(|(_, case)| case.row.before.booked_self_pct).sum();
    let changes = members().map(|(row, case)| change_pp(context, case, callers.get(&row)));
    let of_members: f64 = members().map(|(_, case)| Judged::Booked.half_width_pp(case.row).powi(2)).sum();
    let of_factor = before * context.common_shift.factor() * context.common_shift.error();
    FamilyCost { net_pp: changes.sum(), half_width_pp: of_members.sqrt().hypot(of_factor), is_shared: false }
}

/// A member's change of self by symbol, without the common factor, in points. A caller that its callees left may cost more by the
/// calls, which is no more than the callees cost, and by lines of the copies that count for it. If its own code costs more than that,
/// it does more itself, and that is not counted; mirrored for callees that entered it.
fn change_pp(context: &Context<'_>, member: &Case<'_>, callees: Option<&Vec<FlippedCallee>>) -> f64 {
    let row = member.row;
    let own_pct = |side: Side| row.side(side).own_code_pct();
    let change = |before: f64, after: f64| context.common_shift.own_change_pp(before, after);
    let booked = change(row.before.booked_self_pct, row.after.booked_self_pct);
    let own = change(own_pct(Side::Before), own_pct(Side::After));
    let against = if own > 0.0 { Side::Before } else { Side::After };
    let is_against = |callees: &&Vec<FlippedCallee>| callees.iter().all(|of| of.inlined_on == against);
    let by_lines =
        |of: &FlippedCallee| context.cases.get(of.row).map_or(0.0, |case| case.row.delta_self_pp());
    let most_of = |of: &FlippedCallee| of.delta_booked_pp.abs().max(by_lines(of).abs());
    match callees.filter(is_against) {
        Some(callees) if own.abs() > callees.iter().map(most_of).sum() => booked - own,
        _ => booked,
    }
}
