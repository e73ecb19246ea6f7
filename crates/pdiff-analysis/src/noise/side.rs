//! The data of one side's runs for a row, combined.

use pdiff_profile::PerSide;

use super::blocks::{RowRun, RunBlocks};
use super::hosts::{Pairing, Unit, units};
use super::input::MIN_SAMPLES;
use super::input::{Denominator, Row};
use super::within::RunShare;

/// A row on one side: the mean of its replicates' shares and the noise within and between them. A replicate is a run, or the
/// runs of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct SideShare {
    /// Mean of the replicates' shares.
    pub(super) share: f64,
    /// Replicates with a denominator.
    pub(super) runs: f64,
    /// Mean over replicates of the variance within a replicate.
    pub(super) within: f64,
    /// `within` as machines on both sides show it, to measure what is between them. Each replicate's variance is the larger one of
    /// two that are uncertain, so their mean is too large, and what it takes too much is missing between the replicates. Here
    /// both are averaged first. Without such machines it is `within`.
    pub(super) within_averaged: f64,
    /// Degrees of freedom of `within`.
    pub(super) within_df: f64,
    /// Mean over replicates of the variance that independent samples would have.
    pub(super) sampling: f64,
    /// All runs have blocks of time.
    pub(super) has_blocks: bool,
    /// Sum of squared deviations of the replicates' shares from their mean, on `between_df` degrees of freedom; what machines
    /// that are on both sides have in common is not in it.
    pub(super) between_squares: f64,
    /// Degrees of freedom of `between_squares`.
    pub(super) between_df: f64,
    /// Samples of the row in all runs.
    pub(super) samples: u64,
    /// Samples of the denominator in all runs.
    pub(super) denominator_samples: u64,
}

impl SideShare {
    /// Sums up a row's runs of both sides.
    pub(super) fn of_row(row: &Row, denominator: &Denominator) -> PerSide<Self> {
        let units =
            PerSide::new(units(&row.before, &denominator.before), units(&row.after, &denominator.after));
        let mut sides = PerSide {
            before: Self::of_units(&units.before, &row.before, &denominator.before),
            after: Self::of_units(&units.after, &row.after, &denominator.after),
        };
        let has_hosts = units.values().all(|units| units.iter().any(|unit| unit.host.is_some()));
        if has_hosts {
            let values = |units: &Vec<Unit>| {
                units.iter().map(|unit| (unit.host, unit.share.share)).collect::<Vec<(Option<u32>, f64)>>()
            };
            let values = units.as_ref().map(values);
            if let Some(pairing) = Pairing::new(values.as_ref().map(Vec::as_slice)) {
                let all_df = sides.before.between_df + sides.after.between_df;
                sides.before.pair(pairing, all_df, &units.before);
                sides.after.pair(pairing, all_df, &units.after);
            }
        }
        sides
    }

    fn of_units(units: &[Unit], row: &[RowRun], runs: &[RunBlocks]) -> Self {
        let Some(count) = Some(units.len() as f64).filter(|&count| count > 0.0) else {
            return Self::default();
        };
        let shares = || units.iter().map(|unit| unit.share);
        let mean = |value: fn(RunShare) -> f64| shares().map(value).sum::<f64>() / count;
        let share = mean(|run| run.share);
        Self {
            share,
            runs: count,
            within: mean(|run| run.variance),
            within_averaged: mean(|run| run.variance),
            within_df: shares().map(|run| run.df).sum(),
            sampling: mean(|run| run.sampling),
            has_blocks: shares().all(|run| run.has_blocks),
            between_squares: shares().map(|run| (run.share - share) * (run.share - share)).sum(),
            between_df: count - 1.0,
            samples: row.iter().zip(runs).fold(0, |sum, (row, _)| sum.saturating_add(row.samples)),
            denominator_samples: runs.iter().fold(0, |sum, run| sum.saturating_add(run.samples)),
        }
    }

    /// Makes the variance of the difference of the sides that of machines that are on both.
    fn pair(&mut self, pairing: Pairing, all_df: f64, units: &[Unit]) {
        let mean = |value: fn(&Unit) -> f64| units.iter().map(value).sum::<f64>() / units.len() as f64;
        self.within_averaged = mean(|unit| unit.share.measured).max(mean(|unit| unit.share.sampling));
        if self.between_df > 0.0 {
            let df = pairing.df * self.between_df / all_df;
            self.between_squares *= pairing.ratio * df / self.between_df;
            self.between_df = df;
        }
    }

    /// The side as other rows learn from it.
    pub(super) fn with_averaged_within(self) -> Self {
        Self { within: self.within_averaged, ..self }
    }

    /// The variance of the difference of two sides' shares that a coefficient of variation of 1 between runs makes.
    ///
    /// A run's share varies by a factor, so the logarithms of two shares differ by the same error wherever they lie. The
    /// difference of the shares is that of the logarithms times their logarithmic mean. Where the side with fewer runs has the
    /// smaller share, that makes more than each side's own share does: a single run that is low by chance must not pass for one
    /// that varies little.
    pub(super) fn variance_of_factors(PerSide { before, after }: &PerSide<Self>) -> f64 {
        let of_mean = |side: &Self, share: f64| share * share / side.runs.max(1.0);
        let middle = logarithmic_mean(before.share, after.share);
        let (own, common) = (
            of_mean(before, before.share) + of_mean(after, after.share),
            of_mean(before, middle) + of_mean(after, middle),
        );
        own.max(common)
    }

    /// The side has a run with a denominator, so the row has a share.
    pub(super) fn has_share(&self) -> bool {
        self.runs > 0.0
    }

    /// Degrees of freedom between the replicates. A side with next to no samples has none: that a row is absent from three
    /// runs says nothing about how it varies where it is present.
    pub(super) fn residual_df(&self) -> f64 {
        if self.samples < MIN_SAMPLES { 0.0 } else { self.between_df.max(0.0) }
    }
}

/// The difference of two positive numbers over that of their logarithms; 0 if one of them is 0.
fn logarithmic_mean(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    let mean = (high - low) / (high / low).ln();
    if mean.is_finite() { mean } else { low }
}

/// A row of 1 % with three runs on each side, each of 15 blocks of time: the squared deviations of a side's shares, and the variance
/// within a run.
#[cfg(test)]
pub(super) fn three_runs(between_squares: f64, within: f64) -> PerSide<SideShare> {
    let side = SideShare {
        share: 0.01,
        runs: 3.0,
        within,
        within_averaged: within,
        within_df: 42.0,
        sampling: within,
        has_blocks: true,
        between_squares,
        between_df: 2.0,
        samples: 600,
        denominator_samples: 60_000,
    };
    PerSide::new(side, side)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variance(before: (f64, f64), after: (f64, f64)) -> f64 {
        let side = |(share, runs): (f64, f64)| SideShare { share, runs, ..SideShare::default() };
        SideShare::variance_of_factors(&PerSide::new(side(before), side(after)))
    }

    /// Machines whose blocks are more or less alike by chance: of one kind the variance within is that of independent samples, of
    /// the other it is the measured one.
    fn machines(first: u32, tilt: f64) -> (Vec<RunBlocks>, Vec<RowRun>) {
        let all = [1000.0; 16];
        let machine = |host: u32| {
            let step = if host.is_multiple_of(2) { 0.0 } else { 7.0 };
            // Shares that differ alike leave nothing to pair.
            let mean = 40.0 + tilt * f64::from(host);
            let blocks: Vec<f64> =
                (0..16).map(|at| if at % 2 == 0 { mean - step } else { mean + step }).collect();
            let run = RunBlocks { host: Some(first + host), ..RunBlocks::from_blocks(&all, 16_000) };
            (run, RowRun::from_blocks(&blocks, &all, 640))
        };
        (0..6).map(machine).unzip()
    }

    fn within(first_after: u32) -> (f64, f64) {
        let ((runs_before, before), (runs_after, after)) = (machines(0, 0.01), machines(first_after, 0.02));
        let row = Row { denominator: 0, before, after };
        let side = SideShare::of_row(&row, &Denominator { before: runs_before, after: runs_after }).after;
        (side.within, side.within_averaged)
    }

    #[test]
    fn what_is_between_machines_is_measured_with_an_averaged_variance_within_them() {
        let (within, averaged) = within(0);
        // Independent samples of 4 % have a variance of 2.4e-6; the blocks show nothing of it or 3.27e-6. Each machine has the
        // larger one.
        assert!(
            (1e6 * within - 2.833).abs() < 0.01 && (1e6 * averaged - 2.4).abs() < 0.01,
            "{within} {averaged}"
        );
    }

    #[test]
    fn machines_that_ran_one_build_keep_their_cautious_variance() {
        let (within, averaged) = within(6);
        assert_eq!(within, averaged);
    }

    #[test]
    fn a_single_run_that_is_low_varies_as_much_as_a_factor_does() {
        // The t value of the difference is that of the logarithms: ln 4 over the root of 1 + 1/5.
        let t = 0.03 / variance((0.01, 1.0), (0.04, 5.0)).sqrt();
        assert!((t - 4.0_f64.ln() / 1.2_f64.sqrt()).abs() < 1e-12, "{t}");
        // A high one varies by its own share.
        assert!((variance((0.04, 1.0), (0.01, 5.0)) - (0.04 * 0.04 + 0.01 * 0.01 / 5.0)).abs() < 1e-15);
    }

    #[test]
    fn sides_of_as_many_runs_vary_by_their_own_shares() {
        for (before, after) in [(0.01, 0.04), (0.02, 0.02), (0.02, 0.02 + 1e-12), (0.0, 0.01), (0.0, 0.0)] {
            let want = (before * before + after * after) / 3.0;
            assert!((variance((before, 3.0), (after, 3.0)) - want).abs() < 1e-9, "{before} {after}");
        }
    }
}
