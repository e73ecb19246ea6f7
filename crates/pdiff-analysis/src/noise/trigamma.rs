//! The trigamma function and its inverse, which convert between variances of logarithms and degrees of freedom.

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

/// The `y` with trigamma(y) = `x`, by Newton's method on 1 / trigamma, which is nearly linear and convex (Smyth 2004,
/// appendix). Infinite for `x` <= 0.
pub(super) fn inverse_trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::INFINITY;
    }
    if x > 1e7 {
        return 1.0 / x.sqrt();
    }
    if x < 1e-6 {
        return 1.0 / x;
    }
    let mut y = 0.5 + 1.0 / x;
    for _ in 0..50 {
        let value = trigamma(y);
        let step = value * (1.0 - value / x) / tetragamma(y);
        y += step;
        if -step / y < 1e-10 {
            break;
        }
    }
    y
}

/// The derivative of trigamma, for positive `x`.
fn tetragamma(x: f64) -> f64 {
    let (mut z, mut sum) = (x, 0.0);
    while z < SERIES_FROM {
        sum -= 2.0 / (z * z * z);
        z += 1.0;
    }
    let r = 1.0 / (z * z);
    sum - r * (1.0 + 1.0 / z + r * (0.5 - r * (1.0 / 6.0 - r * (1.0 / 6.0 - r * 0.3))))
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

    #[test]
    fn the_inverse_undoes_trigamma() {
        for y in [0.01, 0.3, 1.0, 4.5, 80.0, 1e4] {
            let back = inverse_trigamma(trigamma(y));
            assert!((back / y - 1.0).abs() < 1e-6, "{y} {back}");
        }
        assert_eq!(inverse_trigamma(0.0), f64::INFINITY);
        assert_eq!(inverse_trigamma(f64::NAN), f64::INFINITY);
    }
}
