//! A comparison as JSON: [`crate::compare::json_shape`] filled in, every row, in the comparison's own order.

use std::io::Write;

use pdiff_analysis::classify::FindingCause;
use pdiff_analysis::noise::{Method, RunVariation};
use pdiff_analysis::{
    Comparison, Cost, Family, Gap, NoiseSummary, PackageChange, Row, SideFact, SideSummary,
};
use pdiff_profile::names::MatchLevel;
use pdiff_profile::{Note, PerSide};

use crate::compare::beside;
use crate::compare::json_shape::{
    CompareReport, CostReport, DetectableReport, FactReport, FamilyReport, FlipReport, GapPartsReport,
    GapReport, NoiseReport, NoteReport, ObjectReport, PackageReport, PackageSideReport, PairReport,
    RunReport, SCHEMA_VERSION, SideReport,
};
use crate::compare::row_json::RowJson;
use crate::compare::side_fact_words::{SideFactWords, severity_key};
use crate::compare::waiting_json;
use crate::document::number::percent_of_log;
use crate::error::Error;
use crate::files::written_bytes::{json_value, write_json_line};
use crate::findings;

/// The comparison as one line of JSON, schema version 1.
///
/// ```
/// # use pdiff_analysis::noise::NoiseSettings;
/// # use pdiff_analysis::{CompareSettings, Filters, GroupBy, Inlines, Knowledge, Policy, Share, SideInput, Sides, Templates};
/// # use pdiff_profile::names::MatchLevel;
/// # let settings = CompareSettings {
/// #     policy: Policy { match_level: MatchLevel::Qualified, inlines: Inlines::Expand, templates: Templates::Keep },
/// #     share: Share::All,
/// #     group_by: GroupBy::Function,
/// #     filters: Filters::default(),
/// #     knowledge: Knowledge::builtin(),
/// #     noise: NoiseSettings::default(),
/// #     scale_to_cpu_seconds: false,
/// # };
/// # let side = |label: &str| SideInput { label: label.to_owned(), runs: Vec::new(), objects: Vec::new() };
/// # let sides = Sides { before: side("5.7"), after: side("8.0") };
/// let comparison = pdiff_analysis::compare(&sides, &settings);
/// let json = String::from_utf8(pdiff_render::json(&comparison)?)?;
/// assert!(json.starts_with(r#"{"schema_version":1,"before":{"label":"5.7","runs":[],"samples":0,"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn json(comparison: &Comparison) -> Result<Vec<u8>, Error> {
    json_with_causes(comparison, &[])
}

/// The same with the cause of each finding, in their order; none where there are none.
///
/// # Errors
/// Returns an error if serialisation fails.
pub fn json_with_causes(comparison: &Comparison, causes: &[FindingCause]) -> Result<Vec<u8>, Error> {
    let mut json = Vec::new();
    write_json_with_causes(comparison, causes, &mut json)?;
    Ok(json)
}

/// The same, written piece by piece.
///
/// # Errors
/// Returns an error if serialisation fails, or if the bytes cannot be written.
pub fn write_json_with_causes(
    comparison: &Comparison,
    causes: &[FindingCause],
    out: impl Write,
) -> Result<(), Error> {
    let mut report = report_of(comparison, &comparison.rows);
    report.findings = findings::json::with_causes(comparison, causes);
    write_json_line(&report, out)
}

/// The comparison as a value of JSON, without its rows.
pub(crate) fn value_without_rows(comparison: &Comparison) -> Result<serde_json::Value, Error> {
    json_value(&report_of(comparison, &[]))
}

/// One row as a value of JSON.
pub(crate) fn row_value(row: &Row, level: MatchLevel) -> Result<serde_json::Value, Error> {
    json_value(&RowJson { row, level })
}

fn report_of<'a>(comparison: &'a Comparison, rows: &'a [Row]) -> CompareReport<'a> {
    let level = comparison.policy.match_level;
    CompareReport {
        schema_version: SCHEMA_VERSION,
        before: side(&comparison.before),
        after: side(&comparison.after),
        policy: comparison.policy.into(),
        denominator: comparison.share.as_str(),
        left_out_pct: comparison.left_out_pct.map(|(before, after)| PairReport { before, after }),
        group_by: comparison.group_by.as_str(),
        filtered: &comparison.filtered,
        preset: comparison.preset,
        comparability: comparison.comparability.iter().map(fact).collect(),
        noise: noise(&comparison.noise),
        cost: comparison.cost.as_ref().map(cost),
        gap: comparison.cost.as_ref().and_then(|cost| cost.gap.as_ref()).map(gap),
        findings: findings::json::findings(comparison),
        findings_rest: findings::json::rest(comparison),
        packages: findings::packages::changed(comparison).into_iter().map(package).collect(),
        beside: comparison.beside.iter().map(beside::report).collect(),
        waiting: waiting_json::report(comparison),
        kernel: findings::kernel_json::kernel(comparison),
        functions: rows.iter().map(|row| RowJson { row, level }).collect(),
        families: comparison.families.iter().map(family).collect(),
        notes: comparison.notes.iter().map(note).collect(),
    }
}

fn package(of: PackageChange) -> PackageReport {
    let PackageChange { name, versions, self_pct } = of;
    let side = |versions, self_pct| PackageSideReport { versions, self_pct };
    PackageReport {
        name,
        before: side(versions.before, self_pct.before),
        after: side(versions.after, self_pct.after),
    }
}

/// One side.
pub(crate) fn side(of: &SideSummary) -> SideReport<'_> {
    let runs = of.runs.iter().map(|run| RunReport {
        path: &run.path,
        event: &run.event,
        samples: run.samples,
        weight: run.weight.0,
        span_s: run.span_s,
        operations: run.operations,
        tps: run.tps,
        cpu_seconds: run.cpu_seconds,
    });
    let objects = of.objects.iter().map(|object| ObjectReport {
        path: &object.path,
        object_id: object.object_id.as_ref().map(ToString::to_string),
        build_id: object.build_id.as_deref(),
        producers: &object.producers,
    });
    SideReport {
        label: &of.label,
        runs: runs.collect(),
        samples: of.samples,
        weight: of.weight.0,
        unresolved_pct: of.unresolved_pct,
        spin_pct: of.spin_pct,
        objects: objects.collect(),
    }
}

fn fact(of: &SideFact) -> FactReport {
    let SideFactWords { name, values: PerSide { before, after }, remark } = SideFactWords::new(of);
    FactReport { name, before, after, gravity: severity_key(of.severity), remark }
}

fn noise(of: &NoiseSummary) -> NoiseReport<'_> {
    let (cv, assumed_part) = match of.run_variation {
        RunVariation::Assumed { cv } => (cv, 1.0),
        RunVariation::Measured { cv, assumed_part, .. } => (cv, assumed_part),
    };
    let detectable = of.detectable.iter();
    NoiseReport {
        method: match of.method {
            Method::SingleRun => "single-run",
            Method::Replicates => "replicates",
        },
        run_cv_pct: 100.0 * cv,
        run_cv_assumed: assumed_part >= 1.0,
        run_cv_assumed_part: assumed_part,
        dispersion_assumed: of.assumed_dispersion,
        tests: of.tests,
        significant: of.significant,
        false_discovery_rate: of.q_threshold,
        detectable: detectable
            .map(|&(share_pct, change_pp)| DetectableReport { share_pct, change_pp })
            .collect(),
        drifting: &of.drifting,
        phased: &of.phased,
    }
}

pub(crate) fn cost(of: &Cost) -> CostReport {
    CostReport {
        unit: if of.is_time { "ns" } else { "weight" },
        before_per_op: of.per_op.before,
        after_per_op: of.per_op.after,
        change_pct: percent_of_log(of.log_ratio),
        ci_low_pct: of.log_interval.map(|(low, _)| percent_of_log(low)),
        ci_high_pct: of.log_interval.map(|(_, high)| percent_of_log(high)),
        before_per_op_without_spin: of.per_op_without_spin.before,
        after_per_op_without_spin: of.per_op_without_spin.after,
        before_cpu_scale: of.cpu_scale.before,
        after_cpu_scale: of.cpu_scale.after,
        before_cpu_coverage: of.cpu_coverage.map(|coverage| coverage.before),
        after_cpu_coverage: of.cpu_coverage.map(|coverage| coverage.after),
        before_per_op_as_counted: of.per_op_as_counted.map(|per_op| per_op.before),
        after_per_op_as_counted: of.per_op_as_counted.map(|per_op| per_op.after),
    }
}

fn gap(of: &Gap) -> GapReport {
    GapReport {
        before_tps: of.tps.before,
        after_tps: of.tps.after,
        before_cores: of.cores.before,
        after_cores: of.cores.after,
        pct: of.gap_pct,
        ci_low_pct: of.interval_pct.0,
        ci_high_pct: of.interval_pct.1,
        ci_assumed: of.assumed,
        barely_significant: of.barely_significant,
        parts: of.parts.map(|parts| GapPartsReport {
            explained_pct: parts.explained_pct,
            not_significant_pct: parts.not_significant_pct,
            unresolved_pct: parts.unresolved_pct,
            utilisation_pct: parts.utilisation_pct,
            outside_filter_pct: parts.outside_filter_pct,
        }),
    }
}

fn family(of: &Family) -> FamilyReport<'_> {
    let flips = of.flips.iter().map(|flip| FlipReport {
        function: &flip.function,
        caller: &flip.caller,
        change: flip.change.as_str(),
    });
    FamilyReport {
        id: of.id,
        members: &of.members,
        flips: flips.collect(),
        booked_delta_pp: of.booked_delta_pp,
        moved_pp: of.moved_pp,
        body_pp: of.body_pp,
        call_overhead_pp: of.call_overhead_pp,
    }
}

fn note(of: &Note) -> NoteReport<'_> {
    NoteReport {
        kind: of.kind.as_str(),
        count: of.count,
        weight: of.weight.0,
        example: of.examples.first().map(|example| &**example),
        examples: of.examples.iter().map(|example| &**example).collect(),
    }
}

#[cfg(test)]
mod tests;
