//! Calls or cost: whether counts say that a function is called as often as before, so that each call costs more or less.

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::{Fact, TimeOf};
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::classify::named_uses::without_stub;
use crate::compare::Row;
use crate::policy::Share;
use pdiff_profile::Side;
use pdiff_profile::census::FunctionId;

/// Counts that grew by less do not explain anything: status counters are read at other moments than samples.
pub(super) const MORE_CALLS: f64 = 1.1;

/// So many times as often is not the same work in another way.
const MANY_MORE: f64 = 1.5;

/// A finding that a function's own code costs more or less. If its code differs, and counts say that it is called as often, then each
/// call does more or less. The same code may be slower for the place of its data, for other threads, and more.
pub(super) fn cost_per_call(
    finding: Finding,
    context: &Context<'_>,
    case: &Case<'_>,
    same_code: bool,
) -> Finding {
    match called_as_often(context, case.row).filter(|_| !same_code) {
        // Counts are by name.
        Some(counted) if case.row.matched.by_file.is_some() => {
            finding.with([counted]).limited(Confidence::Likely, Limit::SameNamed)
        }
        Some(counted) if changed_in_copies(context, case) => {
            finding.with([counted]).limited(Confidence::Likely, Limit::CopiesNotCounted)
        }
        Some(counted) => {
            let finding = finding.with([counted]).with(context.counted_by());
            match calls_more_of(context, case).filter(|_| finding.cause == Cause::Lighter) {
                Some(callee) => finding.limited(Confidence::Likely, Limit::CallsMoreOf(callee)),
                None => finding,
            }
        }
        None => finding.limited(Confidence::Likely, Limit::CallsOrCost),
    }
}

/// Less than this part of a change in the code of its own body is a change in its copies.
const IN_BODY: f64 = 0.5;

/// Whether a function has copies, and its lines changed mainly there: these run as often as the code around them.
fn changed_in_copies(context: &Context<'_>, case: &Case<'_>) -> bool {
    let has_copies = |side: Side| {
        let function = |id: &FunctionId| context.builds.census(side)?.function(*id);
        case.ids[side].iter().filter_map(function).any(|function| function.inlined_instances() > 0)
    };
    let row = case.row;
    Side::BOTH.into_iter().any(has_copies)
        && row.delta_booked_pp() * row.delta_self_pp().signum() < IN_BODY * row.delta_self_pp().abs()
}

/// A function that counts show to be called more per call of this one: stacks may lack this one there, so its total may not have it.
fn calls_more_of(context: &Context<'_>, case: &Case<'_>) -> Option<String> {
    let (counts, census) = (context.input.counts?, context.builds.census(Side::After)?);
    let called = case.ids.after.iter().flat_map(|id| census.calls_from(*id)).map(|edge| edge.callee);
    let names = called.filter_map(|id| Some(without_stub(census.function(id)?.name()).0));
    let mut more = names.filter(|name| counts.is_entered_more(&case.row.name, name, MANY_MORE) == Some(true));
    more.next().map(str::to_owned)
}

/// Counts that say that a function is called as often on both sides.
fn called_as_often(context: &Context<'_>, row: &Row) -> Option<Fact> {
    let calls = context.input.counts?.get(&row.name).filter(|calls| calls.before > 0.0)?;
    let more_calls = calls.after / calls.before;
    let more_time = more_time(context, Judged::OwnSelf.shares(row));
    let is_alike = (1.0 / MORE_CALLS..=MORE_CALLS).contains(&more_calls);
    is_alike.then_some(Fact::CallsAndTime { calls, more_calls, more_time, time_of: time_of(context) })
}

/// What the time of [`more_time`] is that of.
pub(super) fn time_of(context: &Context<'_>) -> TimeOf {
    let comparison = context.input.comparison;
    let is_known = comparison.cost.is_some() && comparison.share == Share::All;
    if is_known { TimeOf::Operation } else { TimeOf::Share }
}

/// Time after over before: per operation where operations are known, as counts are, else as shares.
pub(super) fn more_time(context: &Context<'_>, (before, after): (f64, f64)) -> f64 {
    let comparison = context.input.comparison;
    let whole = comparison.cost.as_ref().filter(|_| comparison.share == Share::All);
    after / before * whole.map_or(1.0, |cost| cost.log_ratio.exp())
}
