//! Cells of an experiment: one build under one setting, its runs averaged in the logarithm, and the noise of contrasts.
//!
//! Noise is the pooled variance of log throughput about the cells' means. Where every cell has every repeat, repeats are
//! blocks: what they share is taken out. Where some factors change by restart only, the runs between two restarts share
//! an error of their own (a split plot): the variance between plots is estimated from the plots' means within blocks, the
//! rest within plots, and a contrast's variance is the combination that its coefficients call for, on Satterthwaite's
//! degrees of freedom (Satterthwaite 1946; Milliken and Johnson, Analysis of Messy Data, ch. 5 for the mean squares).
//!
//! Where runs are missing, or one build is noisier, the same model is fitted by weighted least squares with variances by
//! restricted maximum likelihood (`mixed`). Restarts that nobody named are looked for (`strata`).

use pdiff_profile::{PerSide, Side};
use std::collections::{BTreeMap, BTreeSet};

use crate::{BenchmarkRun, RunsTable, Setting};

use super::contrast::{Contrast, MeanSquare};
use super::estimate::Estimate;
use super::mixed::{Fit, MOST_RUNS};
use super::strata::{MOST_TESTED, is_unequal, unnamed_restart};
use super::weighted::{observed, rests, weighted};
use pdiff_analysis::noise::critical_t;

/// Intervals contain the truth this often.
const LEVEL: f64 = 0.95;

/// What is averaged in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Measure {
    /// ln of throughput.
    Throughput,
    /// ln of 1 / CPU per operation.
    Efficiency,
    /// ln of throughput times CPU per operation: CPU put to use.
    Utilisation,
}

impl Measure {
    fn of(self, run: &BenchmarkRun) -> Option<f64> {
        match self {
            Self::Throughput => Some(run.throughput.ln()),
            Self::Efficiency => run.cost.map(|cost| -cost.ln()),
            Self::Utilisation => run.cost.map(|cost| run.throughput.ln() + cost.ln()),
        }
    }
}

/// The cells of the two builds compared.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    index: BTreeMap<(Side, Setting), usize>,
    /// The factors that each build has.
    has: PerSide<Setting>,
    means: Vec<f64>,
    counts: Vec<f64>,
    /// The plot of each cell.
    plots: Vec<usize>,
    pub(super) noise: Noise,
}

/// What is known about noise.
#[derive(Clone, Debug, Default)]
pub(super) struct Noise {
    pub(super) within: Option<MeanSquare>,
    pub(super) between: Option<Between>,
    pub(super) blocks: Blocks,
    /// The weighted fit, where runs are missing or builds are not equally noisy.
    pub(super) fit: Option<Fit>,
    /// The runs' variance on each build, where they differ.
    pub(super) of_builds: Option<PerSide<f64>>,
    /// Factors that nobody named, for whose levels the runs of a repeat share an error.
    pub(super) unnamed_restart: Setting,
}

/// The mean square between plots; it contains the variance within plots once and that of plots `cells_per_plot` times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Between {
    pub(super) square: MeanSquare,
    pub(super) cells_per_plot: f64,
}

impl Noise {
    fn of_fit(fit: Fit) -> Self {
        let of_runs = fit.variances.iter().take(fit.strata);
        let variance = of_runs.clone().sum::<f64>() / fit.strata.max(1) as f64;
        let df = (0..fit.strata).map(|stratum| fit.df(stratum)).sum();
        Self {
            within: Some(MeanSquare { variance, df }),
            blocks: Blocks::Fitted { repeats: fit.repeats },
            of_builds: of_runs.copied().collect::<Vec<f64>>().try_into().ok().map(<[f64; 2]>::into),
            fit: Some(fit),
            ..Self::default()
        }
    }

    /// The variance of plots beyond that of runs, with its degrees of freedom.
    pub(super) fn of_plots(&self) -> Option<MeanSquare> {
        if let Some(fit) = &self.fit {
            return fit.plots.map(|variance| MeanSquare { variance, df: fit.df(fit.strata) });
        }
        let (within, between) = (self.within?, self.between?);
        let variance = (between.square.variance - within.variance).max(0.0) / between.cells_per_plot;
        Some(MeanSquare { variance, df: between.square.df })
    }
}

/// How repeats entered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Blocks {
    /// One run per cell.
    #[default]
    None,
    /// Every cell has all of these repeats. The others are left out.
    Complete { repeats: usize, left_out: Vec<String> },
    /// Cells have different repeats: no blocks.
    Unbalanced,
    /// Cells have different repeats, of which this many are fitted.
    Fitted { repeats: usize },
}

impl Cells {
    /// Averages the runs of two builds; `None` where a run lacks the measure. `restart` are the factors that change by
    /// restart only.
    pub(super) fn new(
        table: &RunsTable,
        builds: PerSide<usize>,
        restart: Setting,
        measure: Measure,
    ) -> Option<Self> {
        let mine = |run: &&BenchmarkRun| builds.values().any(|build| *build == run.build);
        let of = |run: &BenchmarkRun| if run.build == builds.before { Side::Before } else { Side::After };
        let all: Vec<&BenchmarkRun> = table.runs.iter().filter(mine).collect();
        let logs = all.iter().map(|run| measure.of(run)).collect::<Option<Vec<f64>>>()?;
        let (runs, blocks) = complete_repeats(&all, &of);
        let mut index = BTreeMap::new();
        for run in &all {
            let next = index.len();
            index.entry((of(run), run.setting)).or_insert(next);
        }
        let observed = observed(&all, &logs, &index, &of);
        // Of larger tables the tests of noise would take long, and the fit longer.
        let rests = if all.len() <= MOST_TESTED { rests(&observed) } else { Vec::new() };
        let unnamed_restart =
            if restart == Setting::BASELINE { unnamed_restart(&rests) } else { Setting::BASELINE };
        let restart = restart.union(unnamed_restart);
        let mut plot_index = BTreeMap::new();
        let mut plots = vec![0; index.len()];
        for ((build, setting), cell) in &index {
            let next = plot_index.len();
            let key = (*build, setting.intersection(restart));
            if let Some(plot) = plots.get_mut(*cell) {
                *plot = *plot_index.entry(key).or_insert(next);
            }
        }
        let is_unequal = is_unequal(&rests, restart);
        let is_incomplete = match &blocks {
            Blocks::Complete { left_out, .. } => !left_out.is_empty(),
            // Without names of repeats there is nothing to fit but cells.
            Blocks::Unbalanced => all.iter().any(|run| run.replicate.is_some()),
            Blocks::None | Blocks::Fitted { .. } => false,
        };
        let is_fitted = (is_unequal || is_incomplete) && all.len() <= MOST_RUNS;
        let fit = if is_fitted { weighted(&observed, restart, is_unequal) } else { None };
        let has = builds.map(|build| table.factors_of(build));
        if let Some(fit) = fit {
            let means = fit.means.clone();
            let noise = Noise { unnamed_restart, ..Noise::of_fit(fit) };
            return Some(Self { index, has, means, counts: Vec::new(), plots, noise });
        }
        let mut values: Vec<Vec<(Option<&str>, f64)>> = vec![Vec::new(); index.len()];
        for run in &runs {
            let cell = index.get(&(of(run), run.setting)).copied()?;
            values.get_mut(cell)?.push((run.replicate.as_deref(), measure.of(run)?));
        }
        let counts: Vec<f64> = values.iter().map(|runs| runs.len() as f64).collect();
        let means: Vec<f64> = values
            .iter()
            .map(|runs| runs.iter().map(|(_, value)| value).sum::<f64>() / runs.len() as f64)
            .collect();
        let noise =
            Noise { unnamed_restart, ..noise(&values, &means, &plots, restart != Setting::BASELINE, blocks) };
        Some(Self { index, has, means, counts, plots, noise })
    }

    /// The cell of a build; factors that it lacks do not matter.
    fn cell(&self, of: Side, setting: Setting) -> Option<usize> {
        let own = setting.intersection(self.has[of]);
        self.index.get(&(of, own)).copied()
    }

    /// Whether a build was measured under a setting.
    pub(super) fn is_measured(&self, of: Side, setting: Setting) -> bool {
        self.cell(of, setting).is_some()
    }

    /// The setting as the build has it.
    pub(super) fn own(&self, of: Side, setting: Setting) -> Setting {
        setting.intersection(self.has[of])
    }

    /// Mean logarithm of one build under a setting.
    pub(super) fn mean(&self, of: Side, setting: Setting) -> Option<f64> {
        self.means.get(self.cell(of, setting)?).copied()
    }

    /// ln(target / base) under a setting; `None` where a build was not measured.
    pub(super) fn log_gap(&self, setting: Setting) -> Option<f64> {
        Some(self.mean(Side::After, setting)? - self.mean(Side::Before, setting)?)
    }

    /// How many cells a build has.
    pub(super) fn count(&self, of: Side) -> usize {
        self.index.keys().filter(|(build, _)| *build == of).count()
    }

    /// The settings of the target and the base for which both have a run, over the factors of either.
    pub(super) fn settings(&self) -> BTreeSet<Setting> {
        let PerSide { before: base, after: target } = self.has;
        let of = |build: Side| self.index.keys().filter(move |key| key.0 == build).map(|key| key.1);
        let mut settings = BTreeSet::new();
        // Together they fix every factor; factors of both must agree.
        for own in of(Side::After) {
            for subset in Setting(base.0 & !target.0).subsets() {
                let setting = own.union(subset);
                if self.log_gap(setting).is_some() {
                    settings.insert(setting);
                }
            }
        }
        settings
    }

    /// Adds `weight` times one build's cell; `None` where it was not measured.
    pub(super) fn add(&self, contrast: &mut Contrast, of: Side, setting: Setting, weight: f64) -> Option<()> {
        *contrast.entry(self.cell(of, setting)?).or_default() += weight;
        Some(())
    }

    /// The value of a contrast of logarithms.
    pub(super) fn value(&self, contrast: &Contrast) -> f64 {
        contrast.iter().filter_map(|(cell, weight)| Some(weight * self.means.get(*cell)?)).sum()
    }

    /// `value` with the interval that the contrast's variance gives.
    pub(super) fn estimate(&self, value: f64, contrast: &Contrast) -> Estimate {
        self.estimate_at(value, contrast, 1.0 - LEVEL)
    }

    /// The same at another level of error.
    pub(super) fn estimate_at(&self, value: f64, contrast: &Contrast, alpha: f64) -> Estimate {
        let interval = self.variance(contrast).and_then(|square| {
            let half = critical_t(alpha, square.df) * square.variance.sqrt();
            half.is_finite().then_some((value - half, value + half))
        });
        Estimate { value, interval }
    }

    fn variance(&self, contrast: &Contrast) -> Option<MeanSquare> {
        if let Some(fit) = &self.noise.fit {
            return fit.variance(contrast);
        }
        let within = self.noise.within?;
        let mut of_plots: BTreeMap<usize, f64> = BTreeMap::new();
        let mut squares = 0.0;
        let mut repeats: f64 = f64::INFINITY;
        for (cell, weight) in contrast {
            let count = self.counts.get(*cell)?;
            repeats = repeats.min(*count);
            squares += weight * weight / count;
            *of_plots.entry(*self.plots.get(*cell)?).or_default() += weight;
        }
        let Some(between) = self.noise.between else {
            return Some(MeanSquare { variance: squares * within.variance, df: within.df });
        };
        if between.square.variance <= within.variance {
            // No sign of plots: both squares estimate one variance.
            let df = within.df + between.square.df;
            let pooled = (within.variance * within.df + between.square.variance * between.square.df) / df;
            return Some(MeanSquare { variance: squares * pooled, df });
        }
        let of_between =
            of_plots.values().map(|sum| sum * sum).sum::<f64>() / (repeats * between.cells_per_plot);
        let of_within = squares - of_between;
        let parts = [(of_within, within), (of_between, between.square)];
        let variance: f64 = parts.iter().map(|(weight, square)| weight * square.variance).sum();
        let spread: f64 =
            parts.iter().map(|(weight, square)| (weight * square.variance).powi(2) / square.df).sum();
        Some(MeanSquare { variance: variance.max(0.0), df: variance * variance / spread })
    }
}

/// The runs that noise and means are taken from: all, or those of the repeats that every cell has.
fn complete_repeats<'a>(
    runs: &[&'a BenchmarkRun],
    of: &impl Fn(&BenchmarkRun) -> Side,
) -> (Vec<&'a BenchmarkRun>, Blocks) {
    let cells: BTreeSet<(Side, Setting)> = runs.iter().map(|run| (of(run), run.setting)).collect();
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for run in runs {
        *sizes.entry(run.replicate.as_deref().unwrap_or("")).or_default() += 1;
    }
    let is_complete = |label: &str| sizes.get(label) == Some(&cells.len());
    let complete = sizes.keys().filter(|label| is_complete(label)).count();
    if complete >= 2 {
        let left_out = sizes.keys().filter(|label| !is_complete(label)).map(ToString::to_string).collect();
        let kept =
            runs.iter().filter(|run| is_complete(run.replicate.as_deref().unwrap_or(""))).copied().collect();
        return (kept, Blocks::Complete { repeats: complete, left_out });
    }
    let blocks = if runs.len() > cells.len() { Blocks::Unbalanced } else { Blocks::None };
    (runs.to_vec(), blocks)
}

fn noise(
    values: &[Vec<(Option<&str>, f64)>],
    means: &[f64],
    plots: &[usize],
    is_split: bool,
    blocks: Blocks,
) -> Noise {
    let residuals = || {
        let cells = values.iter().zip(means).zip(plots);
        cells.flat_map(|((runs, mean), plot)| {
            runs.iter().map(move |(label, value)| (label.unwrap_or(""), *plot, value - mean))
        })
    };
    let runs: usize = values.iter().map(Vec::len).sum();
    let (count, cells) = (runs as f64, values.len() as f64);
    let Blocks::Complete { repeats, .. } = &blocks else {
        let squares: f64 = residuals().map(|(_, _, residual)| residual * residual).sum();
        let df = count - cells;
        let within = (df > 0.0).then(|| MeanSquare { variance: squares / df, df });
        return Noise { within, between: None, blocks, ..Noise::default() };
    };
    let repeats = *repeats as f64;
    let mut by_block: BTreeMap<&str, f64> = BTreeMap::new();
    let mut by_plot: BTreeMap<(usize, &str), (f64, f64)> = BTreeMap::new();
    for (label, plot, residual) in residuals() {
        *by_block.entry(label).or_default() += residual / cells;
        let sum = by_plot.entry((plot, label)).or_default();
        *sum = (sum.0 + residual, sum.1 + 1.0);
    }
    let block = |label: &str| by_block.get(label).copied().unwrap_or(0.0);
    let plot_square: f64 =
        by_plot.iter().map(|((_, label), (sum, size))| size * (sum / size - block(label)).powi(2)).sum();
    let all_square: f64 = residuals().map(|(label, _, residual)| (residual - block(label)).powi(2)).sum();
    let plot_count = plots.iter().max().map_or(0.0, |last| *last as f64 + 1.0);
    let plot_df = (plot_count - 1.0) * (repeats - 1.0);
    let within_df = (cells - plot_count) * (repeats - 1.0);
    if !is_split || plot_df <= 0.0 || within_df <= 0.0 {
        let df = (cells - 1.0) * (repeats - 1.0);
        let within = (df > 0.0).then(|| MeanSquare { variance: all_square / df, df });
        return Noise { within, between: None, blocks, ..Noise::default() };
    }
    let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
    plots.iter().for_each(|plot| *sizes.entry(*plot).or_default() += 1.0);
    let squares: f64 = sizes.values().map(|size| size * size).sum();
    let cells_per_plot = (cells - squares / cells) / (plot_count - 1.0);
    let within = MeanSquare { variance: (all_square - plot_square).max(0.0) / within_df, df: within_df };
    let between =
        Between { square: MeanSquare { variance: plot_square / plot_df, df: plot_df }, cells_per_plot };
    Noise { within: Some(within), between: Some(between), blocks, ..Noise::default() }
}
