//! `R-in-between`: one run's stacks go through the function more than the other's, while its callees cost no more: a caller
//! that was inserted, or another path to the same work, as when another thread does it.
//!
//! Growth of a callee under the function counts as old weight, except for the part by which the callee grew everywhere. Where the
//! callees grew everywhere because they lead to the same work too, a function of both runs is judged by all that it leads to: what
//! of the growth of its total is no growth of self anywhere below was there before, under other functions, and functions
//! below that cost about the same must account for it. The function's own code must not have changed beyond noise.

use std::collections::BTreeMap;

use pdiff_profile::Side;

use super::FlippedCallers;
use super::code_counts::{calls_in_code, has_no_body, is_inlined_only};
use super::succession::net_pp;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::facts::more_and_less;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::nesting::part_below;
use crate::classify::reason::Reason;
use crate::classify::succession::{KnownCallers, successions};
use crate::compare::{Row, SampledCall};
use crate::findings::is_kernel_object;

/// The part of a change of total that must have been there before, under other callers. The rest is what the callees have
/// more, which is said of them.
const KEPT_PART: f64 = 0.5;

/// A change of its own code of at most this part of that of its total is next to nothing.
const OWN_PART: f64 = 0.02;

/// The part of a callee's weight that the function must lead to: a helper that many call is not led to by any of them.
const MOST_OF_CALLEE: f64 = 0.5;

/// A function with this part of its weight under others does nothing itself.
const NEARLY_ALL: f64 = 0.9;

/// How many callees in a row are passed over.
const DEEPEST: usize = 8;

/// The larger total of a callee that costs about the same on both sides, over the smaller.
const ALIKE: f64 = 4.0 / 3.0;

/// How many functions below one are looked at: a large server has some thousands.
const MOST_BELOW: usize = 4096;

/// How many main callers, each that of the one before, are looked at.
const HIGHEST: usize = 64;

/// How many calls of each are looked at, heaviest first.
const WIDEST: usize = 32;

/// How many callees are named.
const NAMED: usize = 3;

/// A function that one run did not enter.
pub(super) fn one_sided(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let is_one_sided = Side::BOTH.into_iter().any(|side| !case.is_sampled(side));
    if is_one_sided { rule(context, case, flipped) } else { None }
}

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = case.row;
    if !row.total.significant || row.unresolved || has_changed_itself(row) {
        return None;
    }
    // Nothing left it, or came to it, if its share moved with the whole profile.
    if context.common_shift.explains(row, Judged::Total) {
        return None;
    }
    let delta_pp = context.common_shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let (more, less) = more_and_less(delta_pp);
    let exchanged_pp = exchanged_pp(context, case, less);
    if exchanged_pp >= KEPT_PART * delta_pp.abs() {
        return None;
    }
    let mut kept = BTreeMap::new();
    add_kept((context, flipped), &mut vec![case], [more, less], &mut kept);
    let kept_pp: f64 = kept.values().sum();
    let mut kept: Vec<(String, f64)> = kept.into_iter().collect();
    if kept_pp < KEPT_PART * delta_pp.abs() {
        let of_both = Side::BOTH.into_iter().all(|side| case.is_sampled(side));
        let below = of_both.then(|| Below::of(context, case, more, &|_| false)).flatten()?;
        let same_pp: f64 = below.same.iter().map(|(_, pp)| pp).sum();
        if same_pp.min(below.kept_pp(context, row, more)) < KEPT_PART * delta_pp.abs() {
            return None;
        }
        kept = below.same;
    }
    kept.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let callees = kept.into_iter().take(NAMED).map(|(name, _)| name).collect();
    let reason = Reason::InBetween { more, callees, self_pp: row.delta_self_pp() };
    let finding = Finding::new("R-in-between", Cause::Moved, Judged::Total, reason);
    let finding = finding.limited(Confidence::Likely, Limit::InCallees);
    // Of two calls that are the same a compiler may keep either, with the lines of one.
    let is_inlined = is_inlined_only(context, case);
    let finding =
        if is_inlined { finding.limited(Confidence::Unclear, Limit::LinesOfCalls) } else { finding };
    Some(gates::common(finding, case))
}

/// Whether the function's own code changed, by more than next to nothing of what its total did.
fn has_changed_itself(row: &Row) -> bool {
    let is_much = |pp: f64| pp.abs() > OWN_PART * row.delta_total_pp().abs();
    (row.significant && is_much(row.delta_self_pp()))
        || (row.booked.significant && is_much(row.delta_booked_pp()))
}

/// A function of one build that has no code of its own there, and does nothing but lead to functions that its callers called without it
/// in the other run: what these cost more or less is said of them.
pub(super) fn only_leads_on(context: &Context<'_>, case: &Case<'_>, with: Side) -> Option<Finding> {
    let of = case.row.side(with);
    if !does_nothing(context, case, with) {
        return None;
    }
    let known = KnownCallers::of(context, case, with);
    let mut led_to = BTreeMap::new();
    add_led_to((context, &known), case, (with, of.total_pct), DEEPEST, &mut led_to);
    if led_to.values().sum::<f64>() < NEARLY_ALL * of.total_pct {
        return None;
    }
    let mut led_to: Vec<(String, f64)> = led_to.into_iter().collect();
    led_to.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let callees = led_to.into_iter().take(NAMED).map(|(name, _)| name).collect();
    let reason = Reason::InBetween { more: with, callees, self_pp: case.row.delta_self_pp() };
    let finding = Finding::new("R-in-between", Cause::Moved, Judged::Total, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::InCallees), case))
}

/// Whether a function runs only inlined, without samples that count.
fn does_nothing(context: &Context<'_>, case: &Case<'_>, side: Side) -> bool {
    let of = case.row.side(side);
    has_no_body(context, case, side) && of.self_pct <= (1.0 - NEARLY_ALL) * of.total_pct
}

/// What a function leads to of functions that its callers left for it, also through others that do nothing: so much of the case's
/// weight.
fn add_led_to(
    (context, known): (&Context<'_>, &KnownCallers<'_>),
    case: &Case<'_>,
    (side, pct): (Side, f64),
    depth: usize,
    led_to: &mut BTreeMap<String, f64>,
) {
    let total = case.row.side(side).total_weight.as_f64();
    for call in context.calls_from(case.row, side).into_iter().take(WIDEST) {
        let Some(callee) = context.callee(call).filter(|callee| callee.of_program) else { continue };
        let under = if total > 0.0 { pct * call.weight(side).as_f64() / total } else { 0.0 };
        // So little changes nothing, and there may be many ways.
        if under < (1.0 - NEARLY_ALL) * pct / WIDEST as f64 {
            continue;
        }
        if known.left(context, callee) {
            *led_to.entry(call.callee.clone()).or_default() += under;
        } else if depth > 1 && !callee.is_sampled(side.other()) && does_nothing(context, callee, side) {
            add_led_to((context, known), callee, (side, under), depth - 1, led_to);
        }
    }
}

/// The weight of callees that existed before, but not under this function: by callee, in points. `way` leads from the function to
/// the one whose callees are looked at. A callee is passed over, and its callees count, if the other run did not enter it, under this
/// name or another, or if it costs more than before only because of what it calls.
fn add_kept<'c>(
    (context, flipped): (&'c Context<'_>, &FlippedCallers),
    way: &mut Vec<&'c Case<'c>>,
    [more, less]: [Side; 2],
    kept: &mut BTreeMap<String, f64>,
) {
    let (Some(case), Some(through)) = (way.first().copied(), way.last().copied()) else { return };
    let row = through.row;
    for call in context.calls_from(row, more).into_iter().take(WIDEST) {
        let Some(callee) = context.callee(call) else { continue };
        if part_of_callee(call, callee, more) < MOST_OF_CALLEE || is_kernel_object(&callee.row.object) {
            continue;
        }
        let mates = mates((context, flipped), callee, less);
        let whole = match mates.is_empty() {
            true => change_of_whole_pp((context, flipped), case, callee, more),
            false => change_of_set_pp((context, flipped), callee, more),
        };
        let under = context.common_shift.without(share_pct(row, more, call.weight(more)), more);
        let may_lead_on = leads_on(callee, less) && way.len() <= DEEPEST;
        if !may_lead_on && whole.is_none_or(|whole| under <= whole) {
            continue;
        }
        let below = below_pct(context, way, callee, less)
            + under_other_name(context, row, callee, less)
            + mates.iter().map(|mate| below_pct(context, way, mate, less)).sum::<f64>();
        let grew = under - context.common_shift.without(below, less);
        if grew <= 0.0 {
            continue;
        }
        let own = whole.map_or(0.0, |whole| grew - whole.max(0.0) - lost_pp(context, case, callee, less));
        if own > 0.0 {
            *kept.entry(call.callee.clone()).or_default() += own;
        }
        if own >= KEPT_PART * grew || !may_lead_on {
            continue;
        }
        let mut below = BTreeMap::new();
        way.push(callee);
        add_kept((context, flipped), way, [more, less], &mut below);
        way.pop();
        let left = grew - own.max(0.0);
        let sum: f64 = below.values().sum();
        let part = if sum > left { left / sum } else { 1.0 };
        for (name, pp) in below {
            *kept.entry(name).or_default() += part * pp;
        }
    }
}

/// How much more a function has, on the other side than `less`, of callees in whose place it calls others on `less`: each is called by one
/// build's code alone.
fn exchanged_pp(context: &Context<'_>, case: &Case<'_>, less: Side) -> f64 {
    let more = less.other();
    let is_of = |callee: &Case<'_>, side: Side| {
        callee.of_program
            && calls_in_code(context, case, callee, side) > 0
            && calls_in_code(context, case, callee, side.other()) == 0
    };
    let called = |side: Side| {
        let calls = context.calls_from(case.row, side).into_iter();
        calls.filter(move |call| context.callee(call).is_some_and(|callee| is_of(callee, side)))
    };
    if called(less).next().is_none() {
        return 0.0;
    }
    let pct = |call: &SampledCall, side| share_pct(case.row, side, call.weight(side));
    called(more).map(|call| grown_pp(context, pct(call, Side::Before), pct(call, Side::After), more)).sum()
}

/// A side's share of a callee under the functions of a way to it.
fn below_pct(context: &Context<'_>, way: &[&Case<'_>], callee: &Case<'_>, side: Side) -> f64 {
    let rows: Vec<usize> = way.iter().filter_map(|case| context.row_number(case.row)).collect();
    let part = context.row_number(callee.row).map_or(0.0, |row| part_below(context, row, &rows, side));
    part * callee.row.side(side).total_pct
}

/// The functions of a side that a callee of both runs was split into, or merged from: under these the run entered it, too.
fn mates<'c>(
    (context, flipped): (&'c Context<'_>, &FlippedCallers),
    callee: &Case<'_>,
    side: Side,
) -> Vec<&'c Case<'c>> {
    let row =
        context.row_number(callee.row).filter(|_| Side::BOTH.into_iter().all(|side| callee.is_sampled(side)));
    let set = row.and_then(|row| successions(context, flipped).of_row(row));
    let rows = set.map_or(&[][..], |set| set.of(side)).iter().filter(|mate| Some(**mate) != row);
    rows.filter_map(|mate| context.cases.get(*mate)).collect()
}

/// The change of all that a callee was split into, or merged from.
fn change_of_set_pp(
    (context, flipped): (&Context<'_>, &FlippedCallers),
    callee: &Case<'_>,
    more: Side,
) -> Option<f64> {
    let set = successions(context, flipped).of_row(context.row_number(callee.row)?)?;
    let net_pp = net_pp(context, set);
    Some(if more == Side::After { net_pp } else { -net_pp })
}

/// Whether all that a callee costs more may be what it leads to: the other run did not enter it, or its own code did not change.
fn leads_on(callee: &Case<'_>, less: Side) -> bool {
    !callee.is_sampled(less) || !(callee.row.significant || callee.row.booked.significant)
}

/// The change of a callee's total, in points; `None` if the other run did not enter it under any name. Below a function of one run alone
/// it is that of all that took its place.
fn change_of_whole_pp(
    (context, flipped): (&Context<'_>, &FlippedCallers),
    case: &Case<'_>,
    callee: &Case<'_>,
    more: Side,
) -> Option<f64> {
    if callee.is_sampled(more.other()) {
        return Some(grown_total_pp(context, callee.row, more));
    }
    let row = context.row_number(callee.row)?;
    let found = successions(context, flipped);
    let set = found.by_name(row).or_else(|| found.of_row(row).filter(|_| !case.is_sampled(more.other())));
    let net_pp = net_pp(context, set?);
    Some(if more == Side::After { net_pp } else { -net_pp })
}

/// The growth of a callee's total that was there before, under other functions, in points: 0 where that cannot be said. What libraries do
/// is their callers' doing, and was not there before.
pub(super) fn kept_pp(context: &Context<'_>, case: &Case<'_>, more: Side) -> f64 {
    let is_of_library = |callee: &Case<'_>| !callee.of_program || is_library(callee);
    Below::of(context, case, more, &is_of_library)
        .map_or(0.0, |below| below.kept_pp(context, case.row, more).max(0.0))
}

/// What a function leads to in the run with more of it: the functions that it, or one of them, calls more than others do.
struct Below {
    /// By how much they, and the function, have more self in the whole program, and their other callees more weight under them
    /// that they have everywhere.
    new_pp: f64,
    /// The outermost of them that cost about the same on both sides, and how much of their weight there was elsewhere before.
    same: Vec<(String, f64)>,
}

impl Below {
    /// `None` if there are too many to look at. What `is_new_here` is new wherever it is called more.
    fn of(
        context: &Context<'_>,
        case: &Case<'_>,
        more: Side,
        is_new_here: &dyn Fn(&Case<'_>) -> bool,
    ) -> Option<Self> {
        let less = more.other();
        let mut below = Self { new_pp: grown_self_pp(context, case.row, more), same: Vec::new() };
        // Functions, and whether one above them costs the same already.
        let mut open = vec![(case, false)];
        let mut looked_at = 0;
        while let Some((caller, is_inside)) = open.pop() {
            for call in context.calls_from(caller.row, more) {
                let Some(callee) = context.callee(call) else { continue };
                looked_at += 1;
                if looked_at > MOST_BELOW {
                    return None;
                }
                let under = |side| share_pct(caller.row, side, call.weight(side));
                let grew = grown_pp(context, under(Side::Before), under(Side::After), more).max(0.0);
                if is_new_here(callee) {
                    below.new_pp += grew;
                    continue;
                }
                let everywhere = grown_total_pp(context, callee.row, more);
                if !is_main_caller(context, caller.row, callee, more) {
                    // What others have less of it, within noise, need not have gone from them to here.
                    let noise_pp = Judged::Total.half_width_pp(callee.row);
                    below.new_pp += grew.min((everywhere + noise_pp).max(0.0));
                    continue;
                }
                if std::ptr::eq(callee.row, case.row) {
                    continue;
                }
                below.new_pp += grown_self_pp(context, callee.row, more)
                    + lost_pp(context, caller, callee, less).min(grew);
                let [before, after] = Side::BOTH
                    .map(|side| context.common_shift.without(callee.row.side(side).total_pct, side));
                let is_same = before <= ALIKE * after && after <= ALIKE * before;
                let came_pp = grew - everywhere.max(0.0);
                let is_led_to = part_of_callee(call, callee, more) >= MOST_OF_CALLEE;
                let is_led_here = came_pp > 0.0 && !is_mainly_under(context, callee, case.row, less);
                if is_same && !is_inside && is_led_to && is_led_here {
                    below.same.push((call.callee.clone(), came_pp));
                }
                open.push((callee, is_inside || is_same));
            }
        }
        Some(below)
    }

    /// The growth of the function's total that is no growth of what is below it.
    fn kept_pp(&self, context: &Context<'_>, row: &Row, more: Side) -> f64 {
        grown_total_pp(context, row, more) - self.new_pp
    }
}

/// The part of a callee's weight that is under a call.
fn part_of_callee(call: &SampledCall, callee: &Case<'_>, side: Side) -> f64 {
    call.weight(side).as_f64() / callee.row.side(side).total_weight.as_f64()
}

/// How much more a side has than what all functions share would give it, in points.
fn grown_pp(context: &Context<'_>, before_pct: f64, after_pct: f64, more: Side) -> f64 {
    let change_pp = context.common_shift.own_change_pp(before_pct, after_pct);
    if more == Side::After { change_pp } else { -change_pp }
}

fn grown_self_pp(context: &Context<'_>, row: &Row, more: Side) -> f64 {
    grown_pp(context, row.before.self_pct, row.after.self_pct, more)
}

fn grown_total_pp(context: &Context<'_>, row: &Row, more: Side) -> f64 {
    grown_pp(context, row.before.total_pct, row.after.total_pct, more)
}

/// Whether no other function calls the callee as much: of a callee only one does.
fn is_main_caller(context: &Context<'_>, caller: &Row, callee: &Case<'_>, side: Side) -> bool {
    main_caller(context, callee, side).is_some_and(|main| std::ptr::eq(main.row, caller))
}

/// Whether the function is the main caller of a callee on a side, or of its main caller, and so on.
fn is_mainly_under(context: &Context<'_>, callee: &Case<'_>, function: &Row, side: Side) -> bool {
    let upwards =
        std::iter::successors(main_caller(context, callee, side), |case| main_caller(context, case, side));
    upwards.take(HIGHEST).any(|case| std::ptr::eq(case.row, function))
}

fn main_caller<'c>(context: &'c Context<'_>, callee: &Case<'_>, side: Side) -> Option<&'c Case<'c>> {
    context.calls_to(callee.row, side).into_iter().next().and_then(|call| context.caller(call))
}

/// A side's share, directly under a function, of a callee that it has under another name.
fn under_other_name(context: &Context<'_>, row: &Row, callee: &Case<'_>, side: Side) -> f64 {
    let twin = callee.other_name.as_ref().filter(|(of, _)| *of == side && !callee.is_sampled(side));
    let Some(twin) = twin.and_then(|(_, name)| context.program_row(name, None)) else { return 0.0 };
    let calls = context.calls_from(row, side).into_iter();
    let to_it = calls.filter(|call| context.callee(call).is_some_and(|of| std::ptr::eq(of.row, twin)));
    to_it.map(|call| share_pct(row, side, call.weight(side))).sum()
}

/// The weight above a callee that the other run's chains may have lost: the function ran, but the stacks do not show it.
fn lost_pp(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, less: Side) -> f64 {
    match context.jumps_to(case, callee, less) {
        true => context.jumped_past_pp(case, callee, less),
        false => context.common_shift.without(context.lost_from(case, callee, less), less),
    }
}
