//! Student's t and the F distribution, made total: any finite input has an answer.

use statrs::distribution::{ContinuousCDF, FisherSnedecor, Normal, StudentsT};

/// Above this many degrees of freedom t is the normal distribution to more digits than anybody reads.
const NORMAL_DF: f64 = 1e6;

/// Two-sided p-value of `t` on `df` degrees of freedom; 1 where that is not defined.
pub fn two_sided_p(t: f64, df: f64) -> f64 {
    if t == 0.0 || t.is_nan() || df.is_nan() || df <= 0.0 {
        return 1.0;
    }
    let upper = if df > NORMAL_DF {
        Normal::standard().sf(t.abs())
    } else {
        StudentsT::new(0.0, 1.0, df).map_or(0.5, |t_distribution| t_distribution.sf(t.abs()))
    };
    (2.0 * upper).clamp(0.0, 1.0)
}

/// The `t` that a two-sided test at level `alpha` needs; infinite where there is none.
pub fn critical_t(alpha: f64, df: f64) -> f64 {
    let lower = alpha / 2.0;
    if !(lower > 0.0 && lower < 1.0) || df.is_nan() || df <= 0.0 {
        return f64::INFINITY;
    }
    if df > NORMAL_DF {
        return -Normal::standard().inverse_cdf(lower);
    }
    StudentsT::new(0.0, 1.0, df).map_or(f64::INFINITY, |t_distribution| -t_distribution.inverse_cdf(lower))
}

/// The standard normal's quantile at `probability`.
pub(super) fn normal_quantile(probability: f64) -> f64 {
    Normal::standard().inverse_cdf(probability.clamp(0.0, 1.0))
}

/// The standard normal's density.
pub(super) fn normal_density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
}

/// Chance that a standard normal variable is `x` or less; 0 where that is not defined.
pub(super) fn normal_cdf(x: f64) -> f64 {
    if x.is_nan() { 0.0 } else { Normal::standard().cdf(x) }
}

/// Chance that an F variable on these degrees of freedom is `ratio` or more; 1 where that is not defined.
pub fn f_upper_tail(ratio: f64, numerator_df: f64, denominator_df: f64) -> f64 {
    if !ratio.is_finite() || ratio <= 0.0 {
        return 1.0;
    }
    FisherSnedecor::new(numerator_df, denominator_df).map_or(1.0, |f| f.sf(ratio))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_and_tails_agree_with_tables() {
        for (alpha, df, t) in
            [(0.05, 14.0, 2.144_787), (0.05, f64::INFINITY, 1.959_964), (1e-4, 10.0, 6.211_05)]
        {
            assert!((critical_t(alpha, df) - t).abs() < 1e-4, "{alpha} {df}: {}", critical_t(alpha, df));
            assert!((two_sided_p(t, df) - alpha).abs() < 1e-4 * alpha + 1e-9, "{alpha} {df}");
        }
        assert!((f_upper_tail(3.33, 5.0, 10.0) - 0.05).abs() < 1e-3);
    }

    #[test]
    fn odd_input_has_an_answer() {
        assert_eq!(two_sided_p(f64::NAN, 3.0), 1.0);
        assert_eq!(two_sided_p(3.0, 0.0), 1.0);
        assert_eq!(two_sided_p(f64::INFINITY, 3.0), 0.0);
        assert_eq!(two_sided_p(1e300, 3.0), 0.0);
        assert_eq!(critical_t(0.0, 3.0), f64::INFINITY);
        assert_eq!(critical_t(0.05, f64::NAN), f64::INFINITY);
        assert_eq!(f_upper_tail(f64::NAN, 1.0, 1.0), 1.0);
        assert_eq!(f_upper_tail(2.0, 0.0, 1.0), 1.0);
    }
}
