//! Findings as JSON: the parts that contain the change, and the rest, on both sides.

use std::collections::BTreeMap;

use pdiff_analysis::classify::{Classification, FindingCause, FunctionCause, Verdict, finding_causes};
use pdiff_analysis::{
    Comparison, Finding, FindingMember, FindingSetting, FindingSide, FindingsRest, KernelPart,
};
use pdiff_profile::PerSide;
use serde::Serialize;

use crate::verdicts::words::part_limit_text;

/// One finding.
#[derive(Serialize)]
pub(crate) struct FindingReport<'a> {
    rank: usize,
    kind: &'static str,
    name: &'a str,
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsystem: Option<&'a str>,
    before: FindingSideReport,
    after: FindingSideReport,
    delta_pp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op_ns: Option<f64>,
    ci_low_pp: f64,
    ci_high_pp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ci_low_per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ci_high_per_op: Option<f64>,
    q_value: f64,
    /// Of the change of cost per operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_share_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_share_ci: Option<[f64; 2]>,
    /// Where verdicts tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code_is_new: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<FunctionCauseReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<FunctionCauseReport>,
    polling_pct: PollingReport,
    settings: Vec<SettingReport<'a>>,
    members: Vec<MemberReport<'a>>,
    kernel: Vec<KernelPartReport>,
    callers: &'a [String],
    with_callers: bool,
}

/// A function, and why it changed.
#[derive(Serialize)]
struct FunctionCauseReport {
    function: String,
    cause: &'static str,
    confidence: &'static str,
}

/// The part of each side's weight that busy-waits, in percent.
#[derive(Serialize)]
struct PollingReport {
    before: f64,
    after: f64,
}

/// A setting that differs and switches a finding.
#[derive(Serialize)]
struct SettingReport<'a> {
    name: &'a str,
    /// `null` where the side's server does not know it.
    before: Option<&'a str>,
    after: Option<&'a str>,
}

/// Weights of both sides, and their change.
#[derive(Serialize)]
struct ChangeReport {
    before_weight: u64,
    after_weight: u64,
    delta_pp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op_ns: Option<f64>,
}

/// What a function spends itself in a finding's stacks.
#[derive(Serialize)]
struct MemberReport<'a> {
    /// `null` for all that are too light to be named.
    name: Option<&'a str>,
    object: &'a str,
    #[serde(flatten)]
    change: ChangeReport,
    /// Of the function everywhere, where verdicts tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

/// The work of the kernel in a finding's stacks, for one reason.
#[derive(Serialize)]
struct KernelPartReport {
    kind: &'static str,
    #[serde(flatten)]
    change: ChangeReport,
}

/// Samples of one side.
#[derive(Serialize)]
pub(crate) struct FindingSideReport {
    weight: u64,
    samples: u64,
    pct: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_op: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_op_ns: Option<f64>,
}

/// All that no finding holds.
#[derive(Serialize)]
pub(crate) struct RestReport {
    before: FindingSideReport,
    after: FindingSideReport,
    delta_pp: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta_per_op: Option<f64>,
    /// New over old share of a place that did not change.
    common_factor: f64,
    /// New over old cost per operation of the median place.
    #[serde(skip_serializing_if = "Option::is_none")]
    common_cost_ratio: Option<f64>,
    /// What that factor makes of the rest's share, in points.
    common_shift_pp: f64,
    /// Changes beyond noise that were too many to list.
    unlisted: usize,
    /// The sum of those without sign, in points.
    unlisted_pp: f64,
    /// The same of all changes beyond noise.
    significant_pp: f64,
    /// A function of a system library that changed beyond noise in no finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    outside: Option<OutsideReport>,
    /// The samples whose recorded stacks lack the function that was called last.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_callers: Option<MissingReport>,
}

#[derive(Serialize)]
struct OutsideReport {
    function: String,
    object: String,
    /// The part of its change that is in no finding, in points.
    delta_pp: f64,
}

#[derive(Serialize)]
struct MissingReport {
    /// The code names it, so that findings have it back.
    told_pct: SidesReport,
    /// It was called through a pointer.
    unknown_pct: SidesReport,
}

#[derive(Serialize)]
struct SidesReport {
    before: f64,
    after: f64,
}

/// All findings of a comparison.
pub(crate) fn findings(of: &Comparison) -> Vec<FindingReport<'_>> {
    let is_time = of.cost.as_ref().is_some_and(|cost| cost.is_time);
    of.findings.list.iter().map(|finding| report(finding, is_time)).collect()
}

/// All findings, each with its cause, and with the verdicts on the functions inside.
pub(crate) fn with_verdicts<'a>(of: &'a Comparison, verdicts: &Classification) -> Vec<FindingReport<'a>> {
    let mut reports = with_causes(of, &finding_causes(&of.findings, verdicts));
    let by_name: BTreeMap<(&str, &str), &Verdict> =
        verdicts.verdicts.iter().map(|of| ((of.function.as_str(), of.object.as_str()), of)).collect();
    for member in reports.iter_mut().flat_map(|report| &mut report.members) {
        let verdict = member.name.and_then(|name| by_name.get(&(name, member.object)));
        member.cause = verdict.map(|of| of.cause.as_str());
        member.confidence = verdict.map(|of| of.confidence.as_str());
    }
    reports
}

/// All findings, each with its cause.
pub(crate) fn with_causes<'a>(of: &'a Comparison, causes: &[FindingCause]) -> Vec<FindingReport<'a>> {
    let mut reports = findings(of);
    for (report, of) in reports.iter_mut().zip(causes) {
        report.cause = Some(of.cause.as_str());
        report.confidence = Some(of.confidence.as_str());
        report.limited_by = of.limited_by.as_ref().map(part_limit_text);
        report.code_is_new = of.code_is_new;
        let function = |of: &FunctionCause| FunctionCauseReport {
            function: of.function.clone(),
            cause: of.cause.as_str(),
            confidence: of.confidence.as_str(),
        };
        report.inside = of.inside.as_ref().map(function);
        report.origin = of.origin.as_ref().map(function);
    }
    reports
}

/// What no finding holds.
pub(crate) fn rest(of: &Comparison) -> RestReport {
    let is_time = of.cost.as_ref().is_some_and(|cost| cost.is_time);
    let rest: &FindingsRest = &of.findings.rest;
    RestReport {
        before: side(&rest.before, is_time),
        after: side(&rest.after, is_time),
        delta_pp: rest.delta_pp(),
        delta_per_op: rest.delta_per_op(),
        common_factor: rest.common_factor,
        common_cost_ratio: rest.common_cost_ratio,
        common_shift_pp: rest.before.pct * (rest.common_factor - 1.0),
        unlisted: rest.unlisted,
        unlisted_pp: rest.unlisted_pp,
        significant_pp: rest.significant_pp,
        outside: super::rest::outside(of).map(|(row, delta_pp)| OutsideReport {
            function: row.name.to_string(),
            object: row.object.to_string(),
            delta_pp,
        }),
        missing_callers: of.missing_callers.map(|PerSide { before, after }| MissingReport {
            told_pct: SidesReport { before: before.told_pct, after: after.told_pct },
            unknown_pct: SidesReport { before: before.unknown_pct, after: after.unknown_pct },
        }),
    }
}

fn report(of: &Finding, is_time: bool) -> FindingReport<'_> {
    FindingReport {
        rank: of.rank,
        kind: of.kind.as_str(),
        name: &of.name,
        object: &of.object,
        subsystem: of.subsystem.as_deref(),
        before: side(&of.before, is_time),
        after: side(&of.after, is_time),
        delta_pp: of.delta_pp(),
        delta_per_op: of.delta_per_op(),
        delta_per_op_ns: of.delta_per_op().filter(|_| is_time),
        ci_low_pp: of.interval_pp.0,
        ci_high_pp: of.interval_pp.1,
        ci_low_per_op: of.interval_per_op.map(|(low, _)| low),
        ci_high_per_op: of.interval_per_op.map(|(_, high)| high),
        q_value: of.q_value,
        gap_share_pct: of.share_of_change_pct,
        gap_share_ci: of.share_of_change_interval().map(|(low, high)| [low, high]),
        cause: None,
        confidence: None,
        limited_by: None,
        code_is_new: None,
        inside: None,
        origin: None,
        polling_pct: PollingReport { before: of.before.polling_pct(), after: of.after.polling_pct() },
        settings: of.settings.iter().map(setting).collect(),
        members: of.members.iter().map(|of| member(of, is_time)).collect(),
        kernel: of.kernel.iter().map(|of| kernel_part(of, is_time)).collect(),
        callers: &of.callers,
        with_callers: of.with_callers,
    }
}

pub(super) fn side(of: &FindingSide, is_time: bool) -> FindingSideReport {
    FindingSideReport {
        weight: of.weight.0,
        samples: of.samples,
        pct: of.pct,
        per_op: of.per_op,
        per_op_ns: of.per_op.filter(|_| is_time),
    }
}

fn setting(of: &FindingSetting) -> SettingReport<'_> {
    let PerSide { before, after } = of.values.as_ref().map(Option::as_deref);
    SettingReport { name: &of.name, before, after }
}

fn change(
    (before, after): (&FindingSide, &FindingSide),
    (delta_pp, delta_per_op): (f64, Option<f64>),
    is_time: bool,
) -> ChangeReport {
    ChangeReport {
        before_weight: before.weight.0,
        after_weight: after.weight.0,
        delta_pp,
        delta_per_op,
        delta_per_op_ns: delta_per_op.filter(|_| is_time),
    }
}

fn kernel_part(of: &KernelPart, is_time: bool) -> KernelPartReport {
    KernelPartReport {
        kind: of.kind.as_str(),
        change: change((&of.before, &of.after), (of.delta_pp(), of.delta_per_op()), is_time),
    }
}

fn member(of: &FindingMember, is_time: bool) -> MemberReport<'_> {
    MemberReport {
        name: Some(of.name.as_str()).filter(|name| !name.is_empty()),
        object: &of.object,
        change: change((&of.before, &of.after), (of.delta_pp(), of.delta_per_op()), is_time),
        cause: None,
        confidence: None,
    }
}
