//! The shape of pdiff's JSON: schema version 1. `docs/json.md` describes every key with its unit.
//!
//! Keys are added, never renamed. Weights are integers in the event's own unit and do not depend on the denominator;
//! what ends in `_pct` is percent of it, `_pp` percentage points, `_s` seconds. A number that is none is `null`. Keys
//! that are left out where nothing is known carry `skip_serializing_if` here.

use pdiff_analysis::{CostChange, Policy};
use serde::Serialize;

use crate::compare::row_json::RowJson;
use crate::compare::waiting_json::WaitingReport;
use crate::findings::json::{FindingReport, RestReport};
use crate::findings::kernel_json::KernelReport;

/// The version of this schema.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// `pdiff compare --format json`.
#[derive(Serialize)]
pub(crate) struct CompareReport<'a> {
    pub(crate) schema_version: u32,
    pub(crate) before: SideReport<'a>,
    pub(crate) after: SideReport<'a>,
    pub(crate) policy: PolicyReport,
    /// `all`, `object`, `thread-group` or `work`.
    pub(crate) denominator: &'static str,
    /// What `work` leaves out of the denominator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) left_out_pct: Option<PairReport>,
    /// `function`, `object`, `comm`, `thread-group`, `subsystem`, `file` or `directory`.
    pub(crate) group_by: &'static str,
    /// What was kept of the samples, in words; empty without filters.
    pub(crate) filtered: &'a str,
    pub(crate) preset: Option<&'static str>,
    /// Facts to know first, gravest first.
    pub(crate) comparability: Vec<FactReport>,
    pub(crate) noise: NoiseReport<'a>,
    /// Known only with operations on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<CostReport>,
    /// Known only with operations and CPU used on both sides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) gap: Option<GapReport>,
    /// The parts that contain the change, largest first.
    pub(crate) findings: Vec<FindingReport<'a>>,
    pub(crate) findings_rest: RestReport,
    /// The packages of which the sides run other versions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) packages: Vec<PackageReport>,
    /// What other events say of the costs, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) beside: Vec<BesideReport<'a>>,
    /// Where threads wait, if that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting: Option<WaitingReport<'a>>,
    /// The work of the kernel by who entered it and what for.
    pub(crate) kernel: Vec<KernelReport<'a>>,
    /// Every row: heaviest change of self first.
    pub(crate) functions: Vec<RowJson<'a>>,
    /// Rows between which weight moved because inlining changed.
    pub(crate) families: Vec<FamilyReport<'a>>,
    pub(crate) notes: Vec<NoteReport<'a>>,
}

/// A package of which the sides run other versions.
#[derive(Serialize)]
pub(crate) struct PackageReport {
    pub(crate) name: String,
    pub(crate) before: PackageSideReport,
    pub(crate) after: PackageSideReport,
}

/// A package on one side.
#[derive(Serialize)]
pub(crate) struct PackageSideReport {
    /// None if it has no samples.
    pub(crate) versions: Vec<String>,
    /// Self of its functions, in percent.
    pub(crate) self_pct: f64,
}

/// What a second event says of the costs.
#[derive(Serialize)]
pub(crate) struct BesideReport<'a> {
    /// The event compared.
    pub(crate) event: &'a str,
    /// The second event.
    pub(crate) beside: &'a str,
    /// All samples together.
    pub(crate) whole: Option<CostPartsReport>,
    pub(crate) functions: Vec<BesideRowReport<'a>>,
}

/// One row of two events.
#[derive(Serialize)]
pub(crate) struct BesideRowReport<'a> {
    pub(crate) name: &'a str,
    pub(crate) object: &'a str,
    #[serde(flatten)]
    pub(crate) parts: CostPartsReport,
}

/// The change of a cost per operation, divided into a count and a price.
#[derive(Serialize)]
pub(crate) struct CostPartsReport {
    pub(crate) per_op_before: f64,
    pub(crate) per_op_after: f64,
    pub(crate) count_per_op_before: f64,
    pub(crate) count_per_op_after: f64,
    pub(crate) price_before: f64,
    pub(crate) price_after: f64,
    /// What the count made the cost per operation change by; with `by_price` the whole change.
    pub(crate) by_count: f64,
    pub(crate) by_price: f64,
    pub(crate) count_ratio: f64,
    pub(crate) count_ratio_ci: [f64; 2],
    pub(crate) price_ratio: f64,
    pub(crate) price_ratio_ci: [f64; 2],
    /// The price changed beyond that of the typical function.
    pub(crate) price_is_own: bool,
    /// `more work`, `less work`, `same work, slower`, `same work, faster` or `unclear`.
    pub(crate) reason: &'static str,
}

/// One side.
#[derive(Serialize)]
pub(crate) struct SideReport<'a> {
    pub(crate) label: &'a str,
    pub(crate) runs: Vec<RunReport<'a>>,
    pub(crate) samples: u64,
    pub(crate) weight: u64,
    /// Of the side's weight.
    pub(crate) unresolved_pct: f64,
    /// Busy waiting, of the side's weight.
    pub(crate) spin_pct: f64,
    pub(crate) objects: Vec<ObjectReport<'a>>,
}

/// One recording.
#[derive(Serialize)]
pub(crate) struct RunReport<'a> {
    pub(crate) path: &'a str,
    pub(crate) event: &'a str,
    pub(crate) samples: u64,
    pub(crate) weight: u64,
    /// `null` where no time was printed.
    pub(crate) span_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operations: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cpu_seconds: Option<f64>,
}

/// One object of a side.
#[derive(Serialize)]
pub(crate) struct ObjectReport<'a> {
    pub(crate) path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) object_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) build_id: Option<&'a str>,
    /// Compilers and their flags.
    pub(crate) producers: &'a [String],
}

/// How names and inlines are normalised.
#[derive(Serialize)]
pub(crate) struct PolicyReport {
    /// `linkage`, `signature`, `qualified` or `loose`.
    pub(crate) match_level: &'static str,
    /// `expand` or `collapse`.
    pub(crate) inlines: &'static str,
    /// `keep` or `collapse`.
    pub(crate) templates: &'static str,
}

impl From<Policy> for PolicyReport {
    fn from(policy: Policy) -> Self {
        Self {
            match_level: policy.match_level.as_str(),
            inlines: policy.inlines.as_str(),
            templates: policy.templates.as_str(),
        }
    }
}

/// A value of both sides.
#[derive(Serialize)]
pub(crate) struct PairReport {
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// One fact of both sides.
#[derive(Serialize)]
pub(crate) struct FactReport {
    pub(crate) name: &'static str,
    pub(crate) before: String,
    pub(crate) after: String,
    /// `plain`, `warning`, `suspect` or `incomparable`.
    pub(crate) gravity: &'static str,
    pub(crate) remark: String,
}

/// How noise was judged.
#[derive(Serialize)]
pub(crate) struct NoiseReport<'a> {
    /// `single-run` or `replicates`.
    pub(crate) method: &'static str,
    /// Run-to-run variation.
    pub(crate) run_cv_pct: f64,
    /// The variation was assumed, not measured.
    pub(crate) run_cv_assumed: bool,
    /// How much of it is assumed, 0 to 1.
    pub(crate) run_cv_assumed_part: f64,
    /// The noise within runs was assumed: a recording has no time.
    pub(crate) dispersion_assumed: bool,
    pub(crate) tests: usize,
    pub(crate) significant: usize,
    pub(crate) false_discovery_rate: f64,
    pub(crate) detectable: Vec<DetectableReport>,
    /// Rows whose noise is understated.
    pub(crate) drifting: &'a [String],
    /// Rows that vary inside the runs more than between them.
    pub(crate) phased: &'a [String],
}

/// What could be seen at one share.
#[derive(Serialize)]
pub(crate) struct DetectableReport {
    pub(crate) share_pct: f64,
    /// `null` if no change would have been found.
    pub(crate) change_pp: Option<f64>,
}

/// Cost per operation, in nanoseconds for time events, else in the event's unit.
#[derive(Serialize)]
pub(crate) struct CostReport {
    /// `ns` or `weight`.
    pub(crate) unit: &'static str,
    pub(crate) before_per_op: f64,
    pub(crate) after_per_op: f64,
    pub(crate) change_pct: f64,
    /// `null` with one run per side.
    pub(crate) ci_low_pct: Option<f64>,
    pub(crate) ci_high_pct: Option<f64>,
    pub(crate) before_per_op_without_spin: f64,
    pub(crate) after_per_op_without_spin: f64,
    /// Factors to the CPU seconds measured; 1 if not scaled.
    pub(crate) before_cpu_scale: f64,
    pub(crate) after_cpu_scale: f64,
    /// CPU seconds sampled over those measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before_cpu_coverage: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after_cpu_coverage: Option<f64>,
    /// With all operations counted, where only an assumption says how many of them belong to the samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) before_per_op_as_counted: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) after_per_op_as_counted: Option<f64>,
}

/// The throughput gap.
#[derive(Serialize)]
pub(crate) struct GapReport {
    pub(crate) before_tps: f64,
    pub(crate) after_tps: f64,
    pub(crate) before_cores: f64,
    pub(crate) after_cores: f64,
    /// 100 (after / before - 1): negative is loss.
    pub(crate) pct: f64,
    pub(crate) ci_low_pct: f64,
    pub(crate) ci_high_pct: f64,
    /// The interval rests on an assumed run-to-run variation.
    pub(crate) ci_assumed: bool,
    /// The gap may be less than half of what was measured, so shares of the gap are less certain than their intervals say.
    pub(crate) barely_significant: bool,
    /// `null` where the interval contains zero.
    pub(crate) parts: Option<GapPartsReport>,
}

/// Parts of the gap, in percent of it; they sum to 100.
#[derive(Serialize)]
pub(crate) struct GapPartsReport {
    pub(crate) explained_pct: f64,
    pub(crate) not_significant_pct: f64,
    pub(crate) unresolved_pct: f64,
    pub(crate) utilisation_pct: f64,
    /// What filters remove.
    pub(crate) outside_filter_pct: f64,
}

/// The change of a measure per operation.
#[derive(Serialize)]
pub(crate) struct CostChangeReport {
    /// `null` without weight on the base side.
    pct: Option<f64>,
    ci_low_pct: Option<f64>,
    ci_high_pct: Option<f64>,
    q_value: f64,
    extent: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_ci_low_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_ci_high_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_q_value: Option<f64>,
}

impl CostChangeReport {
    pub(crate) fn new(of: &CostChange) -> Self {
        Self {
            pct: of.pct,
            ci_low_pct: of.ci_low_pct,
            ci_high_pct: of.ci_high_pct,
            q_value: of.q_value,
            extent: of.extent.as_str(),
            own_pct: of.own.and_then(|own| own.pct),
            own_ci_low_pct: of.own.and_then(|own| own.ci_low_pct),
            own_ci_high_pct: of.own.and_then(|own| own.ci_high_pct),
            own_q_value: of.own.map(|own| own.q_value),
        }
    }
}

/// Rows between which weight moved because inlining changed.
#[derive(Serialize)]
pub(crate) struct FamilyReport<'a> {
    pub(crate) id: usize,
    /// Names of its rows.
    pub(crate) members: &'a [String],
    pub(crate) flips: Vec<FlipReport<'a>>,
    /// Change of the members' self by symbol together: `body_pp` + `call_overhead_pp`.
    pub(crate) booked_delta_pp: f64,
    /// What only changed rows inside.
    pub(crate) moved_pp: f64,
    pub(crate) body_pp: f64,
    pub(crate) call_overhead_pp: f64,
}

/// One function whose inlining changed in one caller.
#[derive(Serialize)]
pub(crate) struct FlipReport<'a> {
    pub(crate) function: &'a str,
    pub(crate) caller: &'a str,
    /// `lost` or `gained`.
    pub(crate) change: &'static str,
}

/// One kind of imperfection.
#[derive(Serialize)]
pub(crate) struct NoteReport<'a> {
    pub(crate) kind: &'static str,
    pub(crate) count: u64,
    pub(crate) weight: u64,
    /// The first one, `null` if none was kept.
    pub(crate) example: Option<&'a str>,
    pub(crate) examples: Vec<&'a str>,
}
