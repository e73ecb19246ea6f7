//! `R-inline-lost-caller` and `R-inline-gained-caller`: the caller of a flipped function got lighter by the code that moved out, or heavier by
//! the code that moved in. That is no cost of its own. If nothing but samples of its own lines moved, and not those of its code, debug
//! lines of copies may be why.

use pdiff_profile::Side;

use super::FlippedCallers;
use super::code_counts::code_bytes;
use super::edge;
use super::flipped_callee::FlippedCallee;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::compare::Row;

/// The part of a change of self by symbol that must be known to have moved.
const EXPLAINING_PART: f64 = 0.25;

/// It is that of the inlining for sure if this part of it was seen to move.
const EXPLAINED_PART: f64 = 0.5;

/// What has this part of its change in copies of it is not known by its own code alone.
const COPIED_PART: f64 = 0.1;

/// A caller may lose up to so many times what its flipped callees gained; what is beyond is its own.
const CALLER_FACTOR: f64 = 2.0;

/// A caller that a flipped function left or entered.
pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    by_symbol(context, case, flipped).or_else(|| by_lines(context, case, flipped))
}

/// A caller whose own lines have the samples that copies of a function had, or the other way round: compilers load for a call what the copy
/// loaded itself. The family costs the same, or all of the caller's code does, as far as is known, and the copies or the calls have most
/// of what the lines changed by.
fn by_lines(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let (row, number) = (case.row, context.row_number(case.row)?);
    let cost = flipped.costs.whole.get(&number)?;
    if !row.significant || !case.of_program {
        return None;
    }
    let change_pp = row.delta_self_pp();
    let inlined_on = if change_pp > 0.0 { Side::Before } else { Side::After };
    let left: Vec<_> =
        flipped.callees.get(&number)?.iter().filter(|callee| callee.inlined_on == inlined_on).collect();
    let explains = |moved_pp: f64| moved_pp.abs() >= EXPLAINED_PART * change_pp.abs();
    let rows = left.iter().filter_map(|callee| Some(context.cases.get(callee.row)?.row));
    let moved_pp: f64 = rows.map(Row::delta_self_pp).sum();
    let between = moved_between(context, case, &left);
    let shown_pp = between.iter().map(|(copied, called)| copied.max(*called)).sum::<f64>();
    // Code that got longer where copies left it does more itself. Self by symbol is not all of the code of what is copied elsewhere.
    let bytes = code_bytes(context, case);
    let is_shorter = bytes[inlined_on.other()] < bytes[inlined_on];
    let has_copies = Side::BOTH.into_iter().any(|side| {
        let of = row.side(side);
        of.x_pct() - of.booked_self_pct > COPIED_PART * change_pp.abs()
    });
    let limit = if !cost.is_more() && !cost.is_less() && moved_pp * change_pp < 0.0 && explains(moved_pp) {
        Limit::LittleMoved(moved_pp.abs())
    } else if !row.booked.significant && explains(shown_pp) && is_shorter && !has_copies {
        Limit::OnlyLinesChanged(change_pp)
    } else {
        return None;
    };
    let name = |callee: &&FlippedCallee| Some(context.cases.get(callee.row)?.row.name.to_string());
    let callees = left.iter().filter_map(name).collect();
    let rule_id = caller_rule(inlined_on);
    let reason = Reason::CalleesFlipped { callees, inlined_on, booked_pp: row.delta_booked_pp() };
    let finding = Finding::new(rule_id, Cause::InlineChange, Judged::OwnSelf, reason);
    let finding = finding.limited(Confidence::Likely, limit);
    Some(gates::one_compiler(gates::common(finding, case), context, case))
}

fn caller_rule(inlined_on: Side) -> &'static str {
    match inlined_on {
        Side::Before => "R-inline-lost-caller",
        Side::After => "R-inline-gained-caller",
    }
}

fn by_symbol(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    if !row.booked.significant || !case.of_program {
        return None;
    }
    let inlined_on = if row.delta_booked_pp() < 0.0 { Side::Before } else { Side::After };
    let of_row = flipped.callees.get(&context.row_number(row)?)?;
    let left: Vec<_> = of_row.iter().filter(|callee| callee.inlined_on == inlined_on).collect();
    let moved_pp: f64 = left.iter().map(|callee| callee.delta_booked_pp.abs()).sum();
    let moved = moved_between(context, case, &left);
    let shown_pp = moved.iter().map(|(copied, called)| copied.max(*called)).sum::<f64>();
    let change_pp = row.delta_booked_pp().abs();
    if left.is_empty() || change_pp > CALLER_FACTOR * moved_pp || shown_pp < EXPLAINING_PART * change_pp {
        return None;
    }
    // Its total contains what it calls and what is inlined into it alike: if a caller calls it more, that is not the inlining.
    if edge::rule(context, case, flipped).is_some() {
        return None;
    }
    let rule_id = caller_rule(inlined_on);
    let name = |callee: &&FlippedCallee| Some(context.cases.get(callee.row)?.row.name.to_string());
    let callees = left.iter().filter_map(name).collect();
    let reason = Reason::CalleesFlipped { callees, inlined_on, booked_pp: row.delta_booked_pp() };
    // It got lighter, or heavier, by what left or entered it: that is not a cost of its own.
    let mut finding = Finding::new(rule_id, Cause::InlineChange, Judged::Booked, reason);
    if shown_pp < EXPLAINED_PART * change_pp {
        finding = finding.limited(Confidence::Likely, Limit::LittleMoved(shown_pp));
    } else if does_other_work(context, row, &moved) {
        let own_pp = row.delta_self_pp();
        finding = finding.limited(Confidence::Likely, Limit::OwnLinesChanged(own_pp));
    }
    let seen: Vec<_> = left.into_iter().filter(|callee| callee.is_seen_called).collect();
    let moved = moved_between(context, case, &seen);
    let seen_pp = moved.iter().map(|(copied, called)| copied.max(*called)).sum::<f64>();
    if seen_pp < EXPLAINED_PART * shown_pp {
        finding = finding.limited(Confidence::Likely, Limit::LostCaller);
    }
    Some(gates::one_compiler(gates::common(finding, case), context, case))
}

/// Whether a caller's own lines account for a part of the change of its code, beyond what samples of copies of its callees can have
/// counted for these lines.
fn does_other_work(context: &Context<'_>, row: &Row, moved: &[(f64, f64)]) -> bool {
    let (before, after) = Judged::OwnSelf.shares(row);
    let (own_pp, change_pp) = (context.common_shift.own_change_pp(before, after), row.delta_booked_pp());
    let of_copies: f64 = moved.iter().map(|(copied, called)| (called - copied).max(0.0)).sum();
    let is_telling = own_pp.abs() - of_copies >= EXPLAINING_PART * change_pp.abs();
    row.significant && own_pp * change_pp > 0.0 && is_telling
}

/// The weight that is known to have moved between a caller and each of flipped callees: that of the copies in the caller on one side,
/// and the callees' own under it on the other, or of chains that lost their caller.
fn moved_between(context: &Context<'_>, caller: &Case<'_>, callees: &[&FlippedCallee]) -> Vec<(f64, f64)> {
    let is_caller = |row: &Row| std::ptr::eq(row, caller.row);
    let moved = |callee: &&FlippedCallee| {
        let of = context.cases.get(callee.row)?;
        let (inlined_on, called_on) = (callee.inlined_on, callee.inlined_on.other());
        let copies = of.row.inlined_into(inlined_on).iter().filter(|copy| {
            context.program_row(&copy.caller, copy.caller_file.as_deref()).is_some_and(is_caller)
        });
        let copied: f64 = copies.map(|copy| share_pct(of.row, inlined_on, copy.weight)).sum();
        let calls = context.calls_to(of.row, called_on).into_iter();
        let by_caller = calls.filter(|call| context.caller(call).is_some_and(|by| is_caller(by.row)));
        let called: f64 = by_caller.map(|call| share_pct(of.row, called_on, call.weight(called_on))).sum();
        let own = of.row.side(called_on).booked_self_pct;
        Some((copied, own.min(called + context.orphaned_pct(of, called_on))))
    };
    callees.iter().filter_map(moved).collect()
}
