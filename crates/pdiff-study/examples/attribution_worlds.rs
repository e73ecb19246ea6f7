//! How often the 95 % intervals of `pdiff attribute` hold the truth in simulated factorials, and how wide they are.
//!
//! ```text
//! cargo run --release -p pdiff-study --example attribution_worlds -- [--worlds 300] [--seed 1]
//! ```
//!
//! Two builds and four factors, the first of which the base lacks; three repeats. Main effects and interactions of pairs are
//! random and differ by build. A rate of p in n worlds has a standard error of sqrt(p (1 - p) / n); intervals of one world are
//! not independent, so the table counts worlds' mean rates.

#[path = "../../pdiff-analysis/tests/support/random.rs"]
#[expect(dead_code, reason = "comparisons draw other numbers, too")]
mod random;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::ExitCode;

use pdiff_study::ablation::{AttributeSettings, Attribution, Effect, NoiseSource, attribute};
use pdiff_study::{BenchmarkRun, RunMetric, RunsBuild, RunsTable, Setting};
use random::Rng;

const FACTORS: usize = 4;
const HAS: [Setting; 2] = [Setting(0b1110), Setting(0b1111)];
const RESTART: Setting = Setting(0b0110);
const REPEATS: usize = 3;

/// How runs are made, and which of them are missing.
#[derive(Clone, Copy)]
struct World {
    name: &'static str,
    /// Standard deviations of logarithms: of runs of both builds, of plots, and of repeats.
    runs: [f64; 2],
    plots: f64,
    repeats: f64,
    missing: Missing,
    restart: Setting,
}

#[derive(Clone, Copy, PartialEq)]
enum Missing {
    Nothing,
    /// In each repeat one run, of another cell.
    OnePerRepeat,
    /// The builds were measured in repeats of their own.
    SharedRepeats,
}

const COMPLETE: World = World {
    name: "complete",
    runs: [0.1; 2],
    plots: 0.0,
    repeats: 0.2,
    missing: Missing::Nothing,
    restart: Setting::BASELINE,
};

const WORLDS: &[World] = &[
    COMPLETE,
    World { name: "one run a repeat is missing", missing: Missing::OnePerRepeat, ..COMPLETE },
    World { name: "repeats of their own for each build", missing: Missing::SharedRepeats, ..COMPLETE },
    World { name: "the target is twice as noisy", runs: [0.1, 0.2], ..COMPLETE },
    World {
        name: "the same, one run a repeat is missing",
        runs: [0.1, 0.2],
        missing: Missing::OnePerRepeat,
        ..COMPLETE
    },
    World { name: "restarts, declared", plots: 0.1, restart: RESTART, ..COMPLETE },
    World {
        name: "restarts, declared, one run a repeat is missing",
        plots: 0.1,
        restart: RESTART,
        missing: Missing::OnePerRepeat,
        ..COMPLETE
    },
    World { name: "restarts, not declared", plots: 0.1, ..COMPLETE },
    World { name: "restarts of twice that, not declared", plots: 0.2, ..COMPLETE },
];

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    // Nobody is left to tell where standard error is closed.
    let _ = writeln!(std::io::stderr(), "attribution_worlds: {error}");
    ExitCode::from(2)
}

fn run() -> Result<(), String> {
    let (mut worlds, mut seed) = (300, 1);
    let mut given = std::env::args().skip(1);
    while let Some(name) = given.next() {
        let number =
            given.next().and_then(|value| value.parse().ok()).ok_or(format!("{name} needs a number"));
        match name.as_str() {
            "--worlds" => worlds = number?,
            "--seed" => seed = number?,
            _ => return Err(format!("{name}: options are --worlds and --seed")),
        }
    }
    say(&format!("{worlds} worlds a line, seed {seed}"))?;
    say(
        "| world | factors alone hold % | averages over orders hold % | in points % | one factor of one build % | width of the averages | restart found or named % |",
    )?;
    say("|---|---|---|---|---|---|---|")?;
    for world in WORLDS {
        let mut score = Score::default();
        (0..worlds).for_each(|number| score.add(world, seed * 1_000_003 + number));
        say(&format!("| {} | {} |", world.name, score.columns().join(" | ")))?;
    }
    Ok(())
}

fn say(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout(), "{line}").map_err(|error| format!("standard output: {error}"))
}

/// What each build does under each setting.
struct Truth {
    main: [[f64; FACTORS]; 2],
    pairs: [[[f64; FACTORS]; FACTORS]; 2],
}

impl Truth {
    fn new(rng: &mut Rng) -> Self {
        let (mut main, mut pairs) = ([[0.0; FACTORS]; 2], [[[0.0; FACTORS]; FACTORS]; 2]);
        main.iter_mut().flatten().for_each(|value| *value = 0.2 + 0.2 * rng.normal());
        pairs.iter_mut().flatten().flatten().for_each(|value| *value = 0.1 * rng.normal());
        Self { main, pairs }
    }

    fn log(&self, build: usize, setting: Setting) -> f64 {
        let on: Vec<usize> = setting.factors().collect();
        let main: f64 = on.iter().map(|factor| self.main[build][*factor]).sum();
        let pair = |a: usize| on.iter().filter(move |b| **b > a).map(move |b| self.pairs[build][a][*b]);
        10.0 - 0.5 * build as f64 + main + on.iter().flat_map(|a| pair(*a)).sum::<f64>()
    }

    fn runs(&self, world: &World, rng: &mut Rng) -> Vec<BenchmarkRun> {
        let mut shared: BTreeMap<(usize, usize, Setting), f64> = BTreeMap::new();
        let mut runs = Vec::new();
        for repeat in 0..REPEATS {
            let first = runs.len();
            let of_repeat = [rng.normal(), rng.normal()];
            for build in 0..2 {
                let own = world.missing == Missing::SharedRepeats;
                let block = world.repeats * of_repeat[if own { build } else { 0 }];
                let label = if own { format!("{build}-{repeat}") } else { repeat.to_string() };
                for setting in HAS[build].subsets() {
                    let plot = (build, repeat, setting.intersection(RESTART));
                    let plot = *shared.entry(plot).or_insert_with(|| world.plots * rng.normal());
                    let log = self.log(build, setting) + block + plot + world.runs[build] * rng.normal();
                    let replicate = Some(label.clone());
                    runs.push(BenchmarkRun {
                        row: 1,
                        build,
                        setting,
                        replicate,
                        throughput: log.exp(),
                        cost: None,
                    });
                }
            }
            if world.missing == Missing::OnePerRepeat {
                let cells = (runs.len() - first) / REPEATS;
                runs.remove(first + repeat * cells + (rng.uniform() * cells as f64) as usize);
            }
        }
        runs
    }
}

fn attributed(runs: Vec<BenchmarkRun>, restart: Setting) -> Option<Attribution> {
    let has = |build: usize| (0..FACTORS).map(|factor| HAS[build].has(factor)).collect();
    let table = RunsTable {
        path: "runs.csv".into(),
        metric: RunMetric::Tps,
        factors: (0..FACTORS).map(|factor| format!("f{factor}")).collect(),
        builds: vec![
            RunsBuild { name: "base".into(), has: has(0) },
            RunsBuild { name: "target".into(), has: has(1) },
        ],
        runs,
    };
    attribute(&table, &AttributeSettings { base: 0, target: 1, restart, masking: Vec::new() })
}

#[derive(Default)]
struct Score {
    alone: Mean,
    orders: Mean,
    points: Mean,
    of_one: Mean,
    width: Mean,
    restart: Mean,
}

impl Score {
    fn add(&mut self, world: &World, seed: u64) {
        let mut rng = Rng::new(seed);
        let truth = Truth::new(&mut rng);
        let noiseless =
            World { runs: [0.0; 2], plots: 0.0, repeats: 0.0, missing: Missing::Nothing, ..*world };
        let exact = attributed(truth.runs(&noiseless, &mut rng), Setting::BASELINE);
        let found = attributed(truth.runs(world, &mut rng), world.restart);
        let Some((exact, found)) = exact.zip(found) else { return };
        let alone = |of: &Attribution| -> Vec<Effect> {
            of.independent.iter().filter_map(|step| step.effect).collect()
        };
        let orders = |of: &Attribution| -> Vec<Effect> {
            of.shapley.iter().flat_map(|shapley| shapley.values.iter().map(|(_, effect)| *effect)).collect()
        };
        let pairs = |of: &dyn Fn(&Attribution) -> Vec<Effect>| {
            of(&found).into_iter().zip(of(&exact)).collect::<Vec<_>>()
        };
        let (alone, orders) = (pairs(&alone), pairs(&orders));
        let logs = |pairs: &[(Effect, Effect)]| {
            rate(pairs.iter().map(|(found, exact)| (found.log.interval, exact.log.value)))
        };
        self.alone.add(100.0 * logs(&alone));
        self.orders.add(100.0 * logs(&orders));
        self.of_one.add(100.0 * logs(alone.get(..1).unwrap_or_default()));
        let points = orders.iter().map(|(found, exact)| (found.points.interval, exact.points.value));
        self.points.add(100.0 * rate(points));
        for (found, _) in &orders {
            let (low, high) = found.log.interval.unwrap_or_default();
            self.width.add(high - low);
        }
        let is_found = match found.noise {
            NoiseSource::Pooled { unnamed_restart, .. } => unnamed_restart.union(world.restart).count() > 0,
            NoiseSource::None => false,
        };
        self.restart.add(if is_found { 100.0 } else { 0.0 });
    }

    fn columns(&self) -> [String; 6] {
        let rates = [&self.alone, &self.orders, &self.points, &self.of_one].map(|mean| mean.text(1));
        let [alone, orders, points, of_one] = rates;
        [alone, orders, points, of_one, self.width.text(3), self.restart.text(1)]
    }
}

/// The part of the intervals that hold the truth.
fn rate(intervals: impl Iterator<Item = (Option<(f64, f64)>, f64)>) -> f64 {
    let holds = |(interval, truth): (Option<(f64, f64)>, f64)| {
        interval.is_some_and(|(low, high)| low <= truth && truth <= high)
    };
    let all: Vec<bool> = intervals.map(holds).collect();
    all.iter().filter(|holds| **holds).count() as f64 / all.len().max(1) as f64
}

/// A mean with its standard error.
#[derive(Default)]
struct Mean {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        self.sum += value;
        self.squares += value * value;
    }

    fn text(&self, places: usize) -> String {
        let mean = self.sum / self.count;
        let error = ((self.squares / self.count - mean * mean).max(0.0) / self.count).sqrt();
        format!("{mean:.places$} ± {error:.places$}")
    }
}
