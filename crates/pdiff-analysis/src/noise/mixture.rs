//! What is known about a change whose variance is uncertain: a mixture of distributions, one for each value of the variance.
//!
//! A row's own coefficient of variation is uncertain (`spread.rs`). Each value that it may have gives the change a variance, and
//! has a chance by how well it explains the row's own runs. Given the variance, the change is normal, or a t variable if the
//! variance within runs is uncertain, too. The chance of a change by noise alone, and the smallest change that is significant, are
//! those of the mixture itself. For readers, a standard error with degrees of freedom represents it: the t distribution with the
//! same quantiles at 5 %, which printed intervals have, and at the level of a single test. Between these levels that distribution
//! has heavier tails than a mixture with a few wild rows in it, so tests do not use it.

use std::sync::LazyLock;

use pdiff_profile::PerSide;

use super::side::SideShare;
use super::spread::{log_density, nodes, residual_df};
use super::student::{critical_t, normal_cdf, normal_density, normal_quantile, two_sided_p};

/// The level of printed intervals, where the t distribution agrees with the mixture.
const INTERVAL_ALPHA: f64 = 0.05;

/// The level of a single test where it agrees, too: that of one among 500 at a false discovery rate of 5 %.
const SINGLE_TEST_ALPHA: f64 = 1e-4;

/// The smallest and largest degrees of freedom of such a t distribution.
const MIN_DF: f64 = 1.0;
const MAX_DF: f64 = 1e4;

/// Values of the variance with less than this chance change no quantile that is used.
const LEAST_CHANCE: f64 = 1e-9;

/// Relative step at which a quantile is taken.
const CLOSE_ENOUGH: f64 = 1e-5;

/// Deviations that differ by no more than this part are one: tails at the levels in use change by less than one in 1,000.
const ONE_DEVIATION: f64 = 0.01;

/// Variances that differ by less than this part of their mean are one variance.
const ONE_VARIANCE: f64 = 1e-3;

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

/// The standard error of a change with its degrees of freedom: the t distribution that represents what is known about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Error {
    pub(super) variance: f64,
    pub(super) df: f64,
}

/// The distribution of a change by noise alone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mixture {
    parts: Vec<Part>,
    /// The chance that phases are alike in all runs, by the accounts that say so.
    pub(super) alike: f64,
}

/// A value that the variance of a change may have.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    chance: f64,
    deviation: f64,
    /// Degrees of freedom, because the variance within runs is estimated.
    df: f64,
}

impl Account {
    /// The values of the variance, each with its chance before the row's runs are looked at and the logarithm of how well it
    /// explains them.
    fn values(&self) -> impl Iterator<Item = (Part, f64)> {
        let of_mean = |side: &SideShare| side.within / side.runs.max(1.0);
        let within: f64 = self.row.values().map(of_mean).sum();
        let squared: f64 =
            self.row.values().map(|side| of_mean(side).powi(2) / side.within_df.max(1.0)).sum();
        let between = SideShare::variance_of_factors(&self.row);
        nodes(self.log_sd, residual_df(&self.row)).into_iter().map(move |(factor, weight)| {
            let cv2 = self.cv2 * factor;
            let variance = within + cv2 * between;
            let df = variance * variance / squared;
            let df = if df.is_finite() { df } else { MAX_DF };
            let part = Part { chance: self.chance * weight, deviation: variance.sqrt(), df };
            (part, log_density(&self.row, cv2))
        })
    }
}

impl Mixture {
    /// Of a variance that is known but for its degrees of freedom.
    pub(super) fn single(variance: f64, df: f64) -> Self {
        Self { parts: vec![Part { chance: 1.0, deviation: variance.sqrt(), df }], alike: 0.0 }
    }

    /// The change of a row, by all accounts of its variance.
    pub(super) fn new(accounts: &[Account]) -> Self {
        let of_account = |account: &Account| {
            let is_alike = account.is_alike;
            account.values().map(move |(part, log)| (part, log, is_alike)).collect::<Vec<_>>()
        };
        let mut values: Vec<(Part, f64, bool)> = accounts.iter().flat_map(of_account).collect();
        let most = values.iter().map(|(_, log, _)| *log).fold(f64::NEG_INFINITY, f64::max);
        // Where a row's own runs cannot be explained at all, they say nothing.
        let likelihood = |log: f64| if most.is_finite() { (log - most).exp() } else { 1.0 };
        values.iter_mut().for_each(|(part, log, _)| part.chance *= likelihood(*log));
        let sum: f64 = values.iter().map(|(part, ..)| part.chance).sum();
        values.iter_mut().for_each(|(part, ..)| part.chance /= sum);
        let alike = values.iter().filter(|(.., is_alike)| *is_alike).map(|(part, ..)| part.chance).sum();
        let mut parts: Vec<Part> = Vec::with_capacity(values.len());
        for (part, ..) in values {
            match parts.last_mut() {
                _ if part.chance < LEAST_CHANCE => {}
                Some(last) if last.is_near(&part) => last.merge(&part),
                _ => parts.push(part),
            }
        }
        Self { parts, alike }
    }

    /// The chance that noise alone makes a change as large as `change`, in either direction.
    pub(super) fn p(&self, change: f64) -> f64 {
        let change = change.abs();
        if change == 0.0 || change.is_nan() {
            return 1.0;
        }
        if let [only] = self.parts.as_slice() {
            return if only.deviation > 0.0 { two_sided_p(change / only.deviation, only.df) } else { 1.0 };
        }
        let tail: f64 = self.parts.iter().map(|part| part.tail(change).0).sum();
        if tail.is_finite() { tail.clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The change that noise alone exceeds with the chance `alpha`, in either direction: by Newton's method on the logarithm of
    /// the chance, kept between bounds.
    pub(super) fn quantile(&self, alpha: f64) -> f64 {
        if let [only] = self.parts.as_slice() {
            return critical_t(alpha, only.df) * only.deviation;
        }
        let variance: f64 = self.parts.iter().map(|part| part.chance * part.deviation.powi(2)).sum();
        let mut at = -normal_quantile(0.5 * alpha) * variance.sqrt();
        let (mut low, mut high) = (0.0, f64::INFINITY);
        for _ in 0..60 {
            let tails = self.parts.iter().map(|part| part.tail(at));
            let (tail, density) = tails.fold((0.0, 0.0), |sum, tail| (sum.0 + tail.0, sum.1 + tail.1));
            if tail > alpha {
                low = at;
            } else {
                high = at;
            }
            let next = at + (tail / alpha).ln() * tail / density;
            let inside = next > low && next < high && next < 10.0 * at;
            let next = if inside { next } else { (0.5 * (low + high)).min(2.0 * at) };
            if (next - at).abs() <= CLOSE_ENOUGH * at || next.is_nan() {
                return at;
            }
            at = next;
        }
        at
    }

    /// The t distribution that represents the mixture.
    pub(super) fn error(&self) -> Error {
        let mean = |value: fn(&Part) -> f64| self.parts.iter().map(|part| part.chance * value(part)).sum();
        let variance: f64 = mean(|part| part.deviation * part.deviation);
        let spread: f64 =
            self.parts.iter().map(|part| part.chance * (part.deviation.powi(2) - variance).abs()).sum();
        if spread.is_nan() || spread <= ONE_VARIANCE * variance {
            return Error { variance, df: mean(|part| part.df) };
        }
        let (interval, single) = (self.quantile(INTERVAL_ALPHA), self.quantile(SINGLE_TEST_ALPHA));
        let df = TailMatch::tabled().df_at(single / interval);
        Error { variance: (interval / critical_t(INTERVAL_ALPHA, df)).powi(2), df }
    }
}

impl Part {
    /// A light row has one variance, however much it may vary between runs.
    fn is_near(&self, other: &Self) -> bool {
        (self.deviation - other.deviation).abs() <= ONE_DEVIATION * other.deviation
    }

    fn merge(&mut self, other: &Self) {
        let chance = self.chance + other.chance;
        let mean = |own: f64, other_s: f64| (self.chance * own + other.chance * other_s) / chance;
        let variance = mean(self.deviation.powi(2), other.deviation.powi(2));
        *self = Self { chance, deviation: variance.sqrt(), df: mean(self.df, other.df) };
    }

    /// The chance of a change as large as `at` in either direction, and its density there.
    fn tail(&self, at: f64) -> (f64, f64) {
        let t = at / self.deviation;
        // The normal deviate of a t value (Wallace 1959, Annals of Mathematical Statistics 30:1121), good to a few parts in 1,000.
        let scale = (8.0 * self.df + 1.0) / (8.0 * self.df + 3.0);
        let over_df = t * t / self.df;
        let z = scale * (self.df * over_df.ln_1p()).sqrt();
        let slope = scale * scale * t / ((1.0 + over_df) * z);
        let density = 2.0 * self.chance * normal_density(z) * slope / self.deviation;
        (2.0 * self.chance * normal_cdf(-z), density)
    }
}

/// Degrees of freedom by the ratio of quantiles.
#[derive(Debug, Clone, PartialEq)]
struct TailMatch {
    /// Ratio of the quantile of a single test to that of an interval, and logarithm of the degrees of freedom, from few to many.
    ratios: Vec<(f64, f64)>,
}

impl TailMatch {
    /// How many degrees of freedom are tabled between the fewest and the most.
    const TABLED: usize = 40;

    /// The table, which is the same for all rows.
    fn tabled() -> &'static Self {
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
        Self { ratios: (0..Self::TABLED).map(ratio).collect() }
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

#[cfg(test)]
mod tests {
    use super::super::side::three_runs as row;
    use super::*;

    fn account(row: PerSide<SideShare>, log_sd: f64) -> Account {
        Account { row, cv2: 0.0064, log_sd, chance: 1.0, is_alike: false }
    }

    fn error(account: Account) -> Error {
        Mixture::new(&[account]).error()
    }

    /// A row of two runs against one in which one row in fifty is wild.
    fn few_runs() -> Mixture {
        let PerSide { before, after } = row(0.0064e-4, 1e-9);
        let before = SideShare { runs: 2.0, between_df: 1.0, ..before };
        let after = SideShare { runs: 1.0, between_df: 0.0, between_squares: 0.0, ..after };
        let usual = Account { chance: 0.98, ..account(PerSide::new(before, after), 0.5) };
        Mixture::new(&[usual, Account { chance: 0.02, log_sd: 2.4, ..usual }])
    }

    #[test]
    fn without_spread_the_error_is_that_of_the_typical_row() {
        let error = error(account(row(1.0, 1e-6), 0.0));
        assert!((error.variance - 2.0 * (1e-6 + 0.0064 * 1e-4) / 3.0).abs() < 1e-12);
        assert!(error.df > 42.0);
    }

    #[test]
    fn a_row_that_varied_more_than_others_has_a_larger_error_and_few_degrees_of_freedom() {
        let of = |squares| error(account(row(squares, 1e-9), 1.2));
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
            let error = error(account(PerSide::new(side, side), 1.2));
            let ratio = error.variance / (2.0 * variance / 200.0);
            assert!((ratio - 1.0).abs() < 0.02 && error.df > 200.0, "{own_cv}: {ratio} {error:?}");
        }
    }

    #[test]
    fn the_t_distribution_has_the_tails_of_the_mixture() {
        for mixture in [few_runs(), Mixture::new(&[account(row(2.0 * 0.0064e-4, 1e-9), 1.0)])] {
            let Error { variance, df } = mixture.error();
            for alpha in [INTERVAL_ALPHA, SINGLE_TEST_ALPHA] {
                let at = critical_t(alpha, df) * variance.sqrt();
                // The degrees of freedom are interpolated.
                assert!((mixture.p(at) / alpha - 1.0).abs() < 0.1, "{alpha}: {}", mixture.p(at));
            }
        }
    }

    #[test]
    fn between_those_levels_few_wild_rows_hide_less_than_the_t_distribution_says() {
        let mixture = few_runs();
        let Error { variance, df } = mixture.error();
        let at = mixture.quantile(4e-3);
        assert!(two_sided_p(at / variance.sqrt(), df) > 6e-3, "{df}");
    }

    #[test]
    fn a_quantile_is_exceeded_with_its_chance() {
        for mixture in [few_runs(), Mixture::single(4.0, 3.0)] {
            for alpha in [0.3, 0.05, 1e-3, 1e-6] {
                let p = mixture.p(mixture.quantile(alpha));
                assert!((p / alpha - 1.0).abs() < 1e-4, "{alpha}: {p}");
            }
            assert_eq!((mixture.p(0.0), mixture.p(f64::NAN)), (1.0, 1.0));
            assert!(mixture.p(f64::INFINITY) == 0.0 && mixture.p(-1.0) == mixture.p(1.0));
        }
    }

    #[test]
    fn a_variance_within_runs_that_is_estimated_gives_the_tails_of_t() {
        let within_only = Mixture::new(&[Account { cv2: 0.0, ..account(row(0.0, 1e-6), 1.0) }]);
        // 42 degrees of freedom a side, and both sides alike.
        let at = 4.0 * (2.0 * 1e-6 / 3.0_f64).sqrt();
        assert!((within_only.p(at) / two_sided_p(4.0, 84.0) - 1.0).abs() < 0.01);
    }
}
