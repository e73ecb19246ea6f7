//! Callees that a change of inlining took out of a function, or put into it: what a function has under such a callee it had before, too,
//! in its own code.

use pdiff_profile::census::{BodyPart, Function};
use pdiff_profile::{PerSide, Side};

use crate::classify::case::{Case, share_pct};
use crate::classify::cause::Judged;
use crate::classify::context::Context;
use crate::classify::rules::FlippedCallers;
use crate::compare::Row;

use super::called_as_often::is_thin_on;
use super::checks::asks_and_calls_the_same;
use super::code_counts::copies_in_code;
use super::weight::place;

/// The part of a callee's growth that must be in what left it.
const EXPLAINING_PART: f64 = 0.5;

/// Whether a change of inlining took the callee, a row by number, out of the function or put it there.
pub(super) fn has_flipped(context: &Context<'_>, flipped: &FlippedCallers, row: &Row, callee: usize) -> bool {
    let of_row = context.row_number(row).and_then(|row| flipped.callees.get(&row));
    of_row.is_some_and(|callees| callees.iter().any(|flipped| flipped.row == callee))
}

/// Whether a callee that one side alone seems to have entered left the function by a change of inlining, or is part of it now, so that it
/// was entered on the other side as well. What has most of its weight in functions that it calls is no such callee: these would have
/// been seen.
pub(super) fn has_left(
    context: &Context<'_>,
    flipped: &FlippedCallers,
    case: &Case<'_>,
    (callee, side): (&Case<'_>, Side),
) -> bool {
    if is_thin_on(callee, side) {
        return false;
    }
    // The code of a function that runs only inlined is that of the function that contains it.
    [Some(case), place(context, case)].into_iter().flatten().any(|case| {
        context.row_number(callee.row).is_some_and(|callee| has_flipped(context, flipped, case.row, callee))
            || Side::BOTH.into_iter().any(|side| has_flipped_in_code(context, case, callee, side))
            || copies_in_code(context, case, callee, side.other())
                > copies_in_code(context, case, callee, side)
    })
}

/// The same by the code alone: too few samples may have been in the copies.
fn has_flipped_in_code(context: &Context<'_>, case: &Case<'_>, callee: &Case<'_>, inlined_on: Side) -> bool {
    let is_caller =
        |name: &str| *name == *case.row.name || case.row.names_on(inlined_on).any(|own| own == name);
    context
        .builds
        .flips(&callee.ids, inlined_on)
        .iter()
        .any(|flip| flip.names.values().any(|name| is_caller(name)))
}

/// Whether at least half of a function's growth is under functions that a change of inlining took out of it or put there, and less than half in
/// its own lines. Then these cost more, and not a way that leads to it.
pub(super) fn grew_by_what_left(context: &Context<'_>, flipped: &FlippedCallers, case: &Case<'_>) -> bool {
    let (row, shift) = (case.row, context.common_shift);
    let grown_pp = shift.own_change_pp(row.before.total_pct, row.after.total_pct);
    let own = Judged::OwnSelf.shares(row);
    if grown_pp <= 0.0 || shift.own_change_pp(own.0, own.1) >= EXPLAINING_PART * grown_pp {
        return false;
    }
    let under = context.calls_from(row, Side::After).into_iter().filter_map(|call| {
        let number = context.callee(call).and_then(|callee| context.row_number(callee.row))?;
        let pct = PerSide::from_fn(|side| share_pct(row, side, call.weight(side)));
        has_flipped(context, flipped, row, number).then(|| shift.own_change_pp(pct.before, pct.after))
    });
    under.sum::<f64>() >= EXPLAINING_PART * grown_pp
}

/// Whether the compiler kept the first check of a function in its callers before, as copies, and the rest as code of its own (GCC's `.part`),
/// and has the function whole now, with the code of that rest: the check is gone.
pub(super) fn was_split_at_check(context: &Context<'_>, case: &Case<'_>) -> bool {
    let has_only = |side: Side, is_part: bool| {
        let census = context.builds.census(side)?;
        let functions = || case.ids[side].iter().filter_map(|id| census.function(*id));
        let has_copies = functions().any(|function| function.inlined_instances() > 0);
        let bodies = functions().flat_map(Function::bodies).filter(|body| body.part != BodyPart::Cold);
        let mut parts = bodies.map(|body| body.part == BodyPart::Part);
        Some(parts.all(|part| part == is_part) && has_copies == is_part)
    };
    has_only(Side::Before, true) == Some(true)
        && has_only(Side::After, false) == Some(true)
        && asks_and_calls_the_same(context, case)
}
