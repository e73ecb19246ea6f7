//! Kin of a function: the functions at its place in the source, its callers, and what these called in the other run.

use crate::classify::builds::Builds;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::likeness::shares_content;
use crate::classify::rules::{FamilyCost, FlippedCallers};
use crate::classify::sources::by_file;
use crate::compare::Row;
use crate::noise::FLOOR_PP;
use pdiff_profile::census::{Census, FunctionId};
use pdiff_profile::{PerSide, Side};
use rustc_hash::{FxHashMap, FxHashSet};

/// The part of a function's weight that its kin must have lost.
pub(super) const INHERITED_PART: f64 = 0.5;

/// Names of which this part is common are alike.
pub(super) const SAME_NAME: f64 = 0.5;

/// Code that shrank below this part lost something.
pub(super) const SHRUNK_PART: f64 = 0.9;

/// A place in the source holds at most so many functions.
pub(super) const WIDEST_PLACE: usize = 32;

/// How many callers are looked at.
const MOST_CALLERS: usize = 3;

/// What is needed to find kin.
pub(super) struct Kinship<'c, 'a> {
    pub(super) context: &'c Context<'a>,
    /// The families of functions whose inlining changed, by the row of each member.
    pub(super) flipped: FxHashMap<usize, Option<FamilyCost>>,
    /// Of these costs, the part of each function whose inlining changed.
    parts: FxHashMap<usize, FamilyCost>,
    files: PerSide<FxHashMap<&'a str, Vec<(u32, FunctionId)>>>,
    /// The names of the program's rows.
    pub(super) names: Vec<&'a str>,
    /// Rows by the function of each build.
    pub(super) rows: PerSide<FxHashMap<FunctionId, usize>>,
}

impl<'c, 'a> Kinship<'c, 'a> {
    pub(super) fn new(context: &'c Context<'a>, flipped: &FlippedCallers) -> Self {
        let of_flips = flipped
            .callees
            .iter()
            .flat_map(|(caller, callees)| callees.iter().map(|callee| callee.row).chain([*caller]))
            .map(|row| (row, flipped.costs.whole.get(&row).copied()));
        let rows = PerSide::from_fn(|side| {
            let ids = (0..).zip(&context.cases).filter(|(_, case)| case.of_program);
            ids.flat_map(|(row, case)| case.ids[side].iter().map(move |id| (*id, row))).collect()
        });
        let files = PerSide::from_fn(|side| context.builds.foreground(side).map(by_file).unwrap_or_default());
        let of_program = context.cases.iter().filter(|case| case.of_program);
        let names = of_program.map(|case| &*case.row.name).collect();
        Self { context, flipped: of_flips.collect(), parts: flipped.costs.parts.clone(), files, names, rows }
    }

    /// What one row has below another one, without the common factor, in points of After's shares.
    pub(super) fn called_pp(&self, caller: usize, callee: usize, side: Side) -> f64 {
        let cases = self.context.cases.get(caller).zip(self.context.cases.get(callee));
        let Some((caller, callee)) = cases else { return 0.0 };
        let calls = self.context.calls_from(caller.row, side).into_iter();
        let of_callee =
            calls.filter(|call| self.context.callee(call).is_some_and(|of| std::ptr::eq(of, callee)));
        let pct: f64 = of_callee.map(|call| share_pct(caller.row, side, call.weight(side))).sum();
        self.context.common_shift.without(pct, side)
    }

    /// Whether two rows of the two sides have something in common beside their place: name or callees, or, for one that
    /// both builds have, code that it lost.
    pub(super) fn shares_content(&self, before: usize, after: usize) -> bool {
        let cases = &self.context.cases;
        let Some((before, after)) = cases.get(before).zip(cases.get(after)) else { return false };
        let censuses = self.context.builds.census(Side::Before).zip(self.context.builds.census(Side::After));
        let ids = before.ids.before.first().zip(after.ids.after.first());
        let Some(((a, b), (before, after))) = censuses.zip(ids) else { return false };
        shares_content((a, *before), (b, *after), &self.names)
    }

    /// The same for a row and kin of it.
    pub(super) fn is_alike(&self, row: usize, kin: usize, with: Side) -> bool {
        let (before, after) = if with == Side::After { (kin, row) } else { (row, kin) };
        let has_lost_code = self.context.cases.get(kin).is_some_and(|case| {
            let (there, here) = (self.bytes(case, with.other()), self.bytes(case, with));
            here > 0.0 && here <= SHRUNK_PART * there
        });
        has_lost_code || self.shares_content(before, after)
    }

    pub(super) fn bytes(&self, case: &Case<'_>, side: Side) -> f64 {
        self.context.builds.census(side).map_or(0.0, |census| case.code_bytes(census, side) as f64)
    }

    /// The most that a row may have lost to another one on side `with`, if its inlining changed: its own code went between the
    /// members of its family, so at most what the whole family lost can have gone elsewhere. `None` if its inlining is the same.
    pub(super) fn lost_by_family(&self, row: usize, with: Side) -> Option<f64> {
        let cost = self.flipped.get(&row)?;
        let most = |cost: &FamilyCost| cost.lost_pp(with) + cost.half_width_pp;
        Some(cost.as_ref().map_or(f64::INFINITY, most))
    }

    /// What a row whose inlining changed lost on side `with`, beyond noise, that neither its callers nor other members of its family have
    /// instead. `None` if its inlining is the same.
    pub(super) fn left_family_pp(&self, row: usize, with: Side) -> Option<f64> {
        self.flipped.get(&row)?;
        let lost = |cost: &FamilyCost| match with {
            Side::After => cost.is_less(),
            Side::Before => cost.is_more(),
        };
        Some(self.parts.get(&row).filter(|cost| lost(cost)).map_or(0.0, |cost| cost.lost_pp(with)))
    }

    /// What a row has less of on side `with`, without the common factor.
    pub(super) fn towards(&self, measure: Judged, row: &Row, with: Side) -> f64 {
        let (before, after) = measure.shares(row);
        let change = self.context.common_shift.own_change_pp(before, after);
        if with == Side::After { -change } else { change }
    }

    /// The rows that call it, in the code or in the stacks, heaviest first.
    pub(super) fn callers(&self, case: &Case<'_>, with: Side) -> Vec<usize> {
        let calls = self.context.calls_to(case.row, with).into_iter();
        let sampled = calls.filter_map(|call| self.context.row_number(self.context.caller(call)?.row));
        let mut callers: Vec<usize> = sampled.take(MOST_CALLERS).collect();
        if let Some(census) = self.context.builds.census(with) {
            let edges = case.ids[with].iter().flat_map(|id| census.calls_to(*id));
            callers.extend(edges.filter_map(|edge| self.rows[with].get(&edge.caller)).take(MOST_CALLERS));
        }
        let of_program = |row: &usize| self.context.cases.get(*row).is_some_and(|case| case.of_program);
        let mut seen = FxHashSet::default();
        callers.retain(|row| of_program(row) && seen.insert(*row));
        callers
    }

    /// The rows that its callers called on the other side, and whose build on this side does not contain them.
    pub(super) fn beside(&self, callers: &[usize], with: Side) -> Vec<usize> {
        let cases = callers.iter().filter_map(|row| self.context.cases.get(*row));
        let calls = cases.flat_map(|caller| self.context.calls_from(caller.row, with.other()));
        let callees = calls.filter_map(|call| self.context.callee(call));
        let gone = callees.filter(|callee| callee.held_by(with) == InBuild::No);
        gone.filter_map(|callee| self.context.row_number(callee.row)).collect()
    }

    /// The rows that its callers still call, but less, by about the row's total: by `like` times that at most, and by as small a
    /// part of it at least.
    pub(super) fn called_less(
        &self,
        case: &Case<'_>,
        callers: &[usize],
        with: Side,
        like: f64,
    ) -> Vec<usize> {
        let mut less = Vec::new();
        let weight = share(Judged::Total, case.row, with);
        let factor = |side: Side| if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
        for caller in callers.iter().filter_map(|row| self.context.cases.get(*row)) {
            for call in self.context.calls_from(caller.row, with.other()) {
                let [here, there] = [with, with.other()]
                    .map(|side| factor(side) * share_pct(caller.row, side, call.weight(side)));
                let callee = self.context.callee(call).filter(|callee| callee.of_program);
                let lost = there - here;
                let is_less = lost >= FLOOR_PP && lost * like >= weight && lost <= like * weight;
                less.extend(callee.filter(|_| is_less).and_then(|of| self.context.row_number(of.row)));
            }
        }
        less
    }

    /// The rows at its place in the source of the other build: between the partners of its neighbours, these included.
    pub(super) fn at_place(&self, case: &Case<'_>, with: Side) -> Vec<usize> {
        let ids = self.place(case, with).unwrap_or_default();
        let rows = &self.rows[with.other()];
        ids.iter().filter_map(|id| rows.get(id).copied()).collect()
    }

    pub(super) fn place(&self, case: &Case<'_>, with: Side) -> Option<Vec<FunctionId>> {
        let builds = &self.context.builds;
        let (census, other) = (builds.census(with)?, builds.census(with.other())?);
        let id = *case.ids[with].first()?;
        let (stem, line) = place_of(census, id)?;
        let functions = self.files[with].get(stem)?;
        let at = functions.partition_point(|(of, id_of)| (*of, *id_of) < (line, id));
        let partner = |(_, id): &(u32, FunctionId)| partner_line(builds, other, with, *id, stem);
        let low = functions.get(..at)?.iter().rev().take(WIDEST_PLACE).find_map(partner);
        let high = functions.get(at + 1..)?.iter().take(WIDEST_PLACE).find_map(partner);
        let others = self.files[with.other()].get(stem)?;
        let from = low.map_or(0, |low| others.partition_point(|(line, _)| *line < low));
        let to = high.map_or(others.len(), |high| others.partition_point(|(line, _)| *line <= high));
        let place = others.get(from..to)?;
        (place.len() <= WIDEST_PLACE).then(|| place.iter().map(|(_, id)| *id).collect())
    }
}

fn place_of(census: &Census, id: FunctionId) -> Option<(&str, u32)> {
    let function = census.function(id)?;
    Some((crate::matching::file_stem(function.file()?), function.line()?))
}

/// The line of a function's partner in the same file of the other build.
fn partner_line(builds: &Builds<'_>, other: &Census, with: Side, id: FunctionId, stem: &str) -> Option<u32> {
    let found = builds.matches(with, &[id]).into_iter().next()?;
    let partner = if with == Side::Before { found.after } else { found.before };
    let (partner_stem, line) = place_of(other, partner)?;
    let is_clear = !found.is_ambiguous && partner_stem == stem;
    is_clear.then_some(line)
}

/// The larger of a row's self by symbol and total, in percent.
pub(super) fn weight(context: &Context<'_>, row: usize, side: Side) -> f64 {
    let of = context.cases.get(row).map(|case| case.row.side(side));
    of.map_or(0.0, |of| of.booked_self_pct.max(of.total_pct))
}

/// A row's share of a measure on one side, in percent.
pub(super) fn share(measure: Judged, row: &Row, side: Side) -> f64 {
    let (before, after) = measure.shares(row);
    if side == Side::Before { before } else { after }
}
