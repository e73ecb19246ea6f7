//! The nearest functions of both builds above one that only one build has, and what they called in the other run: what they call
//! less, by as much as the function calls it, was there before.

use pdiff_profile::Side;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::InBuild;
use crate::classify::context::Context;
use crate::classify::library::is_library;
use crate::noise::FLOOR_PP;

/// How many calls are followed from one function of both builds to another, through functions of one build only and of libraries.
const FARTHEST: usize = 4;

/// How many calls of each are followed, heaviest first.
const WIDEST: usize = 8;

/// Callers that call a function by at most this part of what they did left it.
const RELIC_PART: f64 = 0.2;

/// The nearest functions above one of side `with` that both runs entered.
pub(in crate::classify) struct KnownCallers<'c> {
    rows: Vec<&'c Case<'c>>,
    with: Side,
}

impl<'c> KnownCallers<'c> {
    pub(in crate::classify) fn of(context: &'c Context<'_>, case: &Case<'_>, with: Side) -> Self {
        let mut rows: Vec<&'c Case<'c>> = Vec::new();
        let mut seen = vec![context.row_number(case.row)];
        let mut fresh = callers(context, case, with);
        for _ in 0..FARTHEST {
            let mut above = Vec::new();
            for caller in fresh {
                let row = context.row_number(caller.row);
                if seen.contains(&row) {
                    continue;
                }
                seen.push(row);
                if is_known(caller) {
                    rows.push(caller)
                } else {
                    above.extend(callers(context, caller, with))
                }
            }
            fresh = above;
        }
        Self { rows, with }
    }

    /// How much less of a callee they call now, themselves or through functions that this build lacks, in percent of this side.
    pub(super) fn lost_pct(&self, context: &Context<'_>, callee: &Case<'_>) -> f64 {
        if !is_known(callee) {
            return 0.0;
        }
        let lost_by = |row: &Case<'_>| {
            let (there, here) = self.under_pct(context, row, callee);
            (there - here).max(0.0)
        };
        self.rows.iter().map(|row| lost_by(row)).sum()
    }

    /// Whether they called a callee in the other run, and hardly do so themselves now, however much it costs.
    pub(in crate::classify) fn left(&self, context: &Context<'_>, callee: &Case<'_>) -> bool {
        if !is_known(callee) {
            return false;
        }
        let under = self.rows.iter().map(|row| self.under_pct(context, row, callee));
        let (there, here) = under.fold((0.0, 0.0), |sum: (f64, f64), of| (sum.0 + of.0, sum.1 + of.1));
        there >= FLOOR_PP && here <= RELIC_PART * there
    }

    /// What a caller has of a callee in the other run and in this one, in percent of this one.
    fn under_pct(&self, context: &Context<'_>, row: &Case<'_>, callee: &Case<'_>) -> (f64, f64) {
        let factor = context.common_shift.factor();
        let there = led_to_pct(context, row, callee, self.with.other(), FARTHEST);
        // Functions that call each other lead there by several ways.
        let there = there.min(callee.row.side(self.with.other()).total_pct);
        let of_this = if self.with == Side::After { factor * there } else { there / factor };
        (of_this, led_to_pct(context, row, callee, self.with, 1))
    }
}

/// The functions that call one, in the stacks of a side, heaviest first.
fn callers<'c>(context: &'c Context<'_>, case: &Case<'_>, side: Side) -> Vec<&'c Case<'c>> {
    let calls = context.calls_to(case.row, side).into_iter().take(WIDEST);
    calls.filter_map(|call| context.caller(call)).collect()
}

/// Whether it is a function of the program that both runs entered.
fn is_known(case: &Case<'_>) -> bool {
    let is_of_program = case.of_program && !case.row.unresolved && !case.is_stub() && !is_library(case);
    is_of_program && Side::BOTH.into_iter().all(|side| case.is_sampled(side))
}

/// How much of a callee a function calls, also through up to so many calls of functions that the other build lacks, in percent.
fn led_to_pct(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, side: Side, depth: usize) -> f64 {
    let calls = context.calls_from(case.row, side).into_iter().take(WIDEST);
    let parts = calls.filter_map(|call| {
        let below = context.callee(call)?;
        let pct = share_pct(case.row, side, call.weight(side));
        if std::ptr::eq(below.row, callee.row) {
            return Some(pct);
        }
        let leads_on = depth > 1 && below.held_by(side.other()) == InBuild::No;
        let total_pct = below.row.side(side).total_pct;
        // What others have of it under them is not this function's.
        let part = if total_pct > pct { pct / total_pct } else { 1.0 };
        leads_on.then(|| part * led_to_pct(context, below, callee, side, depth - 1))
    });
    parts.sum()
}
