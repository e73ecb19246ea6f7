//! The cost of a change of inlining: the net change of a family, which is the flipped functions and the callers they left
//! or entered. Weight that only changed rows is not part of it, and neither is what a caller costs more for other reasons. Where
//! several functions of a family flipped, what the own lines of one cost is not the cost of another, and what their callers cost
//! more is divided among them.

use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::flipped_callee::FlippedCallee;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::compare::SampledCall;
use crate::noise::FLOOR_PP;

/// What callers cost is one function's alone if it has this part of what moved, and left (or entered) all of them; else its part is an
/// estimate.
const NEARLY_ALL: f64 = 0.9;

/// The net change of a family, or the part of it that is one flipped function's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FamilyCost {
    /// Change of the members' self by symbol together, without the common factor, in points.
    pub net_pp: f64,
    /// Half the width of its 95 % interval, in points.
    pub half_width_pp: f64,
    /// Whether most of it is an estimate: a part of what callers cost more that other functions left or entered as well.
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

    /// Whether it is still beyond noise, in either direction, if so many points are taken off.
    pub(super) fn is_beyond_noise_without(&self, pp: f64) -> bool {
        Self { net_pp: self.net_pp.abs() - pp, ..*self }.is_more()
    }

    /// Another net of it, as certain as this one.
    fn with_net(self, net_pp: f64) -> Self {
        let part = if self.net_pp == 0.0 { 1.0 } else { net_pp / self.net_pp };
        Self { net_pp, half_width_pp: part * self.half_width_pp, ..self }
    }

    /// How much less it costs on a side than on the other, in points.
    #[must_use]
    pub(in crate::classify) fn lost_pp(&self, on: Side) -> f64 {
        if on == Side::After { -self.net_pp } else { self.net_pp }
    }
}

/// The cost of families.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct FamilyCosts {
    /// By the row of each member: that of its family, for a flipped function without what the own lines of others cost in the same direction.
    pub(crate) whole: FxHashMap<usize, FamilyCost>,
    /// By the row of each flipped function: its part of that.
    pub(crate) parts: FxHashMap<usize, FamilyCost>,
}

/// The cost of each family.
pub(super) fn family_costs(
    context: &Context<'_>,
    callers: &FxHashMap<usize, Vec<FlippedCallee>>,
) -> FamilyCosts {
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
    let flipped: FxHashMap<usize, FlippedCallee> =
        callers.values().flatten().map(|callee| (callee.row, *callee)).collect();
    let left_all = |rows: &[usize], of: &FlippedCallee| {
        let lists = rows.iter().filter_map(|row| callers.get(row));
        let mut alike = lists.filter(|list| list.iter().any(|other| other.inlined_on == of.inlined_on));
        alike.all(|list| list.iter().any(|other| other.row == of.row))
    };
    let mut costs = FamilyCosts::default();
    for mut rows in members.into_values() {
        rows.sort_unstable();
        let cost = cost(context, &rows, callers);
        let functions = rows.iter().filter_map(|row| {
            let of = flipped.get(row)?;
            Some(Flipped { left_all: left_all(&rows, of), ..Flipped::new(context, of, cost) })
        });
        let functions: Vec<Flipped> = functions.collect();
        costs.whole.extend(rows.iter().map(|row| (*row, cost)));
        for of in &functions {
            let others: f64 =
                functions.iter().filter(|other| other.row != of.row).map(|of| of.lines_pp).sum();
            let whole =
                FamilyCost { net_pp: cost.net_pp.signum() * (cost.net_pp.abs() - others).max(0.0), ..cost };
            costs.whole.insert(of.row, whole);
            let part = of.part(whole, &functions);
            let alone = || flipped.get(&of.row).and_then(|of| cost_alone(context, &rows, callers, of));
            costs.parts.insert(of.row, if part.is_shared { alone().unwrap_or(part) } else { part });
        }
    }
    costs
}

/// What a function costs that mainly left callers, or entered callers, which no other function left or entered: its own code below these, and
/// what they cost more. What it has below the others may have been in these before.
fn cost_alone(
    context: &Context<'_>,
    rows: &[usize],
    callers: &FxHashMap<usize, Vec<FlippedCallee>>,
    of: &FlippedCallee,
) -> Option<FamilyCost> {
    let case = context.cases.get(of.row)?;
    let (row, called_on) = (case.row, of.inlined_on.other());
    let is_alone = |caller: &usize| {
        callers.get(caller).is_some_and(|list| matches!(&**list, [only] if only.row == of.row))
    };
    let alone: Vec<usize> = rows.iter().copied().filter(is_alone).collect();
    let is_below = |call: &&SampledCall| {
        let caller = context.caller(call).and_then(|caller| context.row_number(caller.row));
        caller.is_some_and(|caller| alone.contains(&caller))
    };
    let calls = context.calls_to(row, called_on).into_iter().filter(is_below);
    let below: f64 = calls.map(|call| share_pct(row, called_on, call.weight(called_on))).sum();
    let (total, own) = (row.side(called_on).total_pct, row.side(called_on).booked_self_pct);
    if total <= 0.0 || below < NEARLY_ALL * total {
        return None;
    }
    let mut own_pct = PerSide::from_fn(|side| row.side(side).booked_self_pct);
    own_pct[called_on] = own * (below / total).min(1.0);
    let own_pp = context.common_shift.own_change_pp(own_pct.before, own_pct.after);
    let of_callers = cost(context, &alone, callers);
    let of_factor = own_pct.before * context.common_shift.factor() * context.common_shift.error();
    let of_own = Judged::Booked.half_width_pp(row).hypot(of_factor);
    let half_width_pp = of_callers.half_width_pp.hypot(of_own);
    Some(FamilyCost { net_pp: own_pp + of_callers.net_pp, half_width_pp, is_shared: false })
}

/// A flipped function of a family.
struct Flipped {
    row: usize,
    /// What its own lines cost in the direction of the family.
    lines_pp: f64,
    /// How much its self by symbol changed.
    moved_pp: f64,
    /// Whether it can cost the family that: what left costs more, what entered costs less.
    explains: bool,
    /// Whether it left all callers that such functions left, or entered all that they entered.
    left_all: bool,
}

impl Flipped {
    fn new(context: &Context<'_>, of: &FlippedCallee, family: FamilyCost) -> Self {
        let direction = family.net_pp.signum();
        let explains = (of.inlined_on == Side::Before) == (direction > 0.0);
        let lines_pp = (lines_pp(context, of.row) * direction).max(0.0);
        Self { row: of.row, lines_pp, moved_pp: of.delta_booked_pp.abs(), explains, left_all: true }
    }

    /// Its part of the cost of its family without the lines of others: what its own lines cost, and of the rest, which are the callers,
    /// as much as it has of what moved in its direction.
    fn part(&self, whole: FamilyCost, all: &[Self]) -> FamilyCost {
        let of_callers = whole.net_pp.abs() - self.lines_pp;
        let alike = all.iter().filter(|of| of.explains == self.explains);
        let moved: f64 = alike.map(|of| of.moved_pp).sum();
        let part = if of_callers <= 0.0 || moved == 0.0 { 1.0 } else { self.moved_pp / moved };
        let net_pp = whole.net_pp.signum() * (self.lines_pp + part * of_callers);
        let is_nearly_all = self.left_all && part >= NEARLY_ALL;
        let is_shared = !is_nearly_all && part * of_callers > self.lines_pp;
        FamilyCost { is_shared, ..whole.with_net(net_pp) }
    }
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
