//! `R-newly-active` and `R-no-longer-active`: both builds contain the function, but only one run entered it, though the
//! caller, or the caller of callers that were not entered either, was well sampled in both.
//!
//! Zero of N samples is not a proof of absence: the side with samples must have at least [`FACTOR`] times what zero samples
//! may hide.

use pdiff_profile::{PerSide, Side, Weight};

use super::code_counts::{calls_in_code, copies_in_code, has_no_body};
use super::holder::code_with_call;
use super::new_code::is_local_name;
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::lost_callers::{has_call, has_caller};
use crate::classify::places::places;
use crate::classify::reason::{EnteredBy, Reason};
use crate::classify::rules::FlippedCallers;
use crate::classify::setting::SettingValues;
use crate::compare::InlinedInto;
use crate::noise::MIN_SAMPLES;

/// How many times the bound of the side without samples the other side's lower end must be.
pub(super) const FACTOR: f64 = 5.0;

/// A function with this part of its weight in its own code and what is inlined there calls nothing that counts.
const NEARLY_ALL: f64 = 0.9;

/// How many callers in a row may be newly active themselves.
const DEEPEST: usize = 16;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let idle = Side::BOTH.into_iter().find(|side| !case.is_sampled(*side))?;
    let active = idle.other();
    if case.is_stub() {
        return None;
    }
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
    let (rule_id, cause) = match active {
        Side::After => ("R-newly-active", Cause::NewlyActive),
        Side::Before => ("R-no-longer-active", Cause::Lighter),
    };
    let why = match (&gate, caller) {
        (Some(gate), _) => EnteredBy::Setting(SettingValues::of(gate)),
        (None, Some(caller)) => by_caller(context, case, caller, active),
        (None, None) => return None,
    };
    let callers = match &why {
        EnteredBy::LostCaller { changed: Some((name, _)) } => vec![name.clone()],
        _ => caller.into_iter().map(|caller| caller.row.name.to_string()).collect(),
    };
    let is_told_by_code = matches!(why, EnteredBy::CallOfOneBuild { .. });
    let reason = Reason::OneRunEntered { active, bound_pct, why };
    let of_caller = |caller: &Case<'_>| (caller.row.name.to_string(), caller.row.total.samples(idle));
    let bound = Fact::Idle { idle, bound_pct, caller: caller.map(of_caller), low_pct };
    let mut finding = Finding::new(rule_id, cause, Judged::Total, reason).with([bound]);
    finding.callers = callers;
    if case.of_program && !context.builds.see_inlines() {
        finding = finding.limited(Confidence::Unclear, Limit::MayBeInlined(idle));
    }
    if case.of_program && has_no_body(context, case, idle) {
        finding = finding.limited(Confidence::Unclear, Limit::CopiesAlone(idle));
    }
    if case.of_program && runs_as_copies(context, case, active) {
        finding = finding.limited(Confidence::Unclear, Limit::SampledInCopies(active));
    }
    if is_local_name(&row.name) {
        finding = finding.limited(Confidence::Unclear, Limit::LocalName);
    }
    let limit = match gate {
        Some(_) => Limit::SettingAlone,
        None if is_told_by_code => Limit::OthersInstead,
        None => Limit::NotEntered,
    };
    let finding = match counted(context, case, idle) {
        Some(counts) => finding.with([counts]).with(context.counted_by()),
        None => finding.limited(Confidence::Likely, limit),
    };
    Some(gates::common(finding, case))
}

/// Whether a side ran a function only where it is inlined, in code that is another in the other build, and next to nothing that it calls:
/// its samples are of lines in that code.
fn runs_as_copies(context: &Context<'_>, case: &Case<'_>, side: Side) -> bool {
    let of = case.row.side(side);
    let is_in_other_code = |copy: &InlinedInto| {
        let place = context.case(&copy.caller, &case.row.object, copy.caller_file.as_deref());
        place.is_some_and(|place| context.builds.same_code(&place.ids) == Some(false))
    };
    of.booked_self_weight == Weight::ZERO
        && of.x_pct() >= NEARLY_ALL * of.total_pct
        && case.row.inlined_into(side).iter().any(is_in_other_code)
}

/// Counts that say so: no call on the idle side, some on the other.
fn counted(context: &Context<'_>, case: &Case<'_>, idle: Side) -> Option<Fact> {
    let counts = context.input.counts?;
    let calls = counts.get(&case.row.name)?;
    let (none, some) = match idle {
        Side::Before => (calls.before, calls.after),
        Side::After => (calls.after, calls.before),
    };
    (none == 0.0 && some > 0.0).then_some(Fact::Calls { calls, unit: counts.unit() })
}

/// The possible reason if no differing setting is known: one build alone has a call of it in the caller's code, or not even that.
fn by_caller(context: &Context<'_>, case: &Case<'_>, caller: &Case<'_>, active: Side) -> EnteredBy {
    let code = code_with_call(context, caller, case);
    let calls = PerSide::from_fn(|side| {
        calls_in_code(context, code, case, side) + copies_in_code(context, code, case, side)
    });
    // Of code that is not decoded no calls are known; those through pointers are in no code.
    let is_of_one = calls[active] > 0 && calls[active.other()] == 0;
    let is_decoded = context.builds.same_code(&code.ids) == Some(false);
    if is_of_one && is_decoded {
        return EnteredBy::CallOfOneBuild { name: code.row.name.to_string() };
    }
    let is_lost = context.builds.census(active).is_some_and(|census| {
        has_caller(census, case, active) && has_call(census, code, case, active) == Some(false)
    });
    if is_lost {
        let with_calls = |caller: &Case<'_>| {
            let calls = PerSide::from_fn(|side| calls_in_code(context, caller, case, side));
            (caller.row.name.to_string(), calls)
        };
        return EnteredBy::LostCaller { changed: changed_caller(context, case, active).map(with_calls) };
    }
    let same_code = context.builds.same_code(&caller.ids);
    EnteredBy::Caller { name: caller.row.name.to_string(), same_code, is_unnamed: caller.row.unresolved }
}

/// The only function that calls another in the code of a side's build and whose code differs, by more than the layout of a record.
fn changed_caller<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>, side: Side) -> Option<&'c Case<'a>> {
    let census = context.builds.census(side)?;
    let callers = case.ids[side].iter().flat_map(|id| census.calls_to(*id)).map(|edge| edge.caller);
    let callers = callers.filter_map(|id| {
        let function = census.function(id)?;
        context.case(function.name(), &case.row.object, function.file())
    });
    let mut changed: Vec<&Case<'_>> = callers
        .filter(|of| context.builds.same_code(&of.ids) == Some(false) && !context.has_like_code(of))
        .collect();
    changed.sort_by_key(|of| context.row_number(of.row));
    changed.dedup_by_key(|of| context.row_number(of.row));
    changed.pop().filter(|_| changed.is_empty())
}

/// Whether the idle run may have entered the function and its chains lost it: what it calls in the code has samples
/// there, under callers that do not call it. Any sample is enough if it leaves by a jump, because no stack shows it then.
fn is_lost(context: &Context<'_>, case: &Case<'_>, idle: Side) -> bool {
    let calls = context.calls_from(case.row, idle.other()).into_iter();
    let mut callees = calls.filter_map(|call| context.callee(call));
    if callees.any(|callee| context.is_hidden_by_jump(case, callee, idle)) {
        return true;
    }
    let active_pct = case.row.side(idle.other()).total_pct;
    let lost_pp = lost_pp(context, case, idle, |callee| context.lost_from(case, callee, idle));
    lost_pp > 0.0 && FACTOR * lost_pp >= active_pct
}

/// The most that a side's chains may have lost of one callee of the function, by a measure of that.
pub(super) fn lost_pp<'c, 'a>(
    context: &'c Context<'a>,
    case: &Case<'_>,
    side: Side,
    of_callee: impl Fn(&'c Case<'a>) -> f64,
) -> f64 {
    let Some(census) = context.builds.census(side) else { return 0.0 };
    let places = places(census, &case.ids[side]);
    let callees = places.iter().flat_map(|id| census.calls_from(*id)).map(|edge| edge.callee);
    let callees = callees.filter_map(|id| {
        let function = census.function(id)?;
        context.case(function.name(), &case.row.object, function.file())
    });
    callees.map(of_callee).fold(0.0, f64::max)
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
