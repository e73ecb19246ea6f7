//! Cost per operation: the shift that all rows share.
//!
//! A row's cost per operation is its share times the profile's weight per operation, so
//!
//! ```text
//! ln(row cost after / before) = ln(cost after / before) + ln(row share after / before)
//!                               common shift               own shift
//! ```
//!
//! The common shift moves from run to run far more than shares do (a machine that is slower today is slower for every
//! function), and operations are counted over a window that never quite fits the samples. The two are therefore
//! distinguished: the own shift is what the rows' tests on shares are about, the common one is here, once for the profile.

use std::collections::BTreeMap;

use pdiff_profile::PerSide;

use super::hosts::Pairing;
use super::student::critical_t;

/// Change of the whole profile's cost per operation: the factor that every row's cost per operation has in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CommonShift {
    /// ln(cost after / cost before), costs averaged on the log scale.
    pub(crate) log_ratio: f64,
    /// Lower and upper end of the 95 % interval; `None` with one run on each side.
    pub(crate) interval: Option<(f64, f64)>,
    /// Degrees of freedom of the interval; 0 with one run on each side.
    pub(crate) degrees_of_freedom: f64,
}

/// A number of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OfRun {
    /// The machine, as a number that both sides use; `None` if runs are compared and not machines.
    pub(crate) host: Option<u32>,
    pub(crate) value: f64,
}

/// The common shift of two sides, from each run's weight per operation; `None` if a side has no usable run (costs must
/// be positive). The variance of ln cost is taken to be one for both sides, so that a side may have a single run; if machines
/// are on both sides, it is that of their differences.
pub(crate) fn common_shift(before: &[OfRun], after: &[OfRun]) -> Option<CommonShift> {
    let logs = PerSide::new(LogCosts::new(before)?, LogCosts::new(after)?);
    let log_ratio = logs.after.mean - logs.before.mean;
    let (se, degrees_of_freedom) = match Pairing::new(logs.as_ref().map(|side| side.logs.as_slice())) {
        Some(pairing) => (pairing.variance.sqrt(), pairing.df),
        None => pooled(&logs.before, &logs.after),
    };
    let half = critical_t(0.05, degrees_of_freedom) * se;
    let interval = half.is_finite().then_some((log_ratio - half, log_ratio + half));
    Some(CommonShift {
        log_ratio,
        interval,
        degrees_of_freedom: if interval.is_some() { degrees_of_freedom } else { 0.0 },
    })
}

/// Standard error of the difference of two means whose values vary alike, and its degrees of freedom.
fn pooled(before: &LogCosts, after: &LogCosts) -> (f64, f64) {
    let degrees_of_freedom = (before.count - 1.0) + (after.count - 1.0);
    let variance = (before.squares + after.squares) / degrees_of_freedom;
    ((variance * (1.0 / before.count + 1.0 / after.count)).sqrt(), degrees_of_freedom)
}

impl CommonShift {
    /// The interval around another estimate of the logarithm, such as that of the runs' sums.
    pub(crate) fn interval_around(&self, log_ratio: f64) -> Option<(f64, f64)> {
        let moved = log_ratio - self.log_ratio;
        self.interval.map(|(low, high)| (low + moved, high + moved))
    }
}

struct LogCosts {
    /// Of each replicate: a run, or a machine, of whose runs it is the mean.
    logs: Vec<(Option<u32>, f64)>,
    count: f64,
    mean: f64,
    squares: f64,
}

impl LogCosts {
    fn new(costs: &[OfRun]) -> Option<Self> {
        let mut of_hosts: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        let mut logs: Vec<(Option<u32>, f64)> = Vec::new();
        for OfRun { host, value } in costs {
            let log = value.ln();
            match host {
                _ if !log.is_finite() => {}
                None => logs.push((None, log)),
                Some(host) => {
                    let (sum, count) = of_hosts.entry(*host).or_default();
                    (*sum, *count) = (*sum + log, *count + 1.0);
                }
            }
        }
        logs.extend(of_hosts.into_iter().map(|(host, (sum, count))| (Some(host), sum / count)));
        let count = logs.len() as f64;
        let mean = logs.iter().map(|(_, log)| log).sum::<f64>() / count;
        let squares = logs.iter().map(|(_, log)| (log - mean) * (log - mean)).sum();
        (!logs.is_empty()).then_some(Self { logs, count, mean, squares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common_shift(before: &[f64], after: &[f64]) -> Option<CommonShift> {
        let of_runs =
            |values: &[f64]| values.iter().map(|&value| OfRun { host: None, value }).collect::<Vec<_>>();
        super::common_shift(&of_runs(before), &of_runs(after))
    }

    #[test]
    fn machines_on_both_sides_are_compared_with_themselves() {
        let of = |values: &[(u32, f64)]| {
            let of_run = |&(host, value): &(u32, f64)| OfRun { host: Some(host), value };
            values.iter().map(of_run).collect::<Vec<_>>()
        };
        let before = of(&[(0, 1.0), (1, 10.0), (2, 100.0), (2, 100.0), (3, 3.0), (4, 30.0)]);
        let after = [2.0, 20.2, 199.0, 6.0, 60.0];
        let on = |first: u32| of(&(first..).zip(after).collect::<Vec<_>>());
        let same = super::common_shift(&before, &on(0)).unwrap();
        let others = super::common_shift(&before, &on(5)).unwrap();
        let width = |shift: CommonShift| shift.interval.map(|(low, high)| high - low).unwrap();
        // The machine with two runs counts once.
        assert!(
            (same.log_ratio - others.log_ratio).abs() < 1e-12 && (same.log_ratio.exp() - 2.0).abs() < 0.02
        );
        assert_eq!((same.degrees_of_freedom, others.degrees_of_freedom), (4.0, 8.0));
        assert!(width(same) < 0.06 && width(others) > 4.0, "{same:?} {others:?}");
    }

    #[test]
    fn one_run_a_side_has_no_interval() {
        let shift = common_shift(&[1.0], &[2.0]).unwrap();
        assert_eq!((shift.log_ratio, shift.interval), (2.0_f64.ln(), None));
        assert_eq!(common_shift(&[], &[2.0]), None);
        assert_eq!(common_shift(&[0.0, f64::NAN, -1.0], &[2.0]), None);
    }

    #[test]
    fn the_shift_is_that_of_the_mean_logarithms() {
        let shift = common_shift(&[40.0, 41.0, 39.5], &[50.0, 49.0, 52.0]).unwrap();
        assert!((shift.log_ratio.exp() - 1.25).abs() < 0.01);
        assert!(shift.interval.is_some_and(|(low, _)| low > 0.0));
    }

    #[test]
    fn one_run_against_several_borrows_their_variance() {
        let shift = common_shift(&[1.0], &[2.0, 2.2]).unwrap();
        assert_eq!(shift.degrees_of_freedom, 1.0);
        assert!(shift.interval.is_some());
    }

    #[test]
    fn swapping_sides_negates() {
        let (a, b) = ([46.4, 40.6, 41.5], [55.2, 40.1, 43.0]);
        let (there, back) = (common_shift(&a, &b).unwrap(), common_shift(&b, &a).unwrap());
        assert_eq!(there.log_ratio, -back.log_ratio);
        assert_eq!(there.interval.unwrap().0, -back.interval.unwrap().1);
    }
}
