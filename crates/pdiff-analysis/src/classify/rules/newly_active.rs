//! `R-newly-active` and `R-no-longer-active`: both builds hold the function, but only one run entered it, though the
//! caller, or the caller of callers that were not entered either, was well sampled in both.
//!
//! Zero of N samples is no proof of absence: the side with samples must have at least [`FACTOR`] times what zero samples
//! may hide.

use pdiff_profile::Side;

use super::new_code::{LOCAL_NAME, is_local_name};
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::evidence::{Evidence, EvidenceKind};
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::lost_callers::places;
use crate::classify::rules::FlippedCallers;
use crate::noise::MIN_SAMPLES;

/// How many times the bound of the side without samples the other side's lower end must be.
pub(super) const FACTOR: f64 = 5.0;

/// How many callers in a row may be newly active themselves.
const DEEPEST: usize = 16;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let idle = Side::BOTH.into_iter().find(|side| !case.is_sampled(*side))?;
    let active = idle.other();
    changed(case).filter(|_| row.total.significant && gates::is_held(case, idle))?;
    let bound_pct = row.total.bound_pct(idle)?;
    let low_pct = match active {
        Side::After => row.total.ci_low_pp,
        Side::Before => -row.total.ci_high_pp,
    };
    if low_pct < FACTOR * bound_pct || is_lost(context, case, idle) {
        return None;
    }
    let gate = context.gates(case).into_iter().find(|gate| gate.admits(active));
    // A setting that switches the function is reason enough; without one its caller must have been there.
    let caller = sampled_caller(context, case, idle);
    if caller.is_none() && gate.is_none() {
        return None;
    }
    let (rule_id, cause, verb) = match active {
        Side::After => ("R-newly-active", Cause::NewlyActive, "enters"),
        Side::Before => ("R-no-longer-active", Cause::Lighter, "entered"),
    };
    let why = match (&gate, caller) {
        (Some(gate), _) => format!("{}: the settings differ, which says nothing against the code", gate.text),
        (None, Some(caller)) => unknown_reason(context, caller),
        (None, None) => return None,
    };
    let reason = format!(
        "in both builds, but only the {active} run {verb} it (at most {bound_pct:.3} % {idle}); {why}"
    );
    let while_caller = caller.map_or_else(String::new, |caller| {
        format!(", while {} had {} samples", caller.row.name, caller.row.total.samples(idle))
    });
    let text = format!(
        "no sample {idle}: at most {bound_pct:.4} % (95 %){while_caller}; lower end {active} {low_pct:.3} %"
    );
    let bound = Evidence::new(EvidenceKind::Sampled, text);
    let mut finding = Finding::new(rule_id, cause, Judged::Total, reason)
        .with([bound.with(&[("bound_pct", bound_pct), ("low_pct", low_pct)])]);
    finding.callers = caller.into_iter().map(|caller| caller.row.name.clone()).collect();
    if case.of_program && !context.builds.see_inlines() {
        let why = format!("not both builds show inlining: it may stand in its callers {idle}");
        finding = finding.limited(Confidence::Unclear, why);
    }
    if is_local_name(&row.name) {
        finding = finding.limited(Confidence::Unclear, LOCAL_NAME);
    }
    let limit = match gate {
        Some(_) => "that the setting differs, not that nothing else does, is known: no counts",
        None => "samples alone: no counts, no differing setting known",
    };
    let finding = match counted(context, case, idle) {
        Some(counts) => finding.with([counts]),
        None => finding.limited(Confidence::Likely, limit),
    };
    Some(gates::common(finding, case))
}

/// Counts that say so: no call on the idle side, some on the other.
fn counted(context: &Context<'_>, case: &Case<'_>, idle: Side) -> Option<Evidence> {
    let calls = context.input.counts?.get(&case.row.name)?;
    let (none, some) = match idle {
        Side::Before => (calls.before, calls.after),
        Side::After => (calls.after, calls.before),
    };
    let text = format!("called {} times per operation before, {} after", calls.before, calls.after);
    let fact = Evidence::new(EvidenceKind::Counts, text)
        .with(&[("calls_before", calls.before), ("calls_after", calls.after)]);
    (none == 0.0 && some > 0.0).then_some(fact)
}

/// What may be behind it where no differing setting is known.
fn unknown_reason(context: &Context<'_>, caller: &Case<'_>) -> String {
    let name = &caller.row.name;
    match context.builds.same_code(&caller.ids) {
        Some(true) => format!("the code of {name} is the same: a setting or the data differ"),
        Some(false) => format!("the code of {name} differs: another path is taken, or settings differ"),
        None => format!("another path is taken in {name}, or settings differ"),
    }
}

/// Whether the idle run may have entered the function and its chains lost it: what it calls in the code has samples
/// there, under callers that do not call it.
fn is_lost(context: &Context<'_>, case: &Case<'_>, idle: Side) -> bool {
    let Some(census) = context.builds.census(idle) else { return false };
    let places = places(census, &case.ids[idle.index()]);
    let callees = places.iter().flat_map(|id| census.calls_from(*id)).map(|edge| edge.callee);
    let active_pct = case.row.side(idle.other()).total_pct;
    let mut functions = callees.filter_map(|id| census.function(id));
    functions.any(|function| {
        let callee = context.case(function.name(), &case.row.object, function.file());
        callee.is_some_and(|callee| FACTOR * context.orphaned_pct(callee, idle) >= active_pct)
    })
}

/// The nearest caller that the idle side's run sampled well; callers that it never entered either are passed over.
fn sampled_caller<'c, 'a>(context: &'c Context<'a>, case: &'c Case<'a>, idle: Side) -> Option<&'c Case<'a>> {
    let mut below = case;
    for _ in 0..DEEPEST {
        let callers: Vec<&Case<'a>> = context
            .calls_to(below.row, idle.other())
            .into_iter()
            .filter_map(|call| context.caller(call))
            .collect();
        if let Some(found) = callers.iter().find(|caller| caller.row.total.samples(idle) >= MIN_SAMPLES) {
            return Some(*found);
        }
        below =
            callers.into_iter().find(|caller| !caller.is_sampled(idle) && gates::is_held(caller, idle))?;
    }
    None
}
