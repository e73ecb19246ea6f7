//! Operations: cost per operation, utilisation, and each row's part of the throughput gap.
//!
//! Operations are counted over a window, samples cover a span, and the two differ by a second or two. How many operations
//! belong to the samples depends on what the program did outside them. The measured CPU seconds show this: the samples have
//! the same part of the operations as of the CPU seconds. The cost of an operation is then measured CPU seconds over
//! operations, even if samples were lost. If no CPU was measured, or the samples are of more or other programs, the load is
//! assumed to have run throughout (rate times span), and the alternative, all operations, is also kept.

use pdiff_profile::{NoteKind, Notes, PerSide, Profile, RunMeasures, Weight};

use super::comparison::{Cost, Pair};
use super::row::{PerOperation, Quantities};
use crate::noise::{OfRun, common_shift};

/// Window and span further apart than this are not taken for the same interval.
const WINDOW_TOLERANCE: f64 = 0.01;

/// A scale to measured CPU seconds further from 1 than this is a warning.
pub const CPU_SCALE_TOLERANCE: f64 = 0.03;

/// Operations and CPU of a side's runs together, as sums.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct SideCost {
    pub(super) operations: Option<f64>,
    /// Seconds in which the operations and the CPU seconds were used.
    pub(super) seconds: Option<f64>,
    pub(super) cpu_seconds: Option<f64>,
    weight: f64,
    /// The weight of all samples of the event, whatever filters leave.
    pub(super) all_weight: f64,
    spin_weight: f64,
    pub(super) is_time: bool,
    scale: f64,
    /// CPU seconds sampled over those measured in the window.
    cpu_coverage: Option<f64>,
    /// A run has samples of less CPU, or of more, than was measured over their time.
    lacks_cpu: bool,
    /// Operations by the other reading, where nothing tells which is right.
    operations_as_counted: Option<f64>,
    per_run_cost: Vec<OfRun>,
    pub(super) per_run_all_cost: Vec<OfRun>,
    pub(super) per_run_tps: Vec<OfRun>,
}

/// One run, as far as cost goes.
pub(super) struct RunFacts<'a> {
    pub(super) path: &'a str,
    pub(super) profile: &'a Profile,
    pub(super) measures: RunMeasures,
    /// The machine, as a number that both sides use.
    pub(super) host: Option<u32>,
    /// The weight that the filters leave.
    pub(super) weight: u64,
    /// The weight of all samples of the event.
    pub(super) all_weight: u64,
    pub(super) spin_weight: u64,
    pub(super) is_time: bool,
    pub(super) scale_to_cpu_seconds: bool,
}

/// Samples that hold less than this part of what was measured over their time are not all of the program's.
const LEAST_COVERAGE: f64 = 0.9;

/// One run's operations and CPU inside its span.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct RunCost {
    pub(super) operations: Option<f64>,
    pub(super) tps: Option<f64>,
    pub(super) cpu_seconds: Option<f64>,
    seconds: Option<f64>,
    cpu_coverage: Option<f64>,
    lacks_cpu: bool,
    /// The operations counted, where only an assumption says how many of them belong to the samples.
    as_counted: Option<f64>,
    scale: Option<f64>,
}

/// Which part of the window's operations and CPU seconds belongs to the samples.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Inside {
    /// All: window and span agree, or nothing distinguishes them.
    All,
    /// The samples' part of the measured CPU seconds.
    ByCpu(f64),
    /// The part that the span is of the window, assuming that the load ran throughout.
    ByTime(f64),
}

impl Inside {
    fn part(self) -> f64 {
        match self {
            Self::All => 1.0,
            Self::ByCpu(part) | Self::ByTime(part) => part,
        }
    }
}

impl RunFacts<'_> {
    /// A number of this run.
    fn number(&self, value: f64) -> Option<OfRun> {
        Some(OfRun { host: self.host, value })
    }

    fn span_s(&self) -> Option<f64> {
        self.profile.span.map(|span| span.seconds()).filter(|seconds| *seconds > 0.0)
    }

    fn window_s(&self) -> Option<f64> {
        let from_rate =
            || self.measures.operations.zip(self.measures.tps).map(|(operations, tps)| operations / tps);
        self.measures.window_s.or_else(from_rate).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
    }

    /// CPU seconds sampled over those measured in the window.
    fn cpu_coverage(&self) -> Option<f64> {
        let sampled = self.is_time.then_some(self.all_weight as f64 / 1e9)?;
        self.measures
            .cpu_seconds
            .map(|measured| sampled / measured)
            .filter(|part| part.is_finite() && *part > 0.0)
    }

    fn inside(&self) -> Inside {
        let by_time = self.span_s().zip(self.window_s()).map(|(span, window)| span / window);
        // A program that idled outside the samples used all its CPU in them; a steady one as much as of the time.
        let (steady, idle) = (by_time.unwrap_or(1.0), by_time.unwrap_or(1.0).max(1.0));
        let plausible = LEAST_COVERAGE * steady..=(1.0 + CPU_SCALE_TOLERANCE) * idle;
        match (self.cpu_coverage().filter(|part| plausible.contains(part)), by_time) {
            (Some(part), _) => Inside::ByCpu(part),
            (None, Some(by_time)) if (by_time - 1.0).abs() > WINDOW_TOLERANCE => Inside::ByTime(by_time),
            (None, _) => Inside::All,
        }
    }

    /// Operations and CPU that belong to the samples; what had to be rescaled is noted.
    pub(super) fn cost(&self, notes: &mut Notes) -> RunCost {
        let (span, window) = (self.span_s(), self.window_s());
        let inside = self.inside();
        let operations = match (self.measures.operations, self.measures.tps, span) {
            (Some(operations), ..) => Some(operations * inside.part()),
            (None, Some(tps), Some(span)) => Some(tps * span),
            _ => None,
        };
        let operations = operations.filter(|operations| operations.is_finite() && *operations > 0.0);
        if let Some(counted) = self.measures.operations {
            self.note_rescaled(inside, counted, notes);
        }
        let seconds = window.map(|window| window * inside.part()).or(span);
        let cpu_seconds = self.measures.cpu_seconds.map(|seconds| seconds * inside.part());
        RunCost {
            operations,
            tps: self.measures.tps.or_else(|| Some(operations? / seconds?)),
            cpu_seconds,
            seconds,
            cpu_coverage: self.cpu_coverage(),
            lacks_cpu: match self.cpu_coverage() {
                Some(_) => !matches!(inside, Inside::ByCpu(_)),
                // What was recorded after the end of the file is missing, and nothing tells how much.
                None => self.profile.notes.get(NoteKind::CutRecording).is_some(),
            },
            as_counted: self
                .measures
                .operations
                .filter(|_| matches!(inside, Inside::ByTime(_)) && self.cpu_coverage().is_none()),
            scale: self.scale(cpu_seconds, notes),
        }
    }

    fn note_rescaled(&self, inside: Inside, counted: f64, notes: &mut Notes) {
        let how = match inside {
            Inside::All => return,
            Inside::ByCpu(part) if (part - 1.0).abs() <= CPU_SCALE_TOLERANCE => return,
            Inside::ByCpu(part) => format!(
                "the samples cover {:.1} % of the measured CPU seconds, so that part of the {counted:.0} operations is used",
                100.0 * part
            ),
            Inside::ByTime(_) => format!(
                "operations were counted over {:.2} s, samples span {:.2} s: rate x span is used",
                self.window_s().unwrap_or_default(),
                self.span_s().unwrap_or_default()
            ),
        };
        notes.add(NoteKind::Rescaled, 1, Weight::ZERO, || format!("{}: {how}", self.path));
    }

    fn scale(&self, cpu_seconds: Option<f64>, notes: &mut Notes) -> Option<f64> {
        if !self.is_time || self.all_weight == 0 {
            return None;
        }
        let scale = cpu_seconds? / (self.all_weight as f64 / 1e9);
        if self.scale_to_cpu_seconds && (scale - 1.0).abs() > CPU_SCALE_TOLERANCE {
            notes.add(NoteKind::Rescaled, 1, Weight(self.all_weight), || {
                format!(
                    "{}: the measured CPU seconds are {scale:.3} times the sampled ones (weights are scaled to match)",
                    self.path
                )
            });
        }
        (self.scale_to_cpu_seconds && scale.is_finite() && scale > 0.0).then_some(scale)
    }
}

impl SideCost {
    /// The sums over a side's runs.
    pub(super) fn sum(runs: &[(&RunFacts<'_>, &RunCost)]) -> Self {
        let mut sum =
            Self { scale: 1.0, is_time: runs.iter().all(|(facts, _)| facts.is_time), ..Self::default() };
        let all = |value: fn(&(&RunFacts<'_>, &RunCost)) -> Option<f64>| -> Option<f64> {
            runs.iter().map(value).sum::<Option<f64>>().filter(|sum| *sum > 0.0)
        };
        sum.operations = all(|(_, cost)| cost.operations);
        sum.seconds = all(|(_, cost)| cost.seconds);
        let sampled = |(facts, cost): &(&RunFacts<'_>, &RunCost)| match facts.is_time {
            true => Some(facts.all_weight as f64 / 1e9 * cost.scale.unwrap_or(1.0)),
            false => cost.cpu_seconds,
        };
        sum.cpu_seconds = all(sampled);
        sum.cpu_coverage = all(|(_, cost)| cost.cpu_coverage).map(|sum| sum / runs.len() as f64);
        sum.lacks_cpu = runs.iter().any(|(_, cost)| cost.lacks_cpu && cost.scale.is_none());
        if runs.iter().any(|(_, cost)| cost.as_counted.is_some()) {
            sum.operations_as_counted = all(|(_, cost)| cost.as_counted.or(cost.operations));
        }
        let scaled = |weight: u64, cost: &RunCost| weight as f64 * cost.scale.unwrap_or(1.0);
        sum.weight = runs.iter().map(|(facts, cost)| scaled(facts.weight, cost)).sum();
        sum.all_weight = runs.iter().map(|(facts, cost)| scaled(facts.all_weight, cost)).sum();
        sum.spin_weight = runs.iter().map(|(facts, cost)| scaled(facts.spin_weight, cost)).sum();
        let unscaled: f64 = runs.iter().map(|(facts, _)| facts.weight as f64).sum();
        if unscaled > 0.0 {
            sum.scale = sum.weight / unscaled;
        }
        let per_op = |(facts, cost): &(&RunFacts<'_>, &RunCost)| {
            facts.number(scaled(facts.weight, cost) / cost.operations?)
        };
        sum.per_run_cost = runs.iter().filter_map(per_op).collect();
        let all_per_op = |(facts, cost): &(&RunFacts<'_>, &RunCost)| {
            facts.number(scaled(facts.all_weight, cost) / cost.operations?)
        };
        sum.per_run_all_cost = runs.iter().filter_map(all_per_op).collect();
        sum.per_run_tps = runs.iter().filter_map(|(facts, cost)| facts.number(cost.tps?)).collect();
        sum
    }

    /// Weight per operation of `weight` units of the side.
    fn per_op(&self, weight: f64) -> Option<f64> {
        self.operations.map(|operations| weight * self.scale / operations)
    }

    /// Sets a row's cost per operation.
    pub(super) fn set_per_op(&self, quantities: &mut Quantities) {
        quantities.per_op = match self.per_op(quantities.self_weight.as_f64()) {
            None => PerOperation::Unknown,
            Some(ns) if self.is_time => PerOperation::Time(ns),
            Some(weight) => PerOperation::Weight(weight),
        };
    }
}

/// Cost of the comparison, its gap left open. `None` where a side has no operations.
pub(super) fn cost(before: &SideCost, after: &SideCost) -> Option<Cost> {
    let per_op = Pair { before: before.weight / before.operations?, after: after.weight / after.operations? };
    let log_ratio = (per_op.after / per_op.before).ln();
    if !log_ratio.is_finite() {
        return None;
    }
    let shift = common_shift(&before.per_run_cost, &after.per_run_cost);
    let values = |runs: &[OfRun]| runs.iter().map(|run| run.value).collect();
    let as_counted = |side: &SideCost| side.operations_as_counted.or(side.operations);
    let is_open = before.operations_as_counted.or(after.operations_as_counted).is_some();
    let per_op_as_counted =
        Pair { before: before.weight / as_counted(before)?, after: after.weight / as_counted(after)? };
    Some(Cost {
        per_op,
        per_run: PerSide::new(values(&before.per_run_cost), values(&after.per_run_cost)),
        per_op_as_counted: is_open.then_some(per_op_as_counted),
        is_time: before.is_time && after.is_time,
        log_ratio,
        log_interval: shift.and_then(|shift| shift.interval_around(log_ratio)),
        log_degrees_of_freedom: shift.map_or(0.0, |shift| shift.degrees_of_freedom),
        per_op_without_spin: Pair {
            before: (before.weight - before.spin_weight) / before.operations?,
            after: (after.weight - after.spin_weight) / after.operations?,
        },
        cpu_scale: Pair { before: before.scale, after: after.scale },
        cpu_coverage: before
            .cpu_coverage
            .zip(after.cpu_coverage)
            .map(|(before, after)| Pair { before, after }),
        lacks_cpu: before.lacks_cpu || after.lacks_cpu,
        gap: None,
    })
}
