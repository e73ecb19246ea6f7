//! Functions inside others, by the calls that were sampled.

use pdiff_profile::Side;

use super::case::share_pct;
use super::context::Context;

/// A function with at least this part of its total under another one is inside that one.
pub(super) const MOSTLY: f64 = 0.5;

/// How many calls up, and how many callers of each function, are looked at.
const DEEPEST: usize = 3;
const WIDEST: usize = 8;

/// The part of a row's total, 0 to 1, that is below some other rows in the run of one side.
pub(super) fn part_below(context: &Context<'_>, row: usize, rows: &[usize], side: Side) -> f64 {
    part_within(context, row, rows, side, DEEPEST)
}

fn part_within(context: &Context<'_>, row: usize, rows: &[usize], side: Side, depth: usize) -> f64 {
    let Some(case) = context.cases.get(row) else { return 0.0 };
    let total = case.row.side(side).total_pct;
    if total <= 0.0 {
        return 0.0;
    }
    let callers = context.calls_to(case.row, side).into_iter().take(WIDEST).filter_map(|call| {
        let caller = context.row_number(context.caller(call)?.row)?;
        Some((caller, share_pct(case.row, side, call.weight(side)) / total))
    });
    let parts = callers.map(|(caller, part)| match (rows.contains(&caller), depth) {
        (true, _) => part,
        (false, 0..=1) => 0.0,
        (false, _) => part * part_within(context, caller, rows, side, depth - 1),
    });
    parts.sum()
}
