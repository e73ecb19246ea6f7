//! Why functions cost more: verdicts with evidence.
//!
//! In: a comparison with its sampled calls, and the census of each side's build where there is one. Out: a [`Verdict`] per
//! function over the floor, decided by the first rule that applies (`rules`), and no more certain than its weakest gate
//! (`gates`). If a build cannot show something, that is "not visible", never absent, and the verdict makes no claim.
//! `docs/verdicts.md` lists the rules, with a link to the section of each.
//!
//! Laws: the same binary on both sides gives noise only; swapped sides give mirrored causes ([`Cause::mirrored`]).

mod background;
mod builds;
mod caller_flips;
mod case;
mod cause;
mod code_difference;
mod code_paths;
mod common_shift;
mod consequence;
mod context;
mod counts;
mod doubt;
mod evidence;
mod evidence_kind;
mod fact;
mod facts;
mod family;
mod finding;
mod finding_cause;
mod finding_origin;
mod gates;
mod input;
mod instances;
mod library;
mod like_code;
mod likeness;
mod limit;
mod look_up;
mod lost_callers;
mod missing;
mod module_pairs;
mod modules;
mod named_uses;
mod namesakes;
mod nesting;
mod places;
mod reason;
mod replaced_callees;
mod row_index;
mod rules;
mod setting;
mod sources;
mod succession;
mod succession_sets;
mod tags;
mod verdict;

pub use background::Foreground;
pub use cause::{Cause, Confidence, InBuild, Judged, Tag};
pub use code_difference::{CodeDifference, OtherUses};
pub use code_paths::{
    CodePaths, ConditionAround, FewerWays, SampledCode, SamplesAround, SamplesAtOne, SamplesOnce, TurnsAround,
};
pub use counts::{CallCounts, CallUnit, CountsError};
pub use evidence::Evidence;
pub use evidence_kind::EvidenceKind;
pub use fact::{CallInCode, CallsThere, Fact, InlinedCopies, SampledCaller, SourcePlace, SpinSign, TimeOf};
pub use finding_cause::{FindingCause, finding_causes};
pub use finding_origin::FunctionCause;
pub use input::{ClassifyInput, ClassifyKnowledge, Demands, ObjectBuilds};
pub use limit::{CodeLikeness, Limit, PartLimit};
pub use look_up::{FunctionLookup, look_up};
pub use missing::{Missing, MissingPart};
pub use reason::{EnteredBy, OtherCode, Reason, SelfChange, SetMember, TwinSearch};
pub use rules::FamilyCost;
pub use setting::SettingValues;
pub use verdict::{BuildDistance, Classification, Verdict, VerdictFamily};

use pdiff_profile::PerSide;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use case::Case;
use context::Context;
use finding::Finding;
use rules::FlippedCallers;

use crate::policy::Share;

/// Says of every function over the floor what happened to it, and why.
#[must_use]
pub fn classify(input: &ClassifyInput<'_>) -> Classification {
    let context = Context::new(input);
    let flipped = rules::flipped_callers(&context);
    let (rows, mut verdicts) = verdicts_over_floor(&context, &flipped);
    let flips = flips_of(rows.iter().copied(), &flipped);
    let families = family::set_families(&mut verdicts, &flips, context.common_shift);
    let settings = input.settings.cloned();
    let missing = missing::missing(input, &context.builds);
    let rebuilt = context.rebuilt_objects();
    Classification { verdicts, families, missing, distance: context.distance, rebuilt, settings }
}

/// Everything that is known about functions: verdicts on those of rows, by their names; and what the builds hold of a name
/// that no row has. [`look_up`] finds names.
#[must_use]
pub fn explain(input: &ClassifyInput<'_>, names: &[String]) -> (Vec<Verdict>, Vec<Evidence>) {
    let context = Context::new(input);
    let flipped = rules::flipped_callers(&context);
    // What follows from others is known only with the verdicts on these.
    let (rows, mut verdicts) = verdicts_over_floor(&context, &flipped);
    verdicts.retain(|verdict| names.contains(&verdict.function));
    let small = context.cases.iter().enumerate().filter(|(row, _)| rows.binary_search(row).is_err());
    let named = small.filter(|(_, case)| names.iter().any(|name| **name == *case.row.name));
    verdicts.extend(named.map(|(_, case)| verdict_of(&context, case, &flipped)));
    let facts = match names.first().filter(|_| verdicts.is_empty()) {
        Some(name) => facts::facts_of_name(&context.builds, name),
        None => Vec::new(),
    };
    (verdicts, facts)
}

/// The verdicts on the rows over the floor, and the numbers of these rows.
fn verdicts_over_floor(context: &Context<'_>, flipped: &FlippedCallers) -> (Vec<usize>, Vec<Verdict>) {
    let numbered = context.cases.iter().enumerate();
    let (rows, cases): (Vec<usize>, Vec<&Case<'_>>) =
        numbered.filter(|(_, case)| verdict::is_over_floor(case.row)).unzip();
    succession::look_ahead(context, flipped);
    let mut verdicts: Vec<Verdict> =
        cases.par_iter().map(|case| verdict_of(context, case, flipped)).collect();
    replaced_callees::limit_leading(context, &rows, &mut verdicts);
    consequence::mark_called(context, &rows, &mut verdicts);
    doubt::limit_callers(&mut verdicts, context.is_patched);
    consequence::mark_callers(context, &rows, &mut verdicts);
    // Callers of what became unclear by that.
    doubt::limit_callers(&mut verdicts, context.is_patched);
    for (row, verdict) in rows.iter().zip(&mut verdicts) {
        let case = context.cases.get(*row).filter(|_| verdict.limited_by == Some(Limit::UnclearCallees));
        let moved = case.and_then(|case| Some((case, rules::moved_meanwhile(context, case)?)));
        if let Some((case, moved)) = moved {
            *verdict = verdict_with(context, case, moved);
        }
    }
    (rows, verdicts)
}

fn verdict_of(context: &Context<'_>, case: &Case<'_>, flipped: &FlippedCallers) -> Verdict {
    verdict_with(context, case, rules::judge(context, case, flipped))
}

fn verdict_with(context: &Context<'_>, case: &Case<'_>, finding: Finding) -> Verdict {
    let is_claim = finding.cause != Cause::Noise;
    let comparison = context.input.comparison;
    let finding = if is_claim && comparison.has_nothing_in_common() {
        finding.limited(Confidence::Unclear, Limit::SidesIncomparable)
    } else if is_claim && comparison.coverage.is_unverified(&case.row.object) {
        finding.limited(Confidence::Likely, Limit::NotVerified)
    } else {
        finding
    };
    let (confidence, limited_by) = finding.confidence();
    let (tags, tag_facts) = tags::tags(context, case, finding.cause);
    let mut evidence = finding.evidence;
    let difference = code_difference::of(context, case, &finding.reason);
    evidence.extend(difference.map(Fact::CodeDiffers).map(Evidence::from));
    evidence.extend(facts::counted(context, case, &evidence));
    evidence.extend(facts::facts(context, case));
    evidence.extend(tag_facts);
    let row = case.row;
    let in_build = PerSide::from_fn(|side| match limited_by {
        // Its code may be in that of its callers.
        Some(Limit::InlinedWithoutInstance(hidden)) if hidden == side => InBuild::NotVisible,
        _ => case.in_build[side],
    });
    let net_new_per_op_ns = net_new_per_op_ns(context, case, &finding.reason, finding.judged);
    Verdict {
        function: row.name.to_string(),
        object: row.object.to_string(),
        file: row.file.as_deref().map(str::to_owned),
        is_by_file: row.matched.by_file.is_some(),
        rule_id: finding.rule_id,
        cause: finding.cause,
        confidence,
        limited_by,
        reason: finding.reason,
        judged: finding.judged,
        before: row.before.clone(),
        after: row.after.clone(),
        ci_low_pp: row.ci_low_pp,
        ci_high_pp: row.ci_high_pp,
        q_value: row.test.q(),
        cost_change: finding.judged.cost_change(row),
        net_new_per_op_ns,
        family: None,
        callers: finding.callers,
        tags,
        presence: row.presence,
        in_before: in_build.before,
        in_after: in_build.after,
        other_name: case.other_name.clone(),
        evidence,
    }
}

/// New or saved cost per operation: the net change of the set or family that a reason names, or of the measure itself.
fn net_new_per_op_ns(context: &Context<'_>, case: &Case<'_>, reason: &Reason, judged: Judged) -> Option<f64> {
    let comparison = context.input.comparison;
    let cost = comparison.cost.as_ref().filter(|cost| cost.is_time && comparison.share == Share::All)?;
    let (before, after) = judged.shares(case.row);
    let net_pp = match reason {
        Reason::Succession { net_pp, .. } | Reason::Renamed { net_pp, .. } => *net_pp,
        Reason::Flipped { family: Some(family), .. } => family.net_pp,
        // The verdict on the callee has the net of both.
        Reason::CalleesFlipped { .. } => return None,
        _ => context.common_shift.own_change_pp(before, after),
    };
    Some(cost.per_op.after * net_pp / 100.0)
}

/// Pairs of verdicts, by their place: a flipped function, and a caller that has a verdict. `rows` are those that have.
fn flips_of(rows: impl Iterator<Item = usize>, flipped: &FlippedCallers) -> Vec<(usize, usize)> {
    let place: FxHashMap<usize, usize> = rows.enumerate().map(|(at, row)| (row, at)).collect();
    let mut pairs = Vec::new();
    for (caller, callees) in &flipped.callees {
        for callee in callees {
            pairs.extend(place.get(&callee.row).copied().zip(place.get(caller).copied()));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use pdiff_profile::Side;

    use super::rules::FlippedCallee;
    use super::*;

    #[test]
    fn families_join_rows_and_not_names() {
        // Rows 3 and 4 are two static functions of one name; row 4 alone flipped, in the caller of row 1. Row 2 has no
        // verdict, and row 0 is below the floor.
        let callee =
            FlippedCallee { row: 4, inlined_on: Side::Before, delta_booked_pp: 1.0, is_seen_called: true };
        let callees = [(1, vec![callee]), (0, vec![callee])].into_iter().collect();
        let flipped = FlippedCallers { callees, ..FlippedCallers::default() };
        assert_eq!(flips_of([1, 3, 4].into_iter(), &flipped), [(2, 0)]);
    }
}
