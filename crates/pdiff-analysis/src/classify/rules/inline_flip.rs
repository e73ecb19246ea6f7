//! `R-inline-lost`, `R-inline-gained` and `R-inline-change`: a caller contains the function inlined in one build and calls it in the other.
//! What is said of the caller is in [`super::flipped_caller`].
//!
//! The flip is that of the code (debug information on both sides, a direct call on one of them, or calls through pointers alone, no copy
//! left), in a caller that both runs sampled; and self by symbol moved in the direction of the flip. The flip and its cost are separate
//! statements: the cause is a regression only if the family, callers included, costs more beyond noise. A caller whose
//! callee left it belongs to the family only if its own self by symbol fell by about that; growth in it is judged by other
//! rules. So is a change of a caller that hardly ran the function, inlined or called.

use pdiff_profile::{PerSide, Side, Weight};
use rustc_hash::FxHashMap;

use super::called_as_copied::called_as_copied;
use super::called_as_often::most_samples;
use super::checks::asks_another_number;
use super::code_counts::{bodies_in_code, calls_in_code, code_bytes, copies_in_code, has_no_body, loops_pct};
use super::family_cost::{FamilyCosts, family_costs};
use super::flipped_callee::FlippedCallee;
use super::handed_on;
use super::source_lines::source_lines;
use crate::classify::caller_flips::CallerFlip;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::fact::Fact;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::compare::{InlinedInto, Row, SampledCall};
use crate::matching::{FoundBy, SourceMove, source_move};

/// The part of a change of self by symbol that was seen in the inlined copies for the flip to explain it.
const EXPLAINING_PART: f64 = 0.25;

/// A function with at most this part of its body's weight out of line mainly ran inlined.
const CALLED_PART: f64 = 0.5;

/// A function of which this part was out of line already grew or shrank in its own right, unless copies explain it.
const OUT_OF_LINE_PART: f64 = 0.5;

/// A function with less than this part of its total was entered less, or does less.
const ENTERED_PART: f64 = 0.5;

/// A call through pointers is proved by return addresses below which the function has this part of its weight.
const SEEN_PART: f64 = 0.5;

/// Code that grew beyond this factor is told as the reason why it is inlined no more: the compiler's own threshold is
/// not in the file, but growth of a tenth is more than a new compiler makes.
const GROWN_BODY: f64 = 1.1;

/// A call, and what a compiler saves without one, costs less than so many times what the body of a small function does.
const MOST_TIMES: f64 = 6.0;

/// The lines of a body with so many bytes are not all taken for those of the code around a copy.
const LARGE_BODY: u64 = 128;
/// The code around copies has lost nothing worth a mention if that is less than so much of what the function costs more.
const NOTHING_LEFT: f64 = 0.1;

/// A function with this part of its cost in its body does not mostly call others.
const BODY_PART: f64 = 0.5;

/// Statements of the compiler that are quoted for one function.
const MOST_WORDS: usize = 5;

/// Which rows are callers of flipped functions, and what their families cost. Rows by number, for several functions may
/// have one name.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct FlippedCallers {
    /// Flipped functions by the caller's row.
    pub(crate) callees: FxHashMap<usize, Vec<FlippedCallee>>,
    /// What their families cost.
    pub(crate) costs: FamilyCosts,
}

/// Which rows are callers of flipped functions.
pub(crate) fn flipped_callers(context: &Context<'_>) -> FlippedCallers {
    let mut callers: FxHashMap<usize, Vec<FlippedCallee>> = FxHashMap::default();
    for (row, case) in context.cases.iter().enumerate() {
        let Some((inlined_on, flips)) = decided(context, case) else { continue };
        let delta_booked_pp = case.row.delta_booked_pp();
        let is_seen = seen_called(context, case, &flips, inlined_on.other());
        for flip in &flips {
            let is_seen_called = flip.is_moved_out || is_seen(flip);
            let flipped = FlippedCallee { row, inlined_on, delta_booked_pp, is_seen_called };
            for caller in context.flip_rows(flip).into_array().into_iter().flatten() {
                let Some(caller) = context.row_number(caller) else { continue };
                let known = callers.entry(caller).or_default();
                match known.iter_mut().find(|of| (of.row, of.inlined_on) == (row, inlined_on)) {
                    Some(of) => of.is_seen_called |= is_seen_called,
                    None => known.push(flipped),
                }
            }
        }
    }
    let costs = family_costs(context, &callers);
    FlippedCallers { callees: callers, costs }
}

/// Whether a function flipped, told for the row of either name where one build does not tell its scope.
pub(super) fn has_flipped(context: &Context<'_>, case: &Case<'_>) -> bool {
    let twin = context.unscoped_twin(case);
    decided(context, case).is_some() || twin.is_some_and(|twin| decided(context, twin).is_some())
}

/// The flips that explain a case's change of self by symbol, and the side that contains the copies.
fn decided(context: &Context<'_>, case: &Case<'_>) -> Option<(Side, Vec<CallerFlip>)> {
    let row = case.row;
    if !row.booked.significant || !case.of_program || context.same_program {
        return None;
    }
    if handed_on::moved_against_total(context, row) {
        return None;
    }
    let inlined_on = if row.delta_booked_pp() > 0.0 { Side::Before } else { Side::After };
    let flips = context.sampled_flips(case, inlined_on);
    let called_on = inlined_on.other();
    let was_out_of_line =
        row.side(inlined_on).booked_self_pct > OUT_OF_LINE_PART * row.side(called_on).booked_self_pct;
    let copies_pct = copies_pct(context, case, &flips, inlined_on);
    let explains = copies_pct >= EXPLAINING_PART * row.delta_booked_pp().abs();
    if !explains && handed_on::explains_more_than_copies(context, case, inlined_on) {
        return None;
    }
    (!flips.is_empty() && (explains || !was_out_of_line)).then_some((inlined_on, flips))
}

/// The share of the function's copies in the flipped callers, where they stand. Where some of a caller's are left, without what these have.
fn copies_pct(context: &Context<'_>, case: &Case<'_>, flips: &[CallerFlip], inlined_on: Side) -> f64 {
    let rows = |flip: &CallerFlip| context.flip_rows(flip).into_array().into_iter().flatten();
    let numbers =
        |flip: &CallerFlip| rows(flip).filter_map(|row| context.row_number(row)).collect::<Vec<_>>();
    let flipped: Vec<usize> = flips.iter().flat_map(numbers).collect();
    let partly: Vec<usize> = flips.iter().filter(|flip| flip.is_partial).flat_map(numbers).collect();
    let is_in = |copy: &InlinedInto, callers: &[usize]| {
        let caller = context.program_row(&copy.caller, copy.caller_file.as_deref());
        caller.and_then(|row| context.row_number(row)).is_some_and(|row| callers.contains(&row))
    };
    let shift = context.common_shift;
    let of_row = |row: &Row| -> f64 {
        let left = |of: &InlinedInto| -> f64 {
            let there = inlined_on.other();
            let same = row.inlined_into(there).iter().filter(|copy| copy.caller == of.caller);
            let pct: f64 = same.map(|copy| share_pct(row, there, copy.weight)).sum();
            shift.without(pct, there) / shift.without(1.0, inlined_on)
        };
        let gone = |copy: &InlinedInto| {
            let left = if is_in(copy, &partly) { left(copy) } else { 0.0 };
            (share_pct(row, inlined_on, copy.weight) - left).max(0.0)
        };
        row.inlined_into(inlined_on).iter().filter(|copy| is_in(copy, &flipped)).map(gone).sum()
    };
    of_row(case.row) + context.unscoped_twin(case).map_or(0.0, |twin| of_row(twin.row))
}

/// A call does not make loops cost so many times as much as all of the body did.
const MORE_IN_LOOPS: f64 = 1.3;

/// How many times as much the function's body costs at least where it is called, without the common factor; `None` if it mostly calls others:
/// these are under the code around a copy. If no copy was sampled, that is known only of more than a few instructions, and only if the code
/// around the copies did not lose a `left_part` of the change: their lines are then not taken for those of that code.
fn body_times(context: &Context<'_>, case: &Case<'_>, called_on: Side, left_part: f64) -> Option<f64> {
    let (row, inlined_on) = (case.row, called_on.other());
    let (called, inlined) = (row.side(called_on), row.side(inlined_on));
    let samples = inlined.samples as f64;
    let most_pct = if samples > 0.0 {
        inlined.x_pct() * most_samples(samples) / samples
    } else {
        let is_large = code_bytes(context, case)[called_on] >= LARGE_BODY;
        row.total.bound_pct(inlined_on).filter(|_| is_large && left_part < NOTHING_LEFT)?
    };
    let is_most = called.x_pct() >= BODY_PART * called.total_pct;
    let shift = context.common_shift;
    is_most.then(|| shift.without(called.x_pct(), called_on) / shift.without(most_pct, inlined_on))
}

/// How many times as much as all of the function's copies did its loops cost at least where it is called, without the common factor: a
/// call is made once. `None` if no copy was sampled, or if the ways through its code are not known.
fn loop_times(context: &Context<'_>, case: &Case<'_>, called_on: Side) -> Option<f64> {
    let inlined = case.row.side(called_on.other());
    let samples = inlined.samples as f64;
    let at_most =
        context.common_shift.without(inlined.x_pct(), called_on.other()) * most_samples(samples) / samples;
    let in_loops = context.common_shift.without(loops_pct(context, case, called_on)?, called_on);
    (samples > 0.0).then(|| in_loops / at_most)
}

/// The loss of the flipped callers' own self by symbol on the side with the copies, without the common factor, in points:
/// debug lines of copies of a few instructions often belong to their callers.
fn left_pp(context: &Context<'_>, flips: &[CallerFlip], inlined_on: Side) -> f64 {
    let mut rows: Vec<&Row> =
        flips.iter().flat_map(|flip| context.flip_rows(flip).into_array()).flatten().collect();
    rows.sort_by_key(|row| context.row_number(row));
    rows.dedup_by_key(|row| context.row_number(row));
    let own_pp =
        |row: &Row| context.common_shift.own_change_pp(row.before.booked_self_pct, row.after.booked_self_pct);
    let change_pp: f64 = rows.into_iter().map(own_pp).sum();
    match inlined_on {
        Side::Before => -change_pp,
        Side::After => change_pp,
    }
}

/// The function that flipped.
pub(super) fn callee(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let twin = context.unscoped_twin(case);
    let Some((inlined_on, flips)) = decided(context, case) else {
        // The row of its copies, whose name lacks the scope: the verdict is that of the function.
        let mut finding = callee_of(context, twin?, Some(case), decided(context, twin?)?, flipped);
        finding.judged = Judged::OwnSelf;
        return Some(finding);
    };
    Some(callee_of(context, case, twin, (inlined_on, flips), flipped))
}

fn callee_of(
    context: &Context<'_>,
    case: &Case<'_>,
    twin: Option<&Case<'_>>,
    (inlined_on, mut flips): (Side, Vec<CallerFlip>),
    flipped: &FlippedCallers,
) -> Finding {
    let row = case.row;
    let under_flips = by_weight(context, case, &mut flips, inlined_on.other());
    let family = context.row_number(row).and_then(|row| flipped.costs.parts.get(&row)).copied();
    let copies = copies_pct(context, case, &flips, inlined_on);
    let change_pp = row.delta_booked_pp().abs();
    let left = left_pp(context, &flips, inlined_on);
    let shown_pp = if copies > 0.0 { copies.max(left) } else { 0.0 };
    let has_shown_copies = shown_pp >= EXPLAINING_PART * change_pp;
    let called_on = inlined_on.other();
    // Of another version, other code may have taken over what the copies hardly show.
    let family_cost = family.filter(|_| has_shown_copies || !context.is_other_version);
    // A caller that it surely left calls it in its code, or the function ran directly below it. Else others may just call it more.
    let is_left = |flip: &CallerFlip| !flip.is_by_pointer() || context.came_to_call(flip, case, called_on);
    let (rule_id, cause) = match (inlined_on, family_cost.filter(|_| flips.iter().any(is_left))) {
        (Side::Before, Some(cost)) if cost.is_more() => ("R-inline-lost", Cause::InlineRegression),
        (Side::After, Some(cost)) if cost.is_less() => ("R-inline-gained", Cause::InlineGain),
        _ => ("R-inline-change", Cause::InlineChange),
    };
    let named = |flip: &CallerFlip| flip.names[Side::After].clone();
    let callers: Vec<String> = flips.iter().map(named).collect();
    let of_copies = twin.map_or(0.0, |twin| twin.row.after.x_pct() - twin.row.before.x_pct());
    let (booked_pp, body_pp) = (row.delta_booked_pp(), row.after.x_pct() - row.before.x_pct() + of_copies);
    let reason = Reason::Flipped {
        inlined_on,
        caller: flips.first().map(|flip| container(flip, inlined_on)).unwrap_or_default(),
        more_callers: callers.len().saturating_sub(1),
        booked_pp,
        body_pp,
        family: family_cost,
    };
    let mut finding = Finding::new(rule_id, cause, Judged::Booked, reason);
    finding = finding.with(flips.iter().map(|flip| flip_fact(context, case, flip, inlined_on)));
    finding = finding.with(compiler_said(context, case, &flips, called_on));
    // What costs more may have been made longer.
    let lines = if cause == Cause::InlineRegression { source_lines(context, case) } else { None };
    let lines = lines.filter(|lines| lines.after > lines.before);
    finding = finding.with(why(context, case, lines));
    finding.callers = callers;
    // Copies of a few instructions hardly show. What runs as often as they did costs more by the call, or by what the body does now.
    let as_copied = match cause {
        Cause::InlineRegression if !has_shown_copies => called_as_copied(context, case),
        _ => None,
    };
    let runs_as_copied = as_copied.is_some();
    // Without a cost beyond noise, only the inlining is claimed, and the code of both builds shows that.
    if cause != Cause::InlineChange && !has_shown_copies {
        if !runs_as_copied {
            finding = finding.limited(Confidence::Likely, Limit::LightCopies(copies));
        }
        // Of other data its callers may reach it more often than they did, unless the body itself does more.
        let at_most = if runs_as_copied { Confidence::Likely } else { Confidence::Unclear };
        let times = body_times(context, case, called_on, left / change_pp);
        let is_told = runs_as_copied && lines.is_some();
        if let Some(times) = times.filter(|times| *times >= MOST_TIMES && !is_told) {
            finding = finding.limited(at_most, Limit::BodyTimes(times));
        }
    }
    if cause != Cause::InlineChange
        && let Some(times) = loop_times(context, case, called_on).filter(|times| *times >= MORE_IN_LOOPS)
    {
        finding = finding.limited(Confidence::Likely, Limit::LoopTimes(times));
    }
    if cause == Cause::InlineRegression
        && let Some(caller) = asks_another(context, case, &flips)
    {
        finding = finding.limited(Confidence::Likely, Limit::OtherNumber { caller });
    }
    // Where copies anywhere hardly show samples, other changes may be the reason: it also has code of its own, or the run of that side
    // hardly entered it, and the callers that contain the copies do not have what it was.
    let all_copies = row.side(inlined_on).x_pct() - row.side(inlined_on).booked_self_pct;
    let has_few_copies = all_copies < EXPLAINING_PART * change_pp;
    let is_lost = || left < EXPLAINING_PART * change_pp && is_hardly_entered(context, row, inlined_on);
    finding = finding.with(as_copied.map(|callers| Fact::CalledAsCopied { callers }));
    let hardly_shows = !has_shown_copies && has_few_copies && !runs_as_copied;
    if hardly_shows && (is_lost() || !has_no_body(context, case, inlined_on)) {
        finding = finding.limited(Confidence::Likely, Limit::LightCopies(copies));
    }
    // Of another version, the code in the family does other work as well.
    if cause != Cause::InlineChange && context.is_other_version {
        finding = finding.limited(Confidence::Likely, Limit::OtherVersion);
    }
    if cause != Cause::InlineChange && !context.builds.same_optimisation(&case.ids) {
        finding = finding.limited(Confidence::Likely, Limit::OtherOptimisation);
    }
    if cause != Cause::InlineChange && family_cost.is_some_and(|cost| cost.is_shared) {
        finding = finding.limited(Confidence::Likely, Limit::SharedCallers);
    }
    if let Some(cost) = family_cost.filter(|_| cause != Cause::InlineChange) {
        let elsewhere_pp = called_elsewhere_pp(context, case, &flips, inlined_on);
        if !cost.is_beyond_noise_without(elsewhere_pp) {
            finding = finding.limited(Confidence::Likely, Limit::MoreCallsElsewhere(elsewhere_pp));
        }
    }
    // That one build has no call of it and the other no copy does not depend on which function is which, nor on who calls.
    let is_sure = |flip: &CallerFlip| cause == Cause::InlineChange && flip.is_moved_out;
    let is_seen = seen_called(context, case, &flips, called_on);
    let is_entered = |flip: &CallerFlip| is_seen(flip) || (flip.is_by_pointer() && is_sure(flip));
    let is_shown = |flip: &&CallerFlip| is_named(flip) || is_sure(flip);
    // Functions of one name may have flipped, and others run.
    let is_under_others =
        share_pct(row, called_on, under_flips) < EXPLAINING_PART * row.side(called_on).total_pct;
    if bodies_in_code(context, case, called_on) > 1 && is_under_others {
        finding = finding.limited(Confidence::Likely, Limit::NamesakesElsewhere);
    }
    if !flips.iter().any(&is_entered) {
        finding = finding.limited(Confidence::Likely, Limit::LostCaller);
    } else if !flips.iter().filter(is_shown).any(is_entered) {
        finding = finding.limited(Confidence::Likely, Limit::NoNamedCaller);
    }
    gates::one_compiler(gates::common(finding, case), context, case)
}

/// Sorts flips by what the function has under their callers on the side that calls it, most first; what it has under all of them.
fn by_weight(context: &Context<'_>, case: &Case<'_>, flips: &mut [CallerFlip], called_on: Side) -> Weight {
    let calls = context.calls_to(case.row, called_on);
    let is_by = |call: &SampledCall, flip: &CallerFlip| {
        let mut rows = context.flip_rows(flip).into_array().into_iter().flatten();
        context.caller(call).is_some_and(|caller| rows.any(|row| std::ptr::eq(row, caller.row)))
    };
    let weight = |of: &dyn Fn(&SampledCall) -> bool| -> u64 {
        calls.iter().filter(|call| of(call)).map(|call| call.weight(called_on).0).sum()
    };
    flips.sort_by_cached_key(|flip| std::cmp::Reverse(weight(&|call| is_by(call, flip))));
    Weight(weight(&|call| flips.iter().any(|flip| is_by(call, flip))))
}

/// Whether a caller is seen to call the function on the side that calls it: its code does, and the run entered it; or return addresses
/// show most of the function's weight below calls through pointers by such callers.
fn seen_called<'c>(
    context: &'c Context<'_>,
    case: &'c Case<'_>,
    flips: &[CallerFlip],
    called_on: Side,
) -> impl Fn(&CallerFlip) -> bool + 'c {
    let by_pointer = flips.iter().filter(|flip| flip.is_by_pointer());
    let seen_pct: f64 = by_pointer.map(|flip| context.seen_calling_pct(flip, case, called_on)).sum();
    let is_most = seen_pct >= SEEN_PART * case.row.side(called_on).total_pct;
    move |flip| match flip.is_by_pointer() {
        true => is_most && context.seen_calling_pct(flip, case, called_on) > 0.0,
        false => flip.called_in.1 || context.is_sampled(flip, called_on),
    }
}

/// How much more the function's own code does below callers that did not contain it, in points: for a call that is new there, its
/// inlining is no reason. Callers that do not call it in the code are left out: chains lost the one that does.
fn called_elsewhere_pp(
    context: &Context<'_>,
    case: &Case<'_>,
    flips: &[CallerFlip],
    inlined_on: Side,
) -> f64 {
    let (row, called_on) = (case.row, inlined_on.other());
    let total_pct = row.side(called_on).total_pct;
    if total_pct <= 0.0 {
        return 0.0;
    }
    let flipped: Vec<&Row> =
        flips.iter().flat_map(|flip| context.flip_rows(flip).into_array()).flatten().collect();
    let held_it = |caller: &Case<'_>| {
        flipped.iter().any(|flipped| std::ptr::eq(*flipped, caller.row))
            || copies_in_code(context, caller, case, inlined_on) > 0
    };
    let calls_there = context.calls_to(row, inlined_on);
    let more_pp = |call: &SampledCall| {
        let caller = context.caller(call).filter(|_| call.weight(called_on).0 > 0)?;
        let calls =
            || calls_in_code(context, caller, case, called_on) > 0 || call.pointer_places[called_on] > 0;
        // The copies in what was inlined itself count for what contained that.
        let there = caller.row.side(inlined_on);
        let was_inlined = there.x_pct() > 0.0 && there.booked_self_pct <= CALLED_PART * there.x_pct();
        let is_other = !was_inlined && !held_it(caller) && calls();
        // It may have another name there.
        let same = context.row_on(caller, inlined_on).and_then(|row| context.cases.get(row));
        let by_it = calls_there.iter().filter(|call| {
            let shown = context.caller(call).zip(same);
            shown.is_some_and(|(shown, same)| std::ptr::eq(shown.row, same.row))
        });
        let pct = |call: &SampledCall, side: Side| {
            context.common_shift.without(share_pct(row, side, call.weight(side)), side)
        };
        let was_pct: f64 = by_it.map(|call| pct(call, inlined_on)).sum();
        is_other.then(|| (pct(call, called_on) - was_pct).max(0.0))
    };
    let more_pp: f64 = context.calls_to(row, called_on).into_iter().filter_map(more_pp).sum();
    more_pp * row.side(called_on).booked_self_pct / total_pct
}

/// Whether a function's total on the side with the copies is less than half of what it was on the other: inlining leaves it as it is.
fn is_hardly_entered(context: &Context<'_>, row: &Row, inlined_on: Side) -> bool {
    let total = PerSide::new(context.common_shift.factor() * row.before.total_pct, row.after.total_pct);
    total[inlined_on] < ENTERED_PART * total[inlined_on.other()]
}

/// Whether a flip's caller was found on both sides by its full name.
fn is_named(flip: &CallerFlip) -> bool {
    flip.level <= FoundBy::Qualified
}

/// The caller with the copies, as it is called now, or there if it may be another function.
fn container(flip: &CallerFlip, inlined_on: Side) -> String {
    flip.names[if is_named(flip) { Side::After } else { inlined_on }].clone()
}

/// The first caller that asks for another number than before, in its code or in that of the function that it contained.
fn asks_another(context: &Context<'_>, case: &Case<'_>, flips: &[CallerFlip]) -> Option<String> {
    let callers =
        flips.iter().filter_map(|flip| context.flip_rows(flip).into_array().into_iter().flatten().next());
    let callers = callers.filter_map(|row| context.cases.get(context.row_number(row)?));
    let mut asking = callers.filter(|caller| asks_another_number(context, caller, &[case]));
    asking.next().map(|caller| caller.row.name.to_string())
}

fn flip_fact(context: &Context<'_>, case: &Case<'_>, flip: &CallerFlip, inlined_on: Side) -> Fact {
    let (caller, called_on) = (flip.names[Side::After].clone(), inlined_on.other());
    let census = context.builds.census(called_on);
    let sites = census
        .into_iter()
        .flat_map(|census| case.ids[called_on].iter().flat_map(|of| census.sites_in(*of, flip.called_in.0)));
    let still = sites.map(|site| u64::from(site.count)).sum();
    let CallerFlip { sites, level, calls_there, is_partial, .. } = *flip;
    Fact::Flip { caller, sites, inlined_on, level, calls_there, still, is_partial }
}

/// The compiler's remarks on calls that it did not inline, on the side with the call.
fn compiler_said(context: &Context<'_>, case: &Case<'_>, flips: &[CallerFlip], called_on: Side) -> Vec<Fact> {
    let reasons = context.input.inline_reasons[called_on].zip(context.builds.census(called_on));
    let (Some((reasons, census)), Some(found)) = (reasons, case.found) else { return Vec::new() };
    let callee = match called_on {
        Side::Before => found.before,
        Side::After => found.after,
    };
    let of_flip = |flip: &CallerFlip| {
        let said = reasons.of_call(census, flip.called_in.0, callee);
        let caller = flip.names[called_on].clone();
        said.into_iter().filter_map(move |reason| {
            let place = reason.places.first()?.clone();
            let more = reason.places.len() - 1;
            Some(Fact::CompilerSaid { caller: caller.clone(), words: reason.words.into(), place, more })
        })
    };
    flips.iter().flat_map(of_flip).take(MOST_WORDS).collect()
}

/// The reason why the compiler decided differently, as far as the files show it.
fn why(context: &Context<'_>, case: &Case<'_>, longer: Option<PerSide<u32>>) -> Vec<Fact> {
    let mut causes = Vec::new();
    let PerSide { before, after } = PerSide::from_fn(|side| context.builds.census(side));
    let bytes = |side: Side| context.builds.census(side).map_or(0, |census| case.code_bytes(census, side));
    let (old, new) = (bytes(Side::Before), bytes(Side::After));
    if old > 0 && new as f64 > GROWN_BODY * old as f64 {
        causes.push(Fact::GrownCode { before: old, after: new });
    }
    if let Some(lines) = longer {
        causes.push(Fact::GrownSource { lines });
        return causes;
    }
    if let (Some(found), Some(before), Some(after)) = (case.found, before, after) {
        let file = |file: Option<pdiff_profile::census::Function<'_>>| file?.file().map(str::to_owned);
        let (from, to) = (file(before.function(found.before)), file(after.function(found.after)));
        let moved = source_move(from.as_deref(), to.as_deref());
        if !matches!(moved, SourceMove::OtherFile | SourceMove::Unknown) {
            causes.push(Fact::InliningDecided(moved));
        }
    }
    causes
}
