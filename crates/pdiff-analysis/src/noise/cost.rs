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

/// The common shift of two sides, from each run's weight per operation; `None` if a side has no usable run (costs must
/// be positive). The variance of ln cost is taken to be one for both sides, so that a side may have a single run.
pub(crate) fn common_shift(before: &[f64], after: &[f64]) -> Option<CommonShift> {
    let (before, after) = (LogCosts::new(before)?, LogCosts::new(after)?);
    let log_ratio = after.mean - before.mean;
    let degrees_of_freedom = (before.count - 1.0) + (after.count - 1.0);
    let variance = (before.squares + after.squares) / degrees_of_freedom;
    let half =
        critical_t(0.05, degrees_of_freedom) * (variance * (1.0 / before.count + 1.0 / after.count)).sqrt();
    let interval = half.is_finite().then_some((log_ratio - half, log_ratio + half));
    Some(CommonShift { log_ratio, interval, degrees_of_freedom })
}

impl CommonShift {
    /// The interval around another estimate of the logarithm, such as that of the runs' sums.
    pub(crate) fn interval_around(&self, log_ratio: f64) -> Option<(f64, f64)> {
        let moved = log_ratio - self.log_ratio;
        self.interval.map(|(low, high)| (low + moved, high + moved))
    }
}

struct LogCosts {
    count: f64,
    mean: f64,
    squares: f64,
}

impl LogCosts {
    fn new(costs: &[f64]) -> Option<Self> {
        let logs: Vec<f64> = costs.iter().map(|cost| cost.ln()).filter(|log| log.is_finite()).collect();
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let squares = logs.iter().map(|log| (log - mean) * (log - mean)).sum();
        (!logs.is_empty()).then_some(Self { count, mean, squares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
