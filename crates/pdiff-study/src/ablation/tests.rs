//! Attribution against arithmetic done in another way, and against known truth.

use pdiff_profile::PerSide;

use crate::{BenchmarkRun, RunMetric, RunsBuild, RunsTable, Setting};

use super::gaps::Gaps;
use super::shapley::shapley_weights;
use super::*;

/// A small generator with a fixed seed (SplitMix64, Steele et al. 2014) and normal deviates (Box and Muller 1958).
struct Random(u64);

/// The seed of every simulation here.
const SEED: u64 = 0x5eed_0f0d_a7a5;

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    fn normal(&mut self, sd: f64) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        sd * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

/// Two builds and five factors, the first of which the base lacks; any pair may interact.
struct Truth {
    main: [[f64; 5]; 2],
    pairs: [[f64; 25]; 2],
}

impl Truth {
    fn new(random: &mut Random) -> Self {
        let mut main = [[0.0; 5]; 2];
        let mut pairs = [[0.0; 25]; 2];
        for build in 0..2 {
            main[build].iter_mut().for_each(|value| *value = 0.2 + random.normal(0.2));
            pairs[build].iter_mut().for_each(|value| *value = random.normal(0.1));
        }
        Self { main, pairs }
    }

    fn log_tps(&self, build: usize, setting: Setting) -> f64 {
        let mut log = if build == 0 { 10.0 } else { 9.5 };
        for a in setting.factors() {
            log += self.main[build][a];
            log += setting.factors().filter(|b| *b > a).map(|b| self.pairs[build][a * 5 + b]).sum::<f64>();
        }
        log
    }

    fn log_gap(&self, setting: Setting) -> f64 {
        self.log_tps(1, setting) - self.log_tps(0, setting.without(0))
    }

    fn points(&self, setting: Setting) -> f64 {
        100.0 * self.log_gap(setting).exp_m1()
    }
}

fn build(name: &str, has: &[bool]) -> RunsBuild {
    RunsBuild { name: name.to_owned(), has: has.to_vec() }
}

fn table(factors: usize, builds: Vec<RunsBuild>, runs: Vec<BenchmarkRun>) -> RunsTable {
    let factors = ["W", "P", "B", "S", "F", "X"].iter().take(factors).map(ToString::to_string).collect();
    RunsTable { path: "runs.csv".to_owned(), metric: RunMetric::Tps, factors, builds, runs }
}

fn run(build: usize, setting: Setting, replicate: Option<usize>, throughput: f64) -> BenchmarkRun {
    let replicate = replicate.map(|repeat| repeat.to_string());
    BenchmarkRun { row: 1, build, setting, replicate, throughput, cost: None }
}

/// All settings of both builds, with `noise` added to the logarithm.
fn factorial(
    truth: &Truth,
    repeats: usize,
    mut noise: impl FnMut(usize, Setting, usize) -> f64,
) -> RunsTable {
    let mut runs = Vec::new();
    for repeat in 0..repeats {
        for (of, all) in [Setting(0b11110), Setting(0b11111)].into_iter().enumerate() {
            for setting in all.subsets() {
                let log = truth.log_tps(of, setting) + noise(of, setting, repeat);
                runs.push(run(of, setting, Some(repeat), log.exp()));
            }
        }
    }
    let builds = vec![build("5.7", &[false, true, true, true, true]), build("8.0", &[true; 5])];
    table(5, builds, runs)
}

fn settings() -> AttributeSettings {
    AttributeSettings { base: 0, target: 1, restart: Setting::BASELINE, masking: Vec::new() }
}

/// Shapley values by going through every order, with nothing shared with the code under test.
fn over_all_orders(value: &dyn Fn(Setting) -> f64, count: usize) -> Vec<f64> {
    fn visit(
        order: &mut Vec<usize>,
        count: usize,
        value: &dyn Fn(Setting) -> f64,
        sums: &mut [f64],
        orders: &mut f64,
    ) {
        if order.len() == count {
            *orders += 1.0;
            let mut setting = Setting::BASELINE;
            for factor in order.iter() {
                let next = setting.with(*factor);
                sums[*factor] += value(next) - value(setting);
                setting = next;
            }
            return;
        }
        for factor in 0..count {
            if !order.contains(&factor) {
                order.push(factor);
                visit(order, count, value, sums, orders);
                order.pop();
            }
        }
    }
    let (mut sums, mut orders) = (vec![0.0; count], 0.0);
    visit(&mut Vec::new(), count, value, &mut sums, &mut orders);
    assert_eq!(orders, (1..=count).product::<usize>() as f64);
    sums.into_iter().map(|sum| sum / orders).collect()
}

#[test]
fn shapley_values_agree_with_all_orders_and_sum_to_the_whole() {
    let mut random = Random(SEED);
    for _ in 0..20 {
        let truth = Truth::new(&mut random);
        let found = attribute(&factorial(&truth, 1, |_, _, _| 0.0), &settings()).unwrap();
        let shapley = found.shapley.unwrap();
        let logs = over_all_orders(&|setting| truth.log_gap(setting), 5);
        let points = over_all_orders(&|setting| truth.points(setting), 5);
        for (factor, effect) in &shapley.values {
            assert!((effect.log.value - logs[*factor]).abs() < 1e-9);
            assert!((effect.points.value - points[*factor]).abs() < 1e-9);
            assert!(effect.log.interval.is_none(), "one run a cell has no interval");
        }
        let sum: f64 = shapley.values.iter().map(|(_, effect)| effect.points.value).sum();
        assert!((sum - shapley.total.points.value).abs() < 1e-9);
        // In logarithms an interaction of pairs is what was put in, everywhere.
        for interaction in &found.interactions {
            let (a, b) = interaction.factors;
            let base = if a == 0 { 0.0 } else { truth.pairs[0][a * 5 + b] };
            let expected = truth.pairs[1][a * 5 + b] - base;
            assert!((interaction.effect.log.value - expected).abs() < 1e-9);
            assert_eq!(interaction.contexts, 8);
        }
    }
}

/// How often 95 % intervals hold the truth: of Shapley values in logarithms, in points, and of factors alone.
fn coverage(simulations: usize, plot_sd: f64, run_sd: f64, restart: Setting) -> [f64; 3] {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let exact = attribute(&factorial(&truth, 1, |_, _, _| 0.0), &settings()).unwrap();
    let exact_values = exact.shapley.unwrap().values;
    let mut hits = [(0u32, 0u32); 3];
    for _ in 0..simulations {
        let mut plots = std::collections::BTreeMap::new();
        let mut blocks = std::collections::BTreeMap::new();
        let noisy = factorial(&truth, 3, |of, setting, repeat| {
            let plot = (of, setting.intersection(Setting(0b00110)), repeat);
            let shared = *plots.entry(plot).or_insert_with(|| random.normal(plot_sd));
            let block = *blocks.entry(repeat).or_insert_with(|| random.normal(0.2));
            shared + block + random.normal(run_sd)
        });
        let gaps = Gaps::new(&noisy, PerSide::new(0, 1), restart).unwrap();
        let mut count = |at: usize, estimate: Estimate, truth: f64| {
            let (low, high) = estimate.interval.unwrap();
            hits[at].0 += u32::from(low <= truth && truth <= high);
            hits[at].1 += 1;
        };
        for (factor, exact) in &exact_values {
            let effect = gaps.sum(&shapley_weights(*factor, Setting(0b11111))).unwrap();
            count(0, effect.log, exact.log.value);
            count(1, effect.points, exact.points.value);
        }
        let alone = gaps.change(Setting(0), Setting(1)).unwrap();
        count(2, alone.log, truth.log_gap(Setting(1)) - truth.log_gap(Setting(0)));
        let alone = gaps.change(Setting(0), Setting(2)).unwrap();
        count(2, alone.log, truth.log_gap(Setting(2)) - truth.log_gap(Setting(0)));
    }
    hits.map(|(hits, of)| f64::from(hits) / f64::from(of))
}

#[test]
fn intervals_of_a_split_plot_hold_the_truth_95_times_in_100() {
    for (plot_sd, run_sd) in [(0.1, 0.1), (0.0, 0.15), (0.2, 0.05)] {
        for rate in coverage(200, plot_sd, run_sd, Setting(0b00110)) {
            assert!((0.93..=0.97).contains(&rate), "{plot_sd} {run_sd}: {rate}");
        }
    }
}

#[test]
fn a_restart_that_nobody_named_is_found() {
    let [shapley, points, alone] = coverage(100, 0.2, 0.05, Setting::BASELINE);
    // Taken as independent, 90 of 100 intervals in points hold the truth.
    assert!(shapley > 0.93 && points > 0.93 && alone > 0.93, "{shapley} {points} {alone}");
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let mut plots = std::collections::BTreeMap::new();
    let noisy = factorial(&truth, 3, |of, setting, repeat| {
        let plot = (of, setting.intersection(Setting(0b00110)), repeat);
        *plots.entry(plot).or_insert_with(|| random.normal(0.2)) + random.normal(0.05)
    });
    let unnamed = |restart: Setting| {
        let found = attribute(&noisy, &AttributeSettings { restart, ..settings() }).unwrap();
        let NoiseSource::Pooled { unnamed_restart, plots, .. } = found.noise else { panic!("runs repeat") };
        assert!(plots.is_some_and(|plots| (0.1..0.3).contains(&plots.sd)), "{plots:?}");
        unnamed_restart
    };
    assert_eq!(unnamed(Setting::BASELINE), Setting(0b00110));
    assert_eq!(unnamed(Setting(0b00110)), Setting::BASELINE, "what is named needs no finding");
}

#[test]
fn a_cell_of_a_build_that_lacks_the_factor_is_counted_once() {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let noisy = factorial(&truth, 3, |_, _, _| 0.0);
    let noisy = RunsTable {
        runs: noisy
            .runs
            .into_iter()
            .map(|run| {
                // Only the base is noisy.
                let factor = if run.build == 0 { random.normal(0.2).exp() } else { 1.0 };
                BenchmarkRun { throughput: run.throughput * factor, ..run }
            })
            .collect(),
        ..noisy
    };
    let found = attribute(&noisy, &settings()).unwrap();
    let width = |factor: usize| {
        let (low, high) = found.independent[factor].effect.unwrap().log.interval.unwrap();
        high - low
    };
    // W is in 8.0 only: the base's cell cancels, so two cells bear the noise instead of four.
    assert!((width(0) / width(1) - 0.5f64.sqrt()).abs() < 1e-9);
    // And its value is the target's own, exactly.
    let own = truth.log_tps(1, Setting::only(0)) - truth.log_tps(1, Setting::BASELINE);
    assert!((found.independent[0].effect.unwrap().log.value - own).abs() < 1e-9);
}

#[test]
fn swapped_builds_negate_logarithms() {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let table = factorial(&truth, 2, |_, _, _| random.normal(0.1));
    let forth = attribute(&table, &settings()).unwrap();
    let back = attribute(&table, &AttributeSettings { base: 1, target: 0, ..settings() }).unwrap();
    for (a, b) in forth.shapley.unwrap().values.iter().zip(&back.shapley.unwrap().values) {
        assert!((a.1.log.value + b.1.log.value).abs() < 1e-9);
    }
}

#[test]
fn what_is_not_measured_is_missing_and_not_made_up() {
    let builds = vec![build("5.7", &[true, true]), build("8.0", &[true, true])];
    let runs = vec![
        run(0, Setting(0), None, 100.0),
        run(1, Setting(0), None, 60.0),
        run(0, Setting(1), None, 110.0),
        run(1, Setting(1), None, 80.0),
        run(1, Setting(3), None, 90.0),
    ];
    let found = attribute(&table(2, builds, runs), &settings()).unwrap();
    assert!(found.shapley.is_none() && found.end.is_none() && found.together.is_none());
    assert!(found.cumulative[0].effect.is_some() && found.cumulative[1].effect.is_none());
    let missing: Vec<String> = found
        .missing
        .iter()
        .map(|run| format!("{} {} {}", run.build, run.setting, run.needed_for.as_str()))
        .collect();
    assert_eq!(missing, ["5.7 W=1 P=1 cumulative", "5.7 W=0 P=1 independent", "8.0 W=0 P=1 independent"]);
}

#[test]
fn a_sign_that_depends_is_told_from_one_that_noise_could_make() {
    // P closes the gap without W and opens it with W.
    let truth = |of: usize, setting: Setting| match (of, setting.0) {
        (1, 0b10) => 4.3,
        (1, 0b11) => 4.1,
        (1, 0b01) => 4.4,
        (1, _) => 4.0,
        _ => 4.5,
    };
    let mut random = Random(SEED);
    let mut check = |sd: f64, repeats: usize, expected: Sign| {
        let mut runs = Vec::new();
        for repeat in 0..repeats {
            for of in 0..2 {
                for setting in Setting(3).subsets() {
                    let log: f64 = truth(of, setting) + random.normal(sd);
                    runs.push(run(of, setting, Some(repeat), log.exp()));
                }
            }
        }
        let builds = vec![build("a", &[true, true]), build("b", &[true, true])];
        let found = attribute(&table(2, builds, runs), &settings()).unwrap();
        let range = found.ranges.iter().find(|range| range.factor == 1).unwrap();
        assert_eq!(range.sign, expected);
        assert_eq!((range.low.0, range.high.0), (Setting(1), Setting(0)));
    };
    check(0.0, 1, Sign::DependsAsMeasured);
    check(0.02, 4, Sign::Depends);
    check(0.15, 2, Sign::NotSettled);
}

fn shapley_width(table: &RunsTable) -> f64 {
    let values = attribute(table, &settings()).unwrap().shapley.unwrap().values;
    values.iter().map(|(_, effect)| effect.log.interval.map_or(f64::NAN, |(low, high)| high - low)).sum()
}

#[test]
fn a_run_that_is_missing_costs_hardly_any_width() {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let complete = factorial(&truth, 3, |_, _, repeat| 0.3 * repeat as f64 + random.normal(0.1));
    let mut table = complete.clone();
    let each = table.runs.len() / 3;
    [2 * each + 7, each + 30, 19].into_iter().for_each(|at| drop(table.runs.remove(at)));
    let found = attribute(&table, &settings()).unwrap();
    let NoiseSource::Pooled { blocks, left_out, weighted, .. } = found.noise else { panic!("runs repeat") };
    assert_eq!((blocks, left_out.len(), weighted), (Some(3), 0, true));
    let ratio = shapley_width(&table) / shapley_width(&complete);
    assert!((0.9..1.2).contains(&ratio), "{ratio}");
}

#[test]
fn one_missing_run_is_estimated_as_yates_does() {
    // Two cells a build, three repeats; the last run of the base is missing. In a complete table of blocks a missing run is
    // (cells x its cell's sum + blocks x its block's sum - total) / ((cells - 1) (blocks - 1)) (Yates 1933).
    let logs = [[4.0, 4.2, 4.5], [4.1, 4.4, 0.0], [3.8, 4.1, 4.3], [4.3, 4.4, 4.9]];
    let mut runs = Vec::new();
    for (cell, logs) in logs.iter().enumerate() {
        for (repeat, log) in logs.iter().enumerate().filter(|(_, log)| **log != 0.0) {
            runs.push(run(cell / 2, Setting(cell as u32 % 2), Some(repeat), f64::exp(*log)));
        }
    }
    let builds = vec![build("a", &[true]), build("b", &[true])];
    let found = attribute(&table(1, builds, runs), &settings()).unwrap();
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let block = logs.iter().map(|of_cell| of_cell[2]).sum::<f64>();
    let total = logs.iter().map(|of_cell| sum(of_cell)).sum::<f64>();
    let missing = (4.0 * sum(&logs[1]) + 3.0 * block - total) / 6.0;
    let means: Vec<f64> = logs.iter().map(|of_cell| sum(of_cell) / 3.0).collect();
    let expected = (means[3] - means[2]) - (means[1] + missing / 3.0 - means[0]);
    let effect = found.independent[0].effect.unwrap().log;
    assert!((effect.value - expected).abs() < 1e-9, "{} {expected}", effect.value);
}

#[test]
fn a_noisier_build_has_a_variance_of_its_own() {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let table = factorial(&truth, 3, |of, _, _| random.normal(if of == 1 { 0.2 } else { 0.05 }));
    let found = attribute(&table, &settings()).unwrap();
    let NoiseSource::Pooled { sd_of_builds: Some(PerSide { before: base, after: target }), .. } = found.noise
    else {
        panic!("{:?}", found.noise)
    };
    assert!((0.04..0.06).contains(&base) && (0.16..0.24).contains(&target), "{base} {target}");
    // W is the target's only, so its noise is that of two of the target's cells.
    let (low, high) = found.independent[0].effect.unwrap().log.interval.unwrap();
    let expected = 2.0 * 2.0 * target * (2.0_f64 / 3.0).sqrt();
    assert!(((high - low) / expected - 1.0).abs() < 0.05, "{} {expected}", high - low);
}

#[test]
fn repeats_that_builds_do_not_share_are_random() {
    let mut random = Random(SEED);
    let truth = Truth::new(&mut random);
    let mut blocks = std::collections::BTreeMap::new();
    let mut own = factorial(&truth, 3, |of, _, repeat| {
        *blocks.entry((of, repeat)).or_insert_with(|| random.normal(0.4)) + random.normal(0.05)
    });
    for run in &mut own.runs {
        run.replicate = run.replicate.take().map(|repeat| format!("{}-{repeat}", run.build));
    }
    let found = attribute(&own, &settings()).unwrap();
    let width = |estimate: Estimate| estimate.interval.map_or(f64::NAN, |(low, high)| high - low);
    // What repeats share cancels in effects, and does not in the gap itself.
    let (effect, gap) = (found.independent[0].effect.unwrap().log, found.baseline.unwrap().log);
    assert!(width(effect) < 0.2 && width(gap) > 0.5, "{} {}", width(effect), width(gap));
}

#[test]
fn a_fraction_gives_averages_and_names_what_they_cannot_be_told_from() {
    // Half of a factorial of three: C is on where A and B differ, so each stands for the pair of the others.
    let truth = |setting: Setting| {
        let sign = |factor| if setting.has(factor) { 1.0 } else { -1.0 };
        0.1 * sign(0) + 0.2 * sign(1) - 0.05 * sign(2)
    };
    let mut runs = Vec::new();
    for bits in [0b000, 0b101, 0b110, 0b011] {
        runs.push(run(0, Setting(bits), None, 100.0));
        runs.push(run(1, Setting(bits), None, 100.0 * f64::exp(truth(Setting(bits)))));
    }
    let builds = vec![build("a", &[true; 3]), build("b", &[true; 3])];
    let found = attribute(&table(3, builds, runs), &settings()).unwrap();
    assert!(found.shapley.is_none() && found.ranges.is_empty());
    let expected = [(0, 0.2, (1, 2)), (1, 0.4, (0, 2)), (2, -0.1, (0, 1))];
    assert_eq!(found.fraction.len(), 3);
    for (average, (factor, log, alias)) in found.fraction.iter().zip(expected) {
        assert_eq!((average.factor, &average.aliases), (factor, &vec![alias]));
        assert!((average.effect.log.value - log).abs() < 1e-9);
    }
    // One factor at a time is no fraction: nothing is averaged there.
    let lone =
        [0, 1, 2, 4].map(|bits| [run(0, Setting(bits), None, 100.0), run(1, Setting(bits), None, 70.0)]);
    let builds = vec![build("a", &[true; 3]), build("b", &[true; 3])];
    assert!(attribute(&table(3, builds, lone.concat()), &settings()).unwrap().fraction.is_empty());
}

#[test]
fn a_ceiling_is_claimed_only_where_runs_show_it() {
    // X gives nothing while F is off, and 10 % when it is on.
    let mut random = Random(SEED);
    let mut masked = |sd: f64, repeats: usize| {
        let mut runs = Vec::new();
        for repeat in 0..repeats {
            for setting in Setting(3).subsets() {
                runs.push(run(0, setting.without(1), Some(repeat), random.normal(sd).exp()));
                let log = if setting.0 == 3 { 0.1 } else { 0.0 };
                runs.push(run(1, setting, Some(repeat), (log + random.normal(sd)).exp()));
            }
        }
        // The base lacks X: its two cells stand twice above, so every second one goes.
        let mut seen = std::collections::BTreeSet::new();
        runs.retain(|run| seen.insert((run.build, run.setting, run.replicate.clone())));
        let builds = vec![build("a", &[true, false]), build("b", &[true, true])];
        let asked = AttributeSettings { masking: vec![(1, 0)], ..settings() };
        attribute(&table(2, builds, runs), &asked).unwrap().masking.remove(0)
    };
    let clear = masked(0.005, 4);
    assert!(clear.difference.log.is_beyond_noise() && clear.under.log.value.abs() < 0.03);
    assert!((clear.difference.log.value - 0.1).abs() < 0.02);
    assert!(!masked(0.2, 3).difference.log.is_beyond_noise());
    assert!(masked(0.0, 1).difference.log.interval.is_none());
}
