//! Reasons why a claim is not proved: the gates that all rules share.

use pdiff_profile::Side;
use pdiff_profile::census::Visibility;

use super::case::Case;
use super::cause::{Confidence, InBuild, Judged};
use super::context::Context;
use super::finding::Finding;
use super::input::Demands;
use super::limit::Limit;
use crate::matching::FoundBy;
use crate::noise::MIN_SAMPLES;

/// Gates on the number of samples and on how the function was found on both sides.
pub(super) fn common(finding: Finding, case: &Case<'_>) -> Finding {
    matched(sampled(finding, case), case)
}

fn sampled(finding: Finding, case: &Case<'_>) -> Finding {
    let row = case.row;
    let samples = match finding.judged {
        Judged::OwnSelf => row.before.samples.max(row.after.samples),
        Judged::Booked => row.booked.before_samples.max(row.booked.after_samples),
        Judged::Total => row.total.before_samples.max(row.total.after_samples),
    };
    if samples < MIN_SAMPLES {
        return finding.limited(Confidence::Unclear, Limit::FewSamples(samples));
    }
    finding
}

fn matched(finding: Finding, case: &Case<'_>) -> Finding {
    if case.row.matched.ambiguous || case.found.is_some_and(|found| found.is_ambiguous) {
        return finding.limited(Confidence::Unclear, Limit::SameNamed);
    }
    match case.level() {
        level @ (FoundBy::Fuzzy | FoundBy::Unqualified) => {
            finding.limited(Confidence::Unclear, Limit::Found(level))
        }
        level @ (FoundBy::Loose | FoundBy::Alias | FoundBy::Structure | FoundBy::Code) => {
            finding.limited(Confidence::Likely, Limit::Found(level))
        }
        _ => finding,
    }
}

/// The gate of claims that rest on samples where an inlining change could be the reason for them.
pub(super) fn inlining_ruled_out(finding: Finding, context: &Context<'_>, case: &Case<'_>) -> Finding {
    if !case.of_program || context.builds.see_inlines() {
        return finding;
    }
    for side in Side::BOTH {
        if context.builds.visibility(side) == Some(Visibility::DynamicSymbols) {
            return finding.limited(Confidence::Unclear, Limit::Stripped(side));
        }
    }
    let at_most = match context.input.demands {
        Demands::Any => Confidence::Likely,
        Demands::InlineProof => Confidence::Unclear,
    };
    finding.limited(at_most, Limit::NoDebugInfo)
}

/// The gate of claims that compilers could be behind.
pub(super) fn one_compiler(finding: Finding, context: &Context<'_>, case: &Case<'_>) -> Finding {
    match context.builds.same_compiler(&case.ids) {
        Some(true) => finding,
        Some(false) => finding.limited(Confidence::Likely, Limit::OtherCompilers),
        None => finding.limited(Confidence::Likely, Limit::UnknownCompilers),
    }
}

/// Whether a build contains the function for sure.
pub(super) fn is_held(case: &Case<'_>, side: Side) -> bool {
    case.held_by(side) == InBuild::Yes
}
