//! `R-below`: most of the function's growth is under a function that a caller now also calls (`R-edge`, `R-fast-path`, `R-more-calls`). It
//! is part of that finding, not a separate one.
//!
//! The search goes up along the callers that have most of the growth. If the before run entered the function too, its code
//! must be the same, or else the growth may be its own. The code of a function that is only inlined is that of the function
//! that contains it; a function of a library has the same code if the library is the same file.

use pdiff_profile::{PerSide, Side};

use super::newly_active::FACTOR;
use super::weight::place;
use super::{edge, goes_on, inline_flip, more_calls, per_operation, unseen_call};
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::noise::FLOOR_PP;

/// The part of a function's growth that must be under one caller.
const EXPLAINING_PART: f64 = 0.5;

/// How many callers in a row are looked at.
const DEEPEST: usize = 8;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let is_known = case.of_program || case.of_same_file;
    if !per_operation::has_grown(row) || !is_known || row.unresolved || !is_entered_anew(context, case) {
        return None;
    }
    // Counts of its own calls tell more.
    if more_calls::rule(context, case, flipped).is_some() {
        return None;
    }
    let (mut below, mut part) = (case, 1.0);
    for _ in 0..DEEPEST {
        let (caller, under) = growing_caller(context, below)?;
        part *= under;
        // What costs more in place of its copies is no way that is taken more.
        if part < EXPLAINING_PART || inline_flip::has_flipped(context, caller) {
            return None;
        }
        let entered =
            edge::rule(context, caller, flipped).or_else(|| unseen_call::rule(context, caller, flipped));
        if let Some(entered) = entered {
            let function = Some(caller.row.name.to_string());
            let by = entered.callers.first().cloned().unwrap_or_default();
            return Some(finding(context, case, (function, by), &entered, part));
        }
        // A setting or the data may have chosen what one run alone entered, unless the builds are a patch apart.
        let may_go_on = context.is_patched && case.is_sampled(Side::Before);
        let goes_on = may_go_on.then(|| goes_on::rule(context, caller, flipped)).flatten();
        if let Some(entered) = goes_on.filter(|goes_on| names(&goes_on.reason, &below.row.name)) {
            let function = (below.row.name != row.name).then(|| below.row.name.to_string());
            return Some(finding(context, case, (function, caller.row.name.to_string()), &entered, part));
        }
        let counted = more_calls::rule(context, caller, flipped);
        if let Some((counted, by)) = counted.and_then(|of| of.callers.first().cloned().map(|by| (of, by))) {
            let function = Some(caller.row.name.to_string());
            return Some(finding(context, case, (function, by), &counted, part));
        }
        below = Some(caller).filter(|caller| is_entered_anew(context, caller))?;
    }
    None
}

/// The finding that the case is part of: that `caller` now also calls a function, which is the case itself if it is `None`.
fn finding(
    context: &Context<'_>,
    case: &Case<'_>,
    (function, caller): (Option<String>, String),
    entered: &Finding,
    part: f64,
) -> Finding {
    let named = function.clone().unwrap_or_else(|| caller.clone());
    let reason = Reason::Below { function, caller, grown_pp: part * grown_pp(context, case) };
    let mut finding = Finding::new("R-below", entered.cause, Judged::Total, reason);
    finding.callers = vec![named];
    let (at_most, _) = entered.confidence();
    let finding = finding.limited(at_most.min(Confidence::Likely), Limit::InCallers);
    gates::inlining_ruled_out(gates::common(finding, case), context, case)
}

/// Whether a lost fast path goes on to the function.
fn names(goes_on: &Reason, function: &str) -> bool {
    match goes_on {
        Reason::GoesOn { callees, .. } => callees.iter().any(|callee| callee == function),
        Reason::GoesOnMore { callee, .. } | Reason::OwnWorkCalled { callee, .. } => callee == function,
        _ => false,
    }
}

/// Whether the growth is that of calls: the before run hardly entered it, or its code is the same.
fn is_entered_anew(context: &Context<'_>, case: &Case<'_>) -> bool {
    let row = case.row;
    let is_library = !case.of_program && case.of_same_file;
    row.after.total_pct >= FACTOR * row.before.total_pct
        || is_library
        || case.is_stub()
        || context.has_like_code(case)
        || place(context, case).is_some_and(|place| context.has_like_code(place))
}

fn grown_pp(context: &Context<'_>, case: &Case<'_>) -> f64 {
    context.common_shift.own_change_pp(case.row.before.total_pct, case.row.after.total_pct)
}

/// The caller under which the function grew most, and the part of its growth that is there.
fn growing_caller<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<(&'c Case<'a>, f64)> {
    let whole_pp = grown_pp(context, case);
    if whole_pp < FLOOR_PP {
        return None;
    }
    let grown = context.calls_to(case.row, Side::After).into_iter().filter_map(|call| {
        let PerSide { before, after } = PerSide::from_fn(|side| share_pct(case.row, side, call.weight(side)));
        Some((context.caller(call)?, context.common_shift.own_change_pp(before, after) / whole_pp))
    });
    let most = grown.reduce(|most, next| if next.1 > most.1 { next } else { most });
    most.map(|(caller, part)| (caller, part.min(1.0)))
}
