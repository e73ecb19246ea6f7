//! `R-common-shift`: the share changed as that of every unchanged function did, for what grew or shrank elsewhere takes
//! or leaves share.

use pdiff_profile::census::Function;
use pdiff_profile::{PerSide, Side, Weight};

use super::code_counts::is_inlined_only;
use super::fast_path;
use super::weight::changed;
use crate::classify::case::{Case, share_pct};
use crate::classify::cause::{Cause, Confidence, Judged};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;
use crate::compare::{CostChange, InlinedInto, MatchedBy, Row};
use crate::matching::FoundBy;
use crate::noise::FLOOR_RELATIVE;

/// The part of a function's change that must be in its copies, and the part of that by which the functions that contain them must
/// have changed as well, for the change to be one of cost.
const EXPLAINING_PART: f64 = 0.5;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let judged = changed(case)?;
    let shift = context.common_shift;
    if let Some(finding) = within_place(context, case) {
        return Some(finding);
    }
    let is_explained = |of: &Judged| {
        let is_own = *of == Judged::OwnSelf && shift.explains_own_code(case.row);
        !of.is_significant(case.row) || shift.explains(case.row, *of) || is_own
    };
    let significant = Judged::ALL.iter().copied().filter(|of| of.is_significant(case.row));
    let other_way = significant.filter_map(|of| shift.other_way(case.row, of)).next();
    if !Judged::ALL.iter().all(is_explained) {
        return None;
    }
    // None of its own measures tells of a path that the chains lost.
    if let Some(finding) = fast_path::hidden(context, case, flipped) {
        return Some(finding);
    }
    if case.row.matched.by == MatchedBy::Alias {
        let before = case.row.name_on(Side::Before).unwrap_or_default();
        let reason = Reason::KnownRename { before: before.to_owned(), after: case.row.name.to_string() };
        let moved = Finding::new("R-moved", Cause::Moved, judged, reason);
        return Some(moved.limited(Confidence::Likely, Limit::Found(FoundBy::Alias)));
    }
    // Where runs tell how the cost of an operation varies, a share that others pushed down is not all that is known.
    let cost_change = other_way.and_then(|of| Some((of, of.cost_change(case.row)?)));
    if let Some((judged, change)) = cost_change.filter(|(_, change)| is_unlike_typical(change)) {
        let reason = Reason::CostAgainstShare { judged, change, share_pp: judged.delta_pp(case.row) };
        let finding = Finding::new("R-common-shift", Cause::Unclear, judged, reason);
        return Some(finding.limited(Confidence::Unclear, Limit::CostVaries));
    }
    let reason = Reason::CommonShift {
        other_way: other_way.is_some(),
        judged: other_way.unwrap_or(judged),
        delta_pp: other_way.unwrap_or(judged).delta_pp(case.row),
        factor: shift.factor(),
        with_inlined: !shift.explains(case.row, judged),
    };
    let finding = Finding::new("R-common-shift", Cause::Noise, judged, reason);
    let limit = match context.input.comparison.cost {
        Some(_) => Limit::InCommon,
        None => Limit::SharesAlone,
    };
    Some(finding.limited(Confidence::Likely, limit))
}

/// Whether a cost did not change as that of the typical function did, as far as is known.
fn is_unlike_typical(change: &CostChange) -> bool {
    let own_pct = change.own.and_then(|own| own.pct);
    own_pct.is_none_or(|pct| pct.abs() >= 100.0 * FLOOR_RELATIVE)
}

/// Whether a function runs only inlined, from as many copies in both builds.
fn has_as_many_copies(context: &Context<'_>, case: &Case<'_>) -> bool {
    let copies = PerSide::from_fn(|side| {
        let census = context.builds.census(side);
        let functions = case.ids[side].iter().filter_map(|id| census?.function(*id));
        functions.map(Function::inlined_instances).sum::<u64>()
    });
    is_inlined_only(context, case) && copies.before > 0 && copies.before == copies.after
}

/// A function whose copies weigh more, or less, while the functions that contain them do not: their lines went from one to the
/// other, and cost nothing.
fn within_place(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    let (row, shift) = (case.row, context.common_shift);
    let own_pp = shift.own_change_pp(row.before.self_pct, row.after.self_pct);
    // Of other versions of a program, a part of a function may do more and another one less, but not the same one.
    let may_tell = context.is_patched || has_as_many_copies(context, case);
    if !row.significant || row.booked.significant || !case.of_program || !may_tell {
        return None;
    }
    let (mut copies_pp, mut places_pp, mut main) = (0.0, 0.0, None::<(f64, &Case<'_>)>);
    let mut known: Vec<&Row> = Vec::new();
    for copy in row.inlined_into(Side::Before).iter().chain(row.inlined_into(Side::After)) {
        let place = context.case(&copy.caller, &row.object, copy.caller_file.as_deref());
        let Some(place) = place else { continue };
        if known.iter().any(|known| std::ptr::eq(*known, place.row)) {
            continue;
        }
        known.push(place.row);
        let in_place = |copies: &[InlinedInto]| -> Weight {
            let of_place =
                copies.iter().filter(|of| (&of.caller, &of.caller_file) == (&copy.caller, &copy.caller_file));
            of_place.map(|copy| copy.weight).sum()
        };
        let (before, after) =
            (in_place(row.inlined_into(Side::Before)), in_place(row.inlined_into(Side::After)));
        let pct = (share_pct(row, Side::Before, before), share_pct(row, Side::After, after));
        let change_pp = shift.own_change_pp(pct.0, pct.1);
        if change_pp * own_pp <= 0.0 {
            continue;
        }
        let of_place = shift.own_change_pp(place.row.before.booked_self_pct, place.row.after.booked_self_pct);
        copies_pp += change_pp.abs();
        places_pp += (of_place * own_pp.signum()).max(0.0);
        if main.is_none_or(|(most, _)| change_pp.abs() > most) {
            main = Some((change_pp.abs(), place));
        }
    }
    let (_, place) = main?;
    if copies_pp < EXPLAINING_PART * own_pp.abs() || places_pp >= EXPLAINING_PART * copies_pp {
        return None;
    }
    let reason = Reason::WithinPlace { place: place.row.name.to_string(), self_pp: row.delta_self_pp() };
    let finding = Finding::new("R-common-shift", Cause::Noise, Judged::OwnSelf, reason);
    let limit = match context.input.comparison.cost {
        Some(_) => Limit::LinesAlone,
        None => Limit::SharesAlone,
    };
    Some(finding.limited(Confidence::Likely, limit))
}
