//! The rules, in the order of decision: the first matching rule wins. One rule a file; `docs/verdicts.md` lists them in this
//! order, with a link to the section of each id.

mod asked_as_before;
mod below;
mod between_unknown;
mod called_again;
mod called_as_copied;
mod called_as_often;
mod callees;
mod callers;
mod changed_above;
mod checks;
mod code_counts;
mod code_quality;
mod common_shift;
mod cost_per_call;
mod costs_by_calls;
mod done_elsewhere;
mod edge;
mod entered;
mod family_cost;
mod fast_path;
mod flipped_callee;
mod flipped_caller;
mod goes_on;
mod growing_call;
mod handed_on;
mod holder;
mod in_between;
mod inline_flip;
mod left_copies;
mod less_code;
mod memory_users;
mod more_calls;
mod moved;
mod new_calls;
mod new_code;
mod newly_active;
mod noise;
mod not_visible;
mod own_work;
mod path_proof;
mod per_operation;
mod quick_way;
mod replaced_module;
mod same_binary;
mod same_source;
mod source_lines;
mod succession;
mod unseen_call;
mod ways_around;
mod weight;

pub(super) use checks::conditions_beyond;
pub(super) use code_counts::{
    calls_in_code, code_bytes, copies_in_code, frame_bytes, has_loop, has_no_body, is_inlined_only,
};
pub use family_cost::FamilyCost;
#[cfg(test)]
pub(super) use flipped_callee::FlippedCallee;
pub(super) use inline_flip::{FlippedCallers, flipped_callers};
pub(super) use weight::{has_same_code, is_relaid, place};

use pdiff_profile::Side;

use super::case::Case;
use super::cause::{Cause, Confidence, InBuild, Judged};
use super::context::Context;
use super::finding::Finding;
use super::limit::Limit;
use crate::compare::side_cut_more;

type Rule = fn(&Context<'_>, &Case<'_>, &FlippedCallers) -> Option<Finding>;

/// The rules in order.
const RULES: [Rule; 24] = [
    noise::rule,
    same_binary::rule,
    not_visible::unresolved,
    moved::rule,
    inline_flip::callee,
    flipped_caller::rule,
    code_quality::rule,
    quick_way::rule,
    succession::rule,
    replaced_module::rule,
    in_between::one_sided,
    new_code::rule,
    not_visible::one_sided,
    goes_on::rule,
    edge::rule,
    unseen_call::rule,
    below::rule,
    newly_active::rule,
    in_between::rule,
    more_calls::rule,
    less_code::rule,
    per_operation::rule,
    common_shift::rule,
    weight::rule,
];

/// What is said of a case whose callees changed for no known cause: it may at least be in another file.
pub(super) fn moved_meanwhile(context: &Context<'_>, case: &Case<'_>) -> Option<Finding> {
    moved::at_no_cost(context, case)
}

/// What is said of a case.
pub(super) fn judge(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Finding {
    let spoken = RULES.iter().find_map(|rule| rule(context, case, flipped));
    let finding = spoken.unwrap_or_else(|| callees::rule(context, case));
    let moved = match (finding.cause, finding.rule_id) {
        (Cause::Noise, _) => moved::at_no_cost(context, case),
        (_, "R-heavier" | "R-lighter") => moved::to_other_file(context, case),
        _ => None,
    };
    let finding =
        between_unknown::limited(context, case, cut_chains(context, case, moved.unwrap_or(finding)));
    if context.input.counts.is_some() { finding.with_counts() } else { finding }
}

/// A change of total is not certain where one side lacks callers in many more stacks. That a build does not have the function is
/// still known.
fn cut_chains(context: &Context<'_>, case: &Case<'_>, finding: Finding) -> Finding {
    let side = side_cut_more(&context.input.comparison.comparability);
    let is_change = finding.cause != Cause::Noise && finding.judged == Judged::Total;
    let Some(side) = side.filter(|_| is_change) else { return finding };
    let is_of_one_build = Side::BOTH.into_iter().any(|side| case.held_by(side) == InBuild::No);
    let at_most = if is_of_one_build { Confidence::Likely } else { Confidence::Unclear };
    finding.limited(at_most, Limit::ChainsCutMore(side))
}
