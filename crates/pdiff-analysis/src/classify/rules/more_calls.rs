//! `R-more-calls`: counts say that the function is called more often, and that explains its time.

use pdiff_profile::Side;

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::compare::Row;
use crate::policy::Share;

use super::per_operation;

/// Counts that grew by less do not explain anything: status counters are read at other moments than samples.
const MORE_CALLS: f64 = 1.1;

/// The part of the growth of time, on a log scale, that the growth of calls must make up, and the part of the calls that are more
/// which a caller must make.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    // From none to some is not a growth of calls: it is newly active.
    let calls = context.input.counts?.get(&row.name).filter(|calls| calls.before > 0.0)?;
    let changed = |of: &Judged| per_operation::is_told(*of, row);
    let judged = [Judged::OwnSelf, Judged::Total].into_iter().find(changed)?;
    let more_calls = calls.after / calls.before;
    let more_time = more_time(context, judged.shares(row));
    let explains =
        more_calls >= MORE_CALLS && more_time > 1.0 && more_calls.ln() >= EXPLAINING_PART * more_time.ln();
    if !explains {
        return None;
    }
    let reason = Reason::MoreCalls { calls: more_calls, time: more_time };
    let counted = Fact::CallsAndTime { calls, more_calls, more_time };
    let mut finding = Finding::new("R-more-calls", Cause::MoreCalls, judged, reason)
        .with([counted])
        .with(context.counted_by());
    finding.callers = caller(context, case, calls.after - calls.before).into_iter().collect();
    Some(gates::common(finding, case))
}

/// A finding that a function's own code costs more or less; where counts say that it is called as often, nothing else can be why.
pub(super) fn cost_per_call(finding: Finding, context: &Context<'_>, case: &Case<'_>) -> Finding {
    match called_as_often(context, case.row) {
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
fn more_time(context: &Context<'_>, (before, after): (f64, f64)) -> f64 {
    let comparison = context.input.comparison;
    let whole = comparison.cost.as_ref().filter(|_| comparison.share == Share::All);
    after / before * whole.map_or(1.0, |cost| cost.log_ratio.exp())
}

/// The caller that makes most of the calls that are more, where calls are counted by caller.
fn caller(context: &Context<'_>, case: &Case<'_>, more: f64) -> Option<String> {
    let counts = context.input.counts?;
    let callers = context.calls_to(case.row, Side::After).into_iter().map(|call| call.caller.as_str());
    let grown = callers.filter_map(|caller| {
        let entries = counts.get_from(caller, &case.row.name)?;
        Some((entries.after - entries.before, caller))
    });
    let (grown, caller) = grown.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (grown >= EXPLAINING_PART * more).then(|| caller.to_owned())
}
