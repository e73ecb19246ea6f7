//! The stage: from rows to a judgement of each.

use std::borrow::Cow;
use std::sync::Arc;

use pdiff_profile::PerSide;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::detectable::{Detectable, RowSensitivity, Sensitivity, SideSize, Unsolved};
use super::drift::find_drift;
use super::fdr::{Tested, Weighing, q_values_above_floor};
use super::hosts::count_of_units;
use super::input::{Denominator, Floor, MIN_SAMPLES, NoiseSettings, Row};
use super::judgement::{Judgement, Method, RowNoise, RunVariation, Test, Untested};
use super::model::{Lent, RunModel};
use super::phases::find_phased;
use super::side::SideShare;
use super::spread::residual_df;
use super::student::critical_t;

/// Level of the printed intervals: 95 %.
const INTERVAL_ALPHA: f64 = 0.05;

/// Events that a Poisson count of zero may hide, at 95 %: -ln 0.05 ("rule of three").
const ZERO_BOUND_SAMPLES: f64 = 3.0;

/// Fewer rows are not worth a worker of their own.
const ROWS_OF_A_WORKER: usize = 256;

/// So many rows are judged at once, and what is needed of those that were tested is put aside.
const ROWS_AT_ONCE: usize = 1 << 12;

/// Judges every row: is the change of its share more than noise?
///
/// The output has one entry per row, in their order. Swapping the sides negates every change and leaves every p-value
/// unchanged, and a side against itself has p = 1 throughout.
///
/// ```
/// use pdiff_analysis::noise::{Denominator, NoiseSettings, Row, RowRun, RunBlocks, judge};
///
/// let n = [1000.0; 15]; // the denominator's weight in 15 blocks of a second
/// let all = RunBlocks::from_blocks(&n, 15_000);
/// let hot = |w: f64| RowRun::from_blocks(&[w; 15], &n, 15 * w as u64);
/// let rows = [
///     Row { denominator: 0, before: vec![hot(20.0)], after: vec![hot(60.0)] },
///     Row { denominator: 0, before: vec![hot(50.0)], after: vec![hot(51.0)] },
/// ];
/// let judgement = judge(&[Denominator { before: vec![all], after: vec![all] }], &rows, &NoiseSettings::default());
/// assert!((judgement.rows[0].delta_pp - 4.0).abs() < 1e-9);
/// assert!(judgement.rows[0].significant && !judgement.rows[1].significant);
/// ```
pub fn judge(denominators: &[Denominator], rows: &[Row], settings: &NoiseSettings) -> Judgement {
    judge_each(denominators, rows.len(), |row| Cow::Borrowed(&rows[row]), settings)
}

/// The same for rows that are made when they are asked for, which is more than once: hundreds of thousands of them need not
/// be in memory together.
pub(super) fn judge_each<'a>(
    denominators: &[Denominator],
    count: usize,
    row: impl Fn(usize) -> Cow<'a, Row> + Sync,
    settings: &NoiseSettings,
) -> Judgement {
    let mut rows = vec![RowNoise::default(); count];
    let settle = |row: &mut RowNoise, settled: Settled| {
        (row.test, row.significant) = (settled.test, settled.significant);
        (row.selected_interval_pp, row.detectable) = (settled.selected_interval_pp, settled.detectable);
    };
    let judgement = judge_in(denominators, &mut rows, row, settings, |row, noise| *row = noise, settle);
    Judgement { rows, ..judgement }
}

/// What the other rows' p-values say about a row.
pub(crate) struct Settled {
    /// The test with its q-value.
    pub(crate) test: Test,
    /// As in [`RowNoise`].
    pub(crate) significant: bool,
    /// As in [`RowNoise`].
    pub(crate) selected_interval_pp: Option<Box<(f64, f64)>>,
    /// As in [`RowNoise`].
    pub(crate) detectable: Detectable,
}

/// The same for places that keep less of a row than [`RowNoise`]: `keep` takes what the row alone says, and then `settle` what
/// the other rows say about it, if it was tested. The judgement has no rows.
pub(crate) fn judge_in<'a, P: Send>(
    denominators: &[Denominator],
    places: &mut [P],
    row: impl Fn(usize) -> Cow<'a, Row> + Sync,
    settings: &NoiseSettings,
    keep: impl Fn(&mut P, RowNoise) + Sync,
    settle: impl Fn(&mut P, Settled),
) -> Judgement {
    let method = if denominators.iter().any(has_replicates) { Method::Replicates } else { Method::SingleRun };
    let count = places.len();
    let sides = |index: usize| {
        let row = row(index);
        (row.denominator, sides_of(&row, denominators))
    };
    // Replicates tell of one row what holds for others. With one run per side each row is judged alone, and nothing is kept.
    let kept: Vec<(usize, PerSide<SideShare>)> = match method {
        Method::SingleRun => Vec::new(),
        Method::Replicates => (0..count).into_par_iter().with_min_len(ROWS_OF_A_WORKER).map(sides).collect(),
    };
    let tested = || kept.iter().map(|(_, row)| *row).filter(|row| untested(row).is_none());
    let model = match method {
        Method::SingleRun => RunModel::single_run(settings.single_run_cv()),
        Method::Replicates => {
            let rows = tested().map(|row| row.map(SideShare::with_averaged_within));
            RunModel::fit(&rows.collect::<Vec<_>>(), settings.prior_cv())
        }
    };
    let judge_alone = |quantiles: &mut Quantiles, (index, place): (usize, &mut P)| {
        let (denominator, row) = kept.get(index).copied().unwrap_or_else(|| sides(index));
        let (noise, sensitivity) = judge_row(denominator, &row, &model, &settings.floor, quantiles);
        let tested = noise.test.p().map(|p| JudgedAlone::new(index, p, &noise, sensitivity));
        keep(place, noise);
        tested
    };
    let mut judged: Vec<Box<[JudgedAlone]>> = Vec::new();
    for (part, places) in places.chunks_mut(ROWS_AT_ONCE).enumerate() {
        let each = places.par_iter_mut().enumerate().with_min_len(ROWS_OF_A_WORKER);
        let each = each.map(|(index, place)| (part * ROWS_AT_ONCE + index, place));
        let of_part: Vec<Option<JudgedAlone>> = each.map_init(Quantiles::default, judge_alone).collect();
        judged.push(of_part.into_iter().flatten().collect());
    }
    let tests = judged.iter().map(|part| part.len()).sum::<usize>();
    let alpha = settings.false_discovery_rate / tests.max(1) as f64;
    let level = Level { alpha, floor: settings.floor };
    let weighing = weighing(&judged, &settings.floor);
    let sensitivities = sensitivities(denominators, &judged, &model, level, weighing);
    let settled = correct_for_many_tests(&judged, &sensitivities, settings, weighing);
    judged
        .iter()
        .flatten()
        .zip(settled)
        .for_each(|(row, settled)| settle(&mut places[row.index as usize], settled));
    Judgement {
        run_variation: run_variation(method, &model, tested()),
        sensitivities,
        rows: Vec::new(),
        method,
        tests,
        q_threshold: settings.false_discovery_rate,
        assumed_dispersion: denominators.iter().any(lacks_blocks),
        drifting: find_drift(denominators, (0..count).map(row)),
        phased: find_phased(kept.iter().map(|(_, row)| row)),
    }
}

/// The tested rows in parts, for together they are too many to be moved. Often they are few: of many rows most have few samples.
type TestedRows = [Box<[JudgedAlone]>];

/// What is needed of a tested row to judge all of them together.
struct JudgedAlone {
    /// Its number among all rows.
    index: u32,
    denominator: u32,
    floor_passed: bool,
    p: f64,
    floor_p: f64,
    middle_pct: f64,
    delta_pp: f64,
    se_pp: f64,
    degrees_of_freedom: f64,
    dispersion: f64,
    /// How it differs from the typical row of its denominator.
    sensitivity: RowSensitivity,
}

/// The limits that a change must pass to be a finding, whatever the other rows do.
#[derive(Clone, Copy)]
struct Level {
    /// Level of a single test.
    alpha: f64,
    floor: Floor,
}

fn sides_of(row: &Row, denominators: &[Denominator]) -> PerSide<SideShare> {
    let nothing = Denominator::default();
    let denominator = denominators.get(row.denominator).unwrap_or(&nothing);
    SideShare::of_row(row, denominator)
}

fn has_replicates(denominator: &Denominator) -> bool {
    count_of_units(&denominator.before) > 1 || count_of_units(&denominator.after) > 1
}

fn lacks_blocks(denominator: &Denominator) -> bool {
    let mut runs = denominator.before.iter().chain(&denominator.after);
    runs.any(|run| run.total > 0.0 && run.blocks < 2)
}

fn untested(PerSide { before, after }: &PerSide<SideShare>) -> Option<Untested> {
    if !before.has_share() || !after.has_share() {
        Some(Untested::NoDenominator)
    } else if before.samples.max(after.samples) < MIN_SAMPLES {
        Some(Untested::FewSamples)
    } else {
        None
    }
}

/// The quantiles of printed intervals by degrees of freedom, which many rows of few samples have in common.
#[derive(Default)]
struct Quantiles(FxHashMap<u64, f64>);

impl Quantiles {
    fn at(&mut self, df: f64) -> f64 {
        *self.0.entry(df.to_bits()).or_insert_with(|| critical_t(INTERVAL_ALPHA, df))
    }
}

/// Everything about a row but what depends on the other rows' p-values.
fn judge_row(
    denominator: usize,
    row: &PerSide<SideShare>,
    model: &RunModel,
    floor: &Floor,
    quantiles: &mut Quantiles,
) -> (RowNoise, RowSensitivity) {
    let PerSide { before, after } = row;
    let mixture = model.mixture(row);
    let error = model.standard_error(row, &mixture);
    let delta_pp = 100.0 * (after.share - before.share);
    let se_pp = 100.0 * error.value;
    let half = if se_pp > 0.0 { quantiles.at(error.df) * se_pp } else { 0.0 };
    let dispersion = dispersion(row);
    let larger_pct = 100.0 * before.share.max(after.share);
    let (test, floor_p) = match untested(row) {
        Some(reason) => (Test::Untested(reason), 0.0),
        None => {
            let p = mixture.p(after.share - before.share);
            (Test::Tested { p, q: p }, mixture.p(floor.least_pp(larger_pct) / 100.0))
        }
    };
    let noise = RowNoise {
        denominator: denominator as u32,
        before_pct: 100.0 * before.share,
        after_pct: 100.0 * after.share,
        delta_pp,
        se_pp,
        degrees_of_freedom: error.df,
        ci_low_pp: delta_pp - half,
        ci_high_pp: delta_pp + half,
        test,
        significant: false,
        selected_interval_pp: None,
        floor_passed: floor.passes(delta_pp, larger_pct),
        floor_p,
        detectable: Detectable::default(),
        dispersion,
        bounds_pct: zero_bounds_pct(row, dispersion),
    };
    let sensitivity = RowSensitivity {
        dispersion: between_runs(dispersion, error.alike),
        scale: error.scale,
        residual_df: residual_df(row),
        within_df: PerSide::new(before.within_df, after.within_df),
    };
    (noise, sensitivity)
}

/// Variance within runs over that of independent samples; 1 where there is nothing to tell.
fn dispersion(PerSide { before, after }: &PerSide<SideShare>) -> f64 {
    let ratio = (before.within + after.within) / (before.sampling + after.sampling);
    if ratio.is_finite() { ratio } else { 1.0 }
}

/// The part of the dispersion within runs that counts between them, if phases are alike with the chance `alike`.
fn between_runs(dispersion: f64, alike: f64) -> f64 {
    alike + (1.0 - alike) * dispersion
}

/// The largest share that a row without samples may still have on a side, in percent; `None` if no side is without.
fn zero_bounds_pct(row: &PerSide<SideShare>, dispersion: f64) -> Option<Box<PerSide<Option<f64>>>> {
    let bounds = row.as_ref().map(|side| {
        let bound = ZERO_BOUND_SAMPLES * dispersion.max(1.0) / side.denominator_samples.max(1) as f64;
        (side.has_share() && side.samples == 0).then(|| 100.0 * bound.min(1.0))
    });
    bounds.values().any(Option::is_some).then(|| Box::new(bounds))
}

fn weighing(rows: &TestedRows, floor: &Floor) -> Weighing {
    Weighing::new(floor, rows.iter().flatten().map(|row| row.middle_pct))
}

/// The q-value, significance and interval of each tested row. Rows that are picked as significant have intervals that contain the truth
/// in 95 % of the rows picked: of m rows tested and R picked, each at the level 1 - 0.05 R / m (Benjamini and Yekutieli 2005, J. Am.
/// Stat. Assoc. 100:71).
fn correct_for_many_tests<'a>(
    rows: &'a TestedRows,
    sensitivities: &'a [Arc<Sensitivity>],
    settings: &NoiseSettings,
    weighing: Weighing,
) -> impl Iterator<Item = Settled> + 'a {
    let tested: Vec<Tested> = rows.iter().flatten().map(|row| row.tested(weighing)).collect();
    let q_values = q_values_above_floor(&tested);
    drop(tested);
    let rate = settings.false_discovery_rate;
    let passing = rows.iter().flatten().zip(&q_values);
    let picked = passing.filter(|(row, q)| row.floor_passed && **q <= rate).count();
    let alpha = INTERVAL_ALPHA * picked as f64 / q_values.len().max(1) as f64;
    rows.iter().flatten().zip(q_values).map(move |(row, q)| {
        let significant = row.floor_passed && q <= rate;
        let selected_interval_pp = (significant && row.se_pp > 0.0).then(|| {
            let half = critical_t(alpha, row.degrees_of_freedom) * row.se_pp;
            Box::new((row.delta_pp - half, row.delta_pp + half))
        });
        let detectable = row.detectable(sensitivities);
        Settled { test: Test::Tested { p: row.p, q }, significant, selected_interval_pp, detectable }
    })
}

impl JudgedAlone {
    fn new(index: usize, p: f64, noise: &RowNoise, sensitivity: RowSensitivity) -> Self {
        Self {
            index: index as u32,
            denominator: noise.denominator,
            floor_passed: noise.floor_passed,
            p,
            floor_p: noise.floor_p,
            middle_pct: 0.5 * (noise.before_pct + noise.after_pct),
            delta_pp: noise.delta_pp,
            se_pp: noise.se_pp,
            degrees_of_freedom: noise.degrees_of_freedom,
            dispersion: noise.dispersion,
            sensitivity,
        }
    }

    /// The smallest growth that would have been found, not solved yet.
    fn detectable(&self, sensitivities: &[Arc<Sensitivity>]) -> Detectable {
        let typical = sensitivities.get(self.denominator as usize);
        typical.map_or_else(Detectable::default, |typical| {
            let (row, share_pct) = (self.sensitivity, self.middle_pct);
            Detectable::Unsolved(Box::new(Unsolved { typical: Arc::clone(typical), row, share_pct }))
        })
    }

    fn tested(&self, weighing: Weighing) -> Tested {
        let weight = weighing.weight(self.middle_pct);
        Tested { p: self.p, floor_p: self.floor_p, passes: self.floor_passed, weight }
    }
}

fn run_variation(
    method: Method,
    model: &RunModel,
    tested: impl Iterator<Item = PerSide<SideShare>>,
) -> RunVariation {
    let cv = model.cv2.sqrt();
    match method {
        Method::SingleRun => RunVariation::Assumed { cv },
        Method::Replicates => RunVariation::Measured {
            cv,
            assumed_part: model.assumed_part,
            spread: match model.lent {
                Lent::Spread(spread) => spread.of_cvs,
                Lent::Nothing => 0.0,
            },
            residual_df: tested.map(|row| residual_df(&row)).fold(0.0, f64::max),
        },
    }
}

/// The smallest detectable changes for each denominator, for a row of typical dispersion.
fn sensitivities(
    denominators: &[Denominator],
    rows: &TestedRows,
    model: &RunModel,
    level: Level,
    weighing: Weighing,
) -> Vec<Arc<Sensitivity>> {
    let mut dispersions: Vec<(Vec<f64>, f64)> = vec![(Vec::new(), 0.0); denominators.len()];
    for row in rows.iter().flatten() {
        if let Some((of_denominator, residual_df)) = dispersions.get_mut(row.denominator as usize) {
            of_denominator.push(row.dispersion);
            *residual_df = row.sensitivity.residual_df.max(*residual_df);
        }
    }
    let empty = |index| Row { denominator: index, ..Row::default() };
    let typical = dispersions.into_iter().enumerate();
    typical
        .map(|(index, (dispersions, residual_df))| {
            let sides = sides_of(&empty(index), denominators);
            let typical = sensitivity(&sides, model, median(dispersions), level);
            Arc::new(Sensitivity { weighing, residual_df, ..typical })
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(1.0)
}

fn sensitivity(row: &PerSide<SideShare>, model: &RunModel, dispersion: f64, level: Level) -> Sensitivity {
    let size = |side: &SideShare| SideSize {
        runs: side.runs,
        samples_per_run: side.denominator_samples as f64 / side.runs.max(1.0),
        within_df: side.within_df,
    };
    let PerSide { before, after } = row;
    Sensitivity {
        before: size(before),
        after: size(after),
        dispersion,
        alpha: level.alpha,
        floor: level.floor,
        scale: 1.0,
        residual_df: 0.0,
        weighing: Weighing::new(&level.floor, std::iter::empty()),
        model: *model,
    }
}
