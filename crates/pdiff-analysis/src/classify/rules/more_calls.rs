//! `R-more-calls`: counts say that the function is called more often, and that explains its time.

use pdiff_profile::Side;

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Judged};
use crate::classify::context::Context;
use crate::classify::fact::{Fact, TimeOf};
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

use super::cost_per_call::{MORE_CALLS, more_time, time_of};
use super::per_operation;

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
    let time = (more_time(context, judged.shares(row)), time_of(context));
    // What an operation costs more everywhere, on a slower machine, is not for calls to explain.
    let own_pct = judged.cost_change(row).and_then(|change| change.own?.pct);
    let own_time = own_pct.map(|pct| (1.0 + pct / 100.0, TimeOf::OperationBeyondTypical));
    let (more_time, time_of) = own_time.filter(|own| own.0 < time.0).unwrap_or(time);
    let explains =
        more_calls >= MORE_CALLS && more_time > 1.0 && more_calls.ln() >= EXPLAINING_PART * more_time.ln();
    if !explains {
        return None;
    }
    let caller = caller(context, case, calls.after - calls.before);
    let reason = Reason::MoreCalls { calls: more_calls, time: more_time, time_of, caller: caller.clone() };
    let counted = Fact::CallsAndTime { calls, more_calls, more_time, time_of };
    let mut finding = Finding::new("R-more-calls", Cause::MoreCalls, judged, reason)
        .with([counted])
        .with(context.counted_by());
    finding.callers = caller.into_iter().collect();
    Some(gates::common(finding, case))
}

/// The caller that makes most of the calls that are more, where calls are counted by caller.
fn caller(context: &Context<'_>, case: &Case<'_>, more: f64) -> Option<String> {
    let counts = context.input.counts?;
    // Of what is called in a copy, the code that contains it makes the calls.
    let shown = context.calls_to(case.row, Side::After).into_iter();
    let callers = shown.chain(context.calls_by_code(case.row, Side::After)).map(|call| call.caller.as_str());
    let grown = callers.filter_map(|caller| {
        let entries = counts.get_from(caller, &case.row.name)?;
        Some((entries.after - entries.before, caller))
    });
    let (grown, caller) = grown.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (grown >= EXPLAINING_PART * more).then(|| caller.to_owned())
}
