//! `R-callers`: the function's code is the same on both sides, and no callee explains its change. The change comes from its
//! callers.

use pdiff_profile::Side;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;

use super::memory_users::changed_users;

/// How many callers are named.
const NAMED: usize = 3;

/// The part of the change that must be under callers that are known.
const EXPLAINING_PART: f64 = 0.5;

/// Whether the change of a library's function is under functions that are not of libraries, at least in part.
fn callers_of_program(context: &Context<'_>, case: &Case<'_>, delta_pp: f64) -> bool {
    context.calls_to(case.row, Side::After).into_iter().any(|call| {
        let pct = |side| share_pct(case.row, side, call.weight(side));
        let is_of_it = (pct(Side::After) - pct(Side::Before)) * delta_pp > 0.0;
        is_of_it && context.caller(call).is_some_and(|caller| caller.of_program || !caller.of_same_file)
    })
}

/// The result for a function whose change no callee explains.
pub(super) fn finding(context: &Context<'_>, case: &Case<'_>, judged: Judged) -> Option<Finding> {
    let row = case.row;
    let of_library = !case.of_program && case.of_same_file;
    if !of_library && context.builds.same_code(&case.ids) != Some(true) {
        return None;
    }
    let delta_pp = judged.delta_pp(row);
    let mut callers: Vec<(String, f64)> = (context.calls_to(row, Side::After).into_iter())
        .filter(|call| context.caller(call).is_some_and(|caller| !caller.row.unresolved))
        .map(|call| {
            let pct = |side| share_pct(row, side, call.weight(side));
            (call.caller.clone(), pct(Side::After) - pct(Side::Before))
        })
        .filter(|(_, change_pp)| change_pp * delta_pp > 0.0)
        .collect();
    callers.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
    let known_pp: f64 = callers.iter().map(|(_, change_pp)| change_pp.abs()).sum();
    if !of_library && known_pp < EXPLAINING_PART * delta_pp.abs() {
        return None;
    }
    callers.truncate(NAMED);
    let cause = if delta_pp > 0.0 { Cause::Heavier } else { Cause::Lighter };
    let reason = Reason::CallersChanged { judged, delta_pp, callers: callers.clone() };
    let mut finding = Finding::new("R-callers", cause, judged, reason);
    finding.callers = callers.into_iter().map(|(caller, _)| caller).collect();
    let is_inside = of_library && !callers_of_program(context, case, delta_pp);
    let finding = match is_inside || known_pp < EXPLAINING_PART * delta_pp.abs() {
        true => {
            let more = if delta_pp > 0.0 { Side::After } else { Side::Before };
            let users = changed_users(context, case, more);
            finding.limited(Confidence::Unclear, users.unwrap_or(Limit::UnknownCallers))
        }
        false => finding.limited(Confidence::Likely, Limit::InCallers),
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}
