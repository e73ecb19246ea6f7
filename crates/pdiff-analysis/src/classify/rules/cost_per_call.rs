//! Calls or cost: whether counts say that a function is called as often as before, so that each call costs more or less.

use crate::classify::case::Case;
use crate::classify::cause::{Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::compare::Row;
use crate::policy::Share;

/// Counts that grew by less do not explain anything: status counters are read at other moments than samples.
pub(super) const MORE_CALLS: f64 = 1.1;

/// A finding that a function's own code costs more or less. If its code differs, and counts say that it is called as often, then each
/// call does more or less. The same code may be slower for the place of its data, for other threads, and more.
pub(super) fn cost_per_call(
    finding: Finding,
    context: &Context<'_>,
    case: &Case<'_>,
    same_code: bool,
) -> Finding {
    match called_as_often(context, case.row).filter(|_| !same_code) {
        Some(counted) => finding.with([counted]).with(context.counted_by()),
        None => finding.limited(Confidence::Likely, Limit::CallsOrCost),
    }
}

/// Counts that say that a function is called as often on both sides.
fn called_as_often(context: &Context<'_>, row: &Row) -> Option<Fact> {
    let calls = context.input.counts?.get(&row.name).filter(|calls| calls.before > 0.0)?;
    let more_calls = calls.after / calls.before;
    let more_time = more_time(context, Judged::OwnSelf.shares(row));
    let is_alike = (1.0 / MORE_CALLS..=MORE_CALLS).contains(&more_calls);
    is_alike.then_some(Fact::CallsAndTime { calls, more_calls, more_time })
}

/// Time after over before: per operation where operations are known, as counts are, else as shares.
pub(super) fn more_time(context: &Context<'_>, (before, after): (f64, f64)) -> f64 {
    let comparison = context.input.comparison;
    let whole = comparison.cost.as_ref().filter(|_| comparison.share == Share::All);
    after / before * whole.map_or(1.0, |cost| cost.log_ratio.exp())
}
