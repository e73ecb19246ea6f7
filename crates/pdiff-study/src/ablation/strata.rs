//! Noise that some runs share, as far as the runs show it: an error per restart although no restarts were named, and one
//! build that is noisier than the other.
//!
//! Both are F tests of what the cells' and repeats' means leave. They are exact for complete tables, and near that where a few
//! runs are missing.

use std::collections::{BTreeMap, BTreeSet};

use pdiff_analysis::noise::f_upper_tail;

use crate::Setting;

/// Tables of more runs are not tested: sets of two of sixteen factors take a second there.
pub(super) const MOST_TESTED: usize = 10_000;

/// A restart that nobody named is believed at this chance of an error over all sets of factors that are tried.
const RESTART_LEVEL: f64 = 0.05;

/// Builds whose variances would differ so much with this chance if they were equal get one each. A preliminary test must be
/// lenient: pooling what differs costs coverage, not pooling what is equal costs hardly any width (Bancroft 1964,
/// Biometrics 20:427, finds 25 %).
const UNEQUAL_LEVEL: f64 = 0.25;

/// One run, with what its cell's and its repeat's means leave of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Rest {
    pub(super) build: usize,
    pub(super) setting: Setting,
    pub(super) repeat: usize,
    pub(super) value: f64,
}

/// The one or two factors whose levels runs of one repeat share an error for; none if no set is beyond noise.
pub(super) fn unnamed_restart(runs: &[Rest]) -> Setting {
    let all = runs.iter().fold(Setting::BASELINE, |all, run| all.union(run.setting));
    let single = all.factors().map(Setting::only);
    let pairs = all.factors().flat_map(|first| {
        all.factors()
            .filter(move |second| *second > first)
            .map(move |second| Setting::only(first).with(second))
    });
    let tried: Vec<(Setting, f64)> =
        single.chain(pairs).filter_map(|of| Some((of, p_of_plots(runs, of)?))).collect();
    let level = RESTART_LEVEL / tried.len().max(1) as f64;
    let best = tried.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, p)| *p <= level).map_or(Setting::BASELINE, |(of, _)| of)
}

/// The chance that plots of these factors differ so much within a build and repeat, if runs were independent.
fn p_of_plots(runs: &[Rest], of: Setting) -> Option<f64> {
    let repeats = Squares::about(runs, Setting::BASELINE);
    let plots = Squares::about(runs, of);
    let between_df = repeats.df - plots.df;
    let between = repeats.sum - plots.sum;
    if between_df <= 0.0 || plots.df <= 0.0 || plots.sum <= 0.0 {
        return None;
    }
    Some(f_upper_tail(between / between_df / (plots.sum / plots.df), between_df, plots.df))
}

/// Whether one build's runs vary more than the other's, beyond what plots of `restart` share.
pub(super) fn is_unequal(runs: &[Rest], restart: Setting) -> bool {
    let of_build = |build: usize| {
        let mine: Vec<Rest> = runs.iter().filter(|run| run.build == build).copied().collect();
        Squares::about(&mine, restart)
    };
    let [a, b] = [of_build(0), of_build(1)];
    if a.df <= 0.0 || b.df <= 0.0 || a.sum <= 0.0 || b.sum <= 0.0 {
        return false;
    }
    let ratio = a.sum / a.df / (b.sum / b.df);
    let upper = f_upper_tail(ratio, a.df, b.df);
    2.0 * upper.min(1.0 - upper) <= UNEQUAL_LEVEL
}

/// A sum of squares and its degrees of freedom.
struct Squares {
    sum: f64,
    df: f64,
}

impl Squares {
    /// Of runs about the means of their build, repeat and plot, after those of their cells.
    fn about(runs: &[Rest], restart: Setting) -> Self {
        let mut groups: BTreeMap<(usize, Setting, usize), Vec<f64>> = BTreeMap::new();
        let mut cells = BTreeSet::new();
        let mut plots = BTreeSet::new();
        for run in runs {
            let plot = run.setting.intersection(restart);
            groups.entry((run.build, plot, run.repeat)).or_default().push(run.value);
            cells.insert((run.build, run.setting));
            plots.insert((run.build, plot));
        }
        let squares = |values: &Vec<f64>| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>()
        };
        // Every plot's cells have one mean less than its groups leave free.
        let means = cells.len() + groups.len() - plots.len();
        Self { sum: groups.values().map(squares).sum(), df: runs.len() as f64 - means as f64 }
    }
}
