//! A mixed model of log throughput by restricted maximum likelihood (REML), for tables that are not complete or whose builds
//! are not equally noisy.
//!
//! A run is the mean of its cell, plus what its repeat shares (fixed: repeats are blocks), plus what its plot shares in that
//! repeat (random), plus an error of its own, whose variance may be the build's. Every run counts with the weight that its
//! variance calls for. Variances maximise the restricted likelihood by Fisher scoring (Patterson, Thompson 1971, Biometrika
//! 58:545); a contrast's degrees of freedom are Satterthwaite's for such models (Giesbrecht, Burns 1985, Biometrics 41:477).
//! In a complete table this is the analysis of variance.
//!
//! Cost: a few products of matrices with a row for each run, so about 20 N^3 multiplications. [`MOST_RUNS`] bounds them.

use std::collections::BTreeMap;

use super::contrast::{Contrast, MeanSquare};
use super::matrix::Matrix;

/// With more runs this model is not fitted: matrices have this many rows.
pub(super) const MOST_RUNS: usize = 400;

/// Rounds of scoring; most tables need less than ten.
const MOST_ROUNDS: usize = 50;

/// One run of the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ModelRun {
    pub(super) cell: usize,
    pub(super) repeat: usize,
    /// The plot in its repeat; runs of one plot in one repeat have one number.
    pub(super) plot: usize,
    /// Which variance its error has.
    pub(super) stratum: usize,
    pub(super) value: f64,
}

/// The fitted model.
#[derive(Clone, Debug)]
pub(super) struct Fit {
    /// The cells' means.
    pub(super) means: Vec<f64>,
    /// The variances of single runs by stratum, then those of what is shared.
    pub(super) variances: Vec<f64>,
    /// The variance of plots, where there is one.
    pub(super) plots: Option<f64>,
    /// How many repeats, and how many variances of runs there are.
    pub(super) repeats: usize,
    pub(super) strata: usize,
    /// The covariance of the cells' means.
    covariance: Matrix,
    /// Its derivatives by the variances.
    derivatives: Vec<Matrix>,
    /// The covariance of the variances.
    of_variances: Matrix,
}

impl Fit {
    /// The variance of a contrast and its degrees of freedom.
    pub(super) fn variance(&self, contrast: &Contrast) -> Option<MeanSquare> {
        let variance = form(&self.covariance, contrast);
        let slopes: Vec<f64> = self.derivatives.iter().map(|of| form(of, contrast)).collect();
        let spread: f64 = slopes
            .iter()
            .enumerate()
            .flat_map(|(i, a)| slopes.iter().enumerate().map(move |(j, b)| (i, j, a * b)))
            .map(|(i, j, product)| product * self.of_variances.at(i, j))
            .sum();
        let df = 2.0 * variance * variance / spread;
        (variance >= 0.0 && df > 0.0).then_some(MeanSquare { variance, df })
    }

    /// Degrees of freedom of a variance.
    pub(super) fn df(&self, variance: usize) -> f64 {
        let value = self.variances.get(variance).copied().unwrap_or(0.0);
        2.0 * value * value / self.of_variances.at(variance, variance)
    }
}

fn form(matrix: &Matrix, contrast: &Contrast) -> f64 {
    let each = contrast.iter().flat_map(|(i, a)| contrast.iter().map(move |(j, b)| (*i, *j, a * b)));
    each.map(|(i, j, product)| product * matrix.at(i, j)).sum()
}

/// What the runs share beside their cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shared {
    /// Repeats are blocks; else they are random, which they must be where no run joins the repeats of one build to the other's.
    pub(super) repeats_are_fixed: bool,
    /// Plots have an error of their own.
    pub(super) plots: bool,
}

/// A random part, kept while its variance is more than this part of the runs'.
const LEAST_PART: f64 = 1e-4;

/// Fits the model; `None` if the runs do not tell the variances. What is shared but does not vary is left out.
pub(super) fn fit(runs: &[ModelRun], shared: Shared) -> Option<Fit> {
    fit_with(runs, shared.repeats_are_fixed, !shared.repeats_are_fixed, shared.plots)
}

fn fit_with(runs: &[ModelRun], fixed_repeats: bool, random_repeats: bool, plots: bool) -> Option<Fit> {
    let count = |of: fn(&ModelRun) -> usize| runs.iter().map(of).max().map_or(0, |last| last + 1);
    let (cells, repeats, strata) = (count(|run| run.cell), count(|run| run.repeat), count(|run| run.stratum));
    let columns = cells + if fixed_repeats { repeats.saturating_sub(1) } else { 0 };
    if runs.len() > MOST_RUNS || runs.len() <= columns {
        return None;
    }
    let design = Matrix::from_fn(runs.len(), columns, |row, column| {
        let run = runs.get(row);
        let is_one = run.is_some_and(|run| match column.checked_sub(cells) {
            None => run.cell == column,
            Some(repeat) => run.repeat == repeat + 1,
        });
        f64::from(u8::from(is_one))
    });
    let mut kernels: Vec<Kernel> = (0..strata).map(|stratum| Kernel::of_stratum(runs, stratum)).collect();
    kernels.extend(plots.then(|| Kernel::of(runs, |run| run.plot)));
    kernels.extend(random_repeats.then(|| Kernel::of(runs, |run| run.repeat)));
    let kinds = kernels.len();
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let start = start(runs, &design)?;
    let mut variances: Vec<f64> =
        (0..kinds).map(|kind| if kind < strata { start } else { start / 2.0 }).collect();
    for _ in 0..MOST_ROUNDS {
        let round = Round::new(&design, &kernels, &variances)?;
        let (score, information) = round.scoring(&kernels, &values);
        let step = information.solved(&score)?;
        let mut largest = 0.0_f64;
        for (variance, step) in variances.iter_mut().zip(step) {
            // A step must not leave what variances can be; it is tried again from nearer.
            let next = (*variance + step).max(*variance / 10.0).min(*variance * 10.0);
            largest = largest.max((next / *variance - 1.0).abs());
            *variance = next;
        }
        let of_runs = variances.iter().take(strata).copied().fold(f64::INFINITY, f64::min);
        let is_nothing = |at: usize| variances.get(at).is_some_and(|of| *of < LEAST_PART * of_runs);
        if plots && is_nothing(strata) {
            return fit_with(runs, fixed_repeats, random_repeats, false);
        }
        if random_repeats && is_nothing(kinds - 1) {
            return fit_with(runs, fixed_repeats, false, plots);
        }
        if largest < 1e-8 {
            break;
        }
    }
    let round = Round::new(&design, &kernels, &variances)?;
    let (_, information) = round.scoring(&kernels, &values);
    let estimates = round.estimates(&values);
    // Estimates are those of the first repeat: means are of all.
    let of_repeats: f64 = estimates.iter().skip(cells).sum::<f64>() / repeats.max(1) as f64;
    Some(Fit {
        means: estimates.into_iter().take(cells).map(|mean| mean + of_repeats).collect(),
        repeats,
        strata,
        plots: plots.then(|| variances.get(strata).copied()).flatten(),
        derivatives: kernels.iter().map(|kernel| round.derivative(kernel)).collect(),
        covariance: round.covariance,
        of_variances: information.inverse()?,
        variances,
    })
}

/// The variance of what ordinary least squares leaves.
fn start(runs: &[ModelRun], design: &Matrix) -> Option<f64> {
    let gram = design.transposed().times(design).inverse()?;
    let values: Vec<f64> = runs.iter().map(|run| run.value).collect();
    let estimates = gram.times_vector(&design.transposed().times_vector(&values));
    let fitted = design.times_vector(&estimates);
    let squares: f64 = values.iter().zip(fitted).map(|(value, fitted)| (value - fitted).powi(2)).sum();
    let variance = squares / (runs.len() - design.columns()) as f64;
    (variance > 1e-24).then_some(variance)
}

/// What a variance does to the covariance of runs: the groups of runs that share its error.
struct Kernel {
    groups: Vec<Vec<usize>>,
}

impl Kernel {
    fn of_stratum(runs: &[ModelRun], stratum: usize) -> Self {
        let mine = runs.iter().enumerate().filter(|(_, run)| run.stratum == stratum);
        Self { groups: mine.map(|(at, _)| vec![at]).collect() }
    }

    fn of(runs: &[ModelRun], group: impl Fn(&ModelRun) -> usize) -> Self {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (at, run) in runs.iter().enumerate() {
            groups.entry(group(run)).or_default().push(at);
        }
        Self { groups: groups.into_values().collect() }
    }

    /// The matrix with its rows summed over groups: the kernel times it.
    fn times(&self, matrix: &Matrix) -> Matrix {
        let mut product = Matrix::zero(matrix.rows(), matrix.columns());
        for group in &self.groups {
            for column in 0..matrix.columns() {
                let sum: f64 = group.iter().map(|row| matrix.at(*row, column)).sum();
                group.iter().for_each(|row| product.set(*row, column, sum));
            }
        }
        product
    }
}

/// The model at some variances.
struct Round {
    /// The inverse covariance of runs times the design.
    weighted: Matrix,
    /// The covariance of the estimates.
    covariance: Matrix,
    /// The inverse covariance of runs less what the design explains.
    rest: Matrix,
}

impl Round {
    fn new(design: &Matrix, kernels: &[Kernel], variances: &[f64]) -> Option<Self> {
        let runs = design.rows();
        let mut covariance = Matrix::zero(runs, runs);
        for (kernel, variance) in kernels.iter().zip(variances) {
            for group in &kernel.groups {
                for row in group {
                    group.iter().for_each(|column| covariance.add(*row, *column, *variance));
                }
            }
        }
        let inverse = covariance.inverse()?;
        let weighted = inverse.times(design);
        let covariance = design.transposed().times(&weighted).inverse()?;
        let explained = weighted.times(&covariance).times(&weighted.transposed());
        let rest =
            Matrix::from_fn(runs, runs, |row, column| inverse.at(row, column) - explained.at(row, column));
        Some(Self { weighted, covariance, rest })
    }

    /// The derivative of the restricted likelihood by the variances, and its expected curvature.
    fn scoring(&self, kernels: &[Kernel], values: &[f64]) -> (Vec<f64>, Matrix) {
        let products: Vec<Matrix> = kernels.iter().map(|kernel| kernel.times(&self.rest)).collect();
        let residual = self.rest.times_vector(values);
        let square = |kernel: &Kernel| -> f64 {
            let sum = |group: &Vec<usize>| group.iter().filter_map(|row| residual.get(*row)).sum::<f64>();
            kernel.groups.iter().map(|group| sum(group).powi(2)).sum()
        };
        let score =
            kernels.iter().zip(&products).map(|(kernel, product)| 0.5 * (square(kernel) - product.trace()));
        let score = score.collect();
        let information = Matrix::from_fn(kernels.len(), kernels.len(), |i, j| {
            products.get(i).zip(products.get(j)).map_or(0.0, |(a, b)| 0.5 * a.trace_of_product(b))
        });
        (score, information)
    }

    fn estimates(&self, values: &[f64]) -> Vec<f64> {
        self.covariance.times_vector(&self.weighted.transposed().times_vector(values))
    }

    /// The derivative of the estimates' covariance by a variance.
    fn derivative(&self, kernel: &Kernel) -> Matrix {
        let spread = self.weighted.times(&self.covariance);
        spread.transposed().times(&kernel.times(&spread))
    }
}
