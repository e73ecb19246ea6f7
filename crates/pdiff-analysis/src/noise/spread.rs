//! How functions differ in their variation from run to run, estimated from all rows together.
//!
//! A row's variance is w + c_i^2 p^2: w is the variance within a run, and c_i is the row's own coefficient of variation
//! between runs. The c_i are log-normal around one typical c. Sampling noise is the same for all rows, so the spread s of
//! ln c_i is estimated from the likelihood of all rows' squares between runs, each with its own w. Light rows, whose
//! variance is all w, then say nothing about s, and s says nothing about them. (limma fits one inverse chi-squared prior to
//! whole variances; where a part of each is known that lends heavy rows too many degrees of freedom.)
//!
//! Given s, a row's change is a mixture of normal variables over the values that its c_i may have, weighted by how well they
//! explain the row's own runs. A t distribution with the same quantiles at two levels represents it: at 5 %, which the
//! intervals have, and at the level of a single test. Log-normal tails are lighter than those of t with matched moments, so
//! this keeps power.

use std::sync::LazyLock;

use pdiff_profile::PerSide;

use super::side::SideShare;
use super::student::{critical_t, normal_cdf, normal_density, normal_quantile};

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

/// The level of printed intervals, where the t distribution agrees with the mixture.
const INTERVAL_ALPHA: f64 = 0.05;

/// The level of a single test where it agrees, too: that of one among 500 at a false discovery rate of 5 %.
const SINGLE_TEST_ALPHA: f64 = 1e-4;

/// The smallest and largest degrees of freedom of such a t distribution.
const MIN_DF: f64 = 1.0;
const MAX_DF: f64 = 1e4;

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
fn nodes(log_sd: f64, residual_df: f64) -> Vec<(f64, f64)> {
    let step = 1.5 * (2.0 / residual_df).sqrt();
    let steps = (2.0 * FARTHEST_NODE * log_sd / step).ceil().clamp(0.0, MOST_NODES as f64) as usize;
    let count = (steps + 1).clamp(NODES, MOST_NODES);
    let at = |node: usize| FARTHEST_NODE * (2.0 * node as f64 / (count - 1) as f64 - 1.0);
    let sum: f64 = (0..count).map(|node| normal_density(at(node))).sum();
    (0..count).map(|node| ((log_sd * at(node)).exp(), normal_density(at(node)) / sum)).collect()
}

fn log_likelihood(row: &PerSide<SideShare>, cvs2: &[(f64, f64)]) -> f64 {
    let logs: Vec<f64> = cvs2.iter().map(|(cv2, _)| log_density(row, *cv2)).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logs.iter().zip(cvs2).map(|(log, (_, weight))| weight * (log - most).exp()).sum();
    most + sum.ln()
}

/// Logarithm of the density of a row's squares between runs, but for a constant.
fn log_density(PerSide { before, after }: &PerSide<SideShare>, cv2: f64) -> f64 {
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

/// The standard error of a change with its degrees of freedom: the t distribution that represents what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Error {
    pub(super) variance: f64,
    pub(super) df: f64,
    /// The chance that phases are alike in all runs, by the accounts that say so.
    pub(super) alike: f64,
}

/// What a row's variance may be made of: a variance within runs, and one between runs whose coefficient of variation has the
/// square `cv2`, give or take a standard deviation of `log_sd` in the logarithm of that square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Account {
    pub(super) row: PerSide<SideShare>,
    pub(super) cv2: f64,
    pub(super) log_sd: f64,
    /// How likely it is before the row's runs are looked at, over the other accounts.
    pub(super) chance: f64,
    /// It says that phases are alike in all runs.
    pub(super) is_alike: bool,
}

/// Puts a t distribution in the place of a mixture of normal ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TailMatch {
    /// Normal quantiles at the two levels.
    quantiles: [f64; 2],
    /// Ratio of the quantile of a single test to that of an interval, and logarithm of the degrees of freedom, from few to many.
    ratios: Vec<(f64, f64)>,
}

impl TailMatch {
    /// How many degrees of freedom are tabled between the fewest and the most.
    const TABLED: usize = 40;

    /// The table, which is the same for all rows.
    pub(super) fn tabled() -> &'static Self {
        static TABLED: LazyLock<TailMatch> = LazyLock::new(TailMatch::new);
        &TABLED
    }

    /// Tables quantiles of t.
    fn new() -> Self {
        let ratio = |at: usize| {
            let part = at as f64 / (Self::TABLED - 1) as f64;
            let log_df = MIN_DF.ln() + part * (MAX_DF / MIN_DF).ln();
            (critical_t(SINGLE_TEST_ALPHA, log_df.exp()) / critical_t(INTERVAL_ALPHA, log_df.exp()), log_df)
        };
        Self {
            quantiles: [INTERVAL_ALPHA, SINGLE_TEST_ALPHA].map(|alpha| -normal_quantile(0.5 * alpha)),
            ratios: (0..Self::TABLED).map(ratio).collect(),
        }
    }

    /// The error of the change of a row, by all accounts of its variance.
    pub(super) fn error(&self, accounts: &[Account]) -> Error {
        let values: Vec<Vec<Value>> = accounts.iter().map(Account::values).collect();
        let logs = || values.iter().flatten().map(|value| value.log_likelihood);
        let most = logs().fold(f64::NEG_INFINITY, f64::max);
        // Where a row's own runs cannot be explained at all, they say nothing.
        let likelihood = |log: f64| if most.is_finite() { (log - most).exp() } else { 1.0 };
        let mut parts: Vec<(f64, f64)> = values
            .iter()
            .flatten()
            .map(|value| (value.variance, value.weight * likelihood(value.log_likelihood)))
            .collect();
        let weights: f64 = parts.iter().map(|(_, weight)| weight).sum();
        parts.iter_mut().for_each(|(_, weight)| *weight /= weights);
        let mut rest = parts.as_slice();
        let (mut of_within, mut alike) = (0.0, 0.0);
        for (account, values) in accounts.iter().zip(&values) {
            let (of_account, others) = rest.split_at(values.len());
            rest = others;
            of_within += account.within_over_df(of_account);
            if account.is_alike {
                alike += of_account.iter().map(|(_, weight)| weight).sum::<f64>();
            }
        }
        let matched = self.matched(&parts);
        let df = 1.0 / (1.0 / matched.df + of_within);
        Error { df: if df.is_finite() { df } else { MAX_DF }, alike, ..matched }
    }

    fn matched(&self, parts: &[(f64, f64)]) -> Error {
        let mean: f64 = parts.iter().map(|(variance, weight)| weight * variance).sum();
        let spread: f64 = parts.iter().map(|(variance, weight)| weight * (variance - mean).abs()).sum();
        if spread.is_nan() || spread <= 1e-3 * mean {
            return Error { variance: mean, df: MAX_DF, alike: 0.0 };
        }
        let deviations: Vec<(f64, f64)> =
            parts.iter().map(|(variance, weight)| (variance.sqrt(), *weight)).collect();
        let [normal_interval, normal_single] = self.quantiles;
        let interval = quantile(&deviations, INTERVAL_ALPHA, normal_interval * mean.sqrt());
        let single = quantile(&deviations, SINGLE_TEST_ALPHA, normal_single * mean.sqrt());
        let df = self.df_at(single / interval);
        Error { variance: (interval / critical_t(INTERVAL_ALPHA, df)).powi(2), df, alike: 0.0 }
    }

    /// The degrees of freedom at which t has this ratio of quantiles.
    fn df_at(&self, ratio: f64) -> f64 {
        let next = self.ratios.partition_point(|(tabled, _)| *tabled > ratio);
        let at = |index: usize| self.ratios.get(index).copied();
        match (next.checked_sub(1).and_then(at), at(next)) {
            (Some((above, few)), Some((below, many))) => {
                (few + (many - few) * (above - ratio) / (above - below)).exp()
            }
            (None, Some(_)) => MIN_DF,
            _ => MAX_DF,
        }
    }
}

/// A value that the variance of a row's change may have.
#[derive(Debug, Clone, Copy)]
struct Value {
    variance: f64,
    /// Its chance, and the logarithm of how well it explains the row's runs.
    weight: f64,
    log_likelihood: f64,
}

impl Account {
    fn values(&self) -> Vec<Value> {
        let within: f64 = self.row.values().map(|side| side.within / side.runs.max(1.0)).sum();
        let between = SideShare::variance_of_factors(&self.row);
        let value = |(factor, weight): (f64, f64)| {
            let cv2 = self.cv2 * factor;
            let log_likelihood = log_density(&self.row, cv2);
            Value { variance: within + cv2 * between, weight: self.chance * weight, log_likelihood }
        };
        nodes(self.log_sd, residual_df(&self.row)).into_iter().map(value).collect()
    }

    /// The square of the variance's part that lies within runs, over the degrees of freedom of that, for the account's values
    /// of the variance with their chances (Satterthwaite's formula).
    fn within_over_df(&self, parts: &[(f64, f64)]) -> f64 {
        let of_mean = |side: &SideShare| side.within / side.runs.max(1.0);
        let within: f64 = self.row.values().map(of_mean).sum();
        let squared: f64 =
            self.row.values().map(|side| of_mean(side).powi(2) / side.within_df.max(1.0)).sum();
        let part: f64 = parts.iter().map(|(variance, weight)| weight * within / variance).sum();
        part * part * squared / (within * within)
    }
}

/// The value that a mixture of normal variables around 0 exceeds with the chance `alpha`, on either side together; by
/// Newton's method on the logarithm of the chance, kept between bounds.
fn quantile(deviations: &[(f64, f64)], alpha: f64, start: f64) -> f64 {
    let largest = deviations.iter().map(|(deviation, _)| *deviation).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, -normal_quantile(0.5 * alpha) * largest);
    let mut at = start.clamp(low, high);
    for _ in 0..30 {
        let (mut tail, mut density) = (0.0, 0.0);
        for (deviation, weight) in deviations {
            tail += 2.0 * weight * normal_cdf(-at / deviation);
            density += 2.0 * weight * normal_density(at / deviation) / deviation;
        }
        if tail > alpha {
            low = at;
        } else {
            high = at;
        }
        let next = at + (tail / alpha).ln() * tail / density;
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - at).abs() <= 1e-6 * at {
            return next;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(squares: f64, within: f64) -> PerSide<SideShare> {
        let side = SideShare {
            share: 0.01,
            runs: 3.0,
            within,
            within_df: 42.0,
            sampling: within,
            has_blocks: true,
            between_squares: squares,
            between_df: 2.0,
            samples: 600,
            denominator_samples: 60_000,
        };
        PerSide::new(side, side)
    }

    fn account(row: PerSide<SideShare>, log_sd: f64) -> Account {
        Account { row, cv2: 0.0064, log_sd, chance: 1.0, is_alike: false }
    }

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

    #[test]
    fn without_spread_the_error_is_that_of_the_typical_row() {
        let error = TailMatch::new().error(&[account(row(1.0, 1e-6), 0.0)]);
        assert!((error.variance - 2.0 * (1e-6 + 0.0064 * 1e-4) / 3.0).abs() < 1e-12);
        assert!(error.df > 42.0);
    }

    #[test]
    fn a_row_that_varied_more_than_others_has_a_larger_error_and_few_degrees_of_freedom() {
        let of = |squares| TailMatch::new().error(&[account(row(squares, 1e-9), 1.2)]);
        let (calm, wild) = (of(2.0 * 0.02 * 0.02 * 1e-4), of(2.0 * 0.3 * 0.3 * 1e-4));
        assert!(wild.variance > 10.0 * calm.variance, "{calm:?} {wild:?}");
        assert!(calm.df > 3.0 && calm.df < 30.0 && wild.df < 60.0, "{calm:?} {wild:?}");
    }

    #[test]
    fn many_runs_say_all_of_a_rows_own_variance() {
        for own_cv in [0.05, 0.07, 0.1, 0.13] {
            let variance = 1e-8 + own_cv * own_cv * 1e-4;
            let [side, _] = row(199.0 * variance, 1e-8).into_array();
            let side = SideShare { runs: 200.0, between_df: 199.0, within_df: 1e4, ..side };
            let error = TailMatch::new().error(&[account(PerSide::new(side, side), 1.2)]);
            let ratio = error.variance / (2.0 * variance / 200.0);
            assert!((ratio - 1.0).abs() < 0.02 && error.df > 200.0, "{own_cv}: {ratio} {error:?}");
        }
    }

    #[test]
    fn the_t_distribution_has_the_tails_of_the_mixture() {
        let matched = TailMatch::new();
        let parts = nodes(1.0, 4.0);
        let Error { variance, df, .. } = matched.matched(&parts);
        let tail = |at: f64| -> f64 {
            parts.iter().map(|(part, weight)| 2.0 * weight * normal_cdf(-at / part.sqrt())).sum()
        };
        for alpha in [INTERVAL_ALPHA, SINGLE_TEST_ALPHA] {
            let at = critical_t(alpha, df) * variance.sqrt();
            // The degrees of freedom are interpolated.
            assert!((tail(at) / alpha - 1.0).abs() < 0.1, "{alpha}: {}", tail(at));
        }
    }
}
