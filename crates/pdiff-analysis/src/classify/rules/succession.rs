//! `R-succession`: a function that one build alone has took over the weight of others, or left its weight to them. Moved
//! where one replaced one, split where more have the weight after, merged where fewer have.

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

use super::weight::changed;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Option<Finding> {
    let row = context.row_number(case.row)?;
    let set = successions(context, flipped).of_row(row)?;
    let judged = changed(case).filter(|judged| is_of_set(context, case, *judged))?;
    let cause = match set.before.len().cmp(&set.after.len()) {
        std::cmp::Ordering::Less => Cause::Split,
        std::cmp::Ordering::Equal => Cause::Moved,
        std::cmp::Ordering::Greater => Cause::Merged,
    };
    let finding = Finding::new("R-succession", cause, judged, reason(context, set));
    Some(gates::common(finding.limited(Confidence::Likely, Limit::ByPlace), case))
}

/// Whether the set explains the row's change: one build does not contain it, or its own weight went to one that is new.
fn is_of_set(context: &Context<'_>, case: &Case<'_>, judged: Judged) -> bool {
    let is_fresh = Side::BOTH.into_iter().any(|side| case.held_by(side) == InBuild::No);
    let has_own_change = judged != Judged::Total || Side::BOTH.into_iter().any(|side| !case.is_sampled(side));
    is_fresh || (has_own_change && !context.common_shift.explains(case.row, judged))
}

/// The set, and the change of its functions' totals: what of one is inside another is counted once.
fn reason(context: &Context<'_>, set: &Succession) -> Reason {
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
    Reason::Succession { before, after, net_pp }
}
