//! A function that hardly a sample is in, and that stacks show only between code without names, need not have run: what unwinders make
//! of code without frames, as that which throws exceptions, looks like that. Nothing certain is said of its total.

use pdiff_profile::Side;

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::compare::SampledCall;

/// This part of the function's total is above code without names, and as much of it below such code.
const MOST: f64 = 0.9;

/// A function with less of its total in its own code need not have run.
const HARDLY: f64 = 0.01;

pub(super) fn limited(context: &Context<'_>, case: &Case<'_>, finding: Finding) -> Finding {
    let row = case.row;
    let side = if row.delta_total_pp() > 0.0 { Side::After } else { Side::Before };
    let of = row.side(side);
    let is_change = finding.cause != Cause::Noise && finding.judged == Judged::Total && !row.unresolved;
    if !is_change || of.self_pct.max(of.booked_self_pct) > HARDLY * of.total_pct {
        return finding;
    }
    let unknown_pct = |calls: Vec<&SampledCall>, is_unknown: &dyn Fn(&SampledCall) -> bool| -> f64 {
        let unknown = calls.into_iter().filter(|call| is_unknown(call));
        unknown.map(|call| share_pct(row, side, call.weight(side))).sum()
    };
    let is_unnamed = |of: Option<&Case<'_>>| of.is_some_and(|of| of.row.unresolved);
    let below = unknown_pct(context.calls_from(row, side), &|call| is_unnamed(context.callee(call)));
    let above = unknown_pct(context.calls_to(row, side), &|call| is_unnamed(context.caller(call)));
    match below.min(above) >= MOST * of.total_pct {
        true => finding.limited(Confidence::Unclear, Limit::BetweenUnknown),
        false => finding,
    }
}
