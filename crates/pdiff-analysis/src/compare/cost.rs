//! Operations: cost per operation, utilisation, and what part of the throughput gap each row makes up.
//!
//! With U the CPU cores that the process used and c its CPU per operation, TPS = U / c, so
//! `ln(TPS_B/TPS_A) = ln(U_B/U_A) - ln(c_B/c_A)`. The CPU part is divided among rows in proportion to their change of
//! cost, the logarithmic mean being the common factor: additive, and of opposite sign with the sides swapped
//! (B. W. Ang, "Decomposition analysis for policymaking in energy", Energy Policy 32, 2004: LMDI).

use pdiff_profile::{NoteKind, Notes, Profile, RunMeasures, Weight};

use super::comparison::{Cost, Gap, GapParts, Pair};
use super::row::{Quantities, Row};
use crate::noise::common_shift;

/// Window and span further apart than this are not taken for the same interval.
const WINDOW_TOLERANCE: f64 = 0.01;

/// A scale to measured CPU seconds further from 1 than this is a warning.
pub const CPU_SCALE_TOLERANCE: f64 = 0.03;

/// What a side's runs together say of operations and CPU; sums over runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct SideCost {
    operations: Option<f64>,
    span_s: Option<f64>,
    cpu_seconds: Option<f64>,
    weight: f64,
    spin_weight: f64,
    is_time: bool,
    scale: f64,
    per_run_cost: Vec<f64>,
    per_run_tps: Vec<f64>,
}

/// One run, as far as cost goes.
pub(super) struct RunFacts<'a> {
    pub(super) path: &'a str,
    pub(super) profile: &'a Profile,
    pub(super) measures: RunMeasures,
    pub(super) weight: u64,
    pub(super) spin_weight: u64,
    pub(super) is_time: bool,
    pub(super) whole_process: bool,
    pub(super) scale_to_cpu_seconds: bool,
}

/// One run's operations and CPU inside its span.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct RunCost {
    pub(super) operations: Option<f64>,
    pub(super) tps: Option<f64>,
    pub(super) cpu_seconds: Option<f64>,
    scale: Option<f64>,
}

impl RunFacts<'_> {
    fn span_s(&self) -> Option<f64> {
        self.profile.span.map(|span| span.seconds()).filter(|seconds| *seconds > 0.0)
    }

    fn window_s(&self) -> Option<f64> {
        let from_rate =
            || self.measures.operations.zip(self.measures.tps).map(|(operations, tps)| operations / tps);
        self.measures.window_s.or_else(from_rate).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// Operations and CPU inside the samples' span; what had to be rescaled is noted.
    pub(super) fn cost(&self, notes: &mut Notes) -> RunCost {
        let span = self.span_s();
        let into_span = match (self.window_s(), span) {
            (Some(window), Some(span)) => span / window,
            _ => 1.0,
        };
        let operations = match (self.measures.operations, self.measures.tps, span) {
            (Some(operations), ..) if (into_span - 1.0).abs() <= WINDOW_TOLERANCE => Some(operations),
            (Some(operations), ..) => {
                notes.add(NoteKind::Rescaled, 1, Weight::ZERO, || {
                    format!(
                        "{}: operations were counted over {:.2} s, samples span {:.2} s: rate x span is used",
                        self.path,
                        self.window_s().unwrap_or_default(),
                        span.unwrap_or_default()
                    )
                });
                Some(operations * into_span)
            }
            (None, Some(tps), Some(span)) => Some(tps * span),
            _ => None,
        };
        let operations = operations.filter(|operations| operations.is_finite() && *operations > 0.0);
        let tps = self.measures.tps.or_else(|| Some(operations? / span?));
        let cpu_seconds = self.measures.cpu_seconds.map(|seconds| seconds * into_span);
        RunCost { operations, tps, cpu_seconds, scale: self.scale(cpu_seconds, notes) }
    }

    fn scale(&self, cpu_seconds: Option<f64>, notes: &mut Notes) -> Option<f64> {
        if !(self.is_time && self.whole_process && self.weight > 0) {
            return None;
        }
        let scale = cpu_seconds? / (self.weight as f64 / 1e9);
        if (scale - 1.0).abs() > CPU_SCALE_TOLERANCE {
            notes.add(NoteKind::Rescaled, 1, Weight(self.weight), || {
                let used = if self.scale_to_cpu_seconds { "weights are scaled by it" } else { "not scaled" };
                format!("{}: CPU seconds measured are {scale:.3} of those sampled ({used})", self.path)
            });
        }
        (self.scale_to_cpu_seconds && scale.is_finite() && scale > 0.0).then_some(scale)
    }
}

impl SideCost {
    /// The sums over a side's runs.
    pub(super) fn sum(runs: &[(RunFacts<'_>, RunCost)]) -> Self {
        let mut sum =
            Self { scale: 1.0, is_time: runs.iter().all(|(facts, _)| facts.is_time), ..Self::default() };
        let all = |value: fn(&(RunFacts<'_>, RunCost)) -> Option<f64>| -> Option<f64> {
            runs.iter().map(value).sum::<Option<f64>>().filter(|sum| *sum > 0.0)
        };
        sum.operations = all(|(_, cost)| cost.operations);
        sum.span_s = all(|(facts, _)| facts.span_s());
        let sampled = |(facts, cost): &(RunFacts<'_>, RunCost)| match (facts.is_time, facts.whole_process) {
            (true, true) => Some(facts.weight as f64 / 1e9 * cost.scale.unwrap_or(1.0)),
            _ => cost.cpu_seconds,
        };
        sum.cpu_seconds = all(sampled);
        let scaled = |weight: u64, cost: &RunCost| weight as f64 * cost.scale.unwrap_or(1.0);
        sum.weight = runs.iter().map(|(facts, cost)| scaled(facts.weight, cost)).sum();
        sum.spin_weight = runs.iter().map(|(facts, cost)| scaled(facts.spin_weight, cost)).sum();
        let unscaled: f64 = runs.iter().map(|(facts, _)| facts.weight as f64).sum();
        if unscaled > 0.0 {
            sum.scale = sum.weight / unscaled;
        }
        let per_op =
            |(facts, cost): &(RunFacts<'_>, RunCost)| Some(scaled(facts.weight, cost) / cost.operations?);
        sum.per_run_cost = runs.iter().filter_map(per_op).collect();
        sum.per_run_tps = runs.iter().filter_map(|(_, cost)| cost.tps).collect();
        sum
    }

    /// Weight per operation of `weight` units of the side.
    fn per_op(&self, weight: f64) -> Option<f64> {
        self.operations.map(|operations| weight * self.scale / operations)
    }

    /// Sets a row's cost per operation.
    pub(super) fn set_per_op(&self, quantities: &mut Quantities) {
        quantities.self_per_op = self.per_op(quantities.self_weight.as_f64());
        quantities.self_per_op_ns = quantities.self_per_op.filter(|_| self.is_time);
    }
}

/// Cost and gap of the comparison; each row's share of the gap is set. `None` where a side has no operations.
pub(super) fn cost(before: &SideCost, after: &SideCost, rows: &mut [Row], assumed_cv: f64) -> Option<Cost> {
    let per_op = Pair { before: before.weight / before.operations?, after: after.weight / after.operations? };
    let log_ratio = (per_op.after / per_op.before).ln();
    if !log_ratio.is_finite() {
        return None;
    }
    let shift = common_shift(&before.per_run_cost, &after.per_run_cost);
    let gap = gap(before, after, assumed_cv).map(|mut gap| {
        let log_gap = (gap.tps.after / gap.tps.before).ln();
        let excludes_zero = gap.interval_pct.0 > 0.0 || gap.interval_pct.1 < 0.0;
        if excludes_zero {
            gap.parts = Some(divide(&gap, log_gap, per_op, log_ratio, rows));
        }
        gap
    });
    Some(Cost {
        per_op,
        is_time: before.is_time && after.is_time,
        log_ratio,
        log_interval: shift.and_then(|shift| shift.interval_around(log_ratio)),
        log_degrees_of_freedom: shift.map_or(0.0, |shift| shift.degrees_of_freedom),
        per_op_without_spin: Pair {
            before: (before.weight - before.spin_weight) / before.operations?,
            after: (after.weight - after.spin_weight) / after.operations?,
        },
        cpu_scale: Pair { before: before.scale, after: after.scale },
        gap,
    })
}

/// Throughput and cores of both sides; `None` where utilisation is not known.
fn gap(before: &SideCost, after: &SideCost, assumed_cv: f64) -> Option<Gap> {
    let tps = Pair { before: before.operations? / before.span_s?, after: after.operations? / after.span_s? };
    let cores =
        Pair { before: before.cpu_seconds? / before.span_s?, after: after.cpu_seconds? / after.span_s? };
    let log_gap = (tps.after / tps.before).ln();
    let measured = common_shift(&before.per_run_tps, &after.per_run_tps);
    let measured = measured.and_then(|shift| shift.interval_around(log_gap));
    let assumed_half = assumed_log_half(assumed_cv);
    let (low, high) = measured.unwrap_or((log_gap - assumed_half, log_gap + assumed_half));
    let percent = |log: f64| 100.0 * log.exp_m1();
    let gap = Gap {
        tps,
        cores,
        gap_pct: percent(log_gap),
        interval_pct: (percent(low), percent(high)),
        assumed: measured.is_none(),
        parts: None,
    };
    (log_gap.is_finite() && cores.before > 0.0 && cores.after > 0.0).then_some(gap)
}

/// Half of the 95 % interval of the logarithm of a ratio of two runs, where their coefficient of variation is assumed.
#[must_use]
pub fn assumed_log_half(cv: f64) -> f64 {
    NORMAL_97_5 * cv * std::f64::consts::SQRT_2
}

/// The 97.5 % point of the normal distribution.
const NORMAL_97_5: f64 = 1.959_963_984_540_054;

/// Divides the gap among utilisation and rows; all in percent of the gap.
fn divide(gap: &Gap, log_gap: f64, per_op: Pair, log_ratio: f64, rows: &mut [Row]) -> GapParts {
    let cpu_part = (gap.cores.after / gap.cores.before).ln() - log_gap;
    let delta = per_op.after - per_op.before;
    let factor =
        if delta.abs() < f64::EPSILON * per_op.before { 1.0 / per_op.before } else { log_ratio / delta };
    // Where cost is counted in another unit than CPU seconds, rows divide the CPU part in proportion.
    let unit = if log_ratio == 0.0 { 1.0 } else { cpu_part / log_ratio };
    let mut parts = GapParts {
        explained_pct: 0.0,
        not_significant_pct: 0.0,
        unresolved_pct: 0.0,
        utilisation_pct: 100.0 * (gap.cores.after / gap.cores.before).ln() / log_gap,
    };
    for row in rows {
        let change = row.after.self_per_op.unwrap_or(0.0) - row.before.self_per_op.unwrap_or(0.0);
        let share = 100.0 * -change * factor * unit / log_gap;
        row.gap_share_pct = Some(share);
        let part = match (row.unresolved, row.significant) {
            (true, _) => &mut parts.unresolved_pct,
            (false, true) => &mut parts.explained_pct,
            (false, false) => &mut parts.not_significant_pct,
        };
        *part += share;
    }
    parts
}
