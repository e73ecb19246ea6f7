//! From runs to an attribution: all its tables, and the values that could not be computed.
//!
//! Cost: settings times factors for Shapley values, times factors again for interactions; at 16 factors that is below ten
//! million sums. Values that were not measured are never filled in.

use pdiff_profile::{PerSide, Side};
use std::collections::BTreeSet;

use crate::{RunsTable, Setting};

use super::attribution::{
    AttributeSettings, Attribution, BuildEffect, Design, Factor, Interaction, Masking, MissingRun, Need,
    NoiseSource, Plots, Scale, Shapley, Step, Together,
};
use super::cells::Blocks;
use super::fraction::fraction_averages;
use super::gaps::{Gaps, Weights, weights_of_pairs};
use super::ranges::ranges;
use super::shapley::shapley_weights;

/// Missing runs that are listed; more are counted.
const MOST_MISSING: usize = 64;

/// Attributes the gap between two builds of a table to its factors. `None` if one of the builds has no run.
///
/// ```
/// use pdiff_study::ablation::{AttributeSettings, attribute};
/// use pdiff_study::{BenchmarkRun, RunMetric, RunsBuild, RunsTable, Setting};
/// let run = |build, bits, throughput| BenchmarkRun {
///     row: 1, build, setting: Setting(bits), replicate: None, throughput, cost: None,
/// };
/// let build = |name: &str| RunsBuild { name: name.into(), has: vec![true] };
/// let table = RunsTable {
///     path: "runs.csv".into(), metric: RunMetric::Tps, factors: vec!["log".into()],
///     builds: vec![build("5.7"), build("8.0")],
///     runs: vec![run(0, 0, 100.0), run(1, 0, 68.0), run(0, 1, 150.0), run(1, 1, 120.0)],
/// };
/// let settings =
///     AttributeSettings { base: 0, target: 1, restart: Setting::BASELINE, masking: Vec::new() };
/// let found = attribute(&table, &settings).unwrap();
/// assert!((found.independent[0].effect.unwrap().points.value - 12.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn attribute(table: &RunsTable, settings: &AttributeSettings) -> Option<Attribution> {
    let builds = PerSide::new(settings.base, settings.target);
    let PerSide { before: base, after: target } = builds.map(|build| table.builds.get(build)).both()?;
    let gaps = Gaps::new(table, builds, settings.restart)?;
    if gaps.throughput.count(Side::Before) == 0 || gaps.throughput.count(Side::After) == 0 {
        return None;
    }
    let has = builds.map(|build| table.factors_of(build));
    let count = table.factors.len();
    let all = has.before.union(has.after);
    let measured = gaps.throughput.settings();
    let core = all.factors().filter(|factor| gaps.is_measured(Setting::only(*factor)));
    let core = core.fold(Setting::BASELINE, Setting::with);
    let core = if gaps.is_measured(Setting::BASELINE) { core } else { Setting::BASELINE };
    let is_full = core.count() > 1 && core.subsets().all(|setting| measured.contains(&setting));
    let cumulative: Vec<Step> =
        all.factors().map(|factor| step(&gaps, factor, Setting::first(factor).intersection(all))).collect();
    let independent: Vec<Step> = all.factors().map(|factor| step(&gaps, factor, Setting::BASELINE)).collect();
    let design = Design {
        runs: table.runs.iter().filter(|run| builds.values().any(|build| *build == run.build)).count(),
        cells: (gaps.throughput.count(Side::Before), gaps.throughput.count(Side::After)),
        settings: measured.len(),
        possible: 1 << all.count(),
        has_path: cumulative.iter().all(|step| step.effect.is_some()),
        has_each_alone: independent.iter().all(|step| step.effect.is_some()),
        core,
        is_full,
    };
    let factor = |(at, name): (usize, &String)| Factor {
        name: name.clone(),
        in_base: has.before.has(at),
        in_target: has.after.has(at),
        restart: settings.restart.has(at),
        from_baseline: core.has(at),
    };
    let (missing, missing_count) = missing(table, builds, &gaps, &design, all, count);
    Some(Attribution {
        path: table.path.clone(),
        metric: table.metric,
        base: base.name.clone(),
        target: target.name.clone(),
        factors: table.factors.iter().enumerate().map(factor).collect(),
        noise: noise_source(&gaps),
        baseline: gaps.at(Setting::BASELINE),
        end: gaps.at(all),
        shapley: is_full.then(|| shapley(&gaps, core)).flatten(),
        fraction: if is_full { Vec::new() } else { fraction_averages(&gaps, &measured, all) },
        ranges: ranges(&gaps, &measured, all),
        interactions: interactions(&gaps, &measured, all),
        together: together(&gaps, all, &cumulative, &independent),
        builds: build_effects(&gaps, all, has, &cumulative),
        masking: masking(&gaps, &measured, all, core, &settings.masking),
        design,
        cumulative,
        independent,
        missing,
        missing_count,
    })
}

fn step(gaps: &Gaps, factor: usize, from: Setting) -> Step {
    let to = from.with(factor);
    Step { factor, from, gap: gaps.at(to), effect: gaps.change(from, to) }
}

fn noise_source(gaps: &Gaps) -> NoiseSource {
    let noise = &gaps.throughput.noise;
    let Some(within) = noise.within else { return NoiseSource::None };
    let plots = noise.of_plots().map(|of| Plots { sd: of.variance.sqrt(), df: of.df });
    let (blocks, left_out) = match &noise.blocks {
        Blocks::Complete { repeats, left_out } => (Some(*repeats), left_out.clone()),
        Blocks::Fitted { repeats } => (Some(*repeats), Vec::new()),
        Blocks::None | Blocks::Unbalanced => (None, Vec::new()),
    };
    NoiseSource::Pooled {
        sd: within.variance.sqrt(),
        df: within.df,
        plots,
        blocks,
        left_out,
        weighted: noise.fit.is_some(),
        sd_of_builds: noise.of_builds.map(|variances| variances.map(f64::sqrt)),
        unnamed_restart: noise.unnamed_restart,
    }
}

fn shapley(gaps: &Gaps, core: Setting) -> Option<Shapley> {
    let value = |factor| Some((factor, gaps.sum(&shapley_weights(factor, core))?));
    Some(Shapley {
        core,
        values: core.factors().map(value).collect::<Option<_>>()?,
        total: gaps.change(Setting::BASELINE, core)?,
    })
}

/// Settings of the others under which all four combinations of two factors were measured.
fn squares(measured: &BTreeSet<Setting>, first: usize, second: usize) -> Vec<Setting> {
    let both = |setting: &&Setting| !setting.has(first) && !setting.has(second);
    let four = |setting: &&Setting| {
        let (one, other) = (setting.with(first), setting.with(second));
        [one, other, one.with(second)].iter().all(|corner| measured.contains(corner))
    };
    measured.iter().filter(both).filter(four).copied().collect()
}

fn interaction_weights(first: usize, second: usize, contexts: &[Setting]) -> Weights {
    let each = 1.0 / contexts.len() as f64;
    let corners = |setting: &Setting| {
        let (one, other) = (setting.with(first), setting.with(second));
        [(one.with(second), each), (one, -each), (other, -each), (*setting, each)]
    };
    contexts.iter().flat_map(corners).collect()
}

fn interactions(gaps: &Gaps, measured: &BTreeSet<Setting>, all: Setting) -> Vec<Interaction> {
    let mut found = Vec::new();
    for first in all.factors() {
        for second in all.factors().filter(|second| *second > first) {
            let contexts = squares(measured, first, second);
            if contexts.is_empty() {
                continue;
            }
            let Some(effect) = gaps.sum(&interaction_weights(first, second, &contexts)) else { continue };
            found.push(Interaction {
                factors: (first, second),
                contexts: contexts.len(),
                at_baseline: gaps.sum(&interaction_weights(first, second, &[Setting::BASELINE])),
                scale: Scale::of(&effect),
                effect,
            });
        }
    }
    found
}

/// The whole against the sum of the factors' own effects.
fn together(gaps: &Gaps, all: Setting, cumulative: &[Step], independent: &[Step]) -> Option<Together> {
    let mut own: Weights = Vec::new();
    let mut at_place = Vec::new();
    for (alone, placed) in independent.iter().zip(cumulative) {
        let used = match (&alone.effect, &placed.effect) {
            (Some(_), _) => alone,
            (None, Some(_)) => {
                at_place.push(alone.factor);
                placed
            }
            (None, None) => return None,
        };
        own.extend([(used.from, -1.0), (used.from.with(used.factor), 1.0)]);
    }
    let mut rest = vec![(all, 1.0), (Setting::BASELINE, -1.0)];
    rest.extend(own.iter().map(|(setting, weight)| (*setting, -weight)));
    let interaction = gaps.sum(&rest)?;
    Some(Together { scale: Scale::of(&interaction), interaction, sum: gaps.sum(&own)?, at_place })
}

fn build_effects(gaps: &Gaps, all: Setting, has: PerSide<Setting>, cumulative: &[Step]) -> Vec<BuildEffect> {
    let of = |factor: usize, pairs: &dyn Fn(Side) -> Vec<(Setting, Setting)>| {
        PerSide::from_fn(|build| {
            let own = has[build].has(factor);
            own.then(|| gaps.of_build(build, &pairs(build))).flatten()
        })
    };
    let effect = |step: &Step| {
        let factor = step.factor;
        let from = |setting: Setting| vec![(setting, setting.with(factor))];
        let everywhere = |build: Side| {
            let others = has[build].intersection(all).without(factor);
            others.subsets().flat_map(from).collect()
        };
        BuildEffect {
            factor,
            alone: of(factor, &|_| from(Setting::BASELINE)),
            at_place: of(factor, &|_| from(step.from)),
            overall: of(factor, &everywhere),
        }
    };
    cumulative.iter().map(effect).collect()
}

/// What was asked for, and every factor that was measured in corners only, under both levels of another.
fn masking(
    gaps: &Gaps,
    measured: &BTreeSet<Setting>,
    all: Setting,
    core: Setting,
    asked: &[(usize, usize)],
) -> Vec<Masking> {
    let conditional = all.factors().filter(|factor| !core.has(*factor));
    let found = conditional.flat_map(|factor| {
        all.factors().filter(move |other| *other != factor).map(move |other| (factor, other))
    });
    let mut pairs: Vec<(usize, usize)> = asked.to_vec();
    for pair in found {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let one = |(factor, ceiling): (usize, usize)| {
        let contexts = squares(measured, factor, ceiling);
        if contexts.is_empty() {
            return None;
        }
        let under: Vec<_> = contexts.iter().map(|setting| (*setting, setting.with(factor))).collect();
        let lifted: Vec<_> = under.iter().map(|(from, to)| (from.with(ceiling), to.with(ceiling))).collect();
        Some(Masking {
            factor,
            ceiling,
            under: gaps.sum(&weights_of_pairs(&under))?,
            lifted: gaps.sum(&weights_of_pairs(&lifted))?,
            difference: gaps.sum(&interaction_weights(factor, ceiling, &contexts))?,
            of_target: [gaps.of_build(Side::After, &under), gaps.of_build(Side::After, &lifted)],
            contexts,
        })
    };
    pairs.into_iter().filter_map(one).collect()
}

fn missing(
    table: &RunsTable,
    builds: PerSide<usize>,
    gaps: &Gaps,
    design: &Design,
    all: Setting,
    count: usize,
) -> (Vec<MissingRun>, usize) {
    let path = (0..=count).map(|step| (Setting::first(step).intersection(all), Need::Cumulative));
    let alone = std::iter::once((Setting::BASELINE, Need::Independent))
        .chain(all.factors().map(|factor| (Setting::only(factor), Need::Independent)));
    let core = if design.is_full { Setting::BASELINE } else { design.core };
    let orders = core.subsets().map(|setting| (setting, Need::Shapley));
    let mut seen = BTreeSet::new();
    let mut runs = Vec::new();
    for (setting, need) in path.chain(alone).chain(orders) {
        for (of, build) in builds {
            let own = gaps.throughput.own(of, setting);
            if gaps.throughput.is_measured(of, setting) || !seen.insert((of, own)) {
                continue;
            }
            if runs.len() < MOST_MISSING {
                runs.push(MissingRun {
                    build: table.builds.get(build).map_or_else(String::new, |build| build.name.clone()),
                    setting: table.describe(own, table.factors_of(build)),
                    needed_for: need,
                });
            }
        }
    }
    (runs, seen.len())
}
