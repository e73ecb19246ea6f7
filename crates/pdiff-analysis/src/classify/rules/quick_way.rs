//! `R-quick-way`: a variant for the common case is gone, and the general function, which both builds have with the same code, does its
//! work at more cost. The function that contained or called the variant calls the general one in the code of both builds. Or a function
//! that called the variant, which nothing calls any more, does its work itself.
//!
//! [`super::succession`] finds two functions of which one left its weight to the other. If the two cost the same, the work moved. Samples
//! do not tell whether the general function does the variant's work, or more of its own: it is proved only of a general function, and only
//! if the code of both builds shows that a condition is gone that chose between the two, and what asks for the work runs as before.

use pdiff_profile::{PerSide, Side};

use super::called_as_often::{own_lines_at_most, own_times_at_most};
use super::code_counts::{all_calls_in_code, calls_in_code, code_bytes, is_called_more, is_told_by_calls};
use super::done_elsewhere::{is_done_elsewhere, went_elsewhere};
use super::newly_active::FACTOR;
use super::own_work;
use super::path_proof::OTHER_TIMES;
use super::succession::net_pp;
use super::ways_around::{fewer_ways_around, is_asked_above};
use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::classify::succession::successions;
use crate::noise::FLOOR_PP;

/// The two must cost more by this part of what the variant cost: else another name does the same work.
const MORE_PART: f64 = 0.5;

/// So many samples tell that a variant was taken.
const FEW_SAMPLES: u64 = 10;

/// So much of what the variant did must be on the ways that are gone: else these led to something else.
const VARIANT_PART: f64 = 0.25;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    general(context, case, flipped)
        .or_else(|| by_itself(context, case))
        .or_else(|| own_work::instead(context, case))
}

/// What is said of a general function that does the work of variants that are gone.
fn general(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    let row = case.row;
    let is_general = case.held_by(Side::Before) == InBuild::Yes
        && context.has_like_code(case)
        && row.after.total_pct >= FACTOR * row.before.total_pct;
    let number = context.row_number(row).filter(|_| is_general)?;
    let set = successions(context, flipped).of_row(number)?;
    if set.after != [number] {
        return None;
    }
    let of_set = set.before.iter().filter(|before| **before != number);
    let variants: Vec<&Case<'_>> = of_set.filter_map(|before| context.cases.get(*before)).collect();
    let are_gone = variants.iter().all(|variant| variant.held_by(Side::After) == InBuild::No);
    let gone_pct: f64 = variants.iter().map(|variant| variant.row.before.total_pct).sum();
    let net_pp = net_pp(context, set);
    // A function that is called from more places now has more work.
    let calls = PerSide::from_fn(|side| all_calls_in_code(context, case, side));
    let is_called_as_before = calls.before > 0 && calls.after <= calls.before;
    if variants.is_empty()
        || !are_gone
        || !is_called_as_before
        || net_pp < FLOOR_PP
        || net_pp < MORE_PART * gone_pct
    {
        return None;
    }
    let takers: Vec<&Case<'_>> =
        variants.iter().map(|variant| taker(context, variant, case)).collect::<Option<_>>()?;
    let caller = takers.first()?;
    // What it calls may cost more for another reason.
    let own_pp = context.common_shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    let is_elsewhere = takers.iter().any(|taker| went_elsewhere(context, taker, case, gone_pct));
    if own_pp < MORE_PART * net_pp || is_elsewhere {
        return None;
    }
    let pct = PerSide::new(gone_pct + row.before.total_pct, row.after.total_pct);
    // Several variants may have been chosen by one condition, of which only one was a quick one.
    let proof = || {
        let [variant] = &*variants else { return None };
        let of_variant = variant.row.before.samples as f64;
        let ways =
            fewer_ways_around(context, caller, case, |taken, _| taken as f64 >= VARIANT_PART * of_variant)?;
        let is_sure = is_called_more(context, case)
            && is_told_by_calls(context, case)
            && runs_as_before(context, caller, pct)
            && !is_asked_above(context, caller);
        if !is_sure {
            return None;
        }
        let (caller, callee) = (caller.row.name.to_string(), row.name.to_string());
        Some(Fact::FewerWaysAround { caller, callee, ways })
    };
    Some(finding((case, judged), &variants, Some(caller), pct, proof()))
}

/// What is said of a function that called a variant before, which nothing calls any more, and does its work in its own code. That has no
/// more bytes, so that it is the code of the general case, and not the variant's.
fn by_itself(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let judged = changed(case)?;
    let (row, builds) = (case.row, &context.builds);
    let bytes = code_bytes(context, case);
    let has_no_more_code = bytes.after > 0 && bytes.after <= bytes.before;
    let is_grown = row.after.self_pct >= FACTOR * row.before.self_pct;
    if !context.is_patched || builds.same_code(&case.ids) != Some(false) || !has_no_more_code || !is_grown {
        return None;
    }
    let census = builds.census(Side::Before)?;
    let called = case.ids.before.iter().flat_map(|id| census.calls_from(*id)).map(|edge| edge.callee);
    let called = called.filter_map(|id| {
        let function = census.function(id)?;
        context.case(function.name(), &row.object, function.file())
    });
    let is_variant = |variant: &&Case<'_>| {
        variant.row.total.samples(Side::Before) >= FEW_SAMPLES
            && !variant.is_sampled(Side::After)
            && all_calls_in_code(context, variant, Side::After) == 0
    };
    let mut variants: Vec<&Case<'_>> = Vec::new();
    for variant in called.filter(is_variant) {
        // Several parts of the function may call it.
        if !variants.iter().any(|known| std::ptr::eq(known.row, variant.row)) {
            variants.push(variant);
        }
    }
    // What of a variant is in the stacks of the function is no more than the variant, so both are summed by what each does itself.
    let gone_pct: f64 = variants.iter().map(|variant| variant.row.before.self_pct).sum();
    let net_pp = context.common_shift.own_change_pp(row.before.self_pct + gone_pct, row.after.self_pct);
    if variants.is_empty()
        || FACTOR * gone_pct < row.after.self_pct
        || net_pp < FLOOR_PP
        || net_pp < MORE_PART * gone_pct
    {
        return None;
    }
    if is_done_elsewhere(context, case, gone_pct) {
        return None;
    }
    let pct = PerSide::new(row.before.self_pct + gone_pct, row.after.self_pct);
    Some(finding((case, judged), &variants, None, pct, None))
}

/// Whether a function that asks for the work does not run so much more that this explains what the work costs more.
fn runs_as_before(context: &Context<'_>, caller: &Case<'_>, pct: PerSide<f64>) -> bool {
    let times = pct.after / (context.common_shift.factor() * pct.before);
    // The caller's code may contain the variant on one side: only its own lines are the same on both.
    let own = [own_times_at_most(context, caller), own_lines_at_most(context, caller)];
    own.into_iter().all(|own| own.is_some_and(|own| OTHER_TIMES * own <= times))
}

/// What is said of a function, and of the variants that it and `caller` did without, with what they cost together.
fn finding(
    (case, judged): (&Case<'_>, Judged),
    variants: &[&Case<'_>],
    caller: Option<&Case<'_>>,
    pct: PerSide<f64>,
    proof: Option<Fact>,
) -> Finding {
    let name = |of: &Case<'_>| of.row.name.to_string();
    let reason = Reason::QuickWayGone {
        gone: variants.iter().map(|variant| name(variant)).collect(),
        caller: caller.map(name),
        pct,
    };
    let mut finding = Finding::new("R-quick-way", Cause::MissingFastPath, judged, reason);
    finding.callers = caller.into_iter().map(name).collect();
    let finding = match proof {
        Some(proof) => finding.with([proof]),
        None => finding.limited(Confidence::Likely, Limit::PathNotCounted),
    };
    gates::common(finding, case)
}

/// The function that took a variant before, inlined or by a call, mostly, if it calls the general function in the code of both builds.
fn taker<'c, 'a>(context: &'c Context<'a>, variant: &Case<'_>, general: &Case<'_>) -> Option<&'c Case<'a>> {
    let copies = variant.row.inlined_into(Side::Before).iter().max_by_key(|copy| copy.weight);
    let holder =
        copies.and_then(|copy| context.case(&copy.caller, &variant.row.object, copy.caller_file.as_deref()));
    let by_call = || {
        let calls = context.calls_to(variant.row, Side::Before).into_iter();
        calls.max_by_key(|call| call.before).and_then(|call| context.caller(call))
    };
    let calls = |taker: &&Case<'_>| {
        Side::BOTH.into_iter().all(|side| calls_in_code(context, taker, general, side) > 0)
    };
    holder.or_else(by_call).filter(calls)
}
