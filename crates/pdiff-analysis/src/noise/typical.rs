//! The typical row: the factor by which the share of an unchanged row varies from run to run.
//!
//! A function that costs more takes share from all others, and a slower machine makes all functions cost more. Neither
//! touches the ratio of two functions that did not change. So the share of each row is divided by that of the median row of
//! its run (the median over rows of a run's share over the row's mean one, as in Anders and Huber 2010, Genome Biology
//! 11:R106), and these ratios are judged as shares are: by the same model of variance, shrunk across rows. Effects on all
//! functions of a run cancel out, so the variation of the whole profile's cost need not be known.

use std::borrow::Cow;

use pdiff_profile::{PerSide, Side};

use super::blocks::{RowRun, RunBlocks};
use super::common_factor::{CommonFactor, Excess, StandardError, logarithmic_mean};
use super::input::MIN_SAMPLES;
use super::input::{Denominator, NoiseSettings, Row};
use super::judge::judge_each;
use super::judgement::RowNoise;

/// A median of fewer rows says nothing about what all have in common.
const LEAST_ROWS: usize = 8;

/// The standard error of a median over that of a mean, for normal values; and the standard deviation over the median
/// absolute deviation.
const MEDIAN_ERROR: f64 = 1.2533;
const DEVIATION_FROM_MEDIAN: f64 = 1.4826;

/// The share of the typical row in each run of two sides.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypicalRow {
    /// Logarithm of the typical row's share over its mean one, for each run.
    before: Vec<f64>,
    after: Vec<f64>,
    /// From side to side.
    factor: CommonFactor,
}

impl TypicalRow {
    /// The typical one of the rows that all runs of both sides sampled well; `None` where there are few.
    pub(crate) fn of(denominator: &Denominator, rows: impl Iterator<Item = Row>) -> Option<Self> {
        let logs: Vec<PerSide<Vec<f64>>> = rows.filter_map(|row| log_shares(&row, denominator)).collect();
        let factor = typical_factor(logs.iter().map(|row| mean(&row.after) - mean(&row.before)).collect())?;
        let of_run = |side: Side, run: usize| {
            let off_mean = |row: &PerSide<Vec<f64>>| {
                Some(row[side].get(run)? - f64::midpoint(mean(&row.before), mean(&row.after)))
            };
            median(&mut logs.iter().filter_map(off_mean).collect::<Vec<f64>>())
        };
        let of_side = |side: Side, runs: &[RunBlocks]| (0..runs.len()).map(|run| of_run(side, run)).collect();
        Some(Self {
            before: of_side(Side::Before, &denominator.before),
            after: of_side(Side::After, &denominator.after),
            factor,
        })
    }

    /// The change of each row's share beyond that of the typical row; `None` for rows that are not tested.
    pub(crate) fn excesses(
        &self,
        denominator: &Denominator,
        count: usize,
        row: impl Fn(usize) -> Row + Sync,
        settings: &NoiseSettings,
    ) -> Vec<Option<Excess>> {
        let least = self.before.iter().chain(&self.after).copied().fold(f64::INFINITY, f64::min);
        // Denominators grow by the factors, so that shares fall and none exceeds 1.
        let factors = |logs: &[f64]| logs.iter().map(|log| (log - least).exp()).collect::<Vec<f64>>();
        let (before, after) = (factors(&self.before), factors(&self.after));
        let scaled_row = |index: usize| {
            let mut row = row(index);
            row.before.iter_mut().zip(&before).for_each(|(run, factor)| run.scale_denominator(*factor));
            row.after.iter_mut().zip(&after).for_each(|(run, factor)| run.scale_denominator(*factor));
            Cow::Owned(row)
        };
        let scaled = |runs: &[RunBlocks], factors: &[f64]| {
            runs.iter().zip(factors).map(|(run, factor)| run.scaled(*factor)).collect()
        };
        let relative = Denominator {
            before: scaled(&denominator.before, &before),
            after: scaled(&denominator.after, &after),
        };
        let to_points = (mean(&self.after) - least).exp();
        // What functions have in common cancelled, so their variances tell that of a run without an assumed one beside it.
        let settings = NoiseSettings { assumed_cv: Some(0.0), ..*settings };
        let judged = judge_each(&[relative], count, scaled_row, &settings).rows;
        judged.iter().map(|row| row.test.p().map(|_| self.excess(row, to_points))).collect()
    }

    /// In points of the after profile, of which `to_points` is one of the unit that the row was judged in.
    fn excess(&self, row: &RowNoise, to_points: f64) -> Excess {
        let expected_pct = row.before_pct * to_points;
        let after_pct = row.after_pct * to_points;
        let own = (row.se_pp * to_points).powi(2);
        let error = |of_pct: f64| {
            let common = (of_pct * self.factor.log_se).powi(2);
            let squared =
                own.powi(2) / row.degrees_of_freedom + common.powi(2) / self.factor.degrees_of_freedom;
            StandardError {
                points: (own + common).sqrt(),
                degrees_of_freedom: (own + common).powi(2) / squared,
            }
        };
        Excess {
            points: after_pct - expected_pct,
            expected_pct,
            after_pct,
            ratio: (mean(&self.after) - mean(&self.before)).exp(),
            error: error(expected_pct.max(after_pct)),
            error_as_ratio: error(logarithmic_mean(expected_pct, after_pct)),
        }
    }
}

/// Logarithms of a row's shares in the runs of each side; `None` if a run or a side did not sample it well.
fn log_shares(row: &Row, denominator: &Denominator) -> Option<PerSide<Vec<f64>>> {
    let of_side = |row: &[RowRun], runs: &[RunBlocks]| {
        let logs: Vec<f64> = row.iter().zip(runs).map(|(row, run)| (row.weight / run.total).ln()).collect();
        let samples: u64 = row.iter().map(|run| run.samples).sum();
        let is_whole = !logs.is_empty() && logs.len() == runs.len() && logs.iter().all(|log| log.is_finite());
        (is_whole && samples >= MIN_SAMPLES).then_some(logs)
    };
    Some(PerSide {
        before: of_side(&row.before, &denominator.before)?,
        after: of_side(&row.after, &denominator.after)?,
    })
}

/// The factor of the median of many shares, each given as the logarithm of its new value over its old one; `None` for a few.
pub(crate) fn typical_factor(mut logs: Vec<f64>) -> Option<CommonFactor> {
    logs.retain(|log| log.is_finite());
    let count = logs.len();
    if count < LEAST_ROWS {
        return None;
    }
    let middle = median(&mut logs);
    let mut deviations: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
    let spread = DEVIATION_FROM_MEDIAN * median(&mut deviations);
    Some(CommonFactor {
        ratio: middle.exp(),
        log_se: MEDIAN_ERROR * spread / (count as f64).sqrt(),
        degrees_of_freedom: (count - 1) as f64,
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The middle one of some values, which it sorts; 0 without any.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    f64::midpoint(at(values.len().saturating_sub(1) / 2), at(values.len() / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of ten rows of equal weight but the first, whose weight is given for each run.
    fn world(before: &[f64], after: &[f64]) -> (Denominator, Vec<Row>) {
        let mut denominator = Denominator::default();
        let mut rows = vec![Row::default(); 10];
        let mut record = |first: f64, is_after: bool| {
            let weights: Vec<f64> = (0..10).map(|row| if row == 0 { first } else { 100.0 }).collect();
            let all = [weights.iter().sum::<f64>(); 15];
            for (row, weight) in rows.iter_mut().zip(weights) {
                let run = RowRun::from_blocks(&[weight; 15], &all, (15.0 * weight) as u64);
                if is_after { row.after.push(run) } else { row.before.push(run) }
            }
            let run = RunBlocks::from_blocks(&all, (15.0 * all[0]) as u64);
            if is_after { denominator.after.push(run) } else { denominator.before.push(run) }
        };
        before.iter().for_each(|first| record(*first, false));
        after.iter().for_each(|first| record(*first, true));
        (denominator, rows)
    }

    fn excesses(before: &[f64], after: &[f64]) -> Vec<Excess> {
        let (denominator, rows) = world(before, after);
        let typical = TypicalRow::of(&denominator, rows.iter().cloned()).unwrap();
        let row = |row: usize| rows[row].clone();
        let excesses = typical.excesses(&denominator, rows.len(), row, &NoiseSettings::default());
        excesses.into_iter().flatten().collect()
    }

    #[test]
    fn a_row_that_grows_is_off_the_typical_one_and_the_others_are_not() {
        let of = excesses(&[400.0, 404.0, 396.0], &[600.0, 606.0, 594.0]);
        // 400 of 1,300 would be 400 of 1,500 without change; it is 600.
        assert!((of[0].expected_pct - 100.0 * 400.0 / 1500.0).abs() < 0.05, "{}", of[0].expected_pct);
        assert!((of[0].points - 100.0 * 200.0 / 1500.0).abs() < 0.1 && of[0].p() < 0.01);
        assert!(of[1..].iter().all(|row| row.points.abs() < 0.02 && row.p() > 0.5));
    }

    #[test]
    fn swapped_sides_are_as_sure() {
        let (there, back) =
            (excesses(&[400.0, 380.0], &[500.0, 520.0]), excesses(&[500.0, 520.0], &[400.0, 380.0]));
        assert!((there[0].p() - back[0].p()).abs() < 1e-9, "{} {}", there[0].p(), back[0].p());
        assert!(there[0].points * back[0].points < 0.0);
    }

    #[test]
    fn few_rows_have_no_typical_one() {
        let (denominator, rows) = world(&[400.0], &[400.0]);
        assert_eq!(TypicalRow::of(&denominator, rows.iter().take(7).cloned()), None);
        assert_eq!(TypicalRow::of(&Denominator::default(), rows.into_iter()), None);
    }
}
