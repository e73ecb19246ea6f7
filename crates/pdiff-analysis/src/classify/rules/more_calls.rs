//! `R-more-calls`: counts say that the function is called more often, and that explains its time.

use pdiff_profile::{PerSide, Side};

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::{Fact, TimeOf};
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

use super::code_counts::copies_in_code;
use super::cost_per_call::{MORE_CALLS, more_time, time_of};
use super::per_operation;
use crate::compare::Pair;

/// The part of the growth of time, on a log scale, that the growth of calls must make up, and the part of the calls that are more
/// which a caller must make.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    // From none to some is not a growth of calls: it is newly active.
    let calls = context.input.counts?.get(&row.name).filter(|calls| calls.before > 0.0)?;
    let changed = |of: &Judged| per_operation::is_told(*of, row);
    let judged = [Judged::OwnSelf, Judged::Total].into_iter().find(changed)?;
    // What is called now where it was copied is not called more.
    let were_copies = calls_of_copies(context, case);
    let added = calls.after - calls.before - were_copies.unwrap_or(0.0);
    let more_calls = 1.0 + added / calls.before;
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
    let caller = caller(context, case, added);
    let reason = Reason::MoreCalls { calls: more_calls, time: more_time, time_of, caller: caller.clone() };
    let counted = Fact::CallsAndTime { calls, more_calls, more_time, time_of };
    let mut finding = Finding::new("R-more-calls", Cause::MoreCalls, judged, reason)
        .with([counted])
        .with(context.counted_by());
    finding.callers = caller.into_iter().collect();
    let finding = match were_copies {
        // Counts are by name.
        Some(_) if row.matched.by_file.is_some() => finding.limited(Confidence::Likely, Limit::SameNamed),
        Some(_) => finding,
        None => finding.limited(Confidence::Likely, Limit::CallersNotCounted),
    };
    Some(gates::common(finding, case))
}

/// How many more calls are made by callers that contained the function before, as a copy, and have fewer copies now; `None` if calls were not
/// counted by caller.
fn calls_of_copies(context: &Context<'_>, case: &Case<'_>) -> Option<f64> {
    let counts = context.input.counts?;
    let none = Pair { before: 0.0, after: 0.0 };
    let flips = context.builds.flips(&case.ids, Side::Before);
    let shown = context.calls_to(case.row, Side::After).into_iter();
    let shown = shown.chain(context.calls_by_code(case.row, Side::After)).filter_map(|call| {
        let caller = context.caller(call)?;
        let copies = PerSide::from_fn(|side| copies_in_code(context, caller, case, side));
        (copies.before > copies.after).then_some(&*call.caller)
    });
    let mut callers: Vec<&str> = flips.iter().map(|flip| &*flip.names.after).chain(shown).collect();
    callers.sort_unstable();
    callers.dedup();
    let more = callers.into_iter().map(|caller| {
        let calls =
            counts.get_from(caller, &case.row.name).or_else(|| counts.has_callers().then_some(none))?;
        Some((calls.after - calls.before).max(0.0))
    });
    more.sum()
}

/// The caller that makes most of the calls that are more, where calls are counted by caller.
fn caller(context: &Context<'_>, case: &Case<'_>, more: f64) -> Option<String> {
    let counts = context.input.counts?;
    // Of what is called in a copy, the code that contains it makes the calls.
    let shown = context.calls_to(case.row, Side::After).into_iter();
    let callers = shown.chain(context.calls_by_code(case.row, Side::After)).map(|call| call.caller.as_str());
    // One that was copied itself made these calls there.
    let was_copied = |caller: &str| {
        let caller = context.case(caller, &case.row.object, None);
        caller.is_some_and(|caller| !context.builds.flips(&caller.ids, Side::Before).is_empty())
    };
    let grown = callers.filter(|caller| !was_copied(caller)).filter_map(|caller| {
        let entries = counts.get_from(caller, &case.row.name)?;
        Some((entries.after - entries.before, caller))
    });
    let (grown, caller) = grown.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (grown >= EXPLAINING_PART * more).then(|| caller.to_owned())
}
