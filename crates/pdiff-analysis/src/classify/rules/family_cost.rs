//! The cost of a change of inlining: the net change of a family, which is a flipped function and the callers it left or
//! entered. Weight that only changed rows is not part of it.
//!
//! Each function has a family of its own, so that what another function's callers saved does not hide its cost. Of a caller
//! that several functions left or entered, each has the part that its copies had. A caller that is flipped itself changed by
//! its own copies, too, so that both functions are one family. The change of a caller that its copies cannot explain is its
//! own: what they had in the samples then represents what left or entered it.

use pdiff_profile::Side;
use rustc_hash::FxHashMap;

use super::flipped_callee::FlippedCallee;
use crate::classify::case::share_pct;
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::compare::Row;
use crate::noise::FLOOR_PP;

/// A caller may change by so many times what its flipped callees did; what is beyond is its own.
pub(super) const CALLER_FACTOR: f64 = 2.0;

/// The relative error of what copies had in the samples: debug lines of copies often belong to their callers.
const COPIES_ERROR: f64 = 0.5;

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

/// The cost of each family, by the row of every flipped function.
pub(super) fn family_costs(
    context: &Context<'_>,
    callers: &FxHashMap<usize, Vec<FlippedCallee>>,
) -> FxHashMap<usize, FamilyCost> {
    let mut flipped: Vec<usize> = callers.values().flatten().map(|callee| callee.row).collect();
    flipped.sort_unstable();
    flipped.dedup();
    let mut root: FxHashMap<usize, usize> = flipped.iter().map(|row| (*row, *row)).collect();
    let mut pairs: Vec<(usize, usize)> =
        callers.iter().flat_map(|(caller, callees)| callees.iter().map(|of| (*caller, of.row))).collect();
    pairs.sort_unstable();
    for (caller, callee) in pairs.iter().filter(|(caller, _)| flipped.binary_search(caller).is_ok()) {
        let (a, b) = (find(&root, *caller), find(&root, *callee));
        root.insert(a.max(b), a.min(b));
    }
    let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for row in flipped {
        members.entry(find(&root, row)).or_default().push(row);
    }
    let costs = members.into_values().flat_map(|rows| {
        let cost = cost(context, &rows, callers);
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

/// The cost of some flipped functions together, with their part of their callers.
fn cost(context: &Context<'_>, rows: &[usize], callers: &FxHashMap<usize, Vec<FlippedCallee>>) -> FamilyCost {
    let shift = context.common_shift;
    let (mut net, mut variance, mut before) = (0.0, 0.0, 0.0);
    for row in rows.iter().filter_map(|row| context.cases.get(*row)).map(|case| case.row) {
        net += own_pp(context, row);
        variance += Judged::Booked.half_width_pp(row).powi(2);
        before += row.before.booked_self_pct;
    }
    let mut of_callers: Vec<_> = callers.iter().filter(|(caller, _)| !rows.contains(caller)).collect();
    of_callers.sort_by_key(|(caller, _)| **caller);
    for (caller, callees) in of_callers {
        if let Some(part) = CallerPart::new(context, *caller, callees, rows) {
            net += part.change_pp;
            variance += part.half_width_pp.powi(2);
            before += part.before_pct;
        }
    }
    let of_factor = before * shift.factor() * context.common_shift_error();
    FamilyCost { net_pp: net, half_width_pp: variance.sqrt().hypot(of_factor) }
}

/// The change of a row's self by symbol, without the common factor, in points.
fn own_pp(context: &Context<'_>, row: &Row) -> f64 {
    context.common_shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct)
}

/// What a caller changed by because of some of its flipped callees.
struct CallerPart {
    change_pp: f64,
    half_width_pp: f64,
    /// The part of its share before, in percent.
    before_pct: f64,
}

impl CallerPart {
    /// `None` if none of them flipped in the caller.
    fn new(context: &Context<'_>, caller: usize, callees: &[FlippedCallee], rows: &[usize]) -> Option<Self> {
        let row = context.cases.get(caller)?.row;
        let is_own = |callee: &&FlippedCallee| rows.contains(&callee.row);
        callees.iter().find(is_own)?;
        let mut expected: Vec<f64> =
            callees.iter().map(|callee| copies_pp(context, caller, callee)).collect();
        if expected.iter().all(|expected| *expected == 0.0) {
            expected = callees.iter().map(|callee| -callee.delta_booked_pp).collect();
        }
        let own = |values: &[f64]| -> f64 {
            let own = values.iter().zip(callees).filter(|(_, callee)| rows.contains(&callee.row));
            own.map(|(value, _)| value).sum()
        };
        let sizes: Vec<f64> = expected.iter().map(|expected| expected.abs()).collect();
        let (all, change) = (expected.iter().sum::<f64>(), own_pp(context, row));
        let of_all: f64 = sizes.iter().sum();
        if of_all <= 0.0 {
            return None;
        }
        let part = own(&sizes) / of_all;
        let moved: f64 = callees.iter().map(|callee| callee.delta_booked_pp.abs()).sum();
        let most = CALLER_FACTOR * moved.max(of_all);
        let before_pct = part * row.before.booked_self_pct;
        if change * all <= 0.0 || change.abs() > most {
            let copies = own(&expected);
            return Some(Self { change_pp: copies, half_width_pp: COPIES_ERROR * copies.abs(), before_pct });
        }
        // What the samples do not show in copies is divided as they are.
        let change_pp = own(&expected) + part * (change - all);
        let of_part = COPIES_ERROR * part.min(1.0 - part) * change;
        let half_width_pp = (part * Judged::Booked.half_width_pp(row)).hypot(of_part);
        Some(Self { change_pp, half_width_pp, before_pct })
    }
}

/// The change of a caller's own weight that a flipped callee's copies in it represent: it lost them, or has them now.
fn copies_pp(context: &Context<'_>, caller: usize, callee: &FlippedCallee) -> f64 {
    let Some(case) = context.cases.get(callee.row) else { return 0.0 };
    let side = callee.inlined_on;
    let rows = [Some(case), context.unscoped_twin(case)].into_iter().flatten().map(|case| case.row);
    let of_row = |row: &Row| -> f64 {
        let copies = match side {
            Side::Before => &row.inline.before,
            Side::After => &row.inline.after,
        };
        let is_here = |into: Option<&Row>| into.and_then(|row| context.row_number(row)) == Some(caller);
        let here = copies
            .iter()
            .filter(|copy| is_here(context.program_row(&copy.caller, copy.caller_file.as_deref())));
        here.map(|copy| share_pct(row, side, copy.weight)).sum()
    };
    let copies: f64 = rows.map(of_row).sum();
    match side {
        Side::Before => -context.common_shift.factor() * copies,
        Side::After => copies,
    }
}
