//! Verdicts as JSON, schema version 1: every function over the floor, noise included.

use std::collections::BTreeMap;

use pdiff_analysis::classify::{Classification, Evidence, Verdict, VerdictFamily};
use pdiff_analysis::{Comparison, Quantities};
use pdiff_profile::Side;
use serde::Serialize;
use serde_json::Value;

use crate::compare::json::{cost, side};
use crate::compare::json_shape::{CostChangeReport, CostReport, PolicyReport, SCHEMA_VERSION, SideReport};
use crate::error::Error;
use crate::files::written_bytes::{json_line, json_value};
use crate::findings;
use crate::findings::json::{FindingReport, RestReport};
use crate::findings::kernel_json::KernelReport;
use crate::findings::one::ExplainedFinding;
use crate::settings::json::SettingsReport;
use crate::verdicts::code_json::{CodeExtent, FunctionCodeReport};
use crate::verdicts::explain::ExplainView;
use crate::verdicts::hot_lines::FunctionLinesReport;
use crate::verdicts::words::{fact_numbers, fact_text, limit_text, missing_text, reason_text};

#[derive(Serialize)]
struct ClassifyReport<'a> {
    schema_version: u32,
    before: SideReport<'a>,
    after: SideReport<'a>,
    policy: PolicyReport,
    denominator: &'static str,
    /// What an operation costs on each side, where operations are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<CostReport>,
    /// The parts that contain the change, with their causes.
    findings: Vec<FindingReport<'a>>,
    findings_rest: RestReport,
    /// The work of the kernel by who entered it and what for.
    kernel: Vec<KernelReport<'a>>,
    verdicts: Vec<VerdictReport<'a>>,
    families: Vec<FamilyReport<'a>>,
    /// What is missing for proof, and how to supply it.
    missing: Vec<String>,
    /// How far the builds are from each other, where functions could be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    builds: Option<BuildsReport>,
    /// How the servers' settings differ, where they are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<SettingsReport<'a>>,
}

#[derive(Serialize)]
struct BuildsReport {
    /// Which functions were compared: `sampled` or `all`.
    functions: &'static str,
    compared: usize,
    same_code: usize,
    /// `null` if too few functions were compared to tell.
    a_patch_apart: Option<bool>,
}

#[derive(Serialize)]
struct VerdictReport<'a> {
    name: &'a str,
    /// The same, under the key of the first versions.
    function: &'a str,
    object: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    rule_id: &'static str,
    cause: &'static str,
    confidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_by: Option<String>,
    reason: String,
    /// The measure that the verdict is about: `self`, `booked` or `total`.
    judged_by: &'static str,
    before: SharesReport,
    after: SharesReport,
    delta_self_pp: f64,
    delta_booked_pp: f64,
    delta_total_pp: f64,
    ci_low_pp: f64,
    ci_high_pp: f64,
    q_value: Option<f64>,
    /// Change of the judged measure per operation, where it was tested.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_change: Option<CostChangeReport>,
    /// Whether it is code that the before binary does not have, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    code_is_new: Option<bool>,
    /// What is new or saved per operation, its set or inlining family together.
    #[serde(skip_serializing_if = "Option::is_none")]
    net_new_per_op_ns: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family_id: Option<usize>,
    callers: &'a [String],
    tags: Vec<&'static str>,
    sampled: BothReport<bool>,
    in_build: BothReport<&'static str>,
    evidence: Vec<EvidenceReport>,
}

#[derive(Serialize)]
struct SharesReport {
    self_pct: f64,
    booked_self_pct: f64,
    total_pct: f64,
    x_pct: f64,
}

#[derive(Serialize)]
struct BothReport<T> {
    before: T,
    after: T,
}

#[derive(Serialize)]
struct EvidenceReport {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    text: String,
    numbers: BTreeMap<&'static str, f64>,
}

#[derive(Serialize)]
struct FamilyReport<'a> {
    id: usize,
    members: &'a [String],
    booked_delta_pp: f64,
    moved_pp: f64,
    body_pp: f64,
    call_overhead_pp: f64,
}

/// The verdicts as one line of JSON.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn verdict_json(comparison: &Comparison, of: &Classification) -> Result<Vec<u8>, Error> {
    json_line(&report(comparison, of, &of.verdicts))
}

/// The same as a value of JSON, without the verdicts, and without what the comparison's own JSON has.
pub(crate) fn value_without_verdicts(comparison: &Comparison, of: &Classification) -> Result<Value, Error> {
    json_value(&ClassifyReport { cost: None, ..report(comparison, of, &[]) })
}

/// One verdict as a value of JSON.
pub(crate) fn verdict_value(of: &Verdict) -> Result<Value, Error> {
    json_value(&verdict(of))
}

fn report<'a>(
    comparison: &'a Comparison,
    of: &'a Classification,
    verdicts: &'a [Verdict],
) -> ClassifyReport<'a> {
    ClassifyReport {
        schema_version: SCHEMA_VERSION,
        before: side(&comparison.before),
        after: side(&comparison.after),
        policy: comparison.policy.into(),
        denominator: comparison.share.as_str(),
        cost: comparison.cost.as_ref().map(cost),
        findings: findings::json::with_verdicts(comparison, of),
        findings_rest: findings::json::rest(comparison),
        kernel: findings::kernel_json::kernel(comparison),
        verdicts: verdicts.iter().map(verdict).collect(),
        families: of.families.iter().map(family).collect(),
        missing: of.missing.iter().map(missing_text).collect(),
        builds: of.distance.map(|of| BuildsReport {
            functions: if of.is_of_sampled { "sampled" } else { "all" },
            compared: of.compared,
            same_code: of.same,
            a_patch_apart: of.is_patch,
        }),
        settings: of.settings.as_ref().map(SettingsReport::new),
    }
}

/// The verdicts on one function, and the builds' code of it, as one line of JSON.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn explain_json(view: &ExplainView<'_>) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct ExplainReport<'a> {
        schema_version: u32,
        /// The findings that the name represents.
        findings: Vec<FindingReport<'a>>,
        verdicts: Vec<VerdictReport<'a>>,
        facts: Vec<EvidenceReport>,
        hot_lines: Vec<FunctionLinesReport<'a>>,
        /// The code of both builds side by side, if requested.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        code: Vec<FunctionCodeReport<'a>>,
    }
    json_line(&ExplainReport {
        schema_version: SCHEMA_VERSION,
        findings: view.findings.iter().filter_map(explained).collect(),
        verdicts: view.verdicts.iter().map(verdict).collect(),
        facts: view.facts.iter().map(evidence).collect(),
        hot_lines: view.lines.iter().map(|of| FunctionLinesReport::new(of, view.texts, usize::MAX)).collect(),
        code: view.code.iter().map(|of| FunctionCodeReport::new(of, view.texts, CodeExtent::Whole)).collect(),
    })
}

fn explained<'a>(of: &ExplainedFinding<'a>) -> Option<FindingReport<'a>> {
    let reports = findings::json::with_verdicts(of.comparison, of.classification);
    reports.into_iter().nth(of.finding.rank.checked_sub(1)?)
}

fn verdict(of: &Verdict) -> VerdictReport<'_> {
    VerdictReport {
        name: &of.function,
        function: &of.function,
        object: &of.object,
        file: of.file.as_deref(),
        rule_id: of.rule_id,
        cause: of.cause.as_str(),
        confidence: of.confidence.as_str(),
        limited_by: of.limited_by.as_ref().map(limit_text),
        reason: reason_text(&of.reason),
        judged_by: of.judged.as_str(),
        before: shares(&of.before),
        after: shares(&of.after),
        delta_self_pp: of.delta_self_pp(),
        delta_booked_pp: of.delta_booked_pp(),
        delta_total_pp: of.delta_total_pp(),
        ci_low_pp: of.ci_low_pp,
        ci_high_pp: of.ci_high_pp,
        q_value: of.q_value,
        cost_change: of.cost_change.as_ref().map(CostChangeReport::new),
        code_is_new: of.code_is_new(),
        net_new_per_op_ns: of.net_new_per_op_ns,
        family_id: of.family,
        callers: &of.callers,
        tags: of.tags.iter().map(|tag| tag.as_str()).collect(),
        sampled: BothReport { before: of.is_sampled(Side::Before), after: of.is_sampled(Side::After) },
        in_build: BothReport { before: of.in_before.as_str(), after: of.in_after.as_str() },
        evidence: of.evidence.iter().map(evidence).collect(),
    }
}

fn shares(of: &Quantities) -> SharesReport {
    SharesReport {
        self_pct: of.self_pct,
        booked_self_pct: of.booked_self_pct,
        total_pct: of.total_pct,
        x_pct: of.x_pct(),
    }
}

fn evidence(of: &Evidence) -> EvidenceReport {
    EvidenceReport {
        kind: of.kind().as_str(),
        side: of.side.map(Side::as_str),
        text: fact_text(&of.fact),
        numbers: fact_numbers(&of.fact).into_iter().collect(),
    }
}

fn family(of: &VerdictFamily) -> FamilyReport<'_> {
    FamilyReport {
        id: of.id,
        members: &of.members,
        booked_delta_pp: of.booked_delta_pp,
        moved_pp: of.moved_pp,
        body_pp: of.body_pp,
        call_overhead_pp: of.call_overhead_pp,
    }
}

#[cfg(test)]
mod tests;
