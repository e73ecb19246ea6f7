//! `R-less-code`: a function's code lost conditions and has nothing new, and costs more: what is gone saved that.

use std::collections::BTreeMap;

use pdiff_profile::PerSide;

use super::FlippedCallers;
use super::called_as_often::own_times;
use super::code_counts::code_bytes;
use super::ways_around::lost_conditions;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::noise::FLOOR_PP;

/// Own code that costs so many times as much is not just laid out in another way.
const MORE: f64 = 1.3;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let own_pp = context.common_shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct);
    let is_more = row.booked.significant
        && own_pp >= FLOOR_PP
        && own_times(context, case).is_some_and(|times| times >= MORE);
    if !is_more || !context.is_patched || !case.of_program || case.is_stub() || is_library(case) {
        return None;
    }
    let bytes = code_bytes(context, case);
    if bytes.after >= bytes.before || calls_more(context, case) {
        return None;
    }
    let asks = lost_conditions(context, case)?;
    let reason = Reason::LessCode { self_pp: row.delta_booked_pp(), bytes, asks };
    let finding = Finding::new("R-less-code", Cause::MissingFastPath, Judged::Booked, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::PathNotCounted), case))
}

/// Whether a function's code has calls of what it did not call before, or more of them.
fn calls_more(context: &Context<'_>, case: &Case<'_>) -> bool {
    let calls = PerSide::from_fn(|side| {
        let mut calls: BTreeMap<&str, u32> = BTreeMap::new();
        let census = context.builds.census(side).into_iter();
        let edges = census.flat_map(|census| {
            let edges = case.ids[side].iter().flat_map(|id| census.calls_from(*id));
            edges
                .filter_map(|edge| Some((census.function(edge.callee)?.name(), edge.calls + edge.tail_jumps)))
        });
        edges.for_each(|(name, count)| *calls.entry(name).or_default() += count);
        calls
    });
    calls.after.iter().any(|(name, count)| calls.before.get(name).is_none_or(|before| before < count))
}
