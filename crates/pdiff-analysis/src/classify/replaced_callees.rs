//! New code that mostly leads to code that took the place of other code is no more certain than that: what it costs may have been
//! there before. The same for code that is gone.

use pdiff_profile::Side;
use rustc_hash::FxHashMap;

use super::case::{Case, share_pct};
use super::cause::{Cause, Confidence};
use super::context::Context;
use super::limit::Limit;
use super::rules::has_no_body;
use super::verdict::Verdict;

/// The part of a function's total in such callees that makes it doubtful.
const MOST: f64 = 0.5;

/// Limits verdicts on new and vanished code, of rows by number, by those on what they call.
pub(super) fn limit_leading(context: &Context<'_>, rows: &[usize], verdicts: &mut [Verdict]) {
    let place: FxHashMap<usize, usize> = rows.iter().copied().zip(0..).collect();
    // Each round settles what is a call further up.
    loop {
        let leads = |(row, verdict): (&usize, &Verdict)| {
            let case = context.cases.get(*row).filter(|_| is_new_for_certain(verdict));
            case.is_some_and(|case| {
                leads_to_replaced(context, case, |callee| {
                    place.get(&callee).and_then(|at| verdicts.get(*at)).is_some_and(may_be_old)
                })
            })
        };
        let leading: Vec<usize> =
            (0..).zip(rows.iter().zip(&*verdicts)).filter(|(_, of)| leads(*of)).map(|(at, _)| at).collect();
        if leading.is_empty() {
            return;
        }
        for at in leading {
            if let Some(verdict) = verdicts.get_mut(at) {
                verdict.confidence = Confidence::Likely;
                verdict.limited_by = Some(Limit::ReplacedCallees);
            }
        }
    }
}

fn is_new_for_certain(verdict: &Verdict) -> bool {
    matches!(verdict.cause, Cause::NewOverhead | Cause::Gone) && verdict.confidence == Confidence::Proved
}

/// Whether a verdict says that a function's weight was, or may have been, another one's.
fn may_be_old(verdict: &Verdict) -> bool {
    let may_be_other = matches!(
        verdict.limited_by,
        Some(
            Limit::LosingKin
                | Limit::LikeShare { .. }
                | Limit::VanishedCopy { .. }
                | Limit::CalledInstead { .. }
                | Limit::OtherInstance { .. }
                | Limit::ReplacedCallees
        )
    );
    match verdict.cause {
        Cause::Moved | Cause::Split | Cause::Merged => true,
        Cause::NewOverhead | Cause::Gone => may_be_other,
        _ => false,
    }
}

/// Whether most of a function's total is under callees of which that is said.
fn leads_to_replaced(context: &Context<'_>, case: &Case<'_>, is_replaced: impl Fn(usize) -> bool) -> bool {
    let Some(with) = Side::BOTH.into_iter().find(|side| case.is_sampled(*side)) else { return false };
    // What is inlined in it is its own code.
    let is_called =
        |callee: &&Case<'_>| !std::ptr::eq(callee.row, case.row) && !has_no_body(context, callee, with);
    let replaced = context.calls_from(case.row, with).into_iter().filter(|call| {
        let callee = context.callee(call).filter(is_called);
        callee.and_then(|callee| context.row_number(callee.row)).is_some_and(&is_replaced)
    });
    let below: f64 = replaced.map(|call| share_pct(case.row, with, call.weight(with))).sum();
    below >= MOST * case.row.side(with).total_pct
}
