//! The distribution of variances over rows: what rows lend to each other.
//!
//! Variances s^2 on d degrees of freedom around true ones that are scaled inverse chi-squared (d0, s0^2) follow
//! s0^2 F(d, d0). d0 and s0^2 come from mean and variance of ln s^2 (Smyth 2004, section 6.2):
//! e = ln s^2 - digamma(d/2) + ln(d/2), trigamma(d0/2) = var(e) - mean trigamma(d/2).
//!
//! With one degree of freedom a row, as in two runs against one, var(e) is so uncertain itself that d0 would jump
//! between 3 and infinity from one recording to the next. So a d0 below [`TYPICAL_DF`] is believed only as far as var(e)
//! is more than a standard error above what that asks for. How many degrees of freedom may be lent is bounded elsewhere
//! (`model.rs`).

use statrs::function::gamma::digamma;

use super::trigamma::{inverse_trigamma, trigamma};

/// A variance below this part of the median is taken to be that: its logarithm would speak louder than all others.
const SMALLEST_OF_MEDIAN: f64 = 1e-5;

/// Degrees of freedom of the prior that repeated recordings of one binary gave where they told it: 7 to 20.
const TYPICAL_DF: f64 = 12.0;

/// A row's variance over the expected one, with its degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScaledVariance {
    pub(super) value: f64,
    pub(super) df: f64,
}

/// The prior of a row's variance over the expected one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prior {
    /// Degrees of freedom, d0; infinite if rows do not differ more than chance makes them.
    pub(super) df: f64,
    /// Typical variance over the expected one, s0^2.
    pub(super) variance: f64,
}

impl Prior {
    /// Variances are as expected: the prior where there is nothing to learn from.
    pub(super) const EXPECTED: Self = Self { df: f64::INFINITY, variance: 1.0 };

    /// Fits the prior to the rows' variances.
    pub(super) fn fit(variances: &[ScaledVariance]) -> Self {
        let smallest = SMALLEST_OF_MEDIAN * median(variances);
        if smallest.is_nan() || smallest <= 0.0 {
            return Self::EXPECTED;
        }
        let centred = |x: &ScaledVariance| {
            let half = x.df / 2.0;
            x.value.max(smallest).ln() - digamma(half) + half.ln()
        };
        let count = variances.len() as f64;
        let mean = variances.iter().map(centred).sum::<f64>() / count;
        let moment = |power| variances.iter().map(|x| (centred(x) - mean).powi(power)).sum::<f64>() / count;
        let spread = moment(2) * count / (count - 1.0).max(1.0);
        let uncertainty = ((moment(4) - moment(2) * moment(2)).max(0.0) / count).sqrt();
        let by_chance = variances.iter().map(|x| trigamma(x.df / 2.0)).sum::<f64>() / count;
        let excess = spread - by_chance;
        let typical = trigamma(TYPICAL_DF / 2.0);
        Self::from_moments(mean, if excess > typical { typical.max(excess - uncertainty) } else { excess })
    }

    fn from_moments(mean: f64, excess: f64) -> Self {
        let half = inverse_trigamma(excess);
        let shift = if half.is_finite() { digamma(half) - half.ln() } else { 0.0 };
        let variance = (mean + shift).exp();
        if !variance.is_finite() || half.is_nan() {
            return Self::EXPECTED;
        }
        Self { df: 2.0 * half, variance }
    }
}

fn median(variances: &[ScaledVariance]) -> f64 {
    let mut values: Vec<f64> = variances.iter().map(|x| x.value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(values: &[f64], df: f64) -> Prior {
        Prior::fit(&values.iter().map(|&value| ScaledVariance { value, df }).collect::<Vec<_>>())
    }

    #[test]
    fn nothing_to_learn_from_is_as_expected() {
        assert_eq!(fit(&[], 1.0), Prior::EXPECTED);
        assert_eq!(fit(&[0.0, 0.0, 0.0], 1.0), Prior::EXPECTED);
        assert!(fit(&[2.0], 4.0).variance.is_finite());
    }

    #[test]
    fn rows_that_differ_no_more_than_chance_lend_without_bound() {
        let prior = fit(&[0.9, 1.0, 1.1], 4.0);
        assert_eq!(prior.df, f64::INFINITY);
    }

    #[test]
    fn rows_that_differ_widely_lend_little() {
        let prior = fit(&[1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3], 20.0);
        assert!(prior.df < 1.5, "{prior:?}");
    }
}
