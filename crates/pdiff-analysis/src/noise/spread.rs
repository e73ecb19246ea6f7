//! How functions differ in their variation from run to run, estimated from all rows together.
//!
//! A row's variance is w + c_i^2 p^2: w is the variance within a run, and c_i is the row's own coefficient of variation
//! between runs. The c_i are log-normal around one typical c. Sampling noise is the same for all rows, so the spread s of
//! ln c_i is estimated from the likelihood of all rows' squares between runs, each with its own w. Light rows, whose
//! variance is all w, then say nothing about s, and s says nothing about them. (limma fits one inverse chi-squared prior to
//! whole variances; where a part of each is known that lends heavy rows too many degrees of freedom.)
//!
//! Given s, `mixture.rs` has what is known of a row's change.

use std::borrow::Cow;
use std::sync::LazyLock;

use pdiff_profile::PerSide;

use super::side::SideShare;
use super::student::normal_density;

/// Values that ln c_i may have, in standard deviations from the mean: equal steps, for which sums over a normal density are
/// as good as the integral. Many runs leave less of a doubt than such a step, and then there are more of them.
const NODES: usize = 21;
const MOST_NODES: usize = 401;
const FARTHEST_NODE: f64 = 4.0;

/// Spreads that are tried, and the step between them.
const SPREADS: usize = 13;
const SPREAD_STEP: f64 = 0.1;

/// What is assumed of the spread before rows say otherwise: 0.25, give or take 0.25. Repeated recordings of three database
/// servers gave variances over the expected one on 7 to 20 degrees of freedom, which is 0.2 to 0.3.
const ASSUMED_SPREAD: f64 = 0.25;
const ASSUMED_SPREAD_SD: f64 = 0.25;

/// A row whose variance is between runs for less than this part says nothing about how rows differ.
const LEAST_PART: f64 = 0.02;

/// Estimates the standard deviation of the logarithm of rows' own coefficients of variation around `cv2`, the square of the
/// typical one: the root mean square over what the rows leave likely.
pub(super) fn spread_of_cvs(rows: &[PerSide<SideShare>], cv2: f64) -> f64 {
    let tells = |row: &&PerSide<SideShare>| {
        let PerSide { before, after } = row;
        let between = cv2 * (before.share.powi(2) + after.share.powi(2));
        let has_runs = residual_df(row) > 0.0;
        has_runs && between > LEAST_PART * (between + before.within + after.within)
    };
    let telling: Vec<&PerSide<SideShare>> = rows.iter().filter(tells).collect();
    let most_df = telling.iter().map(|row| residual_df(row)).fold(0.0, f64::max);
    let tried = (0..SPREADS).map(|step| step as f64 * SPREAD_STEP);
    let scored: Vec<(f64, f64)> = tried
        .map(|spread| {
            let mut factors = nodes(2.0 * spread, most_df);
            factors.iter_mut().for_each(|(factor, _)| *factor *= cv2);
            let of_rows: f64 = telling.iter().map(|row| log_likelihood(row, &factors)).sum();
            (spread, of_rows - 0.5 * ((spread - ASSUMED_SPREAD) / ASSUMED_SPREAD_SD).powi(2))
        })
        .collect();
    let best = scored.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
    let weighted = scored.iter().map(|(spread, score)| (spread, (score - best).exp()));
    let (sum, weights) = weighted.fold((0.0, 0.0), |(sum, weights), (spread, weight)| {
        (sum + weight * spread * spread, weights + weight)
    });
    let spread = (sum / weights).sqrt();
    if spread.is_finite() { spread } else { ASSUMED_SPREAD }
}

/// Degrees of freedom between the runs of a row.
pub(super) fn residual_df(PerSide { before, after }: &PerSide<SideShare>) -> f64 {
    before.residual_df() + after.residual_df()
}

/// Factors of a variance whose logarithm has the standard deviation `log_sd` around 0, with their weights. They are close enough
/// for sums over a density that variances on `residual_df` degrees of freedom leave: sums in steps of 1.5 standard deviations of
/// a normal density are off by 3 in 10,000.
pub(super) fn nodes(log_sd: f64, residual_df: f64) -> Vec<(f64, f64)> {
    let step = 1.5 * (2.0 / residual_df).sqrt();
    let steps = (2.0 * FARTHEST_NODE * log_sd / step).ceil().clamp(0.0, MOST_NODES as f64) as usize;
    let count = (steps + 1).clamp(NODES, MOST_NODES);
    let weights =
        if count == NODES { Cow::Borrowed(USUAL_WEIGHTS.as_slice()) } else { Cow::Owned(weights(count)) };
    // Equal steps of the logarithm make a geometric series.
    let (first, ratio) =
        ((-log_sd * FARTHEST_NODE).exp(), (2.0 * log_sd * FARTHEST_NODE / (count - 1) as f64).exp());
    let factors = std::iter::successors(Some(first), |factor| Some(factor * ratio));
    factors.zip(weights.iter().copied()).collect()
}

/// The weights of as many factors as there mostly are, which are needed for every row.
static USUAL_WEIGHTS: LazyLock<Vec<f64>> = LazyLock::new(|| weights(NODES));

/// The weights of `count` factors: normal densities, with a sum of 1.
fn weights(count: usize) -> Vec<f64> {
    let at = |node: usize| FARTHEST_NODE * (2.0 * node as f64 / (count - 1) as f64 - 1.0);
    let densities: Vec<f64> = (0..count).map(|node| normal_density(at(node))).collect();
    let sum: f64 = densities.iter().sum();
    densities.into_iter().map(|density| density / sum).collect()
}

fn log_likelihood(row: &PerSide<SideShare>, cvs2: &[(f64, f64)]) -> f64 {
    let logs: Vec<f64> = cvs2.iter().map(|(cv2, _)| log_density(row, *cv2)).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().zip(cvs2).map(|(log, (_, weight))| weight * (log - most).exp()).sum();
    most + sum.ln()
}

/// Logarithm of the density of a row's squares between runs, but for a constant.
pub(super) fn log_density(PerSide { before, after }: &PerSide<SideShare>, cv2: f64) -> f64 {
    let of = |side: &SideShare| {
        let df = side.residual_df();
        if df <= 0.0 {
            return 0.0;
        }
        let variance = side.within + cv2 * side.share * side.share;
        -0.5 * (df * variance.ln() + side.between_squares / variance)
    };
    of(before) + of(after)
}

#[cfg(test)]
mod tests {
    use super::super::side::three_runs as row;
    use super::*;

    /// Rows of which each varies by its own factor, in equal steps of the logarithm, and chance adds what it does.
    fn rows(log_sd: f64, within: f64) -> Vec<PerSide<SideShare>> {
        let chi2_of_4 = [0.71, 1.65, 2.75, 4.04, 7.78];
        let steps = [-1.5, -0.9, -0.5, -0.2, 0.2, 0.5, 0.9, 1.5];
        let of = |step: f64, chi2: f64| {
            let cv2 = 0.08 * 0.08 * (2.0 * log_sd * step).exp();
            row(0.5 * chi2 * (within + cv2 * 1e-4), within)
        };
        steps.iter().flat_map(|step| chi2_of_4.map(|chi2| of(*step, chi2))).collect()
    }

    #[test]
    fn functions_that_differ_are_told_from_those_that_do_not() {
        let of = |log_sd| spread_of_cvs(&rows(log_sd, 1e-9), 0.08 * 0.08);
        assert!(of(0.0) < 0.2, "{}", of(0.0));
        assert!((of(0.6) - 0.6).abs() < 0.15, "{}", of(0.6));
    }

    #[test]
    fn rows_that_only_sampling_moves_say_nothing_of_how_they_differ() {
        let unknown = spread_of_cvs(&[], 0.0064);
        assert!((spread_of_cvs(&rows(0.9, 1e-3), 0.0064) - unknown).abs() < 1e-9);
        assert!((spread_of_cvs(&rows(0.9, f64::NAN), 0.0064) - unknown).abs() < 1e-9);
    }
}
