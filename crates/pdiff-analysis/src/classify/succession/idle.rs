//! New code under callers that cost no more: it may be a part of what these did before.

use pdiff_profile::Side;
use pdiff_profile::census::FunctionId;

use super::kinship::{INHERITED_PART, Kinship, share};
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{InBuild, Judged};
use crate::compare::Row;
use crate::noise::FLOOR_PP;

/// How many callers in a row may be new themselves.
const DEEPEST: usize = 8;

/// How many callers in a row are followed where all of them are, and how many of one function, heaviest first.
const DEEPEST_OF_ALL: usize = 4;
const WIDEST: usize = 8;

/// The total of a function with most of the program under it tells nothing of what it calls, in percent.
const MOST_OF_ALL_PCT: f64 = 25.0;

/// A function with this part of its total in its own code is a leaf.
const NEARLY_ALL: f64 = 0.9;

impl<'c> Kinship<'c, '_> {
    /// Whether the nearest caller that both runs entered costs no more, or takes part in a change of inlining whose family may
    /// have lost half as much: the row may be a part of what that caller did before. Of a caller with most of the program under
    /// it that is not asked.
    pub(super) fn has_idle_caller(&self, case: &Case<'_>, callers: &[usize], with: Side) -> bool {
        let weight = share(Judged::Total, case.row, with);
        let mut callers = callers.to_vec();
        for _ in 0..DEEPEST {
            let Some((row, caller)) =
                callers.first().and_then(|row| Some((*row, self.context.cases.get(*row)?)))
            else {
                return false;
            };
            if let Some(is_idle) = self.is_idle(case, (row, caller), weight, with) {
                return is_idle;
            }
            callers = self.callers(caller, with);
        }
        false
    }

    /// The same of the callers that have half of the row's weight.
    pub(super) fn is_mostly_under_idle(&self, case: &Case<'_>, with: Side) -> bool {
        let weight = share(Judged::Total, case.row, with);
        self.idle_pct(case, case, weight, with, DEEPEST_OF_ALL) >= INHERITED_PART * weight
    }

    /// How much of the weight that a row has under `callee` is under callers that cost no more, in percent.
    fn idle_pct(&self, case: &Case<'_>, callee: &Case<'_>, weight: f64, with: Side, depth: usize) -> f64 {
        let calls = self.context.calls_to(callee.row, with).into_iter();
        let callers: Vec<(&Case<'_>, f64)> = calls
            .filter_map(|call| {
                let caller = self.context.caller(call).filter(|caller| caller.of_program)?;
                Some((caller, share_pct(callee.row, with, call.weight(with))))
            })
            .collect();
        if callers.is_empty() {
            return if self.is_idle_in_code(case, callee, weight, with) { weight } else { 0.0 };
        }
        let all: f64 = callers.iter().map(|(_, pct)| pct).sum();
        let parts = callers.into_iter().take(WIDEST).map(|(caller, pct)| (caller, weight * pct / all));
        let idle = parts.filter(|(_, part)| *part >= FLOOR_PP).map(|(caller, part)| {
            let row = self.context.row_number(caller.row);
            match row.and_then(|row| self.is_idle(case, (row, caller), part, with)) {
                Some(is_idle) => f64::from(u8::from(is_idle)) * part,
                None if depth > 1 => self.idle_pct(case, caller, part, with, depth - 1),
                None => 0.0,
            }
        });
        idle.sum()
    }

    /// Whether all functions that call or contain one in the code, of those that both runs entered, cost no more: the stacks do not
    /// tell of callers of what may be noise.
    fn is_idle_in_code(&self, case: &Case<'_>, callee: &Case<'_>, weight: f64, with: Side) -> bool {
        let users = self.context.builds.census(with).into_iter().flat_map(|census| {
            let calls = |id: &FunctionId| census.calls_to(*id).map(|edge| edge.caller);
            let copies = |id: &FunctionId| census.inlined_into(*id).map(|into| into.caller);
            callee.ids[with].iter().flat_map(move |id| calls(id).chain(copies(id)))
        });
        let mut idle = users.filter_map(|user| {
            let row = *self.rows[with].get(&user)?;
            self.is_idle(case, (row, self.context.cases.get(row)?), weight, with)
        });
        idle.next().is_some_and(|first| first && idle.all(|of| of))
    }

    /// Whether a caller of a row, of which so much is under it, costs no more; `None` if one of the runs did not enter it.
    fn is_idle(
        &self,
        case: &Case<'_>,
        (row, caller): (usize, &Case<'c>),
        weight: f64,
        with: Side,
    ) -> Option<bool> {
        let is_known = caller.is_sampled(with.other()) && caller.held_by(with.other()) == InBuild::Yes;
        let there = if is_known { Some(caller.row) } else { self.under_other_name(caller, with) }?;
        let factor = |side| if side == Side::Before { self.context.common_shift.factor() } else { 1.0 };
        let total = |row: &Row, side: Side| factor(side) * share(Judged::Total, row, side);
        let grown = total(caller.row, with) - total(there, with.other());
        let is_most = share(Judged::Total, caller.row, with) > MOST_OF_ALL_PCT;
        let lost_by_family = self.lost_by_family(row, with);
        let may_have_lost = lost_by_family.is_some_and(|lost| lost >= INHERITED_PART * weight);
        // Of builds a patch apart, what the caller calls has verdicts of its own: only what its own code lost can have become a leaf.
        let own = |row: &Row, side: Side| factor(side) * share(Judged::Booked, row, side);
        let has_lost = own(there, with.other()) - own(caller.row, with)
            + self.copied_now_pct(caller, with)
            + Judged::Booked.half_width_pp(there);
        let is_leaf =
            share(Judged::Booked, case.row, with) >= NEARLY_ALL * share(Judged::Total, case.row, with);
        if self.context.is_patched && is_leaf && has_lost < INHERITED_PART * weight {
            return Some(false);
        }
        Some(!is_most && (may_have_lost || grown < INHERITED_PART * weight))
    }

    /// What a caller contains on a side of functions that it does not contain on the other, in percent: that is no code of its own.
    fn copied_now_pct(&self, caller: &Case<'_>, with: Side) -> f64 {
        let context = self.context;
        let callees =
            context.calls_from(caller.row, with).into_iter().filter_map(|call| context.callee(call));
        let new = callees.filter(|callee| context.copied_pct(caller, callee, with.other()) <= 0.0);
        new.map(|callee| context.copied_pct(caller, callee, with)).sum()
    }
}
