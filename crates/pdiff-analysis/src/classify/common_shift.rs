//! The factor by which the share of an unchanged function falls or rises.
//!
//! Shares sum to 100, so new cost in one place takes share from everything else. If the builds are a patch apart, the factor is
//! the median over the functions with equal code: a machine that was slower in one of the runs changes the cost per operation,
//! and not their shares. That is not the reason if it differs much from the factor of the cost of an operation: then most functions
//! with equal code, those of a memory manager perhaps, do more. Nor is it if the median is badly known and may be that factor. Else, if
//! operations are known, it is that of the cost per operation, and if not, the median over functions of the program that both runs
//! sampled well: those with equal code in both builds, where there are enough. Where these are too unlike each other to tell, functions
//! with equal code that agree with each other do, if they have half of the CPU time.

use pdiff_profile::Side;

use super::builds::Builds;
use super::case::Case;
use super::cause::Judged;
use super::input::ClassifyInput;
use crate::compare::Row;
use crate::noise::{CommonFactor, FLOOR_PP, FLOOR_RELATIVE, MIN_SAMPLES, critical_t, typical_factor};
use crate::policy::Share;

/// A share within this factor of what the common one makes of it did not change: the practical floor of every row.
const TOLERANCE: f64 = 1.0 + FLOOR_RELATIVE;

/// No machine is slower than another, or than it was before, by this factor.
const OF_MACHINES: f64 = 1.5;

/// A median whose interval is wider than this part of it, each way, is that of few functions, or of functions that changed unlike each
/// other.
const BADLY_KNOWN: f64 = 0.2;

/// After's share over Before's of a function that did not change.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct CommonShift {
    factor: f64,
    /// Half the width of its 95 % interval, relative to it; 0 where it is not known.
    error: f64,
    /// The same where it is a median: functions that are few or changed unlike each other do not tell it well.
    median_error: f64,
}

/// How a change of share is that of all functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Likeness {
    /// It is as large, within noise.
    Same,
    /// It is smaller: what is left goes the other way.
    OtherWay,
}

impl CommonShift {
    pub(super) fn new(
        input: &ClassifyInput<'_>,
        builds: &Builds<'_>,
        cases: &[Case<'_>],
        is_patched: bool,
    ) -> Self {
        let of_program = cases.iter().filter(|case| case.of_program);
        let logs: Vec<(f64, Option<&Row>)> = of_program
            .filter_map(|case| {
                let same = Some(case.row).filter(|_| builds.same_code(&case.ids) == Some(true));
                Some((ratio(case.row)?.ln(), same))
            })
            .collect();
        let same: Vec<Known> = logs.iter().filter_map(|(log, row)| Some(Known::new(*log, (*row)?))).collect();
        let of_same_code = typical_factor(same.iter().map(|of| of.log).collect());
        let cost = input.comparison.cost.as_ref().filter(|_| input.comparison.share == Share::All);
        let of_cost = cost.map(|cost| {
            let error = cost.log_interval.map_or(0.0, |(low, high)| ((high - low) / 2.0).exp_m1());
            Self { factor: (-cost.log_ratio).exp(), error, median_error: 0.0 }
        });
        let is_machine = |factor: &CommonFactor| {
            of_cost.is_none_or(|of_cost| (factor.ratio / of_cost.factor).ln().abs() <= OF_MACHINES.ln())
        };
        // A median that may as well be the factor of the cost, and is known far worse, tells nothing of machines.
        let is_told = |factor: &CommonFactor| {
            let median = Self::of_median(*factor);
            median.error <= BADLY_KNOWN
                || of_cost
                    .is_none_or(|of_cost| (median.factor / of_cost.factor).ln().abs() > median.error.ln_1p())
        };
        let of_machines = |factor: &CommonFactor| is_patched && is_machine(factor) && is_told(factor);
        if let Some(factor) = of_same_code.filter(of_machines) {
            return Self::of_median(factor);
        }
        if let Some(of_cost) = of_cost {
            return of_cost;
        }
        let of_all = || typical_factor(logs.iter().map(|(log, _)| *log).collect());
        let of_median = of_same_code.or_else(of_all).map(Self::of_median);
        let is_told = of_median.is_some_and(|median| median.error <= BADLY_KNOWN);
        let of_most = if is_told { None } else { most_alike(same).map(Self::of_median) };
        of_most.or(of_median).unwrap_or(Self { factor: 1.0, error: 0.0, median_error: 0.0 })
    }

    fn of_median(factor: CommonFactor) -> Self {
        let half = critical_t(0.05, factor.degrees_of_freedom) * factor.log_se;
        let error = half.exp_m1();
        Self { factor: factor.ratio, error, median_error: error }
    }

    /// The factor.
    pub(super) fn factor(self) -> f64 {
        self.factor
    }

    /// A share of one side without the shift that all functions share, in points of After's shares.
    pub(super) fn without(self, pct: f64, side: Side) -> f64 {
        if side == Side::Before { self.factor * pct } else { pct }
    }

    /// Half the width of the factor's 95 % interval, relative to it; 0 where it is not known.
    pub(super) fn error(self) -> f64 {
        self.error
    }

    /// The rest of a change without the shift that all functions share, in points of After's shares.
    pub(super) fn own_change_pp(self, before_pct: f64, after_pct: f64) -> f64 {
        after_pct - self.factor * before_pct
    }

    /// Whether the row's change of a measure is no more than the shift that all functions share: what is left is within
    /// a tenth, below the floor, inside the row's own interval and that of the factor, or goes the other way.
    pub(super) fn explains(self, row: &Row, judged: Judged) -> bool {
        self.explains_shares(judged.shares(row), judged.half_width_pp(row))
    }

    /// The measure whose share changed less than that of a function at the same cost, beyond noise, so that its cost went the other
    /// way: this one, or self by symbol if that did together with what is inlined into it.
    pub(super) fn other_way(self, row: &Row, judged: Judged) -> Option<Judged> {
        let half_pp = judged.half_width_pp(row);
        let is_other = |shares, half_pp| self.compare(shares, half_pp) == Some(Likeness::OtherWay);
        if is_other(judged.shares(row), half_pp) {
            return Some(judged);
        }
        let half_pp = half_pp.hypot(Judged::Booked.half_width_pp(row));
        let is_together =
            judged == Judged::OwnSelf && is_other((row.before.x_pct(), row.after.x_pct()), half_pp);
        is_together.then_some(Judged::Booked)
    }

    /// Whether self changed only because weight went between the function and what is inlined into it: both together
    /// changed no more than all functions did, or the other way.
    pub(super) fn explains_own_code(self, row: &Row) -> bool {
        let has_helpers = row.before.x_pct() > row.before.self_pct || row.after.x_pct() > row.after.self_pct;
        let half_pp = Judged::OwnSelf.half_width_pp(row).max(Judged::Booked.half_width_pp(row));
        let (before, after) = (row.before.x_pct(), row.after.x_pct());
        let is_other_way = (after - before) * row.delta_self_pp() < 0.0;
        has_helpers && (is_other_way || self.explains_shares((before, after), half_pp))
    }

    fn explains_shares(self, shares: (f64, f64), half_pp: f64) -> bool {
        self.compare(shares, half_pp).is_some()
    }

    /// How a change of share is explained; `None` if it is not.
    fn compare(self, (before, after): (f64, f64), half_pp: f64) -> Option<Likeness> {
        if before <= 0.0 || after <= 0.0 {
            return None;
        }
        let own_pp = self.own_change_pp(before, after);
        let half_pp = half_pp.hypot(self.median_error * (before * after).sqrt());
        let is_like = (after / (self.factor * before)).ln().abs() <= TOLERANCE.ln();
        let is_other_way = own_pp * (after - before) <= 0.0;
        // Seen from either side, so that swapped sides agree.
        let (largest, middle) =
            (own_pp.abs().max(own_pp.abs() / self.factor), own_pp.abs() / self.factor.sqrt());
        if is_like || largest < FLOOR_PP || middle < half_pp {
            return Some(Likeness::Same);
        }
        is_other_way.then_some(Likeness::OtherWay)
    }
}

/// A function with equal code in both builds.
#[derive(Clone, Copy)]
struct Known {
    /// The logarithm of After's share of its self by symbol over Before's.
    log: f64,
    /// The mean of both, in percent.
    pct: f64,
}

impl Known {
    fn new(log: f64, row: &Row) -> Self {
        Self { log, pct: f64::midpoint(row.before.booked_self_pct, row.after.booked_self_pct) }
    }
}

/// So many functions must agree, and have this part of the CPU time, of which one has at most this part: what one large function does more is
/// no common factor.
const LEAST_ALIKE: usize = 3;
const PART_OF_ALIKE: f64 = 0.5;
const PART_OF_ONE: f64 = 2.0 / 3.0;

/// The factor of the functions with most of the CPU time whose shares changed by the same factor, to a tenth.
fn most_alike(mut known: Vec<Known>) -> Option<CommonFactor> {
    known.sort_by(|a, b| a.log.total_cmp(&b.log));
    let alike = (0..known.len()).map(|first| {
        let of = known.get(first..).unwrap_or_default();
        let count = of.partition_point(|of_one| of_one.log - of[0].log <= TOLERANCE.ln());
        &of[..count]
    });
    let pct = |of: &[Known]| of.iter().map(|of| of.pct).sum::<f64>();
    let most = alike.max_by(|a, b| pct(a).total_cmp(&pct(b)))?;
    let all = pct(most);
    let largest = most.iter().map(|of| of.pct).fold(0.0, f64::max);
    if most.len() < LEAST_ALIKE || all < 100.0 * PART_OF_ALIKE || largest > PART_OF_ONE * all {
        return None;
    }
    let mean = most.iter().map(|of| of.pct * of.log).sum::<f64>() / all;
    let variance = most.iter().map(|of| (of.pct / all * (of.log - mean)).powi(2)).sum::<f64>();
    let degrees_of_freedom = (most.len() - 1) as f64;
    Some(CommonFactor { ratio: mean.exp(), log_se: variance.sqrt(), degrees_of_freedom })
}

/// The ratio of a row's booked shares, where both are well sampled.
fn ratio(row: &Row) -> Option<f64> {
    let is_sampled = Side::BOTH.iter().all(|side| row.booked.samples(*side) >= MIN_SAMPLES);
    let ratio = row.after.booked_self_pct / row.before.booked_self_pct;
    (is_sampled && !row.unresolved && ratio.is_finite() && ratio > 0.0).then_some(ratio)
}
