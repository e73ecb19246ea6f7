//! Machines as the unit of noise.
//!
//! Runs of one machine resemble each other more than runs of others do: it has its own processor, neighbours and users. Ten
//! runs of one machine are therefore not ten replicates. Where runs name their machine, those of one machine are averaged
//! first, and the machines' means are what a side's share and its variance are computed from (the summary measures of
//! repeated observations: Matthews, Altman, Campbell and Royston 1990).
//!
//! If a machine ran both builds, what it does to a function is in both means and cancels in their difference. With m machines
//! on both sides, of n_a and n_b, the difference of the sides' means is a sum over machines: of a_h / n_a - b_h / n_b for those on
//! both sides, of a single term for the others. So its variance is
//!
//! ```text
//! m var(a_h / n_a - b_h / n_b) + (n_a - m) var(a) / n_a^2 + (n_b - m) var(b) / n_b^2
//! ```
//!
//! on Satterthwaite's degrees of freedom: the paired t test if all machines are on both sides, the usual one if none is. A few
//! pairs leave so few degrees of freedom that more is lost than won; without pairing, results are cautious.
//!
//! Deliberately not here: which machine a run is of (`RunBlocks::host`), and whether machines can be compared at all.

use pdiff_profile::PerSide;

use super::blocks::{RowRun, RunBlocks};
use super::within::{RunShare, run_share};

/// Fewer machines on both sides are not paired: with four, an interval is 3.2 standard errors wide instead of 2.4.
const LEAST_PAIRS: f64 = 5.0;

/// A replicate: a run, or the mean of the runs of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    pub(super) host: Option<u32>,
    pub(super) share: RunShare,
}

/// The replicates of a side; runs whose denominator has no weight are left out.
pub(super) fn units(row: &[RowRun], runs: &[RunBlocks]) -> Vec<Unit> {
    let nothing = RowRun::default();
    let rows = row.iter().chain(std::iter::repeat(&nothing));
    let of_runs = rows.zip(runs).filter_map(|(row, run)| Some((run.host, run_share(row, run)?)));
    let mut units: Vec<(Unit, f64)> = Vec::with_capacity(runs.len());
    let mut place_of_host: Vec<Option<usize>> = Vec::new();
    for (host, share) in of_runs {
        let unit = (Unit { host, share }, 1.0);
        let Some(host) = host.map(|host| host as usize) else {
            units.push(unit);
            continue;
        };
        if place_of_host.len() <= host {
            place_of_host.resize(host + 1, None);
        }
        match place_of_host.get(host).copied().flatten().and_then(|place| units.get_mut(place)) {
            Some((unit, count)) => {
                unit.share.add(&share);
                *count += 1.0;
            }
            None => {
                if let Some(place) = place_of_host.get_mut(host) {
                    *place = Some(units.len());
                }
                units.push(unit);
            }
        }
    }
    let mean = |(unit, count): (Unit, f64)| Unit { share: unit.share.over(count), ..unit };
    units.into_iter().map(mean).collect()
}

/// How many replicates a side has.
pub(super) fn count_of_units(runs: &[RunBlocks]) -> usize {
    let runs = || runs.iter().filter(|run| run.total > 0.0);
    let mut hosts: Vec<u32> = runs().filter_map(|run| run.host).collect();
    hosts.sort_unstable();
    hosts.dedup();
    runs().filter(|run| run.host.is_none()).count() + hosts.len()
}

/// The variance of the difference of two means, where some machines are on both sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pairing {
    /// That variance.
    pub(super) variance: f64,
    /// That variance over the one without machines in common.
    pub(super) ratio: f64,
    /// Its degrees of freedom.
    pub(super) df: f64,
}

impl Pairing {
    /// Of the values of both sides' machines; `None` if fewer than [`LEAST_PAIRS`] machines are on both, or nothing varies.
    pub(super) fn new(units: PerSide<&[(Option<u32>, f64)]>) -> Option<Self> {
        let counts = units.map(|units| units.len() as f64);
        let mut of_before: Vec<Option<f64>> = Vec::new();
        for (host, value) in units.before {
            let Some(host) = host.map(|host| host as usize) else { continue };
            if of_before.len() <= host {
                of_before.resize(host + 1, None);
            }
            if let Some(place) = of_before.get_mut(host) {
                *place = Some(*value);
            }
        }
        let difference = |(host, after): &(Option<u32>, f64)| {
            let before = of_before.get((*host)? as usize).copied().flatten()?;
            Some(after / counts.after - before / counts.before)
        };
        let differences: Vec<f64> = units.after.iter().filter_map(difference).collect();
        let pairs = differences.len() as f64;
        if pairs < LEAST_PAIRS {
            return None;
        }
        let of_side = units.map(|units| variance(units.iter().map(|(_, value)| *value)));
        let of_mean = of_side.zip(counts).map(|(variance, count)| variance / count);
        let unpaired = of_mean.zip(counts).map(|(of_mean, count)| of_mean * (count - pairs).max(0.0) / count);
        let paired = pairs * variance(differences.iter().copied());
        let variance = paired + unpaired.before + unpaired.after;
        let over_df = |part: f64, df: f64| if df > 0.0 { part * part / df } else { 0.0 };
        let squared = over_df(paired, pairs - 1.0)
            + over_df(unpaired.before, counts.before - 1.0)
            + over_df(unpaired.after, counts.after - 1.0);
        let pairing = Self {
            variance,
            ratio: variance / (of_mean.before + of_mean.after),
            df: variance * variance / squared,
        };
        (pairing.ratio.is_finite() && pairing.df.is_finite()).then_some(pairing)
    }
}

/// The unbiased variance of some values; 0 for fewer than two.
fn variance(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    if count > 1.0 {
        values.map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(before: &[(u32, f64)], after: &[(u32, f64)]) -> Option<Pairing> {
        let of =
            |side: &[(u32, f64)]| side.iter().map(|(host, value)| (Some(*host), *value)).collect::<Vec<_>>();
        Pairing::new(PerSide::new(&of(before), &of(after)))
    }

    #[test]
    fn runs_of_a_machine_are_one_replicate() {
        let run = |host: Option<u32>| RunBlocks { host, ..RunBlocks::from_blocks(&[100.0; 20], 2000) };
        let runs = [run(Some(1)), run(None), run(Some(1)), run(Some(0))];
        let row = |weight: f64| RowRun::from_blocks(&[weight; 20], &[100.0; 20], (20.0 * weight) as u64);
        let got = units(&[row(10.0), row(20.0), row(30.0), row(40.0)], &runs);
        let shares: Vec<(Option<u32>, f64)> = got.iter().map(|unit| (unit.host, unit.share.share)).collect();
        assert_eq!(shares, [(Some(1), 0.2), (None, 0.2), (Some(0), 0.4)]);
        assert_eq!(count_of_units(&runs), 3);
        // The variance of a mean of two: half the mean of their variances.
        let alone = units(&[row(10.0), row(30.0)], &[run(None), run(None)]);
        let of_mean = (alone[0].share.variance + alone[1].share.variance) / 4.0;
        assert!((got[0].share.variance - of_mean).abs() < 1e-15);
        assert_eq!(got[0].share.df, alone[0].share.df + alone[1].share.df);
    }

    const BEFORE: [(u32, f64); 5] = [(0, 1.0), (1, 2.0), (2, 6.0), (3, 4.0), (4, 7.0)];

    #[test]
    fn machines_on_both_sides_make_the_paired_test() {
        let got = pairing(&BEFORE, &[(2, 7.0), (0, 1.5), (1, 3.5), (4, 8.0), (3, 5.0)]).unwrap();
        // Differences 0.5, 1.5, 1, 1 and 1: variance 0.125. Unpaired: 6.5 and 6.875.
        assert!((got.variance - 0.125 / 5.0).abs() < 1e-12 && (got.df - 4.0).abs() < 1e-12, "{got:?}");
        assert!((got.ratio - 0.125 / (6.5 + 6.875)).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn machines_on_one_side_add_their_own_variance() {
        let six = |last: u32| BEFORE.into_iter().chain([(last, 4.0)]).collect::<Vec<_>>();
        let got = pairing(&six(5), &six(6)).unwrap();
        // Both sides have a variance of 26 / 5. Five machines differ by nothing, one of six on each side is alone.
        assert!((got.ratio - 1.0 / 6.0).abs() < 1e-12, "{got:?}");
        assert!((got.df - 10.0).abs() < 1e-12, "{got:?}");
    }

    #[test]
    fn other_machines_and_a_few_are_not_paired() {
        assert_eq!(pairing(&BEFORE, &BEFORE.map(|(host, value)| (host + 5, value))), None);
        assert_eq!(pairing(&BEFORE, &BEFORE[..4]), None);
        let unnamed = BEFORE.map(|(_, value)| (None, value));
        assert_eq!(Pairing::new(PerSide::new(&unnamed, &unnamed)), None);
    }
}
