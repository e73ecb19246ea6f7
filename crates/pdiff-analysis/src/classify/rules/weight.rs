//! `R-heavier` and `R-lighter`: in both builds, self changed, and no other rule gave a cause.

use pdiff_profile::{PerSide, Side};

use super::changed_above::changed_above;
use super::code_counts::{
    all_calls_in_code, calls_in_code, copies_in_code, is_in_other_form, is_inlined_only,
};
use super::cost_per_call::cost_per_call;
use super::edge;
use super::memory_users::changed_users;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::reason::{Reason, SelfChange};
use crate::classify::rules::FlippedCallers;
use crate::compare::{CostExtent, Row, SampledCall};

/// The first measure that changed: self, then self by symbol, then total.
pub(super) fn changed(case: &Case<'_>) -> Option<Judged> {
    Judged::ALL.iter().copied().find(|measure| measure.is_significant(case.row))
}

/// A change of self tells nothing of a function whose total moved the other way by so many times as much.
const AGAINST_TOTAL: f64 = 4.0;

/// A function whose total changed by at most this part of what its own code did costs the same as a whole.
const KEPT_TOTAL: f64 = 0.35;

/// What a function called has left it if it has so many times less there.
const LEFT_FACTOR: f64 = 5.0;

/// The part of a change that must be under callers whose code differs, for these to be a possible reason.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    let shift = context.common_shift;
    let is_shifted = shift.explains(row, Judged::OwnSelf) || shift.explains_own_code(row);
    if !row.significant || is_shifted || is_against_total(context, row) {
        return None;
    }
    let delta_pp = row.delta_self_pp();
    let (more, less) = more_and_less(delta_pp);
    let (rule_id, cause) = match more {
        Side::After => ("R-heavier", Cause::Heavier),
        Side::Before => ("R-lighter", Cause::Lighter),
    };
    let same_code = has_same_code(context, case);
    let code = match (same_code, case.is_sampled(less)) {
        (true, _) => SelfChange::SameCode,
        (false, false) => SelfChange::OneSided,
        (false, true) => SelfChange::InBoth,
    };
    let under = same_code.then(|| changed_caller(context, case)).flatten();
    let callers: Vec<String> = under.iter().map(|(caller, _)| caller.clone()).collect();
    let reason = Reason::SelfChanged { self_pp: delta_pp, code, under };
    let mut finding = Finding::new(rule_id, cause, Judged::OwnSelf, reason).with(new_callees(context, case));
    finding.callers = callers;
    if !case.is_sampled(less) {
        finding = finding.limited(Confidence::Unclear, Limit::NoSample(less));
    }
    if is_exchanged_with_callees(context, case, more) {
        finding = finding.limited(Confidence::Unclear, Limit::SameTotal);
    }
    let finding = if same_code && !is_called_by_changed_code(context, case, flipped, more) {
        unchanged(finding, context, case, flipped, more)
    } else if same_code && context.is_patched && !may_be_called_more(context, case, more) {
        // Unclear, unless it follows from a change of what calls it (`consequence`).
        finding.limited(Confidence::Likely, Limit::SameCalls)
    } else if is_only_relaid(context, case, flipped, more) {
        // So is this.
        finding.limited(Confidence::Likely, Limit::Relaid)
    } else if !is_told_by_places(context, case, flipped, more) {
        finding.limited(Confidence::Likely, Limit::SamePlaces)
    } else {
        cost_per_call(finding, context, case, same_code)
    };
    Some(gates::inlining_ruled_out(gates::common(finding, case), context, case))
}

/// The function of the program, with other code than before, that has most of the change of a function under it, and how much of it.
fn changed_caller(context: &Context<'_>, case: &Case<'_>) -> Option<(String, f64)> {
    let (row, shift) = (case.row, context.common_shift);
    let whole_pp = shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    let side = if whole_pp > 0.0 { Side::After } else { Side::Before };
    let under = context.calls_to(row, side).into_iter().filter_map(|call| {
        let caller = context.caller(call).filter(|caller| caller.of_program && !caller.row.unresolved)?;
        // A record of another layout is no reason to call it more.
        let has_other_code = (context.builds.same_code(&caller.ids) == Some(false)
            && !context.is_relaid(caller))
            || is_in_other_form(context, caller).is_some();
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        has_other_code.then(|| (caller.row.name.to_string(), shift.own_change_pp(pct.before, pct.after)))
    });
    let most = under.max_by(|a, b| (a.1 * whole_pp).total_cmp(&(b.1 * whole_pp)))?;
    (most.1 * whole_pp >= EXPLAINING_PART * whole_pp * whole_pp).then_some(most)
}

/// Whether the function as a whole changed the other way, and by much more than its own code: what it calls is its change.
fn is_against_total(context: &Context<'_>, row: &Row) -> bool {
    let own = |(before, after): (f64, f64)| context.common_shift.own_change_pp(before, after);
    let (self_pp, total_pp) = (own(Judged::OwnSelf.shares(row)), own(Judged::Total.shares(row)));
    row.total.significant && self_pp * total_pp < 0.0 && total_pp.abs() > AGAINST_TOTAL * self_pp.abs()
}

/// Whether the function as a whole costs the same, or changed the other way, and what it called on the side with less of its own code,
/// and hardly does on the other, is as much as its own code changed: that may be a part of the other. What is the same code, and has
/// more under the function on that side, is called more there.
fn is_exchanged_with_callees(context: &Context<'_>, case: &Case<'_>, more: Side) -> bool {
    let (row, shift) = (case.row, context.common_shift);
    let own = |(before, after): (f64, f64)| shift.own_change_pp(before, after);
    let (self_pp, total_pp) = (own(Judged::OwnSelf.shares(row)), own(Judged::Total.shares(row)));
    let has_total_changed = row.total.significant || total_pp.abs() > KEPT_TOTAL * self_pp.abs();
    let is_against = total_pp * self_pp < 0.0;
    if (has_total_changed && !is_against) || has_same_code(context, case) {
        return false;
    }
    let left = context.calls_from(row, more.other()).into_iter().map(|call| {
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        let pct = PerSide::new(shift.factor() * pct.before, pct.after);
        let is_same = || context.callee(call).is_some_and(|callee| has_same_code(context, callee));
        let has_left = pct[more.other()] >= LEFT_FACTOR * pct[more] || is_same();
        if has_left { (pct[more.other()] - pct[more]).max(0.0) } else { 0.0 }
    });
    left.sum::<f64>() >= EXPLAINING_PART * self_pp.abs()
}

/// A change of the same code that no changed function calls in the stacks: unclear, for a reason that is true.
pub(super) fn unchanged(
    finding: Finding,
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
) -> Finding {
    match is_called_by(context, case, flipped, more, CallerCode::WithPlaces) {
        true if has_more_uses(context, case, &places(context, case), more) => {
            finding.limited(Confidence::Unclear, Limit::CallsOrCost)
        }
        // Unclear, unless it follows from a change of what calls it (`consequence`).
        true => finding.limited(Confidence::Likely, Limit::SameCalls),
        false => {
            let around = places(context, case);
            let functions = if around.is_empty() { vec![case] } else { around };
            // The caller that has most of the change is named before one further up that may be above another caller.
            let main = finding.callers.first().map(|main| Limit::ChangedAbove { function: main.clone() });
            let above = main
                .or_else(|| changed_above(context, functions, flipped, more))
                .or_else(|| changed_users(context, case, more));
            let unchanged = match has_known_callers(context, case, more) {
                true => Limit::NothingChanged,
                false => Limit::UnknownCallers,
            };
            finding.limited(Confidence::Unclear, above.unwrap_or(unchanged))
        }
    }
}

/// Whether the stacks of a side show callers of most of a function's weight; frame pointers lose those of libraries without frames.
fn has_known_callers(context: &Context<'_>, case: &Case<'_>, side: Side) -> bool {
    let calls = context.calls_to(case.row, side).into_iter();
    let known: f64 = calls.map(|call| share_pct(case.row, side, call.weight(side))).sum();
    case.of_program || known >= EXPLAINING_PART * case.row.side(side).total_pct
}

/// Whether the code that runs is the same in both builds: the function's own, that of a stub or of a library that is the same
/// file, or that of a function that contains a copy, where there are only copies: if the source of the copies were another one,
/// the code of all these functions would differ. Of builds a patch apart, the sources of system and language libraries are
/// the same.
pub(in crate::classify) fn has_same_code(context: &Context<'_>, case: &Case<'_>) -> bool {
    let is_same = |case: &Case<'_>| context.builds.same_code(&case.ids) == Some(true);
    let is_elsewhere = case.is_stub() || (!case.of_program && case.of_same_file);
    is_same(case)
        || is_elsewhere
        || (context.is_patched && is_library(case))
        || places(context, case).into_iter().any(is_same)
}

/// Whether the code differs as if a record had another layout: the function's own, or that of a function that contains a copy,
/// where there are only copies.
pub(in crate::classify) fn is_relaid(context: &Context<'_>, case: &Case<'_>) -> bool {
    context.is_relaid(case) || places(context, case).into_iter().any(|place| context.is_relaid(place))
}

/// Whether a function differs as if a record had another layout, and no changed code calls it so much more or less that this must be
/// why it takes another time.
pub(super) fn is_only_relaid(
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
) -> bool {
    is_relaid(context, case)
        && !(is_called_by_changed_code(context, case, flipped, more)
            && may_be_called_more(context, case, more))
}

/// Whether the change of a function is known to be more than a change of the lines that samples count for. Of builds a patch
/// apart, one that runs only inlined, or whose own code did not change its cost, is judged with the functions that contain copies of
/// it: a part of a function takes more time only if the whole does, beyond noise and not by a change of inlining, or if it has
/// more copies.
pub(super) fn is_told_by_places(
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
) -> bool {
    let shift = context.common_shift;
    let is_more = |change: f64| if more == Side::After { change > 0.0 } else { change < 0.0 };
    let has_changed_so = |place: &Case<'_>| {
        let row = place.row;
        let by_share = Judged::Booked.is_significant(row)
            && !shift.explains(row, Judged::Booked)
            && is_more(shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct));
        let cost = Judged::Booked.cost_change(row).filter(|cost| cost.extent == CostExtent::Own);
        let by_cost = cost.and_then(|cost| cost.pct).is_some_and(is_more);
        let number = context.row_number(row);
        (by_share || by_cost) && number.is_none_or(|row| !flipped.callees.contains_key(&row))
    };
    let is_inlined_only = is_inlined_only(context, case);
    // Between versions, a function that is called may do what another one did.
    if !is_inlined_only && (!context.is_patched || case.row.booked.significant) {
        return true;
    }
    let places = sampled_places(context, case);
    let may_be_more = match is_inlined_only {
        true if !context.is_patched => has_more_uses(context, case, &places, more),
        true => may_be_called_more(context, case, more),
        // Its copies are what changed, not what its own code costs.
        false => has_more_uses(context, case, &places, more),
    };
    places.is_empty() || may_be_more || places.into_iter().any(has_changed_so)
}

/// The functions that contain the sampled copies of a function without code of its own in both builds.
fn places<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Vec<&'c Case<'a>> {
    if is_inlined_only(context, case) { sampled_places(context, case) } else { Vec::new() }
}

/// The functions that contain the sampled copies of a function.
fn sampled_places<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Vec<&'c Case<'a>> {
    let copies = Side::BOTH.into_iter().flat_map(|side| case.row.inlined_into(side));
    copies
        .filter_map(|copy| context.case(&copy.caller, &case.row.object, copy.caller_file.as_deref()))
        .collect()
}

/// The function that contains the heaviest copy of a function without code of its own in both builds.
pub(in crate::classify) fn place<'c, 'a>(context: &'c Context<'a>, case: &Case<'_>) -> Option<&'c Case<'a>> {
    let place = case.row.inlined_into(Side::After).first().filter(|_| is_inlined_only(context, case))?;
    context.case(&place.caller, &case.row.object, place.caller_file.as_deref())
}

/// Whether the change of a function may come from its callers: these grew or shrank it, and their code differs by more than
/// a change of inlining. Of builds that are no patch apart, some code around it is always another.
pub(super) fn is_called_by_changed_code(
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
) -> bool {
    is_called_by(context, case, flipped, more, CallerCode::Own)
}

/// What of a caller must differ for it to have changed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallerCode {
    /// Its own code.
    Own,
    /// That, or the code of a function that contains it, where it runs only inlined; or it cannot be compared, because one
    /// build only contains it inlined.
    WithPlaces,
}

fn is_called_by(
    context: &Context<'_>,
    case: &Case<'_>,
    flipped: &FlippedCallers,
    more: Side,
    of: CallerCode,
) -> bool {
    let (row, shift) = (case.row, context.common_shift);
    let is_library = !case.of_program && case.of_same_file;
    if !context.is_patched && !is_library {
        return true;
    }
    let whole_pp = shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    let has_changed = |caller: &Case<'_>| {
        if !context.is_patched {
            return caller.of_program || !caller.of_same_file;
        }
        let has_flipped =
            |of: &Case<'_>| context.row_number(of.row).is_some_and(|row| flipped.callees.contains_key(&row));
        let differs = |of: &Case<'_>| {
            context.builds.same_code(&of.ids) == Some(false) && !context.is_relaid(of) && !has_flipped(of)
        };
        let is_of_one_build = Side::BOTH.into_iter().any(|side| caller.held_by(side) == InBuild::No);
        let is_in_changed =
            || of == CallerCode::WithPlaces && places(context, caller).into_iter().any(differs);
        let may_differ = || of == CallerCode::WithPlaces && is_in_other_form(context, caller).is_some();
        is_of_one_build || differs(caller) || is_in_changed() || may_differ()
    };
    let calls = context.calls_to(row, more).into_iter();
    let of_changed = calls.filter(|call| context.caller(call).is_some_and(has_changed));
    let change_pp = |call: &SampledCall| {
        shift
            .own_change_pp(share_pct(row, Side::Before, call.before), share_pct(row, Side::After, call.after))
    };
    let changed_pp: f64 = of_changed.map(change_pp).filter(|change| change * whole_pp > 0.0).sum();
    changed_pp.abs() >= EXPLAINING_PART * whole_pp.abs() || is_jumped_to(context, case, has_changed)
}

/// Whether a function that leaves to this one by a jump, so that no stack shows it, has changed: it may be why.
fn is_jumped_to(context: &Context<'_>, case: &Case<'_>, has_changed: impl Fn(&Case<'_>) -> bool) -> bool {
    let jumping = |side: Side| -> Vec<&Case<'_>> {
        let Some(census) = context.builds.census(side) else { return Vec::new() };
        let edges = case.ids[side].iter().flat_map(|id| census.calls_to(*id));
        let from = edges.filter(|edge| edge.tail_jumps > 0).filter_map(|edge| census.function(edge.caller));
        from.filter_map(|from| context.case(from.name(), &case.row.object, from.file())).collect()
    };
    Side::BOTH.into_iter().flat_map(jumping).any(|from| from.of_program && has_changed(from))
}

/// Whether calls may be why the same code takes more time on a side: its own code takes so much more that little else can be, or
/// a function around it has more calls or copies of it in its code there.
fn may_be_called_more(context: &Context<'_>, case: &Case<'_>, more: Side) -> bool {
    let row = case.row;
    let times = row.after.self_pct / (context.common_shift.factor() * row.before.self_pct);
    if times.ln().abs() >= edge::MORE.ln() && !is_inlined_only(context, case) {
        return true;
    }
    has_more_uses(context, case, &places(context, case), more)
}

/// Whether a caller of a function, or a function that contains copies of it, has more calls or copies of it in its code on a side, or
/// all code of that build has more calls of it.
fn has_more_uses(context: &Context<'_>, case: &Case<'_>, places: &[&Case<'_>], more: Side) -> bool {
    let uses = |caller: &Case<'_>, side: Side| {
        calls_in_code(context, caller, case, side) + copies_in_code(context, caller, case, side)
    };
    let has_more = |caller: &Case<'_>| uses(caller, more) > uses(caller, more.other());
    let mut callers = context.calls_to(case.row, more).into_iter().filter_map(|call| context.caller(call));
    let all = |side: Side| all_calls_in_code(context, case, side);
    callers.any(has_more) || places.iter().any(|place| has_more(place)) || all(more) > all(more.other())
}

/// Callees of After's run that Before's build does not contain: their weight left the function, or was never in it, and yet
/// self changed by that much.
fn new_callees(context: &Context<'_>, case: &Case<'_>) -> Vec<Fact> {
    let row = case.row;
    let calls = context.calls_from(row, Side::After).into_iter().take(5);
    let fact = |call: &crate::compare::SampledCall| {
        let callee = context.callee(call)?;
        let pct = share_pct(row, Side::After, call.after);
        let is_only_after = callee.of_program && !callee.is_sampled(Side::Before) && pct > 0.0;
        is_only_after.then(|| Fact::NotInSelf {
            callee: call.callee.clone(),
            after_pct: pct,
            self_pp: row.delta_self_pp(),
        })
    };
    calls.filter_map(fact).collect()
}
