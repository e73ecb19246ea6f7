//! The trigamma function: the variance of the logarithm of a variance by its degrees of freedom.

/// Where the asymptotic series starts: its first dropped term is below 1e-15 there.
const SERIES_FROM: f64 = 12.0;

/// The second derivative of ln gamma, for positive `x`.
pub(super) fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::INFINITY;
    }
    let (mut z, mut sum) = (x, 0.0);
    while z < SERIES_FROM {
        sum += 1.0 / (z * z);
        z += 1.0;
    }
    let r = 1.0 / (z * z);
    let series = r * (1.0 / 6.0 - r * (1.0 / 30.0 - r * (1.0 / 42.0 - r * (1.0 / 30.0 - r * (5.0 / 66.0)))));
    sum + 1.0 / z + 0.5 * r + series / z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let pi2 = std::f64::consts::PI.powi(2);
        for (x, expected) in [(1.0, pi2 / 6.0), (0.5, pi2 / 2.0), (2.0, pi2 / 6.0 - 1.0)] {
            assert!((trigamma(x) - expected).abs() < 1e-12, "{x}");
        }
    }
}
