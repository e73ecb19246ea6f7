//! The gap in throughput, and each row's part of it.
//!
//! With U the CPU cores that the process used and c its CPU per operation, TPS = U / c, so
//! `ln(TPS_B/TPS_A) = ln(U_B/U_A) - ln(c_B/c_A)`. The CPU part is divided among rows in proportion to their change of
//! cost, the logarithmic mean being the common factor: additive, and of opposite sign with the sides swapped
//! (B. W. Ang, "Decomposition analysis for policymaking in energy", Energy Policy 32, 2004: LMDI).
//!
//! U and c refer to all samples, regardless of filters and denominators of the rows: samples that a filter removes are a
//! separate part. A row's interval adds three errors: of its own share, of the cost of the whole profile, and of U. A share is
//! a ratio whose lower part is noisy, too, so it is computed again at both ends of the intervals of cost and of U, and the
//! deviations below and above are added as squares, each on its own (G. Y. Zou, A. Donner, "Construction of confidence limits
//! about effect measures: a general approach", Statistics in Medicine 27, 2008). A small gap may be still smaller, so that
//! shares may be much larger: intervals are wider on that end.

use super::comparison::{Gap, GapParts, Pair};
use super::cost::SideCost;
use super::row::{Row, RowGap};
use crate::noise::{NoiseSettings, OfRun, SINGLE_RUN_CV_DF, common_shift, critical_t};

/// A cost counted in another unit than CPU seconds divides the CPU part in proportion, if it moved the same way and by no
/// less than this part of it: else it does not measure what the CPU was used for.
const LEAST_OF_CPU: f64 = 0.2;

/// Sums of the rows' costs differ from the whole by no more than this part of it for rounding.
const ROUNDING: f64 = 1e-9;

/// Shares have no limit where the gap may be zero: intervals end at the shares of a gap that is this part of the one seen.
const LEAST_OF_GAP: f64 = 0.1;

/// An interval whose nearer end is less than this part of the gap from zero almost contains zero. Intervals of shares
/// contained the truth in 87 of 100 cases where gaps were divided up that are smaller than their noise (`docs/noise.md`).
const NEAR_ZERO: f64 = 0.5;

/// Throughput is known no better than to this part of it, however alike the runs are: a load of a fixed rate has hardly any noise,
/// and what remains of it is when each run was started and stopped.
const RESOLUTION: f64 = 0.001;

/// A gap that is less than this part of what cost or cores changed is what the two leave when they cancel: shares of it are shares
/// of next to nothing.
const LEAST_OF_PARTS: f64 = 0.1;

/// Throughput, cores and parts; each row's shares of the changes are set. `None` where utilisation is not known.
pub(super) fn gap(
    before: &SideCost,
    after: &SideCost,
    settings: &NoiseSettings,
    rows: &mut [Row],
) -> Option<Gap> {
    let tps =
        Pair { before: before.operations? / before.seconds?, after: after.operations? / after.seconds? };
    let cores =
        Pair { before: before.cpu_seconds? / before.seconds?, after: after.cpu_seconds? / after.seconds? };
    let log_gap = (tps.after / tps.before).ln();
    if !(log_gap.is_finite() && cores.before > 0.0 && cores.after > 0.0) {
        return None;
    }
    let measured = common_shift(&before.per_run_tps, &after.per_run_tps);
    let measured = measured.and_then(|shift| shift.interval_around(log_gap));
    let half = assumed_log_half(settings.single_run_cv());
    let (low, high) = measured.unwrap_or((log_gap - half, log_gap + half));
    let (low, high) = (low.min(log_gap - RESOLUTION), high.max(log_gap + RESOLUTION));
    let excludes_zero = low > 0.0 || high < 0.0;
    let division = Division::new(before, after, cores, log_gap, settings).filter(|_| excludes_zero);
    let nearer_end = low.abs().min(high.abs());
    let percent = |log: f64| 100.0 * log.exp_m1();
    Some(Gap {
        tps,
        cores,
        gap_pct: percent(log_gap),
        interval_pct: (percent(low), percent(high)),
        assumed: measured.is_none(),
        barely_significant: division.is_some() && nearer_end < NEAR_ZERO * log_gap.abs(),
        parts: division.map(|division| division.divide(rows)),
    })
}

/// Half of the 95 % interval of the logarithm of a ratio of two runs, where their coefficient of variation is assumed.
#[must_use]
pub fn assumed_log_half(cv: f64) -> f64 {
    critical_t(0.05, SINGLE_RUN_CV_DF) * cv * std::f64::consts::SQRT_2
}

/// The standard error of a logarithm, with its degrees of freedom.
#[derive(Clone, Copy)]
struct LogError {
    se: f64,
    degrees_of_freedom: f64,
}

impl LogError {
    const NONE: Self = Self { se: 0.0, degrees_of_freedom: f64::INFINITY };

    /// From the runs' values; `None` with one run per side.
    fn measured(before: &[OfRun], after: &[OfRun]) -> Option<Self> {
        let shift = common_shift(before, after)?;
        let (low, high) = shift.interval?;
        let degrees_of_freedom = shift.degrees_of_freedom;
        Some(Self { se: (high - low) / 2.0 / critical_t(0.05, degrees_of_freedom), degrees_of_freedom })
    }

    /// Half of the 95 % interval.
    fn half(self) -> f64 {
        if self.se > 0.0 { critical_t(0.05, self.degrees_of_freedom) * self.se } else { 0.0 }
    }

    fn assumed(cv: f64) -> Self {
        Self { se: cv * std::f64::consts::SQRT_2, degrees_of_freedom: SINGLE_RUN_CV_DF }
    }
}

/// How the gap is divided.
struct Division {
    /// Cost per operation of all samples.
    all: Pair,
    /// ln of the ratio of cores used.
    log_cores: f64,
    /// The CPU part of the gap over the change of cost, in logarithms; 1 where cost is CPU time.
    unit: f64,
    of_cost: LogError,
    of_cores: LogError,
}

impl Division {
    fn new(
        before: &SideCost,
        after: &SideCost,
        cores: Pair,
        log_gap: f64,
        settings: &NoiseSettings,
    ) -> Option<Self> {
        let all = Pair {
            before: before.all_weight / before.operations?,
            after: after.all_weight / after.operations?,
        };
        let (log_cores, log_cost) = ((cores.after / cores.before).ln(), (all.after / all.before).ln());
        let cpu_part = log_cores - log_gap;
        let is_time = before.is_time && after.is_time;
        let unit = if is_time { 1.0 } else { cpu_part / log_cost };
        let divides = is_time || (LEAST_OF_CPU..=1.0 / LEAST_OF_CPU).contains(&unit);
        let of_cost = LogError::measured(&before.per_run_all_cost, &after.per_run_all_cost);
        let cores_of_runs = |side: &SideCost| -> Vec<OfRun> {
            let runs = side.per_run_tps.iter().zip(&side.per_run_all_cost);
            runs.map(|(tps, cost)| OfRun { value: tps.value * cost.value, ..*tps }).collect()
        };
        let is_of_parts = log_gap.abs() >= LEAST_OF_PARTS * log_cores.abs().max(cpu_part.abs());
        (divides && is_of_parts && log_cost.is_finite()).then_some(Self {
            all,
            log_cores,
            unit,
            of_cost: of_cost.unwrap_or(LogError::assumed(settings.single_run_cv())),
            of_cores: LogError::measured(&cores_of_runs(before), &cores_of_runs(after))
                .unwrap_or(LogError::NONE),
        })
    }

    /// Sets each row's share of the gap and of the change of CPU, and sums the parts.
    fn divide(&self, rows: &mut [Row]) -> GapParts {
        let log_gap = self.log_gap(self.all, self.log_cores);
        let mut parts = GapParts { utilisation_pct: 100.0 * self.log_cores / log_gap, ..GapParts::default() };
        let mut kept = Pair { before: 0.0, after: 0.0 };
        for row in rows {
            let of_row = Pair {
                before: row.before.self_per_op().unwrap_or(0.0),
                after: row.after.self_per_op().unwrap_or(0.0),
            };
            kept = Pair { before: kept.before + of_row.before, after: kept.after + of_row.after };
            let share = self.share(of_row, self.all, self.log_cores);
            let cpu_change = self.all.after - self.all.before;
            let cpu_change_share_pct = 100.0 * (of_row.after - of_row.before) / cpu_change;
            row.gap = Some(Box::new(RowGap {
                share_pct: share,
                share_interval_pct: self.interval(row, of_row, share),
                cpu_change_share_pct: Some(cpu_change_share_pct).filter(|share| share.is_finite()),
            }));
            let part = match (row.unresolved, row.significant) {
                (true, _) => &mut parts.unresolved_pct,
                (false, true) => &mut parts.explained_pct,
                (false, false) => &mut parts.not_significant_pct,
            };
            *part += share;
        }
        let outside = Pair { before: self.all.before - kept.before, after: self.all.after - kept.after };
        let is_outside =
            outside.before.abs().max(outside.after.abs()) > ROUNDING * self.all.before.max(self.all.after);
        if is_outside {
            parts.outside_filter_pct = self.share(outside, self.all, self.log_cores);
        }
        parts
    }

    fn log_gap(&self, all: Pair, log_cores: f64) -> f64 {
        log_cores - self.unit * (all.after / all.before).ln()
    }

    /// The part of the gap that a change of cost makes up, in percent.
    fn share(&self, of: Pair, all: Pair, log_cores: f64) -> f64 {
        let delta = all.after - all.before;
        let is_equal = delta.abs() < f64::EPSILON * all.before;
        let factor = if is_equal { 1.0 / all.before } else { (all.after / all.before).ln() / delta };
        100.0 * -(of.after - of.before) * factor * self.unit / self.log_gap(all, log_cores)
    }

    /// 95 % interval of a row's share of the gap.
    fn interval(&self, row: &Row, of: Pair, share: f64) -> (f64, f64) {
        let grown = |pair: Pair, log: f64| Pair { after: pair.after * log.exp(), ..pair };
        let by_cost = |log: f64| self.share(grown(of, log), grown(self.all, log), self.log_cores);
        let by_cores = |log: f64| self.share(of, self.all, self.log_cores + log);
        let own_error = LogError { se: own_error(row, of), degrees_of_freedom: row.degrees_of_freedom };
        let own = self.share(Pair { before: 0.0, after: own_error.half() }, self.all, self.log_cores);
        let ends = [
            [share - own, share + own],
            self.ends(self.of_cost, -self.unit).map(by_cost),
            self.ends(self.of_cores, 1.0).map(by_cores),
        ];
        let beyond = |deviation: fn(f64, f64) -> f64| {
            let farthest =
                |ends: &[f64; 2]| ends.iter().map(|end| deviation(*end, share)).fold(0.0, f64::max);
            ends.iter().map(farthest).map(|deviation| deviation * deviation).sum::<f64>().sqrt()
        };
        (share - beyond(|end, share| share - end), share + beyond(|end, share| end - share))
    }

    /// Both ends of the interval of a logarithm of which the gap's logarithm has `slope` times as much, but no farther than to
    /// where nearly nothing is left of the gap.
    fn ends(&self, error: LogError, slope: f64) -> [f64; 2] {
        let gap = self.log_gap(self.all, self.log_cores);
        [-error.half(), error.half()].map(|end| {
            let is_too_far = (gap + slope * end) / gap < LEAST_OF_GAP;
            if is_too_far { (LEAST_OF_GAP - 1.0) * gap / slope } else { end }
        })
    }
}

/// Standard error of a row's change of cost that is its own: that of its share, as cost per operation.
fn own_error(row: &Row, of: Pair) -> f64 {
    let per_point = |cost: f64, pct: f64| if pct > 0.0 { cost / pct } else { 0.0 };
    row.se_pp * per_point(of.before, row.before.self_pct).max(per_point(of.after, row.after.self_pct))
}
