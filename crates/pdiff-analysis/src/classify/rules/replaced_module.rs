//! `R-module`: the function belongs to a part of the program that was rewritten under new names, or to the part that
//! replaced it. So does a generic function of a library that one build alone has an instance of, if such a part called it.

use pdiff_profile::{PerSide, Side};

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence, InBuild};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::library::is_library;
use crate::classify::limit::Limit;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

/// How many functions of libraries in a row are looked through.
const DEEPEST: usize = 16;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = context.row_number(case.row)?;
    let judged = changed(case)?;
    let modules = context.modules();
    let pair = modules.of_row(row).or_else(|| modules.of_row(own_caller(context, case)?))?;
    let weight = |side: Side| pair.modules[side].iter().map(|(_, weight)| weight).sum::<f64>();
    let net_pp = context.common_shift.own_change_pp(weight(Side::Before), weight(Side::After));
    let PerSide { before, after } = pair.modules.clone();
    let reason = Reason::ReplacedModules { before, after, net_pp };
    let finding = Finding::new("R-module", Cause::Moved, judged, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::ByPlace), case))
}

/// The row of the program's own function that mostly called a library's function, which one build alone has.
fn own_caller(context: &Context<'_>, case: &Case<'_>) -> Option<usize> {
    let with = Side::BOTH.into_iter().find(|side| case.held_by(side.other()) == InBuild::No)?;
    let mut here = case;
    for _ in 0..DEEPEST {
        if !is_library(here) {
            return context.row_number(here.row);
        }
        here = context.calls_to(here.row, with).into_iter().find_map(|call| context.caller(call))?;
    }
    None
}
