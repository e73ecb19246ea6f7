//! `R-succession`: a function that one build alone has took over the weight of others, or left its weight to them. Moved
//! where one replaced one, split where more have the weight after, merged where fewer have. What is inlined in a function that
//! took another's place, and one build alone has, is a part of that.

use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::nesting::{MOSTLY, part_below};
use crate::classify::reason::{Reason, SetMember};
use crate::classify::rules::FlippedCallers;
use crate::classify::succession::successions;
use crate::classify::succession_sets::Succession;
use pdiff_profile::{PerSide, Side};
use rustc_hash::FxHashMap;

use super::code_counts::has_no_body;
use super::replaced_module;
use super::weight::changed;

/// The part of an inlined function that must be in the code of a set.
const MOST_OF_IT: f64 = 0.8;

/// If a set changed by this part of what a function inlined in it did, the function is no mere part of it, unless the set changed the
/// other way, or the function's is less than a small part of that change.
const NEW_PART: f64 = 0.5;
const SMALL_PART: f64 = 0.1;

/// Of what a function of both builds lost, the functions that it was split into have at least this part.
const LEFT_PART: f64 = 0.5;

/// How many inlined functions, each inside the next, and how many callers of each, are looked at.
const DEEPEST: usize = 16;
const WIDEST: usize = 8;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = context.row_number(case.row)?;
    let found = successions(context, flipped);
    let judged = changed(case)?;
    let set = match found.of_row(row) {
        Some(set) => is_of_set(context, case, judged).then_some(set)?,
        None => around(context, case, flipped)?,
    };
    let cause = match set.before.len().cmp(&set.after.len()) {
        std::cmp::Ordering::Less => Cause::Split,
        std::cmp::Ordering::Equal => Cause::Moved,
        std::cmp::Ordering::Greater => Cause::Merged,
    };
    let finding = Finding::new("R-succession", cause, judged, reason(context, set));
    let finding = finding.limited(Confidence::Likely, Limit::ByPlace);
    let is_left = cause == Cause::Split && is_mostly_elsewhere(context, set);
    let finding =
        if is_left { finding.limited(Confidence::Unclear, Limit::MostlyElsewhere) } else { finding };
    Some(gates::common(finding, case))
}

/// Whether functions of a split set that both builds have lost more than twice of what the new ones have.
fn is_mostly_elsewhere(context: &Context<'_>, set: &Succession) -> bool {
    let pct = |row: &usize, side: Side| {
        let total_pct = context.cases.get(*row).map_or(0.0, |case| case.row.side(side).total_pct);
        context.common_shift.without(total_pct, side)
    };
    let (kept, new): (Vec<&usize>, Vec<&usize>) = set.after.iter().partition(|row| set.before.contains(row));
    let lost: f64 = kept.into_iter().map(|row| pct(row, Side::Before) - pct(row, Side::After)).sum();
    let new: f64 = new.into_iter().map(|row| pct(row, Side::After)).sum();
    new < LEFT_PART * lost
}

/// The set of which a function of one build alone is a part, because it is inlined in the code that took the other's place: the
/// innermost one, unless the set as a whole changed by half of what the function did.
fn around<'s>(context: &'s Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<&'s Succession> {
    let found = successions(context, flipped);
    let with = Side::BOTH.into_iter().find(|side| case.held_by(side.other()) == InBuild::No)?;
    if !has_no_body(context, case, with) {
        return None;
    }
    let total = |set: &Succession| {
        let rows = set.of(with).iter().filter_map(|row| context.cases.get(*row));
        rows.map(|case| case.row.side(with).total_pct).sum::<f64>()
    };
    let holds = |set: &&Succession| inlined_part(context, case, set.of(with), with) >= MOST_OF_IT;
    let set =
        found.sets.iter().chain(&found.named).filter(holds).min_by(|a, b| total(a).total_cmp(&total(b)))?;
    // The change of a set is one of totals. A set that changed the other way has no new part.
    let change_pp = case.row.delta_total_pp();
    let net_pp = net_pp(context, set);
    let is_part = net_pp.abs() < NEW_PART * change_pp.abs();
    let is_against = net_pp * change_pp < 0.0 || change_pp.abs() < SMALL_PART * net_pp.abs();
    // A module that took another's place tells more.
    (is_part || is_against && replaced_module::rule(context, case, flipped).is_none()).then_some(set)
}

/// The part of an inlined function's total, 0 to 1, that is in the code of some rows. Each level of inlining is walked once, for
/// inlined functions call each other in many ways.
fn inlined_part(context: &Context<'_>, case: &Case<'_>, rows: &[usize], side: Side) -> f64 {
    let mut found = 0.0;
    let mut level = FxHashMap::from_iter(context.row_number(case.row).map(|row| (row, 1.0)));
    for _ in 0..DEEPEST {
        let mut outer = FxHashMap::default();
        for (case, part) in level.iter().filter_map(|(row, part)| Some((context.cases.get(*row)?, *part))) {
            let total = case.row.side(side).total_weight.as_f64();
            for call in context.calls_to(case.row, side).into_iter().take(WIDEST) {
                let Some(caller) = context.caller(call).filter(|_| total > 0.0) else { continue };
                let Some(row) = context.row_number(caller.row) else { continue };
                let part = part * call.weight(side).as_f64() / total;
                if rows.contains(&row) {
                    found += part;
                } else if has_no_body(context, caller, side) {
                    *outer.entry(row).or_insert(0.0) += part;
                }
            }
        }
        level = outer;
    }
    found
}

/// Whether the set explains the row's change: one build does not contain it, or its own weight went to one that is new.
fn is_of_set(context: &Context<'_>, case: &Case<'_>, judged: Judged) -> bool {
    let is_fresh = Side::BOTH.into_iter().any(|side| case.held_by(side) == InBuild::No);
    let has_own_change = judged != Judged::Total || Side::BOTH.into_iter().any(|side| !case.is_sampled(side));
    is_fresh || (has_own_change && !context.common_shift.explains(case.row, judged))
}

/// The change of a set as a whole, in points.
pub(super) fn net_pp(context: &Context<'_>, set: &Succession) -> f64 {
    let (_, _, net_pp) = members(context, set);
    net_pp
}

fn reason(context: &Context<'_>, set: &Succession) -> Reason {
    let (before, after, net_pp) = members(context, set);
    Reason::Succession { before, after, net_pp }
}

/// The functions of a set on each side, and the change of their totals: what of one is inside another is counted once.
fn members(context: &Context<'_>, set: &Succession) -> (Vec<SetMember>, Vec<SetMember>, f64) {
    let PerSide { before, after } = PerSide::from_fn(|side| {
        let of = set.of(side);
        let member = |row: &usize| {
            let others: Vec<usize> = of.iter().copied().filter(|other| other != row).collect();
            let case = context.cases.get(*row)?;
            let total_pct = case.row.side(side).total_pct;
            let inside = part_below(context, *row, &others, side).min(1.0);
            Some(SetMember {
                name: case.row.name.to_string(),
                total_pct,
                outer_pct: (1.0 - inside) * total_pct,
                is_inside: inside >= MOSTLY,
            })
        };
        let mut members: Vec<SetMember> = of.iter().filter_map(member).collect();
        if members.iter().all(|member| member.is_inside) {
            // They call each other.
            members.iter_mut().take(1).for_each(|heaviest| {
                (heaviest.is_inside, heaviest.outer_pct) = (false, heaviest.total_pct);
            });
        }
        members
    });
    let sum = |members: &[SetMember]| members.iter().map(|member| member.outer_pct).sum::<f64>();
    let net_pp = context.common_shift.own_change_pp(sum(&before), sum(&after));
    (before, after, net_pp)
}
