//! How a row's share varies from run to run, learnt from all rows.
//!
//! A run's share of a row is expected to vary by e = w + (c p)^2 around its true value p: w is the variance within a
//! run (`within.rs`), c the coefficient of variation between runs, one number for all rows. Shares span four
//! orders of magnitude and so do their variances; over e they are of one size, which is what shrinking them towards
//! a common value asks for. (A trend of log variance on mean, as limma offers, would learn the same shape from the
//! rows; here the shape is known and only c is not.)
//!
//! With runs to compare, c is measured, and so is how far the rows' own coefficients spread around it (`spread.rs`). Functions
//! of one run move together, so a thousand rows over three runs do not tell c as well as a thousand independent ones would. A
//! c^2 measured below the assumed one is therefore averaged with it, on d degrees of freedom against [`ASSUMED_CV_WEIGHT`] (two
//! runs alike by luck must not make every row significant), and each row's c^2 is as uncertain as [`COMMON_CV_DF`] more
//! degrees of freedom leave it, beside the spread. A variance is never below w, but in phases (`phases.rs`).
//!
//! With one run per side there is only the block variance and an assumed c, on degrees of freedom by Satterthwaite's
//! formula (1946).

use pdiff_profile::PerSide;

use super::input::{ASSUMED_CV, ASSUMED_CV_DF, ASSUMED_CV_WEIGHT, SINGLE_RUN_CV_DF};
use super::mixture::{Account, Error, Mixture};
use super::phases::{is_phased, without_phases};
use super::side::SideShare;
use super::spread::{residual_df, spread_of_cvs};
use super::trigamma::trigamma;

/// A share that varied by more than itself from run to run would not be a share worth comparing.
const MAX_CV: f64 = 1.0;

/// A row above this share has no room to vary as its share would let expect: what a program always runs through is at 99.9
/// % in every run. Its variance says nothing about the other rows', and they learn nothing from it.
const MOST_TELLING_SHARE: f64 = 0.5;

/// Degrees of freedom that the typical variance has beyond those of a row's runs.
const COMMON_CV_DF: f64 = 24.0;

/// How many rows vary unlike all others: functions that busy-wait vary several times as much, which no spread that the
/// others have lets expect.
const WILD_CHANCE: f64 = 0.02;

/// Standard deviation of the logarithm of such a row's variance between runs over the typical one: its coefficient of variation
/// differs by a factor of 3, give or take.
const WILD_LOG_SD: f64 = 2.4;

/// A row varies by at most this many times the typical variance.
const MAX_SCALE: f64 = 100.0;

/// The variance of a share from run to run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RunModel {
    /// Square of the coefficient of variation between runs.
    pub(super) cv2: f64,
    /// Degrees of freedom of `cv2`.
    pub(super) cv_df: f64,
    /// How much of `cv2` was assumed, 0 to 1.
    pub(super) assumed_part: f64,
    /// The spread learnt from all rows.
    pub(super) lent: Lent,
}

/// What all rows together show about the variances of each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lent {
    /// Nothing was measured between runs.
    Nothing,
    /// Their coefficients of variation are spread around the typical one.
    Spread(Spread),
}

/// How much rows' own variances between runs differ from the typical one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Standard deviation of the logarithm of the coefficients of variation.
    pub(super) of_cvs: f64,
    /// Standard deviation of the logarithm of a row's variance between runs, before its own runs are looked at: the spread of
    /// rows, and what is not known of the typical one.
    pub(super) log_sd: f64,
    /// The other account of phased rows, if there are any.
    alike: Option<PhasesAlike>,
}

/// How shares vary from run to run if phases are alike in all runs.
#[derive(Debug, Clone, Copy, PartialEq)]
struct PhasesAlike {
    /// Square of the coefficient of variation between runs, without the variance that phases make inside them.
    cv2: f64,
    /// As [`Spread::log_sd`].
    log_sd: f64,
}

/// Standard error of a difference of two sides' shares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct StandardError {
    pub(super) value: f64,
    pub(super) df: f64,
    /// The row's variance between runs over the typical one.
    pub(super) scale: f64,
    /// The chance that what varies inside the row's runs is alike in all of them, 0 to 1; 0 if the row is not phased.
    pub(super) alike: f64,
}

impl RunModel {
    /// The model of one run per side: nothing is measured between runs.
    pub(super) fn single_run(cv: f64) -> Self {
        Self { cv_df: SINGLE_RUN_CV_DF, ..Self::assumed(cv) }
    }

    /// The model before anything is measured.
    pub(super) fn assumed(cv: f64) -> Self {
        let cv = if cv.is_nan() { 0.0 } else { cv.clamp(0.0, MAX_CV) };
        Self { cv2: cv * cv, cv_df: ASSUMED_CV_DF, assumed_part: 1.0, lent: Lent::Nothing }
    }

    /// Fits the model to rows of two or more runs on at least one side.
    pub(super) fn fit(rows: &[PerSide<SideShare>], assumed_cv: f64) -> Self {
        let assumed = Self::assumed(assumed_cv);
        let telling: Vec<PerSide<SideShare>> = rows.iter().copied().filter(tells_of_others).collect();
        let rows = telling.as_slice();
        let model = Self::typical(rows, &assumed);
        let spread = model.spread(rows);
        let alike = Self::phases_alike(rows, &assumed);
        Self { lent: Lent::Spread(Spread { alike, ..spread }), ..model }
    }

    /// The variation of the typical row, measured and assumed together.
    fn typical(rows: &[PerSide<SideShare>], assumed: &Self) -> Self {
        let residual_df = rows.iter().map(residual_df).fold(0.0, f64::max);
        let measured = measured_cv2(rows, assumed);
        let weight = residual_df + ASSUMED_CV_WEIGHT;
        let blended = (residual_df * measured + ASSUMED_CV_WEIGHT * assumed.cv2) / weight;
        let (cv2, assumed_part) = if measured >= blended {
            (measured, 0.0)
        } else {
            (blended, ASSUMED_CV_WEIGHT * assumed.cv2 / (weight * blended))
        };
        Self { cv2, cv_df: residual_df + ASSUMED_CV_DF, assumed_part, lent: Lent::Nothing }
    }

    fn spread(&self, rows: &[PerSide<SideShare>]) -> Spread {
        let of_cvs = spread_of_cvs(rows, self.cv2);
        let residual_df = rows.iter().map(residual_df).fold(0.0, f64::max);
        let uncertainty = trigamma(0.5 * (residual_df + COMMON_CV_DF));
        Spread { of_cvs, log_sd: (4.0 * of_cvs * of_cvs + uncertainty).sqrt(), alike: None }
    }

    /// The account in which phases are alike in all runs; `None` without a phased row.
    fn phases_alike(rows: &[PerSide<SideShare>], assumed: &Self) -> Option<PhasesAlike> {
        if !rows.iter().any(is_phased) {
            return None;
        }
        let without: Vec<PerSide<SideShare>> = rows.iter().map(without_phases).collect();
        let model = Self::typical(&without, assumed);
        Some(PhasesAlike { cv2: model.cv2, log_sd: model.spread(&without).log_sd })
    }

    /// The accounts of a row's variance: that of all rows, and that of wild ones; for a phased row both again with phases that
    /// are alike, which is as likely.
    fn accounts(&self, row: &PerSide<SideShare>, spread: &Spread) -> Vec<Account> {
        let both = |row: PerSide<SideShare>, cv2: f64, log_sd: f64, is_alike: bool| {
            let account = Account { row, cv2, log_sd, chance: 1.0 - WILD_CHANCE, is_alike };
            [account, Account { log_sd: log_sd.max(WILD_LOG_SD), chance: WILD_CHANCE, ..account }]
        };
        let of_blocks = both(*row, self.cv2, spread.log_sd, false);
        let of_alike = |alike: PhasesAlike| both(without_phases(row), alike.cv2, alike.log_sd, true);
        let alike = spread.alike.filter(|_| is_phased(row)).map(of_alike);
        of_blocks.into_iter().chain(alike.into_iter().flatten()).collect()
    }

    /// Variance expected of one run's share.
    fn expected(&self, side: &SideShare) -> f64 {
        side.within + self.cv2 * side.share * side.share
    }

    /// The part of a row's expected variance that lies between runs, 0 to 1.
    fn between_part(&self, PerSide { before, after }: &PerSide<SideShare>) -> f64 {
        let between = self.cv2 * (before.share * before.share + after.share * after.share);
        let part = between / (between + (before.within + after.within));
        if part.is_finite() { part } else { 0.0 }
    }

    /// A row's observed variance between its runs over the expected one, with its degrees of freedom.
    fn scaled_variance(&self, PerSide { before, after }: &PerSide<SideShare>) -> Option<(f64, f64)> {
        let df = before.residual_df() + after.residual_df();
        let scaled = |side: &SideShare| match side.residual_df() > 0.0 {
            true => side.between_squares / self.expected(side),
            false => 0.0,
        };
        let value = (scaled(before) + scaled(after)) / df;
        (df > 0.0 && value.is_finite()).then_some((value, df))
    }

    /// The distribution of after minus before by noise alone, from the row's own runs and the other rows.
    pub(super) fn mixture(&self, row: &PerSide<SideShare>) -> Mixture {
        match self.lent {
            Lent::Nothing => {
                let within: f64 = row.values().map(|side| side.within / side.runs.max(1.0)).sum();
                let between = self.cv2 * SideShare::variance_of_factors(row);
                Mixture::single(within + between, self.expected_df(row))
            }
            Lent::Spread(spread) => Mixture::new(&self.accounts(row, &spread)),
        }
    }

    /// Standard error of after minus before, of that distribution.
    pub(super) fn standard_error(&self, row: &PerSide<SideShare>, mixture: &Mixture) -> StandardError {
        let of = |part: fn(&SideShare) -> f64| {
            row.values().map(|side| part(side) / side.runs.max(1.0)).sum::<f64>()
        };
        let between = self.cv2 * SideShare::variance_of_factors(row);
        let (Error { variance, df }, alike) = (mixture.error(), mixture.alike);
        let within = alike * of(|side| side.sampling) + (1.0 - alike) * of(|side| side.within);
        let scale = ((variance - within) / between).clamp(0.0, MAX_SCALE);
        let scale = if scale.is_finite() { scale } else { 1.0 };
        StandardError { value: variance.sqrt(), df, scale, alike }
    }

    /// Variance of one run's share on a side, if the row's variance between runs is `scale` times the typical one.
    pub(super) fn variance_of_run(&self, side: &SideShare, scale: f64) -> f64 {
        side.within + scale * self.cv2 * side.share * side.share
    }

    /// Standard error if the row's variance between runs is `scale` times the typical one.
    pub(super) fn error_at(&self, row: &PerSide<SideShare>, scale: f64) -> f64 {
        let within: f64 = row.values().map(|side| side.within / side.runs.max(1.0)).sum();
        (within + scale * self.cv2 * SideShare::variance_of_factors(row)).sqrt()
    }

    /// Degrees of freedom that the expected variance of the difference has (Satterthwaite's approximation).
    pub(super) fn expected_df(&self, row: &PerSide<SideShare>) -> f64 {
        let within = |side: &SideShare| side.within / side.runs.max(1.0);
        let squared = |side: &SideShare| within(side) * within(side) / side.within_df.max(1.0);
        let common = self.cv2 * SideShare::variance_of_factors(row);
        let variance = row.values().map(within).sum::<f64>() + common;
        let squares = row.values().map(squared).sum::<f64>() + common * common / self.cv_df;
        let df = variance * variance / squares;
        if df.is_finite() { df } else { self.cv_df }
    }
}

/// Whether a row's variance is one that others may have, too.
fn tells_of_others(PerSide { before, after }: &PerSide<SideShare>) -> bool {
    before.share.max(after.share) <= MOST_TELLING_SHARE
}

/// Square of the coefficient of variation between runs at which the median row varies as much as expected. The median
/// keeps a few wild rows from speaking for all; rows weigh by how much of their variance lies between runs, for light
/// rows show sampling noise only.
fn measured_cv2(rows: &[PerSide<SideShare>], assumed: &RunModel) -> f64 {
    let (mut low, mut high) = (0.0, MAX_CV * MAX_CV);
    if median_excess(rows, low, assumed) <= 1.0 {
        return 0.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if median_excess(rows, middle, assumed) > 1.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Weighted median over rows of the variance between runs over the median that a model with `cv2` expects.
fn median_excess(rows: &[PerSide<SideShare>], cv2: f64, assumed: &RunModel) -> f64 {
    let model = RunModel { cv2, ..*assumed };
    // Without any variation between runs no row would weigh anything.
    let weighing = if assumed.cv2 > 0.0 { *assumed } else { RunModel::assumed(ASSUMED_CV) };
    let mut excess: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| {
            let (value, df) = model.scaled_variance(row)?;
            Some((value / median_of_chi2_over_df(df), weighing.between_part(row)))
        })
        .collect();
    excess.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = 0.5 * excess.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut below = 0.0;
    let middle = excess.iter().find(|(_, weight)| {
        below += weight;
        below >= half
    });
    middle.map_or(0.0, |&(value, _)| value)
}

/// Median of a chi-squared variable over its degrees of freedom (Wilson and Hilferty 1931).
fn median_of_chi2_over_df(df: f64) -> f64 {
    (1.0 - 2.0 / (9.0 * df)).powi(3)
}
