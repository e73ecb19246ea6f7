//! `R-module`: the function belongs to a part of the program that was rewritten under new names, or to the part that
//! replaced it.

use super::weight::changed;
use crate::classify::case::Case;
use crate::classify::cause::{Cause, Confidence};
use crate::classify::context::Context;
use crate::classify::finding::Finding;
use crate::classify::gates;
use crate::classify::limit::Limit;
use crate::classify::module_pairs::ReplacedModules;
use crate::classify::reason::Reason;
use crate::classify::rules::FlippedCallers;

pub(super) fn rule(context: &Context<'_>, case: &Case<'_>, _: &FlippedCallers) -> Option<Finding> {
    let row = context.row_number(case.row)?;
    let judged = changed(case)?;
    let pair = context.modules.get_or_init(|| ReplacedModules::new(context)).of_row(row)?;
    let weight = |side: usize| pair.modules[side].iter().map(|(_, weight)| weight).sum::<f64>();
    let net_pp = context.common_shift.own_change_pp(weight(0), weight(1));
    let [before, after] = pair.modules.clone();
    let reason = Reason::ReplacedModules { before, after, net_pp };
    let finding = Finding::new("R-module", Cause::Moved, judged, reason);
    Some(gates::common(finding.limited(Confidence::Likely, Limit::ByPlace), case))
}
