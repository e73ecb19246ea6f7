//! Throughput of builds relative to a base, by workload and by class of workloads.

use std::collections::{HashMap, HashSet};

/// Relative throughput further from 1 than this is marked.
pub const NOTABLE_RELATIVE: f64 = 0.05;

/// One run.
#[derive(Clone, PartialEq, Debug)]
pub struct Throughput {
    /// The build.
    pub build: String,
    /// The workload.
    pub workload: String,
    /// The class of the workload.
    pub class: String,
    /// Operations per second, positive.
    pub tps: f64,
}

/// One workload on all builds.
#[derive(Clone, PartialEq, Debug)]
pub struct RelativeRow {
    /// The class of the workload; empty where none is named.
    pub class: String,
    /// The workload; empty where there is one only.
    pub workload: String,
    /// For each build in order; `None` where it has no run.
    pub values: Vec<Option<Relative>>,
}

/// One workload on one build.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relative {
    /// Geometric mean of operations per second.
    pub tps: f64,
    /// Over the base's; `None` where the base has no run of the workload.
    pub relative: Option<f64>,
    /// Runs behind it.
    pub runs: usize,
}

/// One class of workloads on one build: over workloads that the base has, too.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ClassMean {
    /// Geometric mean of the relative throughputs.
    pub mean: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Workloads behind it.
    pub workloads: usize,
}

/// Throughputs relative to `builds[base]`, one row a workload, in the order in which workloads come.
///
/// ```
/// use pdiff_study::series::{Throughput, relative_throughput};
/// let run = |build: &str, tps| Throughput { build: build.into(), workload: "hot".into(), class: "point".into(), tps };
/// let rows = relative_throughput(&[run("5.6", 100.0), run("8.0", 70.0)], &["5.6".into(), "8.0".into()], 0);
/// assert!((rows[0].values[1].unwrap().relative.unwrap() - 0.7).abs() < 1e-12);
/// ```
#[must_use]
pub fn relative_throughput(runs: &[Throughput], builds: &[String], base: usize) -> Vec<RelativeRow> {
    let mut keys: Vec<(&str, &str)> = Vec::new();
    let mut sums: HashMap<(&str, &str, &str), (f64, usize)> = HashMap::new();
    let (mut seen, mut classes) = (HashSet::new(), HashMap::new());
    for run in runs {
        let key = (run.class.as_str(), run.workload.as_str());
        if seen.insert(key) {
            let next = classes.len();
            classes.entry(key.0).or_insert(next);
            keys.push(key);
        }
        let sum = sums.entry((key.0, key.1, run.build.as_str())).or_default();
        *sum = (sum.0 + run.tps.ln(), sum.1 + 1);
    }
    // Classes together, in the order in which they come first.
    keys.sort_by_key(|key| classes.get(key.0).copied());
    let row = |(class, workload): (&str, &str)| {
        let mean = |build: &String| {
            let (sum, runs) = sums.get(&(class, workload, build.as_str()))?;
            Some((sum / *runs as f64, *runs))
        };
        let of_base = builds.get(base).and_then(mean).map(|(log, _)| log);
        let value = |build: &String| {
            let (log, runs) = mean(build)?;
            Some(Relative { tps: log.exp(), relative: of_base.map(|base| (log - base).exp()), runs })
        };
        RelativeRow {
            class: class.to_owned(),
            workload: workload.to_owned(),
            values: builds.iter().map(value).collect(),
        }
    };
    keys.into_iter().map(row).collect()
}

/// Each class's mean over its workloads, for each build.
#[must_use]
pub fn class_means(rows: &[RelativeRow], builds: usize) -> Vec<(String, Vec<Option<ClassMean>>)> {
    let mut classes: Vec<&str> = Vec::new();
    for row in rows {
        if !classes.contains(&row.class.as_str()) {
            classes.push(&row.class);
        }
    }
    let of = |class: &str, build: usize| {
        let values = rows.iter().filter(|row| row.class == class);
        let logs: Vec<f64> =
            values.filter_map(|row| (*row.values.get(build)?)?.relative.map(f64::ln)).collect();
        (!logs.is_empty()).then(|| ClassMean {
            mean: (logs.iter().sum::<f64>() / logs.len() as f64).exp(),
            min: logs.iter().copied().fold(f64::INFINITY, f64::min).exp(),
            max: logs.iter().copied().fold(f64::NEG_INFINITY, f64::max).exp(),
            workloads: logs.len(),
        })
    };
    classes
        .iter()
        .map(|class| ((*class).to_owned(), (0..builds).map(|build| of(class, build)).collect()))
        .collect()
}
